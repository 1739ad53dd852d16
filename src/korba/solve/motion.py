"""Driven motion: positions, velocities and accelerations of a mechanism over time.

The drives give f(t); loops and drives together are Phi(q, t) = 0. From the drawing the mechanism
is led to the first time, then along the times on one branch (follow.py), without iteration where
it is made of dyads and its times lie close together (dyad_motion.py); velocities and
accelerations are linear equations at every position (Gronowicz 3.4):

    J v = f',    J a = f'' - J' v

At a change point, such as a parallelogram in line, J is singular although the motion passes
smoothly. Its values there are taken from four positions around it, each a small step d apart:

    f(0) = (-f(-2 d) + 4 f(-d) + 4 f(d) - f(2 d)) / 6        or from one side at an end
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..door import public
from ..errors import AssemblyError, DeadPointError, KorbaError, StructureError
from ..files.toml_file import redimension
from ..model.mechanism import Mechanism, family_of
from ..model.summary import friction_not_used
from ..positions.follow import Along, Nodes, closed_between, follow, on_time
from ..positions.loop_system import LoopSystem, loop_system, with_sizes
from ..positions.open_loops import fight_of_drives, refuse_open
from ..progress import Progress
from ..spatial.rotation import Array
from ..structure.mobility import mobility
from ..structure.reasons import counted
from ..system.store import kept
from ..system.system import refuse_rolling
from ..trajectory.audit import Audit
from ..trajectory.columns import Column
from ..trajectory.notes import kept_still, spare_drives
from ..trajectory.trajectory import INTERRUPTED, Trajectory
from ..verbs.designs import design_values
from ..verbs.generated import written_by
from ..verbs.states import increasing_times
from ..wording import named
from .configuration import assembled, freedoms, settled, without_idle
from .dead_point import dead_point
from .designs import (
    SINGULAR,
    Designs,
    designs_in_motion,
    differing_sizes,
    moved_as_design,
    singularity_of,
)
from .dyad_motion import Start, State, moved_by_dyads, start_at

MOST_ROUNDS = 5
"""How often a motion is followed again, with more nodes."""
MOST_STARTS = 64
"""Times for which a mechanism keeps the position where a motion starts."""
AROUND = 1e-3
"""Radians, or typical lengths, between the positions around it."""
SMOOTH = 1e-5
"""How near positions around it lead to it, where the motion passes smoothly: to a dead point they
do not.
"""


def _written(m: Mechanism, **options: Any) -> Any:
    """What is compiled and printed of this."""
    from .written_loops import motion_routine

    return motion_routine(m, **options)


@written_by(_written)
@public
def motion(
    m: Mechanism,
    times: Any,
    *,
    parameters: Mapping[str, Any] | None = None,
    progress: bool | Callable[[float], object] | None = None,
) -> Trajectory:
    """Motion of a driven mechanism at the given times, from the branch that was drawn.

    The mechanism needs as many drives as it has freedoms; more are taken where they agree, with a
    note. Raises an `AssemblyError` if it cannot be assembled at the first time or if drives fight
    each other, with their names, and a `DeadPointError`, which holds the motion so far, if the
    drives cannot move it further. `progress` shows a bar (by itself after a second at a terminal)
    or is called with the time reached; an interrupted run gives the motion so far. No times give a
    motion without rows, its mechanism assembled as at 0. The audit has the `residual` of the loops
    and the least of the column `singularity`, which is 0 at a dead point.

    `parameters` gives named sizes by arrays: many designs at once, by one program. The answer is a
    batch with their axes in front, q of shape (..., times, nq). Designs that cannot be assembled,
    or stop at a dead point, are nan from there on; `status` and `endings` tell which and why.
    """
    t = increasing_times(times, 0)
    if not len(t):
        return motion(m, [0.0], parameters=parameters)[:0]
    if parameters:
        return motion_of_designs(m, t, parameters, progress=progress)
    if (design := _of_family(m, t)) is not None:
        return design
    system = driven_loops(m, float(t[0]))
    start = start_of(m, system, float(t[0]))
    if len(t) == 1:
        return moving(m, system, t, start.q[None])
    if (state := moved_by_dyads(system, start, t)) is not None:
        return _trajectory(m, system, t, state)
    along = Along(system, on_time(system))
    nodes, q = _followed(along, start.q, t, Progress(progress, float(t[-1] - t[0]), "moving"))
    done = moving(m, system, t[: len(q)], q, nodes)
    if nodes.interrupted:
        return replace(done, ended=INTERRUPTED, message=f"interrupted at t = {done.t[-1]:g} s")
    if not nodes.complete:
        last, step = float(nodes.s[-1]), 1e-6 * float(t[-1] - t[0])
        raise (
            fight_of_drives(system, nodes.q[-1], last, step)
            or jump_of_a_drive(along, nodes)
            or _held_by_loops(m, last)
            or dead_point(system, nodes, float(t[-1]), done)
        )
    return done


def motion_of_designs(
    m: Mechanism,
    t: Array,
    parameters: Mapping[str, Any],
    *,
    rates: bool = True,
    progress: bool | Callable[[float], object] | None = False,
) -> Trajectory:
    """The motion of many designs; without `rates` v and a are nan, and are not computed."""
    system = driven_loops(m, float(t[0]))
    start, names = start_of(m, system, float(t[0])), tuple(parameters)
    p = design_values(m, names, parameters)
    flat = p.reshape(-1, len(names))
    designs = Designs(m, with_sizes(m, system, names), start.q, flat, rates)
    shown = Progress(progress, float(t[-1] - t[0]), "moving")

    def alone(sizes: Array) -> Trajectory | None:
        own = redimension(m, **dict(zip(names, sizes.tolist(), strict=True)))
        try:
            return motion(own, t, progress=False)
        except DeadPointError as stopped:
            return stopped.motion if isinstance(stopped.motion, Trajectory) else None

    return designs_in_motion(designs, t, p.shape[:-1], shown, alone)


def _followed(along: Along, start: Array, t: Array, shown: Progress) -> tuple[Nodes, Array]:
    """Nodes, and positions at those times that were reached.

    Where the drives do something between two nodes that these did not see, it is followed again
    with nodes at the times themselves.
    """
    first, last = float(t[0]), float(t[-1])
    stops = np.zeros(0)
    try:
        for _ in range(MOST_ROUNDS):
            nodes = follow(
                along,
                start,
                first,
                last,
                told=lambda s: shown(s - first, s),
                stops=stops,
                kept=True,
            )
            nodes = past_the_end(along, nodes, last, stops)
            reached = t if nodes.complete else t[t <= nodes.s[-1]]
            q, fair = closed_between(along, nodes, reached)
            unfair = [s for s in reached[~fair] if not _in_crossing(along, nodes, s)]
            more = np.setdiff1d(unfair, stops)
            if nodes.interrupted or not len(more):
                break
            stops = np.union1d(stops, more)
    finally:
        shown.close()
    return nodes, q


def start_of(m: Mechanism, system: LoopSystem, t: float) -> Start:
    """The position at a time from the branch that was drawn; kept with m for a few times."""
    starts: dict[float, Start] = kept(m, "starts", dict)
    if t not in starts:
        q, _ = assembled(system, np.zeros(0), t)
        if not settled(system, q, t):
            raise StructureError(
                f"mechanism {system.m.name!r} stands in a singular position at t = {t:g} s; start "
                "from another time"
            )
        if len(starts) >= MOST_STARTS:
            starts.clear()
        starts[t] = start_at(system, q)
    return starts[t]


def moving(
    m: Mechanism, system: LoopSystem, t: Array, q: Array, nodes: Nodes | None = None
) -> Trajectory:
    """The motion through solved positions; at crossings of branches along nodes, from around."""
    v, a, _, pivots, residual = system.rates(q, *on_time(system)(t), check_finite=False)
    refuse_open(system, q, residual, t)
    singularity = Column(lambda: singularity_of(pivots))
    if nodes is not None and _singular(singularity.values).any():
        along = Along(system, on_time(system))
        q, v, a = _bridged(along, nodes, t, (q, v, a), singularity)
    return _trajectory(m, system, t, (q, v, a), singularity)


def _trajectory(
    m: Mechanism,
    system: LoopSystem | None,
    t: Array,
    state: State,
    singularity: Column | None = None,
) -> Trajectory:
    """The answer; how near it is to dead points is computed when it is asked for.

    Where its equations were not needed there is no `system` yet.
    """
    q, v, a = state

    def own() -> LoopSystem:
        return system or driven_loops(m, float(t[0]))

    if singularity is None:
        singularity = Column(lambda: singularity_of(own().rates(q, *on_time(own())(t))[3]))
    remarks: tuple[str, ...] = ()
    if system is not None:
        idle = kept_still(system.tree.links[still.link].name for still in system.still)
        remarks = (*idle, *spare_drives(system.spare_drives))
    return Trajectory(
        m,
        t,
        q,
        v,
        a,
        extra={"singularity": singularity},
        method="driven",
        remarks=(*remarks, *friction_not_used(m)),
        audit=Audit(
            residual=lambda: _residual(own(), t, q),
            singularity=lambda: float(np.min(singularity.values, initial=1.0)),
        ),
    )


def _of_family(m: Mechanism, t: Array) -> Trajectory | None:
    """The motion of a design by the program of the first of its family that moved, if that goes.

    So a mechanism that was redimensioned is not compiled again.
    """
    first = family_of(m).setdefault("motion", m)
    if first is m or len(t) == 1:
        return None
    names = differing_sizes(first, m)
    if not names:
        return None
    known: set[tuple[str, ...]] = kept(first, "sizes of designs", set)
    names = next((sizes for sizes in known if set(names) <= set(sizes)), names)
    try:
        system = driven_loops(first, float(t[0]))
        start = start_of(first, system, float(t[0]))
        of = Designs(first, with_sizes(first, system, names), start.q, np.zeros((0, len(names))))
        state = moved_as_design(m, of, t)
    except KorbaError:  # the other design does not move, or sizes decide about branches
        return None
    known.add(names)
    return None if state is None else _trajectory(m, None, t, state)


def _singular(singularity: Array) -> Array:
    """Which rows stand so near to a singular position that it decides about velocities."""
    return np.asarray(singularity < SINGULAR * singularity.max(initial=0.0))


def _residual(system: LoopSystem, t: Array, q: Array) -> float:
    """Largest residual of loops and drives over the motion, in typical lengths and rad."""
    wanted, _, clock = on_time(system)(t)
    return float(np.max(system.residual(q, wanted, clock), initial=0.0))


def driven_loops(m: Mechanism, t: float = 0.0) -> LoopSystem:
    """The loops and drives that move a mechanism from a time on; kept with m."""
    return kept(m, "driven loops", lambda: _driven(m, t))


def loops_of(moved: Trajectory) -> LoopSystem:
    """The loops and drives of a driven motion."""
    return driven_loops(moved.mechanism, float(moved.t[0]) if len(moved) else 0.0)


def _driven(m: Mechanism, t: float) -> LoopSystem:
    """Loops and drives with nothing left free but idle freedoms, which are kept still."""
    refuse_rolling("motion", m)
    system = loop_system(m)
    if not system.tree.nv:
        raise StructureError(f"mechanism {system.m.name!r} has no joint that could move")
    free = freedoms(system, system.drawn, t)
    idle = mobility(m).local if free and system.drives else 0
    if not system.drives and not free:
        raise StructureError(
            f"mechanism {system.m.name!r} has no freedom: the loops hold it where it is"
        )
    if not system.drives or free > idle:
        raise StructureError(
            f"mechanism {system.m.name!r} has {counted(free - idle, 'freedom')} more than its "
            f"{counted(len(system.drives), 'drive')}{_springs(m)}; add drives such as [[drive]] "
            f"with a joint and its position in time, or ask {named('assemble')} with values"
        )
    return without_idle(system, system.drawn, t, free)


def _held_by_loops(m: Mechanism, t: float) -> AssemblyError | None:
    """The error of a mechanism that moves in its drawing only, by a little; None of any other."""
    if mobility(m).actual > 0:
        return None
    names = ", ".join(repr(drive.name) for drive in m.drives)
    return AssemblyError(
        f"mechanism {m.name!r} cannot move at t = {t:.6g} s:\n"
        "  its loops hold it where it is drawn, "
        f"with no freedom for {names}; print kb.mobility(m) for the reason and what to change",
        {},
    )


def _springs(m: Mechanism) -> str:
    """Which freedoms are those of springs."""
    names = [repr(joint.name) for joint in m.joints if joint.elastic is not None]
    return f", those of the springs of {', '.join(names)} among them" if names else ""


def _bridged(along: Along, nodes: Nodes, t: Array, state: State, singularity: Column) -> State:
    """(q, v, a) of a motion with values at crossings of branches from around them."""
    q, v, a = (values.copy() for values in state)
    for i in np.flatnonzero(_singular(singularity.values)):
        around = _from_around(along, nodes, float(t[i]), _step_around(along, nodes, t[i]))
        if _in_crossing(along, nodes, t[i]) or along.size(around[0] - q[i]) < SMOOTH:
            q[i], v[i], a[i] = around
    return q, v, a


def _step_around(along: Along, nodes: Nodes, t: float) -> float:
    """The time in which it moves by `AROUND`."""
    k = int(np.argmin(np.abs(nodes.s - t)))
    return AROUND / max(along.size(nodes.rate[k]), 1e-300)


def _in_crossing(along: Along, nodes: Nodes, t: float) -> bool:
    """Whether a branch is crossed so near that the equations at t are not to be trusted."""
    apart = np.min(np.abs(np.array(nodes.crossings) - t), initial=np.inf)
    return bool(apart < 0.1 * _step_around(along, nodes, t))


def _from_around(along: Along, nodes: Nodes, t: float, step: float) -> State:
    """q, v and a at t by interpolation."""
    sides = np.array([-2.0, -1.0, 1.0, 2.0])
    if t + 2 * step > nodes.s[-1]:
        sides = np.array([-4.0, -3.0, -2.0, -1.0])
    elif t - 2 * step < nodes.s[0]:
        sides = np.array([1.0, 2.0, 3.0, 4.0])
    times = t + step * sides
    q, _ = closed_between(along, nodes, times)
    v, a, *_ = along.system.rates(q, *along.inputs(times))
    weights = np.linalg.solve(np.vander(sides, 4, increasing=True).T, [1.0, 0.0, 0.0, 0.0])
    return weights @ q, weights @ v, weights @ a


def past_the_end(along: Along, nodes: Nodes, end: float, stops: Array) -> Nodes:
    """Nodes that stop just before the end, or there, go on if another branch crosses there."""
    speed, left = along.size(nodes.rate[-1]), abs(end - nodes.s[-1])
    if nodes.interrupted or left * speed > AROUND or not speed:
        return nodes
    if nodes.complete:
        ends = nodes.s[[0, -1]]
        pivots = along.system.rates(nodes.q[[0, -1]], *along.inputs(ends))[3]
        if not _singular(singularity_of(pivots))[-1]:
            return nodes
    last = end + np.sign(end - nodes.s[0]) * 4 * AROUND / speed
    more = follow(along, nodes.q[0], float(nodes.s[0]), float(last), stops=stops)
    return more if more.complete else nodes


def jump_of_a_drive(along: Along, nodes: Nodes) -> StructureError | None:
    """The error of a drive whose value jumps where the nodes end; None if none does."""
    system, s, q = along.system, float(nodes.s[-1]), nodes.q[-1]
    step = 1e-7 * float(np.max(np.abs(np.diff(nodes.s)), initial=1e-7))
    ends = [along.inputs(each) for each in (s, s + step)]
    residuals = [system.residuals(q, wanted, clock) for wanted, _, clock in ends]
    jumps = np.abs(residuals[1] - residuals[0]) / system.size
    if not jumps.max(initial=0.0) > 1e-4:
        return None
    worst = int(np.argmax(jumps))
    return StructureError(
        f"drive {system.owners[worst]!r} jumps by {jumps[worst]:.6g} at t = {s:.6g} s; give it a "
        "position that is continuous in time, or ask for the motion before and after apart"
    )
