"""Derivatives against central differences and closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_expressions import SMOOTH, expressions

from korba.expr import constant, derivative, evaluate, parse, variable
from korba.expr.functions import FUNCTIONS
from korba.expr.node import build

H = 1e-5


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_rule_matches_central_differences(name):
    """Every entry of the table is differentiated right, by each of its arguments."""
    arity = FUNCTIONS[name].arity
    names = [f"a{i}" for i in range(arity)]
    e = build(name, *map(variable, names))
    values = dict(zip(names, (0.3, 0.7, 0.55), strict=False))
    for by in names:
        up, down = values | {by: values[by] + H}, values | {by: values[by] - H}
        numeric = (evaluate(e, up) - evaluate(e, down)) / (2 * H)
        np.testing.assert_allclose(evaluate(derivative(e, by), values), numeric, atol=1e-8)


@given(expressions(SMOOTH, ("x", "y")), st.floats(-1.5, 1.5), st.floats(-1.5, 1.5))
def test_random_graphs_match_central_differences(e, a, b):
    """The chain rule holds on shared graphs (where the differences are accurate enough to tell)."""
    points = {"x": a + H * np.array([-2, -1, 0, 1, 2]), "y": b}
    with np.errstate(all="ignore"):
        f = np.broadcast_to(evaluate(e, points), 5)
        coarse, fine = (f[4] - f[0]) / (4 * H), (f[3] - f[1]) / (2 * H)
    slope = evaluate(derivative(e, "x"), {"x": a, "y": b})
    noise = np.max(np.abs(f)) * 1e-16 / H
    regular = np.all(np.isfinite(f)) and np.isfinite(slope)
    if regular and abs(coarse - fine) < 1e-6 and noise < 1e-6:
        assert abs(slope - fine) < 1e-4 * (1 + abs(slope))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y^2", "0"),
        ("x", "1"),
        ("3*x - y", "3"),
        ("x^3", "3*x^2"),
        ("x^-2", "-2*x^-3"),
        ("sin(x)", "cos(x)"),
        ("exp(2*x)", "2*exp(2*x)"),
        ("where(y < 0, x, 2*x)", "where(y < 0, 1, 2)"),
        ("sign(x)", "0"),
    ],
)
def test_closed_forms(text, expected):
    """Simple derivatives come out as in the book."""
    assert derivative(parse(text).value, "x") is parse(expected).value


def test_a_branch_not_taken_does_not_spoil_the_derivative():
    """where keeps the derivatives of its branches apart: no 0 times infinity."""
    e = parse("where(x > 0, sqrt(x), 0)").value
    assert evaluate(derivative(e, "x"), {"x": 0.0}) == 0.0


def test_constant_has_no_derivative_and_depth_no_limit():
    """A number's derivative is 0; a chain of 20,000 sums is differentiated without recursion."""
    assert derivative(constant(3.0), "x").value == 0.0
    e = variable("x")
    for i in range(20_000):
        e = e + variable(f"y{i % 7}") * (i + 1.0)
    assert derivative(e, "x").value == 1.0
