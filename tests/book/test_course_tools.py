"""Constructions, the modification method, minimisation, laws and matrices keep their laws."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.course import (
    DHLink,
    absolute_system,
    circle_meets_line,
    circles_meet,
    closed_loop,
    common_tangents,
    dh_frames,
    dh_jacobian,
    difference_gradient,
    law,
    lines_meet,
    minimise_dfp,
    nearest,
    newton,
    ordered,
    predicted,
    roots_of,
    start_by_minimisation,
    tangents,
)
from korba.expr import evaluate, variable


def test_intersections_lie_on_both():
    """Points of two circles, or of a circle and a line, have their distances, in a fixed order."""
    rng = np.random.default_rng(1)
    seen = 0
    for _ in range(200):
        (p, q), (r, s, angle) = rng.normal(size=(2, 2)), rng.uniform(0.2, 2, 3)
        for k, x in enumerate(circles_meet(p, r, q, s)):
            assert_allclose(np.hypot(*(x - p)), r, rtol=1e-12)
            assert_allclose(np.hypot(*(x - q)), s, rtol=1e-12)
            assert (np.linalg.det([q - p, x - p]) > 0) == (k == 0)
            seen += 1
        u = np.array([np.cos(angle), np.sin(angle)])
        points = circle_meets_line(p, r, q, u)
        for x in points:
            assert_allclose(np.hypot(*(x - p)), r, rtol=1e-12)
            assert_allclose(np.linalg.det([u, x - q]), 0, atol=1e-12)
        assert len(points) < 2 or (points[0] - points[1]) @ u > 0
        x = lines_meet(p, u, q, [u[1], -2 * u[0]])
        assert_allclose(np.linalg.det([u, x - p]), 0, atol=1e-11)
    assert seen > 100


def test_touching_and_missing():
    """Circles that touch have one point, those that miss none; parallel lines are refused."""
    assert_allclose(circles_meet((0, 0), 1, (3, 0), 2), [[1, 0]], atol=1e-12)
    assert circles_meet((0, 0), 1, (3.1, 0), 2).shape == (0, 2)
    assert circles_meet((0, 0), 3, (0.5, 0), 1).shape == (0, 2)
    assert circle_meets_line((0, 0), 1, (0, 2), (1, 0)).shape == (0, 2)
    with pytest.raises(kb.KorbaError, match="parallel"):
        lines_meet((0, 0), (1, 1), (1, 0), (2, 2))
    with pytest.raises(kb.KorbaError, match="the same"):
        circles_meet((0, 0), 1, (0, 0), 1)


def test_tangents_are_perpendicular_to_radii():
    """A tangent from a point, and those common to two circles: four, two or none."""
    for x in tangents((3, 1), (0.5, -0.2), 0.8):
        assert_allclose(np.hypot(*(x - [0.5, -0.2])), 0.8, rtol=1e-12)
        assert_allclose((x - [0.5, -0.2]) @ (x - [3, 1]), 0, atol=1e-12)
    assert len(tangents((0.1, 0), (0, 0), 1)) == 0
    p, q = np.array([0.0, 0.0]), np.array([3.0, 1.0])
    for (r, s), count in (((1, 0.5), 4), ((3, 2), 2), ((5, 0.5), 0)):
        found = common_tangents(p, r, q, s)
        assert len(found) == count
        for x, y in found:
            assert_allclose([(x - p) @ (y - x), (y - q) @ (y - x)], 0, atol=1e-12)


def test_all_roots_are_found():
    """Crossings, a touching root, roots at the edge of what can be assembled; no jumps."""
    roots = roots_of(lambda x: np.sin(3 * x), 0.1, 2 * np.pi - 0.1)
    assert_allclose(roots, np.arange(1, 6) * np.pi / 3, atol=1e-12)
    assert_allclose(roots_of(lambda x: (x - 1.234567) ** 2, 0, 3), [1.234567], atol=1e-6)
    assert not len(roots_of(lambda x: (x - 1.2) ** 2 + 1e-3, 0, 3))
    assert not len(roots_of(lambda x: 1 / (x - 1.2345), 0, 3))
    partly = roots_of(lambda x: np.sqrt(x - 1) - 1e-3 if x >= 1 else np.nan, 0, 3)
    assert_allclose(partly, [1 + 1e-6], atol=1e-12)
    with pytest.raises(kb.KorbaError, match="cannot be assembled"):
        nearest([], 0.0)


@pytest.mark.parametrize("central", [True, False])
def test_dfp_finds_minima(central):
    """Rosenbrock's valley and a quadratic; every step goes down."""

    def valley(x):
        return float(100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2)

    found = minimise_dfp(valley, [-1.2, 1.0], central=central)
    assert_allclose(found.x, [1, 1], atol=1e-4)
    assert np.all(np.diff(found.values) < 0)
    A = np.diag([1.0, 10.0, 50.0])
    found = minimise_dfp(lambda x: float(x @ A @ x), [1.0, 1.0, 1.0], central=central)
    assert_allclose(found.x, 0, atol=1e-5)
    assert_allclose(difference_gradient(valley, np.array([0.5, 0.3])), [-11, 10], atol=1e-6)


