"""Programs of derivatives: d(result)/d(input) of a verb, all that is asked for in one program.

A verb's program is differentiated as a graph: by columns (forward) or by rows (reverse), whichever
takes fewer operations when everything asked for is made together. A verb may know a shorter way
(slopes.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..codegen import Program, program_of
from ..errors import StructureError
from ..expr import variable
from ..expr.differentiate import jacobian_columns, jacobian_rows
from ..expr.node import recorded
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from .verb import Jacobians, Verb, Written


def derivative_program(
    verb: Verb[..., Any], m: Mechanism, by: str | Sequence[str], options: dict[str, Any]
) -> Program:
    """The program of the derivatives of a verb's results by one input or by several."""
    wanted = (by,) if isinstance(by, str) else tuple(by)
    asked, system = verb.checked(m, options), verb.system(m)
    value = verb.straight(system, asked)
    _refuse_unknown(wanted, [name for name, _ in value.inputs])
    written = verb.slopes(system, asked, value, wanted)
    jacobians, order = least(value, wanted, {}) if written is None else written
    results = [part for name in wanted for part in _split(value, jacobians[name])]
    single = isinstance(by, str) and value.single
    return program_of(value.inputs, results[0] if single else tuple(results), value.name, order)


def least(value: Program, wanted: Sequence[str], known: Jacobians) -> Written:
    """The Jacobians by every input wanted, written with least work, and an order to compute in.

    Those in `known` are written already.
    """
    names = tuple(dict.fromkeys(wanted))
    if not names:
        return {}, ()
    given = {name: known[name] for name in names if name in known}
    with recorded() as record:
        columns, rows = by_columns(value, names), by_rows(value, names)
    choices = [columns, rows, columns | given, rows | given]
    order = [*value.nodes, *record]
    programs = [program_of(value.inputs, tuple(c.values()), value.name, order) for c in choices]
    best = min(range(len(choices)), key=lambda i: programs[i].operations.total)
    return choices[best], programs[best].nodes


def by_columns(value: Program, wanted: Sequence[str]) -> Jacobians:
    """The Jacobians of all results by the inputs, by forward passes."""
    names = [str(x.value) for x in symbols(value, wanted)]
    J = np.array(jacobian_columns(value.outputs, names), dtype=object)
    return _parted(value, wanted, J.reshape(len(names), len(value.outputs)).T)


def by_rows(value: Program, wanted: Sequence[str]) -> Jacobians:
    """The same by reverse passes."""
    names = [str(x.value) for x in symbols(value, wanted)]
    J = np.array(jacobian_rows(value.outputs, names), dtype=object)
    return _parted(value, wanted, J.reshape(len(value.outputs), len(names)))


def symbols(value: Program, wanted: Sequence[str]) -> Array:
    """The variables of inputs, one after the other."""
    sizes = dict(value.inputs)
    names = [f"{name}[{i}]" for name in wanted for i in range(sizes[name])]
    return np.array([variable(name) for name in names], dtype=object)


def _parted(value: Program, wanted: Sequence[str], J: Array) -> Jacobians:
    """One Jacobian for each input."""
    sizes = dict(value.inputs)
    ends = np.cumsum([sizes[name] for name in wanted], dtype=int)
    return {name: J[:, end - sizes[name] : end] for name, end in zip(wanted, ends, strict=True)}


def _split(value: Program, J: Array) -> list[Array]:
    """The Jacobian of all results as one array for each of them."""
    parts = np.split(J, np.cumsum(value.sizes)[:-1])
    return [
        part.reshape(*shape, J.shape[1]) for part, shape in zip(parts, value.shapes, strict=True)
    ]


def _refuse_unknown(wanted: Sequence[str], inputs: list[str]) -> None:
    unknown = [name for name in wanted if name not in inputs]
    if unknown or not wanted:
        named = ", ".join(map(repr, unknown)) or "nothing"
        raise StructureError(f"by: expected one or more of {', '.join(inputs)}, got {named}")
