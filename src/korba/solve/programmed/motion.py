"""Programmed motion: a point of an arm follows a path; coordinates, velocities and torques of that.

With the position p(q) of the point and J = dp/dv, prescribed r(t):

    p(q) = r,    J v = rdot,    J a = rddot - Jdot v                                (4.2), (4.3)

Where the arm has freedoms to spare the velocity of least norm is taken, v = J' x with
(J J') x = rdot, and the acceleration is its rate: the part of  Jdot' x  that J does not see is
added to the solution of least norm. Components that no joint can move (height, for an arm that
turns about vertical axes) count as long as the path does not ask for them.

The coordinates are integrated together with the path's parameter and the work of the torques, by
the compiled steps of `kb.simulate` (simulation/first_order.py) from knot to knot of the speed, and
put back on the path by Newton's method, so that they do not drift off. The torques are those of
inverse dynamics.

Source: Maryniak & Malecki, section 4, for an arm of two links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ...codegen import Compiled, Program, compile_program, trace
from ...codegen.program import inlined
from ...door import public
from ...errors import StructureError
from ...kinematics.rates import coordinate_rates
from ...kinematics.velocity import body_pose, jacobian, jacobian_rate
from ...model.drawing import drawing
from ...model.mechanism import Mechanism
from ...model.summary import drives_not_followed, friction_not_used
from ...positions.allowed import parted
from ...positions.rank import TOLERANCE, rank_of
from ...simulation.first_order import FirstOrder
from ...simulation.runs import DONE
from ...spatial.rotation import Array
from ...system.system import System
from ...system.tree import Tree
from ...trajectory.audit import Audit
from ...trajectory.columns import Column, columns_of, units_of
from ...trajectory.trajectory import Trajectory
from ...verbs.dynamics import inverse_dynamics
from ...verbs.options import located
from ...verbs.states import coordinates, drawn_coordinates, increasing_times
from ...verbs.systems import tree_system
from ...verbs.verb import verb
from .path import Path, line, path_of

CLOSE = 1e-9
"""Largest distance from the path, in metres (of an arm of metres), that counts as on it."""
RTOL, ATOL = 1e-12, 1e-13
"""Of the integration: rad and metres."""


@dataclass(frozen=True, eq=False)
class Arm:
    """An arm, one of its points and a path."""

    m: Mechanism
    tree: Tree
    at: Compiled
    """(q, v) -> p, J, Jdot of the point, and qdot."""
    point: Program
    """The same, written out."""
    path: Path
    moving: Array
    """1 for every independent velocity that may be used, 0 for the others."""
    rank: int
    """How many of the prescribed components the joints can move."""

    def rates(self, q: Array, s: float, t: float) -> tuple[Array, Array]:
        """Velocity of least norm that follows the path, and its rate."""
        _, rd, rdd, _ = self.wanted(s, t)
        J, inverse = self._inverse(q, t)
        v, a, _ = led((J, inverse), (rd, rdd), lambda v: self.at(q, v), self)
        if np.abs(J @ v - rd).max() > 1e-6 * max(1.0, float(np.abs(rd).max())):
            raise self.stuck(t, q, "the point cannot move along the path")
        return v, a

    def wanted(self, s: float, t: float) -> tuple[Array, Array, Array, Array]:
        """r, rdot and rddot of the prescribed components, and sdot."""
        found = self.path.at(np.array([s]), np.array([t]), check_finite=False)
        if not all(np.all(np.isfinite(part)) for part in found):
            raise StructureError(
                f"path: it is not finite at t = {t:.6g} s (s = {s:.6g}); change the expressions "
                "or the times"
            )
        return found

    def on_path(self, q: Array, s: float, t: float) -> Array:
        """q moved onto the path by Newton's method."""
        wanted = self.wanted(s, t)[0]
        best, least = q, np.inf
        for _ in range(30):
            gap = wanted - self.position(q)[self.rows]
            size = float(np.linalg.norm(gap))
            if size >= least:
                break
            best, least = q, size
            q = moved(self.tree, self.at, q, self._inverse(q, t)[1] @ gap)
        if least > CLOSE * max(1.0, float(np.abs(wanted).max())):
            raise self.stuck(t, best, f"the point stays {least:.2g} m away from the path")
        return best

    def position(self, q: Array) -> Array:
        """The point in the world."""
        return self.at(q, np.zeros(self.tree.nv))[0]

    def path_error(self, q: Array, s: float, t: float) -> float:
        """Distance of the point from where it is to be."""
        return float(np.linalg.norm(self.wanted(s, t)[0] - self.position(q)[self.rows]))

    def stuck(self, t: float, q: Array, why: str) -> StructureError:
        """The error that says when and where the motion cannot go on."""
        pairs = zip(self.m.coordinates, q, strict=True)
        position = ", ".join(f"{name} = {value:.6g}" for name, value in pairs)
        return StructureError(
            f"programmed motion of {self.m.name!r}: {why} at t = {t:.6g} s ({position}); "
            "change the path, the start or the time before it"
        )

    @property
    def rows(self) -> list[int]:
        """The components that are prescribed."""
        return list(self.path.components)

    def _inverse(self, q: Array, t: float) -> tuple[Array, Array]:
        """J of the prescribed components, and its inverse of least norm."""
        J = self.at(q, np.zeros(self.tree.nv))[1][self.rows] * self.moving
        own = parted(J, np.ones(self.tree.nv), 1.0, rank=self.rank)
        if not own.regular:
            raise self.stuck(t, q, "the arm is in a singular position")
        return J, own.inverse


