"""The reference target: a program evaluated by NumPy, one operation on a block of states a time."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from korba.codegen.arguments import checked
from korba.codegen.program import Program
from korba.expr.functions import FUNCTIONS

Array = NDArray[np.float64]
_BLOCK = 4096  # states: values in between stay in the cache


def evaluate_program(program: Program, *inputs: ArrayLike, check_finite: bool = True) -> Any:
    """The program's results, as its compiled form gives them: shapes (..., *shape)."""
    batch, arrays = checked(program, inputs, check_finite)
    count = int(np.prod(batch, dtype=int))
    rows = [np.broadcast_to(array, (*batch, array.shape[-1])) for array in arrays]
    flat = [array.reshape(count, array.shape[-1]) for array in rows]
    outputs = np.empty((count, len(program.outputs)))
    for start in range(0, count, _BLOCK):
        part = slice(start, start + _BLOCK)
        for place, value in enumerate(output_values(program, [array[part] for array in flat])):
            outputs[part, place] = value
    ends = np.cumsum(program.sizes)
    results = tuple(
        outputs[:, end - size : end].reshape((*batch, *shape))
        for end, size, shape in zip(ends, program.sizes, program.shapes, strict=True)
    )
    return results[0] if program.single else results


def output_values(program: Program, inputs: list[Array]) -> list[Any]:
    """The value of each output; a value in between is dropped after its last use."""
    uses = Counter(arg for node in program.nodes for arg in node.args)
    uses.update(program.outputs)
    known: dict[Any, Any] = {}
    with np.errstate(all="ignore"):
        for node in program.nodes:
            if isinstance(node.value, float):
                known[node] = node.value
            elif isinstance(node.value, str):
                which, element = program.places[node.value]
                known[node] = inputs[which][:, element]
            else:
                known[node] = FUNCTIONS[node.op].numeric(*[known[arg] for arg in node.args])
            for arg in node.args:
                uses[arg] -= 1
                if not uses[arg]:
                    del known[arg]
    return [known[output] for output in program.outputs]
