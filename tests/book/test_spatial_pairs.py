"""C and S pairs as links of chains and loops, closed forms, element equations, count check."""

from dataclasses import replace

import numpy as np
import pytest
import sample_mechanisms
from numpy.testing import assert_allclose

import korba as kb
from korba.course import (
    DHLink,
    absolute_motion,
    absolute_system,
    angle_roots,
    bennett_rows,
    cardan_angles,
    cardan_rows,
    closed_loop,
    dh_frames,
    dh_jacobian,
    dh_matrix,
    dh_motion,
    loop_equations,
    loop_modes,
    loop_product,
    loop_rates,
    loop_residual,
    rot,
    spherical_rows,
)
from korba.expr import evaluate, parse

RSSR = (
    DHLink(0.3, 1.0),
    DHLink(0.2, 0.4, 0.3, 0.1, "S"),
    DHLink(0.7, 0.2, -0.5, 0.1, "S"),
    DHLink(0.5, 0.9, 0.4, 0.2),
)


def random_chain(rng):
    """Links of all four pairs."""
    return [DHLink(*rng.uniform(-1, 1, 4), pair) for pair in "RCST"]


def test_c_is_r_and_t_and_s_is_three_r():
    """Fig. 2.4: C is R and T on one axis; S three R whose axes meet, the last frame turned back."""
    rng = np.random.default_rng(2)
    a, alpha, theta, d, *q = rng.uniform(-1, 1, 7)
    split = [DHLink(a, alpha, theta, d), DHLink(pair="T")]
    assert_allclose(
        DHLink(a, alpha, theta, d, "C").matrix(q[:2]), dh_frames(split, q[:2])[-1], atol=1e-15
    )
    right = np.pi / 2
    split = [DHLink(a, alpha, theta, d), DHLink(0, -right, -right), DHLink(0, -right, -right)]
    back = dh_matrix(0, -right, -right, 0)
    assert_allclose(
        DHLink(a, alpha, theta, d, "S").matrix(q), dh_frames(split, q)[-1] @ back, atol=1e-15
    )
    assert_allclose(
        DHLink(pair="S").matrix(q), rot("z", q[0]) @ rot("y", q[1]) @ rot("x", q[2]), atol=1e-15
    )


def test_motion_of_chains_with_every_pair():
    """Velocities and accelerations are derivatives of positions, and J q' the velocity."""
    rng = np.random.default_rng(3)
    rows, h = random_chain(rng), 1e-5
    q, qd, qdd = rng.uniform(-1, 1, (3, 7))
    point = (0.1, 0.2, 0.3)

    def at(t):
        return dh_motion(rows, q + t * qd + t * t / 2 * qdd, qd + t * qdd, qdd)

    for k, link in enumerate(at(0)):
        assert_allclose(dh_frames(rows, q)[k][:3, 3], link.p, atol=1e-14)
        (before, v_before, _), (ahead, v_ahead, _) = (at(t)[k].point(point) for t in (-h, h))
        _, v, a = link.point(point)
        assert_allclose((ahead - before) / (2 * h), v, atol=1e-9)
        assert_allclose((v_ahead - v_before) / (2 * h), a, atol=1e-8)
    v, w = at(0)[-1].point(point)[1], at(0)[-1].w
    assert_allclose(dh_jacobian(rows, q, point) @ qd, [*v, *w], atol=1e-14)


def test_a_wrong_count_of_coordinates_is_refused():
    """Every pair says how many coordinates it has; other pairs are refused."""
    with pytest.raises(kb.KorbaError, match="expected 7 values, one for each coordinate"):
        dh_frames([DHLink(pair=pair) for pair in "RCST"], [0.0] * 4)
    with pytest.raises(kb.KorbaError, match="expected 2 values of a pair C, got 1"):
        DHLink(pair="C").matrix(0.3)
    with pytest.raises(kb.KorbaError, match="expected 'R', 'T', 'C' or 'S', got 'P'"):
        DHLink(pair="P")
    with pytest.raises(kb.KorbaError, match="got the driven place 9"):
        closed_loop(RSSR, {9: 0.0}, [0.0])


