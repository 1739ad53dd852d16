"""A repetition: a few traced steps, and tables that say on what each of them is run.

Straight-line code of a long recursion is long. Where the same few steps are taken again and again
on different numbers, each is traced once, and the program is a list of rows,

    step, offset, offset, ...

worked through from first to last. A step reads and writes places: arrays of the program (inputs,
results, the scratch memory of one state, a table of constants) at the offsets in its row. To a
caller it is a program like any other. A `Repeater` puts one together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from korba.codegen.keys import digest
from korba.codegen.program import Computed, Operations, Program, array_of, program_of, symbols
from korba.codegen.scratch import Lifetimes
from korba.expr import Expr
from korba.expr.node import as_expr, reached, recorded

CONSTANTS, SCRATCH = "constants", "scratch"
"""Names of the arrays of a repetition besides `in0`, `in1`, ... and `out0`, ..."""


@dataclass(frozen=True)
class Place:
    """An array of the program, and the column of the row that says where in it to begin."""

    array: str
    column: int


@dataclass(frozen=True)
class Step:
    """One traced step.

    `reads` gives the place of each input of `program`, `writes` the place and element at which
    each of its outputs is kept.
    """

    program: Program
    reads: tuple[Place, ...]
    writes: tuple[tuple[Place, int], ...]

    @property
    def places(self) -> list[Place]:
        """All places, each once."""
        return list(dict.fromkeys([*self.reads, *(place for place, _ in self.writes)]))


@dataclass(frozen=True)
class Repetition(Computed):
    """Steps taken row by row; `scratch` is the number of places of one state between them."""

    steps: tuple[Step, ...]
    rows: tuple[tuple[int, ...], ...]
    """The number of a step, then its offsets."""
    constants: tuple[float, ...]
    scratch: int

    @cached_property
    def operations(self) -> Operations:
        """The operations of one evaluation: those of every step, as often as it is taken."""
        taken = Counter(row[0] for row in self.rows)
        counts = [0] * len(vars(Operations()))
        for k, step in enumerate(self.steps):
            for place, count in enumerate(vars(step.program.operations).values()):
                counts[place] += taken[k] * count
        return Operations(*counts)

    @cached_property
    def digest(self) -> str:
        """A hash of all that decides the results, the same in every process."""
        form = self.inputs, self.shapes, self.single, self.scratch
        return digest(form, self.steps, self.rows, self.constants)


class Write(NamedTuple):
    """An expression and its place: a block by name, and an element in it."""

    block: str
    element: int
    value: Expr


@dataclass
class Draft:
    """What a step finds, in symbols `block[element]`; `order` is that of its formula."""

    writes: list[Write] = field(default_factory=list)
    order: list[Expr] = field(default_factory=list)


class Spot(NamedTuple):
    """Where a block lies: an array of the program, and the elements in it."""

    array: str
    start: int
    size: int = 1


Block = tuple[Hashable, int]
"""Numbers in the scratch memory with a name of their own, and how many they are."""
Formula = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""From the symbols of blocks to what is written, by the names that blocks have in a step."""


@dataclass
class Repeater:
    """A repetition being put together: steps by their keys, rows and constants as they come.

    What a step reads and writes lies at a `Spot`; or it is a `Block`, which has a place in the
    scratch memory from the first step that touches it to the last. Spots have the places there
    below `fixed`.
    """

    fixed: int = 0
    names: dict[Hashable, list[str]] = field(default_factory=dict)
    """Blocks that a step reads or writes, in the order of the columns of its rows."""
    steps: list[Step] = field(default_factory=list)
    constants: list[float] = field(default_factory=list)
    _rows: list[tuple[int, list[Spot | Block]]] = field(default_factory=list)
    _numbers: dict[Hashable, int] = field(default_factory=dict)
    _known: dict[Hashable, Spot] = field(default_factory=dict)

    def constant(self, name: Hashable, values: Iterable[float]) -> Spot:
        """Where numbers with a name lie."""
        if name not in self._known:
            numbers = [float(x) for x in values]
            self._known[name] = Spot(CONSTANTS, len(self.constants), len(numbers))
            self.constants += numbers
        return self._known[name]

    def step(self, key: Hashable, draft: Draft, at: Callable[[str], Spot | Block]) -> None:
        """A new step; `at` tells where a block lies, of which only the array counts."""
        values = [write.value for write in draft.writes]
        reads = blocks_in(values)
        names = list(dict.fromkeys([*reads, *(write.block for write in draft.writes)]))
        place = {name: Place(_array(at(name)), k + 1) for k, name in enumerate(names)}
        program = program_of(list(reads.items()), array_of(values), "", draft.order)
        writes = tuple((place[write.block], write.element) for write in draft.writes)
        self.names[key], self._numbers[key] = names, len(self.steps)
        self.steps.append(Step(program, tuple(place[name] for name in reads), writes))

    def row(self, key: Hashable, at: Callable[[str], Spot | Block]) -> None:
        """A step once more, its blocks where `at` tells."""
        self._rows.append((self._numbers[key], [at(name) for name in self.names[key]]))

    def take(
        self, key: Hashable, draft: Callable[[], Draft], blocks: Mapping[str, Spot | Block]
    ) -> None:
        """A step with these blocks, traced if the key is new."""
        if key not in self.names:
            self.step(key, draft(), blocks.__getitem__)
        self.row(key, blocks.__getitem__)

    def formula(self, key: Hashable, formula: Formula, blocks: Mapping[str, Spot | Block]) -> None:
        """The step of a formula, written with symbols of its blocks if the key is new."""
        self.take(key, lambda: _drafted(formula, blocks), blocks)

    def repetition(
        self, name: str, inputs: Iterable[tuple[str, int]], shapes: tuple[tuple[int, ...], ...]
    ) -> Repetition:
        """The program of all rows so far."""
        lives = Lifetimes[Hashable]()
        for time, (_, places) in enumerate(self._rows):
            for at in places:
                if not isinstance(at, Spot):
                    lives.touch(at[0], time, at[1])
        offsets, scratch = lives.offsets()

        def start(at: Spot | Block) -> int:
            return at.start if isinstance(at, Spot) else self.fixed + offsets[at[0]]

        rows = tuple((number, *map(start, places)) for number, places in self._rows)
        body = tuple(self.steps), rows, tuple(self.constants), self.fixed + scratch
        return Repetition(name, tuple(inputs), shapes, *body, single=len(shapes) == 1)


def _array(at: Spot | Block) -> str:
    return at.array if isinstance(at, Spot) else SCRATCH


def _drafted(formula: Formula, blocks: Mapping[str, Spot | Block]) -> Draft:
    """What a formula writes, in symbols of its blocks."""
    sizes = {name: at.size if isinstance(at, Spot) else at[1] for name, at in blocks.items()}
    with recorded() as order:
        values = formula({name: symbols(name, size) for name, size in sizes.items()})
    writes = [
        Write(name, k, as_expr(x))
        for name, part in values.items()
        for k, x in enumerate(np.asarray(part, dtype=object).flat)
    ]
    return Draft(writes, order)


def blocks_in(expressions: Iterable[Expr]) -> dict[str, int]:
    """Blocks of which elements stand in expressions, sorted, with the sizes they must have."""
    sizes: dict[str, int] = {}
    for e in reached(expressions):
        if e.op == "variable":
            block, _, element = str(e.value)[:-1].rpartition("[")
            sizes[block] = max(sizes.get(block, 0), int(element) + 1)
    return dict(sorted(sizes.items()))
