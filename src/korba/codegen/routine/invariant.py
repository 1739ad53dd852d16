"""What does not change in a repetition is computed before it.

Numbers are left to the printers; here vectors: the largest parts of element-wise expressions in the
body that depend on nothing of the repetition become arrays in front of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from korba.codegen.routine import ir
from korba.expr import Expr
from korba.expr.evaluate import replaced
from korba.expr.node import postorder

TABLE = "c"
"""How the names of tables begin."""
_Places = dict[tuple[Expr, int], Expr]


def hoisted(
    body: ir.Block, first: int, array: Callable[[int], ir.Array]
) -> tuple[list[ir.Each], ir.Block]:
    """Element-wise work to be done before a repetition, and its body without that.

    Values whose number is `first` or above are the repetition's own.
    """
    own: dict[tuple[Expr, int], ir.Array] = {}
    for s in ir.walked(body):
        if isinstance(s, ir.Each):
            for x in _largest(ir.used(s), first):
                own.setdefault((x, s.size), array(s.size))
    if not own:
        return [], body
    writes: dict[int, list[tuple[ir.Array, Expr]]] = {}
    for (x, size), place in own.items():
        writes.setdefault(size, []).append((place, x))
    before = [ir.Each(size, tuple(pairs)) for size, pairs in writes.items()]
    return before, _replaced(body, {key: place.element for key, place in own.items()})


def _largest(roots: list[Expr], first: int) -> list[Expr]:
    """Largest operations on elements that depend on nothing inside."""
    outer: dict[Expr, bool] = {}
    long: dict[Expr, bool] = {}
    for node in postorder(roots):
        if isinstance(node.value, str):
            name = node.value.removesuffix(ir.ELEMENT)
            outer[node] = name[0] == TABLE or int(name[1:]) < first
            long[node] = name != node.value
        else:
            outer[node] = all(outer[arg] for arg in node.args)
            long[node] = any(long[arg] for arg in node.args)
    largest, waiting, seen = [], list(roots), set()
    while waiting:
        node = waiting.pop()
        if node in seen or not node.args:
            continue
        seen.add(node)
        if outer[node] and long[node]:
            largest.append(node)
        else:
            waiting += node.args
    return largest[::-1]


def _replaced(block: ir.Block, places: _Places) -> ir.Block:
    return tuple(_replaced_in(s, places) for s in block)


def _replaced_in(s: ir.Statement, places: _Places) -> ir.Statement:
    if isinstance(s, ir.Repeat):
        return replace(s, test=_replaced(s.test, places), body=_replaced(s.body, places))
    if isinstance(s, ir.Choose):
        return replace(s, yes=_replaced(s.yes, places), no=_replaced(s.no, places))
    if not isinstance(s, ir.Each):
        return s
    own = {x: element for (x, size), element in places.items() if size == s.size}
    new = iter(replaced(ir.used(s), own))
    writes = tuple((array, next(new)) for array, _ in s.writes)
    return ir.Each(s.size, writes, tuple(fold._replace(x=next(new)) for fold in s.folds))
