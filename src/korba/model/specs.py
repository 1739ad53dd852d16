"""The kinds of fields: texts, choices, quantities, vectors, tensors, expressions, parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..door import shown
from ..errors import ExpressionError, nearest
from ..expr import Expr, expression, number, to_text, variable, variables
from ..expr.dimensions import Dimension
from ..expr.quantities import TIME, Kind, is_size
from .fields import (
    Element,
    Names,
    Spec,
    Units,
    read_table,
    sequence,
    table_schema,
    units_of,
    write_table,
)

NUMBER_OR_TEXT: dict[str, Any] = {"type": ["number", "string"]}


def array_of(items: dict[str, Any], **more: Any) -> dict[str, Any]:
    """JSON Schema of an array."""
    return {"type": "array", "items": items, **more}


def any_of(*forms: dict[str, Any]) -> dict[str, Any]:
    """JSON Schema of what may have one of several forms."""
    return {"anyOf": [*forms]}


ROWS = any_of(NUMBER_OR_TEXT, array_of(any_of(NUMBER_OR_TEXT, array_of(NUMBER_OR_TEXT))))
"""JSON Schema of a number, or an array of numbers or rows."""


@dataclass(frozen=True)
class Text(Spec):
    """A non-empty text such as a name."""

    textual: ClassVar[bool] = True
    empty: bool = False
    schema: ClassVar[dict[str, Any]] = {"type": "string"}

    def read(self, raw: Any, names: Names, owner: type) -> str:
        """The text itself."""
        if not isinstance(raw, str):
            raise ExpressionError(f"expected a text in quotes, got {shown(raw)}")
        if not raw.strip() and not self.empty:
            raise ExpressionError("expected a name, got an empty text")
        if any(ord(c) < 32 and c != "\n" for c in raw):
            raise ExpressionError(f"control characters are not allowed, got {shown(raw)}")
        return raw


@dataclass(frozen=True)
class Choice(Spec):
    """One of a few words."""

    options: tuple[str, ...]
    textual: ClassVar[bool] = True

    def read(self, raw: Any, names: Names, owner: type) -> str:
        """The word, which must be one of the options."""
        if raw in self.options and isinstance(raw, str):
            return raw
        near = nearest(raw, self.options)
        hint = f"; did you mean {near!r}?" if near else ""
        raise ExpressionError(f"expected one of {', '.join(self.options)}, got {shown(raw)}{hint}")

    @property
    def schema(self) -> dict[str, Any]:
        """An enumeration."""
        return {"enum": list(self.options)}


@dataclass(frozen=True)
class Flag(Spec):
    """True or false."""

    textual: ClassVar[bool] = True
    schema: ClassVar[dict[str, Any]] = {"type": "boolean"}

    def read(self, raw: Any, names: Names, owner: type) -> bool:
        """The boolean."""
        if not isinstance(raw, bool):
            raise ExpressionError(f"expected true or false, got {shown(raw)}")
        return raw


@dataclass(frozen=True)
class Number(Spec):
    """A quantity, in SI after reading; bounds are inclusive."""

    kind: Kind
    minimum: float | None = None
    positive: bool = False
    schema = NUMBER_OR_TEXT

    def read(self, raw: Any, names: Names, owner: type) -> float:
        """The SI value."""
        value = number(raw, kind_for(self.kind, owner), names)
        if isinstance(value, Expr):
            return value  # a size that is an input: its bounds were those of the nominal one
        if self.positive and value <= 0:
            raise ExpressionError(f"expected a value above 0, got {shown(raw)}")
        if self.minimum is not None and value < self.minimum:
            raise ExpressionError(f"expected at least {self.minimum:g}, got {shown(raw)}")
        return value


def kind_for(kind: Kind, owner: type) -> Kind:
    """Of two kinds the one that fits all coordinates of a joint class; both where none does."""
    if isinstance(kind, str):
        return kind
    turns = getattr(owner, "turns", None)
    return kind if turns is None else kind[0 if turns else 1]


@dataclass(frozen=True)
class Vector(Spec):
    """Three components; two are enough in the plane and get z = 0."""

    kind: Kind = "number"
    schema = array_of(NUMBER_OR_TEXT, minItems=2, maxItems=3)

    def read(self, raw: Any, names: Names, owner: type) -> tuple[Any, ...]:
        """Three components."""
        example = "[0, 0, 15]" if self.kind == "moment" else "[0.1, 0]"
        items = sequence(raw, f"two or three components such as {example}")
        if len(items) not in (2, 3):
            raise ExpressionError(f"expected two or three components, got {len(items)}")
        return tuple(self.component(item, names, owner) for item in [*items, 0.0][:3])

    def component(self, raw: Any, names: Names, owner: type) -> Any:
        """One component: an SI number."""
        return number(raw, self.kind, names)

    def write(self, value: Any, planar: bool = False) -> list[float | str]:
        """A list."""
        raw = [to_number_or_text(component) for component in value]
        return raw[:2] if planar and raw[2] == 0 else raw


@dataclass(frozen=True)
class Place(Vector):
    """A place on a body: its components, or the name of one of the body's points."""

    schema = any_of({"type": "string"}, Vector.schema)

    def read(self, raw: Any, names: Names, owner: type) -> Any:
        """Three components, or the name."""
        return raw if isinstance(raw, str) else super().read(raw, names, owner)

    def write(self, value: Any, planar: bool = False) -> Any:
        """A list, or the name."""
        return value if isinstance(value, str) else super().write(value, planar)