def arm_on_path(m: Mechanism, where: Mapping[str, Any], path: Path, moving: Array) -> Arm:
    """The arm, with the rank that J has where no position is special."""
    tree, at = tree_system(m).tree, point_on_path.compiled(m, **where)
    rest = drawn_coordinates(tree)
    rng = np.random.default_rng(5)
    rank = 0
    for _ in range(3):
        step = rng.uniform(-0.5, 0.5, size=tree.nv)
        near = moved(tree, at, rest, step)
        J = at(near, np.zeros(tree.nv))[1][list(path.components)] * moving
        if np.abs(J).max(initial=0.0) > TOLERANCE * drawing(m).scale:
            rank = max(rank, rank_of(J).rank)
    if rank == 0:
        raise StructureError(
            f"programmed motion of {m.name!r}: no joint that may move moves the point; name "
            "another body, or leave joints out of `held`"
        )
    return Arm(m, tree, at, point_on_path.program(m, **where), path, moving, rank)


def moved(tree: Tree, at: Compiled, q: Array, step: Array) -> Array:
    """q after a small motion; quaternions stay unit."""
    return tree.normalised(q + at(q, step)[3])


@verb()
def point_on_path(
    system: System, q: Any, v: Any, body: str, point: Any
) -> tuple[Array, Array, Array, Array]:
    """p, J, Jdot of a point of a body, and qdot."""
    J, Jdot = jacobian(system.tree, q, body, point), jacobian_rate(system.tree, q, v, body, point)
    p = body_pose(system.tree, q, body).point(np.array(point))
    return p, J[3:], Jdot[3:], coordinate_rates(system.tree, q, v)


@public
def programmed_motion(
    m: Mechanism,
    times: Any,
    *,
    body: str,
    point: Any = (0.0, 0.0, 0.0),
    path: Any = None,
    direction: Any = None,
    speed: Any = None,
    q: Any = None,
    held: Iterable[str] = (),
    formulation: str | None = None,
) -> Trajectory:
    """The motion of an open chain in which a point of a body follows a path, and its torques.

    `path` holds the components of the point in the world, None for one that is free: expressions
    or curves in `s` with the `speed` along the path in `t`, or in `t` alone. Instead, `direction`
    gives a straight path from where the point starts. `q` are the coordinates at times[0], an
    array or values by name; without it the drawing position. `held` joints do not move. Of many
    motions the one with the least velocity (root of the sum of squares, in SI) is taken. Columns:
    `tau_<joint>`, the `power` of all of them and its integral `work`, and `path_error`, the
    distance of the point from where it is to be.

    >>> hand = {"body": "forearm", "point": (0.3, 0, 0), "q": [0, 1, -1.5]}
    >>> u = kb.speed_profile("0.1 m/s", rise=0.1, cruise=0.6)
    >>> t = np.linspace(0, 0.8, 9)
    >>> moved = kb.programmed_motion(arm, t, **hand, direction=(0, 0, 1), speed=u)
    >>> round(float(moved["path_error"].max()), 9)
    0.0
    """
    t = increasing_times(times, 2)
    if (path is None) == (direction is None):
        raise StructureError("give either path or direction: where the point is to go")
    tree = tree_system(m).tree
    body, place = located(m, body, point)
    m.body(body)
    q = coordinates(tree, q, "q")
    if direction is not None:
        here = np.asarray(body_pose(tree, q, body).point(place), dtype=float)
        follow = line(here[:2] if m.plane else here, direction, speed)
    else:
        follow = path_of(path, speed)
    arm = arm_on_path(m, {"body": body, "point": place}, follow, _moving(tree, held))
    return _motion(arm, t, q, formulation)


def _motion(arm: Arm, t: Array, q: Array, formulation: str | None) -> Trajectory:
    """The whole motion."""
    states = _integrated(arm, t, arm.on_path(q, 0.0, t[0]), formulation)
    s, work = states[:, 0], states[:, -1]
    q = np.array([arm.on_path(*one) for one in zip(states[:, 1:-1], s, t, strict=True)])
    on_path = list(zip(q, s, t, strict=True))
    rates = [arm.rates(*one) for one in on_path]
    v, a = (np.array(part) for part in zip(*rates, strict=True))
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
    """Joints that were held, freedoms to spare, friction."""
    names = [arm.tree.velocities[i] for i in arm.tree.free_v]
    still = [f"{name} is held" for name, used in zip(names, arm.moving, strict=True) if not used]
    spare = int(arm.moving.sum()) - arm.rank
    some = [f"{spare} freedoms to spare: of all motions the one of least velocity"] if spare else []
    return (*still, *some, *drives_not_followed(arm.m, "the path"), *friction_not_used(arm.m))


