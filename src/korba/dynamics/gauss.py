"""Gauss's principle: the motion that follows forces as well as its constraints allow.

    x = argmin  1/2 x'M x - f'x     where  J x = b                                        (1)

Three questions have this form: accelerations (f = tau - h, b = f'' - J' v), velocities nearest to
given ones (f = M v, b = f'), and the step that closes loops (f = 0, b = -Phi). The multipliers of
J x = b are eliminated row by row, straight-line:

* A velocity without mass, such as that of a joint that closes a loop, follows from one of its rows,
  that with a constant entry, or from rows turned so that one alone has it; a force on it goes
  over to the velocities that it follows. A row with one velocity gives it.                   (2)
* Rows are made orthogonal in the metric of M^-1, one after the other, and the motion takes of each
  what its equation asks for, group by group of rows that share velocities (by_groups.py).   (3)

* Of bodies alone, where M has blocks and a row stands for one joint, the multipliers of all rows
  are found at once from equations with few entries:

      U D^-1 U' y = b - U D^-1 w,    x = L^-1 D^-1 (w + U'y)                               (4)

* Bodies without mass or moment may leave M singular although the rows leave no motion without mass.
  Nothing changes in (1) if its rows are added to it with a weight, and then it has an inverse:

      M + J'W J,    f + J'W b                                                              (5)

Rows to spare: the rank of each part of them that shares no velocity with the others is known, so
exactly that many are taken, each time the one of which most is left, lengths in a typical one.
Loops that are open by the error of a step leave the others small but not zero; they are never
divided by.

Source: Gauss (1829); Golub & Van Loan (2013), Matrix Computations, sections 5.2 and 5.5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..expr import less, where
from ..expr.node import present
from ..kinematics.orthogonal import Line, fit
from ..spatial.rotation import Array
from ..system.tree import Tree
from .by_groups import Group, Parts, components, eliminated
from .factored import along, factored_apart
from .sparse import normal_matrix, symmetric_solved


@dataclass
class _Rows:
    """Rows that are left, what they equal, forces, and velocities that follow from others."""

    lines: list[Line]
    rights: list[Any]
    units: list[float]
    force: list[Any]
    sure: list[bool]
    """Whether a row is one of those that never depend on each other."""
    part: list[int]
    """The part of all rows to which a row belongs; parts share no velocities."""
    ranks: dict[int, int]
    """What is left of the rank of each part."""
    later: list[tuple[int, Any, Line, Any]] = field(default_factory=list)
    """Velocity, its entry, the others of its row, what they equal."""
    known: dict[int, Any] = field(default_factory=dict)

    @property
    def taken(self) -> int:
        """Rows that have given a velocity."""
        return len(self.later) + len(self.known)

    def drop(self, i: int, taken: int = 1) -> None:
        """A row has given a velocity, or is empty."""
        self.ranks[self.part[i]] -= taken
        del self.lines[i], self.rights[i], self.units[i], self.sure[i], self.part[i]

    def together(self) -> list[tuple[list[int], int]]:
        """Numbers of rows that go together, with their rank; rows to spare keep a part whole."""
        found = []
        for part in sorted({*self.part}):
            own = [i for i, k in enumerate(self.part) if k == part]
            rank = max(0, self.ranks[part])
            if rank < len(own):
                found.append((own, rank))
            else:
                apart = components([self.lines[i] for i in own])
                found += [([own[k] for k in each], len(each)) for each in apart]
        return found


class _Mass(NamedTuple):
    """M, and its velocities, those nearer to the base first."""

    M: Array
    order: Sequence[int]


_Solver = Callable[[list[int], _Rows, int], tuple[dict[int, Any], list[Any]]]
"""From velocities that are kept, rows and their rank to x and the pivots."""


def nearest(
    tree: Tree,
    M: Array,
    lines: list[Line],
    rights: Any,
    *,
    force: Any,
    parts: Parts,
    units: Any,
    weight: float = 0.0,
) -> tuple[Array, list[Any]]:
    """x of (1) over the independent velocities; rows have ranks, and units to compare them in.

    Besides, the pivots: squares of what was new in each row that was taken. One of them vanishes
    where the rank falls. Where M is singular a `weight` of the rows is added to it (5).
    """
    mass = _Mass(M, along(tree))
    how: _Solver = partial(_weighted, mass, weight) if weight else partial(_by_groups, mass)
    return _nearest(how, M, lines, rights, force=force, parts=parts, units=units)


def nearest_apart(
    M: Array,
    lines: list[Line],
    rights: Any,
    *,
    force: Any,
    rank: int,
    units: Any,
    sure: Sequence[bool],
) -> tuple[Array, list[Any]]:
    """x of (1) where M has blocks of bodies alone: multipliers of all rows at once, sparse (4).

    `sure` rows never depend on each other, whatever the position.
    """
    how = partial(_at_once, M)
    parts = Parts((0,) * len(lines), (rank,))
    return _nearest(how, M, lines, rights, force=force, parts=parts, units=units, sure=sure)


def _nearest(
    solved: _Solver,
    M: Array,
    lines: list[Line],
    rights: Any,
    *,
    force: Any,
    parts: Parts,
    units: Any,
    sure: Sequence[bool] = (),
) -> tuple[Array, list[Any]]:
    """(2), then what is left by one of the solvers."""
    present_lines = [{j: x for j, x in line.items() if present(x)} for line in lines]
    full = [i for i, line in enumerate(present_lines) if line]
    lines, rights, units = ([each[i] for i in full] for each in (present_lines, rights, units))
    known = [bool(sure and sure[i]) for i in full]
    of_rows, ranks = [parts.of_rows[i] for i in full], dict(enumerate(parts.ranks))
    rows = _Rows(lines, rights, units, list(force), known, of_rows, ranks)
    massive = [any(present(x) for x in row) for row in M]
    for j in range(len(M)):
        if not massive[j]:
            _follow(rows, j)
    while _settle(rows):
        pass
    _shift(rows, M)
    gone = {*rows.known, *(j for j, *_ in rows.later)}
    kept = [j for j in range(len(M)) if massive[j] and j not in gone]
    x, pivots = solved(kept, rows, sum(parts.ranks) - rows.taken)
    return _completed(rows, len(M), x), pivots


def _follow(rows: _Rows, j: int) -> None:
    """(2): a velocity without mass follows from one of its rows."""
    own = [i for i, line in enumerate(rows.lines) if j in line]
    if not own:
        return
    sure = [i for i in own if fit(rows.lines[i][j])]
    if sure:
        i = min(sure, key=lambda k: (not rows.sure[k], len(rows.lines[k])))
        pivot, line, right = rows.lines[i][j], rows.lines[i], rows.rights[i]
        for k in own:
            if k != i:
                share = rows.lines[k][j] / pivot
                rows.lines[k] = _without(_sum(rows.lines[k], line, -share), j)
                rows.rights[k] = rows.rights[k] - share * right
                rows.sure[k] &= rows.sure[i]
    else:
        i = own[-1]
        doubt = not all(rows.sure[k] for k in own)
        for k in reversed(own[:-1]):
            _turn(rows, i, k, j)
            rows.sure[k] &= not doubt
        pivot, line, right = rows.lines[i][j], rows.lines[i], rows.rights[i]
    rest = _without(line, j)
    for k, entry in rest.items():
        if present(rows.force[j]):
            rows.force[k] = rows.force[k] - rows.force[j] * (entry / pivot)
    rows.later.append((j, pivot, rest, right))
    rows.drop(i)


def _turn(rows: _Rows, i: int, k: int, j: int) -> None:
    """Turn two rows so that velocity j stands in row i alone; not where it is in neither."""
    a, b = rows.lines[i][j], rows.lines[k][j]
    square = a * a + b * b
    there = less(0.0, square)
    r, root = np.sqrt(square), np.sqrt(where(there, square, 1.0))
    c, s = where(there, a / root, 1.0), b / root
    first, second = rows.lines[i], rows.lines[k]
    rows.lines[i] = {**_sum(_times(first, c), second, s), j: r}
    rows.lines[k] = _without(_sum(_times(second, c), first, -s), j)
    one, other = rows.rights[i], rows.rights[k]
    rows.rights[i], rows.rights[k] = c * one + s * other, c * other - s * one


def _settle(rows: _Rows) -> bool:
    """A row with one velocity and a constant entry gives it."""
    for i, line in enumerate(rows.lines):
        if len(line) == 1:
            ((j, entry),) = line.items()
            if fit(entry):
                value = rows.rights[i] / entry
                rows.known[j] = value
                doubt = not rows.sure[i]
                rows.drop(i)
                for k, other in enumerate(rows.lines):
                    if j in other:
                        rows.rights[k] = rows.rights[k] - other[j] * value
                        rows.lines[k] = _without(other, j)
                        rows.sure[k] &= not doubt
                for k in reversed([k for k, other in enumerate(rows.lines) if not other]):
                    rows.drop(k, 0)
                return True
    return False


def _shift(rows: _Rows, M: Array) -> None:
    """What known velocities take of the forces of the others."""
    for j, value in rows.known.items():
        for i in range(len(M)):
            if present(M[i, j]):
                rows.force[i] = rows.force[i] - M[i, j] * value


def _at_once(M: Array, kept: list[int], rows: _Rows, rank: int) -> tuple[dict[int, Any], list[Any]]:
    """(4), and the pivots."""
    factors, own = factored_apart(M, kept), set(kept)
    w = factors.inward({j: rows.force[j] for j in kept if present(rows.force[j])})
    lines = [factors.inward({j: x for j, x in line.items() if j in own}) for line in rows.lines]
    weighted = {k: x * factors.pivots[k] for k, x in w.items()}
    rest = [b - _dot(line, weighted) for line, b in zip(lines, rows.rights, strict=True)]
    sure = {i for i, each in enumerate(rows.sure) if each}
    K, sizes = normal_matrix(lines, factors.pivots), [unit**2 for unit in rows.units]
    shares, pivots = symmetric_solved(K, rest, sure, rank, sizes)
    for line, share in zip(lines, shares, strict=True):
        w = _sum(w, line, share)
    return factors.outward(w), pivots


def _weighted(
    mass: _Mass, weight: float, kept: list[int], rows: _Rows, rank: int
) -> tuple[dict[int, Any], list[Any]]:
    """(3) with the M and f of (5)."""
    whole, force = np.array(mass.M, dtype=object), list(rows.force)
    for line, right, unit in zip(rows.lines, rows.rights, rows.units, strict=True):
        share = weight / unit**2
        for i, x in line.items():
            force[i] = force[i] + share * right * x
            for j, y in line.items():
                whole[i, j] = whole[i, j] + share * x * y
    rows.force = force
    return _by_groups(_Mass(whole, mass.order), kept, rows, rank)


def _by_groups(
    mass: _Mass, kept: list[int], rows: _Rows, _: int
) -> tuple[dict[int, Any], list[Any]]:
    """(3), and the pivots."""
    inside = set(kept)
    rows.lines = [{j: x for j, x in line.items() if j in inside} for line in rows.lines]
    own = [j for j in mass.order if j in inside]
    groups = [
        Group(
            tuple(j for j in own if any(j in rows.lines[i] for i in numbers)),
            tuple(rows.lines[i] for i in numbers),
            tuple(rows.rights[i] for i in numbers),
            tuple(rows.units[i] for i in numbers),
            count,
        )
        for numbers, count in rows.together()
    ]
    return eliminated(mass.M, rows.force, groups, own)


def _completed(rows: _Rows, count: int, x: dict[int, Any]) -> Array:
    """All velocities, those that follow from others last first."""
    x = {**x, **rows.known}
    for j, pivot, rest, right in reversed(rows.later):
        total = right
        for k, entry in rest.items():
            total = total - entry * x.get(k, 0.0)
        x[j] = total / pivot
    return np.array([x.get(j, 0.0) for j in range(count)], dtype=object)


def _dot(one: Line, other: Line) -> Any:
    return sum((one[k] * other[k] for k in sorted(one.keys() & other.keys())), start=0.0)


def _sum(one: Line, other: Line, share: Any) -> Line:
    """one + share other."""
    total = dict(one)
    for k, x in other.items():
        total[k] = total[k] + share * x if k in total else share * x
    return total


def _times(line: Line, share: Any) -> Line:
    return {k: x * share for k, x in line.items()}


def _without(line: Line, j: int) -> Line:
    return {k: x for k, x in line.items() if k != j and present(x)}