BETWEEN = " to "
"""Between the names of two points that give a direction."""


@dataclass(frozen=True)
class Direction(Place):
    """A direction: its components, or the names of two points, `"D to E"`."""

    def read(self, raw: Any, names: Names, owner: type) -> Any:
        """Three components, or the text."""
        if isinstance(raw, str) and not all(part.strip() for part in pointed(raw)):
            raise ExpressionError(
                f"expected components such as [1, 0], or two points such as 'D to E', got {raw!r}"
            )
        return super().read(raw, names, owner)


def pointed(text: str) -> tuple[str, str]:
    """The names of the points from which and to which a direction leads."""
    first, _, last = text.partition(BETWEEN)
    return first.strip(), last.strip()


@dataclass(frozen=True)
class Numbers(Spec):
    """Any count of quantities; a single one may stand without brackets."""

    kind: Kind = "any"
    schema = any_of(NUMBER_OR_TEXT, array_of(NUMBER_OR_TEXT))

    def kinds(self, owner: type, count: int) -> list[Kind]:
        """The kind of each of `count` items."""
        return [self.kind] * count

    def read(self, raw: Any, names: Names, owner: type) -> tuple[float, ...]:
        """A tuple of SI numbers."""
        items = [raw] if isinstance(raw, (str, int, float)) else sequence(raw, "numbers")
        return tuple(
            number(item, kind, names)
            for item, kind in zip(items, self.kinds(owner, len(items)), strict=True)
        )

    def write(self, value: Any, planar: bool = False) -> Any:
        """A list, or the bare number where there is one."""
        return value[0] if len(value) == 1 else list(value)


@dataclass(frozen=True)
class Values(Numbers):
    """Quantities whose common kind is known elsewhere."""

    def read(self, raw: Any, names: Names, owner: type) -> tuple[float, ...]:
        """A tuple of SI numbers, whose units fit together."""
        values = super().read(raw, names, owner)
        first = self.units(raw, names)
        for item in raw if first and not isinstance(raw, str) else ():
            other = units_of(item, names)
            if first and other and not other[0].fits(first[0]):
                raise ExpressionError(f"units do not fit together: {first[1]!r} and {other[1]!r}")
        return values

    def units(self, raw: Any, names: Names) -> Units | None:
        """Those of the first text that has some."""
        items = [raw] if isinstance(raw, str) or not isinstance(raw, Iterable) else raw
        return next(filter(None, (units_of(item, names) for item in items)), None)


@dataclass(frozen=True)
class Coordinates(Numbers):
    """A value for each coordinate of a joint; the joint's class says which are angles."""

    def kinds(self, owner: type, count: int) -> list[Kind]:
        """The kinds of the joint's coordinates."""
        kinds: list[Kind] = list(getattr(owner, "coordinate_kinds", ()))
        if len(kinds) not in (count, 0) and "any" not in kinds:
            names = getattr(owner, "coordinate_names", ())
            raise ExpressionError(
                f"expected {len(kinds)} values ({', '.join(names) or kinds[0]}), got {count}"
            )
        return kinds if len(kinds) == count else ["any"] * count


