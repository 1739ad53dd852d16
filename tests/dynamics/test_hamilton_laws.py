"""Laws of the semi-canonical form on trees with every joint type."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from random_trees import CASES, advanced, numbers, random_state, random_tree

import korba as kb
from korba.dynamics.composite_body import forward_dynamics, mass_matrix
from korba.dynamics.energy import kinetic_energy, potential_energy
from korba.dynamics.hamilton import (
    FORMULATION,
    force_and_slope,
    lagrangian_slope,
    momenta,
    momentum_rates,
)
from korba.dynamics.newton_euler import inverse_dynamics
from korba.dynamics.quadratic_program import SOLVERS, Stop, conjugate_solution
from korba.expr import evaluate, variable
from korba.papers.canonical_state import Solution, solved
from korba.system.system import Loads, System

EPS = np.finfo(float).eps
GRAVITY = np.array([0.3, -1.0, -9.81])
SEEDS = range(2)
each_tree = pytest.mark.parametrize("seed", SEEDS)
each_kind = pytest.mark.parametrize("options", CASES)


def pushed(tree):
    """Loads in all joints and on all links, and gravity, as a system of that tree."""
    rng = np.random.default_rng(9)
    tau = rng.normal(size=len(tree.velocities))
    wrenches = {i: tuple(rng.normal(size=(2, 3))) for i in range(len(tree.links))}
    return System(tree, GRAVITY, lambda q, v: Loads(tau, wrenches))


@each_tree
@each_kind
def test_product_by_recursion_is_the_mass_matrix_times_the_vector(options, seed):
    """A z of one recursion out and back equals the matrix made by composite bodies times z."""
    tree = random_tree(seed, **options)
    q, z, _ = random_state(tree, seed)
    M = numbers(mass_matrix(System(tree, GRAVITY), q))
    assert_allclose(numbers(momenta(tree, q, z)), M @ z, atol=200 * EPS * np.abs(M @ z).max())


@each_tree
@each_kind
def test_rates_of_momenta_are_those_along_the_motion(options, seed):
    """A a + Adot v equals the finite difference of p along a motion with acceleration a."""
    tree = random_tree(seed, **options)
    q, v, a = random_state(tree, seed)
    h = 1e-5

    def p(t):
        return numbers(momenta(tree, advanced(tree, q, v + 0.5 * t * a, t), v + t * a))

    rate = (p(h) - p(-h)) / (2 * h)
    assert_allclose(numbers(momentum_rates(tree, q, v, a)), rate, atol=1e-8 * np.abs(rate).max())


@each_tree
@each_kind
def test_momenta_change_by_slope_and_force(options, seed):
    """With the accelerations of another formulation, d/dt (A v) = dL/dq + Q."""
    tree = random_tree(seed, **options)
    q, v, tau = random_state(tree, seed)
    s = pushed(tree)
    a = numbers(forward_dynamics(System(tree, GRAVITY, s.loads), q, v, tau))
    found = numbers(momentum_rates(tree, q, v, a))
    M = numbers(mass_matrix(System(tree, GRAVITY), q))
    tolerance = 100 * EPS * np.linalg.cond(M) * np.abs(found).max()
    assert_allclose(numbers(force_and_slope(s, q, v, tau)), found, atol=tolerance)


@each_tree
@pytest.mark.parametrize("coupled", [False, True])
def test_slope_is_the_derivative_of_the_lagrangian(coupled, seed):
    """For joints whose velocities are rates of coordinates, dL/dq is the finite difference of L."""
    tree = random_tree(seed, coupled=coupled)
    q, v, _ = random_state(tree, seed)
    slope, h = numbers(lagrangian_slope(tree, q, v, GRAVITY)), 1e-6
    kind = {name: joint for joint in tree.m.joints for name in joint.velocities()}
    place = {tree.coordinates[i]: k for k, i in enumerate(tree.free_q)}
    checked = 0
    for k, i in enumerate(tree.free_v):
        joint = kind[tree.velocities[i]]
        if joint.nq > joint.nv:
            continue
        name = joint.coordinates()[joint.velocities().index(tree.velocities[i])]
        step = h * (np.arange(len(q)) == place[name])

        def L(at):
            return kinetic_energy(tree, at, v) - potential_energy(tree, at, GRAVITY)

        rate = (L(q + step) - L(q - step)) / (2 * h)
        if not np.any(joint.qdot(joint.drawn_coordinates, np.ones(joint.nv)) - 1):
            assert_allclose(slope[k], rate, atol=1e-7 * np.abs(slope).max())
            checked += 1
    assert checked > 8


@each_tree
@each_kind
def test_verbs_equal_those_of_the_recursions(options, seed):
    """Inverse and forward dynamics and the energies are those of the everyday formulations."""
    tree = random_tree(seed, **options)
    q, v, a = random_state(tree, seed)
    s, verbs = pushed(tree), FORMULATION.verbs
    tau = numbers(inverse_dynamics(System(tree, GRAVITY, s.loads), q, v, a))
    scale = np.abs(tau).max()
    assert_allclose(numbers(verbs["inverse_dynamics"](s, q, v, a)), tau, atol=1e-13 * scale)
    cond = np.linalg.cond(numbers(mass_matrix(System(tree, GRAVITY), q)))
    found = numbers(verbs["forward_dynamics"](s, q, v, tau))
    assert_allclose(found, a, atol=100 * EPS * cond * max(1, np.abs(a).max()))
    T, V = (float(x) for x in verbs["energy"](s, q, v))
    assert_allclose(T, kinetic_energy(tree, q, v), rtol=1e-12)
    assert_allclose(V, potential_energy(tree, q, GRAVITY), rtol=1e-12)


@each_kind
def test_symbols_give_the_same_numbers(options):
    """Called with symbols the formulas write the program whose values are the same."""
    tree = random_tree(0, **options)
    q, v, a = random_state(tree, 0)
    s, values, symbols = pushed(tree), {}, []
    for name, array in (("q", q), ("v", v), ("a", a)):
        names = [f"{name}[{i}]" for i in range(len(array))]
        values |= dict(zip(names, array, strict=True))
        symbols.append(np.array([variable(n) for n in names], dtype=object))
    traced = FORMULATION.verbs["inverse_dynamics"](s, *symbols)
    computed = numbers(FORMULATION.verbs["inverse_dynamics"](s, q, v, a))
    assert_allclose(evaluate(traced, values), computed, atol=1e-11 * np.abs(computed).max())


@each_tree
@pytest.mark.parametrize("solver", list(SOLVERS))
def test_solvers_find_the_velocities_of_the_momenta(solver, seed):
    """The maximiser of p'z - z'Az/2 is v, from any start, for trees with every joint type."""
    tree = random_tree(seed)
    q, v, start = random_state(tree, seed)
    A = numbers(mass_matrix(System(tree, GRAVITY), q))
    p, iteration = numbers(momenta(tree, q, v)), SOLVERS[solver]

    def product(z):
        return numbers(momenta(tree, q, z)) if solver == "conjugate" else A @ z

    programs = {
        "once": lambda q: q,
        "start": lambda _, z, p: iteration.start(product, z, p),
        "step": lambda _, x: iteration.step(product, x),
    }
    begun = Solution(start, 0.0, 0.0, 0.0, 0.0)
    found = solved(programs, Stop(1e-9, 10**6, 10**6), np.concatenate([q, p]), 0.0, begun)
    assert_allclose(found.z, v, atol=1e-5)


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_conjugate_directions_solve_in_n_steps(n):
    """n directions made from unit vectors, in any order, give A^-1 b to rounding."""
    rng = np.random.default_rng(n)
    B = rng.normal(size=(n, n))
    A, b = B @ B.T + 0.1 * np.eye(n), rng.normal(size=n)
    calls = []

    def product(z):
        calls.append(z)
        return A @ z

    z = numbers(conjugate_solution(product, b, rng.permutation(n)))
    assert len(calls) == n
    assert_allclose(z, np.linalg.solve(A, b), atol=100 * EPS * np.linalg.cond(A) * np.abs(z).max())


def test_straight_forward_dynamics_refuses_long_chains():
    """Beyond 64 velocities the verb points to the other formulations."""
    bodies = [kb.Body(f"b{i}", 1.0, (i + 0.5, 0), 0.1) for i in range(65)]
    names = ["ground", *(body.name for body in bodies)]
    joints = [kb.Revolute(f"j{i}", names[i], names[i + 1], at=(i, 0)) for i in range(65)]
    m = kb.Mechanism("long", bodies, joints, plane="xy")
    with pytest.raises(kb.StructureError, match=r"65 velocities.*another formulation"):
        kb.forward_dynamics(m, np.zeros(65), np.zeros(65), np.zeros(65), formulation="hamilton")


def floating():
    """A free body that carries a ball joint and a universal joint turned round; no gravity."""
    bodies = [
        kb.Body("hull", 3.0, (0.1, 0, 0.05), (0.3, 0.4, 0.5)),
        kb.Body("ball", 1.0, (0.6, 0.2, 0), (0.05, 0.04, 0.03)),
        kb.Body("fork", 0.8, (-0.7, 0.1, 0.2), (0.02, 0.03, 0.04)),
    ]
    joints = [
        kb.Free("base", "ground", "hull"),
        kb.Spherical("shoulder", "hull", "ball", at=(0.4, 0.1, 0)),
        kb.Universal("wrist", "fork", "hull", at=(-0.5, 0, 0.1), axis=(0, 1, 0), x_axis=(0, 0, 1)),
    ]
    return kb.Mechanism("floating", bodies, joints, gravity=(0, 0, 0))


def test_semi_canonical_motion_of_a_floating_tree_keeps_what_must_be_kept():
    """H, linear and angular momentum stay, quaternions stay unit, p stays A(q) v."""
    m = floating()
    q = np.concatenate([joint.drawn_coordinates for joint in m.joints])
    v = np.array([0.5, -1.0, 0.7, 0.2, 0.1, -0.3, 2.0, -1.0, 1.5, 1.0, -2.0])
    near = kb.papers.VelocitySolver(tolerance=1e-13)
    motion = kb.papers.semi_canonical(m, 1.0, step=0.01, q=q, v=v, scheme="dop853", solver=near)
    assert_allclose(motion["hamiltonian"], motion["hamiltonian"][0], rtol=1e-10)
    total = kb.momentum(m, motion.q, motion.v)
    assert_allclose(total, np.broadcast_to(total[0], total.shape), atol=1e-10)
    for place in (slice(3, 7), slice(7, 11)):
        assert_allclose(np.linalg.norm(motion.q[:, place], axis=1), 1, atol=1e-14)
    p = np.einsum("kij,kj->ki", kb.mass_matrix(m, motion.q), motion.v)
    assert_allclose(motion.all_of("p"), p, atol=1e-11)
    rate = (motion.v[2:] - motion.v[:-2]) / 0.02
    a = kb.forward_dynamics(m, motion.q[1:-1], motion.v[1:-1], np.zeros(11))
    assert_allclose(rate, a, atol=2e-3 * np.abs(a).max())
