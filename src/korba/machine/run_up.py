"""`kb.run_up`: a mechanism of one freedom under its loads in time, loops or not.

The differential form of the reduced model (Gronowicz 4.127), with all joints integrated along:

    q' = N(q) x',    x'' = (Q(q, x', t) - 1/2 I' x'^2) / I,    W' = Q x'               (1)

N, I and Q are taken at q brought back onto its loops by a step of Newton's method, so loops do not
open. The direction of the motion is kept while it moves, so that loads whose sign follows the
velocity do not jump within a step; where x' falls to zero the loads of both directions say whether
the mechanism turns back or rests. The steps are those of SciPy's DOP853, with its interpolant, none
beyond the panels of time on which loads are smooth (simulation/pace.py); a mechanism at rest is
looked at eight times in each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..codegen import compile_program, trace
from ..door import public
from ..errors import SimulationError, StructureError
from ..forces.loads import depends_on_time
from ..kinematics.rates import coordinate_rates
from ..libraries import undisturbed
from ..model.mechanism import Mechanism
from ..model.summary import drives_not_followed, friction_not_used
from ..progress import Progress
from ..simulation.pace import marks
from ..simulation.right_hand_side import plant_of, shape
from ..solve.batch_positions import held_system
from ..solve.bracketed import root_between
from ..spatial.rotation import Array
from ..system.system import any_system
from ..trajectory.audit import Audit
from ..trajectory.columns import Column
from ..trajectory.trajectory import FAILED, FINISHED, INTERRUPTED, Trajectory
from ..verbs.reduction import reduce as reduced_model
from ..verbs.states import increasing_times
from .reduction import Reduction, reduce
from .work import LOADS, RESTING, refuse_beyond, refuse_massless

RTOL, ATOL = 1e-11, 1e-13
"""Of the integration: rad and typical lengths."""
MOST_PHASES = 100_000
"""How often a motion may stop and turn back."""
HALVES = 50
"""How often the time between two is halved in search of the one at which loads begin."""
LOOKS = np.arange(1, 9) / 8
"""Where in a panel of time loads on a mechanism at rest are looked at."""
DEAD = 1e-4
"""Singularity of the velocity equations at which a coordinate is taken to be at a dead centre."""


@public
def run_up(
    m: Mechanism,
    coordinate: str,
    times: Any,
    *,
    start: float | None = None,
    speed: float = 0.0,
    flywheel: float = 0.0,
    progress: bool | Callable[[float], object] | None = None,
) -> Trajectory:
    """Motion of a mechanism of one freedom under its loads, at the given times.

    From the position `start` of the coordinate (as drawn) and its `speed` at the first time. Loads
    may depend on position, speed and time; drives do not count, so a motor is a load: `kb.Motor`,
    or `kb.JointForce` with a characteristic such as "12 - 0.4*v". Where the loads do not suffice to
    go on, and none moves it back, it rests: the message says where. The trajectory has the columns
    `inertia`, `force`, `kinetic`, `work` and `balance`, and the audit of their energies; an
    interrupted run is returned, one that comes to a dead centre raises a `SimulationError` with
    what came before.

    >>> kb.run_up(m, "A", np.linspace(0, 0.2, 21))["v_A"][-1].round(6)
    np.float64(-24.113117)
    """
    refuse_beyond("run_up", speed)
    r = reduce(m, coordinate, flywheel=flywheel)
    refuse_massless(r)
    t = increasing_times(times)
    running = Running(r, t)
    with closing(Progress(progress, float(t[-1] - t[0]), "running up")) as shown:
        ended, message = running.followed(r.start if start is None else start, speed, shown)
    done = running.trajectory(ended, message)
    if ended == FAILED:
        raise SimulationError(f"mechanism {m.name!r}: {message}", done)
    return done


@dataclass(eq=False)
class Running:
    """A run on its way: rows of (t, q, x', W) so far."""

    reduction: Reduction
    asked: Array
    rows: list[Array] = field(default_factory=list)
    told: str = ""
    """Where it rested last."""

    @property
    def m(self) -> Mechanism:
        """The mechanism."""
        return self.reduction.m

    @cached_property
    def model(self) -> Any:
        """(q, v[, t]) -> the reduced model, in machine code."""
        return reduced_model.compiled(self.m, coordinate=self.reduction.coordinate)

    @cached_property
    def newton(self) -> Any:
        """(q, x, clock) -> q closer to its loops."""
        return held_system(self.m, (self.reduction.coordinate,)).newton

    @cached_property
    def timed(self) -> bool:
        """Whether a load depends on the time."""
        return depends_on_time(any_system(self.m).tree)

    @cached_property
    def marks(self) -> Array:
        """Ends of the panels of time on which loads are smooth, after the first time."""
        begun, end = float(self.asked[0]), float(self.asked[-1])
        if not self.timed:
            return np.array([end])
        plant, _ = plant_of(replace(self.m, drives=()))
        y = np.zeros((1, shape(plant).size))
        y[0, : plant.tree.nq] = self.reduction.q(self.reduction.start)
        found = marks(plant, y, np.zeros((1, plant.constants)), begun, end)
        return found if len(found) else np.array([end])

    @property
    def last(self) -> int:
        """The number of the last panel."""
        return len(self.marks) - 1

    @cached_property
    def lead(self) -> int:
        """Place of the coordinate in q."""
        tree = any_system(self.m).tree
        return tree.free_q.index(tree.coordinates.index(self.reduction.coordinate))

    def closed(self, q: Array) -> Array:
        """Positions on their loops, the coordinate as it is."""
        clock = np.zeros((*q.shape[:-1], 2))
        return np.asarray(self.newton(q, q[..., self.lead, None], clock, check_finite=False)[0])

    def at(self, t: Any, q: Array, speed: Any) -> tuple[Any, ...]:
        """Inertia, slope, force, the ratios N and c, and the singularity at positions."""
        v = np.zeros((*q.shape[:-1], any_system(self.m).tree.nv))
        v[..., self.reduction.place] = speed
        inputs = [q, v, *([np.asarray(t, dtype=float)[..., None]] if self.timed else [])]
        inertia, slope, forces, _, *rest = self.model(*inputs, check_finite=False)
        return inertia + self.reduction.flywheel, slope, np.sum(forces, axis=-1), *rest

    def slope(self, t: float, y: Array, ahead: float) -> Array:
        """(1), with loads of one direction."""
        q, speed = self.closed(y[:-2]), y[-2]
        moving = ahead * max(ahead * speed, RESTING)
        inertia, slope, force, N, *_ = self.at(t, q, moving)
        a = (force - 0.5 * slope * speed**2) / inertia
        return np.concatenate([self.rates(q, N) * speed, [a, force * speed]])

    @cached_property
    def rates(self) -> Callable[[Array, Array], Array]:
        """(q, N) -> rates of q for x' = 1; of a quaternion they are not its velocities."""
        tree = any_system(self.m).tree
        if tree.nq == tree.nv:
            return lambda _, N: N
        sizes = {"q": tree.nq, "N": tree.nv}
        return compile_program(trace(lambda q, N: coordinate_rates(tree, q, N), sizes))

    def ahead(self, t: float, y: Array) -> float:
        """In which direction it goes on from a state: 1, -1, or 0 where it rests."""
        if y[-2]:
            return float(np.sign(y[-2]))
        pushes = [self.at(t, y[:-2], way * RESTING)[2] * way for way in (1.0, -1.0)]
        least = 1e-13 * max(1.0, *map(abs, pushes))
        return next(
            (way for way, push in zip((1.0, -1.0), pushes, strict=True) if push > least), 0.0
        )

    def followed(self, x: float, speed: float, shown: Progress) -> tuple[str, str]:
        """Rows at all times that are reached; how it ended, and where it rests."""
        t, end = float(self.asked[0]), float(self.asked[-1])
        y = np.concatenate([self.reduction.q(x), [speed, 0.0]])
        self.rows.append(np.array([t, *y]))
        try:
            for _ in range(MOST_PHASES):
                t, y = self._rested(t, y)
                if t >= end:
                    return FINISHED, self.told or f"finished at t = {end:g} s"
                t, y, failed = self._phase(t, y, shown)
                if failed:
                    return FAILED, failed
        except KeyboardInterrupt:
            return (
                INTERRUPTED,
                f"interrupted at t = {self.rows[-1][0]:g} s; what was computed is kept",
            )
        raise StructureError(
            f"mechanism {self.m.name!r} turned back {MOST_PHASES} times; ask for a shorter motion"
        )

    def _rested(self, t: float, y: Array) -> tuple[float, Array]:
        """Rows of the rest that begins here, until a time at which the loads move it."""
        if self.ahead(t, y):
            return t, y
        name, x = self.reduction.coordinate, y[self.lead]
        self.told = (
            f"stops at t = {t:.9g} s, {name} = {x:.10g}: the work of the loads does not suffice"
        )
        moves = self._moved_again(t, y)
        for later in self.asked[(self.asked > t) & (self.asked < moves)]:
            self.rows.append(np.array([later, *y]))
        return min(moves, float(self.asked[-1])), y

    def _moved_again(self, t: float, y: Array) -> float:
        """When loads in time move what rests at a time; inf where they do not."""
        if not self.timed:
            return np.inf
        ends = np.append(t, self.marks[self.marks > t])
        looks = (ends[:-1, None] + np.diff(ends)[:, None] * LOOKS).ravel()
        if not len(looks):
            return np.inf
        q = np.broadcast_to(y[:-2], (len(looks), len(y) - 2))
        pushes = [self.at(looks, q, way * RESTING)[2] * way for way in (1.0, -1.0)]
        moving = np.max(pushes, axis=0) > 1e-13 * np.maximum(1.0, np.max(np.abs(pushes), axis=0))
        if not moving.any():
            return np.inf
        k = int(np.argmax(moving))
        return self._started(float(looks[k - 1]) if k else t, float(looks[k]), y)

    def _started(self, rests: float, moves: float, y: Array) -> float:
        """The time, between two, from which on loads in time move it."""
        for _ in range(HALVES):
            middle = 0.5 * (rests + moves)
            rests, moves = (rests, middle) if self.ahead(middle, y) else (middle, moves)
        return moves

    def _phase(self, t: float, y: Array, shown: Progress) -> tuple[float, Array, str]:
        """The motion in one direction, step by step to its end; why it did not come there."""
        with undisturbed():
            from scipy.integrate import DOP853

        way, end, begun = self.ahead(t, y), float(self.asked[-1]), float(self.asked[0])
        slope = partial(self.slope, ahead=way)
        solver = DOP853(slope, t, y, end, rtol=RTOL, atol=ATOL)
        while solver.status == "running":
            panel = min(int(np.searchsorted(self.marks, solver.t, side="right")) + 1, self.last)
            solver.max_step = max(self.marks[panel] - solver.t, 1e-12 * (end - begun))
            with np.errstate(all="ignore"):
                solver.step()
            if solver.status == "failed" or self._dead(solver.t, solver.y, way):
                return self._failed()
            inside = solver.dense_output()
            stop = _standstill(inside, way) if way * solver.y[-2] <= 0 else None
            reached = solver.t if stop is None else stop
            due = self.asked[(self.asked > self.rows[-1][0]) & (self.asked <= reached)]
            self.rows += [np.array([now, *inside(now)]) for now in due]
            shown(reached - begun, reached)
            if stop is not None:
                state = inside(stop)
                state[:-2], state[-2] = self.closed(state[:-2]), 0.0
                return stop, state, ""
        return end, solver.y, ""

    def _dead(self, t: float, y: Array, way: float) -> bool:
        """Whether the coordinate hardly governs the mechanism any more."""
        return bool(self.at(t, self.closed(y[:-2]), way)[-1] < DEAD)

    def _failed(self) -> tuple[float, Array, str]:
        """What stopped it: a dead centre of the coordinate, or forces without bound."""
        last = self.rows[-1]
        name, x = self.reduction.coordinate, last[1 + self.lead]
        near = min(self.reduction.dead_centres, key=lambda each: abs(each.value - x), default=None)
        why = f"a dead centre of {name}, {near}," if near else "forces that grow without bound"
        message = (
            f"comes to {why} soon after t = {last[0]:.9g} s, {name} = {x:.6g}; run it up by "
            "another coordinate, or ask for an earlier end"
        )
        return float(last[0]), last[1:], message

    def trajectory(self, ended: str, message: str) -> Trajectory:
        """The motion of all joints, with energies."""
        rows = np.array(self.rows)
        t, q, speed, work = rows[:, 0], rows[:, 1:-2], rows[:, -2], rows[:, -1]
        for _ in range(2):
            q = self.closed(q)
        inertia, slope, force, N, c, _ = self.at(t, q, speed)
        a = (force - 0.5 * slope * speed**2) / inertia
        a = np.where((speed == 0.0) & _resting(self, t, q), 0.0, a)
        kinetic = 0.5 * inertia * speed**2
        balance = kinetic - kinetic[0] - work
        unit = self.reduction.units
        came = np.max(kinetic, initial=0.0) + np.max(np.abs(work), initial=0.0)
        return Trajectory(
            self.reduction.machine(),
            t,
            q,
            N * speed[:, None],
            N * a[:, None] + c * speed[:, None] ** 2,
            extra={
                "inertia": Column(inertia, unit[0]),
                "force": Column(force, unit[1]),
                "kinetic": Column(kinetic, "J"),
                "work": Column(work, "J"),
                "balance": Column(balance, "J"),
            },
            ended=ended,
            message=message,
            method="reduced",
            remarks=(*drives_not_followed(self.m, LOADS), *friction_not_used(self.m)),
            audit=Audit(energy=float(np.abs(balance).max() / came) if came else 0.0),
        )


def _standstill(inside: Callable[[float], Array], way: float) -> float:
    """When the speed falls to zero within a step."""
    ends: Any = inside
    return root_between(lambda t: way * inside(t)[-2], ends.t_old, ends.t, xtol=1e-15)


def _resting(running: Running, t: Array, q: Array) -> Array:
    """Whether the loads leave rows without speed at rest."""
    states = [np.array([*row, 0.0, 0.0]) for row in q]
    return np.array([not running.ahead(now, y) for now, y in zip(t, states, strict=True)])
