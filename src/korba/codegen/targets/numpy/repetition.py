"""The reference target of repetitions: rows taken one by one, a block of states at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from korba.codegen.arguments import checked
from korba.codegen.repetition import CONSTANTS, SCRATCH, Repetition
from korba.codegen.targets.numpy.straight import output_values

Array = NDArray[np.float64]
_BLOCK = 1024  # states


def evaluate_repetition(
    repetition: Repetition, *inputs: ArrayLike, check_finite: bool = True
) -> Any:
    """The program's results, as its compiled form gives them: shapes (..., *shape)."""
    batch, arrays = checked(repetition.signature, inputs, check_finite)
    rows = [
        np.broadcast_to(array, (*batch, array.shape[-1])).reshape(-1, array.shape[-1])
        for array in arrays
    ]
    results = [np.zeros((int(np.prod(batch, dtype=int)), size)) for size in repetition.sizes]
    for start in range(0, len(results[0]), _BLOCK):
        part = slice(start, start + _BLOCK)
        found = evaluate_columns(repetition, [array[part].T for array in rows])
        for result, columns in zip(results, found, strict=True):
            result[part] = columns.T
    shaped = [
        result.reshape((*batch, *shape))
        for result, shape in zip(results, repetition.shapes, strict=True)
    ]
    return shaped[0] if repetition.single else tuple(shaped)


def evaluate_columns(repetition: Repetition, inputs: list[Array]) -> list[Array]:
    """The results for a block of states, one state a column."""
    count = inputs[0].shape[1]
    outputs = [np.zeros((size, count)) for size in repetition.sizes]
    memory = {f"in{k}": array for k, array in enumerate(inputs)}
    memory |= {f"out{k}": array for k, array in enumerate(outputs)}
    memory[CONSTANTS] = np.array(repetition.constants)[:, None]
    memory[SCRATCH] = np.zeros((repetition.scratch, count))
    for which, *offsets in repetition.rows:
        step = repetition.steps[which]
        given = [
            memory[place.array][offsets[place.column - 1] :][:size].T
            for place, (_, size) in zip(step.reads, step.program.inputs, strict=True)
        ]
        values = output_values(step.program, given)
        for (place, element), value in zip(step.writes, values, strict=True):
            memory[place.array][offsets[place.column - 1] + element] = value
    return outputs
