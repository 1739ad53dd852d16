"""Where the arrays of a routine lie in its memory; a place is given again after its last use."""

from __future__ import annotations

from korba.codegen.routine.ir import (
    Array,
    Block,
    Choose,
    Repeat,
    Routine,
    Statement,
    defined_arrays,
    inner_blocks,
    read_arrays,
    used,
    variable_names,
)

UNIT = 4
"""Elements come in fours, so that vectors of four can be read."""


def frame(routine: Routine) -> tuple[dict[str, int], int]:
    """The place of every array, and the size of the memory."""
    places = _Places()
    for array in routine.arguments:
        places.take(array)
    places.block(routine.body, {array.name for array in routine.results})
    return places.places, places.size


class _Places:
    """Memory being given out."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self.size = 0
        self._sizes: dict[str, int] = {}
        self._free: dict[int, list[int]] = {}
        self._known: dict[int, set[str]] = {}

    def take(self, array: Array) -> None:
        """A place for an array, unless it has one."""
        if array.name in self.places:
            return
        size = -(-array.size // UNIT) * UNIT
        free = self._free.setdefault(size, [])
        if not free:
            free.append(self.size)
            self.size += size
        self.places[array.name], self._sizes[array.name] = free.pop(), size

    def give(self, name: str) -> None:
        """The place of an array is free again."""
        self._free[self._sizes[name]].append(self.places[name])

    def block(self, block: Block, after: set[str]) -> list[str]:
        """Places for a block; those of its arrays in `after` are still taken when it is done."""
        last = {name: k for k, s in enumerate(block) for name in self._needs(s)}
        own: set[str] = set()
        for k, s in enumerate(block):
            for array in defined_arrays(s):
                self.take(array)
                own.add(array.name)
            ends = set(variable_names(used(s))) if isinstance(s, Repeat | Choose) else set()
            kept = [name for inner in inner_blocks(s) for name in self.block(inner, ends)]
            done = [name for name in sorted(own - after) if last.get(name, k) <= k]
            for name in (*kept, *done):
                self.give(name)
            own.difference_update(done)
        for name in sorted(own - after):
            self.give(name)
        return sorted(own & after)

    def _needs(self, s: Statement) -> set[str]:
        """Names of what a statement and those inside it use."""
        if id(s) not in self._known:
            names = {*variable_names(used(s)), *(array.name for array in read_arrays(s))}
            inner = (self._needs(each) for block in inner_blocks(s) for each in block)
            self._known[id(s)] = names.union(*inner)
        return self._known[id(s)]
