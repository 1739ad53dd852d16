"""A mechanism's own programs against NumPy: how long one state takes, and that both agree."""

from __future__ import annotations

from collections.abc import Iterator
from timeit import repeat
from typing import Any, NamedTuple

import numpy as np

from ...codegen import Operations, evaluate_program
from ...errors import StructureError
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array
from ...system.system import any_system
from ...verbs.crosscheck import closed_states
from ...verbs.dynamics import forward_dynamics, inverse_dynamics
from ...verbs.states import random_states
from ...verbs.verb import Verb

STATES = 16_384
"""States in a batch, on one thread."""
WORK = 30_000_000
"""Operations in a batch: large programs take fewer states."""
DRAWN = 32
"""Different states, which are repeated."""


class Race(NamedTuple):
    """One verb's program, compiled and by NumPy."""

    verb: str
    operations: Operations
    compiled: float
    """Nanoseconds a state in machine code."""
    numpy: float
    """The same in NumPy."""
    apart: float
    """Largest difference beside the largest number."""

    @property
    def counted(self) -> str:
        """Its operations in words."""
        count = self.operations
        division = f", {count.divisions} divisions" if count.divisions else ""
        return (
            f"{count.multiplications} multiplications, {count.additions} additions{division}, "
            f"{count.trigs} sine-cosine pairs"
        )

    def __str__(self) -> str:
        return (
            f"{self.verb}: {self.counted}; machine code {self.compiled:.0f} ns, NumPy "
            f"{self.numpy:.0f} ns: {self.numpy / self.compiled:.0f} x "
            f"(results agree to {self.apart:.0e})"
        )


def races(m: Mechanism) -> Iterator[Race]:
    """Inverse and forward dynamics of a mechanism at random states, loops closed."""
    system = any_system(m)
    if not system.tree.nv:
        raise StructureError(f"mechanism {m.name!r} has no velocities: there is nothing to compute")
    given = closed_states(m, DRAWN, 0) if system.ties else random_states(system.tree, DRAWN)
    given = {**given, "tau": given["v"][::-1]}
    for verb in (inverse_dynamics, forward_dynamics):
        yield raced(verb, m, given)


def raced(verb: Verb[..., Any], m: Mechanism, given: dict[str, Array]) -> Race:
    """One verb at states that are repeated to a batch."""
    traced = verb.program(m)
    states = min(STATES, max(DRAWN, WORK // max(traced.operations.total, 1)))
    inputs = [
        np.resize(given.get(name, np.full((DRAWN, size), 0.3)), (states, size))
        for name, size in traced.inputs
    ]
    compiled = verb.compiled(m)
    fast, slow = compiled(*inputs), evaluate_program(traced, *inputs)
    apart = float(np.abs(fast - slow).max() / (np.abs(slow).max() or 1.0))
    quick = min(repeat(lambda: compiled(*inputs), repeat=5, number=1))
    plain = min(repeat(lambda: evaluate_program(traced, *inputs), repeat=2, number=1))
    name = verb.name.replace("_", " ")
    return Race(name, traced.operations, quick / states * 1e9, plain / states * 1e9, apart)
