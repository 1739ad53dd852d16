"""Block matrices on trees with every joint type: the same dynamics, and bodies in equilibrium."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from random_trees import CASES, advanced, numbers, random_state, random_tree

import korba as kb
from korba.dynamics import block_matrix
from korba.dynamics.composite_body import forward_dynamics, mass_matrix
from korba.dynamics.energy import momentum
from korba.dynamics.newton_euler import inverse_dynamics
from korba.dynamics.recursions import damping
from korba.forces.loads import loads_at
from korba.kinematics.blocks import (
    arms,
    blocks,
    inward,
    linear_map,
    of_fathers,
    of_sons,
    outward,
    reachability,
)
from korba.kinematics.couplings import all_coordinates, velocity_map
from korba.kinematics.velocity import body_pose
from korba.spatial.rotation import skew
from korba.system.system import System

GRAVITY = np.array([0.3, -1.0, -9.81])


def system(t, gravity=GRAVITY):
    return System(t, gravity, lambda q_all, v_all: loads_at(t, q_all, v_all))


def test_c12_sweeps_over_the_tree_are_products_with_the_matrix():
    """D x, D' x, (D - E) x and (D' - E) x without the matrix."""
    t = random_tree(3)
    D, x = reachability(t), np.random.default_rng(0).normal(size=(len(t.links), 3))
    E = np.eye(len(D))
    assert_allclose(outward(t, x), D @ x, atol=1e-14)
    assert_allclose(inward(t, x), D.T @ x, atol=1e-14)
    assert_allclose(of_fathers(t, outward(t, x)), (D - E) @ x, atol=1e-14)
    assert_allclose(of_sons(t, inward(t, x)), (D.T - E) @ x, atol=1e-14)


def test_c12_arms_give_the_velocity_matrix():
    """B_v = Λ'(l_D) z sigma + D z (1 - sigma), block by block, is what the sweeps give."""
    t = random_tree(1, floating=True)
    q, _, _ = random_state(t, 1)
    b = blocks(t, q)
    l_D, D = numbers(arms(b, b.c)), reachability(t)
    B_v = numbers(linear_map(b, b.c))
    for j, link in enumerate(t.links):
        for i in range(len(t.links)):
            block = skew(l_D[i, j]).T @ b.Z[j] + D[i, j] * b.U[j]
            assert_allclose(B_v[i, :, link.v], numbers(block), atol=1e-12)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("options", CASES)
def test_c15_block_matrices_equal_the_recursions(options, seed):
    """Newton-Euler, composite bodies and the block matrices agree on every joint type."""
    t = random_tree(seed, **options)
    q, v, a = random_state(t, seed)
    s = system(t)
    tau = numbers(inverse_dynamics(System(t, GRAVITY, s.loads), q, v, a))
    assert_allclose(
        numbers(block_matrix.inverse_dynamics(s, q, v, a)), tau, atol=1e-12 * np.abs(tau).max()
    )
    M = numbers(mass_matrix(System(t, GRAVITY), q))
    assert_allclose(
        numbers(block_matrix.FORMULATION.verbs["mass_matrix"](s, q)),
        M,
        rtol=0,
        atol=1e-12 * np.abs(M).max(),
    )
    found = numbers(block_matrix.FORMULATION.verbs["forward_dynamics"](s, q, v, tau))
    assert_allclose(found, a, atol=1e-14 * np.linalg.cond(M) * np.abs(tau).max())
    h = numbers(inverse_dynamics(System(t, GRAVITY, s.loads), q, v, 0 * a))
    assert_allclose(
        numbers(block_matrix.FORMULATION.verbs["bias_forces"](s, q, v)),
        h,
        atol=1e-12 * np.abs(tau).max(),
    )


@pytest.mark.parametrize("options", CASES[:2])
def test_c15_the_matrix_b_takes_joints_of_every_type(options):
    """B v + b are the velocity terms also where the subspace of a joint changes."""
    t = random_tree(2, **options)
    q, v, _ = random_state(t, 2)
    parts = block_matrix.matrices(blocks(t, q), q, v)
    h = numbers(inverse_dynamics(System(t, 0 * GRAVITY), q, v, 0 * v)) - damping(t) * v
    found = numbers(parts.B) @ v + numbers(parts.b)
    assert_allclose(found, h, rtol=0, atol=1e-12 * np.abs(h).max())


