"""Derivatives of the graph, forward: the differential of each node from those of its arguments."""

from __future__ import annotations

from collections.abc import Sequence

from korba.expr.functions import FUNCTIONS
from korba.expr.node import Expr, postorder
from korba.expr.rewrite import ONE, ZERO


def derivative(e: Expr, name: str) -> Expr:
    """The partial derivative of `e` by the variable `name`.

    Where `e` has a corner or a jump (abs, sign, min, max, where) this is the derivative of the
    branch that holds.
    """
    return derivatives([e], name)[0]


def derivatives(expressions: Sequence[Expr], name: str) -> list[Expr]:
    """The partial derivatives of several expressions, in one pass over their shared graph."""
    differential: dict[Expr, Expr] = {}
    for node in postorder(expressions):
        if node.op == "variable":
            differential[node] = ONE if node.value == name else ZERO
            continue
        parts = tuple(differential[arg] for arg in node.args)
        if all(part is ZERO for part in parts):
            differential[node] = ZERO
        else:
            differential[node] = FUNCTIONS[node.op].tangent(node, node.args, parts)
    return [differential[e] for e in expressions]
