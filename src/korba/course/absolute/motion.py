"""Driven motion of a planar mechanism in absolute coordinates, step by step.

From a position with its velocities and accelerations the next one is predicted (2.147) and closed
by Newton's method. A step counts if the correction is small beside it, and if the way back predicts
the position before; else it is halved. The way from the drawing to the first time is walked in the
same manner, the residuals of the drivers going to zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ...door import public
from ...errors import AssemblyError, DeadPointError, StructureError
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array
from ...structure.mobility import mobility
from ...trajectory.audit import Audit
from ...trajectory.columns import Column
from ...trajectory.trajectory import Trajectory
from ...verbs.states import increasing_times
from ..iterations import predicted
from .system import AbsoluteSystem, absolute_system

FAIR = 0.1
"""Largest correction that counts, as a part of the step."""
LARGEST = 0.5
"""Radians, or typical lengths, that an unknown may change in a step."""
CLOSED = 1e-12
OPEN = 1e-9
"""Residual above which a position is not one of the mechanism."""
DEEPEST = 40
"""How often a step is halved before it is given up."""


State = tuple[Array, Array, Array]
"""All coordinates, their rates and second rates."""


@dataclass(frozen=True, eq=False)
class _Way:
    """A path s -> positions: how to close a position and how it moves there."""

    close: Callable[[Array, float], tuple[Array, list[float]]]
    rates: Callable[[Array, float], tuple[Array, Array]]
    system: AbsoluteSystem

    def ahead(self, state: State, h: float) -> Array:
        """The next position by (2.147)."""
        x, v, a = state
        return self.system.equations.moved(x, predicted(np.zeros(len(v)), v, a, h))

    def apart(self, x: Array, other: Array) -> float:
        """How far two positions are apart, in typical lengths and radians."""
        return float(np.max(np.abs(x - other) / self.system.loops.q_units, initial=0.0))


@public
@np.errstate(all="ignore")  # what is not finite is refused as open
def absolute_motion(m: Mechanism | AbsoluteSystem, times: Any) -> Trajectory:
    """x, y and Theta of every body at increasing times, with their rates; in space its pose.

    The same motion as `kb.motion` by other equations; a system that is made already may be given.
    The mechanism of the trajectory has the bodies free: a body `crank` has the coordinates
    `crank.x`, `crank.y` and `crank.angle`; profile parameters are columns `beta_0`, `beta_1` ...
    Raises an `AssemblyError` if it cannot be assembled at the first time, a
    `DeadPointError`, which holds the motion so far, if the drivers cannot move it further.
    """
    system = m if isinstance(m, AbsoluteSystem) else absolute_system(m)
    t = increasing_times(times)
    x = _first(system, float(t[0]))
    _refuse_open(system, x, float(t[0]))
    _refuse_free(system, x, float(t[0]))
    way = _Way(system.closed, system.rates, system)
    found = [(x, *way.rates(x, float(t[0])))]
    for start, end in pairwise(t):
        reached, state = _walk(way, found[-1], float(start), float(end))
        if reached < end:
            raise _stopped(system, t, found, reached)
        _refuse_open(system, state[0], float(end))
        found.append(state)
    return _trajectory(system, t, found)


def _first(system: AbsoluteSystem, t: float) -> Array:
    """The drawing, closed, and led to where the drivers are at the first time."""
    x = system.drawn
    rest = system.equations.at(x, None, t).phi
    rest[: len(rest) - system.driver_equations] = 0.0
    x, sizes = system.closed(x, t, rest)
    if not sizes[-1] < CLOSED:
        raise _open(system, x, t)
    way = _Way(
        lambda x, s: system.closed(x, t, (1 - s) * rest),
        lambda x, s: system.rates(x, t, shift_rate=-rest, running=0.0),
        system,
    )
    reached, state = _walk(way, (x, *way.rates(x, 0.0)), 0.0, 1.0)
    if reached < 1.0:
        raise _open(system, state[0], t)
    return state[0]


def _walk(way: _Way, state: State, start: float, end: float) -> tuple[float, State]:
    """From a position to the end of an interval, in as many steps as it takes."""
    s, h, halved = start, end - start, 0
    while s < end and halved <= DEEPEST:
        last = h >= end - s
        new = _step(way, state, s, end - s if last else h)
        if new is None:
            h, halved = 0.5 * min(h, end - s), halved + 1
            continue
        s, state = (end if last else s + h), new
        h, halved = 2 * h, max(0, halved - 1)
    return s, state


def _step(way: _Way, state: State, s: float, h: float) -> State | None:
    """The next position with its rates; None if the step does not count."""
    x, v, _ = state
    move = float(np.max(np.abs(h * v) / way.system.loops.units, initial=0.0))
    if not move <= LARGEST:
        return None
    guess = way.ahead(state, h)
    new, sizes = way.close(guess, s + h)
    fair = FAIR * max(move, 1e-4)
    if not (sizes[-1] < CLOSED and way.apart(new, guess) <= fair):
        return None
    reached = new, *way.rates(new, s + h)
    return reached if way.apart(way.ahead(reached, -h), x) <= fair else None


def _refuse_open(system: AbsoluteSystem, x: Array, t: float) -> None:
    """Least squares close what contradicting drivers leave open: no such position is given out."""
    if system.residual(np.array([t]), x[None]) > OPEN:
        raise _open(system, x, t)


def _refuse_free(system: AbsoluteSystem, x: Array, t: float) -> None:
    """Freedoms without a driver are only allowed where they are idle."""
    balance = system.balance(x[system.places], t)
    idle = mobility(system.m).local if balance.free and system.m.drives else 0
    if balance.free > idle:
        raise StructureError(
            f"{balance.free - idle} freedoms have no driver; give as many drivers as there are "
            f"freedoms\n{balance}"
        )


def _open(system: AbsoluteSystem, x: Array, t: float) -> AssemblyError:
    gap = float(np.max(np.abs(system.equations.at(x, None, t).phi), initial=0.0))
    return AssemblyError(
        f"the mechanism cannot be assembled at t = {t:g} s: the equations stay open by {gap:.6g}; "
        "start from another drawing or time, or leave out drivers that contradict each other\n"
        f"{system.balance(x[system.places], t)}",
        {"equations": gap},
    )


def _stopped(system: AbsoluteSystem, t: Array, found: list[State], at: float) -> DeadPointError:
    done = _trajectory(system, t[: len(found)], found)
    message = f"the drivers cannot move the mechanism beyond t = {at:.9g} s: it is at a dead point"
    values = dict(zip(done.coordinates, done.q[-1].tolist(), strict=True))
    return DeadPointError(message, t=at, values=values, motion=done)


def _trajectory(system: AbsoluteSystem, t: Array, states: list[State]) -> Trajectory:
    """Motion of the free bodies, with the parameters of profiles beside it."""
    x, rates, seconds = (np.array(each) for each in zip(*states, strict=True))
    m, bodies = system.system.m, system.system.m.bodies
    joints = tuple(replace(joint, name=joint.child) for joint in m.joints[: len(bodies)])
    free = Mechanism(system.m.name, bodies, joints, plane=m.plane)
    parts = (
        (x[:, system.places], free.nq, "", "1"),
        (rates[:, system.kept], free.nv, "v_", "1/s"),
        (seconds[:, system.kept], free.nv, "a_", "1/s^2"),
    )
    extra = {
        f"{prefix}beta_{k}": Column(column, unit)
        for values, count, prefix, unit in parts
        for k, column in enumerate(values.T[count:])
    }
    q, v, a = (values[:, :count] for values, count, _, _ in parts)
    audit = Audit(residual=lambda: system.residual(t, x))
    return Trajectory(free, t, q, v, a, extra=extra, method="absolute coordinates", audit=audit)
