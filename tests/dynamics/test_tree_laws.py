"""Laws of tree dynamics: every formulation meets them on trees with every joint type."""

from __future__ import annotations

import numpy as np
import pytest
from law_counts import some
from numpy.testing import assert_allclose
from random_trees import CASES, advanced, numbers, random_state, random_tree

from korba.dynamics import articulated_body
from korba.dynamics.composite_body import forward_dynamics, mass_matrix
from korba.dynamics.energy import kinetic_energy, momentum, potential_energy
from korba.dynamics.formulation import completed
from korba.dynamics.newton_euler import bias_forces, inverse_dynamics
from korba.dynamics.recursions import damping
from korba.expr import evaluate, variable
from korba.kinematics.couplings import all_coordinates, velocity_map
from korba.kinematics.velocity import body_pose, jacobian
from korba.spatial.rotation import vee
from korba.system.system import System

EPS = np.finfo(float).eps
GRAVITY = np.array([0.3, -1.0, -9.81])
SEEDS = some(2, 4)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("options", CASES)
def test_inverse_after_forward_is_the_identity(options, seed):
    """Accelerations from forces, and forces from those accelerations, are the forces again."""
    tree = random_tree(seed, **options)
    q, v, a = random_state(tree, seed)
    tau = numbers(inverse_dynamics(System(tree, GRAVITY), q, v, a))
    M = numbers(mass_matrix(System(tree, GRAVITY), q))
    tolerance = 100 * EPS * np.linalg.cond(M) * max(1, np.abs(a).max())
    assert_allclose(numbers(forward_dynamics(System(tree, GRAVITY), q, v, tau)), a, atol=tolerance)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("options", CASES[:2])
def test_articulated_bodies_give_the_same_accelerations(options, seed):
    """The articulated-body recursion equals M^-1 (tau - h)."""
    tree = random_tree(seed, **options)
    q, v, tau = random_state(tree, seed)
    one = numbers(forward_dynamics(System(tree, GRAVITY), q, v, tau))
    two = numbers(articulated_body.forward_dynamics(System(tree, GRAVITY), q, v, tau))
    M = numbers(mass_matrix(System(tree, GRAVITY), q))
    assert_allclose(two, one, atol=100 * EPS * np.linalg.cond(M) * np.abs(one).max())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("options", CASES)
