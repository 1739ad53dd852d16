"""The field of a body that holds its solid: a table, a list of tables, or solids of Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..door import shown
from ..errors import ExpressionError, way_out
from .fields import Names, Spec, read_table, sequence, table_schema, write_table
from .solid import Solid, Weighed
from .solid_kinds import SOLID_TYPES
from .specs import any_of, array_of


@dataclass(frozen=True)
class SolidParts(Spec):
    """Parts of a solid: `{type = "box", ...}`, or a list of such tables, some of them holes."""

    def read(self, raw: Any, names: Names, owner: type) -> tuple[Solid, ...]:
        """The parts."""
        if isinstance(raw, Weighed):
            return raw.parts
        items = [raw] if isinstance(raw, Mapping) else sequence(raw, "a solid, or a list of them")
        return tuple(part for item in items for part in _parts(item, names))

    def write(self, value: Any, planar: bool = False) -> Any:
        """A table, or a list of tables."""
        tables = [{"type": part.type, **write_table(part, planar)} for part in value]
        return tables[0] if len(tables) == 1 else tables

    @property
    def schema(self) -> dict[str, Any]:
        """The table of any kind, or an array of them."""
        one = any_of(*map(_table, SOLID_TYPES.values()))
        return any_of(one, array_of(one))


def _parts(raw: Any, names: Names) -> tuple[Solid, ...]:
    """What one item of a list says."""
    if isinstance(raw, Weighed):
        return raw.parts
    if not isinstance(raw, Mapping):
        raise ExpressionError(f"expected a table such as {{type = 'box', ...}}, got {shown(raw)}")
    kind = raw.get("type")
    if not isinstance(kind, str) or kind not in SOLID_TYPES:
        what = "has no type" if kind is None else f"has the unknown type {shown(kind)}"
        raise ExpressionError(f"a solid {what}; {way_out(kind, SOLID_TYPES)}")
    table = {key: value for key, value in raw.items() if key != "type"}
    part, faults = read_table(SOLID_TYPES[kind], table, names)
    if faults:
        raise ExpressionError("; ".join(fault.message for fault in faults))
    assert isinstance(part, Solid)  # noqa: S101
    return (part,)


def _table(cls: type[Solid]) -> dict[str, Any]:
    """The table of a kind, with its type."""
    table = table_schema(cls)
    table["properties"] = {"type": {"const": cls.type}, **table["properties"]}
    return {**table, "required": ["type", *table["required"]]}
