"""Regrouped inertia: the same joint-space dynamics with fewer operations."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from random_trees import random_state, random_tree

import korba as kb
from korba.dynamics.composite_body import mass_matrix
from korba.dynamics.energy import kinetic_energy
from korba.dynamics.newton_euler import inverse_dynamics
from korba.system.regroup import regrouped
from korba.system.system import System

GRAVITY = np.array([0.3, -1.0, -9.81])


def as_it_is(tree):
    """A system whose formulas work on the tree itself, regrouped or not."""
    system = System(tree, GRAVITY)
    system.__dict__["lean"] = tree
    return system


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("coupled", [False, True])
def test_regrouping_leaves_joint_space_dynamics_alone(seed, coupled):
    """Forces, mass matrix and kinetic energy are the same for every joint type."""
    tree = random_tree(seed, coupled=coupled)
    lean = regrouped(tree)
    q, v, a = random_state(tree, seed)
    one, two = (
        np.asarray(inverse_dynamics(as_it_is(t), q, v, a), dtype=float) for t in (tree, lean)
    )
    assert_allclose(two, one, rtol=0, atol=1e-11 * np.abs(one).max())
    M, N = (np.asarray(mass_matrix(as_it_is(t), q), dtype=float) for t in (tree, lean))
    assert_allclose(N, M, rtol=0, atol=1e-11 * np.abs(M).max())
    assert_allclose(kinetic_energy(lean, q, v), kinetic_energy(tree, q, v), rtol=1e-10)


def test_a_revolute_joint_feels_seven_of_ten_moments():
    """Mass, first moment along and second moment about its axis go to the parent."""
    tree = random_tree(0)
    lean = regrouped(tree)
    for link in lean.links:
        joint = next(j for j in tree.m.joints if tree.coordinates[link.q] == j.coordinates())
        if joint.type == "revolute":
            assert link.mass == 0
            assert link.h[2] == 0
            assert link.K[2, 2] == 0
        if joint.type == "prismatic":
            assert not link.K.any()


def stanford_arm():
    """Stanford arm with diagonal link inertias, masses and centres after Paul (1981)."""
    data = [
        ("revolute", "-90 deg", 0, 9.29, (0, 0.0175, -0.1105), (0.276, 0.255, 0.071)),
        ("revolute", "90 deg", 0.1524, 5.01, (0, -1.054, 0), (0.108, 0.018, 0.1)),
        ("prismatic", 0, 0, 4.25, (0, 0, -6.447), (2.51, 2.51, 0.006)),
        ("revolute", "-90 deg", 0, 1.08, (0, 0.092, -0.054), (0.002, 0.001, 0.001)),
        ("revolute", "90 deg", 0, 0.63, (0, 0, 0.566), (0.003, 0.003, 0.0004)),
        ("revolute", 0, 0.2, 0.51, (0, 0, 1.554), (0.013, 0.013, 0.0003)),
    ]
    rows = [
        kb.DHRow(joint=kind, a=0, alpha=alpha, theta=0, d=d, mass=mass, com=com, inertia=inertia)
        for kind, alpha, d, mass, com, inertia in data
    ]
    return kb.from_dh(rows, name="Stanford arm")


def test_stanford_arm_needs_few_operations():
    """Inverse dynamics takes 135 multiplications and 102 additions (Kane & Levinson: 646, 394)."""
    count = kb.operations(kb.inverse_dynamics, stanford_arm())
    assert count.multiplications <= 135
    assert count.additions <= 102
