"""What does not change between calls, computed once: a program cut in two at one of its inputs.

Iterations at one position q evaluate the same program again and again with other vectors. What
depends on q alone, such as sines and cosines and their products with lengths, is taken out:

    f(q, z) = rest(held, z),     held = once(q)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from korba.codegen.program import BESIDE, Program, array_of, program_of
from korba.expr.evaluate import replaced
from korba.expr.node import Expr, constant, variable

HELD = "held"
"""Name of the input that carries what was taken out."""


def hoisted(programs: Sequence[Program], by: str) -> tuple[Program, list[Program]]:
    """The program of all that depends on the input `by` alone, and the programs without it.

    All programs have that input and share the result; in them `held` stands in its place.
    """
    changing = [_changing(program, by) for program in programs]
    edge = _edge(programs, changing, HELD)
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


def beside(program: Program, by: str) -> tuple[Program, tuple[Expr, ...]]:
    """A program with numbers beside it in the place of what depends on the input `by` alone, and
    that.
    """
    moves = _changing(program, by)
    edge = _edge([program], [moves], BESIDE)
    inputs = [each for each in program.inputs if each[0] != by]
    made = _rebuilt(program, moves, edge, inputs, beside=max(1, len(edge)))
    return made, tuple(edge) or (constant(0.0),)


def _edge(
    programs: Sequence[Program], changing: Sequence[set[Expr]], name: str
) -> dict[Expr, Expr]:
    """What does not change and is needed by what does, and the variable that stands for it."""
    edge: dict[Expr, Expr] = {}
    for program, moves in zip(programs, changing, strict=True):
        ends = [arg for node in program.nodes if node in moves for arg in node.args]
        for node in (*ends, *program.outputs):
            if node not in moves and node.op != "constant" and node not in edge:
                edge[node] = variable(f"{name}[{len(edge)}]")
    return edge


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
    inputs = [(HELD, held[1]) if name == held[0] else (name, n) for name, n in program.inputs]
    return _rebuilt(program, moves, edge, inputs)


def _rebuilt(
    program: Program,
    moves: set[Expr],
    edge: dict[Expr, Expr],
    inputs: Sequence[tuple[str, int]],
    **more: int,
) -> Program:
    """What moves of a program, over other inputs."""
    order = [node for node in program.nodes if node in moves]
    new = replaced([*program.outputs, *order], edge)
    ends = np.cumsum(program.sizes)
    flat = np.split(array_of(new[: ends[-1]]), ends[:-1])
    results = tuple(x.reshape(shape) for x, shape in zip(flat, program.shapes, strict=True))
    made = program_of(inputs, results, program.name, new[ends[-1] :], **more)
    return replace(made, single=program.single, named=program.named)
