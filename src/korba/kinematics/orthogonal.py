"""Linear equations A x = b of loops, as straight-line code: no branch, no pivot to choose.

A may have more rows than columns, if they agree. First what a constant pivot settles,

    a row with one entry gives its unknown; an unknown in one row follows from the others     (1)

then block after block of the unknowns that hang on each other, in each modified Gram-Schmidt on the
columns, right-hand sides along with them:

    r_kk = |a_k|,   q_k = a_k / r_kk,   r_kj = q_k' a_j,   a_j -= r_kj q_k                    (2)

and x by back substitution. r_kk vanishes only where the block itself loses rank, in whatever
order the columns come; the order keeps the fill small. Zeros that are known while tracing cost
nothing. Source: Björck (1996), Numerical Methods for Least Squares Problems, section 2.4.4.

Blocks: every unknown is matched with a row in which it stands and needs the others of that row;
those that need each other form a block, solved after those it needs: the structural groups of a
mechanism, found from its equations. Rows to spare join the last block among their unknowns; if
they are few the whole is one block, so that no row that carries the rank is missed.
Source: Duff, Erisman & Reid (2017), Direct Methods for Sparse Matrices, chapter 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..expr.node import Expr, present

Line = dict[int, Any]
"""Entries of a row or column by the number of the other."""
Block = tuple[list[int], list[int]]
"""Unknowns and rows."""
LARGE = 60
"""Unknowns from which rows to spare no longer keep the whole together."""


@dataclass
class _System:
    """Rows of A by unknown, and of the right-hand sides; those that are settled leave."""

    rows: dict[int, Line]
    columns: dict[int, set[int]]
    """Rows in which an unknown stands."""
    rights: dict[int, list[Any]]
    known: dict[int, list[Any]] = field(default_factory=dict)
    later: list[tuple[int, Any, Line, list[Any]]] = field(default_factory=list)
    """Unknowns that follow from others: pivot, entries and right-hand sides of their row."""


def solved_lines(
    rows: list[Line], rights: list[list[Any]], *, direct: bool = False
) -> tuple[dict[int, list[Any]], list[Any]]:
    """X of A X = B, by the number of the unknown, and the pivots r_kk; rows by their entries.

    With `direct`, blocks of two rows and two unknowns are solved by Cramer's rule, which has no
    root and one division; their pivots are their determinants.
    """
    system = _read(rows, rights)
    _settle(system)
    pivots: list[Any] = []
    for unknowns, numbers in _solution_order(system.rows):
        two = direct and len(unknowns) == len(numbers) == 2
        pivots += (_solve_two if two else _solve_block)(system, unknowns, numbers)
    for j, pivot, entries, right in reversed(system.later):
        system.known[j] = [total / pivot for total in _less(right, entries, system.known)]
    return system.known, pivots


def least_norm(
    rows: list[Line], rights: list[list[Any]], units: Sequence[float], *, twice: bool = False
) -> dict[int, list[Any]]:
    """X of A X = B with the least squares of x in their units; the rows of A are independent.

    Gram-Schmidt on the rows:  A = L Q,  L c = b,  x = Q' c                                   (3)

    Units far apart need it `twice`, or rounding grows with the square of their ratio.
    """
    found: dict[int, list[Any]] = {j: [0.0] * len(rights[0]) for j in range(len(units))}
    for q, c in row_basis(rows, rights, units, twice=twice):
        for j, x in q.items():
            found[j] = [
                total + x * units[j] * part for total, part in zip(found[j], c, strict=True)
            ]
    return found


def row_basis(
    rows: list[Line], rights: list[list[Any]], units: Sequence[float], *, twice: bool = False
) -> list[tuple[Line, list[Any]]]:
    """The rows of Q of (3), with columns in their units, and c beside each of them.

    Rows come in an order that keeps Q sparse, on which x does not depend.
    """
    done: list[tuple[Line, list[Any]]] = []
    for i in _fewest_neighbours_first(rows):
        rest = {j: entry * units[j] for j, entry in rows[i].items() if present(entry)}
        shares = list(rights[i])
        for q, c in [*done, *done] if twice else done:
            share = _take(q, rest)
            shares = [b - share * part for b, part in zip(shares, c, strict=True)]
        r = np.sqrt(sum(x * x for x in rest.values()))
        done.append(({j: x / r for j, x in rest.items()}, [b / r for b in shares]))
    return done


def _fewest_neighbours_first(rows: list[Line]) -> list[int]:
    """Numbers of rows, next always one that meets fewest others, which then get its entries."""
    order = []
    left: dict[int, Line] = {
        i: {j: 1.0 for j, entry in row.items() if present(entry)} for i, row in enumerate(rows)
    }
    while left:
        order.append(min(left, key=lambda i: (_neighbours(left, i), len(left[i]), i)))
        row = left.pop(order[-1])
        for other in left.values():
            if not row.keys().isdisjoint(other):
                other.update(row)
    return order


def _read(lines: list[Line], rights: list[list[Any]]) -> _System:
    rows: dict[int, Line] = {}
    columns: dict[int, set[int]] = {}
    for i, line in enumerate(lines):
        entries = {j: entry for j, entry in line.items() if present(entry)}
        if entries:
            rows[i] = entries
            for j in entries:
                columns.setdefault(j, set()).add(i)
    return _System(rows, columns, {i: rights[i] for i in rows})


def _constant(x: Any) -> bool:
    return not isinstance(x, Expr) or x.op == "constant"


def _number(x: Any) -> float:
    return float(x.value if isinstance(x, Expr) else x)  # type: ignore[arg-type]


def fit(pivot: Any) -> bool:
    """Whether a pivot is a constant far from zero."""
    return _constant(pivot) and abs(_number(pivot)) > 1e-3


def _less(rights: list[Any], entries: Line, known: dict[int, list[Any]]) -> list[Any]:
    """Right-hand sides less what the known unknowns take."""
    totals = list(rights)
    for j, entry in entries.items():
        for k, value in enumerate(known[j]):
            totals[k] = totals[k] - entry * value
    return totals


def _settle(s: _System) -> None:
    """(1), as long as there is something to settle."""
    waiting = [*(("row", i) for i in s.rows), *(("column", j) for j in s.columns)]
    while waiting:
        kind, number = waiting.pop()
        touched = _settle_row(s, number) if kind == "row" else _settle_column(s, number)
        waiting += touched


def _settle_row(s: _System, i: int) -> list[tuple[str, int]]:
    """A row with one entry gives its unknown."""
    row = s.rows.get(i, {})
    if len(row) != 1:
        return []
    ((j, pivot),) = row.items()
    if not fit(pivot):
        return []
    del s.rows[i]
    s.known[j] = [right / pivot for right in s.rights.pop(i)]
    others = s.columns.pop(j) - {i}
    for k in others:
        s.rights[k] = _less(s.rights[k], {j: s.rows[k].pop(j)}, s.known)
        if not s.rows[k]:
            del s.rows[k], s.rights[k]
    return [("row", k) for k in others]


def _settle_column(s: _System, j: int) -> list[tuple[str, int]]:
    """An unknown that stands in one row follows from the others there."""
    rows = s.columns.get(j, set())
    if len(rows) != 1:
        return []
    (i,) = rows
    if not fit(s.rows[i][j]):
        return []
    entries = s.rows.pop(i)
    s.later.append((j, entries.pop(j), entries, s.rights.pop(i)))
    del s.columns[j]
    for k in entries:
        s.columns[k].discard(i)
    return [("column", k) for k in entries]


def _solve_block(s: _System, unknowns: list[int], rows: list[int]) -> list[Any]:
    """(2) on one block, after what is known is taken to the right; the columns with fewest
    neighbours first.
    """
    inside = set(unknowns)
    columns: dict[int, Line] = {j: {} for j in unknowns}
    rights: list[Line] = [{} for _ in range(len(next(iter(s.rights.values()))))]
    for i in rows:
        outside = {j: entry for j, entry in s.rows[i].items() if j not in inside}
        for k, value in enumerate(_less(s.rights[i], outside, s.known)):
            if present(value):
                rights[k][i] = value
        for j, entry in s.rows[i].items():
            if j in inside:
                columns[j][i] = entry
    done = []
    while columns:
        k = min(columns, key=lambda j: (_neighbours(columns, j), len(columns[j]), j))
        done.append((k, *_orthogonalised(columns.pop(k), columns, rights)))
    for k, r, R, shares in reversed(done):
        s.known[k] = [total / r for total in _less(shares, R, s.known)]
    return [r for _, r, _, _ in done]


def _solve_two(s: _System, unknowns: list[int], rows: list[int]) -> list[Any]:
    """Two equations of two unknowns: x_1 = (b_1 a_22 - b_2 a_12) / det, x_2 likewise."""
    i, j = unknowns
    (a, b), (c, d) = ([s.rows[k].get(x, 0.0) for x in (i, j)] for k in rows)
    outside = [{x: e for x, e in s.rows[k].items() if x not in unknowns} for k in rows]
    first, second = (
        _less(s.rights[k], more, s.known) for k, more in zip(rows, outside, strict=True)
    )
    determinant = a * d - b * c
    inverse = 1.0 / determinant
    pairs = list(zip(first, second, strict=True))
    s.known[i] = [(x * d - y * b) * inverse for x, y in pairs]
    s.known[j] = [(y * a - x * c) * inverse for x, y in pairs]
    return [determinant]


def _orthogonalised(
    column: Line, columns: dict[int, Line], rights: list[Line]
) -> tuple[Any, Line, list[Any]]:
    """r_kk, the shares r_kj of the columns that remain, and those of the right-hand sides."""
    square: Any = 0.0
    for x in column.values():
        square = square + x * x
    r = np.sqrt(square)
    q = {i: x / r for i, x in column.items()}
    shares = {j: _take(q, other) for j, other in columns.items() if q.keys() & other.keys()}
    return r, shares, [_take(q, right) for right in rights]


def _take(q: Line, other: Line) -> Any:
    """q' a; the part along q is taken off a."""
    share: Any = 0.0
    for i in q.keys() & other.keys():
        share = share + q[i] * other[i]
    if present(share):
        for i, entry in q.items():
            other[i] = other.get(i, 0.0) - share * entry
    return share


