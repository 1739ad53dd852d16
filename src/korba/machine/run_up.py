"""`kb.run_up`: a mechanism of one freedom under its loads in time, loops or not.

The differential form of the reduced model (Gronowicz 4.127), with all joints integrated along:

    q' = N(q) x',    x'' = (Q(q, x', t) - 1/2 I' x'^2) / I,    W' = Q x'               (1)

N, I and Q are taken at q brought back onto its loops by a step of Newton's method, so loops do not
open. The way of the motion is a switch: loads are those of it, so that what follows the sign of the
velocity does not jump within a step. Where x' falls to zero, an event, the loads of both ways say
whether the mechanism turns back or rests; what rests leaves when one of them pushes it. The steps
are those of `kb.simulate` (simulation/first_order.py).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..codegen import trace
from ..codegen.routine import AnyProgram, call, choose, packed, routine
from ..door import public
from ..errors import SimulationError
from ..expr import maximum
from ..forces.loads import depends_on_time
from ..kinematics.rates import coordinate_rates
from ..model.mechanism import Mechanism
from ..model.summary import drives_not_followed, friction_not_used
from ..progress import Progress
from ..simulation.contact import refuse_ropes
from ..simulation.first_order import FirstOrder
from ..simulation.holds import STILL
from ..simulation.pace import marks
from ..simulation.right_hand_side import plant_of, shape
from ..simulation.runs import DONE, Watching
from ..simulation.stepping import STOPPED
from ..solve.batch_positions import held_system
from ..spatial.rotation import Array
from ..system.store import compiled
from ..system.system import any_system
from ..system.tree import Tree
from ..trajectory.audit import Audit
from ..trajectory.columns import Column
from ..trajectory.trajectory import FAILED, FINISHED, INTERRUPTED, Trajectory
from ..verbs.reduction import reduce as reduced_model
from ..verbs.states import increasing_times
from .reduction import Reduction, reduce
from .work import LOADS, RESTING, refuse_beyond, refuse_massless

RTOL, ATOL = 1e-11, 1e-13
"""Of the integration: rad and typical lengths."""
EVENTS = ((-1, 0, 1, 0, 1, 0), (-1, 0, 1, 0, 1, 1), (-1, 1, 0, 0, 1, 0))
"""The fields of `Watching` of its events: it halts, loads move it, a dead centre is near."""
DEAD = 1e-4
"""Singularity of the velocity equations at which a coordinate is taken to be at a dead centre."""


@public
def run_up(
    m: Mechanism,
    coordinate: str,
    times: Any,
    *,
    q: float | None = None,
    speed: float = 0.0,
    flywheel: float = 0.0,
    progress: bool | Callable[[float], object] | None = None,
) -> Trajectory:
    """Motion of a mechanism of one freedom under its loads, at the given times.

    From the position `q` of the coordinate (as drawn) and its `speed` at the first time. Loads
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
    with closing(Progress(progress, float(t[-1] - t[0]), "running up")) as shown:
        done = Running(r).followed(t, r.start if q is None else q, speed, shown)
    if done.ended == FAILED:
        raise SimulationError(f"mechanism {m.name!r}: {done.message}", done)
    return done


