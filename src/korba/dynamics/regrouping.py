"""Base parameters as formulas: inertia handed over joints, in symbols.

What a joint cannot feel may belong to either body that it joins (system/regroup.py). With the
moments u of such a part in the joint's frame M on the child, and X the place of M in a body,

    u in the child,  -X u X' in the parent                                                    (1)

is a combination of parameters that no motion feels, for every size of the mechanism: its
coefficients are formulas of lengths. So is a part that its body alone does not show, such as the
moments across the axis of the first link. Which u there are is read off the motions
(identifiable.py), in frames where they are plain numbers. Joints that close loops give such parts
like all others: the mass of a coupler goes to the pins at both its ends.

Gauss and Jordan then solve the combinations (1) for the dependent parameters, in trigonometric
polynomials (expr/waves.py); a pivot that is a sum has its inverse named. What (1) does not give
(gears, cranks that turn alike) is left to numbers.

Source: Gautier & Khalil (1990); the rule (1) is theirs for any joint, with loops or without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from ..expr.canonical import ANGLE, DEFINITION, Definition, canonical
from ..expr.functions import FUNCTIONS
from ..expr.node import as_expr
from ..expr.waves import Powers, Waves, number, symbol
from ..model.body import GROUND
from ..model.drawing import drawing
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..spatial.inertia import pseudo_inertia
from ..spatial.pose import Pose
from ..spatial.rotation import Array
from ..system.system import System
from .identifiable import Identifiable
from .regressor import IN_A_PLANE, MOMENTS, Parameter, six

ROUNDING = 1e-9
"""What is left of terms, as a part of them, that cancel."""
STANDS = 0.05
"""Part of the largest entry of a row that one must have to be divided by."""
DENOMINATORS = 12
"""Numbers of u are taken for fractions up to this denominator."""

Row = dict[int, Waves]
"""Coefficients of parameters by their numbers."""


@dataclass
class Grouping:
    """C of  beta = p_kept + C p_dependent  as formulas, and the names that they use."""

    sizes: Mapping[str, float]
    units: Sequence[float]
    """What the coefficient of each parameter is multiplied by to be compared with others."""
    coefficients: dict[int, Row] = field(default_factory=dict)
    """For each dependent parameter what it adds to those kept."""
    definitions: list[Definition] = field(default_factory=list)
    by_numbers: tuple[int, ...] = ()
    """The dependent ones whose coefficients are numbers of this design."""

    def known(self, sizes: Mapping[str, float]) -> dict[str, float]:
        """Values of sizes and of what is defined."""
        known = dict(sizes)
        for each in self.definitions:
            parts = [_value(x, known) for x in each.arguments]
            whole = parts[0] if each.op == ANGLE else FUNCTIONS[each.op].numeric(*parts)
            known[each.name] = float(whole)
        return known

    def matrix(self, base: Identifiable, sizes: Mapping[str, float] | None = None) -> Array:
        """C in numbers, (kept, dependent)."""
        known = self.known(self.sizes if sizes is None else sizes)
        C = np.zeros((len(base.kept), len(base.dependent)))
        place = {k: i for i, k in enumerate(base.kept)}
        for j, d in enumerate(base.dependent):
            for k, w in self.coefficients[d].items():
                C[place[k], j] = _value(w, known)
        return C


def grouping(
    base: Identifiable,
    system: System,
    shadow: System,
    sizes: Mapping[str, float],
    left: Callable[[int, int, float], Waves],
) -> Grouping:
    """How dependent parameters go into those kept: by (1), and what is left by `left`.

    `system` is in numbers, `shadow` the same with symbols, which have the values `sizes`; `left`
    makes a formula of the number by which a dependent parameter goes into a kept one.
    """
    result = Grouping(sizes, [base.scale**each.degree for each in base.parameters])
    exchanged = list(_exchanges(base, system.m, shadow.m))
    flat = canonical([as_expr(x) for row in exchanged for x in row.values()], sizes)
    result.definitions, values = flat.definitions, iter(flat.values)
    rows: list[Row] = [{k: next(values) for k in row} for row in exchanged]
    solved = _solved(result, [_clean(result, row) for row in rows], base)
    C = base.coefficients
    missing = [(j, d) for j, d in enumerate(base.dependent) if d not in solved]
    plain = {
        d: {k: left(k, d, C[i, j]) for i, k in enumerate(base.kept) if C[i, j]} for j, d in missing
    }
    for d, row in solved.items():
        total = {k: -w for k, w in row.items() if k != d and k not in plain}
        for k in row.keys() & plain.keys():
            for b, w in plain[k].items():
                total[b] = total.get(b, NOTHING) - row[k] * w
        result.coefficients[d] = _clean(result, total)
    result.coefficients |= plain
    result.by_numbers = tuple(plain)
    return result


NOTHING = Waves({})


def recognised(x: float) -> Waves:
    """A number: a fraction where it is one but for rounding."""
    near = Fraction(x).limit_denominator(DENOMINATORS)
    return number(float(near) if abs(x - float(near)) <= ROUNDING * max(1.0, abs(x)) else x)


def _value(w: Waves, known: Mapping[str, float]) -> float:
    return float(sum(c.real * _monomial(term.symbols, known) for term, c in w.terms.items()))


def _monomial(powers: Powers, known: Mapping[str, float]) -> float:
    return float(np.prod([known[name] ** float(n) for name, n in powers]))


def _clean(result: Grouping, row: Row) -> Row:
    """A row without what cancels to rounding, or is rounding beside the others."""
    sizes = _magnitudes(result, row)
    largest, known = max(sizes.values(), default=0.0), result.known(result.sizes)
    clean = {}
    for k, w in row.items():
        terms = sum(abs(c.real * _monomial(term.symbols, known)) for term, c in w.terms.items())
        if sizes[k] > ROUNDING * max(largest, terms * result.units[k]):
            clean[k] = w
    return clean


def _magnitudes(result: Grouping, row: Row) -> dict[int, float]:
    """How large the entries of a row are, lengths in typical ones."""
    known = result.known(result.sizes)
    return {k: abs(_value(w, known)) * result.units[k] for k, w in row.items()}


def _exchanges(base: Identifiable, m: Mechanism, shadow: Mechanism) -> Iterator[dict[int, Any]]:
    """The combinations (1) of all joints, and those of bodies alone, with entries in symbols."""
    places = {each: k for k, each in enumerate(base.parameters)}
    moments = IN_A_PLANE if m.plane else MOMENTS
    units = [MOMENTS.index(x) for x in moments]
    scales = np.array([base.scale ** -float(Parameter(x, "").degree) for x in moments])
    carrier: set[str] = set()
    for joint, other in zip(m.joints, shadow.joints, strict=True):
        frames, in_symbols = _frames(m, joint), _frames(shadow, other)
        ends: list[tuple[tuple[str, int], ...]] = [((joint.child, 1), (joint.parent, -1))]
        ends += [((body, 1),) for body in (joint.child, joint.parent) if body not in carrier]
        carrier |= {joint.child, joint.parent}
        for bodies in ends:
            parts = [(b, sign) for b, sign in bodies if b != GROUND]
            if not parts:
                continue
            T = sum(_placed(places, b, sign * moved(frames[b], units)[units]) for b, sign in parts)
            symbolic = [(b, sign * moved(in_symbols[b], units)[units]) for b, sign in parts]
            for u in _unidentifiable(base, T * scales):
                own = [recognised(x).number or 0.0 for x in u * scales / scales[_first(u)]]
                row: dict[int, Any] = {}
                for b, S in symbolic:
                    column = [places[Parameter(x, b)] for x in moments]
                    row |= dict(zip(column, S @ np.array(own, dtype=object), strict=True))
                yield row


def _first(u: Array) -> int:
    return int(np.argmax(np.abs(u) > ROUNDING))


def _frames(m: Mechanism, joint: Joint) -> dict[str, Pose]:
    """M of a joint as drawn, in the frames of the two bodies that it joins."""
    placed = drawing(m)
    X_FM = joint.pose(joint.drawn_coordinates)
    return {joint.parent: placed.X_PF(joint) @ X_FM, joint.child: placed.X_BM(joint)}


def moved(X_BM: Pose, units: list[int]) -> Array:
    """The ten moments in B of a unit of some of the ten in M, (10, units)."""
    X = X_BM.matrix()
    columns = []
    for k in units:
        B = X @ _UNITS[k] @ X.T
        K = B[:3, :3]
        columns.append([B[3, 3], *B[:3, 3], *six(np.trace(K) * np.eye(3) - K)])
    return np.array(columns).T


def _unit(k: int) -> Array:
    """The 4 x 4 matrix of a unit of one of the ten."""
    if k == 0:
        return pseudo_inertia(1.0, np.zeros(3), np.zeros((3, 3)))
    if k <= 3:
        B = np.zeros((4, 4))
        B[k - 1, 3] = B[3, k - 1] = 1.0
        return B
    i, j = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)][k - 4]
    tensor = np.zeros((3, 3))
    tensor[i, j] = tensor[j, i] = 1.0
    return pseudo_inertia(0.0, np.zeros(3), tensor)


_UNITS = [_unit(k) for k in range(len(MOMENTS))]


def _placed(places: Mapping[Parameter, int], body: str, part: Array) -> Array:
    """Columns over all parameters from those over a body's."""
    whole = np.zeros((len(places), part.shape[1]))
    symbols = IN_A_PLANE if len(part) == len(IN_A_PLANE) else MOMENTS
    whole[[places[Parameter(x, body)] for x in symbols]] = part.astype(float)
    return whole


