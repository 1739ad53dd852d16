"""Named poses: `home`, `folded` and the like, as coordinates by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, final

from ..door import shown
from ..errors import ExpressionError, Fault, unknown
from ..expr import number
from ..expr.quantities import kind_fault
from .fields import Element, Invalid, Names, Spec, field, sequence, units_of
from .joint import coordinate_names
from .specs import NUMBER_OR_TEXT, Text, any_of, array_of

if TYPE_CHECKING:
    from .mechanism import Mechanism

Value = float | tuple[float, ...]


@dataclass(frozen=True)
class Values(Spec):
    """Quantities by name, `{elbow = "30 deg"}`; a joint with several coordinates has a list."""

    schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "additionalProperties": any_of(NUMBER_OR_TEXT, array_of(NUMBER_OR_TEXT)),
    }

    def read(self, raw: Any, names: Names, owner: type) -> tuple[tuple[str, Value], ...]:
        """Pairs of a name and its value, or values, in SI."""
        try:
            pairs = {str(name): value for name, value in _items(raw)}
        except (TypeError, ValueError):
            raise ExpressionError(
                f'expected coordinates by name such as {{elbow = "30 deg"}}, got {shown(raw)}'
            ) from None
        return tuple((name, _read(value, names)) for name, value in pairs.items())

    def units(self, raw: Any, names: Names) -> Any:
        """Units of every text, by name: the joints say which are right."""
        pairs = raw.items() if isinstance(raw, Mapping) else ()
        rows = {name: x if isinstance(x, list | tuple) else [x] for name, x in pairs}
        return {name: [units_of(x, names) for x in row] for name, row in rows.items()}

    def write(self, value: Any, planar: bool = False) -> dict[str, Any]:
        """A table."""
        return {name: list(x) if isinstance(x, tuple) else x for name, x in value}


def _items(raw: Any) -> Any:
    return raw.items() if isinstance(raw, Mapping) else sequence(raw, "coordinates by name")


def _several(value: Any) -> bool:
    return not isinstance(value, str | int | float)


def _read(raw: Any, names: Names) -> Value:
    if _several(raw):
        return tuple(number(item, "any", names) for item in sequence(raw, "a number or numbers"))
    return number(raw, "any", names)


@final
@dataclass(frozen=True)
class NamedPose(Element):
    """A pose with a name: coordinates that are not given are as drawn."""

    section = "pose"

    name: str = field(Text(), doc="name of the pose")
    q: tuple[tuple[str, Value], ...] = field(
        Values(), doc="coordinates by name; a joint with several has them in a list"
    )

    def faults_in(self, m: Mechanism) -> Iterator[Fault]:
        """Coordinates that the mechanism does not have, and values that do not fit them."""
        kinds = coordinate_kinds(m)
        units: Any = self.units.get("q", {})
        for name, value in () if isinstance(self.q, Invalid) else self.q:
            values = value if isinstance(value, tuple) else (value,)
            if name not in kinds:
                yield self.fault(unknown("coordinate", name, kinds), "q")
            elif len(values) != len(kinds[name]):
                count = len(kinds[name])
                yield self.fault(f"{name!r} has {count} values, got {len(values)}", "q")
            else:
                for kind, own in zip(kinds[name], units.get(name, ()), strict=False):
                    if own and (message := kind_fault(own[0], kind, own[1])):
                        yield self.fault(f"{name!r}: {message}", "q")


def coordinate_kinds(m: Mechanism) -> dict[str, tuple[str, ...]]:
    """Kinds of what a pose may name: independent coordinates, and joints that have several."""
    kinds: dict[str, tuple[str, ...]] = {}
    for joint in m.joints:
        own = joint.coordinate_kinds * (1 if joint.elastic is None else 2)
        names = coordinate_names(joint)
        kinds |= {name: (kind,) for name, kind in zip(names, own, strict=False)}
        if len(names) > 1:
            kinds[joint.name] = own
    return {name: own for name, own in kinds.items() if name not in m.dependent}
