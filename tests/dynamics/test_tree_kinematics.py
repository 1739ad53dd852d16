"""Laws of motion of points: velocities, accelerations, Jacobians and their rates, mass centre."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from random_trees import CASES, advanced, numbers, random_state, random_tree

from korba.dynamics.energy import momentum
from korba.kinematics.velocity import (
    acceleration,
    body_pose,
    centre_of_mass,
    jacobian,
    jacobian_rate,
    total_mass,
    velocity,
)
from korba.spatial.rotation import vee
from korba.system.system import System

POINT = np.array([0.3, -0.2, 0.5])
SEEDS = range(2)


def difference(f, h=1e-5):
    """The central difference of a function of time at 0."""
    return (numbers(f(h)) - numbers(f(-h))) / (2 * h)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("options", CASES)
def test_velocity_is_the_rate_of_the_pose(options, seed):
    """(w, v_P) is what a short motion does to the pose of every body, and it is J v."""
    tree = random_tree(seed, **options)
    q, v, _ = random_state(tree, seed)
    for link in tree.links:
        R = body_pose(tree, q, link.name).R
        turning = difference(lambda s, b=link.name: body_pose(tree, advanced(tree, q, v, s), b).R)
        moving = difference(
            lambda s, b=link.name: body_pose(tree, advanced(tree, q, v, s), b).point(POINT)
        )
        found = numbers(velocity(tree, q, v, link.name, POINT))
        size = max(1, np.abs(found).max())
        assert_allclose(found, [*vee(turning @ R.T), *moving], atol=1e-7 * size)
        J = numbers(jacobian(tree, q, link.name, POINT))
        assert_allclose(J @ v, found, atol=1e-12 * size)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("options", CASES)
def test_acceleration_is_the_rate_of_the_velocity(options, seed):
    """(w', a_P) = d/dt (w, v_P), for every joint type and couplings."""
    tree = random_tree(seed, **options)
    q, v, a = random_state(tree, seed)
    for link in tree.links:
        found = numbers(acceleration(tree, (q, v, a), link.name, POINT))
        rate = difference(
            lambda s, b=link.name: velocity(tree, advanced(tree, q, v, s), v + s * a, b, POINT)
        )
        assert_allclose(found, rate, atol=1e-7 * max(1, np.abs(found).max()))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("options", CASES)
def test_the_rate_of_the_jacobian_carries_the_velocity_into_the_acceleration(options, seed):
    """dJ/dt is the rate of J along the motion, and J a + dJ/dt v is the acceleration."""
    tree = random_tree(seed, **options)
    q, v, a = random_state(tree, seed)
    for link in tree.links[::3]:
        Jd = numbers(jacobian_rate(tree, q, v, link.name, POINT))
        rate = difference(lambda s, b=link.name: jacobian(tree, advanced(tree, q, v, s), b, POINT))
        assert_allclose(Jd, rate, atol=1e-6 * max(1, np.abs(Jd).max()))
        found = numbers(acceleration(tree, (q, v, a), link.name, POINT))
        J = numbers(jacobian(tree, q, link.name, POINT))
        assert_allclose(J @ a + Jd @ v, found, atol=1e-11 * max(1, np.abs(found).max()))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("options", CASES)
def test_mass_times_velocity_of_its_centre_is_the_linear_momentum(options, seed):
    """m c' is the linear part of the momentum."""
    tree = random_tree(seed, **options)
    q, v, _ = random_state(tree, seed)
    rate = difference(lambda s: centre_of_mass(tree, advanced(tree, q, v, s)))
    linear = numbers(momentum(System(tree, tree.gravity), q, v))[3:]
    assert_allclose(total_mass(tree) * rate, linear, atol=1e-7 * np.abs(linear).max())


def test_the_base_does_not_move():
    """Points of the ground have no velocity, acceleration or Jacobian rate."""
    tree = random_tree(0)
    q, v, a = random_state(tree, 0)
    assert not np.any(velocity(tree, q, v, "ground", POINT))
    assert not np.any(acceleration(tree, (q, v, a), "ground", POINT))
    assert not np.any(numbers(jacobian_rate(tree, q, v, "ground", POINT)))
