"""Loads that jump where a velocity changes its sign, such as a brake with the law -2*sign(v).

Such forces Q have two values at v_k = 0, one for each way of the velocity,

    Q(way) = Q_0 + way D,    Q_0 = (Q(+1) + Q(-1))/2,    D = (Q(+1) - Q(-1))/2                 (1)

so at rest they are an interval, as dry friction is: Q_0 counts as a force, D as what rubs against
the way of the slip, which is a switch (sticking.py). Where the other forces lie inside the interval
the velocity sticks; where D drives it ahead, nothing holds. What asks for the sign of v_k, by
`sign(c v)` or a comparison of c v with 0, in joints or on bodies, jumps together: all of it is s D
with one s between -1 and 1 while v_k sticks. It counts where some of it acts on v_k itself; jumps
of two velocities in one force count where they add up.
Source: Filippov (1988), Differential Equations with Discontinuous Righthand Sides, section 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from ..expr import Expr, constant, less_equal, where
from ..expr.differentiate import derivative, jacobian_rows
from ..expr.evaluate import evaluate, replaced, substitute, substitute_all, variables
from ..expr.node import as_expr, postorder
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from .arguments import Laws

JUMPS = ("sign", "less", "less_equal")
"""Operations that jump."""


def smoothed(forces: Iterable[tuple[Any, Any]], state: tuple[Array, Array]) -> tuple[Array, Array]:
    """Q_0 - Q of (1), which makes forces smooth, and in columns D of each velocity, at (q, v).

    `forces` are forces and the speeds that they act along, in symbols _q and _v.
    """
    q, v = state
    n, names = len(v), [f"_v[{k}]" for k in range(len(v))]
    smoother: Array = np.full(n, constant(0.0))
    D: Array = np.full((n, n), constant(0.0))
    changes: list[tuple[int, Array]] = []
    for force, speed in forces:
        for k, change, size in _parted(as_expr(force), names):
            ratios = np.array(jacobian_rows([as_expr(speed)], names)[0], dtype=object)
            changes.append((k, ratios * change))
            D[:, k] += ratios * size
    rests = [substitute(as_expr(D[k, k]), {names[k]: 0.0}).value != 0.0 for k in range(n)]
    D[:, [k for k in range(n) if not rests[k]]] = constant(0.0)
    for k, added in changes:
        if rests[k]:
            smoother += added
    values = {f"_q[{i}]": as_expr(x) for i, x in enumerate(q)}
    values |= {f"_v[{i}]": as_expr(x) for i, x in enumerate(v)}
    flat = substitute_all([as_expr(x) for x in (*smoother, *D.ravel())], values)
    found: Array = np.array(flat, dtype=object)
    return found[:n], found[n:].reshape(n, n)


def columns(D: Array, places: Sequence[int]) -> Array:
    """Forces on all velocities, in columns, for a unit of what jumps on each of some places."""
    units = np.eye(len(D), dtype=object)[:, places]
    for r, k in enumerate(places):
        for j in range(len(D)):
            if j != k and as_expr(D[j, k]).value != 0.0:
                none = less_equal(abs(D[k, k]), 0.0)
                units[j, r] = where(none, constant(0.0), D[j, k] / where(none, 1.0, D[k, k]))
    return units


def loads_that_jump(m: Mechanism, names: Sequence[str], laws: Laws) -> list[str]:
    """What jumps: loads of a mechanism, and laws of given forces on velocities of those names."""
    loads = [f"load {force.name!r}" for force in m.forces if any(map(_jumps, _own(force)))]
    return loads + [f"tau of {names[k]!r}" for k, law in laws if _jumps(law)]


def _own(force: Any) -> Iterator[Any]:
    """The expressions of a load."""
    for each in fields(force):
        yield from np.ravel(np.array(getattr(force, each.name), dtype=object))


def _jumps(law: Any) -> bool:
    return isinstance(law, Expr) and any(node.op in JUMPS for node in postorder([law]))


def _parted(force: Expr, names: Sequence[str]) -> Iterator[tuple[int, Expr, Expr]]:
    """Of a force: places of the velocities whose signs it asks for, its parts of Q_0 - Q and D."""
    nodes = [node for node in postorder([force]) if node.op in JUMPS]
    rates = {k: {node: _rate(node, name) for node in nodes} for k, name in enumerate(names)}
    own = {k: {node: c for node, c in each.items() if c} for k, each in rates.items()}
    own = {k: each for k, each in own.items() if each}
    for k, each in own.items():
        others = {node: c for i in own if i != k for node, c in own[i].items()}
        sizes = [_two_sided(_at(force, others, way), each)[0] for way in (1.0, -1.0)]
        if not others or _alike(*sizes):
            yield k, _two_sided(force, each)[1], sizes[0]


def _at(force: Expr, nodes: Mapping[Expr, float], way: float) -> Expr:
    """The force where jumps are at one side."""
    return replaced([force], {node: _side(node, way * c) for node, c in nodes.items()})[0]


def _two_sided(force: Expr, nodes: Mapping[Expr, float]) -> tuple[Expr, Expr]:
    """D of a force at some jumps, and Q_0 - Q."""
    ahead, back = (_at(force, nodes, way) for way in (1.0, -1.0))
    return 0.5 * (ahead - back), 0.5 * (ahead + back) - force


def _alike(one: Expr, other: Expr) -> bool:
    """Whether two expressions are one, at random values of what they depend on."""
    names = sorted(variables(one) | variables(other))
    values = dict(
        zip(names, np.random.default_rng(7).uniform(0.3, 1.7, (len(names), 8)), strict=True)
    )
    a, b = np.moveaxis(evaluate([one, other], values), -1, 0)
    return bool(np.allclose(a, b, rtol=1e-9, atol=1e-12))


def _apart(node: Expr) -> Expr:
    """What changes its sign at a jump."""
    return node.args[0] if node.op == "sign" else node.args[0] - node.args[1]


def _rate(node: Expr, name: str) -> float:
    """c where a jump asks for the sign of c v, with c a number; else 0."""
    apart = _apart(node)
    if name not in variables(apart):
        return 0.0
    c = derivative(apart, name)
    if substitute(apart, {name: 0.0}).value != 0.0 or not isinstance(c.value, float):
        return 0.0
    return c.value


def _side(node: Expr, c: float) -> Expr:
    """The value of a jump beside v = 0, at the side where c v has the sign of c."""
    if node.op == "sign":
        return constant(float(np.sign(c)))
    return constant(float(c < 0))
