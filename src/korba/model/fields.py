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
import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from ..display import Displayed
from ..door import shown
from ..errors import ExpressionError, Fault, way_out
from ..expr.dimensions import Dimension
from ..expr.quantities import Kind, dimension, kind_fault
from .parameters import texts_in

T = TypeVar("T")
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


def missing(what: str) -> Invalid:
    """The default of a field that has to be given though fields before it need not be."""
    return Invalid("", f"is missing; give {what}")


class Spec:
    """One kind of field. `owner` is the element's class, for fields that depend on it."""

    textual: ClassVar[bool] = False
    """Whether a string is the value itself, not an expression for one."""
    law: ClassVar[bool] = False
    """Whether its values are laws: functions of the state or the time."""
    kind: Kind = "any"

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of what a file may say here."""
        raise NotImplementedError(f"{type(self).__name__}.schema")

    def read(self, raw: Any, names: Names, owner: type) -> Any:
        """The value of `raw` as Python or a file gives it; raises ExpressionError."""
        raise NotImplementedError(f"{type(self).__name__}.read")

    def units(self, raw: Any, names: Names) -> Units | None:
        """Units of `raw` that cannot be judged while it is read: its kind depends on a joint."""
        return None if isinstance(self.kind, str) else units_of(raw, names)

    def write(self, value: Any, planar: bool = False) -> Any:
        """The value in words of TOML and JSON: strings, numbers, booleans, lists and tables.

        In the plane, vectors have two components where z is 0.
        """
        return value


def units_of(raw: Any, names: Names) -> Units | None:
    """The units of a text."""
    own = dimension(raw, names) if isinstance(raw, str) else None
    return None if own is None else (own, str(raw))


def field(spec: Spec, *, default: Any = dataclasses.MISSING, doc: str) -> Any:
    """A dataclass field that carries its `spec` and one line of documentation."""
    return dataclasses.field(default=default, metadata={"spec": spec, "doc": doc})


@dataclass(frozen=True)
class Element(Displayed):
    """Base of all parts of a mechanism: frozen, with fields that were read by their specs."""

    section: ClassVar[str] = ""
    units: ClassVar[Mapping[str, Units]] = NO_UNITS
    """Units of the fields whose kind depends on a coordinate, where a text has just given them."""
    written: tuple[tuple[str, Any, Any], ...] = dataclasses.field(
        default=(), kw_only=True, compare=False, repr=False
    )
    """Fields that the mechanism has made something of: name, as written, as made (given.py)."""
    unit_texts: tuple[str, ...] = dataclasses.field(
        default=(), kw_only=True, compare=False, repr=False
    )
    """Texts that its fields were given as: people read its quantities in their units."""
    raw: tuple[tuple[str, Any], ...] = dataclasses.field(
        default=(), kw_only=True, compare=False, repr=False
    )
    """Fields that were given in texts, and these: a mechanism may name sizes (named_sizes.py)."""

    def __post_init__(self) -> None:
        specs = specs_of(type(self))
        table = {key: getattr(self, key) for key in specs}
        texts = {key: (*texts_in(table[key]),) for key, spec in specs.items() if not spec.textual}
        told = (text for own in texts.values() for text in own)
        raw = dict(self.raw) | {key: table[key] for key, own in texts.items() if own}
        object.__setattr__(self, "unit_texts", (*dict.fromkeys((*self.unit_texts, *told)),))
        object.__setattr__(self, "raw", (*raw.items(),))
        for key, spec in specs.items():
            value = table[key]
            if value is default_of(type(self), key):
                object.__setattr__(self, key, read_default(type(self), key))
                continue
            if not (value is None and default_of(type(self), key) is None):
                value = read_or_invalid(spec, value, {}, type(self))
            object.__setattr__(self, key, value)
        keep_units(self, table, {})

    def settled(self) -> Self:
        """The element with what follows from its fields made anew; most have nothing of that."""
        return self

    def fault(self, message: str, *keys: str) -> Fault:
        """A fault of this element, or of the field of it that the keys lead to."""
        return Fault((self.section, str(getattr(self, "name", "")), *keys), message)

    def faults(self) -> Iterator[Fault]:
        """What is wrong with this element taken alone; subclasses add to it."""
        for key in specs_of(type(self)):
            value = getattr(self, key)
            if isinstance(value, Invalid):
                yield self.fault(value.message, key)
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, Element):
                    yield from (self.fault(f.message, key, *f.where[2:]) for f in part.faults())


_SPECS: dict[type, dict[str, Spec]] = {}
_DEFAULTS: dict[tuple[type, str], Any] = {}


def specs_of(cls: type) -> dict[str, Spec]:
    """The spec of every field of an element class that has one, by its key, in order."""
    if cls not in _SPECS:
        _SPECS[cls] = {f.name: f.metadata["spec"] for f in dataclasses.fields(cls) if f.metadata}
    return _SPECS[cls]


def default_of(cls: type, key: str) -> Any:
    """The default of a field; a required one gives `dataclasses.MISSING`."""
    return getattr(cls, key, dataclasses.MISSING)


def read_default(cls: type, key: str) -> Any:
    """The default of a field as its spec reads it."""
    if (cls, key) not in _DEFAULTS:
        value = default_of(cls, key)
        read = None if value is None else read_or_invalid(specs_of(cls)[key], value, {}, cls)
        _DEFAULTS[cls, key] = read
    return _DEFAULTS[cls, key]


def is_required(cls: type, key: str) -> bool:
    """Whether a field has to be given: it has no default, or one that is a fault."""
    default = default_of(cls, key)
    return default is dataclasses.MISSING or isinstance(default, Invalid)


def doc_of(cls: Any, key: str) -> str:
    """The line of documentation of a field."""
    return str(cls.__dataclass_fields__[key].metadata["doc"])


def laws_of(element: Element) -> Iterator[tuple[str, Any]]:
    """Every law of an element with the field that holds it, of a vector or a table all."""
    for key, spec in specs_of(type(element)).items():
        value = getattr(element, key)
        for law in value if isinstance(value, tuple) else (value,):
            own = law[1] if isinstance(law, tuple) else law
            if spec.law and own is not None and not isinstance(own, Invalid):
                yield key, own


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
    specs = specs_of(cls)
    where = (cls.section, str(table.get("name", "")))
    faults = [Fault((*where, key), nearest_key(key, specs)) for key in table if key not in specs]
    values: dict[str, Any] = {}
    for key, spec in specs.items():
        if key in table:
            values[key] = read_or_invalid(spec, table[key], names, cls)
        elif default_of(cls, key) is dataclasses.MISSING:
            values[key] = missing(doc_of(cls, key))
    element = cls(**values)
    keep_units(element, table, names)
    return element, faults


def keep_units(element: Element, table: Mapping[str, Any], names: Names) -> None:
    """Note the units that the raw values of `table` have and that only a joint can judge."""
    units = dict(element.units)
    for key, spec in specs_of(type(element)).items():
        if key in table and (own := spec.units(table[key], names)):
            units[key] = own
    if units:
        object.__setattr__(element, "units", units)


def unit_faults(element: Element, coordinate: str, turns: bool) -> Iterator[Fault]:
    """Fields that do not fit `coordinate`, which is an angle where it `turns`, else a length."""
    for key, (own, text) in element.units.items():
        kind = specs_of(type(element))[key].kind
        if isinstance(kind, str) or isinstance(getattr(element, key), Invalid):
            continue
        law = specs_of(type(element))[key].law
        if message := kind_fault(own, kind[0 if turns else 1], text, timed=law):
            what = "an angle" if turns else "a length"
            yield element.fault(f"{coordinate!r} is {what}: {message}", key)


def nearest_key(key: str, known: Iterable[str]) -> str:
    """The sentence for an unknown key, with the nearest valid one."""
    return f"unknown key {key!r}; {way_out(key, sorted(known), cutoff=0.5)}"


def write_table(element: Element, planar: bool = False) -> dict[str, Any]:
    """The element as a table of plain values; fields at their defaults are left out."""
    cls = type(element)
    return {
        key: spec.write(getattr(element, key), planar)
        for key, spec in specs_of(cls).items()
        if getattr(element, key) != default_of(cls, key)
    }


def table_schema(cls: type[Element]) -> dict[str, Any]:
    """JSON Schema of the table of an element class."""
    specs = specs_of(cls)
    return {
        "type": "object",
        "description": (cls.__doc__ or "").split("\n")[0],
        "properties": {
            key: {**spec.schema, "description": doc_of(cls, key)} for key, spec in specs.items()
        },
        "required": [key for key in specs if is_required(cls, key)],
        "additionalProperties": False,
    }


def sequence(raw: Any, what: str) -> list[Any]:
    """`raw` as a list; a string is not a sequence here."""
    if isinstance(raw, np.ndarray):
        raw = raw.tolist()
    if isinstance(raw, str) or not isinstance(raw, Iterable) or isinstance(raw, Mapping):
        raise ExpressionError(f"expected {what}, got {shown(raw)}")
    return [item.item() if isinstance(item, np.generic) else item for item in raw]


def types_in(base: type[T], package: str, path: Iterable[str]) -> dict[str, type[T]]:
    """All classes of the base in the modules of a package, by the word of their `type`.

    So a new file in the folder of a kind is found by itself.
    """
    for module in pkgutil.iter_modules(path):
        importlib.import_module(f"{package}.{module.name}")
    return {cls.type: cls for cls in sorted(_typed(base), key=lambda cls: str(cls.type))}


def _typed(cls: Any) -> Iterator[Any]:
    """The class and those under it that have a word."""
    if vars(cls).get("type"):
        yield cls
    for child in cls.__subclasses__():
        yield from _typed(child)
