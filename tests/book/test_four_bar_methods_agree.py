"""The five methods for a four-bar agree with each other, with differences and with the engine."""

import numpy as np
import pytest
from engine_by_numpy import body_states, engine_motion
from numpy.testing import assert_allclose

import korba as kb
from korba.course import four_bar
from korba.course.loop_methods import METHODS

OTHERS = [name for name in METHODS if name != "freudenstein"]


def random_four_bars(seed, count):
    """Sizes and crank angles that can be assembled, away from dead points."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        a, b, c, d = rng.uniform(0.2, 2.0, 4)
        theta = rng.uniform(-np.pi, np.pi)
        BD = np.hypot(d - a * np.cos(theta), a * np.sin(theta))
        cosine = (b * b + c * c - BD * BD) / (2 * b * c)
        if abs(cosine) < 0.995 and BD > 0.1:
            found.append((a, b, c, d, theta))
    return found


def wrapped_gap(one, two):
    return np.abs((np.array(one) - two + np.pi) % (2 * np.pi) - np.pi).max()


@pytest.mark.parametrize("branch", ["open", "crossed"])
@pytest.mark.parametrize("method", OTHERS)
def test_methods_agree(method, branch):
    """Angles, rates and coupler point of random four-bars, to 1e-12 of their size."""
    count = 60 if method in ("newton", "construction") else 300
    for a, b, c, d, theta in random_four_bars(1, count):
        given = {"branch": branch, "omega": 1.3, "epsilon": -0.7, "coupler": (0.5, 0.4)}
        one = four_bar(a, b, c, d, theta, **given)
        two = four_bar(a, b, c, d, theta, method=method, **given)
        assert wrapped_gap([one.theta2, one.theta3], [two.theta2, two.theta3]) < 1e-12
        size = 1 + np.abs(one.epsilon).max()
        for key in ("omega", "epsilon", "B", "C", "M", "v_M", "a_M"):
            gap = np.abs(getattr(one, key) - getattr(two, key)).max()
            assert gap < 1e-12 * size**2, key


@pytest.mark.parametrize("method", METHODS)
def test_roots_at_infinity(method):
    """Where theta_3 or theta_2 is 180 deg, C_1 or C_4 is zero; nothing is lost."""
    a, b, c, d, theta = 0.5, 0.0, 0.7, 1.2, 0.8
    B = a * np.array([np.cos(theta), np.sin(theta)])
    b = float(np.hypot(d - c - B[0], B[1]))  # C on the base line, left of D
    found = [four_bar(a, b, c, d, theta, method=method, branch=s) for s in ("open", "crossed")]
    assert min(wrapped_gap([each.theta3], [np.pi]) for each in found) < 1e-12
    C = B - [0.4, 0.0]  # BC points to the left
    c = float(np.hypot(*(C - [d, 0])))
    found = [four_bar(a, 0.4, c, d, theta, method=method, branch=s) for s in ("open", "crossed")]
    assert min(wrapped_gap([each.theta2], [np.pi]) for each in found) < 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_circles_above_each_other(method):
    """x_B = d, where (2.38) of the book divides by zero."""
    found = four_bar(0.5, 0.8, 0.9, 0.5 * np.cos(0.7), 0.7, method=method)
    assert_allclose(np.hypot(*(found.C - found.B)), 0.8, rtol=1e-14)
    assert_allclose(np.hypot(found.C[0] - 0.5 * np.cos(0.7), found.C[1]), 0.9, rtol=1e-14)


def test_branches_lie_on_both_sides():
    """Open is left of the line from B to D, crossed is right, for every four-bar."""
    for a, b, c, d, theta in random_four_bars(2, 500):
        for branch, side in (("open", 1), ("crossed", -1)):
            at = four_bar(a, b, c, d, theta, branch=branch)
            BD, BC = np.array([d, 0]) - at.B, at.C - at.B
            assert side * (BD[0] * BC[1] - BD[1] * BC[0]) > 0


def test_rates_are_differences():
    """(3.38), (3.39) and the coupler point against central differences over the crank angle."""
    h = 1e-4
    for a, b, c, d, theta in random_four_bars(3, 30):
        before, at, after = (
            four_bar(a, b, c, d, theta + s * h, omega=1.0, coupler=(0.5, 0.4)) for s in (-1, 0, 1)
        )
        size = 1 + np.abs(at.epsilon).max() ** 2
        rate = np.array([after.theta2 - before.theta2, after.theta3 - before.theta3])
        rate = (rate + np.pi) % (2 * np.pi) - np.pi
        assert_allclose(rate / (2 * h), at.omega, atol=1e-6 * size)
        assert_allclose((after.omega - before.omega) / (2 * h), at.epsilon, atol=1e-5 * size)
        assert_allclose((after.M - before.M) / (2 * h), at.v_M, atol=1e-6 * size)
        assert_allclose((after.v_M - before.v_M) / (2 * h), at.a_M, atol=1e-5 * size)


@pytest.mark.parametrize("seed", range(4))
def test_the_engine_agrees(seed):
    """The engine's coupler and rocker of a random four-bar move alike to 1e-10."""
    a, b, c, d, theta = random_four_bars(10 + seed, 1)[0]
    branch = ["open", "crossed"][seed % 2]
    drawn = four_bar(a, b, c, d, theta, branch=branch)
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "coupler", at=drawn.B),
        kb.Revolute("C", "coupler", "rocker", at=drawn.C),
        kb.Revolute("D", "ground", "rocker", at=(d, 0)),
    ]
    bodies = [kb.Body(name) for name in ("crank", "coupler", "rocker")]
    drives = [kb.JointDrive("motor", "A", "0.05*sin(3*t)")]
    m = kb.Mechanism("four-bar", bodies, joints, plane="xy", drives=drives)
    t = np.array([0.0, 0.1, 0.4])
    w, e = 0.15 * np.cos(3 * t), -0.45 * np.sin(3 * t)
    mine = four_bar(a, b, c, d, theta + 0.05 * np.sin(3 * t), branch=branch, omega=w, epsilon=e)
    done = engine_motion(m, t)
    for k, (name, now, start) in enumerate(
        (("coupler", mine.theta2, drawn.theta2), ("rocker", mine.theta3, drawn.theta3))
    ):
        q, v, acceleration = body_states(done, name)
        assert wrapped_gap(q[:, 2], now - start) < 1e-10
        assert_allclose(v[:, 2], mine.omega[:, k], atol=1e-10)
        assert_allclose(acceleration[:, 2], mine.epsilon[:, k], atol=1e-9)


