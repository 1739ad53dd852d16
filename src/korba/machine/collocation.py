"""Energy over a turn where loads depend on the speed: dE/dx = Q(x, w), w = sqrt(2 E / I).

On each panel E at the points of Gauss is collocated, E_j = E_0 + sum_k A_jk Q(x_k, w_k); A is the
matrix of integrals on a panel. Newton's method takes all panels of the turn that repeats itself at
once: with s = dQ/dE a panel gives the steps of its energies from that of its first one,

    dE = B dE_0 + C dM - S^-1 (rest),   S = 1 - A s,   B = S^-1 1,   C = S^-1 A 1             (1)

so that dE_0 goes from panel to panel by a factor and a share, and comes back after the turn. What
makes it come back is the energy itself, or with a given energy a constant moment M; the latter goes
also where loads do not change with the speed, s = 0, as those that are saturated. Where that does
not converge the turn is marched panel by panel, which tells where a machine stops. Positions are
closed once and serve every turn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import StructureError
from ..spatial.rotation import Array
from ..system.system import any_system
from ..verbs.reduction import reduce as reduced_model
from .panels import INTEGRAL, WEIGHTS, Panels, U
from .reduction import Reduction

MOST, CONVERGED = 30, 1e-13
"""Newton steps on a panel, and the last of them beside the energy."""
SECANTS = 50
SMALL = 1e-6
"""Share of the speed by which loads are differentiated."""


class NoTurnError(StructureError):
    """A machine does not get through its turn: the energy falls to zero."""


@dataclass(frozen=True, eq=False)
class Marching:
    """A turn from panel to panel."""

    reduction: Reduction
    panels: Panels
    """Inertia, slope, and force at a nominal speed."""
    way: float

    @cached_property
    def q(self) -> Array:
        """Positions at all points."""
        return self.reduction.q(self.panels.x)

    def periodic(self, begin: float) -> tuple[float, Array]:
        """The energy that comes back after a turn, from a first guess, and forces at all points."""
        settled = self._at_once(begin, 0.0, held=False)
        if settled is None:
            energy = self._by_turns(lambda e: self._turn(e, 0.0)[0] - e, begin)
            return energy, self._turn(energy, 0.0)[1]
        return settled[0], settled[2]

    def balanced(self, energy: float, moment: float) -> tuple[float, Array]:
        """The constant moment with which an energy comes back, and forces with it at all points."""
        settled = self._at_once(energy, moment, held=True)
        if settled is None:
            moment = self._by_turns(lambda each: self._turn(energy, each)[0] - energy, moment)
            return moment, self._turn(energy, moment)[1]
        return settled[1], settled[2]

    def _at_once(
        self, begin: float, moment: float, *, held: bool
    ) -> tuple[float, float, Array] | None:
        """(1) until steps are small: energy, moment and forces; None where they do not become so.

        With the first energy `held` the moment is changed, else that energy.
        """
        inertia, _, force = self.panels.values
        h = 0.5 * np.diff(self.panels.edges)[:, None]
        first = begin + np.concatenate([[0.0], np.cumsum(h[:, 0] * ((force + moment) @ WEIGHTS))])
        first = np.maximum(first[:-1], 0.1 * begin)
        inside = np.maximum(first[:, None] + h * ((force + moment) @ INTEGRAL.T), 0.1 * begin)
        for _ in range(MOST):
            force, slope = self._sloped(self.q, inside, inertia)
            force = force + moment
            rest = inside - first[:, None] - h * (force @ INTEGRAL.T)
            S = np.eye(len(U)) - h[:, :, None] * INTEGRAL * slope[:, None, :]
            right = np.stack([rest, np.ones_like(rest), h * INTEGRAL.sum(axis=1)], -1)
            if not np.isfinite(S).all():
                return None
            A, B, C = np.moveaxis(np.linalg.solve(S, right), -1, 0)
            factor = 1.0 + h[:, 0] * ((slope * B) @ WEIGHTS)
            share = h[:, 0] * ((force - slope * A) @ WEIGHTS) - (np.roll(first, -1) - first)
            gain = h[:, 0] * ((1.0 + slope * C) @ WEIGHTS)
            starts, change = _come_back(factor, share, gain if held else None)
            step = B * starts[:, None] + C * change - A
            first, inside, moment = first + starts, inside + step, moment + change
            if not (np.all(inside > 0) and np.all(first > 0)):
                return None
            if np.abs(step).max() <= CONVERGED * np.abs(first).max():
                return float(first[0]), moment, self._sloped(self.q, inside, inertia)[0] + moment
        return None

    def _by_turns(self, gain: Callable[[float], float], begin: float) -> float:
        """The energy or moment with which the energy comes back, turn after turn by secants."""
        first = gain(begin)
        root = secant(gain, begin, begin + first, CONVERGED) if first else begin
        if root is None:
            raise StructureError(
                f"steady_cycle: the turns of mechanism {self.reduction.m.name!r} do not come to "
                "one that repeats itself; is its motor stronger than its loads?"
            )
        return root

    def _turn(self, energy: float, moment: float) -> tuple[float, Array]:
        """The energy after the turn, and the forces on the way."""
        half = 0.5 * np.diff(self.panels.edges)
        forces = np.empty(self.panels.x.shape)
        last = 0.0
        for k, h in enumerate(half):
            forces[k] = self._panel(k, h, energy, last, moment)
            energy, last = energy + h * float(WEIGHTS @ forces[k]), float(forces[k, -1])
            if not energy > 0:
                raise self._stops(k + 1)
        return energy, forces

    def _panel(self, k: int, half: float, energy: float, last: float, moment: float) -> Array:
        """Forces at the points of a panel that begins with an energy; `last` is a force before."""
        inertia, q = self.panels.values[0][k], self.q[k]
        inside = np.maximum(energy + half * (1 + U) * last, 0.1 * energy)
        for _ in range(MOST):
            force, slope = self._sloped(q, inside, inertia)
            force = force + moment
            rest = inside - energy - half * (INTEGRAL @ force)
            step = np.linalg.solve(np.eye(len(inside)) - half * INTEGRAL * slope, rest)
            inside = inside - step
            if not np.all(inside > 0):
                raise self._stops(k)
            if np.abs(step).max() <= CONVERGED * energy:
                return force
        raise self._stops(k)

    def _stops(self, k: int) -> NoTurnError:
        """The error of a turn that ends at an edge."""
        r, x = self.reduction, float(self.panels.edges[k])
        return NoTurnError(
            f"steady_cycle: mechanism {r.m.name!r} stops at {r.coordinate} = {x:.6g}: the work of "
            "its loads does not suffice for a turn; give a stronger motor, a higher speed= or a "
            "flywheel="
        )

    def _sloped(self, q: Array, energy: Array, inertia: Array) -> tuple[Array, Array]:
        """Forces at energies, and their slopes by these."""
        speed = np.sqrt(2 * energy / inertia)
        force, more = self._forces(q, np.array([speed, (1 + SMALL) * speed]))
        return force, (more - force) / (SMALL * speed * inertia * speed)

    def _forces(self, q: Array, speed: Array) -> Array:
        """Forces of all loads at positions and several speeds."""
        v = np.zeros((*speed.shape, self.size))
        v[..., self.reduction.place] = self.way * speed
        return np.sum(self._model(q, v, check_finite=False)[2], axis=-1)

    @cached_property
    def _model(self) -> Any:
        """(q, v) -> the reduced model, in machine code."""
        return reduced_model.compiled(self.reduction.m, coordinate=self.reduction.coordinate)

    @cached_property
    def size(self) -> int:
        """Elements of v."""
        return any_system(self.reduction.m).tree.nv


def _come_back(factor: Array, share: Array, gain: Array | None) -> tuple[Array, float]:
    """Steps of the first energies of all panels, s_k+1 = factor_k s_k + share_k, s_n = s_0.

    With a gain s_0 = 0, and gain_k times the change of the moment stands beside the shares.
    """
    change = 0.0
    if gain is not None:
        change = -_after(factor, share)[1] / _after(factor, gain)[1]
        share = share + change * gain
    whole, total = _after(factor, share)
    steps = [0.0 if gain is not None else total / np.float64(1.0 - whole)]
    for f, c in zip(factor[:-1], share[:-1], strict=True):
        steps.append(steps[-1] * f + c)
    return np.array(steps), change


def _after(factor: Array, share: Array) -> tuple[float, float]:
    """What a turn makes of a first step: its factor, and what is added."""
    whole, total = 1.0, 0.0
    for f, c in zip(factor, share, strict=True):
        whole, total = whole * f, total * f + c
    return whole, total


def secant(f: Callable[[float], float], a: float, b: float, close: float) -> float | None:
    """A root of f from two values; None where f is flat, or steps do not become close."""
    before, now = f(a), f(b)
    for _ in range(SECANTS):
        if not now or abs(b - a) <= close * abs(b):
            return b
        if not np.isfinite(now) or now == before:
            return None
        a, b, before = b, b - now * (b - a) / (now - before), now
        now = f(b)
    return None
