"""Numbers of a program beside its code, so that programs that differ in nothing else are one.

A mechanism's program has its lengths and masses as constants, each where it is needed. Machine code
reads such a number from a place in memory whether it is known or not; so all of them stand in one
table, filled when the code is loaded, and mechanisms that differ in numbers only share the code:
what is compiled for one need not be compiled for the next. The program is as short as ever, since
the numbers were known while it was written. Code for vectors of states has them folded in where it
is asked often (callable/compiled.py): there they are copied into every lane.

Constants become variables `beside[k]` in an order that does not depend on them, and the graph is
built again. The order of terms, and which of two differences is the negative of the other, are then
decided by names instead of digits, so that programs of one structure come out the same. Zeros, ones
and twos of either sign, halves, exponents and tables stay where
they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any, NamedTuple

from korba.codegen.program import BESIDE, Computed, Program, program_of, substituted_nodes
from korba.expr import Expr, constant, variable

KNOWN = frozenset((0.0, 0.5, 1.0, 2.0))
"""Sizes of numbers that stay in the code."""
LONGEST, MOST = 2000, 128
"""Nodes and numbers of a program up to which these stand beside it: more do not stay in the
processor's registers, and there are seldom two programs of that length alike."""


COMMUTE = frozenset(("add", "sub", "mul", "minimum", "maximum"))
"""Operations of which the order of arguments is a matter of digits, but for a sign."""


class Coded(NamedTuple):
    """What is compiled, and the numbers that belong beside the code."""

    program: Any
    numbers: tuple[float, ...] = ()


def coded(program: Computed) -> Coded:
    """A straight-line program without its numbers; any other as it is."""
    if not isinstance(program, Program) or len(program.nodes) > LONGEST:
        return Coded(program)
    known: dict[Expr, Expr] = {}
    numbers: list[float] = []
    for node in _in_order(program):
        x = float(node)
        other = known.get(constant(-x))
        known[node] = variable(f"{BESIDE}[{len(numbers)}]") if other is None else -other
        if other is None:
            numbers.append(x)
    if not 0 < len(numbers) <= MOST:
        return Coded(program)
    results, order = substituted_nodes(program, known)
    changed = program_of(program.inputs, results, program.name, order, beside=len(numbers))
    changed = replace(changed, single=program.single, named=program.named)
    return Coded(changed, tuple(numbers))


def _in_order(program: Program) -> list[Expr]:
    """The constants that go beside the code, in an order that does not depend on their values.

    The graph is walked from the results on, arguments that commute by what they are made of:
    variables and operations, without numbers and signs.
    """
    fixed = {arg for node in program.nodes for arg in node.args[1:] if node.op in ("pow", "lookup")}
    moving: set[Expr] = set()
    made_of: dict[Expr, str] = {}
    place = {node: i for i, node in enumerate(program.nodes)}
    for node in program.nodes:
        if isinstance(node.value, float) and abs(node.value) not in KNOWN and node not in fixed:
            moving.add(node)
        made_of[node] = _made_of(node, node in moving, made_of)
    found: dict[Expr, None] = {}
    seen: set[Expr] = set()
    waiting = [*reversed(program.outputs)]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if node in moving:
            found[node] = None
        args = [*node.args]
        if node.op in COMMUTE:
            args.sort(key=lambda arg: (made_of[arg], place[arg]))
        waiting += reversed(args)
    return [*found]


def _made_of(node: Expr, moving: bool, known: Mapping[Expr, str]) -> str:
    """What stands for a node, whatever numbers and signs are in it."""
    if node.op == "neg":
        return known[node.args[0]]
    parts = [known[arg] for arg in node.args]
    parts = sorted(parts) if node.op in COMMUTE else parts
    name = "" if moving else str(node.value)
    own = "sum" if node.op in ("add", "sub") else node.op
    return blake2b(" ".join([own, name, *parts]).encode(), digest_size=12).hexdigest()
