"""Trace-form Lagrange equations on random trees: every joint type, couplings, rotors, loads."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from random_trees import CASES, numbers, random_state, random_tree

import korba as kb
from korba.dynamics import composite_body, energy, lagrange_dh, newton_euler, theta
from korba.dynamics.recursions import damping
from korba.expr import evaluate, variable
from korba.forces.loads import loads_at
from korba.kinematics.couplings import all_coordinates, velocity_map
from korba.system.system import System
from korba.system.tree import tree_of

GRAVITY = np.array([0.3, -1.0, -9.81])
each_case = pytest.mark.parametrize("options", CASES)
each_seed = pytest.mark.parametrize("seed", range(3))


def close(found, expected, tolerance=1e-13):
    assert_allclose(numbers(found), expected, rtol=0, atol=tolerance * np.abs(expected).max())


@each_seed
@each_case
def test_it_equals_newton_euler_and_composite_bodies(options, seed):
    """Torques, mass matrix, accelerations and energies, for every joint type."""
    tree = random_tree(seed, **options)
    q, v, a = random_state(tree, seed)
    system = System(tree, GRAVITY)
    tau = numbers(newton_euler.inverse_dynamics(System(tree, GRAVITY), q, v, a))
    M = numbers(composite_body.mass_matrix(System(tree, GRAVITY), q))
    close(lagrange_dh.inverse_dynamics(system, q, v, a), tau)
    close(lagrange_dh.mass_matrix(system, q), M)
    tolerance = 1e-13 * np.linalg.cond(M)
    close(lagrange_dh.FORMULATION.verbs["forward_dynamics"](system, q, v, tau), a, tolerance)
    T, V = lagrange_dh.energy(system, q, v)
    assert_allclose(T, energy.kinetic_energy(tree, q, v), rtol=1e-13)
    assert_allclose(V, energy.potential_energy(tree, q, GRAVITY), rtol=1e-11)


@each_seed
@each_case
def test_the_shares_of_the_links_add_up(options, seed):
    """A = sum gamma and C = sum beta, from the tables U_ij and U_ijk, with energies alike."""
    tree = random_tree(seed, **options)
    q, v, _ = random_state(tree, seed)
    shares = lagrange_dh.shares(tree, q, v, GRAVITY)
    close(
        sum(s.gamma for s in shares), numbers(composite_body.mass_matrix(System(tree, GRAVITY), q))
    )
    G = velocity_map(tree, all_coordinates(tree, q))
    drag = numbers(G.T @ (damping(tree) * (G @ v)))
    h = numbers(newton_euler.bias_forces(System(tree, GRAVITY), q, v))
    close(sum(s.beta_1 + s.beta_2 for s in shares), h - drag)
    T, V = lagrange_dh.energies(tree, q, v, GRAVITY)
    assert_allclose(numbers([s.kinetic for s in shares]), numbers(T), rtol=1e-11)
    assert_allclose(numbers([s.potential for s in shares]), numbers(V), rtol=1e-11)


@each_seed
def test_rates_are_sums_over_the_tables(seed):
    """Wdot = sum U_j v_j and the free part of Wddot = sum U_jk v_j v_k."""
    tree = random_tree(seed, floating=True)
    q, v, _ = random_state(tree, seed)
    first = theta.tables(tree, q)
    second = theta.second_table(tree, q, first)
    speed, change = theta.rates(tree, q, v, first)
    for i in range(len(tree.links)):
        close(speed[i], numbers(sum(U * v[j] for j, U in first.U[i].items())), 1e-12)
        double = {pair: (1 if pair[0] == pair[1] else 2) for pair in second[i]}
        total = sum(double[j, k] * U * v[j] * v[k] for (j, k), U in second[i].items())
        close(change[i], numbers(total), 1e-12)


@pytest.mark.parametrize(
    ("verb", "count", "options"),
    [("inverse_dynamics", 3, "coupled"), ("mass_matrix", 1, "floating")],
)
def test_symbols_give_the_same_numbers(verb, count, options):
    """Called with symbols the formulas write the program whose values are the same."""
    tree = random_tree(0, **{options: True})
    state = random_state(tree, 0)
    system = System(tree, GRAVITY)
    values, symbols = {}, []
    for name, array in zip("qva", state, strict=True):
        names = [f"{name}[{i}]" for i in range(len(array))]
        values |= dict(zip(names, array, strict=True))
        symbols.append(np.array([variable(n) for n in names], dtype=object))
    formula = getattr(lagrange_dh, verb)
    traced = formula(system, *symbols[:count])
    close(evaluate(traced, values), numbers(formula(system, *state[:count])), 1e-12)


def test_loads_act_as_in_other_formulations():
    """Springs, wrenches, motors and dampers on a chain with a turned-round joint."""
    at_a, at_b = (0.3, -0.2, 0.4), (-0.5, 0.1, 0.2)
    joints = [
        kb.Revolute("A", "ground", "a", at=(0, 0, 0), axis=(0, 0.2, 1), damping=0.3),
        kb.Prismatic("B", "a", "b", at=(1, 0, 0), axis=(1, 1, 0)),
        kb.Spherical("C", "c", "b", at=(1, 1, 0)),
    ]
    bodies = [kb.Body(name, 1.0, (0.2, 0.1, 0), (1, 1, 1)) for name in "abc"]
    forces = [
        kb.Spring("s", "c", at_a, "ground", at_b, stiffness=50, damping=2, law="3*l - v"),
        kb.PointForce("f", "b", ("A", "v_B", 1), at_b),
        kb.Moment("n", "c", (1, 2, "A"), axes="body"),
        kb.Motor("m", "A", 12, torque_constant=0.1, resistance=2, ratio=10),
    ]
    m = kb.Mechanism("arm", bodies, joints, forces=forces)
    tree = tree_of(m)
    q, v, a = random_state(tree, 1)
    system = System(tree, GRAVITY, lambda q_, v_: loads_at(tree, q_, v_))
    expected = newton_euler.inverse_dynamics(System(tree, GRAVITY, system.loads), q, v, a)
    close(lagrange_dh.inverse_dynamics(system, q, v, a), numbers(expected), 1e-12)


def test_the_verbs_take_it_by_name():
    """Compiled, and differentiated, it gives what the everyday formulations give."""
    bodies = [kb.Body(n, 1.5, (0.3, 0.1, 0.2), (1.0, 1.2, 0.9)) for n in "ab"]
    joints = [
        kb.Universal("A", "ground", "a", at=(0, 0, 0), axis=(0, 0, 1)),
        kb.Screw("B", "a", "b", at=(1, 0, 0), axis=(1, 1, 0), lead=0.2),
    ]
    m = kb.Mechanism("two", bodies, joints)
    q, v, a = (np.random.default_rng(s).normal(size=3) for s in range(3))
    name = {"formulation": "lagrange-dh"}
    tau = kb.inverse_dynamics(m, q, v, a)
    close(kb.inverse_dynamics(m, q, v, a, **name), tau)
    close(kb.bias_forces(m, q, v, **name), kb.bias_forces(m, q, v))
    close(kb.mass_matrix(m, q, **name), kb.mass_matrix(m, q))
    close(kb.forward_dynamics(m, q, v, tau, **name), a, 1e-10)
    for found, expected in zip(kb.energy(m, q, v, **name), kb.energy(m, q, v), strict=True):
        close(found, expected)
    slopes = [
        kb.compile(kb.derivative(kb.inverse_dynamics, m, "q", **more))(q, v, a)
        for more in ({}, name)
    ]
    close(slopes[1], slopes[0], 1e-12)
    for verb in ("inverse_dynamics", "bias_forces", "mass_matrix", "forward_dynamics", "energy"):
        assert "lagrange-dh" in kb.formulations()[verb]