@dataclass(frozen=True, eq=False)
class Running:
    """A reduced model to be run up: the equations (1) in the state (q, x', W).

    The inertia of the flywheel and the way, 1, -1 or 0 at rest, stay between events.
    """

    reduction: Reduction

    @property
    def m(self) -> Mechanism:
        """The mechanism."""
        return self.reduction.m

    @cached_property
    def tree(self) -> Tree:
        """Its tree."""
        return any_system(self.m).tree

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
        return depends_on_time(self.tree)

    @cached_property
    def lead(self) -> int:
        """Place of the coordinate in q."""
        return self.tree.free_q.index(self.tree.coordinates.index(self.reduction.coordinate))

    @cached_property
    def equations(self) -> FirstOrder:
        """What is integrated."""
        name = f"{self.m.name or 'the mechanism'} by {self.reduction.coordinate}"
        key = ("run up", self.reduction.coordinate)
        watching = Watching(*np.array(EVENTS, dtype=float).T)
        return FirstOrder(
            name,
            self.tree.nq + 2,
            self._programs,
            lambda recorded: compiled(self.m, key, recorded),
            constants=2,
            watching=watching,
            paced=self.timed,
        )

    def marks(self, begin: float, end: float) -> Array:
        """Ends of the panels of time on which loads are smooth."""
        if not self.timed:
            return np.zeros(0)
        refuse_ropes(self.m, "run_up")
        plant, _ = plant_of(replace(self.m, drives=()))
        y = np.zeros((1, shape(plant).size))
        y[0, : plant.tree.nq] = self.reduction.q(self.reduction.start)
        return marks(plant, y, np.zeros((1, plant.constants)), begin, end)

    def closed(self, q: Array) -> Array:
        """Positions on their loops, the coordinate as it is."""
        clock = np.zeros((*q.shape[:-1], 2))
        return np.asarray(self.newton(q, q[..., self.lead, None], clock, check_finite=False)[0])

    def at(self, t: Any, q: Array, speed: Any) -> tuple[Any, ...]:
        """Inertia, slope, force, and the ratios N and c at positions."""
        v = np.zeros((*q.shape[:-1], self.tree.nv))
        v[..., self.reduction.place] = speed
        inputs = [q, v, *([np.asarray(t, dtype=float)[..., None]] if self.timed else [])]
        inertia, slope, forces, _, *rest = self.model(*inputs, check_finite=False)
        return inertia + self.reduction.flywheel, slope, np.sum(forces, axis=-1), *rest[:2]

    def ahead(self, t: float, y: Array) -> float:
        """In which direction it goes on from a state: 1, -1, or 0 where it rests."""
        if y[-2]:
            return float(np.sign(y[-2]))
        ahead, back = (self.at(t, y[:-2], way * RESTING)[2] * way for way in (1.0, -1.0))
        least = _least(ahead, back)
        return 1.0 if ahead > least else -1.0 if back > least else 0.0

    def _programs(self) -> dict[str, AnyProgram]:
        """The slope (1), loops closed after a step, and what is watched."""
        tree, nq, lead = self.tree, self.tree.nq, self.lead
        model, newton = self.model.program, self.newton.program
        rates = trace(lambda q, N: coordinate_rates(tree, q, N), {"q": nq, "N": tree.nv})
        before, after = np.zeros(self.reduction.place), np.zeros(tree.nv - self.reduction.place - 1)

        def closed(y: Any) -> Any:
            q = y[:nq]
            return call(newton, q, q[lead : lead + 1], np.zeros(2))[0]

        def at(q: Any, speed: Any, t: Any) -> tuple[Any, ...]:
            inputs = [q, packed([before, speed, after]), *([t] if self.timed else [])]
            inertia, slope, forces, _, N, _, singularity = call(model, *inputs)
            return inertia, slope, np.sum(forces), N, singularity

        def pushes(y: Any, t: Any) -> tuple[Any, Any]:
            q = closed(y)
            return at(q, RESTING, t)[2], -at(q, -RESTING, t)[2]

        def slope(y: Any, t: Any, tau: Any, _: Any) -> Any:
            q, speed, way = closed(y), y[nq], tau[1]
            moving = way * maximum(way * speed, RESTING)
            inertia, bend, force, N, _ = at(q, moving, t)
            a = way * way * (force - 0.5 * bend * speed * speed) / (inertia + tau[0])
            return packed([call(rates, q, N) * speed, a, force * speed])

        def guards(y: Any, t: Any, tau: Any, _: Any) -> Any:
            speed, way = y[nq], tau[1]
            rests = 1.0 - way * way

            def held() -> Any:
                ahead, back = pushes(y, t)
                return _least(ahead, back) - maximum(ahead, back)

            holds = choose(rests > 0, held, lambda: 1.0)
            singularity = at(closed(y), speed, t)[4]
            return packed([rests + STILL + way * speed, holds, singularity / DEAD - 1.0])

        def guard_rates(y: Any, t: Any, tau: Any, _: Any, slope: Any) -> Any:
            return packed([tau[1] * slope[nq], 0.0 * t[0], 0.0 * y[nq]])

        def change(y: Any, t: Any, tau: Any, _: Any, __: Any) -> tuple[Any, Any]:
            ahead, back = pushes(y, t)
            least = _least(ahead, back)
            way = choose(ahead > least, 1.0, choose(back > least, -1.0, 0.0))
            return packed([closed(y), 0.0 * y[nq], y[nq + 1]]), packed([tau[0], way])

        def settle(y: Any, *_: Any) -> Any:
            return packed([closed(y), y[nq], y[nq + 1]])

        sizes = self.equations.inputs
        more = {"guard_rates": {"slope": nq + 2}, "change": {"fired": len(EVENTS)}}
        formulas = (slope, guards, guard_rates, change, settle)
        found: dict[str, AnyProgram] = {
            f.__name__: routine(f, sizes | more.get(f.__name__, {}), f.__name__) for f in formulas
        }
        return found | {"energy": trace(lambda y, *_: 0.0 * y[nq], sizes)}

    def followed(self, t: Array, x: float, speed: float, shown: Progress) -> Trajectory:
        """The motion at all times that are reached."""
        y = np.concatenate([self.reduction.q(x), [speed, 0.0]])
        way, begun = self.ahead(t[0], y), float(t[0])
        first = np.array([begun, *y, self.reduction.flywheel, way])
        if len(t) == 1:
            return self._trajectory(first[None], FINISHED, f"finished at t = {begun:g} s")
        made = self.equations.followed(
            y,
            t,
            rtol=RTOL,
            atol=ATOL,
            constants=first[-2:],
            marks=self.marks(begun, float(t[-1])),
            report=shown,
        )
        rows, status = made.written, int(made.end.status[0])
        if status == STOPPED:
            until = f"t = {rows[-1, 0]:g} s"
            return self._trajectory(
                rows, INTERRUPTED, f"interrupted at {until}; what was computed is kept"
            )
        if status != DONE:
            return self._trajectory(rows, FAILED, self._failed(rows[-1]))
        halts = [row for events in made.events for row in events[:, 1:-3] if row[-1] or row[0] == 0]
        rests = self._rest([first, *halts])
        return self._trajectory(rows, FINISHED, rests or f"finished at t = {t[-1]:g} s")

    def _rest(self, stops: list[Array]) -> str:
        """Where it rested last, of rows of (t, y, flywheel, way) at which it may have."""
        for row in reversed(stops):
            y = np.array([*row[1:-4], 0.0 if row is not stops[0] else row[-4], 0.0])
            if not self.ahead(row[0], y):
                return (
                    f"stops at t = {row[0]:.9g} s, {self.reduction.coordinate} = "
                    f"{row[1 + self.lead]:.10g}: the work of the loads does not suffice"
                )
        return ""

    def _failed(self, last: Array) -> str:
        """What stopped it: a dead centre of the coordinate, or forces without bound."""
        name, x = self.reduction.coordinate, last[1 + self.lead]
        near = min(self.reduction.dead_centres, key=lambda each: abs(each.value - x), default=None)
        why = f"a dead centre of {name}, {near}," if near else "forces that grow without bound"
        return (
            f"comes to {why} soon after t = {last[0]:.9g} s, {name} = {x:.6g}; run it up by "
            "another coordinate, or ask for an earlier end"
        )

    def _trajectory(self, rows: Array, ended: str, message: str) -> Trajectory:
        """The motion of all joints, with energies."""
        t, q, way = rows[:, 0], rows[:, 1:-4], rows[:, -1]
        speed, work = rows[:, -4], rows[:, -3]
        for _ in range(2):
            q = self.closed(q)
        inertia, slope, force, N, c = self.at(t, q, speed)
        a = np.where(way == 0, 0.0, (force - 0.5 * slope * speed**2) / inertia)
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


def _least(ahead: Any, back: Any) -> Any:
    """What pushes less than this is rounding, of the loads of both ways."""
    return 1e-13 * maximum(1.0, maximum(abs(ahead), abs(back)))
