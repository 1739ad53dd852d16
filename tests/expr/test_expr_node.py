"""The graph: one node for one expression, and the simplest one."""

import copy
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from random_expressions import expressions

from korba.errors import ExpressionError
from korba.expr import (
    Expr,
    constant,
    derivative,
    evaluate,
    maximum,
    minimum,
    parse,
    sign,
    variable,
    where,
)
from korba.expr.functions import FUNCTIONS, Function
from korba.expr.node import _CODES, RULES, build
from korba.expr.rewrite import _function

x, y, z = variable("x"), variable("y"), variable("z")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x + y", "y + x"),
        ("x*y", "y*x"),
        ("min(x, y)", "min(y, x)"),
        ("x - (-y)", "x + y"),
        ("(-x)*(-y)", "x*y"),
        ("(-x)*y", "-(x*y)"),
        ("(-x)/y", "x/(-y)"),
        ("sin(-x)", "-sin(x)"),
        ("cos(-x)", "cos(x)"),
        ("cos(x - y)", "cos(y - x)"),
        ("sin(x - 1)", "-sin(1 - x)"),
        ("abs(y - x)", "abs(x - y)"),
        ("(-x)^2", "x^2"),
        ("(-x)^3", "-(x^3)"),
        ("0*x + 1*y", "y"),
        ("x + x", "2*x"),
        ("2*x + 3*x", "5*x"),
        ("x - x", "0"),
        ("2*x + y + 3*x", "5*x + y"),
        ("3*x - (y - 2*x)", "5*x - y"),
        ("x + y - x", "y"),
        ("y - (x + y)", "-x"),
        ("2*(3*x)", "6*x"),
        ("x + 2 - 5", "x - 3"),
        ("1 - (2 - x)", "x - 1"),
        ("-(x - y)", "y - x"),
        ("x/4", "0.25*x"),
        ("x^1", "x"),
        ("x^0", "1"),
        ("x^-1", "1/x"),
        ("x^0.5", "sqrt(x)"),
        ("x/x", "1"),
        ("x > y", "y < x"),
        ("x < x", "0"),
        ("x <= x", "1"),
        ("where(1, x, y)", "x"),
        ("where(x, y, y)", "y"),
        ("2*3 + 4^2/8", "8"),
        ("sin(0)", "0"),
    ],
)
def test_equal_expressions_are_one_node(one, other):
    """Texts that differ by order, signs, zeros, ones and numbers give one object."""
    assert parse(one).value is parse(other).value


@given(expressions())
def test_a_node_is_built_again_from_its_own_arguments(e):
    """The rewriting rules leave a finished node alone."""
    assert e.op in ("constant", "variable") or build(e.op, *e.args) is e


def test_a_division_by_a_number_keeps_the_last_bit():
    """x/49 at 49 is exactly 1, although 49*(1/49) is not."""
    assert evaluate(x / 49.0, {"x": 49.0}) == 1.0


def test_powers_stay_powers():
    """An integer power is one node, not a chain of products."""
    assert (x**7).op == "pow"
    assert (x**7).args == (x, constant(7))


@pytest.mark.parametrize(
    "made",
    [
        lambda: constant(1.0) / 0.0,
        lambda: x / 0,
        lambda: constant(1e200) * 1e200,
        lambda: constant(-1.0).sqrt(),
        lambda: constant(-1.0).log(),
        lambda: constant(0.0) ** -1,
        lambda: constant(9.0) ** 1e9,
        lambda: constant(float("nan")),
        lambda: constant(float("inf")),
        lambda: x + 10**400,
        lambda: variable(""),
        Expr,
        lambda: setattr(x, "op", "add"),
        lambda: bool(x < y),
        lambda: float(x),
        lambda: x.arctan2("y"),
    ],
)
def test_what_has_no_value_is_an_expression_error(made):
    """Folding, truth and conversion never raise anything but an ExpressionError."""
    with pytest.raises(ExpressionError):
        made()


def test_huge_numbers_are_not_joined_into_infinity():
    """1e200 (1e200 x) stays two products, as 1e200 (1e-200 x) becomes one."""
    assert (1e200 * (1e200 * x)).args[1].op == "mul"
    assert 1e200 * (1e-200 * x) is x or (1e200 * (1e-200 * x)).args[1] is x


def test_numbers_of_every_kind_mix_with_nodes():
    """int, float and NumPy numbers on either side give the same node."""
    for two in (2, 2.0, np.float64(2), np.float32(2), np.int64(2)):
        assert two * x is x * two is x + x
        assert two - x is -(x - two)
        assert (two**x).op == "pow"
        assert (two < x) is (x > two)
    with pytest.raises(TypeError):
        x + "y"


def test_object_arrays_go_through_numpy():
    """A rotation matrix of symbols times its transpose evaluates to the identity."""
    q = np.array([x], dtype=object)
    c, s = np.cos(q)[0], np.sin(q)[0]
    rotation = np.array([[c, -s], [s, c]], dtype=object)
    product = evaluate(rotation @ rotation.T, {"x": np.linspace(0, 3, 5)})
    np.testing.assert_allclose(product, np.broadcast_to(np.eye(2), (5, 2, 2)), atol=1e-15)
    assert np.arctan2(q, q)[0] is x.arctan2(x)
    assert (np.array([1.0, 2.0]) * x)[1] is 2 * x


def test_choices_compute_with_numbers_and_build_with_symbols():
    """minimum, maximum, sign and where take numbers, float arrays, nodes and object arrays."""
    assert minimum(1.0, 2.0) == 1.0
    np.testing.assert_array_equal(sign(np.array([-3.0, 0.0])), [-1.0, 0.0])
    assert maximum(x, 1.0).op == "maximum"
    both = where(np.array([x < 1, y < 1], dtype=object), 1.0, np.array([2.0, 3.0]))
    assert both[1] is where(y < 1, 1.0, 3.0)


@given(expressions())
def test_copies_are_the_node_itself(e):
    """Copying and pickling keep identity, so values that hold expressions compare right."""
    assert copy.copy(e) is copy.deepcopy(e) is pickle.loads(pickle.dumps(e)) is e  # noqa: S301


def test_order_is_the_same_in_every_process():
    """The canonical text does not depend on creation order or on the seed of str hashes."""
    text = "y*sin(x) + cos(x)*z*exp(y)"
    script = f"from korba.expr import *; b = variable('z'); print(to_text(parse({text!r}).value))"
    written = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout.strip()
        for seed in "123"
    }
    assert written == {str(parse(text).value).encode()}


def test_threads_that_build_the_same_node_share_it():
    """Eight threads that build one sum end with one object."""
    found = []

    def work():
        total = x
        for i in range(300):
            total = (total + y * (i + 0.125)).sin()
        found.append(total)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1


def test_deep_graphs_are_built_and_dropped():
    """A chain of 100,000 nodes needs no recursion, not even to be forgotten."""
    e = x
    for _ in range(100_000):
        e = e + y
    assert evaluate(e, {"x": 1.0, "y": 2.0}) == 200_001.0
    del e


def test_a_new_function_is_one_entry(monkeypatch):
    """An entry of the table is enough to build, differentiate and evaluate a function."""
    square = Function("square", np.square, lambda r, a, da: 2.0 * a[0] * da[0], parity="even")
    monkeypatch.setitem(FUNCTIONS, "square", square)
    monkeypatch.setitem(RULES, "square", _function("square"))
    monkeypatch.setitem(_CODES, "square", 1)
    e = build("square", y - x)
    assert e is build("square", x - y)
    assert evaluate(derivative(e, "x"), {"x": 3.0, "y": 1.0}) == 4.0
