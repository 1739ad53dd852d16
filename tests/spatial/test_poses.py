"""Laws of poses and of the twist transformation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from korba.spatial.pose import Pose, identity, rotation, translation, twist_matrix
from korba.spatial.rotation import (
    rotation_about,
    rotation_of_quaternion,
    rotation_x,
    rotation_y,
    skew,
    tidy,
    vee,
)

EPS = np.finfo(float).eps
SEEDS = range(20)


def random_pose(rng):
    q = rng.normal(size=4)
    return Pose(rotation_of_quaternion(q / np.linalg.norm(q)), rng.normal(size=3))


def exponential(twist, step):
    """Pose after `step` of the constant twist (w, v), taken in the moving frame."""
    w, v = twist[:3], twist[3:]
    rate = np.linalg.norm(w)
    angle, K = rate * step, skew(w / rate)
    along = np.eye(3) * step + (1 - np.cos(angle)) / rate * K
    along = along + (angle - np.sin(angle)) / rate * (K @ K)
    return Pose(rotation_about(w / rate, angle), along @ v)


@pytest.mark.parametrize("seed", SEEDS)
def test_poses_form_a_group_like_their_matrices(seed):
    """Chaining is the product of the 4 x 4 matrices, the inverse is theirs, points follow."""
    rng = np.random.default_rng(seed)
    X_AB, X_BC, X_CD = (random_pose(rng) for _ in range(3))
    p_C = rng.normal(size=3)
    atol = 100 * EPS
    assert_allclose((X_AB @ X_BC).matrix(), X_AB.matrix() @ X_BC.matrix(), rtol=0, atol=atol)
    assert_allclose(
        ((X_AB @ X_BC) @ X_CD).matrix(), (X_AB @ (X_BC @ X_CD)).matrix(), rtol=0, atol=atol
    )
    assert_allclose((X_AB @ X_AB.inverse()).matrix(), np.eye(4), rtol=0, atol=atol)
    assert_allclose((X_AB.inverse() @ X_AB).matrix(), np.eye(4), rtol=0, atol=atol)
    assert_allclose(X_AB.point(X_BC.point(p_C)), (X_AB @ X_BC).point(p_C), rtol=0, atol=atol)
    assert_allclose((X_AB.matrix() @ [*p_C, 1])[:3], X_AB.point(p_C), rtol=0, atol=atol)


def test_identity_translation_and_rotation():
    """A pose is a translation followed by a rotation in the shifted frame."""
    X = random_pose(np.random.default_rng(3))
    assert_array_equal((translation(*X.p) @ rotation(X.R)).matrix(), X.matrix())
    assert_array_equal(identity().matrix(), np.eye(4))


@pytest.mark.parametrize("p", [(0.0, 0.0, 0.0), (0.1, -2.0, 3.5)])
def test_example_2_1_of_gronowicz(p):
    """Translation, rot(y, -90 deg), rot(x, 90 deg), each in the moved frame, give (2.29)."""
    turns = rotation_y(-np.pi / 2), rotation_x(np.pi / 2)
    A = translation(*p) @ rotation(turns[0]) @ rotation(turns[1])
    x, y, z = p
    expected = [[0, -1, 0, x], [0, 0, -1, y], [1, 0, 0, z], [0, 0, 0, 1]]
    assert_allclose(A.matrix(), expected, rtol=0, atol=4 * EPS)
    swapped = tidy(turns[1] @ turns[0])
    assert_array_equal(swapped, [[0, 0, -1], [-1, 0, 0], [0, 1, 0]])


@pytest.mark.parametrize("seed", SEEDS)
def test_twist_matrix_against_finite_motion(seed):
    """A body that moves by V in its frame B moves by twist_matrix(X_AB) V as seen from A."""
    rng = np.random.default_rng(seed)
    X_AB, V_B = random_pose(rng), rng.normal(size=6)
    V_A, h = twist_matrix(X_AB) @ V_B, 0.7
    atol = 200 * EPS * max(1, np.linalg.norm(V_A))
    by_B, by_A = X_AB @ exponential(V_B, h), exponential(V_A, h) @ X_AB
    assert_allclose(by_B.matrix(), by_A.matrix(), rtol=0, atol=atol)


@pytest.mark.parametrize("seed", SEEDS)
def test_twist_matrix_against_finite_differences(seed):
    """The twist about Ao is [w; p-dot - w x p], from differences of the pose along the motion."""
    rng = np.random.default_rng(seed)
    X_AB, V_B, h = random_pose(rng), rng.normal(size=6), 1e-5
    ahead, behind = X_AB @ exponential(V_B, h), X_AB @ exponential(V_B, -h)
    w = vee((ahead.R - behind.R) / (2 * h) @ X_AB.R.T)
    v = (ahead.p - behind.p) / (2 * h) - np.cross(w, X_AB.p)
    size = max(1.0, np.linalg.norm(V_B)) ** 3 * max(1.0, np.linalg.norm(X_AB.p))
    assert_allclose(
        np.concatenate([w, v]), twist_matrix(X_AB) @ V_B, rtol=0, atol=(10 * EPS / h + h * h) * size
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_twist_matrices_chain_like_poses(seed):
    """Ad(X Y) = Ad(X) Ad(Y), and the inverse pose has the inverse matrix."""
    rng = np.random.default_rng(seed)
    X, Y = random_pose(rng), random_pose(rng)
    size = 1 + np.linalg.norm(X.p) + np.linalg.norm(Y.p)
    chained = twist_matrix(X) @ twist_matrix(Y)
    assert_allclose(twist_matrix(X @ Y), chained, rtol=0, atol=50 * EPS * size**2)
    back = twist_matrix(X) @ twist_matrix(X.inverse())
    assert_allclose(back, np.eye(6), rtol=0, atol=50 * EPS * size**2)
