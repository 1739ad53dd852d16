"""Where power comes from and goes to in a motion of a mechanism that drives lead.

    power of drives + weight + loads  =  rate of kinetic energy + dampers + friction         (1)

Everything here follows from the motion and the loads alone; efforts of drives and of friction come
from the equations of all bodies (kinetostatics.py), so (1) is a check of them. A drive that
prescribes c(q) = f(t) works at the rate c_q v. A freedom that is idle turns ever faster or slower
as forces say: its power is its acceleration, which is one more unknown, times the rates here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..dynamics.kinetostatics import Equations
from ..dynamics.newton_euler import outward
from ..dynamics.recursions import link_values
from ..kinematics.couplings import AllMotion
from ..kinematics.sweep import swept
from ..kinematics.velocity import link_twists
from ..spatial.pose import in_axes
from ..spatial.rotation import Array, cross
from ..system.system import Loads, System
from .loads import loads_by_name, power


class Rates(NamedTuple):
    """Rates of drives, powers of what acts, and what changes the kinetic energy."""

    drives: Array
    """For a unit of the effort of each freedom that is held, and of each prescribed motion."""
    idle: Array
    """For a unit of the acceleration of each idle freedom."""
    loads: Array
    """Of each force by its own name, then of wrenches from outside, then of the weight."""
    damping: Array
    """Power that each joint's damper takes."""
    kinetic: Array
    """Rate of the kinetic energy, without that of idle freedoms."""


def rates(
    system: System, equations: Equations, x: AllMotion, t: Any, external: Mapping[str, Any]
) -> Rates:
    """All that (1) takes besides efforts and accelerations that are to be found."""
    tree, at = system.tree, equations.at
    twists = link_twists(tree, x.q, x.v)
    world = [in_axes(X.R, V) for X, V in zip(at.X_WL, twists, strict=True)]
    u = np.concatenate([*(V[list(at.space)] for V in world), x.v])
    count = len(system.drives) + len(equations.freedoms.held)
    drives = equations.rows[len(equations.rows) - count :]
    moved = [sum((J * u[i] for i, J in row.J.items()), start=0.0 * row.residual) for row in drives]
    first = equations.columns - equations.idle
    idle = [
        -sum((u[i] * line[k] for i, line in enumerate(equations.A[: at.first]) if k in line), 0.0)
        for k in range(first, equations.columns)
    ]
    outside: Any = 0.0
    for body, wrench in external.items():
        if (i := tree.number(system.m.body(body).name)) >= 0:
            w, p = world[i][:3], at.X_WL[i].p
            outside = outside + wrench[:3] @ w + wrench[3:] @ (world[i][3:] - cross(w, p))
    kinetic = _taken(system, x, twists, np.zeros(3))
    weight = kinetic - _taken(system, x, twists, system.gravity)
    damping = [
        sum((tie.joint.damping * v * v for v in x.v[tie.v]), start=0.0) for tie in equations.ties
    ]
    each = loads_by_name(tree, x.q, x.v, t).values()
    loads = [*(power(tree, load, x.q, x.v) for load in each), outside, weight]
    return Rates(
        np.concatenate([np.zeros(0), *moved]),
        np.array(idle, dtype=object),
        np.array(loads, dtype=object),
        np.array(damping, dtype=object),
        np.array([kinetic], dtype=object),
    )


def _taken(system: System, x: AllMotion, twists: list[Array], gravity: Array) -> Any:
    """Power that the motion of all links takes, less that of their weight."""
    nothing = Loads(np.zeros(len(x.v)), {})
    given = link_values(system.tree, {"q": x.q, "v": x.v, "a": x.a}, nothing)
    own = swept(system.tree, [outward(gravity)], given)
    return sum((values["F"] @ V for values, V in zip(own, twists, strict=True)), start=0.0)
