"""What a routine is made of: programs and element-wise work, with control of flow between them.

A value is a number (an expression in the variables `s0`, `s1`, ...) or an array. Arrays hold the
numbers that programs read and write; `a3[i]` in an expression is the element at hand. Statements
follow each other in blocks:

    Each     for i < size: array[i] = expression, ...;  sums and largest of expressions
    Run      arrays = program(arrays)
    Repeat   while condition: what it carries = its new values
    Choose   what it carries = the values of one block or of the other
    Get      number = stream[index]
    Put      row `index` of a stream = arrays, where a condition holds

All state is in what `Repeat` and `Choose` carry. So a printer for many states side by side needs
masks in these two places only, and at `Get` and `Put`: the rest may be computed for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from korba.codegen.keys import digest
from korba.codegen.program import Computed, Operations, Program
from korba.codegen.repetition import Repetition
from korba.expr import Expr, variable
from korba.expr.node import reached

ELEMENT = "[i]"
"""How the name of an element at hand ends."""
_TURNS, _MANY = 100, 10**6  # guesses of how often a repeated program is run


@dataclass(frozen=True)
class Array:
    """An array of a routine; one with `values` is a table of constants."""

    name: str
    size: int
    values: tuple[float, ...] | None = None

    @property
    def element(self) -> Expr:
        """Its element at hand."""
        return variable(f"{self.name}{ELEMENT}")


class Fold(NamedTuple):
    """A number that is the sum ("add") of the elements of x, or the largest ("maximum")."""

    own: Expr
    op: str
    x: Expr


class Carry(NamedTuple):
    """A number or array with two values: at the start and after a turn, or of yes and of no."""

    own: Expr | Array
    first: Expr
    second: Expr


@dataclass(frozen=True)
class Each:
    """Element by element: arrays = expressions, one after the other, and folds."""

    size: int
    writes: tuple[tuple[Array, Expr], ...]
    folds: tuple[Fold, ...] = ()


@dataclass(frozen=True)
class Run:
    """A program on arrays."""

    program: AnyProgram
    reads: tuple[Array, ...]
    writes: tuple[Array, ...]


@dataclass(frozen=True)
class Repeat:
    """While `condition`, `body`; `test` is what the condition needs, each time."""

    carries: tuple[Carry, ...]
    test: Block
    condition: Expr
    body: Block


@dataclass(frozen=True)
class Choose:
    """`yes` where `condition` holds, else `no`."""

    carries: tuple[Carry, ...]
    condition: Expr
    yes: Block
    no: Block


@dataclass(frozen=True)
class Get:
    """An element of a stream; of an array only one at a fixed place."""

    number: Expr
    source: str | Array
    index: Expr


@dataclass(frozen=True)
class Put:
    """A row of a stream, its parts one after the other."""

    stream: str
    index: Expr
    row: tuple[Array, ...]
    when: Expr


Statement = Each | Run | Repeat | Choose | Get | Put
Block = tuple[Statement, ...]


@dataclass(frozen=True)
class Routine(Computed):
    """A block with inputs and results; to a caller a program like any other.

    `streams` are arrays of any length, the same for every state of a batch, read by `Get` and
    written by `Put`: times that are asked for, tables of starts, rows of results.
    """

    arguments: tuple[Array, ...]
    body: Block
    results: tuple[Array, ...]
    tables: tuple[Array, ...] = ()

    @cached_property
    def arrays(self) -> dict[str, Array]:
        """All arrays by name."""
        own = [array for s in walked(self.body) for array in defined_arrays(s)]
        return {array.name: array for array in (*self.tables, *self.arguments, *own)}

    @cached_property
    def programs(self) -> tuple[AnyProgram, ...]:
        """All programs that are run, each once."""
        return tuple(dict.fromkeys(s.program for s in walked(self.body) if isinstance(s, Run)))

    @cached_property
    def operations(self) -> Operations:
        """A guess: how often something is repeated is known only when it runs."""
        turns = _MANY if self.streams else _TURNS  # streams are for long runs
        return Operations(others=turns * sum(p.operations.total for p in self.programs))

    @cached_property
    def digest(self) -> str:
        """A hash of all that decides the results, the same in every process."""
        form = self.inputs, self.shapes, self.single, self.streams
        return digest(form, self.arguments, self.body, self.results, self.tables)


AnyProgram = Program | Repetition | Routine
"""What can be compiled and printed: to a caller all are alike."""


def walked(block: Iterable[Statement]) -> Iterator[Statement]:
    """Every statement, and those inside."""
    for s in block:
        yield s
        for inner in inner_blocks(s):
            yield from walked(inner)


def inner_blocks(s: Statement) -> tuple[Block, ...]:
    """The blocks inside a statement."""
    if isinstance(s, Repeat):
        return s.test, s.body
    return (s.yes, s.no) if isinstance(s, Choose) else ()


def numbers(carries: Iterable[Carry]) -> list[Any]:
    """Those that carry a number."""
    return [carry for carry in carries if isinstance(carry.own, Expr)]


def arrays(carries: Iterable[Carry]) -> list[Any]:
    """Those that carry an array."""
    return [carry for carry in carries if isinstance(carry.own, Array)]


def defined_arrays(s: Statement) -> list[Array]:
    """Arrays that a statement itself gives values to."""
    if isinstance(s, Each):
        return [array for array, _ in s.writes]
    if isinstance(s, Run):
        return list(s.writes)
    return [carry.own for carry in arrays(s.carries)] if isinstance(s, Repeat | Choose) else []


def defined_numbers(s: Statement) -> list[Expr]:
    """Numbers that a statement itself gives values to."""
    if isinstance(s, Each):
        return [fold.own for fold in s.folds]
    if isinstance(s, Get):
        return [s.number]
    return [carry.own for carry in numbers(s.carries)] if isinstance(s, Repeat | Choose) else []


def used(s: Statement) -> list[Expr]:
    """Expressions that a statement itself needs."""
    if isinstance(s, Each):
        return [*(x for _, x in s.writes), *(fold.x for fold in s.folds)]
    if isinstance(s, Repeat | Choose):
        return [s.condition, *(x for carry in s.carries for x in carry[1:])]
    if isinstance(s, Get):
        return [s.index]
    return [s.index, s.when] if isinstance(s, Put) else []


def read_arrays(s: Statement) -> list[Array]:
    """Arrays that a statement itself reads whole."""
    if isinstance(s, Run):
        return list(s.reads)
    if isinstance(s, Get):
        return [s.source] if isinstance(s.source, Array) else []
    return list(s.row) if isinstance(s, Put) else []


def variable_names(expressions: Iterable[Expr]) -> list[str]:
    """Names of the numbers and of the arrays in expressions, each once for every leaf."""
    leaves = (node.value for node in reached(expressions))
    return sorted(name.removesuffix(ELEMENT) for name in leaves if isinstance(name, str))


def is_element(node: Expr) -> bool:
    """Whether a node is the element at hand of an array."""
    return isinstance(node.value, str) and node.value.endswith(ELEMENT)
