"""Small motions and equilibria of trees: closed forms, and the derivatives by differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb

G = 9.81


def rod_chain(*more, damping=0.0):
    """Two rods of 1 m and 1 kg that hang."""
    rods = [kb.Body(name, 1, com=(x, 0), inertia=1 / 12) for name, x in (("u", 0.5), ("l", 1.5))]
    joints = [
        kb.Revolute("A", "ground", "u", at=(0, 0), damping=damping),
        kb.Revolute("B", "u", "l", at=(1, 0)),
    ]
    return kb.Mechanism("double pendulum", rods, joints, forces=more, plane="xy")


def test_modes_of_a_double_pendulum():
    """K = w^2 M about the hanging position, with M and K by hand."""
    found = kb.linearise(rod_chain(), {"A": "-90 deg"})
    M = np.array([[8 / 3, 5 / 6], [5 / 6, 1 / 3]])
    K = G * np.array([[2.0, 0.5], [0.5, 0.5]])
    w = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K))))
    assert_allclose([mode.frequency for mode in found.modes], w / (2 * np.pi), rtol=1e-12)
    assert_allclose([mode.damping for mode in found.modes], 0.0, atol=1e-12)
    assert_allclose(found.a, 0.0, atol=1e-13)
    assert found.stable
    assert found.modes[0].motion(found.q, 0.1, 8).shape == (8, 2)


@pytest.mark.parametrize("v", [[0.0, 0.0], [0.7, -1.1]])
def test_the_matrices_are_differences_of_the_accelerations(v):
    """A and B against central differences, about rest and in motion."""
    law = kb.JointForce("spring", "B", stiffness=3.0, damping=0.2)
    m, q, tau = rod_chain(law, damping=0.1), np.array([0.3, 0.4]), np.array([1.0, -0.5])
    found = kb.linearise(m, q, v, tau=tau)

    def rate(x, u):
        return np.concatenate([x[2:], kb.forward_dynamics(m, x[:2], x[2:], u)])

    x, h, one = np.concatenate([q, v]), 1e-6, np.eye(4)
    A = [(rate(x + h * e, tau) - rate(x - h * e, tau)) / (2 * h) for e in one]
    B = [(rate(x, tau + h * e) - rate(x, tau - h * e)) / (2 * h) for e in one[:2, :2]]
    assert_allclose(found.A, np.transpose(A), atol=1e-7)
    assert_allclose(found.B, np.transpose(B), atol=1e-7)


def test_along_a_motion():
    """A trajectory gives a system for each of its rows."""
    m = rod_chain()
    run = kb.simulate(m, 1.0, q={"A": 0.3}, times=5)
    found = kb.linearise(m, run)
    assert found.A.shape == (5, 4, 4)
    assert_allclose(found.A[3], kb.linearise(m, run.q[3], run.v[3]).A, rtol=1e-12)
    assert found.stable.shape == (5,)
    with pytest.raises(kb.StructureError, match="modes are those of one state"):
        found.modes  # noqa: B018


def bob(J=0.02, C=0.01):
    """A heavy bob on a ball joint, round about the vertical."""
    body = kb.Body("bob", 2.0, com=(0, 0, -0.5), inertia=(J, J, C))
    return kb.Mechanism("bob", [body], [kb.Spherical("S", "ground", "bob", at=(0, 0, 0))])


def test_a_ball_joint_at_rest():
    """A spherical pendulum swings in two directions at sqrt(m g l / J), and spins idly."""
    w = np.abs(kb.linearise(bob()).eigenvalues)
    assert_allclose(np.sort(w)[2:], np.sqrt(2 * G * 0.5 / (0.02 + 2 * 0.25)), rtol=1e-7)


def test_a_spinning_bob():
    """J n^2 - C W n = m g l in the world; in the body, which turns, n is less by the spin W."""
    spin, J, C = 7.0, 0.02 + 2 * 0.25, 0.4
    w = kb.linearise(bob(C=C, J=0.3 + 0.02), v={"S": [0, 0, spin]}).eigenvalues
    n = np.roots([J + 0.3, -C * spin, -2 * G * 0.5]) - spin
    turning = np.sort(np.abs(w.imag))[2:]
    assert_allclose(turning, np.repeat(np.sort(np.abs(n)), 2), rtol=1e-9)
    assert_allclose(w.real, 0.0, atol=1e-6)


def test_all_positions_of_rest():
    """A double pendulum has four, of which the hanging one is stable."""
    found = kb.equilibrium(rod_chain(), every=40)
    assert_allclose(
        [each.q for each in found],
        np.pi * np.array([[-0.5, 0], [-0.5, 1], [0.5, 0], [0.5, 1]]),
        atol=1e-9,
    )
    assert [each.stable for each in found] == [True, False, False, False]
    near = kb.equilibrium(rod_chain(), {"A": -1.3, "B": 0.2})
    assert_allclose((near["A"], near["B"]), (-np.pi / 2, 0.0), atol=1e-9)
    assert near.residual < 1e-12


def test_a_spring_sags_under_the_weight():
    """k x = m g; a slide that only gravity pulls has no equilibrium, which is said."""
    guide = kb.Prismatic("x", "ground", "block", at=(0, 0), axis=(0, -1))
    spring = kb.JointForce("spring", "x", stiffness=500.0)
    m = kb.Mechanism("m", [kb.Body("block", 2.0, inertia=1)], [guide], forces=[spring], plane="xy")
    assert_allclose(kb.equilibrium(m)["x"], 2 * G / 500, rtol=1e-12)
    falls = kb.Mechanism("falls", m.bodies, m.joints, plane="xy")
    with pytest.raises(kb.StructureError, match="no equilibrium was found"):
        kb.equilibrium(falls)


def test_modes_that_stand_are_told_together():
    """A cart that rolls freely has two modes at rest, which the text counts; none is a -0."""
    bodies = [kb.Body("cart", 1.0), kb.Body("pole", 1.0, (0, -0.5), 0.1)]
    joints = [
        kb.Prismatic("x", "ground", "cart", at=(0, 0), axis=(1, 0)),
        kb.Revolute("pole", "cart", "pole", at=(0, 0)),
    ]
    text = str(kb.linearise(kb.Mechanism("cart", bodies, joints, plane="xy")))
    assert "2 of 3 modes neither swing, grow nor die away" in text
    assert text.count(" Hz") == 1 and "-0" not in text


def test_what_is_free_drifts():
    """A zero eigenvalue with fewer vectors than its count drifts: 6 ways of a robot in space."""
    bodies = [
        kb.Body("trunk", 3.0, inertia=(0.2, 0.3, 0.4)),
        kb.Body("arm", 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1)),
    ]
    arm = kb.Revolute("A", "trunk", "arm", at=(0.1, 0.2, 0), axis=(0, 0.6, 0.8))
    for damping, free in ((0.0, 7), (0.5, 6)):
        joints = [kb.Free("F", "ground", "trunk"), replace(arm, damping=damping)]
        m = kb.Mechanism("robot", bodies, joints, gravity=(0, 0, 0))
        linear = kb.linearise(m)
        assert linear.drifting == free and linear.stable
        assert f"free to drift in {free} ways, otherwise stable" in str(linear)
    many = kb.linearise(m, np.tile(linear.q, (3, 1)))
    assert_allclose(many.drifting, [6, 6, 6])
    held = kb.Mechanism("arm", [bodies[1]], [replace(arm, parent="ground")])
    assert kb.linearise(held, {"A": 0.3}).drifting == 0


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e4])
def test_a_damped_cart_stays_where_it_is_put(size):
    """A cart drifts unless a damper holds it, whatever its size; its eigenvalue 0 is then alone."""
    for damping, free in ((0.0, 1), (1e-3, 0)):
        slide = kb.Prismatic("x", "ground", "cart", at=(0, 0), axis=(1, 0), damping=damping)
        pole = kb.Revolute("pole", "cart", "pole", at=(0, 0))
        pendulum = kb.Body("pole", 1.0, (0, -0.5 * size), 0.1 * size**2)
        m = kb.Mechanism(
            "cart", [kb.Body("cart", 1.0), pendulum], [slide, pole], plane="xy", gravity=(0, -size)
        )
        assert kb.linearise(m).drifting == free
