"""Where the arrays of a routine lie in its memory; a place is given again after its last use."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from korba.codegen.routine.ir import (
    Array,
    Block,
    Routine,
    defined_arrays,
    inner_blocks,
    read_arrays,
    used,
    variable_names,
)
from korba.codegen.scratch import Lifetimes

UNIT = 4
"""Elements come in fours, so that vectors of four can be read."""


def frame(routine: Routine) -> tuple[dict[str, int], int]:
    """The place of every array, and the size of the memory."""
    lives, clock = Lifetimes[str](), count()
    sizes = {
        array.name: -(-array.size // UNIT) * UNIT
        for array in routine.arrays.values()
        if array.values is None
    }

    def touch(names: Iterable[str]) -> set[str]:
        """The arrays among the names are in use now."""
        now, own = next(clock), sizes.keys() & set(names)
        for name in sorted(own):
            lives.touch(name, now, sizes[name])
        return own

    def visit(block: Block) -> set[str]:
        """All arrays of a block; what is known outside stays to the end of what uses it."""
        seen: set[str] = set()
        for s in block:
            known, inner = set(lives.times), inner_blocks(s)
            seen |= touch(_names(defined_arrays(s)))
            inside = set[str]().union(*map(visit, inner))
            ends = {*_names([*defined_arrays(s), *read_arrays(s)]), *variable_names(used(s))}
            seen |= touch(ends | (inside & known)) | inside
        return seen

    touch(_names(routine.arguments))
    visit(routine.body)
    touch(_names(routine.results))
    return lives.offsets()


def _names(arrays: Iterable[Array]) -> list[str]:
    return [array.name for array in arrays]