def _neighbours(columns: dict[int, Line], j: int) -> int:
    rows = columns[j].keys()
    return sum(not rows.isdisjoint(other) for other in columns.values())


def _solution_order(rows: Mapping[int, Mapping[int, Any]]) -> list[Block]:
    """Blocks of unknowns with their rows, in the order of solution."""
    unknowns = sorted({j for row in rows.values() for j in row})
    if not unknowns:
        return []
    if len(rows) < len(unknowns) or (len(rows) > len(unknowns) and len(unknowns) < LARGE):
        return [(unknowns, sorted(rows))]
    owner = matched(rows)
    if len(owner) < len(unknowns):
        return [(unknowns, sorted(rows))]
    return _blocks(rows, owner)


def matched(rows: Mapping[int, Mapping[int, Any]]) -> dict[int, int]:
    """A row of its own for every unknown, where there is one: shortest augmenting paths."""
    owner: dict[int, int] = {}
    own: dict[int, int] = {}
    for first in rows:
        reached: dict[int, int] = {}
        waiting, free = [first], None
        for i in waiting:
            for j in rows[i]:
                if j not in reached:
                    reached[j] = i
                    free = j if j not in owner else free
                    waiting += [owner[j]] if j in owner else []
            if free is not None:
                break
        while free is not None:  # back along the path every row takes the unknown it reached
            i = reached[free]
            owner[free], own[i], free = i, free, own.get(i)
    return owner


