"""A straight program evaluated by NumPy, one operation on a block of states at a time."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from korba.codegen.program import Program
from korba.expr.functions import FUNCTIONS

Array = NDArray[np.float64]


def straight_columns(program: Program, inputs: list[Array], count: int) -> list[Array]:
    """Results of shape (size, N) for inputs of that shape."""
    values = [np.broadcast_to(x, count) for x in output_values(program, inputs)]
    rows = np.array(values).reshape(len(values), count)
    return np.split(rows, np.cumsum(program.sizes)[:-1])


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
                known[node] = inputs[which][element]
            else:
                known[node] = FUNCTIONS[node.op].numeric(*[known[arg] for arg in node.args])
            for arg in node.args:
                uses[arg] -= 1
                if not uses[arg]:
                    del known[arg]
    return [known[output] for output in program.outputs]
