"""Derivatives, forward and reverse, against central differences, each other and closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_expressions import SMOOTH, expressions

from korba.expr import constant, derivative, evaluate, parse, variable
from korba.expr.differentiate import derivatives, jacobian_rows
from korba.expr.functions import FUNCTIONS
from korba.expr.node import build, postorder

H = 1e-5


def gradient(e, names):
    """One expression by all variables, in one reverse pass."""
    return jacobian_rows([e], names)[0]


CORNERS = (*SMOOTH, "where", "minimum", "maximum", "abs", "sign", "less", "less_equal", "sqrt")


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
        np.testing.assert_allclose(evaluate(gradient(e, [by])[0], values), numeric, atol=1e-8)


@given(expressions(SMOOTH, ("x", "y")), st.floats(-1.5, 1.5), st.floats(-1.5, 1.5))
def test_random_graphs_match_central_differences(e, a, b):
    """The chain rule holds on shared graphs (where the differences are accurate enough to tell)."""
    points = {"x": a + H * np.array([-2, -1, 0, 1, 2]), "y": b}
    with np.errstate(all="ignore"):
        f = np.broadcast_to(evaluate(e, points), 5)
        coarse, fine = (f[4] - f[0]) / (4 * H), (f[3] - f[1]) / (2 * H)
    slope = evaluate(derivative(e, "x"), {"x": a, "y": b})
    met, _ = size_and_values([e], {"x": a, "y": b})  # x + 1e200 has lost x
    noise = max(np.max(np.abs(f)), met) * 1e-16 / H
    regular = np.all(np.isfinite(f)) and np.isfinite(slope)
    if regular and abs(coarse - fine) < 1e-6 and noise < 1e-6:
        assert abs(slope - fine) < 1e-4 * (1 + abs(slope))


def size_and_values(wanted, point):
    """The values, and the largest number met on the way to them (nan and inf count)."""
    with np.errstate(all="ignore"):
        everything = evaluate(postorder(wanted), point)
        return np.max(np.abs(everything)), evaluate(wanted, point)


@given(expressions(CORNERS, ("x", "y")), st.floats(-1.5, 1.5), st.floats(-1.5, 1.5))
def test_reverse_is_forward(e, a, b):
    """Rows by (2) are columns by (1), corners and choices included, to rounding."""
    forward = [derivative(e, name) for name in ("x", "y")]
    reverse = gradient(e, ["x", "y"])
    size, found = size_and_values([*forward, *reverse], {"x": a, "y": b})
    if np.isfinite(size):
        np.testing.assert_allclose(found[2:], found[:2], rtol=0, atol=1e-13 * size)


@given(expressions(CORNERS, ("x", "y")), st.floats(-1.5, 1.5), st.floats(-1.5, 1.5))
def test_reverse_matches_central_differences(e, a, b):
    """The gradient is the slope, away from jumps of either, where differences are accurate."""
    points = {"x": a + H * np.array([-2, -1, 0, 1, 2]), "y": b}
    with np.errstate(all="ignore"):
        f = np.broadcast_to(evaluate(e, points), 5)
        coarse, fine = (f[4] - f[0]) / (4 * H), (f[3] - f[1]) / (2 * H)
        one_sided = (f[3] - f[2]) / H
        slopes = np.broadcast_to(evaluate(gradient(e, ["x"])[0], points), 5)
        slope, spread = slopes[2], np.ptp(slopes)
        smooth = abs(coarse - fine) < 1e-6 and abs(one_sided - fine) < 1e-2
    regular = np.all(np.isfinite([f, slopes])) and spread < 1e-2
    if regular and smooth and np.max(np.abs(f)) * 1e-16 / H < 1e-6:
        assert abs(slope - fine) < 2e-2 * (1 + abs(slope))


@given(
    st.lists(expressions(SMOOTH, ("x", "y")), min_size=1, max_size=4),
    st.lists(st.floats(-2, 2), min_size=4, max_size=4),
)
def test_the_gradient_of_a_weighted_sum_is_that_of_the_rows(outputs, weights):
    """The reverse pass over w' f gives w' J, with J from forward columns."""
    used = weights[: len(outputs)]
    total = sum((w * e for w, e in zip(used, outputs, strict=True)), constant(0.0))
    rows = gradient(total, ["x", "y"])
    columns = [derivatives(outputs, name) for name in ("x", "y")]
    size, found = size_and_values([*rows, *columns[0], *columns[1]], {"x": 0.4, "y": -0.7})
    if np.isfinite(size):
        J = found[2:].reshape(2, -1)
        np.testing.assert_allclose(found[:2], J @ used, rtol=0, atol=1e-12 * size)


def test_reverse_shares_what_the_results_share():
    """The gradient of a product of n factors takes some n operations; columns take n^2."""
    names = [f"x{i}" for i in range(40)]
    e = constant(1.0)
    for name in names:
        e = e * (2.0 + variable(name).sin())
    rows = gradient(e, names)
    columns = [derivative(e, name) for name in names]
    assert len(postorder(rows)) < 8 * len(names)
    assert len(postorder(columns)) > len(names) ** 2 / 2


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
    assert gradient(parse(text).value, ["x"]) == [parse(expected).value]


def test_a_branch_not_taken_does_not_spoil_the_derivative():
    """where keeps the derivatives of its branches apart: no 0 times infinity."""
    e = parse("where(x > 0, sqrt(x), 0)").value
    assert evaluate(derivative(e, "x"), {"x": 0.0}) == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "where(x > 0, sqrt(x), 0)",
        "where(x > 0, sqrt(x), 0) + 3*where(x > 0, x + sqrt(x), x)",
        "where(x > 0, where(x < 1, 2*sqrt(x), x), 2*x)",
        "where(x <= 0, x, x/x + log(x))",
    ],
)
def test_a_branch_not_taken_does_not_spoil_the_gradient(text):
    """Adjoints keep their branches apart too: reverse is finite where forward is."""
    e = parse(text).value
    slope = evaluate(derivative(e, "x"), {"x": 0.0})
    assert np.isfinite(slope)
    assert evaluate(gradient(e, ["x"])[0], {"x": 0.0}) == slope


def test_a_name_that_does_not_occur_has_no_share():
    """The gradient by a variable that is not there is 0."""
    assert [x.value for x in gradient(variable("x"), ["y", "x"])] == [0.0, 1.0]


def test_constant_has_no_derivative_and_depth_no_limit():
    """A number's derivative is 0; a chain of 20,000 sums is differentiated without recursion."""
    assert derivative(constant(3.0), "x").value == 0.0
    e = variable("x")
    for i in range(20_000):
        e = e + variable(f"y{i % 7}") * (i + 1.0)
    assert derivative(e, "x").value == 1.0
    assert gradient(e, ["x"])[0].value == 1.0
