"""The reference target: programs of every kind evaluated by NumPy, a block of states at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from korba.codegen.arguments import checked
from korba.codegen.repetition import Repetition
from korba.codegen.routine.ir import AnyProgram, Routine
from korba.codegen.targets.numpy.repetition import repetition_columns
from korba.codegen.targets.numpy.routine import routine_columns
from korba.codegen.targets.numpy.straight import Array, straight_columns

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
        return repetition_columns(program, inputs, count)
    return straight_columns(program, inputs, count)