def test_a_loop_that_cannot_close_is_refused():
    """A minimum of (2.164) above zero is not a configuration."""
    rows = (DHLink(1.0), DHLink(1.0), DHLink(5.0))
    with pytest.raises(kb.KorbaError, match="the loop does not close"):
        closed_loop(rows, {}, [0.1, 0.2, 0.3])


def test_laws_in_every_form_agree():
    """Numbers, text, expressions, functions and points give the same values and derivatives."""
    x = np.linspace(0, 2, 401)
    forms = ["sin(t) + t**2", lambda t: np.sin(t) + t**2, np.column_stack([x, np.sin(x) + x**2])]
    expected = [np.sin(0.7) + 0.49, np.cos(0.7) + 1.4, 2 - np.sin(0.7)]
    for form in forms:
        found = [law(form)(0.7, order) for order in range(3)]
        assert_allclose(found, expected, atol=1e-4)
    assert [law(3)(1.0, order) for order in range(3)] == [3, 0, 0]
    with pytest.raises(kb.KorbaError, match="two columns"):
        law(np.zeros(3))
    with pytest.raises(kb.KorbaError, match="unknown name 'a'"):
        law("a*t")


def test_dh_formulas_take_symbols():
    """Frames and Jacobian of symbols, evaluated, are those of numbers."""
    rows = (DHLink(0, 0.3, 0, 0.5), DHLink(0.2, 1.1, 0.4, 0.1), DHLink(0.1, -0.7, pair="T"))
    values = {"a": 0.4, "b": -0.8, "c": 0.3}
    q = [variable(name) for name in values]
    for formula in (lambda q: dh_frames(rows, q)[-1], lambda q: dh_jacobian(rows, q, (0, 0, 1))):
        written = formula(q)
        numbers = evaluate([0.0 * q[0] + e for e in written.ravel()], values)
        assert_allclose(
            np.reshape(numbers, written.shape), formula(list(values.values())), atol=1e-14
        )
    with pytest.raises(kb.KorbaError, match="expected 3 values"):
        dh_frames(rows, [0.0])
    with pytest.raises(kb.KorbaError, match="expected 'R', 'T', 'C' or 'S'"):
        DHLink(pair="P")


def test_newton_by_differences_and_prediction():
    """Without a derivative differences serve; Taylor's formula is exact for a parabola."""
    run = newton(lambda x: np.array([x[0] ** 2 - 2, x[0] * x[1] - 1]), None, [1.0, 1.0])
    assert_allclose(run.x, [np.sqrt(2), np.sqrt(0.5)], rtol=1e-12)
    with pytest.raises(kb.KorbaError, match="did not converge"):
        newton(lambda x: x**2 + 1, lambda x: 2 * x, 0.3, most=20)
    assert_allclose(predicted([1.0], [2.0], [3.0], 0.5), [1 + 1 + 0.375])


