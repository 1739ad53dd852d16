"""Evaluation and substitution."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_expressions import SMOOTH, expressions

from korba.errors import ExpressionError
from korba.expr import constant, evaluate, parse, substitute, variable, variables
from korba.expr.functions import FUNCTIONS
from korba.expr.node import build

x, y = variable("x"), variable("y")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_function_evaluates_like_numpy(name):
    """A node has the value of its NumPy function on arrays."""
    function = FUNCTIONS[name]
    rng = np.random.default_rng(1)
    values = rng.uniform(0.1, 0.9, (function.arity, 7))
    names = [f"a{i}" for i in range(function.arity)]
    e = build(name, *map(variable, names))
    expected = function.numeric(*values)
    np.testing.assert_allclose(evaluate(e, dict(zip(names, values, strict=True))), expected)


def test_a_formula_evaluates_like_numpy():
    """A written formula has the value of the same formula in NumPy."""
    e = parse("a*sin(x)^2 - sqrt(y)/(1 + exp(-x)) + where(x < y, x, y)*atan2(y, x)").value
    a, x, y = 0.7, np.linspace(-1, 1, 5)[:, None], np.array([0.2, 0.5, 2.0])
    expected = (
        a * np.sin(x) ** 2 - np.sqrt(y) / (1 + np.exp(-x)) + np.minimum(x, y) * np.arctan2(y, x)
    )
    np.testing.assert_allclose(evaluate(e, {"a": a, "x": x, "y": y}), expected, rtol=1e-14)


def test_shape_is_batch_then_expressions():
    """Values broadcast to the leading axes, the expressions' own axes come last."""
    result = evaluate(
        [[x, y, 1.0], [x + y, x * y, constant(2.0)]], {"x": np.ones((4, 1)), "y": [1, 2, 3]}
    )
    assert result.shape == (4, 3, 2, 3)
    assert evaluate(x, {"x": 3}).shape == ()
    assert evaluate([], {"x": [1.0, 2.0]}).shape == (2, 0)


def test_values_that_do_not_exist_are_nan_without_warning():
    """sqrt(-1) is nan, 1/0 is inf, and the branch not taken does no harm."""
    assert np.isnan(evaluate(x.sqrt(), {"x": -1.0}))
    assert evaluate(parse("where(x < 0, 1, sqrt(x))").value, {"x": -1.0}) == 1.0


def test_missing_values_are_named():
    """The error says which variable has no value."""
    with pytest.raises(ExpressionError, match="no value for 'y'; got values for 'x'"):
        evaluate(x + y, {"x": 1.0})


@given(expressions(SMOOTH, ("x", "y")), st.floats(-2, 2), st.floats(-2, 2))
def test_substitution_of_numbers_is_evaluation(e, a, b):
    """Putting numbers for all variables folds to the value, wherever that is finite."""
    expected = evaluate(e, {"x": a, "y": b})
    try:
        found = substitute(e, {"x": a, "y": b})
    except ExpressionError:
        return
    if np.isfinite(expected) and abs(expected) < 1e6:
        np.testing.assert_allclose(found.value, expected, rtol=1e-6, atol=1e-9)


def test_substitution_is_simultaneous_and_simplifies():
    """x and y can change places; a variable that is not named stays."""
    e = parse("x - 2*y + z").value
    assert substitute(e, {"x": y, "y": x}) is parse("y - 2*x + z").value
    assert substitute(e, {"y": 0, "z": 0}) is x
    assert variables(e) == {"x", "y", "z"}


def test_deep_graphs_need_no_recursion():
    """Evaluation, substitution and variables work on a graph deeper than the stack."""
    e = x
    for _ in range(10_000):
        e = e.sin() + y
    assert variables(e) == {"x", "y"}
    assert np.isfinite(evaluate(e, {"x": 1.0, "y": 0.5}))
    assert variables(substitute(e, {"x": y})) == {"y"}
