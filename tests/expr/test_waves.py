"""Trigonometric polynomials: numbers with one form, equal where their values are."""

import numpy as np
import pytest
from formula_values import value as formula_value
from numpy.testing import assert_allclose

from korba.expr import evaluate, variable, where
from korba.expr.canonical import canonical
from korba.expr.formula import Names, collected
from korba.expr.waves import number, symbol, wave

NAMES = ("x", "y", "m", "l")


def value(w, at):
    """A value at numbers for its symbols, from the definition."""
    total = 0.0
    for (waves, symbols), c in w.terms.items():
        angle = sum(float(n) * at[name] for name, n in waves)
        total += c * np.exp(1j * angle) * np.prod([at[name] ** float(n) for name, n in symbols])
    return total


def random_expression(rng, depth=4):
    """Sums, products, powers, sines and cosines of two angles and two sizes."""
    if depth == 0:
        return variable(str(rng.choice(NAMES))) if rng.random() < 0.8 else rng.integers(1, 4) * 0.5
    one = random_expression(rng, depth - 1)
    kind = rng.integers(6)
    if kind == 0:
        k, n = rng.integers(-2, 3, 2)
        return np.cos(int(k) * variable("x") + int(n) * variable("y"))
    if kind == 1:
        return np.sin(variable(str(rng.choice(("x", "y")))) + 0.3)
    if kind == 2:
        return one / variable("m")
    two = random_expression(rng, depth - 1)
    return one * two if kind < 5 else one - two


@pytest.mark.parametrize("seed", range(20))
def test_values_are_those_of_the_expression(seed):
    """The canonical form, and the formula collected from it, have the expression's value."""
    rng = np.random.default_rng(seed)
    e = random_expression(rng) * variable("l")
    at = dict(zip(NAMES, rng.uniform(0.5, 2, 4), strict=True))
    known = canonical([e])
    assert not known.definitions
    expected = float(evaluate(e, at))
    assert_allclose(value(known.values[0], at), expected, rtol=1e-9, atol=1e-9)
    printed = formula_value(
        collected(known.values[0], Names({})), {(n, 0): x for n, x in at.items()}
    )
    assert_allclose(printed, expected, rtol=1e-9, atol=1e-9)


def test_equal_values_are_equal():
    """cos² + sin² is 1; double angles and sums of angles are what they are."""
    x, y = symbol("x"), symbol("y")
    c, s = wave(x, "cos"), wave(x, "sin")
    assert c * c + s * s == number(1.0)
    assert s * c + s * c == wave(x + x, "sin")
    assert c * wave(y, "cos") - s * wave(y, "sin") == wave(x + y, "cos")
    assert wave(x, "cos") != wave(y, "cos")


def test_what_is_no_polynomial_has_a_line_of_its_own():
    """A root and a quotient by a sum are defined once each."""
    x, m = variable("x"), variable("m")
    root = (m + 1.0) ** 0.5
    known = canonical([root * np.sin(x), root / (m + x), x / (m + x)])
    assert [each.op for each in known.definitions] == ["sqrt", "div"]


def test_choices_between_sizes_are_made():
    """Where the sizes have values, `where` is one of its two."""
    m = variable("m")
    assert canonical([where(m > 0.0, m * 2.0, m)], {"m": 1.0}).values == [symbol("m") * number(2.0)]
    assert canonical([where(m > 0.0, m * 2.0, m)], {"m": -1.0}).values == [symbol("m")]