def test_ordered_equations_need_as_many_unknowns():
    """f(x, q) = 0 has as many rows as unknowns, and no singular position."""
    with pytest.raises(kb.KorbaError, match="expected 2 equations"):
        ordered(lambda x, q: [x[0] - q[0]], 2, 1)
    system = ordered(lambda x, q: [x[0] ** 2 - q[0]], 1, 1)
    with pytest.raises(kb.KorbaError, match="singular"):
        system.rates([0.0], [0.0], [1.0], [0.0])


def test_drivers_by_hand():
    """Drivers between links and in pairs have the values that their points say."""
    q = np.array([0.1, 0.2, 0.3, 1.0, -0.5, 0.8])

    def driven(drive, *joints):
        on = joints or tuple(kb.Planar(f"J{name}", "ground", name) for name in "12")
        both = [kb.Body("1"), kb.Body("2")]
        m = kb.Mechanism("links", both, on, plane="xy", drives=[drive])
        return absolute_system(m).rows(q, None, 2.0)

    shift = driven(kb.BodyDrive("d", "2", relative_to="1", x="t"))
    assert_allclose(shift.phi, [1.0 - 0.1 - 2.0])
    length = driven(kb.LengthDrive("d", "ground", (0, 0), "1", (0, 0.5), "2 + t"))
    end = np.array([0.1 - 0.5 * np.sin(0.3), 0.2 + 0.5 * np.cos(0.3)])
    assert_allclose(length.phi, [np.linalg.norm(end) - 4])
    assert_allclose(length.phi_t, [-1])
    hinge = kb.Revolute("R", "1", "2", on_parent=kb.Frame((0, 0), 0.1))
    rest = kb.Planar("J1", "ground", "1")
    assert_allclose(driven(kb.JointDrive("d", "R", "0.5"), rest, hinge).phi[-1], -0.1)
    slide = kb.Prismatic("T", "ground", "1", axis=(0, 1), on_parent=kb.Frame((0, 0), 0.3))
    turned = np.array([np.cos(0.3), np.sin(0.3)])
    found = driven(kb.JointDrive("d", "T", "0"), slide, kb.Planar("J2", "ground", "2")).phi
    along, across = q[:2] @ [-turned[1], turned[0]], q[:2] @ turned
    assert_allclose(found[-1], along)
    assert_allclose(sorted(np.abs(found[:-1])), [0.0, abs(across)], atol=1e-15)


def test_a_predicted_start_misses_by_the_third_order():
    """(2.147): half the step, an eighth of what is left to Newton's method."""
    generator = ordered(
        lambda x, q: [
            0.2 * np.cos(q[0]) + 0.5 * np.cos(x[0]) - 0.4 - 0.3 * np.cos(x[1]),
            0.2 * np.sin(q[0]) + 0.5 * np.sin(x[0]) - 0.3 * np.sin(x[1]),
        ],
        2,
        1,
    )
    at = generator.position([1.0], [0.2, 1.3]).x
    rates = generator.rates(at, [1.0], [1.5], [0.7])
    missed = []
    for h in (0.02, 0.01):
        q = 1.0 + 1.5 * h + 0.5 * 0.7 * h**2
        missed.append(generator.position([q], at).x - predicted(at, *rates, h))
    assert_allclose(missed[0] / missed[1], 8.0, rtol=0.1)


def test_a_start_by_minimisation_tells_what_is_left():
    """(2.143): the sum of squares at the start and at the end, and its gradient there."""
    found = start_by_minimisation(lambda x: [x[0] - 1, x[1] + 2], [4.0, 2.0])
    assert_allclose(found.x, [1, -2], atol=1e-9)
    assert found.values == (25.0, found.value) and found.value < 1e-15
    stuck = start_by_minimisation(lambda x: [x[0], x[0] - 2], [3.0])
    assert_allclose([stuck.x[0], stuck.value], [1, 2], atol=1e-9)
    assert_allclose(stuck.gradient, 0, atol=1e-6)
