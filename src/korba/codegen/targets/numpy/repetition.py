"""A repetition evaluated by NumPy: rows of its table taken one by one, for a block of states."""

from __future__ import annotations

import numpy as np

from korba.codegen.repetition import CONSTANTS, SCRATCH, Repetition
from korba.codegen.targets.numpy.straight import Array, output_values


def repetition_columns(repetition: Repetition, inputs: list[Array], count: int) -> list[Array]:
    """Results of shape (size, N) for inputs of that shape."""
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
        values = output_values(step.program, given)
        for (place, element), value in zip(step.writes, values, strict=True):
            memory[place.array][offsets[place.column - 1] + element] = value
    return outputs
