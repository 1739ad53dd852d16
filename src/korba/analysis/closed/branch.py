"""Following a mechanism along a path of its drives, on one branch.

From a position, its velocity and acceleration predict the next one (Gronowicz 2.147),

    q(s + h) = q + h q' + h^2/2 q''

and Newton's method corrects it. A step counts only if the correction is small beside the step,
shrinks from iteration to iteration, and the way back predicts the position before as well; else
it is halved. So a branch is followed or the step shrinks to nothing: then there is a dead point.
Between the nodes positions follow from Hermite interpolation and Newton's method, many at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...spatial.rotation import Array
from .loop_system import LoopSystem

Inputs = tuple[Array, Array, Array]
"""`wanted`, `speed` and `clock` of a loop system."""

LARGEST_MOVE = 0.35
"""Radians, or typical lengths, that a coordinate may change from node to node."""
FAIR = 0.25
"""Largest correction that counts, as a part of the step."""
AIM = 0.02
"""The part of the step that corrections should take."""
SMALLEST = 1e-9
"""The part of the whole path below which a step is given up."""
CLOSED = 1e-13
"""Residual of closed loops, in typical lengths and radians."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """Positions along a path, with what is known there."""

    s: Array
    q: Array
    rate: Array
    """dq/ds."""
    complete: bool
    """Whether the end was reached."""
    interrupted: bool = False
    """Whether the user stopped it."""


@dataclass(frozen=True, eq=False)
class Along:
    """A loop system on a path: s -> what is wanted."""

    system: LoopSystem
    inputs: Callable[[Any], Inputs]

    def corrected(self, q: Array, s: float) -> tuple[Array, list[float]]:
        """Newton's method from a guess: the position, and the size of every step.

        Ends when steps are at rounding level or stop shrinking.
        """
        wanted, _, clock = self.inputs(s)
        sizes: list[float] = []
        for _ in range(12):
            q, x, _ = self.system.newton(q, wanted, clock, check_finite=False)
            sizes.append(float(np.max(np.abs(x) / self.system.units, initial=0.0)))
            if not sizes[-1] > 1e-9 or (len(sizes) > 1 and sizes[-1] > 0.5 * sizes[-2]):
                break
        return q, sizes

    def gap(self, q: Array, s: float) -> float:
        """Largest residual, in typical lengths and radians."""
        wanted, _, clock = self.inputs(s)
        residual = self.system.residuals(q, wanted, clock, check_finite=False)
        return float(np.max(np.abs(residual) / self.system.size, initial=0.0))

    def state(self, q: Array, s: float) -> tuple[Array, Array]:
        """dq/ds and d2q/ds2 (zero for coordinates of quaternions)."""
        _, a, rate, _ = self.system.rates(q, *self.inputs(s), check_finite=False)
        return rate, np.where(self.system.own >= 0, a[self.system.own], 0.0)

    def size(self, change: Array) -> float:
        """Largest change of a coordinate, in radians and typical lengths."""
        return float(np.max(np.abs(change) / self.system.q_units, initial=0.0))


def follow(
    along: Along,
    q: Array,
    start: float,
    end: float,
    *,
    told: Callable[[float], object] = lambda s: None,
) -> Nodes:
    """Nodes from `start` to `end`, or to where it does not go on.

    `told` hears of every node. An interrupt from the keyboard ends it with the nodes so far.
    """
    nodes = [(start, q, along.state(q, start)[0])]
    stopped = False
    try:
        for node in _steps(along, q, start, end):
            nodes.append(node)
            told(node[0])
    except KeyboardInterrupt:
        stopped = True
    s, qs, rates = (np.array(each) for each in zip(*nodes, strict=True))
    complete = abs(s[-1] - end) <= 1e-12 * max(1.0, abs(end - start))
    return Nodes(s, qs, rates, bool(complete), stopped and not complete)


def _steps(
    along: Along, q: Array, start: float, end: float
) -> Iterator[tuple[float, Array, Array]]:
    """One node after the other, with steps as long as they count."""
    s, whole = start, end - start
    rate, bend = along.state(q, s)
    speed = along.size(rate)
    h = whole if not speed > 0 else np.sign(whole) * min(abs(whole), 0.1 / speed)
    while (end - s) * np.sign(whole) > 1e-14 * abs(whole):
        step = _step(along, (s, q, rate, bend), h)
        if step is None:
            h = 0.5 * h
            if abs(h) < SMALLEST * abs(whole):
                return
            continue
        q, rate, bend, correction, move = step
        s = s + h
        yield s, q, rate
        growth = (AIM * max(move, 1e-3) / max(correction, 1e-16)) ** (1 / 3)
        h = h * min(2.0, max(0.5, growth))
        speed = along.size(rate)
        h = np.sign(whole) * min(abs(h), LARGEST_MOVE / max(speed, 1e-300), abs(end - s))


def _step(
    along: Along, state: tuple[float, Array, Array, Array], h: float
) -> tuple[Array, Array, Array, float, float] | None:
    """The next position with rates, correction and size of the step; None if it does not count."""
    s, q, rate, bend = state
    move = along.size(h * rate)
    small = max(move, 1e-3)
    new, sizes = along.corrected(q + h * rate + 0.5 * h * h * bend, s + h)
    if not (sizes[-1] <= 1e-9 and sizes[0] <= FAIR * small) or move > 4 * LARGEST_MOVE:
        return None
    new_rate, new_bend = along.state(new, s + h)
    back = new - h * new_rate + 0.5 * h * h * new_bend - q
    if not along.size(back) <= FAIR * small:
        return None
    return new, new_rate, new_bend, sizes[0], move


def filled(along: Along, nodes: Nodes, s: Array) -> Array:
    """Positions at all `s` between the nodes, closed to rounding."""
    k = np.clip(np.searchsorted(nodes.s, s, side="right") - 1, 0, max(0, len(nodes.s) - 2))
    guess = _hermite(nodes, k, s) if len(nodes.s) > 1 else np.repeat(nodes.q, len(s), axis=0)
    wanted, _, clock = along.inputs(s)
    q = guess
    for _ in range(6):
        q, x, _ = along.system.newton(q, wanted, clock, check_finite=False)
        if not float(np.max(np.abs(x) / along.system.units, initial=0.0)) > 1e-9:
            break
    return q


def _hermite(nodes: Nodes, k: Array, s: Array) -> Array:
    """Cubic through positions and rates at both ends."""
    h = (nodes.s[k + 1] - nodes.s[k])[:, None]
    u = (s - nodes.s[k])[:, None] / h
    q_0, q_1, d_0, d_1 = nodes.q[k], nodes.q[k + 1], h * nodes.rate[k], h * nodes.rate[k + 1]
    c, d = 3 * (q_1 - q_0) - 2 * d_0 - d_1, 2 * (q_0 - q_1) + d_0 + d_1
    return np.asarray(q_0 + u * (d_0 + u * (c + u * d)))
