"""Routines and repetitions as Python with NumPy: many states side by side, masked.

Numbers of a routine have the shape (count,), arrays (size, count); what a state that takes no part
would do is computed and thrown away, as the reference target does it (numpy.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from korba.codegen.program import Program
from korba.codegen.repetition import CONSTANTS, SCRATCH, Repetition, Step
from korba.codegen.routine import ir
from korba.codegen.targets.python import (
    PythonLines,
    batch_line,
    element_of,
    number,
    python_text,
    returned,
)
from korba.codegen.targets.target import Target
from korba.errors import StructureError

_SMALLEST = -1.7976931348623157e308


def numpy_text(program: ir.AnyProgram, name: str) -> str:
    """The file with the function `name`."""
    if isinstance(program, Program):
        return python_text(program, name)
    if program.streams:
        raise StructureError(
            "generate: rows of any length are not written by functions of arrays; take 'c'"
        )
    names = [key for key, _ in program.inputs]
    columns = _columns(program, f"{name}_columns")
    lines = [f"    {key} = np.asarray({key}, dtype=float)" for key in names]
    lines += [batch_line(names), "    count = int(np.prod(batch, dtype=int))"]
    lines += [
        f"    {key} = np.broadcast_to({key}, (*batch, {size})).reshape(count, {size}).T"
        for key, size in program.inputs
    ]
    lines.append('    with np.errstate(all="ignore"):')
    lines.append(f"        outs = {name}_columns({', '.join(['count', *names])})")
    results = [
        f"outs[{k}].T.reshape((*batch, {''.join(f'{n}, ' for n in shape)}))"
        for k, shape in enumerate(program.shapes)
    ]
    head = ["import numpy as np", "", "", *columns]
    door = [f"def {name}({', '.join(names)}):", *lines, returned(program, results), ""]
    return "\n".join([*head, *door])


def _columns(program: ir.AnyProgram, name: str) -> list[str]:
    """A function (count, in0, ...) of columns, after those that it calls."""
    if isinstance(program, Program):
        return _straight(program, name)
    if isinstance(program, Repetition):
        return _repetition(program, name)
    names = {called: f"{name}_p{k}" for k, called in enumerate(program.programs)}
    parts = [line for called, own in names.items() for line in _columns(called, own)]
    return [*parts, *_RoutineLines(program, names).function(name)]


def _head(program: ir.AnyProgram, name: str) -> str:
    return f"def {name}({', '.join(['count', *(f'in{k}' for k in range(len(program.inputs)))])}):"


def _straight(program: Program, name: str) -> list[str]:
    inputs = [f"in{k}" for k in range(len(program.inputs))]
    body = PythonLines(element_of(program, inputs, "{}[{}]"))
    values, results, done = body.computed_in_order(program), [], 0
    for k, size in enumerate(program.sizes):
        body.line(f"out{k} = np.empty(({size}, count))")
        for j in range(size):
            body.line(f"out{k}[{j}] = {values[done + j]}")
        results.append(f"out{k}")
        done += size
    body.line(f"return {', '.join(results)},")
    return [_head(program, name), *body.lines, "", ""]


def _step(step: Step, name: str) -> list[str]:
    """A step: place k is the array `pk`, which begins where the row says."""
    names = {place: f"p{k}" for k, place in enumerate(step.places)}
    body = PythonLines(element_of(step.program, [names[p] for p in step.reads], "{}[{}]"))
    values = body.computed_in_order(step.program)
    for (place, element), value in zip(step.writes, values, strict=True):
        body.line(f"{names[place]}[{element}] = {value}")
    return [f"def {name}({', '.join(names.values())}):", *body.lines, "", ""]


def _repetition(program: Repetition, name: str) -> list[str]:
    """A function for each step, and a `for` over the rows of the table."""
    steps = [line for k, s in enumerate(program.steps) for line in _step(s, f"{name}_step{k}")]
    lines = [f"out{k} = np.zeros(({size}, count))" for k, size in enumerate(program.sizes)]
    lines.append(f"{CONSTANTS} = np.array([{', '.join(map(number, program.constants))}])[:, None]")
    lines.append(f"{SCRATCH} = np.zeros(({program.scratch}, count))")
    lines.append(f"for row in {program.rows!r}:")
    for k, step in enumerate(program.steps):
        places = ", ".join(f"{p.array}[row[{p.column}]:]" for p in step.places)
        lines += [f"    if row[0] == {k}:", f"        {name}_step{k}({places})"]
    lines.append(f"return {', '.join(f'out{k}' for k in range(len(program.sizes)))},")
    return [*steps, _head(program, name), *(f"    {line}" for line in lines), "", ""]


class _RoutineLines(PythonLines):
    """The statements of a routine; `names` are those of the programs that it runs."""

    def __init__(self, routine: ir.Routine, names: dict[ir.AnyProgram, str]) -> None:
        super().__init__(lambda name: name.removesuffix(ir.ELEMENT))
        self.routine, self.names = routine, names
        self._masks = 0

    def function(self, name: str) -> list[str]:
        """The function of columns."""
        r = self.routine
        for array in r.tables:
            self.line(
                f"{array.name} = np.array([{', '.join(map(number, array.values or ()))}])[:, None]"
            )
        for k, array in enumerate(r.arguments):
            self.line(f"{array.name} = in{k}")
        self.line("active0 = np.ones(count, dtype=bool)")
        self.block(r.body, "active0")
        self.line(f"return {', '.join(array.name for array in r.results)},")
        return [_head(r, name), *self.lines, "", ""]

    @contextmanager
    def inside(self, head: str) -> Iterator[None]:
        """A block; what is computed in it is forgotten behind it."""
        self.line(head)
        outer, self.values = self.values, dict(self.values)
        self.depth += 1
        yield
        self.depth, self.values = self.depth - 1, outer

    def block(self, block: ir.Block, active: str) -> None:
        """Statements one after the other, for the active states."""
        for s in block:
            getattr(self, f"_{type(s).__name__.lower()}")(s, active)

    def _whole(self, x: Any, size: int | None) -> str:
        shape = "count" if size is None else f"({size}, count)"
        return f"np.broadcast_to({self.value(x)}, {shape})"

    def _each(self, s: ir.Each, active: str) -> None:
        del active
        for array, x in s.writes:
            self.line(f"{array.name} = {self._whole(x, s.size)}")
        for own, op, x in s.folds:
            part = self._whole(x, s.size)
            largest = f"np.max({part}, axis=0, initial={_SMALLEST})"
            self.line(f"{own.value} = {f'np.sum({part}, axis=0)' if op == 'add' else largest}")

    def _run(self, s: ir.Run, active: str) -> None:
        del active
        given = ", ".join(["count", *(array.name for array in s.reads)])
        made = ", ".join(array.name for array in s.writes)
        self.line(f"{made}, = {self.names[s.program]}({given})")

    def _get(self, s: ir.Get, active: str) -> None:
        del active
        assert isinstance(s.source, ir.Array)  # noqa: S101  (streams are refused)
        self.line(f"{s.number.value} = {s.source.name}[{int(s.index.value)}]")  # type: ignore[arg-type]

    def _assign(self, carries: tuple[ir.Carry, ...], which: int, mask: str = "") -> None:
        """What is carried = its first or second value, all at once; for some states only."""
        names, values = [], []
        for carry in carries:
            array = carry.own if isinstance(carry.own, ir.Array) else None
            own = str(carry.own.value) if array is None else array.name  # type: ignore[union-attr]
            value = self._whole(carry[which], None if array is None else array.size)
            names.append(own)
            values.append(f"np.where({mask}, {value}, {own})" if mask else value)
        if names:
            self.line(f"{', '.join(names)}, = {', '.join(values)},")

    def _mask(self, active: str, condition: str) -> str:
        self._masks += 1
        self.line(f"active{self._masks} = {active} & {condition}")
        return f"active{self._masks}"

    def _repeat(self, s: ir.Repeat, active: str) -> None:
        self._assign(s.carries, 1)
        with self.inside("while True:"):
            self.block(s.test, active)
            mask = self._mask(active, f"({self._whole(s.condition, None)} != 0)")
            self.line(f"if not {mask}.any():")
            self.line("    break")
            self.block(s.body, mask)
            self._assign(s.carries, 2, mask)

    def _choose(self, s: ir.Choose, active: str) -> None:
        for carry in ir.numbers(s.carries):
            self.line(f"{carry.own.value} = np.zeros(count)")
        for carry in ir.arrays(s.carries):
            self.line(f"{carry.own.name} = np.zeros(({carry.own.size}, count))")
        condition = f"({self._whole(s.condition, None)} != 0)"
        for block, which, wanted in ((s.yes, 1, condition), (s.no, 2, f"~{condition}")):
            mask = self._mask(active, wanted)
            with self.inside(f"if {mask}.any():"):
                self.block(block, mask)
                self._assign(s.carries, which, mask)


TARGET = Target("numpy", ".py", "#", numpy_text)
