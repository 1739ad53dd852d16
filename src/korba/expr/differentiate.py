"""Derivatives of the graph, forward and reverse, by one table of rules (functions.py).

Forward, from the leaves up, the differential of each node follows from those of its arguments:

    d f(x, y, ...) = f_x dx + f_y dy + ...                                            (1)

One pass gives a column of the Jacobian: all results by one variable. Reverse, from the results
down, each node passes its adjoint w (how much the answer feels it) on to its arguments:

    w_x = w_x + f_x w,    w_y = w_y + f_y w,    ...                                   (2)

One pass gives a row: one result by all variables. The share
f_x w is (1) with w at the place of x and nothing elsewhere. Source: Griewank & Walther (2008),
Evaluating Derivatives, chapter 3.

Where an expression has a corner or a jump (abs, sign, min, max, where) the derivative is that of
the branch that holds. What a branch not taken would give, be it infinite, does not come in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from korba.expr.functions import FUNCTIONS
from korba.expr.node import Expr, as_expr, postorder, variable
from korba.expr.rewrite import ONE, ZERO


def derivative(e: Expr, name: str) -> Expr:
    """The partial derivative of `e` by the variable `name`."""
    return derivatives([e], name)[0]


def derivatives(expressions: Sequence[Expr], name: str) -> list[Expr]:
    """The partial derivatives of several expressions, in one forward pass over their graph."""
    return directional(expressions, {name: ONE})


def directional(expressions: Sequence[Expr], rates: Mapping[str, Expr | float]) -> list[Expr]:
    """The rates of several expressions when the variables change at `rates`, in one pass."""
    seeds = {name: as_expr(rate) for name, rate in rates.items()}
    differential = _forward(postorder(expressions), seeds)
    return [differential[e] for e in expressions]


def jacobian_columns(expressions: Sequence[Expr], names: Sequence[str]) -> list[list[Expr]]:
    """For each variable the derivatives of all expressions: a forward pass for each variable."""
    nodes = postorder(expressions)
    passes = (_forward(nodes, {name: ONE}) for name in names)
    return [[differential[e] for e in expressions] for differential in passes]


def jacobian_rows(expressions: Sequence[Expr], names: Sequence[str]) -> list[list[Expr]]:
    """For each expression its derivatives by all variables: a reverse pass for each expression."""
    nodes = postorder(expressions)
    felt = _dependent(nodes, names)
    leaves = [variable(name) for name in names]
    rows = []
    for e in expressions:
        adjoint = {e: ONE}
        _reverse(nodes, felt, adjoint)
        rows.append([adjoint.get(leaf, ZERO) for leaf in leaves])
    return rows


def _forward(nodes: Iterable[Expr], seeds: Mapping[str, Expr]) -> dict[Expr, Expr]:
    """The differential of every node from those of the variables; `nodes` has arguments first."""
    differential: dict[Expr, Expr] = {}
    for node in nodes:
        if node.op == "variable":
            differential[node] = seeds.get(str(node.value), ZERO)
            continue
        parts = tuple([differential[arg] for arg in node.args])
        if all(part is ZERO for part in parts):
            differential[node] = ZERO
        else:
            differential[node] = FUNCTIONS[node.op].tangent(node, node.args, parts)  # (1)
    return differential


def _reverse(nodes: Sequence[Expr], felt: set[Expr], adjoint: dict[Expr, Expr]) -> None:
    """Pass the adjoints on from the results down to the variables."""
    for node in reversed(nodes):
        w = adjoint.get(node, ZERO)
        if w is ZERO:
            continue
        for place, arg in enumerate(node.args):
            if arg in felt:
                _collect(adjoint, arg, _share(node, place, w))  # (2)


def _dependent(nodes: Iterable[Expr], names: Sequence[str]) -> set[Expr]:
    """The nodes that one of the variables moves."""
    wanted, found = set(names), set()
    for node in nodes:
        if node.value in wanted or any(arg in found for arg in node.args):
            found.add(node)
    return found


def _share(node: Expr, place: int, w: Expr) -> Expr:
    """What argument `place` of a node receives of its adjoint.

    An adjoint that is zero in one branch stays so whatever it is multiplied with: the choice is
    taken outside, so that 0 times infinity does not arise.
    """
    choices = []
    while w.op == "where" and (w.args[1] is ZERO or w.args[2] is ZERO):
        first = w.args[2] is ZERO
        choices.append((w.args[0], first))
        w = w.args[1] if first else w.args[2]
    parts = [ZERO] * len(node.args)
    parts[place] = w
    share = FUNCTIONS[node.op].tangent(node, node.args, tuple(parts))
    for condition, first in reversed(choices):
        share = condition.where(share, ZERO) if first else condition.where(ZERO, share)
    return share


def _collect(adjoint: dict[Expr, Expr], node: Expr, share: Expr) -> None:
    """Add a share to a node's adjoint; shares under one condition stay under it."""
    before = adjoint.get(node, ZERO)
    if before.op == share.op == "where" and before.args[0] is share.args[0]:
        pairs = zip(before.args[1:], share.args[1:], strict=True)
        adjoint[node] = before.args[0].where(*[a + b for a, b in pairs])
    else:
        adjoint[node] = before + share
