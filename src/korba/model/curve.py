"""Functions of one variable: an expression, or points joined by a spline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from ..errors import ExpressionError, Fault
from ..expr import Expr, derivative, evaluate, less, substitute, variables, where
from ..expr.quantities import Kind, kind_fault
from ..libraries import undisturbed
from .fields import Element, Invalid, Names, Spec, Units, field
from .specs import Flag, Law, Part, Values, any_of

if TYPE_CHECKING:
    from scipy.interpolate import PPoly


@final
@dataclass(frozen=True)
class Curve(Element):
    """Points (x, y) joined by a cubic spline with two continuous derivatives.

    A periodic curve closes: its last point repeats the first value, one period later.
    """

    section = "curve"

    x: tuple[float, ...] = field(Values(), doc="increasing values of the variable")
    y: tuple[float, ...] = field(Values(), doc="values of the function")
    periodic: bool = field(Flag(), default=False, doc="whether it repeats after the last x")

    def faults(self) -> Iterator[Fault]:
        """Too few, unequal or unordered points, or a periodic curve that does not close."""
        yield from super().faults()
        if isinstance(self.x, Invalid) or isinstance(self.y, Invalid):
            return
        if len(self.x) < 3 or len(self.x) != len(self.y):
            yield self.fault(f"needs 3 or more x and as many y, got {len(self.x)}, {len(self.y)}")
        elif np.any(np.diff(self.x) <= 0):
            yield self.fault("x must increase from point to point")
        elif self.periodic and abs(self.y[0] - self.y[-1]) > 1e-9 * max(map(abs, self.y)):
            yield self.fault(f"is periodic but starts at {self.y[0]:g} and ends at {self.y[-1]:g}")

    def __call__(self, x: Any, order: int = 0) -> Any:
        """Value (or derivative of the given order) at a number, an array or an expression."""
        pieces = _pieces(self.x, self.y, self.periodic, order)
        if self.periodic:
            first, period = self.x[0], self.x[-1] - self.x[0]
            turns = (x - first) / period
            x = x - period * (turns.floor() if isinstance(turns, Expr) else np.floor(turns))
        return _traced(pieces, x, 0, len(self.x) - 2) if isinstance(x, Expr) else pieces(x)[()]


@lru_cache(maxsize=256)
def _pieces(x: tuple[float, ...], y: tuple[float, ...], periodic: bool, order: int) -> PPoly:
    with undisturbed():
        from scipy.interpolate import CubicSpline

    values = [*y[:-1], y[0]] if periodic else list(y)
    spline = CubicSpline(x, values, bc_type="periodic" if periodic else "not-a-knot")
    return spline.derivative(order) if order else spline


def _traced(pieces: PPoly, x: Expr, low: int, high: int) -> Expr:
    """The spline as an expression: a binary tree of choices over the pieces `low ... high`."""
    if low == high:
        step, value = x - float(pieces.x[low]), x * 0.0
        for coefficient in pieces.c[:, low]:
            value = value * step + float(coefficient)
        return value
    middle = (low + high) // 2
    left, right = _traced(pieces, x, low, middle), _traced(pieces, x, middle + 1, high)
    return where(less(x, float(pieces.x[middle + 1])), left, right)


VARIABLES = {"t": "time", "beta": "angle", "gamma": "angle"}
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
    return evaluate([wanted], {variable: x})[0]


@lru_cache(maxsize=1024)
def _derived(function: Expr, variable: str, order: int) -> tuple[Expr, bool]:
    """A derivative, which is the same at every place, and whether it depends on nothing else."""
    for _ in range(order):
        function = derivative(function, variable)
    return function, not variables(function) - {variable}
