"""The reference target: programs of every kind evaluated by NumPy, a block of states at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from korba.codegen.arguments import checked
from korba.codegen.program import Program
from korba.codegen.repetition import CONSTANTS, SCRATCH, Repetition
from korba.codegen.routine.ir import AnyProgram, Routine
from korba.codegen.targets.numpy.routine import routine_columns
from korba.expr.evaluate import computed

Array = NDArray[np.float64]
_BLOCK = 4096  # states: values in between stay in the cache


def evaluate_program(
    program: AnyProgram, *inputs: ArrayLike, streams: Iterable[Any] = (), check_finite: bool = True
) -> Any:
    """The program's results, as its compiled form gives them: shapes (..., *shape)."""
    batch, arrays = checked(program, inputs, check_finite)
    count, tables = int(np.prod(batch, dtype=int)), tuple(streams)
    flat = [np.broadcast_to(x, (*batch, x.shape[-1])).reshape(count, x.shape[-1]).T for x in arrays]
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
    program: AnyProgram, inputs: list[Array], count: int, streams: tuple[Any, ...] = ()
) -> list[Array]:
    """Results of shape (size, N) for inputs of that shape."""
    if isinstance(program, Routine):
        return routine_columns(program, inputs, count, streams, _columns)
    if isinstance(program, Repetition):
        return _repetition_columns(program, inputs, count)
    values = [np.broadcast_to(x, count) for x in _output_values(program, inputs)]
    rows = np.array(values).reshape(len(values), count)
    return np.split(rows, np.cumsum(program.sizes)[:-1])


def _output_values(program: Program, inputs: list[Array]) -> list[Any]:
    """The value of each output of a straight program."""

    def element(name: str) -> Array:
        which, place = program.places[name]
        return inputs[which][place]

    return computed(program.nodes, program.outputs, element)


def _repetition_columns(repetition: Repetition, inputs: list[Array], count: int) -> list[Array]:
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