def _unidentifiable(base: Identifiable, T: Array) -> list[Array]:
    """A basis, in echelon form, of the u for which T u is not felt."""
    _, s, Vt = np.linalg.svd(base.columns(T))
    rows = Vt[int(np.sum(s > 1e-8 * max(1.0, s.max(initial=0.0)))) :]
    return list(_echelon(rows))


def _echelon(rows: Array) -> Array:
    """Rows combined so that each has a 1 where all others have 0."""
    rows, first = rows.copy(), 0
    for column in range(rows.shape[1]):
        if first == len(rows):
            break
        best = first + int(np.argmax(np.abs(rows[first:, column])))
        if abs(rows[best, column]) < 1e-7:
            continue
        rows[[first, best]] = rows[[best, first]]
        rows[first] /= rows[first, column]
        for i in range(len(rows)):
            if i != first:
                rows[i] = rows[i] - rows[i, column] * rows[first]
        first += 1
    return np.where(np.abs(rows) < ROUNDING, 0.0, rows)


def _solved(result: Grouping, rows: list[Row], base: Identifiable) -> dict[int, Row]:
    """Each dependent parameter that the rows give, by a row with 1 at it and 0 at all others."""
    solved: dict[int, Row] = {}
    asked = {*base.dependent}
    while rows := [row for row in rows if asked & row.keys()]:
        i, d = min(_pivots(result, rows, asked))[1:]
        pivot = _inverse(result, rows[i][d])
        row = {k: w * pivot for k, w in rows.pop(i).items()} | {d: number(1.0)}
        asked.discard(d)
        rows = [_without(result, other, d, row) for other in rows]
        solved = {k: _without(result, other, d, row) for k, other in solved.items()} | {d: row}
    return solved


def _pivots(
    result: Grouping, rows: list[Row], asked: set[int]
) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """Entries that may be solved for, the best ones least: large, short, in short rows."""
    for i, row in enumerate(rows):
        sizes = _magnitudes(result, row)
        largest = max(sizes.values())
        for d in row.keys() & asked:
            yield (sizes[d] < STANDS * largest, len(row[d].terms), len(row)), i, d


def _without(result: Grouping, row: Row, d: int, by: Row) -> Row:
    """A row with 0 at d, by a row that has 1 there."""
    if d not in row:
        return row
    factor, rest = row[d], {k: w for k, w in row.items() if k != d}
    for k, w in by.items():
        if k != d:
            rest[k] = rest.get(k, NOTHING) - factor * w
    return _clean(result, rest)


def _inverse(result: Grouping, w: Waves) -> Waves:
    """1 over a formula; of a sum it has a name."""
    known = w.inverse()
    if known is None:
        name = f"{DEFINITION}[{len(result.definitions)}]"
        result.definitions.append(Definition(name, "div", (number(1.0), w)))
        known = symbol(name)
    return known
