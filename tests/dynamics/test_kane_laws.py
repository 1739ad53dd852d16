"""Kane's equations on trees with every joint type: the same dynamics, decoupled."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from random_trees import CASES, advanced, numbers, random_state, random_tree

import korba as kb
from korba.dynamics import kane_congruence
from korba.dynamics.composite_body import mass_matrix
from korba.dynamics.newton_euler import inverse_dynamics
from korba.expr import evaluate, variable
from korba.forces.loads import loads_at
from korba.kinematics.blocks import angular_map, blocks, linear_map
from korba.system.system import System

GRAVITY = np.array([0.3, -1.0, -9.81])


def system(t):
    return System(t, GRAVITY, lambda q_all, v_all: loads_at(t, q_all, v_all))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("options", CASES)
def test_c17_kane_equals_the_recursions(options, seed):
    """A = -M and h = bias - tau on every joint type, with couplings, rotors and springs."""
    t = random_tree(seed, **options)
    q, v, a = random_state(t, seed)
    s = system(t)
    tau = numbers(inverse_dynamics(System(t, GRAVITY, s.loads), q, v, a))
    A, h = kane_congruence.kane_equations(s, q, v, tau)
    M = numbers(mass_matrix(System(t, GRAVITY), q))
    assert_allclose(-numbers(A), M, rtol=0, atol=1e-12 * np.abs(M).max())
    assert_allclose(numbers(h), -M @ a, rtol=0, atol=1e-12 * np.abs(tau).max())


@pytest.mark.parametrize("options", CASES)
def test_c18_the_transformation_decouples(options):
    """Psi' A Psi is diagonal and negative, and gives the accelerations."""
    t = random_tree(2, **options)
    q, v, a = random_state(t, 2)
    s = system(t)
    tau = numbers(inverse_dynamics(System(t, GRAVITY, s.loads), q, v, a))
    A, h = (numbers(x) for x in kane_congruence.kane_equations(s, q, v, tau))
    found = kane_congruence.congruency(A)
    Psi = found.matrix()
    assert np.all(found.L < 0)
    scale = np.abs(A).max() * np.abs(Psi).max() ** 2
    assert_allclose(Psi.T @ A @ Psi, np.diag(found.L), rtol=0, atol=1e-13 * scale)
    assert_allclose(found.solved(h), a, atol=1e-14 * np.linalg.cond(A) * np.abs(tau).max())


@pytest.mark.parametrize("options", CASES[:2])
def test_c17_rates_of_the_partial_velocities(options):
    """dJ/dt and dΩ/dt are what finite differences along the motion give."""
    t = random_tree(3, **options)
    q, v, _ = random_state(t, 3)
    h = 1e-6
    rates = kane_congruence.partial_rates(blocks(t, q), q, v)
    places = [blocks(t, advanced(t, q, v, s)) for s in (-h, h)]
    maps = [(linear_map(b, b.c), angular_map(b)) for b in places]
    for rate, before, after in zip(rates, *maps, strict=True):
        slope = (numbers(after) - numbers(before)) / (2 * h)
        assert_allclose(numbers(rate), slope, atol=1e-7 * max(1, np.abs(slope).max()))


def test_c18_on_the_graph_it_vectorises():
    """Traced with symbols the transformation is one program, right for many states at once."""
    bodies = [kb.Body(name, 1.0, (0.4, 0.1, 0), (1, 1, 1)) for name in "ab"]
    joints = [
        kb.Revolute("A", "ground", "a", at=(0, 0, 0), axis=(0, 1, 1)),
        kb.Spherical("B", "a", "b", at=(1, 0, 0)),
    ]
    m = kb.Mechanism("two", bodies, joints)
    rng = np.random.default_rng(5)
    q, v, tau = (rng.normal(size=(7, n)) for n in (m.nq, m.nv, m.nv))
    q[:, 1:] /= np.linalg.norm(q[:, 1:], axis=1, keepdims=True)
    found = kb.papers.congruency(m, q, v, tau)
    product = np.swapaxes(found.Psi, 1, 2) @ found.A @ found.Psi
    assert_allclose(product, found.L[:, :, None] * np.eye(m.nv), atol=1e-13)
    assert_allclose(found.a, kb.forward_dynamics(m, q, v, tau), rtol=1e-11, atol=1e-11)
    A = np.array([[variable("a"), variable("b")], [variable("b"), variable("c")]], dtype=object)
    solved = kane_congruence.congruency(A).solved(np.array([1.0, 2.0]))
    values = evaluate(solved, {"a": -2.0, "b": 0.5, "c": -3.0})
    assert_allclose(values, np.linalg.solve([[-2, 0.5], [0.5, -3]], [1, 2]), rtol=1e-14)


def test_c17_loads_may_depend_on_time():
    """A drive 3 t is in h, and the accelerations follow."""
    body = kb.Body("bar", 2.0, (0.5, 0, 0), (1, 1, 1))
    hinge = kb.Revolute("A", "ground", "bar", at=(0, 0, 0), axis=(0, 0, 1))
    m = kb.Mechanism("bar", [body], [hinge], forces=[kb.JointForce("drive", "A", law="3*t")])
    found = kb.papers.congruency(m, [0.2], [0.0], [0.0], t=[0.0, 2.0])
    assert_allclose(found.h, [[0], [-6]], atol=1e-15)
    assert_allclose(found.a, [[0], [6 / 1.5]], atol=1e-15)
