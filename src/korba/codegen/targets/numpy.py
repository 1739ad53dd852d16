"""The reference target: programs of every kind evaluated by NumPy, a block of states at a time.

In a routine numbers have the shape (N,), arrays (size, N) for the N states of a block; those that
take no part are masked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from korba.codegen.arguments import checked
from korba.codegen.program import Program
from korba.codegen.repetition import CONSTANTS, SCRATCH, Repetition
from korba.codegen.routine import ir
from korba.expr import Expr
from korba.expr.evaluate import computed
from korba.expr.node import postorder

Numbers = NDArray[np.float64]
_BLOCK = 4096  # states: values in between stay in the cache
_FOLDS = {"add": np.sum, "maximum": np.max}
_NOTHING = {"add": 0.0, "maximum": -np.finfo(float).max}


def evaluate_program(
    program: ir.AnyProgram,
    *inputs: ArrayLike,
    streams: Iterable[Any] = (),
    check_finite: bool = True,
) -> Any:
    """The program's results, as its compiled form gives them: shapes (..., *shape)."""
    batch, given = checked(program, inputs, check_finite)
    count, tables = int(np.prod(batch, dtype=int)), tuple(streams)
    flat = [np.broadcast_to(x, (*batch, x.shape[-1])).reshape(count, x.shape[-1]).T for x in given]
    results = [np.empty((count, size)) for size in program.sizes]
    for start in range(0, count, _BLOCK):
        part = slice(start, start + _BLOCK)
        block = [x[:, part] for x in flat]
        here = min(_BLOCK, count - start)
        for result, columns in zip(results, _columns(program, block, here, tables), strict=True):
            result[part] = columns.T
    shaped = tuple(
        x.reshape((*batch, *shape)) for x, shape in zip(results, program.shapes, strict=True)
    )
    return shaped[0] if program.single else shaped


def _columns(
    program: ir.AnyProgram, inputs: list[Numbers], count: int, streams: tuple[Any, ...] = ()
) -> list[Numbers]:
    """Results of shape (size, N) for inputs of that shape."""
    if isinstance(program, ir.Routine):
        return _routine_columns(program, inputs, count, streams)
    if isinstance(program, Repetition):
        return _repetition_columns(program, inputs, count)
    values = [np.broadcast_to(x, count) for x in _output_values(program, inputs)]
    rows = np.array(values).reshape(len(values), count)
    return np.split(rows, np.cumsum(program.sizes)[:-1])


def _output_values(program: Program, inputs: list[Numbers]) -> list[Any]:
    """The value of each output of a straight program."""

    def element(name: str) -> Numbers:
        which, place = program.places[name]
        return inputs[which][place]

    return computed(program.nodes, program.outputs, element)


def _repetition_columns(repetition: Repetition, inputs: list[Numbers], count: int) -> list[Numbers]:
    """Rows of the table taken one by one, for a block of states."""
    outputs = [np.zeros((size, count)) for size in repetition.sizes]
    memory = {f"in{k}": array for k, array in enumerate(inputs)}
    memory |= {f"out{k}": array for k, array in enumerate(outputs)}
    memory[CONSTANTS] = np.array(repetition.constants)[:, None]
    memory[SCRATCH] = np.zeros((repetition.scratch, count))
    for which, *offsets in repetition.rows:
        step = repetition.steps[which]
        given = [
            memory[place.array][offsets[place.column - 1] :][:size]
            for place, (_, size) in zip(step.reads, step.program.inputs, strict=True)
        ]
        values = _output_values(step.program, given)
        for (place, element), value in zip(step.writes, values, strict=True):
            memory[place.array][offsets[place.column - 1] + element] = value
    return outputs


def _routine_columns(
    routine: ir.Routine, inputs: list[Numbers], count: int, streams: tuple[Any, ...]
) -> list[Numbers]:
    """The statements of a routine, for a block of states."""
    own = _Evaluation(routine, dict(zip(routine.streams, streams, strict=True)), count)
    own.arrays |= {array.name: x for array, x in zip(routine.arguments, inputs, strict=True)}
    with np.errstate(all="ignore"):
        own.block(routine.body, np.ones(count, dtype=bool))
    return [own.arrays[array.name] for array in routine.results]


