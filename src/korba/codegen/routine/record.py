"""From a function to a routine: called with symbols, its constructs write statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import local
from typing import Any

import numpy as np

from korba.codegen.program import parted, program_of, trace
from korba.codegen.routine import ir
from korba.codegen.routine.vector import Vector, common_size, is_long
from korba.errors import ExpressionError
from korba.expr import Expr, variable, where
from korba.expr.node import as_expr

TABLE = "c"
"""How the names of tables of constants begin."""
_recording = local()


def active() -> Recorder | None:
    """Who writes down what the constructs ask for; None where numbers are computed."""
    return getattr(_recording, "recorder", None)


def routine(
    function: Callable[..., Any],
    inputs: Mapping[str, int | None],
    name: str = "",
    streams: tuple[str, ...] = (),
) -> ir.Routine:
    """The routine of a function of vectors (by size) and numbers (None), then of streams."""
    recorder = Recorder()
    arguments = tuple(recorder.array(1 if n is None else n) for n in inputs.values())
    outer, _recording.recorder = active(), recorder
    try:
        given = [
            recorder.got(array, as_expr(0.0)) if n is None else recorder.vector(array)
            for array, n in zip(arguments, inputs.values(), strict=True)
        ]
        found, named, single = parted(function(*given, *streams))
        ends = leaves(found)
        results = recorder.copied(ends)
    finally:
        _recording.recorder = outer
    shapes = tuple((len(x),) if is_long(x) else () for x in ends)
    sizes = tuple((key, array.size) for key, array in zip(inputs, arguments, strict=True))
    tables = tuple(recorder.tables.values())
    parts = arguments, recorder.done, results, tables
    form: dict[str, Any] = {"streams": streams, "single": single, "named": named}
    return ir.Routine(name, sizes, shapes, *parts, **form)


def leaves(state: Any) -> list[Any]:
    """Numbers and vectors of a state, in order."""
    if isinstance(state, tuple | list):
        return [leaf for part in state for leaf in leaves(part)]
    return [state]


def rebuilt(like: Any, values: Iterable[Any]) -> Any:
    """A state of the same form with other numbers and vectors."""
    left = iter(values)

    def made(x: Any) -> Any:
        if not isinstance(x, tuple | list):
            return next(left)
        parts = [made(part) for part in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)

    return made(like)


class Recorder:
    """Statements being written."""

    def __init__(self) -> None:
        self._blocks: list[list[ir.Statement]] = [[]]
        self._placed: list[list[tuple[Vector, Expr]]] = [[]]
        self._count = 0
        self._closed: list[range] = []
        """Numbers of the values that belong to repetitions and branches that are done."""
        self.tables: dict[tuple[float, ...], ir.Array] = {}

    @property
    def done(self) -> ir.Block:
        """What was written."""
        return tuple(self._blocks[0])

    # values

    def _name(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def number(self) -> Expr:
        """A new number."""
        return variable(self._name("s"))

    def array(self, size: int) -> ir.Array:
        """A new array."""
        return ir.Array(self._name("a"), size)

    def vector(self, array: ir.Array) -> Vector:
        """The elements of an array."""
        made = Vector(array.element, array.size, self)
        made.array = array
        return made

    def element(self, x: Any) -> Expr:
        """The element at hand of a vector, or the number."""
        if isinstance(x, Vector):
            return x.element
        if not is_long(x):
            return as_expr(x)
        values = tuple(map(float, x))
        if len(set(values)) <= 1:
            return as_expr(values[0] if values else 0.0)
        if values not in self.tables:
            self.tables[values] = ir.Array(self._name(TABLE), len(values), values)
        return self.tables[values].element

    def placed(self, x: Any) -> ir.Array:
        """An array that holds a vector, or a number."""
        if not isinstance(x, Vector):
            return self.copied([x])[0]
        if x.array is None:
            self._placed[-1].append((x, x.element))
            x.array = self.copied([x])[0]
            x.element = x.array.element
        return x.array

    def copied(self, values: Sequence[Any]) -> tuple[ir.Array, ...]:
        """New arrays that hold values."""
        made = tuple(self.array(len(x) if is_long(x) else 1) for x in values)
        for array, x in zip(made, values, strict=True):
            self._add_each(ir.Each(array.size, ((array, self.element(x)),)))
        return made

    def held(self, x: Any) -> Any:
        """A vector or number that is computed here."""
        return self._read(self.copied([x])[0], is_long(x))

    def _read(self, array: ir.Array, long: object) -> Any:
        return self.vector(array) if long else self.got(array, as_expr(0.0))

    # statements

    def _add(self, statement: ir.Statement) -> None:
        self._refuse_strangers(ir.used(statement), ir.read_arrays(statement))
        self._blocks[-1].append(statement)

    def _refuse_strangers(self, values: Iterable[Expr], arrays: Iterable[ir.Array] = ()) -> None:
        """An error where a value of a repetition or a branch was carried out of it."""
        for name in (*ir.variable_names(values), *(array.name for array in arrays)):
            if name[0] != TABLE and any(int(name[1:]) in own for own in self._closed):
                raise ExpressionError(
                    f"{name} is a value of a repetition or a branch, used outside of it; hand it "
                    "on in the state that `repeat` or `choose` returns"
                )

    def _add_each(self, new: ir.Each) -> None:
        """Element-wise work joins that right before it, if it uses none of its folds."""
        self._refuse_strangers(ir.used(new))
        block = self._blocks[-1]
        last = block[-1] if block else None
        if isinstance(last, ir.Each) and last.size == new.size:
            folds = {str(fold.own.value) for fold in last.folds}
            if not (folds and folds.intersection(ir.variable_names(ir.used(new)))):
                block[-1] = ir.Each(new.size, last.writes + new.writes, last.folds + new.folds)
                return
        block.append(new)

    def fold(self, op: str, x: Any) -> Expr:
        """The sum of the elements of a vector, or their largest."""
        made = self.number()
        self._add_each(ir.Each(len(x), (), (ir.Fold(made, op, self.element(x)),)))
        return made

    def got(self, source: str | ir.Array, index: Expr) -> Expr:
        """An element."""
        made = self.number()
        self._add(ir.Get(made, source, index))
        return made

    def put(self, stream: str, index: Expr, row: Any, when: Expr) -> None:
        """A row of a stream."""
        self._add(ir.Put(stream, index, tuple(self.placed(x) for x in leaves(row)), when))

    def joined(self, parts: Sequence[Any]) -> Vector:
        """Short vectors and numbers one after the other."""
        sizes = {f"x{k}": len(x) if is_long(x) else 1 for k, x in enumerate(parts)}
        return self.run(trace(lambda *x: np.concatenate(x), sizes), parts)

    def part(self, x: Vector, places: range) -> Vector:
        """Some elements of a vector."""
        elements = np.array([variable(f"x[{k}]") for k in places], dtype=object)
        return self.run(program_of([("x", len(x))], elements), (x,))

    def run(self, program: ir.AnyProgram, inputs: Sequence[Any]) -> Any:
        """The results of a program."""
        reads = tuple(self.placed(x) for x in inputs)
        for (name, size), array in zip(program.inputs, reads, strict=True):
            if size != array.size:
                raise ExpressionError(f"{name}: expected {size} elements, got {array.size}")
        writes = tuple(self.array(size) for size in program.sizes)
        self._add(ir.Run(program, reads, writes))
        results = [self._read(*pair) for pair in zip(writes, program.shapes, strict=True)]
        return results[0] if program.single else tuple(results)

    def where(self, condition: Expr, a: Any, b: Any) -> Any:
        """A or b, numbers or vectors."""
        made = where(condition, self.element(a), self.element(b))
        return Vector(made, common_size((a, b)), self) if is_long(a) or is_long(b) else made

    def repeat(self, body: Any, state: Any, while_: Any) -> Any:
        """`repeat` in symbols."""
        starts = leaves(state)
        own = [self.array(len(x)) if is_long(x) else self.number() for x in starts]
        with self._block() as test:
            condition = as_expr(while_(self._state(state, own)))
            self._refuse_strangers([condition])
        with self._block() as inside:
            ends = self._elements(body(self._state(state, own)), starts)
        firsts = [self.element(x) for x in starts]
        self._refuse_strangers(firsts)
        carries = tuple(map(ir.Carry, own, firsts, ends))
        self._blocks[-1].append(ir.Repeat(carries, tuple(test), condition, tuple(inside)))
        return self._state(state, own)

    def choose(self, condition: Expr, yes: Any, no: Any) -> Any:
        """`choose` between functions in symbols."""
        self._refuse_strangers([condition])
        with self._block() as first:
            a = yes()
            yes_ends = self._elements(a, leaves(a))
        with self._block() as second:
            no_ends = self._elements(no(), leaves(a))
        own = [self.array(len(x)) if is_long(x) else self.number() for x in leaves(a)]
        carries = tuple(map(ir.Carry, own, yes_ends, no_ends))
        self._blocks[-1].append(ir.Choose(carries, condition, tuple(first), tuple(second)))
        return self._state(a, own)

    def _elements(self, state: Any, like: list[Any]) -> list[Expr]:
        """The elements at hand of a state that must have the form of another."""
        forms = [
            [len(x) if is_long(x) else None for x in values] for values in (leaves(state), like)
        ]
        if forms[0] != forms[1]:
            raise ExpressionError(
                f"a state must keep its form: expected lengths {forms[1]}, got {forms[0]} "
                "(None is a number)"
            )
        elements = [self.element(x) for x in leaves(state)]
        self._refuse_strangers(elements)
        return elements

    def _state(self, like: Any, own: list[Any]) -> Any:
        return rebuilt(like, [self.vector(x) if isinstance(x, ir.Array) else x for x in own])

    @contextmanager
    def _block(self) -> Iterator[list[ir.Statement]]:
        """Statements inside; a vector that was placed there is not placed outside."""
        first = self._count + 1
        self._blocks.append([])
        self._placed.append([])
        yield self._blocks[-1]
        self._blocks.pop()
        self._closed.append(range(first, self._count + 1))
        for x, element in self._placed.pop():
            x.array, x.element = None, element
