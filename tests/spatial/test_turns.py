"""Rotations kept as products of turns: the same as matrices."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from korba.spatial.inertia import congruent, turned
from korba.spatial.pose import Pose, twist_matrix
from korba.spatial.turns import Turn, Turns, constant_turns, zxz_angles

RNG = np.random.default_rng(5)
ANGLES = RNG.uniform(-3, 3, size=(8, 3))


def turns(angles):
    """Rz Rx Rz."""
    axes = (2, 0, 2)
    return Turns(tuple(Turn(k, np.cos(a), np.sin(a)) for k, a in zip(axes, angles, strict=True)))


@pytest.mark.parametrize("angles", ANGLES)
def test_turns_are_the_matrix_they_multiply_out_to(angles):
    """R u, R' u, R A, A R and R A R' are those of the matrix."""
    R, u, A = turns(angles), RNG.normal(size=3), RNG.normal(size=(3, 3))
    matrix = Rotation.from_euler("ZXZ", angles).as_matrix()
    assert_allclose(np.asarray(R), matrix, atol=1e-15)
    assert_allclose(R @ u, matrix @ u, atol=1e-14)
    assert_allclose(R.T @ u, matrix.T @ u, atol=1e-14)
    assert_allclose(R @ A, matrix @ A, atol=1e-14)
    assert_allclose(A @ R, A @ matrix, atol=1e-14)
    assert_allclose(turned(R, A), turned(matrix, A), atol=1e-14)
    assert_allclose(congruent(R, A + A.T), congruent(matrix, A + A.T), atol=1e-14)


@pytest.mark.parametrize("angles", ANGLES)
def test_poses_chain_over_turns(angles):
    """X Y, X^-1 and the twist matrix do not ask how the rotation is kept."""
    p = RNG.normal(size=3)
    X = Pose(turns(angles), p)
    Y = Pose(np.asarray(X.R), p)
    assert_allclose((X @ X).matrix(), (Y @ Y).matrix(), atol=1e-14)
    assert_allclose((Y @ X).matrix(), (Y @ Y).matrix(), atol=1e-14)
    assert_allclose(X.inverse().matrix(), Y.inverse().matrix(), atol=1e-14)
    assert_allclose(twist_matrix(X), twist_matrix(Y), atol=1e-14)


def test_turns_about_one_axis_join():
    """Neighbours about one axis are one turn by the sum of the angles."""
    joined = constant_turns((0, 0.3), (2, 0.4)) @ constant_turns((2, 0.5), (0, 0.1))
    assert [factor.axis for factor in joined.factors] == [0, 2, 0]
    assert_allclose([joined.factors[1].c, joined.factors[1].s], [np.cos(0.9), np.sin(0.9)])


@pytest.mark.parametrize("angles", ANGLES)
def test_zxz_angles_give_the_rotation_back(angles):
    """Any rotation is Rz(g) Rx(alpha) Rz(theta), also when alpha is small, 0 or half a turn."""
    g, alpha, theta = angles
    for tilt in (alpha, 1e-7 * alpha, 1e-15 * alpha, 0.0, np.pi, np.pi - 1e-8):
        R = Rotation.from_euler("ZXZ", (g, tilt, theta)).as_matrix()
        found = zxz_angles(R)
        assert_allclose(Rotation.from_euler("ZXZ", found).as_matrix(), R, atol=2e-14)


def test_quarter_turns_are_exact_and_whole_turns_left_out():
    """Constants that are 0 and 1 fold away in traced code."""
    R = constant_turns((2, np.pi / 2), (0, -np.pi), (1, 2 * np.pi))
    assert len(R.factors) == 2
    assert_array_equal(np.asarray(R), [[0, 1, 0], [1, 0, 0], [0, 0, -1]])
    assert len(constant_turns((0, 1e-9)).factors) == 1