def test_a_loop_with_balls_by_minimisation_and_its_rates():
    """RSSR by (2.164) is one of both modes; rates are differences; the rod's spin is idle."""
    found = closed_loop(RSSR, {0: 0.4}, np.zeros(7))
    ends = loop_modes(RSSR, 0.4)[:, -1]
    assert np.abs((found.q[-1] - ends + np.pi) % (2 * np.pi) - np.pi).min() < 1e-12
    q, h = loop_modes(RSSR, 0.4)[0], 1e-5
    rates = loop_rates(RSSR, q, {0: 1.0}, {0: 0.5})
    assert rates.rank == 6 and rates.rest < 1e-12
    before, ahead = (loop_modes(RSSR, 0.4 + t + t * t / 4)[0, -1] for t in (-h, h))
    assert_allclose(rates.qd[-1], (ahead - before) / (2 * h), atol=1e-8)
    assert_allclose(rates.qdd[-1], (ahead - 2 * q[-1] + before) / h**2, atol=1e-4)


def test_cardan_joint_is_a_spherical_four_bar():
    """Example 2.13: both branches of (2.161) are the modes of the general solution."""
    for beta, theta in ((0.5, 0.3), (0.9, -2.0), (0.5236, 0.0)):
        branches = [cardan_angles(beta, theta, branch=sign) for sign in (1, -1)]
        found = loop_modes(cardan_rows(beta), theta)
        for q in branches:
            away = np.abs(np.exp(1j * found) - np.exp(1j * q)).max(axis=1)
            assert away.min() < 1e-14


def test_bennett_turns_as_his_formula_says():
    """tan(theta_1/2) tan(theta_2/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2), one mode."""
    alpha, beta = 0.6, 1.1
    ratio = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)
    for theta in (-2.5, -0.4, 1e-5, 0.7, 3.0):
        (q,) = loop_modes(bennett_rows(0.2, alpha, beta), theta)
        turn = 2 * np.arctan2(ratio, abs(np.tan(theta / 2)))
        assert_allclose(np.abs(q[1]), turn, atol=1e-12)
        assert_allclose(q[2:] + q[:2], 0, atol=1e-12)
    for theta in (0.0, 1e-9, np.pi):  # flat: the two modes of the angles meet
        (q,) = loop_modes(bennett_rows(0.2, alpha, beta), theta)
        assert_allclose(np.abs([q[0] + q[2], q[1] + q[3]]) % (2 * np.pi), 0, atol=1e-12)
    assert loop_modes([replace(row, a=0.3) for row in bennett_rows(0.2, 0.6, 1.1)], 0.4).size == 0
    with pytest.raises(kb.KorbaError, match="planar four-bar"):
        bennett_rows(0.2, 0.0, 1.1)


def test_roots_of_cosine_and_sine():
    """Two roots, one where they meet, none out of reach; every angle is a singular position."""
    rng = np.random.default_rng(5)
    for A, B, C in rng.normal(size=(20, 3)):
        roots = angle_roots(A, B, C)
        assert len(roots) == (2 if np.hypot(A, B) > abs(C) else 0)
        assert_allclose(A * np.cos(roots) + B * np.sin(roots) + C, 0, atol=1e-14)
    assert_allclose(angle_roots(1.0, 0.0, 1.0), [np.pi])
    assert not len(angle_roots(0.0, 0.0, 1.0))
    with pytest.raises(kb.KorbaError, match="the position is singular"):
        angle_roots(0.0, 0.0, 0.0)
    with pytest.raises(kb.KorbaError, match="b is not a number"):
        loop_modes([DHLink(0, 1.0, "b"), *spherical_rows([1.0, 1.0, 1.0])], 0.3)
    with pytest.raises(kb.KorbaError, match="no closed form of a loop RRT is known"):
        loop_modes([DHLink(), DHLink(), DHLink(pair="T")], 0.0)
    assert loop_modes(spherical_rows([0.1, 0.1, 0.1, 2.0]), 1.0).shape == (0, 4)
    with pytest.raises(kb.KorbaError, match="the position is singular"):
        loop_modes(spherical_rows([np.pi / 2] * 4), 0.0)


