"""Slider-cranks and inverted ones by every method, against differences, numbers and the engine."""

import numpy as np
import pytest
from engine_by_numpy import by_numpy
from numpy.testing import assert_allclose
from plane_models import crank_slider, planar

import korba as kb
from korba.course import four_bar, inverted_slider_crank, slider_crank
from korba.course.loop_methods import METHODS

VERBS = {"slider-crank": slider_crank, "inverted": inverted_slider_crank}
GIVEN = {"omega": 1.3, "epsilon": -0.7, "coupler": (0.5, 0.4)}
both = pytest.mark.parametrize("kind", VERBS)


def random_loops(kind, seed, count):
    """Sizes, offsets and crank angles that can be assembled, away from dead points."""
    rng = np.random.default_rng([seed, len(kind)])
    found = []
    while len(found) < count:
        a, other = rng.uniform(0.2, 2.0, 2)
        e, theta = rng.uniform(-0.8, 0.8) * (rng.random() < 0.8), rng.uniform(-np.pi, np.pi)
        B = a * np.exp(1j * theta)
        ratio = (e - B.imag) / other if kind == "slider-crank" else e / abs(B - other)
        if abs(ratio) < 0.95:
            found.append((a, other, theta, e))
    return found


def wrapped(angle):
    return (np.asarray(angle) + np.pi) % (2 * np.pi) - np.pi


@both
@pytest.mark.parametrize("branch", ["open", "crossed"])
@pytest.mark.parametrize("method", METHODS)
def test_methods_agree(kind, method, branch):
    """Every method closes the loop on the branch that is asked, with the same rates."""
    count = 20 if method in ("newton", "construction") else 100
    for a, other, theta, e in random_loops(kind, 1, count):
        one, two = (
            VERBS[kind](a, other, theta, e=e, branch=branch, method=each, **GIVEN)
            for each in ("vector", method)
        )
        c, b = two.s + 1j * e, other if kind == "slider-crank" else 0.0
        D = 0.0 if kind == "slider-crank" else other
        left = a * np.exp(1j * theta) + b * np.exp(1j * two.theta2)
        assert abs(left - D - c * np.exp(1j * two.theta3)) < 1e-13
        ahead = two.s - a * np.cos(theta) if kind == "slider-crank" else two.s
        assert (ahead > 0) == (branch == "open")
        size = 1 + np.abs(one.epsilon).max() + np.abs(one.a_s)
        for key in ("s", "omega", "epsilon", "v_s", "a_s", "B", "C", "M", "v_M", "a_M"):
            gap = np.abs(getattr(one, key) - getattr(two, key)).max()
            assert gap < 1e-12 * size**2, key
        assert np.abs(wrapped([one.theta2 - two.theta2, one.theta3 - two.theta3])).max() < 1e-12


@both
def test_rates_are_differences(kind):
    """Velocities and accelerations, that of Coriolis too, against central differences."""
    h = 1e-4
    for a, other, theta, e in random_loops(kind, 3, 20):
        before, at, after = (
            VERBS[kind](a, other, theta + k * h, e=e, omega=1.0, coupler=(0.5, 0.4))
            for k in (-1, 0, 1)
        )
        size = 1 + np.abs(at.epsilon).max() ** 2 + at.a_s**2
        turn = wrapped([after.theta2 - before.theta2, after.theta3 - before.theta3])
        assert_allclose(turn / (2 * h), at.omega, atol=1e-5 * size)
        for value, rate in (
            ("s", "v_s"), ("v_s", "a_s"), ("omega", "epsilon"), ("M", "v_M"), ("v_M", "a_M"),
        ):  # fmt: skip
            change = getattr(after, value) - getattr(before, value)
            assert_allclose(change / (2 * h), getattr(at, rate), atol=1e-5 * size, err_msg=rate)


def test_example_3_1():
    """The constructed numbers of crank and slider, with its coupler point."""
    beta, e = np.arctan2(0.08, 0.15), np.hypot(0.15, 0.08)
    at = slider_crank(0.1, 0.3, np.pi / 3, omega=20.0, coupler=(e, beta))
    assert_allclose(np.degrees(at.theta2), -16.778655, atol=5e-7)
    assert_allclose([at.s, at.v_s, at.a_s], [0.337228, -2.033562, -13.353399], atol=5e-7)
    assert_allclose([at.omega[0], at.epsilon[0]], [-3.481553, 116.949855], atol=5e-7)
    assert_allclose([*at.v_M, *at.a_M], [-1.616140, 0.419597, -25.914304, -15.548081], atol=5e-7)
    assert_allclose([at.omega[1], at.theta3], 0, atol=0)


