"""A point's path and the speed along it: where it is to be, how fast and with which acceleration.

A path is given by the parameter s, with a speed u(t) along it, or directly by the time:

    r(s),  |r'| sdot = u(t):    rdot = r' sdot,    rddot = r'' sdot^2 + r' sddot,
                                sddot = udot / |r'| - sdot^2 (r' r'') / |r'|^2
    r(t):                       rdot = r',         rddot = r''

so s need not be the arc length: the speed is that of the point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...codegen import Compiled, Program, compile_program, trace
from ...door import public
from ...errors import ExpressionError, StructureError
from ...expr import Expr, expression, less, number, variable, where
from ...expr.node import postorder
from ...model.curve import Curve, value_at
from ...spatial.rotation import Array
from ...wording import given

Function = Expr | Curve


@dataclass(frozen=True, eq=False)
class Path:
    """What is prescribed: some of the components x, y, z of a point."""

    components: tuple[int, ...]
    program: Program
    """(s, t) -> r, rdot, rddot of those components, and sdot."""
    knots: tuple[float, ...]
    """Times at which the speed goes over to another formula."""

    @cached_property
    def at(self) -> Compiled:
        """The program, compiled."""
        return compile_program(self.program)


@public
def speed_profile(
    top: float | str,
    *,
    rise: float | str,
    cruise: float | str = 0.0,
    fall: float | str | None = None,
    begin: float | str = 0.0,
) -> Expr:
    """A speed in `t` that rises to `top`, stays and falls by parabolas, smooth in its first rate.

    u = a t^2, then top - a (t - t2)^2 with a = 2 top / rise^2; the fall is its mirror image and
    takes the same time unless `fall` says otherwise. The stroke is
    top (rise/2 + cruise + fall/2). Source: Maryniak & Malecki, section 4.
    """
    v, t0, t = number(top, "velocity"), number(begin, "time"), variable("t")
    up, even = number(rise, "time"), number(cruise, "time")
    down = up if fall is None else number(fall, "time")
    if min(up, down) <= 0 or even < 0:
        raise StructureError(
            f"speed_profile: rise and fall take time and cruise is not negative, got "
            f"rise = {up:g}, cruise = {even:g}, fall = {down:g} s"
        )
    t2, t3, t5 = t0 + up, t0 + up + even, t0 + up + even + down
    a, b = 2 * v / up**2, 2 * v / down**2
    rising = where(less(t, t0 + up / 2), a * (t - t0) ** 2, v - a * (t - t2) ** 2)
    falling = where(less(t, t3 + down / 2), v - b * (t - t3) ** 2, b * (t - t5) ** 2)
    after = where(less(t, t3), v, where(less(t, t5), falling, 0.0))
    return where(less(t, t0), 0.0, where(less(t, t2), rising, after))


def path_of(components: Sequence[Any], speed: Any) -> Path:
    """The path of expressions or curves, None where a component is free."""
    name = "t" if speed is None else "s"
    if isinstance(components, str) or not isinstance(components, Sequence | np.ndarray):
        raise StructureError(
            f"path: expected two or three components, such as ('1 + 0.1*{name}', '0.5'), got "
            f"{components!r:.60}"
        )
    wanted = tuple(i for i, given in enumerate(components) if given is not None)
    if len(components) not in (2, 3) or not wanted:
        raise StructureError(
            f"path: expected two or three components in {name}, None for a free one, got "
            f"{len(components)} of which {len(wanted)} are given"
        )
    functions = [_function(f"path[{i}]", components[i], "length", name) for i in wanted]
    law = None if speed is None else _function("speed", speed, "velocity", "t")
    if law is not None and all(_constant(f) for f in functions):
        raise StructureError(
            "path: no component changes with s, so there is no way to go along; write the "
            "components in s, or in t without a speed"
        )

    def written(s: Array, t: Array) -> tuple[Any, ...]:
        if law is None:
            return (*_derivatives(functions, "t", t[0]), 0.0)
        return _along(_derivatives(functions, "s", s[0]), value_at(law, "t", t[0]), law, t[0])

    program = trace(written, {"s": 1, "t": 1}, "path")
    knots = {knot for f in (functions if law is None else [law]) for knot in _knots(f)}
    return Path(wanted, program, tuple(sorted(knots)))


def line(start: Array, direction: Any, speed: Any) -> Path:
    """The straight path from a point in a direction."""
    try:
        d = np.asarray(direction, dtype=float)
    except (TypeError, ValueError):
        d = np.zeros(0)
    size = float(np.linalg.norm(d[: len(start)])) if d.ndim == 1 else 0.0
    if d.shape not in {(2,), (3,)} or not 0 < size < np.inf:
        raise StructureError(
            f"direction: expected {len(start)} components that are not all zero, got "
            f"{direction!r:.60}"
        )
    if speed is None:
        way = given("programmed_motion", speed="0.2*t")
        raise StructureError(f"direction: give the speed along it as well, such as {way}")
    s = variable("s")
    return path_of([float(p) + s * float(c) for p, c in zip(start, d / size, strict=False)], speed)


def _derivatives(functions: list[Function], name: str, x: Any) -> list[Array]:
    """r, r' and r''."""
    return [
        np.array([value_at(f, name, x, order) for f in functions], dtype=object)
        for order in range(3)
    ]


def _along(r: list[Array], u: Any, law: Function, t: Any) -> tuple[Any, ...]:
    square = r[1] @ r[1]
    size = np.sqrt(square)
    rate = u / size
    change = value_at(law, "t", t, 1) / size - rate * rate * (r[1] @ r[2]) / square
    return r[0], r[1] * rate, r[2] * (rate * rate) + r[1] * change, rate


def _function(what: str, given: Any, kind: str, name: str) -> Function:
    if isinstance(given, Curve):
        return given
    try:
        return expression(given, kind, allow=(name,))
    except ExpressionError as error:
        way = " without a speed" if name == "t" and kind == "length" else ""
        raise StructureError(f"{what} in {name}{way}: {error}") from error


def _constant(f: Function) -> bool:
    return isinstance(f, Expr) and isinstance(f.value, float)


def _knots(f: Function) -> set[float]:
    """Where a curve or a choice in the time goes over to its next piece."""
    if isinstance(f, Curve):
        return {float(x) for x in f.x}
    found = set()
    for node in postorder([f]):
        if node.op in ("less", "less_equal") and {arg.op for arg in node.args} == {
            "constant",
            "variable",
        }:
            found |= {arg.value for arg in node.args if isinstance(arg.value, float)}
    return found
