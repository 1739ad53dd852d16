"""Kane's equations of systems that users give by J, Omega and T of their own."""

from __future__ import annotations

import numpy as np
import pytest
from kovalchuk_models import close, reference
from numpy.testing import assert_allclose

import korba as kb

G = 9.81


def rows(*columns):
    """Columns of vectors side by side."""
    return np.array(columns, dtype=object).T


def robot(p):
    """The paper's robot by its own (36)-(48): J, Omega, forces and moments, nothing else."""
    half, whole, zero = 0.5 * p["l"], p["l"], np.zeros(2)

    def e(q, i):
        angle = q[2 * i] + q[2 * i + 1]
        return np.array([-np.sin(angle), np.cos(angle)])

    first = kb.papers.KaneBody(
        *(p["m1"], p["I1"], lambda q: rows(zero, zero, zero, zero), [1, 0, 0, 0]),
        moment=lambda q, u, t: p["M1"] + p["k"] * q[1],
    )
    link = kb.papers.KaneBody(
        *(p["m2"], p["I2"], lambda q: rows(half * e(q, 0), half * e(q, 0), zero, zero)),
        Omega=[1, 1, 0, 0],
        force=(0, -p["m2"] * G),
        moment=lambda q, u, t: -p["k"] * q[1],
    )
    second = kb.papers.KaneBody(
        *(p["m1"], p["I1"], lambda q: rows(whole * e(q, 0), whole * e(q, 0), zero, zero)),
        Omega=[0, 0, 1, 0],
        force=(0, -p["m1"] * G),
        moment=lambda q, u, t: p["M2"] + p["k"] * q[3],
    )
    last = kb.papers.KaneBody(
        *(p["m2"], p["I2"]),
        lambda q: rows(whole * e(q, 0), whole * e(q, 0), half * e(q, 1), half * e(q, 1)),
        Omega=[0, 0, 1, 1],
        force=(0, -p["m2"] * G),
        moment=lambda q, u, t: -p["k"] * q[3],
    )
    return [first, link, second, last]


VARIANTS = {v["name"]: v for v in reference("mf97_two_link")["variants"]}


@pytest.mark.parametrize("name", list(VARIANTS)[:2])
def test_the_robot_of_the_paper_by_its_own_matrices(name):
    """A, h, Psi, L and u' of every state of the reference, from (36)-(48) alone."""
    variant = VARIANTS[name]
    system = kb.papers.kane_system(robot(variant["parameters"]), 4)
    for state in variant["states"]:
        found, expected = system.at(state["q"], state["u"]), state["expected"]
        close(found.A, expected["A"])
        close(found.h, expected["h"])
        close(found.Psi, expected["Psi"])
        close(found.L, expected["L_diagonal"])
        close(found.a, expected["udot"])


def test_constant_rate_matrices_turn_the_accelerations_back():
    """With q' = T u and a constant T the result is T^-1 times that for T = E."""
    bodies = robot(next(iter(VARIANTS.values()))["parameters"])
    rng = np.random.default_rng(1)
    T = rng.normal(size=(4, 4)) + 3 * np.eye(4)
    q, v = rng.normal(size=(2, 4))
    plain = kb.papers.kane_system(bodies, 4).at(q, v)
    turned = kb.papers.kane_system(bodies, 4, lambda q: T).at(q, np.linalg.solve(T, v))
    assert_allclose(T @ turned.a, plain.a, rtol=1e-9)
    assert_allclose(turned.A, T.T @ plain.A @ T, rtol=1e-9)