def in_turn(needs: Mapping[int, Iterable[int]]) -> list[list[int]]:
    """Numbers that need each other in one group, groups after those they need.

    Source: Tarjan (1972), Depth-first search and linear graph algorithms.
    """
    number: dict[int, int] = {}
    place: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    groups: list[list[int]] = []
    for root in needs:
        path = [] if root in number else [(root, iter(needs[root]))]
        while path:
            node, rest = path[-1]
            if node not in number:
                number[node] = low[node] = len(number)
                place[node] = len(stack)
                stack.append(node)
            for other in rest:
                if other not in number:
                    path.append((other, iter(needs[other])))
                    break
                low[node] = min(low[node], low.get(other, low[node]))
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == number[node]:
                    groups.append(sorted(stack[place[node] :]))
                    for member in groups[-1]:
                        del low[member]
                    del stack[place[node] :]
    return groups


def _blocks(rows: Mapping[int, Mapping[int, Any]], owner: Mapping[int, int]) -> list[Block]:
    needs = {j: [other for other in rows[owner[j]] if other != j] for j in sorted(owner)}
    blocks = [(group, [owner[j] for j in group]) for group in in_turn(needs)]
    place = {j: k for k, (group, _) in enumerate(blocks) for j in group}
    used = set(owner.values())
    for i, row in rows.items():
        if i not in used:
            blocks[max(place[j] for j in row)][1].append(i)
    return blocks
