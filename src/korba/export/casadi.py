"""Verbs as functions of CasADi, in its own symbols.

CasADi has a graph of scalars like ours (`SX`), and whatever it is given in it, it differentiates,
finds the sparsity of, maps over threads, hands to its solvers and prints as C by itself. So the
graph of a verb is handed over operation by operation rather than called back: no Python runs inside
an optimisation, and second derivatives for IPOPT come without asking us. The operations are ours,
after our simplification and in our order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..codegen import Program
from ..door import public
from ..expr import Expr
from ..model.mechanism import Mechanism
from ..verbs.generate import identifier
from ..verbs.generated import verb_of
from ..verbs.verb import Verb
from .functions import function_of, host_library

NAMES = {
    "add": "plus",
    "sub": "minus",
    "mul": "times",
    "div": "rdivide",
    "pow": "power",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "abs": "fabs",
    "minimum": "fmin",
    "maximum": "fmax",
    "less": "lt",
    "less_equal": "le",
}
"""Operations whose name is another one in CasADi."""


@public
def casadi(verb: Verb[..., Any] | Program, m: Mechanism | None = None, **options: Any) -> Any:
    """A verb of a mechanism as a `casadi.Function` in CasADi's own symbols.

    Its inputs are those of `kb.compile(verb, m, ...)` under their names (q, v, a, tau, t and the
    sizes `p` that `parameters` names), as columns; its results are y, or y0, y1, ..., vectors as
    columns and matrices as they are (of more axes the last is that of the columns). CasADi
    differentiates it, prints it as C and takes it into its optimisation problems. A matrix in place
    of a column is a batch, a state in each column; matrices among the results then stand side by
    side. It needs CasADi: `pip install 'korba[casadi]'`.

        >>> m = kb.linkages.four_bar(1, 3, 2.5, 3.2)
        >>> f = kb.casadi(kb.energy, m)
        >>> momenta = f.factory("momenta", ["q", "v"], ["jac:y0:v"])
        >>> q, v = [0.0] * m.nq, [1.0] * m.nv
        >>> round(float(momenta(q, v) @ casadi.DM(v) / f(q, v)[0]), 12)   # v'M v is twice that
        2.0
    """
    own, program = host_library("casadi"), function_of("casadi", verb, m, options).program
    inputs = [own.SX.sym(name, size) for name, size in program.inputs]
    known: dict[Expr, Any] = {}
    for node in program.nodes:
        known[node] = _value(own, program, inputs, known, node)
    parts = np.split(np.arange(len(program.outputs)), np.cumsum(program.sizes)[:-1])
    results = [
        _matrix(own, [known[program.outputs[i]] for i in part], shape)
        for part, shape in zip(parts, program.shapes, strict=True)
    ]
    asked = "derivative" if isinstance(verb, Program) else verb_of(verb).name
    names = ["y"] if program.single else [f"y{k}" for k in range(len(results))]
    name = identifier(f"{program.name if m is None else m.name}_{asked}")
    return own.Function(name, inputs, results, [key for key, _ in program.inputs], names)


def _value(own: Any, program: Program, inputs: Sequence[Any], known: Any, node: Expr) -> Any:
    """A number, an element of an input, or an operation on what is known."""
    if isinstance(node.value, float):
        return own.SX(node.value)
    if isinstance(node.value, str):
        which, place = program.places[node.value]
        return inputs[which][place]
    args = [known[arg] for arg in node.args]
    if node.op == "neg":
        return -args[0]
    if node.op == "where":  # of a condition that is 0 or 1
        return own.if_else(args[0] != 0, *args[1:])
    if node.op == "lookup":
        return _entry(own, args[0], args[1:])
    return getattr(own, NAMES.get(node.op, node.op))(*args)


def _entry(own: Any, index: Any, entries: Sequence[Any], first: int = 0) -> Any:
    """A number of a table, by a tree of choices: `SX` looks up nothing."""
    if len(entries) == 1:
        return entries[0]
    half = len(entries) // 2
    below = _entry(own, index, entries[:half], first)
    return own.if_else(
        index < first + half, below, _entry(own, index, entries[half:], first + half)
    )


def _matrix(own: Any, values: Sequence[Any], shape: Sequence[int]) -> Any:
    """Elements row by row as a matrix; with more than two axes the last one is the columns."""
    columns = shape[-1] if len(shape) > 1 else 1
    return own.reshape(own.vertcat(*values), columns, len(values) // max(1, columns)).T
