"""A repetition: a few traced steps, and tables that say on what each of them is run.

Straight-line code of a long recursion is long. Where the same few steps are taken again and again
on different numbers, each is traced once, and the program is a list of rows,

    step, offset, offset, ...

worked through from first to last. A step reads and writes places: arrays of the program (inputs,
results, the scratch memory of one state, a table of constants) at the offsets in its row. To a
caller it is a program like any other.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from korba.codegen.program import Formed, Operations, Program, Signature

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
class Repetition(Formed):
    """Steps taken row by row; `scratch` is the number of places of one state between them."""

    steps: tuple[Step, ...]
    rows: tuple[tuple[int, ...], ...]
    """The number of a step, then its offsets."""
    constants: tuple[float, ...]
    scratch: int
    single: bool = True

    @cached_property
    def signature(self) -> Signature:
        """What a caller has to know."""
        return Signature(
            self.name, self.inputs, self.shapes, self.single, self.digest, self.operations
        )

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
        digest = sha256(repr((self.inputs, self.shapes, self.single, self.scratch)).encode())
        for step in self.steps:
            digest.update(repr((step.program.digest, step.reads, step.writes)).encode())
        digest.update(repr(self.rows).encode())
        digest.update(" ".join(x.hex() for x in self.constants).encode())
        return digest.hexdigest()
