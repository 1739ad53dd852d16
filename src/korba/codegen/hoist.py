"""What does not change between calls, computed once: a program cut in two at one of its inputs.

Iterations at one position q evaluate the same program again and again with other vectors. What
depends on q alone, such as sines and cosines and their products with lengths, is taken out:

    f(q, z) = rest(held, z),     held = once(q)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from korba.codegen.program import Program, array_of, program_of
from korba.expr.evaluate import replaced
from korba.expr.node import Expr, constant, variable

HELD = "held"
"""Name of the input that carries what was taken out."""


def hoisted(programs: Sequence[Program], by: str) -> tuple[Program, list[Program]]:
    """The program of all that depends on the input `by` alone, and the programs without it.

    All programs have that input and share the result; in them `held` stands in its place.
    """
    changing = [_changing(program, by) for program in programs]
    edge: dict[Expr, Expr] = {}
    for program, moves in zip(programs, changing, strict=True):
        ends = [arg for node in program.nodes if node in moves for arg in node.args]
        for node in (*ends, *program.outputs):
            if node not in moves and node.op != "constant":
                edge.setdefault(node, variable(f"{HELD}[{len(edge)}]"))
    first = programs[0]
    kept = list(edge) or [constant(0.0)]
    results = array_of(kept)
    order = [node for program in programs for node in program.nodes]
    once = program_of([(by, dict(first.inputs)[by])], results, first.name, order)
    rest = [
        _without(program, moves, edge, (by, len(kept)))
        for program, moves in zip(programs, changing, strict=True)
    ]
    return once, rest


def _changing(program: Program, by: str) -> set[Expr]:
    """The nodes that another input than `by` moves."""
    found: set[Expr] = set()
    for node in program.nodes:
        own = node.op == "variable" and not str(node.value).startswith(f"{by}[")
        if own or any(arg in found for arg in node.args):
            found.add(node)
    return found


def _without(
    program: Program, moves: set[Expr], edge: dict[Expr, Expr], held: tuple[str, int]
) -> Program:
    order = [node for node in program.nodes if node in moves]
    new = replaced([*program.outputs, *order], edge)
    inputs = [(HELD, held[1]) if name == held[0] else (name, n) for name, n in program.inputs]
    ends = np.cumsum(program.sizes)
    flat = np.split(array_of(new[: ends[-1]]), ends[:-1])
    results = tuple(x.reshape(shape) for x, shape in zip(flat, program.shapes, strict=True))
    results_given = results[0] if program.single else results
    return program_of(inputs, results_given, program.name, new[ends[-1] :])
