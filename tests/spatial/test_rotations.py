"""Laws of the 3 x 3 rotations and of the quaternion's rate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from korba.expr import evaluate, variable
from korba.spatial.rotation import (
    quaternion_rate,
    rotation_about,
    rotation_aligning,
    rotation_of_quaternion,
    rotation_of_rpy,
    rotation_x,
    rotation_y,
    rotation_z,
    rpy_of_rotation,
    skew,
    tidy,
    vee,
)

EPS = np.finfo(float).eps
ROUNDING = 20 * EPS  # a few products of entries of at most 1
fixed = settings(derandomize=True, deadline=None, max_examples=60)
angles = st.floats(-10, 10, allow_nan=False)
vectors = st.lists(st.floats(-1, 1), min_size=3, max_size=3).map(np.array)
directions = vectors.filter(lambda u: np.linalg.norm(u) > 1e-3)
quaternions = (
    st.lists(st.floats(-1, 1), min_size=4, max_size=4)
    .map(np.array)
    .filter(lambda q: np.linalg.norm(q) > 1e-3)
    .map(lambda q: q / np.linalg.norm(q))
)
ELEMENTARY = [(rotation_x, 0), (rotation_y, 1), (rotation_z, 2)]


def assert_rotation(R):
    assert_allclose(R @ R.T, np.eye(3), rtol=0, atol=ROUNDING)
    assert_allclose(np.linalg.det(R), 1, rtol=0, atol=ROUNDING)


@fixed
@given(vectors, vectors)
def test_skew_is_the_cross_product_and_vee_undoes_it(u, w):
    """skew(u) w is u x w, and vee takes u out again."""
    assert_allclose(skew(u) @ w, np.cross(u, w), rtol=0, atol=ROUNDING)
    assert_array_equal(vee(skew(u)), u)


@pytest.mark.parametrize(("rotation", "axis"), ELEMENTARY)
@fixed
@given(a=angles, b=angles)
def test_elementary_rotations_compose_and_agree_with_rodrigues(rotation, axis, a, b):
    """R(a) R(b) = R(a + b) is orthonormal, and is the rotation about that coordinate axis."""
    assert_rotation(rotation(a))
    assert_allclose(rotation(a) @ rotation(b), rotation(a + b), rtol=0, atol=40 * EPS)
    assert_allclose(rotation(a), rotation_about(np.eye(3)[axis], a), rtol=0, atol=ROUNDING)


@pytest.mark.parametrize(("rotation", "axis"), ELEMENTARY)
def test_elementary_rotations_are_right_handed(rotation, axis):
    """A quarter turn about an axis takes the next axis to the one after it."""
    E = np.eye(3)
    turned = rotation(np.pi / 2) @ E[(axis + 1) % 3]
    assert_allclose(turned, E[(axis + 2) % 3], rtol=0, atol=EPS)


@fixed
@given(directions, angles)
def test_rodrigues_keeps_its_axis_and_turns_by_its_angle(u, angle):
    """R leaves the axis alone, is orthonormal, and its trace is 1 + 2 cos."""
    axis = u / np.linalg.norm(u)
    R = rotation_about(axis, angle)
    assert_rotation(R)
    assert_allclose(R @ axis, axis, rtol=0, atol=ROUNDING)
    assert_allclose(np.trace(R), 1 + 2 * np.cos(angle), rtol=0, atol=ROUNDING)


@fixed
@given(directions, angles)
def test_quaternion_of_half_angle_is_the_rotation(u, angle):
    """(cos a/2, sin a/2 axis) is the rotation by a about the axis, with either sign."""
    axis = u / np.linalg.norm(u)
    q = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])
    assert_allclose(rotation_of_quaternion(q), rotation_about(axis, angle), rtol=0, atol=ROUNDING)
    assert_array_equal(rotation_of_quaternion(q), rotation_of_quaternion(-q))


@fixed
@given(quaternions, vectors)
def test_quaternion_rate_against_finite_differences(q, w):
    """Rdot = R [w x] when the quaternion moves by its rate, and its length stays 1."""
    rate, h = quaternion_rate(q, w), 1e-5
    Rdot = (rotation_of_quaternion(q + h * rate) - rotation_of_quaternion(q - h * rate)) / (2 * h)
    assert_allclose(Rdot, rotation_of_quaternion(q) @ skew(w), rtol=0, atol=10 * EPS / h)
    assert abs(q @ rate) < ROUNDING


@fixed
@given(angles, st.floats(-1.57, 1.57), angles)
def test_rpy_round_trip(roll, pitch, yaw):
    """The angles read off Rz Ry Rx give back the same rotation."""
    R = rotation_of_rpy(roll, pitch, yaw)
    assert_rotation(R)
    assert_allclose(
        R, rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll), rtol=0, atol=ROUNDING
    )
    assert_allclose(rotation_of_rpy(*rpy_of_rotation(R)), R, rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("yaw", [-3.0, 0.0, 0.7])
def test_rpy_at_the_singular_pitch(sign, yaw):
    """At pitch = +-90 deg roll is 0 and yaw takes all of the turn."""
    R = rotation_of_rpy(0.4, sign * np.pi / 2, yaw)
    found = rpy_of_rotation(R)
    assert found[0] == 0.0
    assert_allclose(rotation_of_rpy(*found), R, rtol=0, atol=1e-9)  # its own threshold


@fixed
@given(directions, directions)
def test_aligning_puts_z_on_the_axis_and_x_next_to_the_wanted_one(axis, x_axis):
    """z is the axis, x lies in the plane of axis and x_axis, on the side of x_axis."""
    z, wanted = axis / np.linalg.norm(axis), x_axis / np.linalg.norm(x_axis)
    sine = np.linalg.norm(np.cross(z, wanted))
    if sine < 1e-3:
        return
    R = rotation_aligning(axis, x_axis)
    assert_allclose(R @ R.T, np.eye(3), rtol=0, atol=ROUNDING / sine)
    assert_allclose(R[:, 2], z, rtol=0, atol=ROUNDING)
    assert abs(R[:, 1] @ wanted) < ROUNDING / sine
    assert R[:, 0] @ wanted > 0


@fixed
@given(directions)
def test_aligning_without_x_axis_is_a_rotation_onto_the_axis(axis):
    """Any axis alone gives a rotation with z along it."""
    R = rotation_aligning(axis)
    assert_rotation(R)
    assert_allclose(R[:, 2], axis / np.linalg.norm(axis), rtol=0, atol=ROUNDING)


def test_aligning_leaves_z_alone_and_keeps_planar_axes_planar():
    """The z axis gives the identity; an axis in the xy plane gets x normal to it."""
    assert_array_equal(rotation_aligning([0, 0, 2]), np.eye(3))
    for direction in ([1, 0, 0], [0.6, 0.8, 0], [0, -3, 0], [1, 1, 0]):
        assert_array_equal(rotation_aligning(direction)[:, 0], [0, 0, 1])


def test_tidy_makes_roundings_exact_and_leaves_the_rest():
    """Entries within rounding of 0 and +-1 become exact, without a negative zero."""
    R = tidy(rotation_z(np.pi / 2))
    assert_array_equal(R, [[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    assert not np.signbit(R[R == 0]).any()
    assert_array_equal(tidy(rotation_z(0.3)), rotation_z(0.3))


def test_symbols_and_numbers_agree():
    """The same functions called with symbols evaluate to what they give with numbers."""
    names = ["a", "w", "x", "y", "z", "p", "q", "r"]
    numbers = np.random.default_rng(1).normal(size=8)
    a, *rest = [variable(name) for name in names]
    quaternion, w = np.array(rest[:4]), np.array(rest[4:])
    axis = np.array([0.6, 0.0, 0.8])
    pairs = [
        (rotation_about(axis, a), rotation_about(axis, numbers[0])),
        (rotation_of_quaternion(quaternion), rotation_of_quaternion(numbers[1:5])),
        (quaternion_rate(quaternion, w), quaternion_rate(numbers[1:5], numbers[5:])),
        (skew(w), skew(numbers[5:])),
        *((rotation(a), rotation(numbers[0])) for rotation, _ in ELEMENTARY),
    ]
    values = dict(zip(names, numbers, strict=True))
    for written, computed in pairs:
        assert_allclose(evaluate(written, values), computed, rtol=0, atol=100 * EPS)
