"""Loads that jump where a velocity changes its sign, such as a brake with the law -2*sign(v).

A force Q on the velocity v that it acts on has two values at v = 0, one for each way,

    Q(way) = Q_0 + way D,    Q_0 = (Q(+1) + Q(-1))/2,    D = (Q(+1) - Q(-1))/2                 (1)

so at rest it is an interval, as dry friction is: Q_0 counts as a force, D as what rubs against the
way of the slip, which is a switch (sticking.py). Where the other forces lie inside the interval the
velocity sticks; where D drives it ahead, nothing holds. A jump counts where a load on a velocity
asks for the sign of this velocity: `sign(c v)`, or a comparison of c v with 0. What acts on a joint
that a coupling moves counts by the ratio of the coupling.
Source: Filippov (1988), Differential Equations with Discontinuous Righthand Sides, section 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from ..expr import Expr, constant
from ..expr.differentiate import derivative
from ..expr.evaluate import replaced, substitute, substitute_all, variables
from ..expr.node import as_expr, postorder
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from .arguments import Laws

JUMPS = ("sign", "less", "less_equal")
"""Operations that jump."""


def smoothed(forces: Iterable[tuple[Any, Any]], state: tuple[Array, Array]) -> tuple[Array, Array]:
    """Q_0 - Q of (1), which makes loads smooth, and D, on all velocities, at (q, v).

    `forces` are forces and the speeds that they act along, in symbols _q and _v.
    """
    q, v = state
    found = [constant(0.0)] * (2 * len(v))
    for force, speed in forces:
        for k, change, size in _parted(as_expr(force), as_expr(speed), len(v)):
            found[k], found[len(v) + k] = found[k] + change, found[len(v) + k] + size
    values = {f"_q[{i}]": as_expr(x) for i, x in enumerate(q)}
    values |= {f"_v[{i}]": as_expr(x) for i, x in enumerate(v)}
    flat: Array = np.array(substitute_all(found, values), dtype=object)
    return flat[: len(v)], flat[len(v) :]


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


def _parted(force: Expr, speed: Expr, count: int) -> Iterator[tuple[int, Expr, Expr]]:
    """Of a force along a speed: the place of the velocity, and its shares in Q_0 - Q and D."""
    places = {f"_v[{k}]": k for k in range(count)}
    names = variables(speed) & places.keys()
    if len(names) != 1:
        return
    (name,) = names
    rates = {node: _rate(node, name) for node in postorder([force]) if node.op in JUMPS}
    if not any(rates.values()):
        return
    ahead, back = (
        replaced([force], {node: _side(node, way * c) for node, c in rates.items() if c})[0]
        for way in (1.0, -1.0)
    )
    size = 0.5 * (ahead - back)
    if substitute(size, {name: 0.0}).value == 0.0:  # no jump: it only bends there
        return
    ratio = derivative(speed, name)
    yield places[name], ratio * (0.5 * (ahead + back) - force), ratio * size


def _apart(node: Expr) -> Expr:
    """What changes its sign at a jump."""
    return node.args[0] if node.op == "sign" else node.args[0] - node.args[1]


def _rate(node: Expr, name: str) -> float:
    """c where a jump asks for the sign of c v, with c a number; else 0."""
    apart = _apart(node)
    c = derivative(apart, name)
    if substitute(apart, {name: 0.0}).value != 0.0 or not isinstance(c.value, float):
        return 0.0
    return c.value


def _side(node: Expr, c: float) -> Expr:
    """The value of a jump beside v = 0, at the side where c v has the sign of c."""
    if node.op == "sign":
        return constant(float(np.sign(c)))
    return constant(float(c < 0))