@pytest.mark.parametrize("moved", [0, 1, 2, 4])
def test_element_equations_are_the_loop_in_symbols(moved):
    """With numbers for the symbols both sides are the matrices of the numbers, for any loop."""
    rng = np.random.default_rng(6)
    names = [f"{size}_{k}" for k in range(4) for size in ("a", "alpha", "theta", "d")]
    values = dict(zip(names, rng.uniform(-1, 1, 16), strict=True))
    own = [f"q_{i}" for i in range(7)]
    q = dict(zip(own, rng.uniform(-1, 1, 7), strict=True))
    parts = [names[4 * k : 4 * k + 4] for k in range(4)]
    written = [DHLink(*part, pair) for part, pair in zip(parts, "RCST", strict=True)]
    rows = [
        DHLink(*(values[name] for name in part), pair)
        for part, pair in zip(parts, "RCST", strict=True)
    ]
    equations = loop_equations(written, own, moved=moved)
    assert set(equations.symbols) <= values.keys() | q.keys()
    H, inverse = loop_product(rows, list(q.values())), np.eye(4)
    if moved:
        inverse = np.linalg.inv(dh_frames(rows, list(q.values()))[moved - 1])
    assert_allclose(equations.rest(values | q), (inverse @ H - inverse)[:3], atol=1e-13)
    left, right = (parse(side).value for side in equations.text(2, 3).split(" = "))
    numbers = evaluate([0 * left + left, 0 * right + right], values | q)
    assert_allclose(numbers, [(inverse @ H)[1, 2], inverse[1, 2]], atol=1e-13)


def test_element_equations_of_the_cardan_joint():
    """(2.159)-(2.161): the elements that the book compares, letter by letter."""
    rows = [DHLink(0, "beta"), *cardan_rows(0.5)[1:]]
    equations = loop_equations(rows, ["theta_1", "theta_2", "theta_3", "theta_0"])
    assert equations.text(2, 3) == "cos(theta_3) = cos(theta_1)*sin(beta)"
    assert equations.text(2, 2) == "sin(theta_0)*sin(theta_3) = cos(theta_1)*cos(beta)"
    assert len(str(equations).splitlines()) == 12
    q = dict(
        zip(["theta_1", "theta_2", "theta_3", "theta_0"], cardan_angles(0.5, 0.3), strict=True)
    )
    assert_allclose(equations.rest(q | {"beta": 0.5}), 0, atol=1e-15)
    with pytest.raises(kb.KorbaError, match="a number for beta too"):
        equations.rest(q)
    with pytest.raises(kb.KorbaError, match="expected 4 names"):
        loop_equations(rows, ["x"])
    with pytest.raises(kb.KorbaError, match="is not a number"):
        loop_residual(rows, [0.1, 0.2, 0.3, 0.4])


def four_bar(*drives, closed=True):
    """A four-bar, or with a pin less two links on the ground."""
    m = sample_mechanisms.four_bar()
    joints = list(m.joints)
    if not closed:
        joints[2] = kb.Revolute("C", "coupler", "ground", at=m.joints[2].at)
    return replace(m, joints=joints, drives=drives)


A_TURNS = kb.JointDrive("motor", "A", "t")


@pytest.mark.parametrize(
    ("drives", "redundant", "contradicting", "words"),
    [
        ((A_TURNS,), 0, (), "determined: as many"),
        ((), 0, (), "1 more drivers are needed"),
        ((A_TURNS, kb.BodyDrive("again", "crank", angle="t")), 1, (), "equations to spare agree"),
        (
            (A_TURNS, kb.JointDrive("brake", "D", "-0.5*t")),
            1,
            ("motor", "brake"),
            "'motor' and 'brake' contradict each other",
        ),
        (
            (A_TURNS, kb.BodyDrive("again", "crank", angle="t + 0.3")),
            1,
            ("motor", "again"),
            "which leaves 0.15 open",
        ),
    ],
)
def test_the_count_check_says_what_is_wrong(drives, redundant, contradicting, words):
    """Row 18: count, rank and whether equations to spare agree, of inconsistent systems too."""
    balance = absolute_system(four_bar(*drives)).balance()
    assert (balance.pair_equations, balance.driver_equations) == (8, len(drives))
    assert (balance.redundant, balance.contradicting) == (redundant, contradicting)
    assert balance.consistent == (not contradicting)
    assert words in str(balance)
    if contradicting:
        with pytest.raises(kb.AssemblyError, match="over-constrained and inconsistent"):
            absolute_motion(four_bar(*drives), [0.0, 0.1])


def test_a_driver_against_the_pairs():
    """A driver in a truss contradicts the pairs alone."""
    balance = absolute_system(four_bar(A_TURNS, closed=False)).balance()
    assert balance.contradicting == ("motor",) and balance.residual < 1e-12 < balance.speed_residual
    assert "'motor' contradicts the pairs" in balance.verdict