@pytest.mark.parametrize("options", CASES)
def test_c14_projected_on_the_joints_the_wrenches_are_the_drives(options):
    """S'(n, f) in every joint is what its drive, springs and dampers give."""
    t = random_tree(4, **options)
    q, v, a = random_state(t, 4)
    q_all = all_coordinates(t, q)
    G = velocity_map(t, q_all)
    v_all = G @ v
    b, acting = blocks(t, q_all), loads_at(t, q_all, v_all)
    found = kb.reactions(t.m, q, v, a, gravity=GRAVITY)
    tau_all = numbers(G.T @ (_projected(t, b, found) - acting.tau + damping(t) * v_all))
    tau = kb.inverse_dynamics(t.m, q, v, a, gravity=GRAVITY)
    assert_allclose(tau_all, tau, atol=1e-11 * np.abs(tau).max())


def _projected(t, b, found):
    """Z' n + U' f of every joint, n taken back to the origin of the link."""
    tau = np.zeros(len(t.velocities))
    for i, link in enumerate(t.links):
        parent = "ground" if link.parent < 0 else t.links[link.parent].name
        joint = next(j for j in t.m.joints if {j.parent, j.child} == {link.name, parent})
        sign = 1.0 if joint.child == link.name else -1.0
        force, moment, point = found[joint.name]
        n = moment + np.cross(point - numbers(b.X[i].p), force)
        tau[link.v] = sign * (numbers(b.Z[i]).T @ n + numbers(b.U[i]).T @ force)
    return tau


@pytest.mark.parametrize("options", CASES)
def test_c14_every_body_is_in_equilibrium(options):
    """What the joints and gravity give each body is the rate of its momentum."""
    t = random_tree(5, **options)
    q, v, a = random_state(t, 5)
    found = kb.reactions(t.m, q, v, a, gravity=GRAVITY)
    h = 1e-5

    def momenta(s):
        at, speed = advanced(t, q, v + 0.5 * s * a, s), v + s * a
        return {link.name: _momentum(t, i, at, speed) for i, link in enumerate(t.links)}

    after, before = momenta(h), momenta(-h)
    for body in t.m.bodies:
        total = _weight(t, q, body)
        for joint in t.m.joints:
            if body.name in (joint.parent, joint.child):
                force, moment, point = found[joint.name]
                sign = 1.0 if joint.child == body.name else -1.0
                total += sign * np.concatenate([moment + np.cross(point, force), force])
        rate = (after[body.name] - before[body.name]) / (2 * h)
        assert_allclose(total, rate, atol=1e-5 * max(1.0, np.abs(found.moment).max()))


def _momentum(t, i, q, v):
    """Momentum of one link alone, about the world's origin."""
    light = [
        link if k == i else replace(link, mass=0.0, h=0 * link.h, K=0 * link.K)
        for k, link in enumerate(t.links)
    ]
    return numbers(momentum(System(replace(t, links=tuple(light)), GRAVITY), q, v))


def _weight(t, q, body):
    """Moment about the world's origin and force of a body's weight."""
    force = body.mass * GRAVITY
    return np.concatenate([np.cross(body_pose(t, q, body.name).point(body.com), force), force])


def test_c16_a_floating_tree_keeps_its_momentum():
    """Without gravity and drives the block matrices leave the total momentum alone."""
    t = random_tree(6, floating=True)
    q, v, _ = random_state(t, 6)
    a = numbers(
        block_matrix.FORMULATION.verbs["forward_dynamics"](
            system(t, 0 * GRAVITY), q, v, damping(t) * v
        )
    )
    assert_allclose(
        a, numbers(forward_dynamics(System(t, 0 * GRAVITY), q, v, damping(t) * v)), rtol=1e-8
    )
    h = 1e-5
    total = [
        numbers(momentum(System(t, GRAVITY), advanced(t, q, v + 0.5 * s * a, s), v + s * a))
        for s in (-h, h)
    ]
    assert_allclose((total[1] - total[0]) / (2 * h), 0, atol=1e-5 * np.abs(total[0]).max())
