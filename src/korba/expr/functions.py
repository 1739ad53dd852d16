"""The table of operations: what each one computes and how it is differentiated.

Adding a function is one entry here. Its `tangent` is the rule of forward differentiation,

    d f(x, y, ...) = f_x dx + f_y dy + ...

written with the operators and methods of `Expr`, so it must be linear in the differentials.
Reverse differentiation uses the same rule: the share of argument i in an adjoint `w` is the
tangent with `w` at place i and zero elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from korba.expr.node import Expr

    Arguments = tuple[Expr, ...]
    Tangent = Callable[[Expr, Arguments, Arguments], Expr]  # result, arguments, differentials
    Slope = Callable[[Expr, Expr], Expr]

Parity = Literal["odd", "even", ""]
Dimensions = Literal["same", "angle to number", "number to angle", "number", "root", "truth"]


@dataclass(frozen=True)
class Function:
    """One operation of the graph.

    `name` is NumPy's, and the name of the method of `Expr`; `text` is the name in files ("" for
    operators); `parity` lets f(-x) be written -f(x) or f(x); `dimensions` says what units the
    arguments and the result carry.
    """

    name: str
    numeric: Callable[..., Any]
    tangent: Tangent
    arity: int = 1
    text: str = ""
    parity: Parity = ""
    commutative: bool = False
    dimensions: Dimensions = "same"


def _flat(result: Expr, x: Arguments, dx: Arguments) -> Expr:
    """Tangent of a function that is constant between its jumps."""
    return 0.0 * dx[0]


def _power(result: Expr, x: Arguments, dx: Arguments) -> Expr:
    """d(b^n) = n b^(n-1) db + b^n log(b) dn, each part only where it is needed."""
    base, exponent = x
    total = exponent * base ** (exponent - 1.0) * dx[0]
    return total if dx[1].value == 0.0 else total + result * base.log() * dx[1]


def _arctan2(result: Expr, x: Arguments, dx: Arguments) -> Expr:
    """D atan2(y, x) = (x dy - y dx) / (x^2 + y^2)."""
    return (x[1] * dx[0] - x[0] * dx[1]) / (x[0] * x[0] + x[1] * x[1])


def _where(condition: Any, a: Any, b: Any) -> Any:
    """NumPy's where, on a condition of value 0 or 1."""
    return np.where(np.not_equal(condition, 0.0), a, b)


def _lookup(index: Any, *entries: Any) -> Any:
    """The entry at a place, its whole part; the first one before the table, the last one behind."""
    if len(entries) == 1:
        return np.broadcast_to(entries[0], np.broadcast_shapes(*map(np.shape, (index, *entries))))
    inside = np.where(np.greater(index, 0.0), np.minimum(index, len(entries) - 1.0), 0.0)
    return np.array(entries, dtype=float)[inside.astype(int)]


def _of_one(
    name: str, slope: Slope, text: str, dimensions: Dimensions = "number", parity: Parity = ""
) -> Function:
    """A function of one argument from its slope(x, f(x))."""

    def tangent(result: Expr, x: Arguments, dx: Arguments) -> Expr:
        return slope(x[0], result) * dx[0]

    return Function(name, getattr(np, name), tangent, 1, text, parity, dimensions=dimensions)


def _of_two(name: str, numeric: Callable[..., Any], tangent: Tangent, text: str = "") -> Function:
    """A function of two arguments that may change places."""
    return Function(name, numeric, tangent, 2, text, commutative=True)


_ENTRIES = (
    _of_two("add", np.add, lambda r, x, dx: dx[0] + dx[1]),
    Function("sub", np.subtract, lambda r, x, dx: dx[0] - dx[1], 2),
    Function("neg", np.negative, lambda r, x, dx: -dx[0]),
    _of_two("mul", np.multiply, lambda r, x, dx: dx[0] * x[1] + x[0] * dx[1]),
    Function("div", np.divide, lambda r, x, dx: (dx[0] - r * dx[1]) / x[1], 2),
    Function("pow", np.power, _power, 2),
    _of_one("sin", lambda x, r: x.cos(), "sin", "angle to number", "odd"),
    _of_one("cos", lambda x, r: -x.sin(), "cos", "angle to number", "even"),
    _of_one("tan", lambda x, r: 1.0 + r * r, "tan", "angle to number", "odd"),
    _of_one("arcsin", lambda x, r: 1.0 / (1.0 - x * x).sqrt(), "asin", "number to angle", "odd"),
    _of_one("arccos", lambda x, r: -1.0 / (1.0 - x * x).sqrt(), "acos", "number to angle"),
    _of_one("arctan", lambda x, r: 1.0 / (1.0 + x * x), "atan", "number to angle", "odd"),
    Function("arctan2", np.arctan2, _arctan2, 2, "atan2", dimensions="number to angle"),
    _of_one("sqrt", lambda x, r: 0.5 / r, "sqrt", "root"),
    _of_one("exp", lambda x, r: r, "exp"),
    _of_one("log", lambda x, r: 1.0 / x, "log"),
    _of_one("sinh", lambda x, r: x.cosh(), "sinh", parity="odd"),
    _of_one("cosh", lambda x, r: x.sinh(), "cosh", parity="even"),
    _of_one("tanh", lambda x, r: 1.0 - r * r, "tanh", parity="odd"),
    _of_one("abs", lambda x, r: x.sign(), "abs", "same", "even"),
    Function("sign", np.sign, _flat, 1, "sign", "odd", dimensions="truth"),
    Function("floor", np.floor, _flat, 1, "floor", dimensions="number"),
    _of_two("minimum", np.minimum, lambda r, x, dx: (x[0] <= x[1]).where(*dx), "min"),
    _of_two("maximum", np.maximum, lambda r, x, dx: (x[1] <= x[0]).where(*dx), "max"),
    Function("less", lambda a, b: np.less(a, b) * 1.0, _flat, 2, dimensions="truth"),
    Function("less_equal", lambda a, b: np.less_equal(a, b) * 1.0, _flat, 2, dimensions="truth"),
    Function("where", _where, lambda r, x, dx: x[0].where(dx[1], dx[2]), 3, "where"),
    Function("lookup", _lookup, _flat, 2),
)

FUNCTIONS: dict[str, Function] = {entry.name: entry for entry in _ENTRIES}
FUNCTION_OF_TEXT: dict[str, Function] = {entry.text: entry for entry in _ENTRIES if entry.text}