def test_a_body_in_gimbals_moves_as_its_mechanism():
    """A spatial body on three turns, with Omega that turns and a tensor in world axes."""
    tensor, arm, mass = np.diag([0.2, 0.3, 0.45]), np.array([0.1, -0.05, 0.3]), 2.0

    def turn(q):
        (a, b, c), (A, B, C) = np.cos(q), np.sin(q)
        Rz = np.array([[a, -A, 0], [A, a, 0], [0, 0, 1]])
        Ry = np.array([[b, 0, B], [0, 1, 0], [-B, 0, b]])
        Rx = np.array([[1, 0, 0], [0, c, -C], [0, C, c]])
        return Rz, Rz @ Ry, Rz @ Ry @ Rx

    def Omega(q):
        Rz, Rzy, _ = turn(q)
        return np.stack([np.array([0, 0, 1]), Rz[:, 1], Rzy[:, 0]], axis=1)

    def J(q):
        r = turn(q)[2] @ arm
        return np.stack([np.cross(w, r) for w in Omega(q).T], axis=1)

    body = kb.papers.KaneBody(
        mass, lambda q: turn(q)[2] @ tensor @ turn(q)[2].T, J, Omega, force=(0, 0, -mass * G)
    )
    system = kb.papers.kane_system([body], 3)
    axes = {"A": (0, 0, 1), "B": (0, 1, 0), "C": (1, 0, 0)}
    ends = [("ground", "outer"), ("outer", "inner"), ("inner", "top")]
    joints = [
        kb.Revolute(name, *end, at=(0, 0, 0), axis=axis)
        for (name, axis), end in zip(axes.items(), ends, strict=True)
    ]
    bodies = [kb.Body("outer"), kb.Body("inner"), kb.Body("top", mass, arm, tensor)]
    m = kb.Mechanism("top", bodies, joints)
    rng = np.random.default_rng(2)
    for q, v in rng.normal(size=(4, 2, 3)):
        found = system.at(q, v)
        assert_allclose(found.a, kb.forward_dynamics(m, q, v, np.zeros(3)), rtol=1e-9)
        assert_allclose(-found.A, kb.mass_matrix(m, q), rtol=1e-9, atol=1e-12)
    times = np.linspace(0, 1, 3)
    q, u = system.motion(times, [0.1, 0.2, 0.3], [1.0, -0.5, 2.0])
    run = kb.simulate(
        m, 1.0, q=[0.1, 0.2, 0.3], v=[1.0, -0.5, 2.0], times=times, method=kb.Method(rtol=1e-11)
    )
    assert_allclose(q, run.q, atol=1e-8)
    assert_allclose(u, run.v, atol=1e-7)


def test_a_sleigh_keeps_its_energy_and_comes_to_rest_in_no_turn():
    """Chaplygin's sleigh, blade at a distance c behind the centre: (m c^2 + I) w' = -m c v w and
    v' = c w^2, though its speeds are fewer than its coordinates.
    """
    m, inertia, c = 2.0, 0.3, 0.25

    def J(q):
        return np.array([[1, 0, -c * np.sin(q[2])], [0, 1, c * np.cos(q[2])]], dtype=object)

    sleigh = kb.papers.KaneBody(m, inertia, J, [0, 0, 1])
    system = kb.papers.kane_system(
        [sleigh], 3, lambda q: np.array([[np.cos(q[2]), 0], [np.sin(q[2]), 0], [0, 1]])
    )
    assert system.speeds == 2
    found = system.at([0.3, -0.2, 0.7], [1.5, 0.8])
    assert_allclose(found.a, [c * 0.8**2, -m * c * 1.5 * 0.8 / (m * c**2 + inertia)], rtol=1e-12)
    _, u = system.motion(np.linspace(0, 60, 4), [0, 0, 0], [0.2, 2.0])
    energy = 0.5 * m * u[:, 0] ** 2 + 0.5 * (inertia + m * c**2) * u[:, 1] ** 2
    assert_allclose(energy, energy[0], rtol=1e-8)
    assert_allclose(u[-1, 1], 0.0, atol=1e-6)


def test_shapes_that_do_not_fit_are_named():
    """Of which body, and which of its arrays."""
    body = kb.papers.KaneBody(1.0, 0.1, lambda q: np.eye(2), [0, 0, 1])
    with pytest.raises(
        kb.StructureError, match=r"body 0: J: expected shape \(3, 3\), got \(3, 2\)"
    ):
        kb.papers.kane_system([body], 3).at([0, 0, 0], [0, 0, 0])
    with pytest.raises(kb.StructureError, match="expected at least one"):
        kb.papers.kane_system([], 3)
