"""Steps from blocks to blocks: formulas of arrays, traced once for those with the same key.

A block is an array of numbers in the scratch memory with a name of its own; a step is a formula of
some of them, under names that are the same for all steps of its key. Blocks have a place from the
first step that touches them to the last.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...codegen import symbols
from ...codegen.repetition import CONSTANTS, SCRATCH, Draft, Repeater, Repetition, Spot, Write
from ...codegen.scratch import Lifetimes
from ...expr.node import as_expr, recorded
from ...spatial.rotation import Array

Block = tuple[Hashable, int]
"""What lies in the scratch memory, and how many numbers it has."""
Formula = Callable[[Mapping[str, Array]], Mapping[str, Any]]
"""From the symbols of blocks to what is written."""


@dataclass
class Steps:
    """Steps in their order, and the constants they read."""

    calls: list[tuple[Hashable, Formula, dict[str, Block | Spot]]] = field(default_factory=list)
    constants: list[float] = field(default_factory=list)
    _known: dict[Hashable, Spot] = field(default_factory=dict)

    def constant(self, name: Hashable, values: Array) -> Spot:
        """Where numbers with a name lie."""
        if name not in self._known:
            self._known[name] = Spot(CONSTANTS, len(self.constants), len(values))
            self.constants += [float(x) for x in values]
        return self._known[name]

    def take(self, key: Hashable, formula: Formula, blocks: dict[str, Block | Spot]) -> None:
        """One step."""
        self.calls.append((key, formula, blocks))

    def program(self, name: str, inputs: Any, *shapes: tuple[int, ...]) -> Repetition:
        """All steps one after the other."""
        lives = Lifetimes[Hashable]()
        for time, (_, _, blocks) in enumerate(self.calls):
            for at in blocks.values():
                if not isinstance(at, Spot):
                    lives.touch(at[0], time, at[1])
        offsets, scratch = lives.offsets()
        repeater = Repeater()
        for key, formula, blocks in self.calls:
            spots = {
                n: at if isinstance(at, Spot) else Spot(SCRATCH, offsets[at[0]], at[1])
                for n, at in blocks.items()
            }
            repeater.take(key, lambda f=formula, s=spots: drafted(f, s), spots)  # type: ignore[misc]
        repeater.constants += self.constants
        return repeater.repetition(name, inputs, shapes, scratch)


def drafted(formula: Formula, spots: Mapping[str, Spot]) -> Draft:
    """What a formula writes, in symbols of its blocks."""
    with recorded() as order:
        values = formula({name: symbols(name, spot.size) for name, spot in spots.items()})
    writes = [
        Write(name, k, as_expr(x))
        for name, part in values.items()
        for k, x in enumerate(np.asarray(part, dtype=object).flat)
    ]
    return Draft(writes, order)