@dataclass(frozen=True)
class Tensor(Spec):
    """An inertia tensor: a moment about z (plane), three principal moments, six or 3 x 3 entries.

    Six entries are xx, yy, zz, xy, xz, yz.
    """

    schema = ROWS

    def read(self, raw: Any, names: Names, owner: type) -> tuple[tuple[float, ...], ...]:
        """A 3 x 3 tuple."""
        if isinstance(raw, (str, int, float)):
            return ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, number(raw, "inertia", names)))
        rows = sequence(raw, "a moment, three, six or 3 x 3 moments of inertia")
        if len(rows) == 3 and not isinstance(rows[0], (str, int, float)):
            return square(rows, 3, "inertia", names)
        entries = [number(x, "inertia", names) for x in rows]
        if len(entries) == 3:
            entries += [0.0, 0.0, 0.0]
        if len(entries) != 6:
            raise ExpressionError(f"expected 1, 3, 6 or 3 x 3 entries, got {len(entries)}")
        xx, yy, zz, xy, xz, yz = entries
        return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))

    def write(self, value: Any, planar: bool = False) -> Any:
        """The shortest form that reads back the same."""
        matrix = np.array(value)
        if not matrix[:2].any() and not matrix[:, :2].any():
            return float(matrix[2, 2])
        if np.array_equal(matrix, np.diag(np.diag(matrix))):
            return [float(x) for x in np.diag(matrix)]
        return [list(row) for row in value]


def square(rows: Any, size: int, kind: Kind, names: Names) -> tuple[tuple[float, ...], ...]:
    """The SI numbers of a square matrix."""
    form = f"{size} x {size} numbers"
    matrix = [sequence(row, f"a row of {size}") for row in sequence(rows, form)]
    if [len(row) for row in matrix] != [size] * size:
        raise ExpressionError(f"expected {form}, got rows of {[len(row) for row in matrix]}")
    return tuple(tuple(number(x, kind, names) for x in row) for row in matrix)


@dataclass(frozen=True)
class Matrix6(Spec):
    """Six numbers of a diagonal, or 6 x 6: angular part first, all in SI."""

    kind: Kind = "any"
    schema = ROWS

    def read(self, raw: Any, names: Names, owner: type) -> tuple[tuple[float, ...], ...]:
        """A 6 x 6 tuple."""
        rows = sequence(raw, "six numbers, or 6 x 6")
        if len(rows) == 6 and not isinstance(rows[0], (str, int, float)):
            return square(rows, 6, self.kind, names)
        own = [number(x, self.kind, names) for x in rows]
        if len(own) != 6:
            raise ExpressionError(f"expected six numbers, or 6 x 6, got {len(own)}")
        return tuple(tuple(x if i == k else 0.0 for i in range(6)) for k, x in enumerate(own))

    def write(self, value: Any, planar: bool = False) -> Any:
        """The diagonal where there is nothing else."""
        diagonal = [row[k] for k, row in enumerate(value)]
        bare = all(not x for k, row in enumerate(value) for i, x in enumerate(row) if i != k)
        return diagonal if bare else [list(row) for row in value]


@dataclass(frozen=True)
class Law(Spec):
    """An expression in some variables: `"-c*v"`, `"30 deg + 2*pi*t"`. None allows any name."""

    law: ClassVar[bool] = True
    kind: Kind = "any"
    allow: tuple[str, ...] | None = ()
    measures: tuple[tuple[str, Dimension], ...] = ()
    """What variables beside t measure, where that is known whatever the law is of."""
    schema = NUMBER_OR_TEXT

    def read(self, raw: Any, names: Names, owner: type) -> Expr:
        """The expression."""
        if not isinstance(raw, (str, int, float, Expr)) or isinstance(raw, bool):
            raise ExpressionError(f"expected a number or an expression, got {shown(raw)}")
        kind = kind_for(self.kind, owner)
        measures = {**TIME, **dict(self.measures)}
        law = expression(raw, kind, names, allow=self.allow, measures=measures)
        if self.allow is not None and (strange := _strange(law, self.allow)):
            known = ", ".join(self.allow) or "nothing"
            raise ExpressionError(f"depends on {', '.join(sorted(strange))}; may use {known}")
        return law

    def write(self, value: Any, planar: bool = False) -> Any:
        """The number, or the text of the expression."""
        return to_number_or_text(value)


def _strange(law: Expr, allow: tuple[str, ...]) -> frozenset[str]:
    """Names that a law may not use; sizes that are inputs may stand in any."""
    return frozenset(
        name for name in variables(law) if name not in allow and not is_size(variable(name))
    )


def to_number_or_text(value: float | Expr) -> float | str:
    """A number, or a constant expression, as its number; any other expression as its text."""
    if not isinstance(value, Expr):
        return value
    return value.value if isinstance(value.value, float) else to_text(value)


@dataclass(frozen=True)
class Laws(Vector):
    """Two or three expressions, the components of a vector that may vary."""

    law: ClassVar[bool] = True
    allow: tuple[str, ...] | None = ()

    def component(self, raw: Any, names: Names, owner: type) -> Expr:
        """One component: an expression."""
        return Law(self.kind, self.allow).read(raw, names, owner)


