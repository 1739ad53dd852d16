"""The verb `inverse_kinematics`: coordinates that bring a body where it should be.

Open chains and closed mechanisms alike, with any joints; redundant ones go to the solution nearest
to where they start. A path of targets is followed target by target, so solutions stay on one
branch; targets that have nothing to do with each other are solved at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..door import public, real_array
from ..errors import ReachError, StructureError, refuse_unknown
from ..model.mechanism import Mechanism
from ..positions.closed import half_turned
from ..positions.loop_system import LoopSystem, loop_system
from ..positions.rank import rank_of
from ..spatial.rotation import Array, rotation_of_quaternion, rotation_z
from ..system.store import kept
from ..system.tree import places_of
from ..trajectory.places import Placed
from ..verbs.options import Place, located
from ..verbs.states import coordinates
from .configuration import Configuration, drawn_closed
from .reach import REACHED, ReachTask, nearest, solved


@dataclass(frozen=True, eq=False)
class InverseKinematics(Placed):
    """Coordinates of a mechanism that reach targets. `reached["B"]` is one, by name."""

    names: tuple[str, ...]
    q: Array
    """Coordinates, shape (nq,), or (targets, nq) for several targets."""
    error: float
    """Largest rest, in typical lengths and radians."""

    m: Mechanism
    """The mechanism, rotors and elastic joints written out."""


@public
def inverse_kinematics(
    m: Mechanism,
    body: str,
    position: Any = None,
    orientation: Any = None,
    *,
    point: Any = (0.0, 0.0, 0.0),
    q: Any = None,
    held: Iterable[str] = (),
    follow: bool = True,
    starts: int = 32,
) -> InverseKinematics:
    """Coordinates that bring a point of a body to a position and the body to an orientation.

    The point is "hand.P", or a body with the name of a point or a place in its frame.
    `position` has three components (two in a plane), None where any value will do; `orientation`
    is a 3 x 3 matrix or a quaternion, in a plane an angle. Arrays with a further axis in front
    are several targets: a path, each starting from the solution before, or with `follow=False`
    apart from each other, all from `q` (the drawing by default; an array, values by name, the name
    of a pose). Coordinates in `held` keep their value; the name of a joint holds all of its
    coordinates, as of a floating base. Joints keep their limits. Of many solutions it is the one
    nearest to the start. If that start leads nowhere, `starts` others are tried for the first
    target of a path and for targets apart. A `ReachError` says what is missing.
    """
    body, place = located(m, body, point)
    target, single = _target(m, body, position, orientation)
    task = _task(m, body, (position, orientation), place, tuple(held))
    begin = _start(task.system, q, max(len(target), 1))
    if not len(target):
        return InverseKinematics(task.system.names, begin[:0], 0.0, task.system.m)
    if follow and not single and np.ndim(q) < 2:
        found = _along_path(task, target, begin[0], starts)
    else:
        found = _apart(task, target, begin, starts)
    error = float(np.max(np.abs(task.errors(found, target)[0]), initial=0.0))
    return InverseKinematics(task.system.names, found[0] if single else found, error, task.system.m)


def _along_path(task: ReachTask, target: Array, q: Array, starts: int) -> Array:
    """Solutions of target after target, each near the one before."""
    found = np.empty((len(target), len(q)))
    for k in range(len(found)):
        q = _apart(task, target[k : k + 1], q[None], starts if k == 0 else 0, k)[0]
        found[k] = q
    return found


def _apart(
    task: ReachTask, target: Array, begin: Array, starts: int, number: int | None = None
) -> Array:
    """Solutions of targets at once, each near its start."""
    q, rest = solved(task, target, begin.copy())
    for k in np.flatnonzero(rest > REACHED).tolist():
        ends = begin[k], q[k]
        q[k] = _from_elsewhere(task, target[k], ends, starts, k if number is None else number)
    return nearest(task, target, q, begin) if _redundant(task, target, q) else q


def _redundant(task: ReachTask, target: Array, q: Array) -> bool:
    """Whether a solution leaves freedoms."""
    J = task.errors(q[:1], target[:1])[1][0]
    return bool(rank_of(J).rank < task.free.sum())


def _from_elsewhere(
    task: ReachTask, target: Array, begin: tuple[Array, Array], starts: int, number: int
) -> Array:
    """The nearest solution found from random starts; an error if there is none."""
    wish, failed = begin
    if starts:
        many = np.repeat(target[None], starts, axis=0)
        q, rest = solved(task, many, _random(task, wish, starts))
        reached, tree = np.flatnonzero(rest < REACHED), task.system.tree
        good = [k for k in reached.tolist() if not half_turned(tree, q[k])]
        if good:
            far = np.abs(q[good] - wish) / task.system.q_units
            return np.asarray(q[good[np.argmin(far.max(axis=1))]])
        failed = min([failed, *q], key=lambda each: sum(task.missing(each, target)))
    distance, angle = task.missing(failed, target)
    parts = [f"{distance:.6g} m"] if task.axes else []
    parts += [f"{angle:.6g} rad"] if task.turns else []
    place = ", ".join("any" if np.isnan(x) else f"{x:.6g}" for x in target[0])
    raise ReachError(
        f"body {task.body!r} of {task.system.m.name!r} does not reach target {number} "
        f"({place}): {' and '.join(parts)} are missing where it comes nearest"
        + (f", from {starts + 1} starts" if starts else ", near the target before"),
        distance=distance,
        angle=angle,
        q=failed,
    )


def _random(task: ReachTask, wish: Array, starts: int) -> Array:
    """Positions between the limits, or up to half a turn or two typical lengths away."""
    rng = np.random.default_rng(0)
    low, high = task.bounds
    reach = np.where(task.system.q_units == 1.0, np.pi, 2 * task.system.scale)
    low, high = np.maximum(low, wish - reach), np.minimum(high, wish + reach)
    q = rng.uniform(low, np.maximum(low, high), size=(starts, len(wish)))
    still = _still(task)
    q[:, still] = wish[still]
    return task.after(q, np.zeros((starts, task.system.tree.nv)))


def _still(task: ReachTask) -> Array:
    """Whether a coordinate is held: its own velocity is, or all those of its quaternion."""
    tree, free = task.system.tree, np.ones(len(task.system.tree.velocities), dtype=bool)
    free[list(tree.free_v)] = task.free.astype(bool)
    held = [np.zeros(0, dtype=bool)]
    for joint in tree.m.joints:
        own = ~free[places_of(tree.m.joints)[joint.name][1]]
        held.append(own if joint.rates_are_velocities else np.full(joint.nq, own.all()))
    return np.concatenate(held)[list(tree.free_q)]


def _start(system: LoopSystem, q: Any, count: int) -> Array:
    """Where to start, for every target."""
    if q is None:
        q = drawn_closed(system) if system.tree.closing else system.drawn
    begin = coordinates(system.tree, q.q if isinstance(q, Configuration) else q, many=True)
    if begin.shape not in {(system.tree.nq,), (count, system.tree.nq)}:
        raise StructureError(
            f"q: expected shape ({system.tree.nq},) or ({count}, {system.tree.nq}) for "
            f"{system.m.name!r}, got {begin.shape}"
        )
    return np.array(np.broadcast_to(begin, (count, system.tree.nq)))


def _task(
    m: Mechanism, body: str, asked: tuple[Any, Any], place: Place, held: tuple[str, ...]
) -> ReachTask:
    """The task without its targets; kept with m."""
    position, orientation = asked
    axes: tuple[int, ...] = ()
    if position is not None:
        whole = np.array(position, dtype=float).reshape(-1, np.shape(position)[-1])
        axes = tuple(int(i) for i in np.flatnonzero(~np.isnan(whole).any(axis=0)))
        axes = tuple(i for i in axes if i < 2) if m.plane else axes
    turns = () if orientation is None else ((2,) if m.plane else (0, 1, 2))
    key = ("reach", body, place, axes, turns, held)

    def made() -> ReachTask:
        system = loop_system(m, drives=False)
        return ReachTask(system, body, place, axes, turns, _free(m, system, held))

    return kept(m, key, made)


def _free(m: Mechanism, system: LoopSystem, held: tuple[str, ...]) -> Array:
    """Velocities that may move: 1, else 0; springs of elastic joints are held."""
    tree = system.tree
    names = system.names
    free, own = np.ones(tree.nv), {i: k for k, i in enumerate(tree.free_v)}
    whole = {joint.name: joint for joint in tree.m.joints if joint.nv > 1}
    springs = [f"{joint.name}.twist" for joint in m.joints if joint.elastic is not None]
    for name in [*held, *springs]:
        if name in whole:
            rates = places_of(tree.m.joints)[name][1]
            free[[own[i] for i in range(rates.start, rates.stop) if i in own]] = 0.0
            continue
        if name not in names or system.own[names.index(name)] < 0:
            single = [x for x, k in zip(names, system.own, strict=True) if k >= 0]
            refuse_unknown("coordinate", name, [*single, *whole], "held", " to hold")
        free[system.own[names.index(name)]] = 0.0
    return free


def _target(m: Mechanism, body: str, position: Any, orientation: Any) -> tuple[Array, bool]:
    """Places and rotations of all targets, and whether it is only one."""
    m.body(body)
    if position is None and orientation is None:
        raise StructureError(f"body {body!r}: give a position, an orientation, or both")
    p, many_p = _places(m, position)
    R, many_R = _rotations(m, orientation)
    count = max(len(p), len(R)) if len(p) and len(R) else 0
    if len(p) not in {1, count} or len(R) not in {1, count}:
        raise StructureError(f"got {len(p)} positions and {len(R)} orientations")
    parts = np.broadcast_to(p[:, None], (count, 1, 3)), np.broadcast_to(R, (count, 3, 3))
    return np.concatenate(parts, axis=1), not (many_p or many_R)


def _places(m: Mechanism, position: Any) -> tuple[Array, bool]:
    if position is None:
        return np.full((1, 3), np.nan), False
    try:
        p = np.array(position, dtype=float)
    except (TypeError, ValueError) as error:
        raise StructureError(f"position: expected numbers, got {position!r:.60}") from error
    if p.ndim not in {1, 2} or p.shape[-1] not in ({2, 3} if m.plane else {3}):
        count = "two" if m.plane else "three"
        raise StructureError(f"position: expected {count} components, got shape {p.shape}")
    rows = p.reshape(-1, p.shape[-1])
    given = ~np.isnan(rows)
    if np.any(np.isinf(rows)) or np.any(given != given[:1]):
        raise StructureError("position: expected finite values, the same components in every row")
    whole = np.zeros((len(rows), 3))
    whole[:, : p.shape[-1]] = rows
    return whole, p.ndim == 2


def _rotations(m: Mechanism, orientation: Any) -> tuple[Array, bool]:
    if orientation is None:
        return np.eye(3)[None], False
    R = real_array("orientation", orientation)
    if R.shape[-2:] == (3, 3):
        whole, many = R.reshape(-1, 3, 3), R.ndim == 3
    elif m.plane and R.ndim < 2:
        rows = [np.array(rotation_z(x), dtype=float) for x in np.atleast_1d(R)]
        whole, many = np.reshape(rows, (-1, 3, 3)), R.ndim == 1
    elif R.shape[-1:] == (4,) and R.ndim < 3:
        unit = R / np.linalg.norm(R, axis=-1, keepdims=True)
        rows = unit.reshape(-1, 4)
        whole, many = np.array([rotation_of_quaternion(x) for x in rows], dtype=float), R.ndim == 2
    else:
        raise StructureError(
            "orientation: expected a 3 x 3 matrix or a quaternion (w, x, y, z), in a plane an "
            f"angle, got shape {R.shape}"
        )
    if np.max(np.abs(whole @ np.swapaxes(whole, 1, 2) - np.eye(3)), initial=0.0) > 1e-6:
        raise StructureError("orientation: the matrix is not a rotation")
    return whole, many
