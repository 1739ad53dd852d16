"""Laws of mass distributions: point masses are the ground truth."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from korba.spatial.inertia import moved_tensor, of_pseudo_inertia, physical_fault, pseudo_inertia
from korba.spatial.pose import Pose
from korba.spatial.rotation import rotation_of_quaternion

EPS = np.finfo(float).eps
fixed = settings(derandomize=True, deadline=None, max_examples=100)


def about(points, masses, pole):
    """Tensor of point masses about a pole:  sum m (d'd E - d d')."""
    d = points - pole
    return sum(m * ((r @ r) * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, d, strict=True))


def cloud(rng, count):
    points, masses = rng.normal(size=(count, 3)), rng.uniform(0.1, 2, size=count)
    mass = masses.sum()
    com = masses @ points / mass
    return points, masses, mass, com, about(points, masses, com)


@pytest.mark.parametrize("count", [1, 2, 3, 10])
@pytest.mark.parametrize("seed", range(5))
def test_pseudo_inertia_is_the_second_moment_of_the_points(count, seed):
    """B = sum m r r' with r = (x, y, z, 1), and mass, centre and tensor come back out of it."""
    points, masses, mass, com, tensor = cloud(np.random.default_rng(seed), count)
    r = np.column_stack([points, np.ones(count)])
    B = pseudo_inertia(mass, com, tensor)
    atol = 100 * EPS * np.abs(B).max()
    assert_allclose(B, (r.T * masses) @ r, rtol=0, atol=atol)
    found_mass, found_com, found_tensor = of_pseudo_inertia(B)
    assert found_mass == mass
    assert_allclose(found_com, com, rtol=0, atol=atol / mass)
    assert_allclose(found_tensor, tensor, rtol=0, atol=4 * atol)


@pytest.mark.parametrize("seed", range(10))
def test_pseudo_inertia_is_carried_by_poses(seed):
    """Seen from another frame, B becomes X B X' and describes the moved points."""
    rng = np.random.default_rng(seed)
    points, masses, mass, com, tensor = cloud(rng, 6)
    q = rng.normal(size=4)
    X = Pose(rotation_of_quaternion(q / np.linalg.norm(q)), rng.normal(size=3))
    seen = np.array([X.point(p) for p in points])
    B = X.matrix() @ pseudo_inertia(mass, com, tensor) @ X.matrix().T
    found_mass, found_com, found_tensor = of_pseudo_inertia(B)
    atol = 400 * EPS * np.abs(B).max()
    assert_allclose(found_mass, mass, rtol=0, atol=atol)
    assert_allclose(found_com, X.point(com), rtol=0, atol=atol)
    assert_allclose(found_tensor, about(seen, masses, X.point(com)), rtol=0, atol=atol)


@pytest.mark.parametrize("seed", range(10))
def test_moved_tensor_is_the_tensor_about_the_other_pole(seed):
    """Steiner: the tensor about any pole from the central one."""
    rng = np.random.default_rng(seed)
    points, masses, mass, com, tensor = cloud(rng, 5)
    pole = rng.normal(size=3)
    found = moved_tensor(mass, tensor, pole - com)
    atol = 100 * EPS * np.abs(found).max()
    assert_allclose(found, about(points, masses, pole), rtol=0, atol=atol)


@fixed
@given(
    count=st.integers(1, 8),
    seed=st.integers(0, 10**6),
    flat=st.sampled_from([(1, 1, 1), (1, 1, 0), (1, 0, 0), (0, 0, 0), (1, 1, 1e-9)]),
    size=st.sampled_from([1e-9, 1e-3, 1.0, 1e6]),
)
def test_real_bodies_have_no_fault(count, seed, flat, size):
    """No cloud of point masses is impossible: solid, plate, rod or point, of any size."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=4)
    R = rotation_of_quaternion(q / np.linalg.norm(q))
    points = (rng.normal(size=(count, 3)) * flat) @ R.T * size
    masses = rng.uniform(0.1, 2, size=count)
    com = masses @ points / masses.sum()
    tensor = about(points, masses, com)
    assert physical_fault(masses.sum(), 0.5 * (tensor + tensor.T)) is None


@pytest.mark.parametrize(
    ("mass", "tensor", "words"),
    [
        (-1.0, np.eye(3), "mass is negative"),
        (1.0, [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]], "not symmetric"),
        (1.0, np.diag([-0.1, 1, 1]), "negative principal moment"),
        (1.0, [[1, 2, 0], [2, 1, 0], [0, 0, 1]], "negative principal moment"),
        (1.0, np.diag([1, 1, 2.1]), "triangle inequality"),
        (1.0, [[1.6, 0.5, 0], [0.5, 1.6, 0], [0, 0, 0.9]], "triangle inequality"),
        (1.0, np.diag([0, 0, 1.0]), "triangle inequality"),
    ],
)
def test_impossible_bodies_have_a_fault(mass, tensor, words):
    """What no distribution of positive mass can have is named."""
    assert words in (physical_fault(mass, tensor) or "")


def test_the_last_printed_digit_is_forgiven():
    """A thin plate whose moments were rounded to seven digits is still a body."""
    assert physical_fault(1.0, np.diag([0.3333333, 0.3333333, 0.6666667])) is None