def test_mass_matrix_columns_are_inverse_dynamics_responses(options, seed):
    """Column j of M is the force that gives a = e_j from rest, gravity off."""
    tree = random_tree(seed, **options)
    q, v, _ = random_state(tree, seed)
    M = numbers(mass_matrix(System(tree, GRAVITY), q))
    columns = [inverse_dynamics(System(tree, 0 * GRAVITY), q, 0 * v, e) for e in np.eye(tree.nv)]
    assert_allclose(M, numbers(columns).T, rtol=0, atol=200 * EPS * np.abs(M).max())
    assert_allclose(M, M.T, rtol=0, atol=100 * EPS * np.abs(M).max())
    assert np.linalg.eigvalsh(M).min() > 0


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("options", CASES)
def test_kinetic_energy_is_the_quadratic_form_of_the_mass_matrix(options, seed):
    """T = v'Mv/2."""
    tree = random_tree(seed, **options)
    q, v, _ = random_state(tree, seed)
    M = numbers(mass_matrix(System(tree, GRAVITY), q))
    T = kinetic_energy(tree, q, v)
    assert_allclose(T, 0.5 * v @ M @ v, rtol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("options", CASES)
def test_power_in_is_the_rate_of_energy(options, seed):
    """v'tau = d(T + V)/dt + damping losses, along a motion with acceleration a."""
    tree = random_tree(seed, **options)
    q, v, a = random_state(tree, seed)
    h = 1e-6

    def energy(s):
        at = advanced(tree, q, v + 0.5 * s * a, s)
        return kinetic_energy(tree, at, v + s * a) + potential_energy(tree, at, GRAVITY)

    rate = (energy(h) - energy(-h)) / (2 * h)
    v_all = velocity_map(tree, all_coordinates(tree, q)) @ v
    losses = v_all @ (damping(tree) * v_all)
    power = v @ numbers(inverse_dynamics(System(tree, GRAVITY), q, v, a))
    assert_allclose(power - losses, rate, rtol=1e-6, atol=1e-6 * abs(power))


@pytest.mark.parametrize("seed", SEEDS)
def test_jacobian_times_velocity_is_the_twist_of_a_point(seed):
    """J v is what finite differences of the pose give."""
    tree = random_tree(seed, coupled=True)
    q, v, _ = random_state(tree, seed)
    point, h = np.array([0.3, -0.2, 0.5]), 1e-6
    for link in tree.links:
        before, after = (body_pose(tree, advanced(tree, q, v, s), link.name) for s in (-h, h))
        here = body_pose(tree, q, link.name)
        w = vee((after.R - before.R) / (2 * h) @ here.R.T)
        u = (after.point(point) - before.point(point)) / (2 * h)
        twist = numbers(jacobian(tree, q, link.name, point)) @ v
        assert_allclose(twist, [*w, *u], atol=1e-6 * max(1, np.abs(twist).max()))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_floating_tree_keeps_its_momentum(seed):
    """With no gravity and no forces the total momentum does not change."""
    tree = random_tree(seed, floating=True)
    q, v, _ = random_state(tree, seed)
    drag = damping(tree)
    free = tree.links[0].v
    a = numbers(forward_dynamics(System(tree, 0 * GRAVITY), q, v, drag * v))
    h = 1e-5

    def total(s):
        return numbers(
            momentum(System(tree, GRAVITY), advanced(tree, q, v + 0.5 * s * a, s), v + s * a)
        )

    rate = (total(h) - total(-h)) / (2 * h)
    assert free.stop - free.start == 6
    assert_allclose(rate, 0, atol=1e-5 * np.abs(total(0)).max())


@pytest.mark.parametrize("options", CASES)
def test_symbols_give_the_same_numbers(options):
    """Called with symbols the formulas write the program whose values are the same."""
    tree = random_tree(0, **options)
    q, v, a = random_state(tree, 0)
    values = {}
    symbols = []
    for name, array in (("q", q), ("v", v), ("a", a)):
        names = [f"{name}[{i}]" for i in range(len(array))]
        values |= dict(zip(names, array, strict=True))
        symbols.append(np.array([variable(n) for n in names], dtype=object))
    for formula, arguments in (
        (inverse_dynamics, (0, 1, 2)),
        (forward_dynamics, (0, 1, 2)),
        (bias_forces, (0, 1)),
    ):
        traced = formula(System(tree, GRAVITY), *(symbols[i] for i in arguments))
        computed = numbers(formula(System(tree, GRAVITY), *((q, v, a)[i] for i in arguments)))
        assert_allclose(evaluate(traced, values), computed, atol=1e-11 * np.abs(computed).max())


@pytest.mark.parametrize("options", CASES)
def test_inverse_dynamics_alone_makes_a_formulation(options):
    """What `completed` makes of inverse dynamics is h, M and the accelerations of the others."""
    tree = random_tree(5, **options)
    s, (q, v, a) = System(tree, GRAVITY), random_state(tree, 5)
    verbs = completed(inverse_dynamics)
    tau, M = numbers(inverse_dynamics(s, q, v, a)), numbers(mass_matrix(s, q))
    columns = numbers(verbs["mass_matrix"](s, q))
    assert_allclose(columns, M, rtol=0, atol=200 * EPS * np.abs(M).max())
    assert_allclose(numbers(verbs["bias_forces"](s, q, v)), numbers(bias_forces(s, q, v)))
    tolerance = 100 * EPS * np.linalg.cond(M) * max(1, np.abs(a).max())
    assert_allclose(numbers(verbs["forward_dynamics"](s, q, v, tau)), a, atol=tolerance)
