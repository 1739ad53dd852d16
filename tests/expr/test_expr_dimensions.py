"""Dimensions of random formulas: what is consistent is read, what is not is refused."""

from fractions import Fraction

import numpy as np
import pytest

from korba.errors import ExpressionError
from korba.expr.dimensions import Dimension
from korba.expr.parse import parse
from korba.expr.quantities import TIME

BASES = ("kg", "m", "s")
NUMBERS = ("2", "0.5", "3")


class Formulas:
    """Random formulas of a wanted dimension; the quantities with units are kept as leaves."""

    def __init__(self, seed):
        self.rng, self.leaves = np.random.default_rng(seed), []

    def pick(self, options):
        """One of some options."""
        return options[self.rng.integers(len(options))]

    def quantity(self, d):
        """A leaf: a place in the text, filled in by `text`."""
        self.leaves.append(d)
        return f"{{{len(self.leaves) - 1}}}"

    def some(self):
        """A dimension of small powers."""
        return Dimension.of({base: self.pick((-2, -1, 0, 0, 1, 2)) for base in BASES})

    def formula(self, d, depth=4):
        """A formula of dimension d: each rule is true whatever its parts are."""
        if not depth:
            return self.quantity(d)
        rule = self.pick(RULES)
        return rule(self, d, lambda other: self.formula(other, depth - 1))

    def text(self, formula, leaves):
        """The formula with its leaves written."""
        return formula.format(*map(self.written, leaves))

    def written(self, d):
        """A quantity of a dimension, in base units; a ratio is one in radians."""
        units = "*".join(f"{base}^{n}" for base, n in d.powers) or "rad"
        return f"{self.pick(NUMBERS)} {units}"


def _product(f, d, part):
    other = f.some()
    return f"({part(other)})*({part(d / other)})"


def _quotient(f, d, part):
    other = f.some()
    return f"({part(d * other)})/({part(other)})"


def _in_time(f, d, part):
    n = f.pick((1, 2, 3))
    return f"({part(d / TIME['t'] ** Fraction(n))})*t^{n}"


def _root(f, d, part):
    return f"sqrt(abs({part(d ** Fraction(2))}))"


def _wave(f, d, part):
    return f"({part(d)})*{f.pick(('sin', 'tanh', 'cos'))}({part(Dimension())})"


def _choice(f, d, part):
    other = f.some()
    return f"({part(d)} if {part(other)} < {part(other)} else {part(d)})"


RULES = (
    lambda f, d, part: f"{part(d)} + {part(d)}",
    lambda f, d, part: f"{part(d)} - ({part(d)} + 2*t)",
    lambda f, d, part: f"max({part(d)}, 3, {part(d)})",
    lambda f, d, part: f"-abs(2*pi*({part(d)}))",
    lambda f, d, part: f.quantity(d),
    *(_product, _quotient, _in_time, _root, _wave, _choice),
)


@pytest.mark.parametrize("seed", range(100))
def test_consistent_formulas_are_read_and_one_other_term_is_refused(seed):
    """A formula has the dimension it was made with; with one term of another it has it no more."""
    f = Formulas(seed)
    wanted = f.some() if seed % 2 else Dimension()
    formula = f.formula(wanted)
    own = parse(f.text(formula, f.leaves), measures=TIME).dimension
    assert own is None or own.fits(wanted)  # None: a ratio such as (2 1/s)*t is a bare number
    place = f.rng.integers(len(f.leaves))
    other = Dimension.of({f.pick(("A", "K")): f.pick((-1, 1))})
    wrong = [d * other if k == place else d for k, d in enumerate(f.leaves)]
    try:
        own = parse(f.text(formula, wrong), measures=TIME).dimension
    except ExpressionError:
        return
    assert not own.fits(wanted)
