"""How a field of an element is read, written and published: declared once, used everywhere.

    mass: float = field(Number("mass", minimum=0), default=0.0, doc="mass")

From this one line come the conversion of units (`"2 kg"`), the faults that a wrong value gives,
the key of the TOML file, the JSON Schema and the reference page. A value that cannot be read does
not raise here: it stays in the element as an `Invalid`, and `Mechanism` reports all of them.

A spec whose kind is a pair, ("angle", "length"), depends on a coordinate: the first where that is
an angle, the second where it is a length. An element that only names its joint keeps the units of
such texts, until the joint is known.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from ..display import Displayed
from ..errors import ExpressionError, Fault
from ..expr.dimensions import Dimension
from ..expr.quantities import Kind, kind_fault

Names = Mapping[str, Any]
Vector3 = tuple[float, float, float]
Matrix3 = tuple[Vector3, Vector3, Vector3]
Units = tuple[Dimension, str]
"""The dimension of a quantity, and the text that has it."""
NO_UNITS: Mapping[str, Units] = MappingProxyType({})


@dataclass(frozen=True)
class Invalid:
    """A value that could not be read, and why."""

    raw: str
    message: str

    def __str__(self) -> str:
        return self.raw


class Spec:
    """One kind of field. `owner` is the element's class, for fields that depend on it."""

    textual: ClassVar[bool] = False
    """Whether a string is the value itself, not an expression for one."""
    law: ClassVar[bool] = False
    """Whether its values are laws: functions of the state or the time."""
    kind: Kind = "any"

    def read(self, raw: Any, names: Names, owner: type) -> Any:
        """The value of `raw` as Python or a file gives it; raises ExpressionError."""
        raise NotImplementedError(f"{type(self).__name__}.read")

    def units(self, raw: Any, names: Names) -> Units | None:
        """Units of `raw` that cannot be judged while it is read; None where there are none."""
        return None

    def write(self, value: Any) -> Any:
        """The value in words of TOML and JSON: strings, numbers, booleans, lists and tables."""
        return value

    def schema(self, owner: type) -> dict[str, Any]:
        """JSON Schema of what a file may say here."""
        raise NotImplementedError(f"{type(self).__name__}.schema")


def field(spec: Spec, *, default: Any = dataclasses.MISSING, doc: str) -> Any:
    """A dataclass field that carries its `spec` and one line of documentation."""
    return dataclasses.field(default=default, metadata={"spec": spec, "doc": doc})


@dataclass(frozen=True)
class Element(Displayed):
    """Base of all parts of a mechanism: frozen, with fields that were read by their specs."""

    section: ClassVar[str] = ""
    units: ClassVar[Mapping[str, Units]] = NO_UNITS
    """Units of the fields whose kind depends on a coordinate, where a text has just given them."""

    def __post_init__(self) -> None:
        table = {f.name: getattr(self, f.name) for f in specified_fields(type(self))}
        for f in specified_fields(type(self)):
            value = table[f.name]
            if not (value is None and f.default is None):
                value = read_or_invalid(f.metadata["spec"], value, {}, type(self))
            object.__setattr__(self, f.name, value)
        keep_units(self, table, {})

    def faults(self) -> Iterator[Fault]:
        """What is wrong with this element taken alone; subclasses add to it."""
        where = (self.section, str(getattr(self, "name", "")))
        for f in specified_fields(type(self)):
            value = getattr(self, f.name)
            if isinstance(value, Invalid):
                yield Fault((*where, f.name), value.message)
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, Element):
                    for fault in part.faults():
                        yield Fault((*where, f.name, *fault.where[2:]), fault.message)


def specified_fields(cls: type) -> list[dataclasses.Field[Any]]:
    """The fields of an element class that have a spec, in order."""
    return [f for f in dataclasses.fields(cls) if "spec" in f.metadata]


def laws_of(element: Element) -> Iterator[tuple[str, Any]]:
    """Every law of an element with the field that holds it; a vector gives its components."""
    for f in specified_fields(type(element)):
        if f.metadata["spec"].law:
            value = getattr(element, f.name)
            for law in value if isinstance(value, tuple) else (value,):
                if law is not None and not isinstance(law, Invalid):
                    yield f.name, law


