"""Splines through points, for numbers and symbols alike."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from korba.expr import evaluate, variable
from korba.expr.node import postorder
from korba.model.curve import Curve, value_at

EPS = np.finfo(float).eps
rng = np.random.default_rng(11)
KNOTS = tuple(np.cumsum(rng.uniform(0.3, 1, size=8)))
OPEN = Curve(KNOTS, tuple(rng.normal(size=8)))
CLOSED = Curve(KNOTS, (*(first := rng.normal(size=7)), first[0]), periodic=True)
SMOOTH = Curve(KNOTS, OPEN.y, spline="quintic")
ROUND = Curve(KNOTS, CLOSED.y, periodic=True, spline="quintic")
EVEN = Curve(tuple(np.linspace(1, 3, 8)), OPEN.y)
PERIOD = KNOTS[-1] - KNOTS[0]
SAMPLES = np.linspace(KNOTS[0] - 2.3 * PERIOD, KNOTS[-1] + 1.7 * PERIOD, 97)
both = pytest.mark.parametrize(
    "curve",
    [OPEN, CLOSED, SMOOTH, ROUND, EVEN],
    ids=["open", "periodic", "quintic", "periodic quintic", "even"],
)


@both
def test_a_curve_goes_through_its_points(curve):
    """The value at x_i is y_i."""
    assert_allclose(curve(np.array(curve.x)), curve.y, rtol=0, atol=2000 * EPS)
    assert_allclose([curve(x) for x in curve.x], curve.y, rtol=0, atol=2000 * EPS)


@both
@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivatives_against_finite_differences(curve, order):
    """Each derivative is the rate of the one before, inside the pieces."""
    h = 1e-6
    x = np.array(curve.x[:-1]) + 0.37 * np.diff(curve.x)
    rate = (curve(x + h, order - 1) - curve(x - h, order - 1)) / (2 * h)
    size = np.abs(curve(x, 3)).max() + np.abs(curve(x, order - 1)).max()
    assert_allclose(curve(x, order), rate, rtol=0, atol=20 * size * (EPS / h + h**2))


@both
def test_two_derivatives_are_continuous(curve):
    """Value, slope and second derivative do not jump at inner points; of a quintic no fourth."""
    h = 1e-9
    for order in range(3 if curve.spline == "cubic" else 5):
        for x in curve.x[1:-1]:
            jump = curve(x + h, order) - curve(x - h, order)
            assert abs(jump) < 4 * h * (1 + np.abs(curve(np.array(curve.x), order + 1)).max())


@pytest.mark.parametrize("order", range(3))
def test_a_periodic_curve_repeats(order):
    """One period later all is the same, and the seam is smooth."""
    x = np.linspace(KNOTS[0], KNOTS[-1], 41)[:-1] + 0.001
    slope = 1 + np.abs(CLOSED(x, order + 1)).max()
    atol = 100 * EPS * 10 * PERIOD * slope
    for turns in (-2, 1, 5):
        shifted = CLOSED(x + turns * PERIOD, order)
        assert_allclose(shifted, CLOSED(x, order), rtol=0, atol=atol)
    h = 1e-9
    jump = CLOSED(KNOTS[0] + h, order) - CLOSED(KNOTS[0] - h, order)
    assert abs(jump) < 3 * h * slope


@both
@pytest.mark.parametrize("order", range(4))
def test_symbols_and_numbers_agree(curve, order):
    """The traced spline has the values of the computed one, at the points too."""
    written = curve(variable("x"), order)
    points = np.concatenate([SAMPLES, KNOTS]) if order < 3 else SAMPLES  # the third one jumps
    expected = curve(points, order)
    atol = 1000 * EPS * np.abs(expected).max()
    assert_allclose(evaluate(written, {"x": points}), expected, rtol=0, atol=atol)


@both
def test_symbols_are_as_short_for_many_points(curve):
    """The count of operations grows by halvings of a table at most, not by points."""
    many = np.linspace(0, 1, 400) ** (1 if curve is EVEN else 1.1)
    y = tuple(np.sin(2 * np.pi * many))
    long = Curve(tuple(many), y, periodic=curve.periodic, spline=curve.spline)
    counts = [
        len([node for node in postorder([each(variable("x"), 2)]) if node.args])
        for each in (curve, long)
    ]
    assert counts[1] <= counts[0] + 5 * 7


def test_accelerations_of_a_quintic_are_better_by_two_orders():
    """The second derivative is off by h^2 along a cubic, and by h^4 along a quintic."""
    errors = {}
    for spline in ("cubic", "quintic"):
        for count in (30, 60):
            x = np.linspace(0, 2 * np.pi, count + 1)
            y = np.append(np.sin(x[:-1]), 0.0)
            at = np.linspace(0, 6, 500)
            curve = Curve(tuple(x), tuple(y), periodic=True, spline=spline)
            errors[spline, count] = np.abs(curve(at, 2) + np.sin(at)).max()
    assert 3.5 < errors["cubic", 30] / errors["cubic", 60] < 4.5
    assert 14 < errors["quintic", 30] / errors["quintic", 60] < 18


def test_a_cubic_is_reproduced():
    """Points of a cubic give the cubic back, outside its points as well."""
    x = np.array(KNOTS)
    curve = Curve(KNOTS, tuple(x**3 - 2 * x + 1))
    at = np.linspace(-1, 9, 23)
    for order, exact in enumerate([at**3 - 2 * at + 1, 3 * at**2 - 2, 6 * at, 0 * at + 6]):
        assert_allclose(curve(at, order), exact, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("order", range(3))
def test_value_at_a_law_and_a_curve(order):
    """A function is a law or a curve; both give numbers at numbers and symbols at symbols."""
    law = variable("t") ** 3
    exact = [0.7**3, 3 * 0.7**2, 6 * 0.7][order]
    for function in (law, Curve(KNOTS, tuple(np.array(KNOTS) ** 3))):
        assert_allclose(value_at(function, "t", 0.7, order), exact, rtol=1e-9)
        traced = value_at(function, "t", variable("s") * 0.5, order)
        assert_allclose(evaluate(traced, {"s": 1.4}), exact, rtol=1e-9)


@pytest.mark.parametrize(
    ("x", "y", "more", "words"),
    [
        ((0, 1), (0, 1), {}, "3 or more x"),
        ((0, 1, 2), (0, 1), {}, "as many y"),
        ((0, 2, 1), (0, 1, 2), {}, "must increase"),
        ((0, 1, 2), (0, 1, 2), {"periodic": True}, "starts at 0 and ends at 2"),
        ((0, 1, 2, 3), (0, 1, 2, 1), {"spline": "quintic"}, "7 or more x"),
    ],
)
def test_faulty_curves_are_named(x, y, more, words):
    """Too few, unordered or unclosed points are faults."""
    (fault,) = Curve(x, y, **more).faults()
    assert words in fault.message
