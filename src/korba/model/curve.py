"""Functions of one variable: an expression, or points joined by a spline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import perm
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from ..errors import ExpressionError, Fault
from ..expr import Expr, constant, derivative, evaluate, substitute, variables
from ..expr.quantities import Kind, kind_fault
from ..libraries import undisturbed
from ..spatial.rotation import Array
from .fields import Element, Invalid, Names, Spec, Units, field
from .specs import Choice, Flag, Law, Part, Values, any_of

if TYPE_CHECKING:
    from scipy.interpolate import PPoly


EQUAL = 1e-9
"""Part of a piece by which pieces that count as equal may differ."""
DEGREES = {"cubic": 3, "quintic": 5}
"""Of the splines by their names."""


@final
@dataclass(frozen=True)
class Curve(Element):
    """Points (x, y) joined by a spline, cubic or quintic, with two or four continuous derivatives.

    A periodic curve closes: its last point repeats the first value, one period later. Accelerations
    along a cubic are off by a part h^2 for points h apart, along a quintic by h^4.
    """

    section = "curve"

    x: tuple[float, ...] = field(Values(), doc="increasing values of the variable")
    y: tuple[float, ...] = field(Values(), doc="values of the function")
    periodic: bool = field(Flag(), default=False, doc="whether it repeats after the last x")
    spline: str = field(
        Choice((*DEGREES,)),
        default="cubic",
        doc="what joins the points; quintic where accelerations count",
    )

    def faults(self) -> Iterator[Fault]:
        """Too few, unequal or unordered points, or a periodic curve that does not close."""
        yield from super().faults()
        if isinstance(self.x, Invalid) or isinstance(self.y, Invalid):
            return
        least = 7 if self.spline == "quintic" else 3
        if len(self.x) < least or len(self.x) != len(self.y):
            counts = f"{len(self.x)}, {len(self.y)}"
            yield self.fault(f"needs {least} or more x and as many y, got {counts}")
        elif np.any(np.diff(self.x) <= 0):
            yield self.fault("x must increase from point to point")
        elif self.periodic and abs(self.y[0] - self.y[-1]) > 1e-9 * max(map(abs, self.y)):
            yield self.fault(f"is periodic but starts at {self.y[0]:g} and ends at {self.y[-1]:g}")

    def __call__(self, x: Any, order: int = 0) -> Any:
        """Value (or derivative of the given order) at a number, an array or an expression."""
        pieces = _pieces(self.x, self.y, self.periodic, DEGREES[self.spline])
        if self.periodic:
            first, period = self.x[0], self.x[-1] - self.x[0]
            turns = (x - first) / period
            x = x - period * (turns.floor() if isinstance(turns, Expr) else np.floor(turns))
        return _looked_up(pieces, x, order) if isinstance(x, Expr) else pieces(x, nu=order)[()]


@lru_cache(maxsize=256)
def _pieces(x: tuple[float, ...], y: tuple[float, ...], periodic: bool, degree: int) -> PPoly:
    with undisturbed():
        from scipy.interpolate import CubicSpline, PPoly, make_interp_spline

    values = [*y[:-1], y[0]] if periodic else list(y)
    if degree == 3:
        return CubicSpline(x, values, bc_type="periodic" if periodic else "not-a-knot")
    ends = {"bc_type": "periodic"} if periodic else {}
    whole = PPoly.from_spline(make_interp_spline(x, values, k=degree, **ends))
    own = np.flatnonzero(np.diff(whole.x) > 0)  # the first and last knots are there many times
    own = own[(whole.x[own] >= x[0]) & (whole.x[own] < x[-1])]
    return PPoly(whole.c[:, own], np.append(whole.x[own], x[-1]))


def _looked_up(pieces: PPoly, x: Expr, order: int) -> Expr:
    """A derivative of the spline as an expression, which is as long whatever the count of points.

    The coefficients of all pieces stand in tables, and the number of the piece is an expression:

        s = x - x_k,   y = c_0 + s (c_1 + s (c_2 + ...)),   y' = c_1 + s (2 c_2 + ...)
    """
    k = _piece(pieces.x, x)
    step, value = x - k.lookup(*pieces.x[:-1]), constant(0.0)
    for power, coefficients in zip(range(len(pieces.c) - 1, order - 1, -1), pieces.c, strict=False):
        value = value * step + float(perm(power, order)) * k.lookup(*coefficients)
    return value


def _piece(ends: Array, x: Expr) -> Expr:
    """The number of the piece: a quotient where all are equal, else found by halving."""
    count, widths = len(ends) - 1, np.diff(ends)
    if np.ptp(widths) <= EQUAL * widths[0]:
        return ((x - float(ends[0])) * (count / float(ends[-1] - ends[0]))).floor()
    number, half = constant(0.0), 1 << (count - 1).bit_length()
    starts = np.append(ends[:-1], np.full(2 * half - count, np.finfo(float).max))
    while half := half // 2:
        number = number + half * ((number + half).lookup(*starts) <= x)
    return number


VARIABLES = {
    "t": "time",
    "beta": "angle",
    "gamma": "angle",
    "phi": "angle",
    "s": "length",
    "l": "length",
}
"""What the variable of a law or curve is."""


@dataclass(frozen=True)
class LawOrCurve(Spec):
    """A function of one variable: an expression in it, or a table `{x = [...], y = [...]}`."""

    law: ClassVar[bool] = True
    variable: str
    kind: Kind = "any"
    alone: bool = True
    """Whether a law has this variable alone; else any name that laws of loads may use."""
    schema = any_of(Law.schema, Part(Curve).schema)

    def read(self, raw: Any, names: Names, owner: type) -> Expr | Curve:
        """The expression or the curve."""
        if isinstance(raw, (Curve, Mapping)):
            curve = Part(Curve).read(raw, names, owner)
            for fault in curve.faults():
                raise ExpressionError(fault.message)
            for key, kind in (("x", VARIABLES[self.variable]), ("y", self.kind)):
                if key in curve.units and (
                    message := kind_fault(curve.units[key][0], kind, curve.units[key][1])
                ):
                    raise ExpressionError(f"{key}: {message}")
            return curve  # type: ignore[return-value]
        return Law(self.kind, (self.variable,) if self.alone else None).read(raw, names, owner)

    def units(self, raw: Any, names: Names) -> Units | None:
        """Those of the law, or of the curve's y."""
        if isinstance(raw, Mapping):
            return Values().units(raw.get("y"), names)
        if isinstance(raw, Curve):
            return raw.units.get("y")
        return Law(self.kind).units(raw, names)

    def write(self, value: Any, planar: bool = False) -> Any:
        """A number, a text or a table."""
        return Part(Curve).write(value) if isinstance(value, Curve) else Law().write(value)


def value_at(function: Expr | Curve, variable: str, x: Any, order: int = 0) -> Any:
    """Value or derivative of a function at a number or an expression `x`.

    Where sizes in the function are symbols, so is the value.
    """
    if isinstance(function, Curve):
        return function(x, order)
    wanted, alone = _derived(function, variable, order)
    if isinstance(x, Expr) or not alone:
        return substitute(wanted, {variable: x})
    return evaluate(wanted, {variable: x})[()]


@lru_cache(maxsize=1024)
def _derived(function: Expr, variable: str, order: int) -> tuple[Expr, bool]:
    """A derivative, which is the same at every place, and whether it depends on nothing else."""
    for _ in range(order):
        function = derivative(function, variable)
    return function, not variables(function) - {variable}
