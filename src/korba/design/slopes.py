"""How what is said of designs changes with their sizes: through the loops, for many at once.

Positions q of a design p meet Phi(q, p) = 0, so that J dq = -Phi_p, and a verb y(q, p) changes by

    dy/dp = y_q dq/dp + y_p                                                                  (1)

The programs are straight lines like any other: all designs and positions in lanes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..codegen import Compiled, compile_program
from ..model.mechanism import Mechanism
from ..solve.loop_system import LoopSystem, with_sizes
from ..solve.motion import driven_loops
from ..spatial.rotation import Array
from ..verbs.store import kept
from ..verbs.uses import derivative
from ..verbs.verb import Verb


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

    def _derivative(self, verb: Verb[..., Any], options: dict[str, Any]) -> Compiled:
        key = ("slopes of sizes", verb, self.names, tuple(options.items()))
        return kept(
            self.m,
            key,
            lambda: compile_program(
                derivative(verb, self.m, ("q", "p"), parameters=self.names, **options)
            ),
        )
