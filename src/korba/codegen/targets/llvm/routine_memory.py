"""Where the arrays of a routine lie: a place is given again after its last use.

A copy whose source nobody reads any more is no copy at all: both have one place. So what `Each`
only copies is not moved in memory, nor what `Choose` takes as it is where its first side does
nothing. A routine that another one calls reads its inputs and writes its results where its caller
has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from korba.codegen.routine import ir
from korba.codegen.scratch import Lifetimes
from korba.expr import Expr

UNIT = 4
"""Elements come in fours, so that vectors of four can be read."""


class Memory:
    """The base and the first element of every array, and the size of the scratch memory."""

    def __init__(self, routine: ir.Routine, called: bool = False) -> None:
        self.routine, self.lives, self.now = routine, Lifetimes[str](), 0
        self.sizes = {
            array.name: -(-array.size // UNIT) * UNIT
            for array in routine.arrays.values()
            if array.values is None
        }
        self.copies: list[tuple[str, str, int]] = []
        """Name, that of the source, and when it is copied."""
        self._touch(_names(routine.arguments))
        self._visit(routine.body)
        self._touch(_names(routine.results))
        first = self._merged()
        outside = self._outside() if called else {}
        shared = {first[name]: place for name, place in outside.items()}
        lives = Lifetimes[str]()
        for name, times in self.lives.times.items():
            if first[name] not in shared:
                for time in times:
                    lives.touch(first[name], time, self.sizes[name])
        offsets, self.size = lives.offsets()
        inside = {name: ("%scratch", offset) for name, offset in offsets.items()}
        self.places = {name: (shared | inside)[own] for name, own in first.items()}

    def _outside(self) -> dict[str, tuple[str, int]]:
        """Inputs and results where the caller has them."""
        ends = {"%in": self.routine.arguments, "%out": self.routine.results}
        return {
            array.name: (f"{base}{k}", 0)
            for base, arrays in ends.items()
            for k, array in enumerate(arrays)
        }

    def _touch(self, names: Iterable[str]) -> set[str]:
        """The arrays among the names are in use now."""
        own = self.sizes.keys() & set(names)
        for name in sorted(own):
            self.lives.touch(name, self.now, self.sizes[name])
        self.now += 1
        return own

    def _visit(self, block: ir.Block) -> set[str]:
        """All arrays of a block; what is known outside stays to the end of what uses it."""
        seen: set[str] = set()
        for s in block:
            known, inner = set(self.lives.times), ir.inner_blocks(s)
            seen |= self._touch(_names(ir.defined_arrays(s)))
            inside = set[str]().union(*map(self._visit, inner))
            ends = {
                *_names([*ir.defined_arrays(s), *ir.read_arrays(s)]),
                *ir.variable_names(ir.used(s)),
            }
            self.copies += [(*pair, self.now) for pair in _copies(s)]
            seen |= self._touch(ends | (inside & known)) | inside
        return seen

    def _merged(self) -> dict[str, str]:
        """For every array the first of those that share its place."""
        first, last = {name: name for name in self.sizes}, dict(self.lives.times)
        given = set(_names(self.routine.arguments))
        for own, source, time in self.copies:
            place = first.get(source)
            if place is None or place in given or self.sizes[own] != self.sizes[source]:
                continue
            if last[place][1] <= time:
                first[own] = place
                last[place] = last[place][0], last[own][1]
        return first


def _copies(s: ir.Statement) -> Iterator[tuple[str, str]]:
    """Arrays that are only copied by a statement, and from where."""
    pairs: Iterable[tuple[ir.Array, Expr]] = ()
    if isinstance(s, ir.Each):
        pairs = s.writes
    elif isinstance(s, ir.Choose) and not s.yes:
        pairs = ((carry.own, carry.first) for carry in ir.arrays(s.carries))
    for own, x in pairs:
        if ir.is_element(x):
            yield own.name, str(x.value).removesuffix(ir.ELEMENT)


def _names(arrays: Iterable[ir.Array]) -> list[str]:
    return [array.name for array in arrays]