def _integrated(arm: Arm, t: Array, q: Array, formulation: str | None) -> Array:
    """(s, q, work) at the times, from knot to knot of the speed."""
    problem = _first_order(arm, formulation)
    y = np.array([0.0, *q, 0.0])
    found = [y]
    ends = [t[0], *(knot for knot in arm.path.knots if t[0] < knot < t[-1]), t[-1]]
    for begin, end in pairwise(ends):
        arm.rates(y[1:-1], y[0], begin)  # or an error that says why not
        wanted = t[(t > begin) & (t <= end)]
        run = problem.followed(y, np.unique([begin, *wanted, end]), rtol=RTOL, atol=ATOL)
        rows, now = run.written, float(run.end.t[0])
        if run.end.status[0] != DONE:
            last = rows[-1, 1:]
            arm.wanted(last[0], now)
            raise arm.stuck(now, last[1:-1], "the arm comes to a singular position there")
        found += [row[1:] for row in rows if row[0] in wanted]
        y = rows[-1, 1:].copy()
        y[1:-1] = arm.on_path(y[1:-1], y[0], end)
    return np.array(found)


def _first_order(arm: Arm, formulation: str | None) -> FirstOrder:
    """Rates of (s, q, work), with the velocity of least norm that follows the path."""
    size, nv = arm.tree.nq + 2, arm.tree.nv
    sizes = {"y": size, "t": 1, "tau": 0, "base": 0}
    moments = inverse_dynamics.program(arm.m, formulation=formulation)
    point, path = arm.point, arm.path.program

    def slope(y: Array, t: Array, *_: Array) -> Array:
        q = y[1:-1]
        _, rd, rdd, sdot = inlined(path, s=y[:1], t=t)
        J = inlined(point, q=q, v=np.zeros(nv))[1][arm.rows] * arm.moving
        matrices = J, least_inverse(J, arm.rank)
        v, a, qdot = led(matrices, (rd, rdd), lambda v: inlined(point, q=q, v=v), arm)
        (tau,) = inlined(moments, q=q, v=v, a=a, t=t)
        return np.array([sdot.item(), *qdot, tau @ v], dtype=object)

    return FirstOrder(
        f"programmed motion of {arm.m.name or 'the mechanism'}",
        size,
        lambda: {"slope": trace(slope, sizes)},
        lambda recorded: compile_program(recorded()),
    )


def led(
    matrices: tuple[Array, Array],
    wanted: tuple[Array, Array],
    moving: Callable[[Array], tuple[Any, ...]],
    arm: Arm,
) -> tuple[Array, Array, Array]:
    """v of least norm, its rate, and the rates of q, for numbers and for symbols alike.

    `matrices` are J and its inverse, `wanted` rdot and rddot, `moving` gives Jdot and qdot of v.
    """
    (J, inverse), (rd, rdd) = matrices, wanted
    v = inverse @ rd
    _, _, Jdot, qdot = moving(v)
    Jdot = Jdot[arm.rows] * arm.moving
    turn = Jdot.T @ (inverse.T @ v)
    return v, inverse @ (rdd - Jdot @ v) + turn - inverse @ (J @ turn), qdot


def least_inverse(J: Array, rank: int) -> Array:
    """The inverse of least norm of a matrix of a known rank, for symbols.

    With B = J J' and the coefficients c_i of its characteristic polynomial,

        M_1 = 1,   c_i = -tr(B M_i) / i,   M_(i+1) = B M_i + c_i,   J^+ = -J' M_r / c_r

    Source: Decell (1965), An application of the Cayley-Hamilton theorem to generalized matrix
    inversion, SIAM Review 7, pages 526 to 528.
    """
    B, one = J @ J.T, np.eye(len(J))
    M, c = one, 0.0
    for i in range(1, rank + 1):
        M = M if i == 1 else B @ M + c * one
        c = -np.trace(B @ M) / i
    return np.asarray(-(J.T @ M) / c)


def _moving(tree: Tree, held: Iterable[str]) -> Array:
    """1 for every independent velocity that may be used, 0 for those of held joints."""
    names = [tree.velocities[i] for i in tree.free_v]
    still = {held} if isinstance(held, str) else set(held)
    if unknown := sorted(still - set(names)):
        raise StructureError(f"held: {unknown[0]!r} is none of {', '.join(names)}")
    return np.array([0.0 if name in still else 1.0 for name in names])
