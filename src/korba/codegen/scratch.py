"""Places in the scratch memory for blocks that live for a while: a place is given out again.

A repetition takes its steps at the times 0, 1, 2, ...; a block is in use from the first step
that touches it to the last. Blocks whose times do not meet may have one place, so that a chain of a
thousand links keeps the memory it works on small enough for the cache.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field


@dataclass
class Lifetimes:
    """The first and last time at which each block is touched, and its size."""

    times: dict[Hashable, tuple[int, int]] = field(default_factory=dict)
    sizes: dict[Hashable, int] = field(default_factory=dict)

    def touch(self, block: Hashable, time: int, size: int) -> None:
        """Note that a step at this time reads or writes the block."""
        first, last = self.times.get(block, (time, time))
        self.times[block] = (min(first, time), max(last, time))
        self.sizes[block] = size

    def offsets(self) -> tuple[dict[Hashable, int], int]:
        """Where each block is, and how many places there are in all."""
        starting = _by(((first, block) for block, (first, _) in self.times.items()))
        ending = _by(((last, block) for block, (_, last) in self.times.items()))
        free: dict[int, list[int]] = {}
        found: dict[Hashable, int] = {}
        count = 0
        for time in sorted({*starting, *ending}):
            for block in starting.get(time, ()):
                size = self.sizes[block]
                if not free.get(size):
                    free.setdefault(size, []).append(count)
                    count += size
                found[block] = free[size].pop()
            for block in ending.get(time, ()):
                free.setdefault(self.sizes[block], []).append(found[block])
        return found, count


def _by(pairs: Iterable[tuple[int, Hashable]]) -> dict[int, list[Hashable]]:
    found: dict[int, list[Hashable]] = {}
    for time, block in pairs:
        found.setdefault(time, []).append(block)
    return found
