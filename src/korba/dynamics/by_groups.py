"""Gauss's principle group by group: velocities that rows bind go together, from the tips inward.

    x = argmin  1/2 x'M x - f'x     where  J x = b                                        (1)

Rows that share no velocity form groups of their own: a leg's loop, a foot's. A group g goes as a
whole, with its rows, and leaves a smaller question of the same form to its neighbours n in M, so
that what a loop fills in stays in its limb. With M_gg = L'D L,

    W = L^-T M_gn,   w = L^-T f_g,   u = L^-T j   for each of its rows                    (2)
    rows are made orthogonal in the metric D^-1, one after the other, and taken off W and w:
        w += u (b - u'D^-1 w) / (u'D^-1 u),    P W = W - u (u'D^-1 W) / (u'D^-1 u)        (3)
    M_nn -= (P W)'D^-1 P W,      f_n -= W'D^-1 w                                          (4)
    x_g = L^-1 D^-1 (w - P W x_n)                                                         (5)

A velocity without rows is a group of its own, and (4) is elimination. The group with fewest
neighbours goes first. In a group with rows to spare as many are taken as its rank says, each time
the one of which most is left. Source: Featherstone (2008), Rigid Body Dynamics Algorithms, section
6.5; Golub & Van Loan (2013), Matrix Computations, sections 5.2 and 6.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..expr import less, where
from ..expr.node import present
from ..kinematics.orthogonal import Line
from ..spatial.rotation import Array


@dataclass(frozen=True, eq=False)
class Group:
    """Velocities that rows bind to each other, the rows, what they equal and are measured in."""

    own: tuple[int, ...]
    """Velocities, those nearer to the base first."""
    lines: tuple[Line, ...] = ()
    rights: tuple[Any, ...] = ()
    units: tuple[float, ...] = ()
    rank: int = 0


class Parts(NamedTuple):
    """Parts of rows that share no velocities: that of each row, and the rank of each part."""

    of_rows: tuple[int, ...]
    ranks: tuple[int, ...]


def components(lines: Sequence[Line]) -> list[list[int]]:
    """Numbers of rows that share velocities, directly or through others, together."""
    parts: list[tuple[set[int], list[int]]] = []
    for i, line in enumerate(lines):
        own, numbers, apart = set(line), [i], []
        for part in parts:
            if own.isdisjoint(part[0]):
                apart.append(part)
            else:
                own, numbers = own | part[0], part[1] + numbers
        parts = [*apart, (own, numbers)]
    return sorted(sorted(numbers) for _, numbers in parts)


def eliminated(
    M: Array, force: Sequence[Any], groups: Sequence[Group], order: Sequence[int]
) -> tuple[dict[int, Any], list[Any]]:
    """x of (1) by velocity, and the pivots: squares of what was new in each row that was taken.

    `order` are all velocities, those nearer to the base first.
    """
    bound = {j for group in groups for j in group.own}
    left = [*groups, *(Group((j,)) for j in order if j not in bound)]
    H = {i: {j: M[i, j] for j in order if j != i and present(M[i, j])} for i in order}
    depth = {j: k for k, j in enumerate(order)}
    state = _State(H, {j: M[j, j] for j in order}, {j: force[j] for j in order}, depth)
    done, pivots = [], []
    while left:
        group = min(left, key=state.neighbours)
        left.remove(group)
        step, own = _step(state, group)
        done.append(step)
        pivots += own
    x: dict[int, Any] = {}
    for step in reversed(done):
        step.back(x)
    return x, pivots


@dataclass(eq=False)
class _State:
    """What is left: M beside its diagonal, by rows, its diagonal, and f."""

    H: dict[int, Line]
    diagonal: Line
    f: dict[int, Any]
    depth: dict[int, int]

    def neighbours(self, group: Group) -> tuple[int, int]:
        """How many velocities stand in rows of M with those of a group; else the tips first."""
        met = set[int]().union(*(self.H[j].keys() for j in group.own)) - {*group.own}
        return len(met), -max(self.depth[j] for j in group.own)

    def taken_out(self, own: Sequence[int]) -> tuple[list[list[Any]], list[int]]:
        """M over velocities that go, a column for each neighbour behind, and the neighbours."""
        inside = set(own)
        others = sorted(set[int]().union(*(self.H[j].keys() for j in own)) - inside)
        rows = []
        for i in own:
            line = self.H.pop(i)
            line[i] = self.diagonal.pop(i)
            rows.append([line.get(j, 0.0) for j in (*own, *others)])
        for n in others:
            for i in own:
                self.H[n].pop(i, None)
        return rows, others

    def less(self, i: int, j: int, x: Any) -> None:
        """M_ij -= x, where x is anything."""
        if not present(x):
            return
        if i == j:
            self.diagonal[i] = self.diagonal[i] - x
        else:
            self.H[i][j] = self.H[j][i] = self.H[i].get(j, 0.0) - x


@dataclass(frozen=True, eq=False)
class _Step:
    """A group that is gone: L, 1/D, P W by columns, w."""

    own: tuple[int, ...]
    L: list[list[Any]]
    inverse: list[Any]
    others: list[int]
    W: list[list[Any]]
    w: list[Any]

    def back(self, x: dict[int, Any]) -> None:
        """(5)."""
        for k, j in enumerate(self.own):
            y = self.w[k]
            for n, column in zip(self.others, self.W, strict=True):
                y = y - column[k] * x[n]
            y = y * self.inverse[k]
            for i in range(k):
                y = y - self.L[k][i] * x[self.own[i]]
            x[j] = y


def _step(state: _State, group: Group) -> tuple[_Step, list[Any]]:
    """(2) to (4), and the pivots."""
    own = group.own
    rows, others = state.taken_out(own)
    size = len(own)
    L, inverse = _factored([row[:size] for row in rows])
    columns = [[row[size + k] for row in rows] for k in range(len(others))]
    W = [_inward(L, column) for column in columns]
    w = _inward(L, [state.f.pop(j) for j in own])
    freed = [list(column) for column in W]
    place = {j: k for k, j in enumerate(own)}
    left = []
    for line, right in zip(group.lines, group.rights, strict=True):
        entries = [0.0] * size
        for j, entry in line.items():
            entries[place[j]] = entry
        left.append((_inward(L, entries), right))
    pivots = _taken(left, group, inverse, freed, w)
    weighted = [[x * d for x, d in zip(column, inverse, strict=True)] for column in freed]
    for a, i in enumerate(others):
        scaled = [x * d for x, d in zip(W[a], inverse, strict=True)]
        state.f[i] = state.f[i] - _dot(scaled, w)
        for b in range(a, len(others)):
            state.less(i, others[b], _dot(weighted[a], freed[b]))
    return _Step(own, L, inverse, others, freed, w), pivots


def _taken(
    left: list[tuple[list[Any], Any]],
    group: Group,
    D: list[Any],
    W: list[list[Any]],
    w: list[Any],
) -> list[Any]:
    """(3) as often as the rank says, in place of W and w; the pivots."""
    order = sorted(range(len(left)), key=lambda i: sum(map(present, left[i][0])))
    left, sizes = [left[i] for i in order], [group.units[i] ** 2 for i in order]
    spare, pivots = group.rank < len(left), []
    for _ in range(min(group.rank, len(left))):
        if spare:
            left, sizes = _largest_first(left, sizes, D)
        (u, b), *left = left
        weighted = [x * d for x, d in zip(u, D, strict=True)]
        pivot = _dot(weighted, u)
        inverse = 1.0 / pivot
        pivots.append(pivot / sizes.pop(0))
        _add(w, u, (b - _dot(weighted, w)) * inverse)
        for column in W:
            _add(column, u, -(_dot(weighted, column) * inverse))
        for i, (line, right) in enumerate(left):
            if present(share := _dot(weighted, line)):
                share = share * inverse
                _add(line, u, -share)
                left[i] = line, right - share * b
    return pivots


def _largest_first(left: Any, sizes: list[Any], D: list[Any]) -> tuple[Any, list[Any]]:
    """Rows with that first whose square is largest in its units; selects, no branch."""
    squares = [_dot([x * d for x, d in zip(line, D, strict=True)], line) for line, _ in left]
    for k in range(1, len(left)):
        swap = less(squares[0] * sizes[k], squares[k] * sizes[0])
        (one, b_1), (other, b_2) = left[0], left[k]
        pairs = list(zip(one, other, strict=True))
        first = [where(swap, y, x) for x, y in pairs]
        second = [where(swap, x, y) for x, y in pairs]
        left[0], left[k] = (first, where(swap, b_2, b_1)), (second, where(swap, b_1, b_2))
        for each in (squares, sizes):
            each[0], each[k] = where(swap, each[k], each[0]), where(swap, each[0], each[k])
    return left, sizes


def _factored(A: list[list[Any]]) -> tuple[list[list[Any]], list[Any]]:
    """L and 1/D of a symmetric matrix A = L'D L, eliminated from its last row."""
    pivots: list[Any] = [None] * len(A)
    for k in reversed(range(len(A))):
        pivots[k] = 1.0 / A[k][k]
        for i in reversed(range(k)):
            if present(A[k][i]):
                share = A[k][i] * pivots[k]
                for j in range(i + 1):
                    if present(A[k][j]):
                        A[i][j] = A[i][j] - share * A[k][j]
        for i in range(k):
            A[k][i] = A[k][i] * pivots[k]
    return A, pivots


def _inward(L: list[list[Any]], b: list[Any]) -> list[Any]:
    """L^-T b."""
    x = list(b)
    for k in reversed(range(len(x))):
        if present(x[k]):
            for i in range(k):
                if present(L[k][i]):
                    x[i] = x[i] - L[k][i] * x[k]
    return x


def _dot(one: list[Any], other: list[Any]) -> Any:
    pairs = zip(one, other, strict=True)
    return sum((x * y for x, y in pairs if present(x) and present(y)), start=0.0)


def _add(line: list[Any], u: list[Any], share: Any) -> None:
    """Line += share u."""
    if present(share):
        for k, x in enumerate(u):
            if present(x):
                line[k] = line[k] + share * x
