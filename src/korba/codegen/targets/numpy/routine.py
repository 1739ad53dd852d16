"""A routine evaluated by NumPy: all states of a block at once, those that take no part masked.

Numbers have the shape (N,), arrays (size, N) for N states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from korba.codegen.routine.ir import (
    ELEMENT,
    AnyProgram,
    Array,
    Block,
    Carry,
    Choose,
    Each,
    Get,
    Put,
    Repeat,
    Routine,
    Run,
    arrays,
    numbers,
)
from korba.expr import Expr
from korba.expr.evaluate import computed
from korba.expr.node import postorder

Numbers = NDArray[np.float64]
_FOLDS = {"add": np.sum, "maximum": np.max}
_NOTHING = {"add": 0.0, "maximum": -np.finfo(float).max}


Columns = Callable[[AnyProgram, list[Numbers], int], list[Numbers]]
"""What evaluates a program that a routine runs."""


def routine_columns(
    routine: Routine, inputs: list[Numbers], count: int, streams: tuple[Any, ...], run: Columns
) -> list[Numbers]:
    """Results of shape (size, N) for inputs of that shape."""
    own = _Evaluation(routine, dict(zip(routine.streams, streams, strict=True)), count, run)
    own.arrays |= {array.name: x for array, x in zip(routine.arguments, inputs, strict=True)}
    with np.errstate(all="ignore"):
        own.block(routine.body, np.ones(count, dtype=bool))
    return [own.arrays[array.name] for array in routine.results]


class _Evaluation:
    """Numbers and arrays by name while a routine is evaluated."""

    def __init__(self, routine: Routine, streams: dict[str, Any], count: int, run: Columns) -> None:
        self.streams, self.count, self.run = streams, count, run
        self.numbers: dict[str, Any] = {}
        self.arrays: dict[str, Any] = {a.name: np.array(a.values)[:, None] for a in routine.tables}

    def value(self, node: Expr, size: int | None = None) -> Numbers:
        """A number, shape (N,), or elements, shape (size, N)."""
        (found,) = computed(postorder([node]), [node], self._leaf)
        shape = (self.count,) if size is None else (size, self.count)
        return np.broadcast_to(found, shape)

    def _leaf(self, name: str) -> Numbers:
        found = self.numbers.get(name)
        return self.arrays[name.removesuffix(ELEMENT)] if found is None else found

    def block(self, block: Block, active: Any) -> None:
        """Statements one after the other, for the active states."""
        for s in block:
            getattr(self, f"_{type(s).__name__.lower()}")(s, active)

    def _each(self, s: Each, active: Any) -> None:
        del active
        for array, x in s.writes:
            self.arrays[array.name] = self.value(x, s.size)
        for own, op, x in s.folds:
            self.numbers[str(own.value)] = _FOLDS[op](
                self.value(x, s.size), axis=0, initial=_NOTHING[op]
            )  # type: ignore[operator]

    def _run(self, s: Run, active: Any) -> None:
        del active
        inputs = [self.arrays[array.name] for array in s.reads]
        for array, value in zip(s.writes, self.run(s.program, inputs, self.count), strict=True):
            self.arrays[array.name] = value

    def _get(self, s: Get, active: Any) -> None:
        if isinstance(s.source, Array):
            self.numbers[str(s.number.value)] = self.arrays[s.source.name][int(s.index.value)]  # type: ignore[arg-type]
        else:
            index = np.where(active, np.nan_to_num(self.value(s.index)), 0).astype(int)
            self.numbers[str(s.number.value)] = np.ravel(self.streams[s.source])[index]

    def _put(self, s: Put, active: Any) -> None:
        row = np.concatenate([self.arrays[array.name] for array in s.row]).T
        lanes = np.flatnonzero(active & (self.value(s.when) != 0))
        table = self.streams[s.stream].reshape(-1, row.shape[1])
        table[self.value(s.index)[lanes].astype(int)] = row[lanes]

    def _assign(self, carries: Iterable[Carry], which: str, mask: Any = None) -> None:
        """What is carried = its first or second value, all at once; for some states only."""
        carries = list(carries)
        pairs: list[tuple[Any, Any, Any]] = [
            (self.numbers, str(c.own.value), self.value(getattr(c, which)))
            for c in numbers(carries)
        ]
        pairs += [
            (self.arrays, c.own.name, self.value(getattr(c, which), c.own.size))
            for c in arrays(carries)
        ]
        for store, key, value in pairs:
            keep = mask is not None and key in store
            store[key] = np.where(mask, value, store[key]) if keep else value

    def _repeat(self, s: Repeat, active: Any) -> None:
        self._assign(s.carries, "first")
        while True:
            self.block(s.test, active)
            mask = active & (self.value(s.condition) != 0)
            if not mask.any():
                return
            self.block(s.body, mask)
            self._assign(s.carries, "second", mask)

    def _choose(self, s: Choose, active: Any) -> None:
        condition = self.value(s.condition) != 0
        for carry in numbers(s.carries):
            self.numbers[str(carry.own.value)] = np.zeros(self.count)
        for carry in arrays(s.carries):
            self.arrays[carry.own.name] = np.zeros((carry.own.size, self.count))
        sides = (s.yes, "first", condition), (s.no, "second", ~condition)
        for block, which, wanted in sides:
            mask = active & wanted
            if mask.any():
                self.block(block, mask)
                self._assign(s.carries, which, mask)
