"""How what is said of designs changes with their sizes: through the loops, for many at once.

Positions q of a design p meet Phi(q, p) = 0, so that J dq = -Phi_p, and a verb y(q, p) changes by

    dy/dp = y_q dq/dp + y_p                                                                  (1)

The programs are straight lines like any other: all designs and positions in lanes. Where velocities
and accelerations matter too, dv/dp and da/dp come with dq/dp (solve/sensitivity.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..codegen import Compiled, compile_program
from ..model.mechanism import Mechanism
from ..positions.loop_system import LoopSystem, with_sizes
from ..solve.motion import driven_loops
from ..solve.sensitivity import Slopes as LoopSlopes
from ..spatial.rotation import Array
from ..system.store import kept
from ..trajectory.trajectory import Trajectory
from ..verbs.uses import derivative
from ..verbs.verb import Verb

State = tuple[Array, Array, Array]


@dataclass(frozen=True, eq=False)
class Slopes:
    """Derivatives by named sizes of a driven mechanism."""

    m: Mechanism
    names: tuple[str, ...]
    t: float
    """When the motion begins."""

    @cached_property
    def system(self) -> LoopSystem:
        """Loops and drives with the sizes as inputs."""
        return with_sizes(self.m, driven_loops(self.m, self.t), self.names)

    def of_q(self, q: Array, t: Any, p: Array) -> Array:
        """dq/dp of positions (..., nq) at times (...) of designs (..., names)."""
        clock = np.stack(np.broadcast_arrays(t, np.ones(q.shape[:-1])), axis=-1)
        rest = np.zeros(self.system.wanted)
        return np.asarray(self.system.slopes(q, rest, clock, p, check_finite=False))

    def of(self, verb: Verb[..., Any], q: Array, t: Any, p: Array, **options: Any) -> Array:
        """(1): dy/dp of a verb of positions, the sizes on the last axis."""
        by_q, by_p = self._derivative(verb, options)(q, p, check_finite=False)
        dq = self.of_q(q, t, p)
        rows = by_q.reshape(*q.shape[:-1], -1, q.shape[-1])
        return np.asarray((rows @ dq).reshape(by_p.shape) + by_p)

    def of_rates(self, state: State, t: Array, p: Array) -> State:
        """dq/dp, dv/dp and da/dp of states (designs, ...) at times (designs): (designs, n, names).

        They are nan in singular positions.
        """
        rates = self._loops.rates(t, state, p, len(self.names))
        q, v, a = (np.moveaxis(x, 0, -1) for x in rates)
        return q, v, a

    def of_state(self, moved: Trajectory, k: Array, p: Array) -> State:
        """The same at one time of each design of a motion."""
        return self.of_rates(_state(moved, k), moved.t[k], p)

    def of_verb(
        self, verb: Verb[..., Any], moved: Trajectory, k: Array, p: Array, **options: Any
    ) -> Array:
        """dy/dp of a verb of q, v and a at one time of each design."""
        compiled = self._derivative(verb, options)
        state = dict(zip("qva", _state(moved, k), strict=True)) | {"t": moved.t[k, None], "p": p}
        inputs = [state[name] for name, _ in compiled.signature.inputs]
        *by_state, by_p = compiled(*inputs, check_finite=False)
        rates = dict(zip("qva", self.of_state(moved, k, p), strict=True))
        total = by_p
        for name, by in zip(verb.inputs, by_state, strict=True):
            rows = by.reshape(len(k), -1, by.shape[-1])
            total = total + (rows @ rates[name]).reshape(by_p.shape)
        return np.asarray(total)

    def openness(self, q: Array, t: Array, p: Array) -> Array:
        """Least pivot of the velocity equations over the largest, of positions (..., times, nq)."""
        clock, rest = np.stack([t, np.ones_like(t)], axis=-1), np.zeros(self.system.wanted)
        pivots = self.system.rates(q, rest, rest, clock, p, check_finite=False)[3]
        return np.asarray(pivots.min(axis=-1) / pivots.max(axis=-1))

    def of_openness(self, q: Array, t: Array, p: Array) -> Array:
        """The same by the sizes, of positions (designs, nq): both pivots change."""
        clock, rest = np.stack([t, np.ones_like(t)], axis=-1), np.zeros(self.system.wanted)
        pivots, by_q, by_p = self.system.pivot_slopes(q, rest, rest, clock, p, check_finite=False)
        slopes, lane = by_q @ self.of_q(q, t, p) + by_p, np.arange(len(q))
        low, high = np.argmin(pivots, axis=-1), np.argmax(pivots, axis=-1)
        largest = pivots[lane, high][:, None]
        ratio = pivots[lane, low][:, None] / largest
        return np.asarray((slopes[lane, low] - ratio * slopes[lane, high]) / largest)

    @property
    def _loops(self) -> LoopSlopes:
        own = driven_loops(self.m, self.t)
        key = ("sensitivity", *self.names, own)
        return kept(self.m, key, lambda: LoopSlopes(self.m, self.names, own))

    def _derivative(self, verb: Verb[..., Any], options: dict[str, Any]) -> Compiled:
        key = ("slopes of sizes", verb, self.names, tuple(options.items()))
        by = (*verb.inputs, "p")
        return kept(
            self.m,
            key,
            lambda: compile_program(derivative(verb, self.m, by, parameters=self.names, **options)),
        )


def _state(moved: Trajectory, k: Array) -> State:
    """q, v and a of every design at a time of its own."""
    lane = np.arange(len(k))
    return moved.q[lane, k], moved.v[lane, k], moved.a[lane, k]
