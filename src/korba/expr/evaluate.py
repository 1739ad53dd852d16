"""Numbers or other expressions for variables: one pass over the shared graph, no recursion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from korba.errors import ExpressionError
from korba.expr.functions import FUNCTIONS
from korba.expr.node import Expr, as_expr, build, postorder, variable


def evaluate(expressions: Any, values: Mapping[str, ArrayLike]) -> NDArray[np.float64]:
    """The expressions' values, shape (..., *shape of expressions).

    `expressions` is an Expr, or a (nested) list or array of Expr and numbers; `values` gives
    each variable a number or an array, and these broadcast together to the leading axes. A
    value that does not exist (sqrt(-1)) is nan.
    """
    wanted = np.asarray(expressions, dtype=object)
    roots = [as_expr(item) for item in wanted.flat]
    inputs = {name: np.asarray(value, dtype=float) for name, value in values.items()}
    batch = np.broadcast_shapes(*(value.shape for value in inputs.values()))
    result = np.empty((*batch, len(roots)))
    nodes = postorder(roots)
    _refuse_missing(nodes, inputs)
    for place, value in enumerate(computed(nodes, roots, inputs.__getitem__)):
        result[..., place] = value
    return result.reshape((*batch, *wanted.shape))


def substitute(e: Expr, replacements: Mapping[str, Expr | float]) -> Expr:
    """`e` with an expression or number in place of each variable named in `replacements`."""
    return substitute_all([e], replacements)[0]


def substitute_all(
    expressions: Sequence[Expr], replacements: Mapping[str, Expr | float]
) -> list[Expr]:
    """The same for several expressions, in one pass over their graph."""
    known = {variable(name): as_expr(value) for name, value in replacements.items()}
    return replaced(expressions, known)


def replaced(expressions: Sequence[Expr], known: Mapping[Expr, Expr]) -> list[Expr]:
    """Expressions with others in place of some that they are made of, in one pass."""
    new: dict[Expr, Expr] = {}
    for node in postorder(expressions):
        if node in known:
            new[node] = known[node]
        else:
            args = [new[arg] for arg in node.args]
            changed = any(a is not b for a, b in zip(args, node.args, strict=True))
            new[node] = build(node.op, *args) if changed else node
    return [new[e] for e in expressions]


def variables(e: Expr) -> frozenset[str]:
    """The names of the variables that `e` depends on."""
    return frozenset(str(node.value) for node in postorder([e]) if node.op == "variable")


def computed(nodes: Sequence[Expr], roots: Sequence[Expr], leaf: Callable[[str], Any]) -> list[Any]:
    """The value of each root; `nodes` are all under them, `leaf` gives variables their values.

    A value in between is dropped after its last use.
    """
    uses = Counter(arg for node in nodes for arg in node.args)
    uses.update(roots)
    known: dict[Expr, Any] = {}
    with np.errstate(all="ignore"):
        for node in nodes:
            if node.args:
                known[node] = FUNCTIONS[node.op].numeric(*[known[arg] for arg in node.args])
            else:
                known[node] = leaf(node.value) if isinstance(node.value, str) else node.value
            for arg in node.args:
                uses[arg] -= 1
                if not uses[arg]:
                    del known[arg]
    return [known[root] for root in roots]


def _refuse_missing(nodes: list[Expr], inputs: Mapping[str, object]) -> None:
    needed = {str(node.value) for node in nodes if node.op == "variable"}
    missing = sorted(needed - set(inputs))
    if missing:
        raise ExpressionError(
            f"no value for {', '.join(map(repr, missing))}; got values for "
            f"{', '.join(map(repr, sorted(inputs))) or 'nothing'}"
        )
