"""Programmed motion: a point follows a path; the coordinates, velocities and torques of that.

The coordinates are integrated together with the path's parameter and the work of the torques
(Dormand & Prince, order 8, from knot to knot of the speed) and put back on the path by Newton's
method, so that they do not drift off; `follow.py` has the equations. The torques are those of
inverse dynamics. Source: Maryniak & Malecki, section 4.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from ...errors import StructureError
from ...kinematics.velocity import body_pose
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array
from ...system.tree import Tree
from ...trajectory.audit import Audit
from ...trajectory.columns import Column, columns_of, units_of
from ...trajectory.notes import friction_not_used
from ...trajectory.trajectory import Trajectory
from ...verbs.dynamics import inverse_dynamics
from ...verbs.states import coordinates, vector
from ...verbs.systems import tree_system
from .follow import Arm, arm_on_path, point_on_path
from .path import line, path_of


def programmed_motion(
    m: Mechanism,
    times: Any,
    *,
    body: str,
    point: Any = (0.0, 0.0, 0.0),
    path: Any = None,
    direction: Any = None,
    speed: Any = None,
    start: Any = None,
    fixed: Iterable[str] = (),
    formulation: str | None = None,
) -> Trajectory:
    """The motion of an open chain in which a point of a body follows a path, and its torques.

    `path` holds the components of the point in the world, None for one that is free: expressions
    or curves in `s` with the `speed` along the path in `t`, or in `t` alone. Instead, `direction`
    gives a straight path from where the point starts. `start` are the coordinates at times[0], an
    array or values by name; without it the drawing position. `fixed` joints do not move. Of many
    motions the one with the least velocity (root of the sum of squares, in SI) is taken. Columns:
    `tau_<joint>`, the `power` of all of them and its integral `work`, and `path_error`, the
    distance of the point from where it is to be.

    >>> u = kb.speed_profile("1 m/s", rise=0.1, cruise=0.6)                   # doctest: +SKIP
    >>> kb.programmed_motion(arm, t, body="hand", direction=(-1, 0, 0), speed=u, start=q0)
    """
    t = _times(times)
    m.body(body)
    if (path is None) == (direction is None):
        raise StructureError("give either path or direction: where the point is to go")
    tree = tree_system(m).tree
    place = _point(point)
    q = coordinates(tree, start, "start")
    if direction is not None:
        here = np.asarray(body_pose(tree, q, body).point(place), dtype=float)
        follow = line(here[:2] if m.plane else here, direction, speed)
    else:
        follow = path_of(path, speed)
    at = point_on_path.compiled(m, body=body, point=place)
    arm = arm_on_path(tree, m, at, follow, _moving(tree, fixed))
    return _motion(arm, t, q, formulation)


def _motion(arm: Arm, t: Array, q: Array, formulation: str | None) -> Trajectory:
    """The whole motion."""
    states = _integrated(arm, t, arm.on_path(q, 0.0, t[0]), formulation)
    s, work = states[:, 0], states[:, -1]
    q = np.array([arm.on_path(*one) for one in zip(states[:, 1:-1], s, t, strict=True)])
    on_path = list(zip(q, s, t, strict=True))
    rates = [arm.rates(*one) for one in on_path]
    v, a = np.array([one.v for one in rates]), np.array([one.a for one in rates])
    tau = inverse_dynamics(arm.m, q, v, a, t=t, formulation=formulation)
    away = np.array([arm.path_error(*one) for one in on_path])
    names = [f"tau_{name}" for name in arm.m.velocities]
    return Trajectory(
        arm.m,
        t,
        q,
        v,
        a,
        extra={
            **columns_of(names, tau, units_of(arm.tree, "tau")),
            "power": Column(np.sum(tau * v, axis=-1), "W"),
            "work": Column(work, "J"),
            "path_error": Column(away, "m"),
        },
        method="programmed",
        remarks=_assumed(arm),
        audit=Audit(path=float(away.max())),
    )


def _assumed(arm: Arm) -> tuple[str, ...]:
    """Joints that were fixed, freedoms to spare, friction."""
    names = [arm.tree.velocities[i] for i in arm.tree.free_v]
    fixed = [f"{name} is fixed" for name, used in zip(names, arm.moving, strict=True) if not used]
    spare = int(arm.moving.sum()) - arm.rank
    some = [f"{spare} freedoms to spare: of all motions the one of least velocity"] if spare else []
    return (*fixed, *some, *friction_not_used(arm.m))


def _integrated(arm: Arm, t: Array, q: Array, formulation: str | None) -> Array:
    """(s, q, work) at the times, from knot to knot of the speed."""
    from scipy.integrate import solve_ivp

    def change(time: float, y: Array) -> Array:
        q = y[1:-1]
        v, a, qdot, sdot = arm.rates(q, y[0], time)
        power = inverse_dynamics(arm.m, q, v, a, t=time, formulation=formulation) @ v
        return np.array([sdot, *qdot, power])

    y = np.array([0.0, *q, 0.0])
    found = [y]
    ends = [t[0], *(knot for knot in arm.path.knots if t[0] < knot < t[-1]), t[-1]]
    for begin, end in pairwise(ends):
        wanted = t[(t > begin) & (t <= end)]
        run = solve_ivp(
            change,
            (begin, end),
            y,
            method="DOP853",
            t_eval=np.unique([*wanted, end]),
            rtol=1e-12,
            atol=1e-13,
        )
        if not run.success:
            time, last = (run.t[-1], run.y[1:-1, -1]) if len(run.t) else (begin, y[1:-1])
            raise arm.stuck(time, last, "the arm comes to a singular position soon after it was")
        found += [run.y[:, i] for i in range(len(wanted))]
        y = run.y[:, -1].copy()
        y[1:-1] = arm.on_path(y[1:-1], y[0], end)
    return np.array(found)


def _point(point: Any) -> tuple[float, ...]:
    """Three components of a point of the body; a planar one has z = 0."""
    size = 2 if np.shape(point) == (2,) else 3
    return (*vector("point", point, size).tolist(), 0.0)[:3]


def _times(times: Any) -> Array:
    try:
        t = np.asarray(times, dtype=float)
    except (TypeError, ValueError):
        t = np.zeros(0)
    if t.ndim != 1 or len(t) < 2 or not np.all(np.isfinite(t)) or np.any(np.diff(t) <= 0):
        raise StructureError(
            f"times: expected two or more finite numbers that increase, got {times!r:.60}"
        )
    return t


def _moving(tree: Tree, fixed: Iterable[str]) -> Array:
    """1 for every independent velocity that may be used, 0 for those of fixed joints."""
    names = [tree.velocities[i] for i in tree.free_v]
    held = {fixed} if isinstance(fixed, str) else set(fixed)
    if unknown := sorted(held - set(names)):
        raise StructureError(f"fixed: {unknown[0]!r} is none of {', '.join(names)}")
    return np.array([0.0 if name in held else 1.0 for name in names])