def test_what_cannot_be_assembled_says_so():
    """Angles out of reach are an error with the residual, or nan on request; names are checked."""
    with pytest.raises(kb.KorbaError, match=r"0\.3 is missing"):
        four_bar(0.5, 0.3, 0.3, 0.4, np.pi)
    found = four_bar(0.5, 0.3, 0.3, 0.4, [0.5, np.pi], unreached="nan", omega=1.0)
    assert np.isnan(found.theta2[1]) and np.isfinite(found.omega[0]).all()
    with pytest.raises(kb.KorbaError, match="expected one of freudenstein"):
        four_bar(0.2, 0.6, 0.6, 0.8, 0.0, method="magic")
    with pytest.raises(kb.KorbaError, match="b must be a length above 0"):
        four_bar(0.2, -0.6, 0.6, 0.8, 0.0)


def test_newton_follows_from_a_given_start():
    """With a start, every crank angle starts from the one before and stays on the branch."""
    theta = np.linspace(0, 2 * np.pi, 60)
    one = four_bar(0.2, 0.6, 0.6, 0.8, theta, method="newton", start=np.radians([60, 120]))
    two = four_bar(0.2, 0.6, 0.6, 0.8, theta)
    assert wrapped_gap([one.theta2, one.theta3], [two.theta2, two.theta3]) < 1e-12