@dataclass(frozen=True)
class Formulas(Spec):
    """Expressions by names: `{I = "1 - v_A"}`. Kept as pairs, so that elements stay hashable."""

    law: ClassVar[bool] = True
    allow: tuple[str, ...] | None = None
    """The variables of the expressions; None for any, () for constants."""
    schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "additionalProperties": NUMBER_OR_TEXT,
    }

    def read(self, raw: Any, names: Names, owner: type) -> tuple[tuple[str, Expr], ...]:
        """Pairs of a name and an expression."""
        items = raw.items() if isinstance(raw, Mapping) else sequence(raw, "formulas by names")
        try:
            pairs = [(Text().read(name, names, owner), text) for name, text in items]
        except (TypeError, ValueError):
            raise ExpressionError(
                f"expected formulas by names such as {{I = '1 - v_A'}}, got {shown(raw)}"
            ) from None
        law = Law("any", self.allow)
        return tuple((name, law.read(text, names, owner)) for name, text in pairs)

    def write(self, value: Any, planar: bool = False) -> dict[str, Any]:
        """A table."""
        return {name: Law().write(law) for name, law in value}


@dataclass(frozen=True)
class Points(Spec):
    """Named points: `{tip = [0.2, 0]}`. Kept as sorted pairs, so that elements stay hashable."""

    schema: ClassVar[dict[str, Any]] = {"type": "object", "additionalProperties": Vector.schema}

    def read(self, raw: Any, names: Names, owner: type) -> tuple[tuple[str, Any], ...]:
        """Pairs of a name and a position."""
        items = raw.items() if isinstance(raw, Mapping) else sequence(raw, "named points")
        try:
            pairs = {Text().read(str(name), names, owner): value for name, value in items}
        except (TypeError, ValueError):
            raise ExpressionError(
                f"expected named points such as {{tip = [0.2, 0]}}, got {shown(raw)}"
            ) from None
        vector = Vector("length")
        return tuple(sorted((name, vector.read(v, names, owner)) for name, v in pairs.items()))

    def write(self, value: Any, planar: bool = False) -> dict[str, Any]:
        """A table."""
        return {name: Vector().write(point, planar) for name, point in value}


@dataclass(frozen=True)
class Ways(Spec):
    """Which way loops are closed: `{ B = "left" }`, sides of pins, or a number of a way."""

    textual: ClassVar[bool] = True
    schema: ClassVar[dict[str, Any]] = any_of(
        {"type": "integer", "minimum": 0},
        {"type": "object", "additionalProperties": {"enum": ["left", "right"]}},
    )

    def read(self, raw: Any, names: Names, owner: type) -> Any:
        """The number, or pairs of a pin and a side."""
        if isinstance(raw, int) and not isinstance(raw, bool) and raw >= 0:
            return raw
        try:
            pairs = dict(raw)
        except (TypeError, ValueError):
            raise ExpressionError(
                f'expected sides of pins such as {{ B = "left" }}, or a number, got {shown(raw)}'
            ) from None
        for name, side in pairs.items():
            if side not in ("left", "right"):
                raise ExpressionError(f"{name!r} is left or right, got {shown(side)}")
        return tuple(sorted((str(name), str(side)) for name, side in pairs.items()))

    def write(self, value: Any, planar: bool = False) -> Any:
        """A table, or the number."""
        return dict(value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class Part(Spec):
    """A part of its own class, given as that class or as a table."""

    cls: type[Element]

    def read(self, raw: Any, names: Names, owner: type) -> Element:
        """The part."""
        if isinstance(raw, self.cls):
            return raw
        if not isinstance(raw, Mapping):
            raise ExpressionError(f"expected a table for {self.cls.__name__}, got {shown(raw)}")
        part, faults = read_table(self.cls, raw, names)
        if faults:
            raise ExpressionError("; ".join(fault.message for fault in faults))
        return part

    def write(self, value: Any, planar: bool = False) -> Any:
        """A table."""
        return write_table(value, planar)

    @property
    def schema(self) -> dict[str, Any]:
        """The part's own schema."""
        return table_schema(self.cls)


@dataclass(frozen=True)
class Parts(Part):
    """A list of parts."""

    def read(self, raw: Any, names: Names, owner: type) -> Any:
        """A tuple of parts."""
        return tuple(super(Parts, self).read(x, names, owner) for x in sequence(raw, "a list"))

    def write(self, value: Any, planar: bool = False) -> Any:
        """A list of tables."""
        return [write_table(part, planar) for part in value]

    @property
    def schema(self) -> dict[str, Any]:
        """An array of the part's schema."""
        return array_of(table_schema(self.cls))
