"""Whole steps of path following as one program each, for systems small enough to compile them.

    advance   prediction, three steps of Newton's method, the rates there and the way back      (1)
    between   a cubic, and two steps of Newton's method                                         (2)

Both tell how large the corrections were; whether that is fair is decided in branch.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..codegen import symbols
from ..expr import constant, maximum
from ..expr.evaluate import substitute_all
from ..expr.node import as_expr
from ..spatial.rotation import Array

Formula = tuple[Array, ...]
"""Results in the symbols q[0], ... and others."""


def at_guess(formula: Formula, guess: Array) -> list[Array]:
    """Results with a guess in place of q."""
    flat = [as_expr(x) for results in formula for x in results]
    places = {f"q[{i}]": as_expr(x) for i, x in enumerate(guess)}
    found, parts = iter(substitute_all(flat, places)), []
    for results in formula:
        part = np.empty(len(results), dtype=object)
        part[:] = [next(found) for _ in results]
        parts.append(part)
    return parts


def largest(values: Array, units: Array) -> Any:
    """The largest of all |values| / units."""
    found: Any = constant(0.0)
    for value, each in zip(values, units, strict=True):
        found = maximum(found, abs(as_expr(value)) / float(each))
    return found


def advance(system: Any, newton: Formula, rates: Formula) -> tuple[Array, ...]:
    """(1): the new q, q', q'', and corrections, gap, way back, moves, speed, pivots as measures."""
    nq = system.tree.nq
    q, rate, bend, h = (symbols(name, nq) for name in ("q", "rate", "bend", "h"))
    first_part, second_part = h[0] * rate, 0.5 * h[0] * h[0] * bend
    new, sizes = system.tree.normalised(q + first_part + second_part), []
    for _ in range(3):
        new, x, residual = at_guess(newton, new)
        sizes.append(largest(x, system.units))
    _, a, new_rate, pivots = at_guess(rates[:4], new)
    secant = (new_rate - rate) / h[0]
    new_bend = np.where(system.own >= 0, a[system.own], secant)
    back = new - h[0] * new_rate + 0.5 * h[0] * h[0] * new_bend - q
    moves = [largest(x, system.q_units) for x in (back, first_part, second_part, new_rate)]
    measures = [sizes[0], sizes[-1], largest(residual, system.size), *moves, *_extremes(pivots)]
    return new, new_rate, new_bend, np.array(measures, dtype=object)


def _extremes(pivots: Array) -> tuple[Any, Any]:
    """The smallest and the largest pivot."""
    low = high = as_expr(pivots[0]) if len(pivots) else constant(1.0)
    for pivot in pivots[1:]:
        low, high = -maximum(-low, -as_expr(pivot)), maximum(high, as_expr(pivot))
    return low, high


def between(system: Any, newton: Formula) -> tuple[Array, ...]:
    """(2): q at u on the cubic with coefficients `cubic`, and the first and last correction."""
    nq = system.tree.nq
    c = symbols("cubic", 4 * nq).reshape(4, nq)
    u = symbols("u", 1)[0]
    q = system.tree.normalised(c[0] + u * (c[1] + u * (c[2] + u * c[3])))
    sizes = []
    for _ in range(2):
        q, x = at_guess(newton[:2], q)
        sizes.append(largest(x, system.units))
    return q, np.array([sizes[0]], dtype=object), np.array([sizes[1]], dtype=object)