def test_the_yoke():
    """The constructed yoke: w_3 = 2.351702, with the base line turned to the x axis."""
    AD = -np.array([0.4, 0.1])
    theta = np.pi / 3 - np.arctan2(AD[1], AD[0])
    at = inverted_slider_crank(0.15, np.hypot(*AD), theta, omega=10.0)
    assert_allclose(at.omega, 2.351702, atol=5e-7)


def test_the_engine_agrees():
    """Both loops as mechanisms move as the closed forms say."""
    t = np.array([0.0, 0.1, 0.3])
    w, turn = 2 + 0.4 * t, 2 * t + 0.2 * t**2
    with by_numpy():
        done = kb.motion(crank_slider("2*t + 0.2*t^2"), t)
        mine = slider_crank(0.1, 0.3, np.pi / 3 + turn, omega=w, epsilon=0.4)
        slider, coupler = done.body("slider"), done.body("coupler")
        assert_allclose(slider.velocity[:, 0], mine.v_s, atol=1e-11)
        assert_allclose(slider.acceleration[:, 0], mine.a_s, atol=1e-10)
        assert_allclose(coupler.angular_acceleration[:, 2], mine.epsilon[:, 0], atol=1e-10)
        drawn = inverted_slider_crank(0.2, 0.5, 1.0, e=0.1)
        axis = (np.cos(drawn.theta3), np.sin(drawn.theta3))
        joints = [
            kb.Revolute("A", "ground", "crank", at=(0, 0)),
            kb.Revolute("B", "crank", "slider", at=drawn.B),
            kb.Prismatic("S", "guide", "slider", at=drawn.B, axis=axis),
            kb.Revolute("D", "ground", "guide", at=(0.5, 0)),
        ]
        m = planar("inverted", ("crank", "slider", "guide"), joints, "2*t + 0.2*t^2")
        done = kb.motion(m, t)
        mine = inverted_slider_crank(0.2, 0.5, 1.0 + turn, e=0.1, omega=w, epsilon=0.4)
        guide = done.body("guide")
        assert_allclose(guide.angular_velocity[:, 2], mine.omega[:, 1], atol=1e-11)
        assert_allclose(guide.angular_acceleration[:, 2], mine.epsilon[:, 1], atol=1e-10)
        assert_allclose(done["v_S"], mine.v_s, atol=1e-11)
        assert_allclose(done["a_S"], mine.a_s, atol=1e-10)


def test_a_long_rocker_is_a_guide():
    """A four-bar whose rocker and base are 1e5 m long has the slider-crank's coupler to 1e-5."""
    one = slider_crank(0.1, 0.3, 0.7, omega=2.0)
    two = four_bar(0.1, 0.3, 1e5, 1e5, 0.7 + np.pi / 2, omega=2.0)  # D is below the guide
    assert_allclose(two.omega[0], one.omega[0], atol=1e-5)
    assert_allclose(two.theta2 - np.pi / 2, one.theta2, atol=1e-5)


@both
def test_what_cannot_be_assembled_says_so(kind):
    """Links that are too short, dead points and wrong names are explained."""
    verb, sizes = VERBS[kind], (0.5, 0.3 if kind == "slider-crank" else 0.5)
    e = 0.0 if kind == "slider-crank" else 0.9
    theta = np.pi / 2 if kind == "slider-crank" else 0.3
    with pytest.raises(kb.AssemblyError, match="is missing"):
        verb(*sizes, theta, e=e)
    assert np.isnan(verb(*sizes, [theta], e=e, unreached="nan").s).all()
    with pytest.raises(kb.StructureError, match="must be a length above 0"):
        verb(-0.5, 0.3, 0.0)
    with pytest.raises(kb.StructureError, match="expected one of"):
        verb(0.5, 0.6, 0.0, method="magic")


def test_dead_points_are_named():
    """A coupler across its guide, and a pin that has come to where the guide passes D."""
    with pytest.raises(kb.StructureError, match="stands across the guide, a dead point"):
        slider_crank(0.3, 0.3, np.pi / 2, omega=1.0)
    assert_allclose(slider_crank(0.3, 0.3, np.pi / 2).omega, 0)
    with pytest.raises(kb.StructureError, match="where the guide passes D"):
        inverted_slider_crank(0.3, 0.5, 0.0, e=0.2, omega=1.0)
    with pytest.raises(kb.AssemblyError, match="turn freely about one point"):
        inverted_slider_crank(0.5, 0.5, 0.0)
