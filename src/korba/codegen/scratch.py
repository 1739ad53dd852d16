"""Places in the scratch memory for blocks that live for a while: a place is given out again.

Steps are taken at the times 0, 1, 2, ...; a block is in use from the first step that touches it to
the last. Blocks whose times do not meet may have one place, so that a chain of a thousand links
keeps the memory it works on small enough for the cache.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Block = TypeVar("Block", bound=Hashable)


@dataclass
class Lifetimes(Generic[Block]):
    """The first and last time at which each block is touched, and its size."""

    times: dict[Block, tuple[int, int]] = field(default_factory=dict)
    sizes: dict[Block, int] = field(default_factory=dict)

    def touch(self, block: Block, time: int, size: int = 1) -> None:
        """Note that a step at this time reads or writes the block."""
        first, last = self.times.get(block, (time, time))
        self.times[block] = (min(first, time), max(last, time))
        self.sizes[block] = size

    def offsets(self) -> tuple[dict[Block, int], int]:
        """Where each block is, and how many places there are in all."""
        starting: dict[int, list[Block]] = defaultdict(list)
        ending: dict[int, list[Block]] = defaultdict(list)
        for block, (first, last) in self.times.items():
            starting[first].append(block)
            ending[last].append(block)
        free: dict[int, list[int]] = defaultdict(list)
        places: dict[Block, int] = {}
        count = 0
        for time in sorted({*starting, *ending}):
            for block in starting[time]:
                size = self.sizes[block]
                if not free[size]:
                    free[size].append(count)
                    count += size
                places[block] = free[size].pop()
            for block in ending[time]:
                free[self.sizes[block]].append(places[block])
        return places, count