class _Evaluation:
    """Numbers and arrays by name while a routine is evaluated."""

    def __init__(self, routine: ir.Routine, streams: dict[str, Any], count: int) -> None:
        self.streams, self.count = streams, count
        self.numbers: dict[str, Any] = {}
        self.arrays: dict[str, Any] = {a.name: np.array(a.values)[:, None] for a in routine.tables}

    def value(self, node: Expr, size: int | None = None) -> Numbers:
        """A number, shape (N,), or elements, shape (size, N)."""
        (found,) = computed(postorder([node]), [node], self._leaf)
        shape = (self.count,) if size is None else (size, self.count)
        return np.broadcast_to(found, shape)

    def _leaf(self, name: str) -> Numbers:
        found = self.numbers.get(name)
        return self.arrays[name.removesuffix(ir.ELEMENT)] if found is None else found

    def block(self, block: ir.Block, active: Any) -> None:
        """Statements one after the other, for the active states."""
        for s in block:
            getattr(self, f"_{type(s).__name__.lower()}")(s, active)

    def _each(self, s: ir.Each, active: Any) -> None:
        del active
        for array, x in s.writes:
            self.arrays[array.name] = self.value(x, s.size)
        for own, op, x in s.folds:
            self.numbers[str(own.value)] = _FOLDS[op](
                self.value(x, s.size), axis=0, initial=_NOTHING[op]
            )  # type: ignore[operator]

    def _run(self, s: ir.Run, active: Any) -> None:
        del active
        inputs = [self.arrays[array.name] for array in s.reads]
        for array, value in zip(s.writes, _columns(s.program, inputs, self.count), strict=True):
            self.arrays[array.name] = value

    def _get(self, s: ir.Get, active: Any) -> None:
        if isinstance(s.source, ir.Array):
            self.numbers[str(s.number.value)] = self.arrays[s.source.name][int(s.index.value)]  # type: ignore[arg-type]
        else:
            index = np.where(active, np.nan_to_num(self.value(s.index)), 0).astype(int)
            self.numbers[str(s.number.value)] = np.ravel(self.streams[s.source])[index]

    def _put(self, s: ir.Put, active: Any) -> None:
        row = np.concatenate([self.arrays[array.name] for array in s.row]).T
        lanes = np.flatnonzero(active & (self.value(s.when) != 0))
        table = self.streams[s.stream].reshape(-1, row.shape[1])
        table[self.value(s.index)[lanes].astype(int)] = row[lanes]

    def _assign(self, carries: Iterable[ir.Carry], which: str, mask: Any = None) -> None:
        """What is carried = its first or second value, all at once; for some states only."""
        carries = list(carries)
        pairs: list[tuple[Any, Any, Any]] = [
            (self.numbers, str(c.own.value), self.value(getattr(c, which)))
            for c in ir.numbers(carries)
        ]
        pairs += [
            (self.arrays, c.own.name, self.value(getattr(c, which), c.own.size))
            for c in ir.arrays(carries)
        ]
        for store, key, value in pairs:
            keep = mask is not None and key in store
            store[key] = np.where(mask, value, store[key]) if keep else value

    def _repeat(self, s: ir.Repeat, active: Any) -> None:
        self._assign(s.carries, "first")
        while True:
            self.block(s.test, active)
            mask = active & (self.value(s.condition) != 0)
            if not mask.any():
                return
            self.block(s.body, mask)
            self._assign(s.carries, "second", mask)

    def _choose(self, s: ir.Choose, active: Any) -> None:
        condition = self.value(s.condition) != 0
        for carry in ir.numbers(s.carries):
            self.numbers[str(carry.own.value)] = np.zeros(self.count)
        for carry in ir.arrays(s.carries):
            self.arrays[carry.own.name] = np.zeros((carry.own.size, self.count))
        sides = (s.yes, "first", condition), (s.no, "second", ~condition)
        for block, which, wanted in sides:
            mask = active & wanted
            if mask.any():
                self.block(block, mask)
                self._assign(s.carries, which, mask)