def read_or_invalid(spec: Spec, raw: Any, names: Names, owner: type) -> Any:
    """`spec.read`, with an `Invalid` instead of an exception."""
    if isinstance(raw, Invalid):
        return raw
    if isinstance(raw, np.generic):
        raw = raw.item()
    try:
        with np.errstate(all="ignore"):  # what is not finite is judged, not warned of
            return spec.read(raw, names, owner)
    except ExpressionError as error:
        return Invalid(repr(raw)[:80], str(error))


def read_table(
    cls: type[Element], table: Mapping[str, Any], names: Names
) -> tuple[Element, list[Fault]]:
    """An element from a table of a file, and the faults of its keys.

    Unknown keys are faults with the nearest valid key; a missing key becomes an `Invalid` value.
    """
    fields = {f.name: f for f in specified_fields(cls)}
    where = (cls.section, str(table.get("name", "")))
    faults = [Fault((*where, key), nearest_key(key, fields)) for key in table if key not in fields]
    values: dict[str, Any] = {}
    for name, f in fields.items():
        if name in table:
            values[name] = read_or_invalid(f.metadata["spec"], table[name], names, cls)
        elif f.default is dataclasses.MISSING:
            values[name] = Invalid("", f"is missing; give {f.metadata['doc']}")
    element = cls(**values)
    keep_units(element, table, names)
    return element, faults


def keep_units(element: Element, table: Mapping[str, Any], names: Names) -> None:
    """Note the units that the raw values of `table` have and that only a joint can judge."""
    units = dict(element.units)
    for f in specified_fields(type(element)):
        if f.name in table and (found := f.metadata["spec"].units(table[f.name], names)):
            units[f.name] = found
    if units:
        object.__setattr__(element, "units", units)


def unit_faults(element: Element, coordinate: str, turns: bool) -> Iterator[Fault]:
    """Fields that do not fit `coordinate`, which is an angle where it `turns`, else a length."""
    specs = {f.name: f.metadata["spec"] for f in specified_fields(type(element))}
    for key, (found, text) in element.units.items():
        kind = specs[key].kind
        if isinstance(kind, str) or isinstance(getattr(element, key), Invalid):
            continue
        if message := kind_fault(found, kind[0 if turns else 1], text):
            what = "an angle" if turns else "a length"
            where = (element.section, str(getattr(element, "name", "")), key)
            yield Fault(where, f"{coordinate!r} is {what}: {message}")


def nearest_key(key: str, known: Iterable[str]) -> str:
    """The sentence for an unknown key, with the nearest valid one."""
    names = sorted(known)
    near = difflib.get_close_matches(str(key), names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"valid keys are {', '.join(names)}"
    return f"unknown key {key!r}; {hint}"


def write_table(element: Element) -> dict[str, Any]:
    """The element as a table of plain values; fields at their defaults are left out."""
    table: dict[str, Any] = {}
    for f in specified_fields(type(element)):
        value = getattr(element, f.name)
        if f.default is not dataclasses.MISSING and same(value, f.default):
            continue
        table[f.name] = f.metadata["spec"].write(value)
    return table


def same(a: Any, b: Any) -> bool:
    """Equality that also works for values a spec has turned into arrays of the default."""
    return bool(a is b or (type(a) is type(b) and a == b))


def table_schema(cls: type[Element]) -> dict[str, Any]:
    """JSON Schema of the table of an element class."""
    fields = specified_fields(cls)
    return {
        "type": "object",
        "description": (cls.__doc__ or "").split("\n")[0],
        "properties": {
            f.name: {**f.metadata["spec"].schema(cls), "description": f.metadata["doc"]}
            for f in fields
        },
        "required": [f.name for f in fields if f.default is dataclasses.MISSING],
        "additionalProperties": False,
    }


def sequence(raw: Any, what: str) -> list[Any]:
    """`raw` as a list; a string is not a sequence here."""
    if isinstance(raw, np.ndarray):
        raw = raw.tolist()
    if isinstance(raw, str) or not isinstance(raw, Iterable) or isinstance(raw, Mapping):
        raise ExpressionError(f"expected {what}, got {shown(raw)}")
    return [item.item() if isinstance(item, np.generic) else item for item in raw]


def shown(raw: Any) -> str:
    """A value as an error message shows it: short, and with its type where that is the point."""
    text = repr(raw)
    return text if len(text) <= 60 else text[:57] + "..."
