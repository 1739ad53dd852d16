"""Formulas as they are printed: sums, products and powers, with common factors put in front.

A value in canonical form (waves.py) is a sum of terms. `collected` writes it as books do: the
factors that all terms share stand before a bracket, and within it those that most of them share,

    m1 s1^2 + m2 l1^2 + m2 s2^2 + 2 m2 l1 s2 cos q2  =  m1 s1^2 + m2 (l1^2 + s2^2 + 2 l1 s2 cos q2)

Printers (codegen/targets) walk the tree; they know no mechanics and do no algebra.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from korba.expr.squares import SQUARE, Key, with_squares
from korba.expr.waves import ROUNDING, Powers, Waves, rational


@dataclass(frozen=True)
class Number:
    """A number that is not negative: a fraction where it is one."""

    value: Fraction | float


@dataclass(frozen=True)
class Symbol:
    """A named quantity, or its rate by time: `dots` says which."""

    name: str
    dots: int = 0


@dataclass(frozen=True)
class Power:
    """A base to a positive power."""

    base: Formula
    exponent: Fraction


@dataclass(frozen=True)
class Call:
    """A function of formulas: cos, sin, sqrt, ..."""

    function: str
    arguments: tuple[Formula, ...]


@dataclass(frozen=True)
class Product:
    """Factors, over other factors."""

    over: tuple[Formula, ...]
    under: tuple[Formula, ...] = ()


@dataclass(frozen=True)
class Sum:
    """Terms, each to be added or (False) to be taken away."""

    terms: tuple[tuple[bool, Formula], ...]


Formula = Number | Symbol | Power | Call | Product | Sum
ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))

DENOMINATOR = 24
"""Largest denominator of a fraction; other numbers are written with a point."""
LONG = 7
"""Terms from which on a sum within brackets has brackets of its own."""

WAVES = ("cos", "sin")


@dataclass(frozen=True)
class _Term:
    c: float
    factors: Mapping[Key, Fraction]


def parted(name: str) -> tuple[str, str]:
    """The stem of a name and its index: l1 and l_1 have the index 1, w_2x has 2x, I_red has red."""
    stem_index, stem_digits = r"([^\W\d_]+)_+(\w.*)", r"(.*?[^\d,_])_*([\d,]+)"
    match = re.fullmatch(stem_index, name) or re.fullmatch(stem_digits, name)
    return (match[1], match[2]) if match else (name, "")


class Names:
    """How symbols are written, and the order in which they stand in products and sums."""

    def __init__(self, symbols: Mapping[str, Symbol]) -> None:
        self.symbols = dict(symbols)
        self.places = {name: i for i, name in enumerate(self.symbols)}

    def letter(self, *wanted: str, indexed: bool = True) -> str:
        """The first of some letters that, with indices or alone, stands for no symbol yet."""
        own = [parted(symbol.name) for symbol in self.symbols.values()]
        taken = {stem for stem, index in own if bool(index) == indexed}
        return next((letter for letter in wanted if letter not in taken), 2 * wanted[0])

    def symbol(self, name: str) -> Symbol:
        """The symbol of a name; one that is not listed is written as it is."""
        return self.symbols.get(name, Symbol(name))

    def place(self, name: str) -> tuple[int, str]:
        """Where a name stands among others."""
        return self.places.get(name, len(self.places)), name

    def key_place(self, key: Key) -> tuple[object, ...]:
        """Where a factor stands: symbols as they are listed, then cosines and sines."""
        kind, what = key
        if kind == "symbol":
            return 0, *self.place(str(what))
        if kind == SQUARE:
            first = min(self.key_place(key) for _, z in what for key, _ in z)  # type: ignore[attr-defined]
            return 0, len(self.places) + 1, str(first)
        return 1, tuple((self.place(name), n) for name, n in what), kind  # type: ignore[attr-defined]

    def term_place(self, term: _Term) -> tuple[object, ...]:
        """Where a term stands in a sum: those without cosines and sines first."""
        keys = sorted(term.factors, key=self.key_place)
        waves = [key for key in keys if key[0] in WAVES]
        return len(waves), [self.key_place(key) for key in (*waves, *keys)]


def collected(value: Waves, names: Names) -> Formula:
    """A value as a formula, common factors in front.

    Terms that are rounding beside the largest are left out: the turns of frames are numbers.
    """
    return _sum(_terms(value), names)


def quotient(over: Waves, under: Waves, names: Names) -> Formula:
    """A quotient without the factors that stand in all its terms; what is below begins with +."""
    above, below = _terms(over), _terms(under)
    if not above:
        return ZERO
    shared = _shared([*above, *below])
    number = _common_number(below) * (1.0 if min(below, key=names.term_place).c > 0 else -1.0)
    lower = _sum(_divided(below, number, shared), names)
    if lower == ONE:
        return _sum(_divided(above, number, shared), names)
    plus = any(term.c * number > 0 for term in above)
    upper = _sum(_divided(above, number if plus else -number, shared), names)
    whole = Product(_as_factors(upper), _as_factors(lower))
    return whole if plus else Sum(((False, whole),))


def _as_factors(formula: Formula) -> tuple[Formula, ...]:
    plain = isinstance(formula, Product) and not formula.under
    return formula.over if plain else (formula,)  # type: ignore[union-attr]


def _terms(value: Waves) -> list[_Term]:
    terms = [
        _Term(c, {**{("symbol", name): n for name, n in symbols}, **_wave(function, angle)})
        for c, symbols, function, angle in value.real_terms()
    ]
    largest = max((abs(term.c) for term in terms), default=0.0)
    plain = [(term.c, term.factors) for term in terms if abs(term.c) > ROUNDING * largest]
    return [_Term(c, factors) for c, factors in with_squares(plain)]


def _divided(terms: Sequence[_Term], number: float, shared: Mapping[Key, Fraction]) -> list[_Term]:
    """Terms over a number and factors that they all have."""
    return [
        _Term(
            term.c / number,
            {k: n - shared.get(k, 0) for k, n in term.factors.items() if n != shared.get(k, 0)},
        )
        for term in terms
    ]


def _wave(function: str, angle: Powers) -> dict[Key, Fraction]:
    return {(function, angle): Fraction(1)} if function else {}


def _sum(terms: Sequence[_Term], names: Names, inside: bool = False) -> Formula:
    """A sum; what is added stands before what is taken away."""
    signed = _signed(terms, names, inside)
    if not signed:
        return ZERO
    if len(signed) == 1 and signed[0][0]:
        return signed[0][1]
    return Sum(signed if signed[0][0] else tuple(sorted(signed, key=lambda each: not each[0])))


def _signed(
    terms: Sequence[_Term], names: Names, inside: bool = False
) -> tuple[tuple[bool, Formula], ...]:
    """The terms of a sum with common factors in front; within brackets only of long sums."""
    rest = sorted(terms, key=names.term_place)
    if len(rest) < 2 or (inside and len(rest) < LONG):
        return tuple(_single(term, names) for term in rest)
    waves = [_wave_of(term) for term in rest]
    if all(waves) and len({*waves}) > 1:
        alike = {wave: [t for t in rest if _wave_of(t) == wave] for wave in waves}
        return tuple(part for group in alike.values() for part in _together(group, names))
    if _shared(rest) or _common_number(rest) != 1:
        return (_bracket(rest, names),)
    counts = Counter(key for term in rest for key, n in term.factors.items() if n > 0)
    best = max(counts, key=lambda key: (counts[key], *_back(names, key, rest)), default=None)
    if best is None or counts[best] < 2:
        return tuple(_single(term, names) for term in rest)
    own = [term for term in rest if term.factors.get(best, 0) > 0]
    others = _signed([term for term in rest if term not in own], names, inside)
    bracket = _bracket(own, names)
    return (bracket, *others) if rest[0] is own[0] else (*others, bracket)


def _together(terms: Sequence[_Term], names: Names) -> tuple[tuple[bool, Formula], ...]:
    return (_single(terms[0], names) if len(terms) == 1 else _bracket(terms, names),)


def _wave_of(term: _Term) -> Key | None:
    return next((key for key in term.factors if key[0] in WAVES), None)


def _back(names: Names, key: Key, terms: Sequence[_Term]) -> tuple[bool, float]:
    """Of factors that occur equally often: one of the same power everywhere, then the first."""
    powers = {term.factors[key] for term in terms if key in term.factors}
    place = -1.0 - names.place(str(key[1]))[0] if key[0] == "symbol" else 0.0
    return len(powers) == 1, place


def _shared(terms: Sequence[_Term]) -> dict[Key, Fraction]:
    """The factors that all terms have."""
    first, *others = terms
    shared = {}
    for key, n in first.factors.items():
        powers = [n, *(term.factors.get(key, Fraction(0)) for term in others)]
        least = min(powers)
        if least > 0 or max(powers) < 0:
            shared[key] = least if least > 0 else max(powers)
    return shared


def _common_number(terms: Sequence[_Term]) -> float:
    """The number, but for its sign, that all terms have."""
    sizes = {abs(term.c) for term in terms}
    least = min(sizes)
    return least if all(abs(size - least) <= 1e-12 * least for size in sizes) else 1.0


def _bracket(terms: Sequence[_Term], names: Names) -> tuple[bool, Formula]:
    shared, number = _shared(terms), _common_number(terms)
    plus = terms[0].c > 0
    inner = _divided(terms, number if plus else -number, shared)
    over, under = _factors(_Term(number, shared), names)
    bracket = _sum(inner, names, inside=True)
    waves = [factor for factor in over if isinstance(factor, Call)]
    plain = [factor for factor in over if not isinstance(factor, Call) and factor != ONE]
    return plus, Product((*plain, bracket, *waves), under)


def _single(term: _Term, names: Names) -> tuple[bool, Formula]:
    over, under = _factors(_Term(abs(term.c), term.factors), names)
    if not under and len(over) == 1:
        return term.c > 0, over[0]
    return term.c > 0, Product(over, under)


def _factors(term: _Term, names: Names) -> tuple[tuple[Formula, ...], tuple[Formula, ...]]:
    """The factors of a term above and below the line; a number 1 is left out."""
    over: list[Formula] = []
    under: list[Formula] = []
    value = rational(term.c)
    if value is None or value.denominator > DENOMINATOR:
        over.append(Number(term.c))
    else:
        over += [Number(Fraction(value.numerator))] if value.numerator != 1 else []
        under += [Number(Fraction(value.denominator))] if value.denominator != 1 else []
    for key in sorted(term.factors, key=names.key_place):
        n = term.factors[key]
        base = _base(key, names)
        power = base if abs(n) == 1 else Power(base, abs(n))
        (over if n > 0 else under).append(power)
    if not over:
        over.append(ONE)
    return tuple(over), tuple(under)


def _base(key: Key, names: Names) -> Formula:
    kind, what = key
    if kind == "symbol":
        return names.symbol(str(what))
    if kind == SQUARE:
        members = [_Term(float(n), dict(z)) for n, z in what]  # type: ignore[attr-defined]
        return Sum(_signed(members, names, inside=True))
    angle = [_Term(float(n), {("symbol", name): Fraction(1)}) for name, n in what]  # type: ignore[attr-defined]
    singles = [_single(term, names) for term in sorted(angle, key=names.term_place)]
    whole: Formula = singles[0][1] if len(singles) == 1 and singles[0][0] else Sum(tuple(singles))
    return Call(kind, (whole,))
