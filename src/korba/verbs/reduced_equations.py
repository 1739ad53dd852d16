"""One equation for a mechanism of one freedom: what is reduced to one of its coordinates.

All velocities are multiples of one, v = u v_k with u_k = 1. The ratios u follow from the rows of
the loops, J u = 0, group by group: as many rows as there are ratios in them that are not known,
by Cramer's rule. With them (textbook, 4.4.2)

    I a + I'/2 v^2 = Q,     I = u' M u,     Q = u' (tau - G - R)                              (2)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from ..errors import StructureError
from ..expr.formula import ONE as NUMBER_ONE
from ..expr.formula import ZERO, Formula, Names, Product, Sum, Symbol, collected, quotient
from ..expr.waves import TooLongError, Waves, number, symbol
from ..wording import named
from .symbol_names import READABLE, Parts, defined, symbol_names
from .written import Line, ReducedEquations, summed

MOST_ROWS = 3
"""Rows that are solved at once: the ratios of a larger group are too long to be read."""
NOTHING, ONE = number(0.0), number(1.0)

_Row = Mapping[int, Waves]
"""A row of J by velocities, without zeros."""


def reduced(parts: Parts, coordinate: str) -> ReducedEquations:
    """The equation of motion in one coordinate."""
    tree, n = parts.system.tree, parts.system.tree.nv
    velocities = [tree.velocities[i] for i in tree.free_v]
    k = tree.free_v.index(tree.velocity_of(coordinate))
    ratios = [ONE if j == k else symbol(f"u[{j}]") for j in range(n)]
    plain = symbol_names(parts.system, parts.known)
    ratio = plain.letter("u", "r", "i")
    own = {f"u[{j}]": Symbol(f"{ratio}_{name}") for j, name in enumerate(velocities)}
    names = Names(plain.symbols | own)
    found = list(_ratios(parts, ratios, k, names))
    missing = [velocities[j] for j in range(n) if j != k and j not in dict(found)]
    if missing:
        raise StructureError(
            f"equations: the loops of mechanism {parts.system.m.name!r} do not give the ratios of "
            f"{', '.join(missing)} to {coordinate} in groups of at most {MOST_ROWS} rows: it has "
            f"more than one freedom, or larger groups; {named('reduce')} gives it as numbers"
        )
    letter = "I_red" if tree.velocity_kinds[tree.free_v[k]] == "angle" else "m_red"
    rate = names.symbol(f"v[{k}]")
    moved = {f"v[{j}]": ratios[j] * symbol(f"v[{k}]") for j in range(n) if j != k}
    loads = [G + R.replaced(moved) for G, R in zip(parts.G, parts.R, strict=True)]
    return ReducedEquations(
        parts.system.m.name,
        coordinate,
        rate,
        letter,
        tuple(Line(names.symbol(f"u[{j}]"), formula) for j, formula in found),
        _inertia(parts.M, ratios, names),
        _effort(velocities, _total(dict(enumerate(loads)), ratios), ratios, names),
        defined(parts.known, names),
        (f"D_red = (d{letter}/d{coordinate})/2", *parts.notes),
    )


def _ratios(
    parts: Parts, ratios: Sequence[Waves], k: int, names: Names
) -> Iterator[tuple[int, Formula]]:
    """The ratios that the loops give, in the order in which they are found."""
    rows = [{j: x for j, x in enumerate(row) if x.terms} for row in parts.J]
    known = {k}
    while group := _group(rows, known):
        unknown, own = group
        matrix = [[row.get(j, NOTHING) for j in unknown] for row in own]
        given = [-_total({j: x for j, x in row.items() if j in known}, ratios) for row in own]
        for place, j in enumerate(unknown):
            pairs = zip(matrix, given, strict=True)
            replaced = [[*row[:place], x, *row[place + 1 :]] for row, x in pairs]
            yield j, quotient(_determinant(replaced), _determinant(matrix), names)
        known |= {*unknown}


def _group(rows: Sequence[_Row], known: set[int]) -> tuple[list[int], tuple[_Row, ...]] | None:
    """The fewest rows that determine as many ratios as are not known in them, and these."""
    open_rows = [row for row in rows if {*row} - known]
    for count in range(1, MOST_ROWS + 1):
        for group in combinations(open_rows, count):
            unknown = sorted(set().union(*group) - known)
            matrix = [[row.get(j, NOTHING) for j in unknown] for row in group]
            if len(unknown) == count and _determinant(matrix).terms:
                return unknown, group
    return None


def _determinant(matrix: Sequence[Sequence[Waves]]) -> Waves:
    """By its first row."""
    if not matrix:
        return ONE
    total, sign = NOTHING, ONE
    for j, x in enumerate(matrix[0]):
        if x.terms:
            total += sign * x * _determinant([[*row[:j], *row[j + 1 :]] for row in matrix[1:]])
        if len(total.terms) > READABLE:
            raise TooLongError(f"ratios of velocities of more than {READABLE} terms")
        sign = -sign
    return total


def _total(values: _Row, ratios: Sequence[Waves]) -> Waves:
    return sum((x * ratios[j] for j, x in values.items()), start=NOTHING)


def _inertia(M: Sequence[Sequence[Waves]], ratios: Sequence[Waves], names: Names) -> Formula:
    """u' M u, a term for each pair of velocities."""
    terms: list[tuple[bool, Formula]] = []
    for i, row in enumerate(M):
        for j in range(i, len(row)):
            if row[j].terms:
                factor = collected(row[j] * number(1.0 if i == j else 2.0), names)
                terms += _times(factor, collected(ratios[i] * ratios[j], names))
    return summed(terms)


def _effort(
    velocities: Sequence[str], loads: Waves, ratios: Sequence[Waves], names: Names
) -> Formula:
    """u' tau, less what loads and gravity take."""
    terms: list[tuple[bool, Formula]] = []
    for name, ratio in zip(velocities, ratios, strict=True):
        terms += _times(Symbol(f"tau_{name}"), collected(ratio, names))
    against = collected(-loads, names)
    terms += against.terms if isinstance(against, Sum) else [(True, against)]
    return summed([each for each in terms if each[1] != ZERO])


def _times(factor: Formula, ratio: Formula) -> list[tuple[bool, Formula]]:
    """A product as terms of a sum; a factor alone where the ratio is 1."""
    if ratio == NUMBER_ONE:
        return list(factor.terms) if isinstance(factor, Sum) else [(True, factor)]
    plus, inner = True, factor
    if isinstance(factor, Sum) and len(factor.terms) == 1:
        ((plus, inner),) = factor.terms
    over, under = (inner.over, inner.under) if isinstance(inner, Product) else ((inner,), ())
    more = ratio.over if isinstance(ratio, Product) else (ratio,)
    return [(plus, Product((*(x for x in over if x != NUMBER_ONE), *more), under))]
