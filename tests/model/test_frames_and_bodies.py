"""Frames, bodies and the fields they are read by."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from korba.model.body import Body, Shape
from korba.model.fields import Invalid, read_table, write_table
from korba.model.frame import Frame
from korba.spatial.pose import Pose
from korba.spatial.rotation import rotation_of_quaternion, rotation_x, rotation_y, rotation_z

EPS = np.finfo(float).eps


def random_rotation(seed):
    q = np.random.default_rng(seed).normal(size=4)
    return q / np.linalg.norm(q)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (0.3, rotation_z(0.3)),
        ("30 deg", rotation_z(np.pi / 6)),
        ([0.1, 0.2, 0.3], rotation_z(0.3) @ rotation_y(0.2) @ rotation_x(0.1)),
        (["90 deg", 0, 0], [[1, 0, 0], [0, 0, -1], [0, 1, 0]]),
        ([2.0, 0, 0, 0], np.eye(3)),
        ([1.0, 1.0, 0, 0], [[1, 0, 0], [0, 0, -1], [0, 1, 0]]),
        (rotation_y(0.4), rotation_y(0.4)),
    ],
)
def test_the_ways_to_say_a_rotation(given, expected):
    """An angle, three angles, a quaternion of any length and a matrix mean what they should."""
    assert_allclose(Frame(rotation=given).rotation, expected, rtol=0, atol=4 * EPS)


@pytest.mark.parametrize("seed", range(20))
def test_a_frame_of_a_pose_is_the_pose(seed):
    """Frame.of_pose and pose are inverses; reading a read frame changes nothing."""
    X = Pose(rotation_of_quaternion(random_rotation(seed)), np.array([1.0, -2.0, 3.0]))
    frame = Frame.of_pose(X)
    assert_array_equal(frame.pose().p, X.p)
    assert_allclose(frame.pose().R, X.R, rtol=0, atol=10 * EPS)
    assert dataclasses.replace(frame) == frame
    assert hash(dataclasses.replace(frame)) == hash(frame)
    again, faults = read_table(Frame, write_table(frame), {})
    assert (again, faults) == (frame, [])


def test_small_deviations_of_a_matrix_are_taken_out():
    """A matrix typed with six digits becomes a rotation."""
    typed = np.round(rotation_of_quaternion(random_rotation(3)), 6)
    R = Frame(rotation=typed).pose().R
    assert_allclose(R @ R.T, np.eye(3), rtol=0, atol=10 * EPS)
    assert_allclose(R, typed, rtol=0, atol=2e-6)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([[1, 0, 0], [0, 1, 0], [0, 0, -1]], "not a rotation"),
        ([[1, 0.1, 0], [0, 1, 0], [0, 0, 1]], "not a rotation"),
        ([0, 0, 0, 0], "length 0"),
        ([1, 2], "expected an angle"),
        ([[1, 0], [0, 1], [0, 0]], "got rows of [2, 2, 2]"),
        ("1 m", "angle"),
        ({}, "rotation"),
    ],
)
def test_what_is_not_a_rotation(given, words):
    """A wrong rotation does not raise; it is kept with its reason, for the mechanism to report."""
    frame = Frame(rotation=given)
    assert isinstance(frame.rotation, Invalid)
    (fault,) = frame.faults()
    assert words in fault.message


def test_units_are_converted_at_the_door():
    """Texts with units become SI numbers; two components get z = 0."""
    body = Body("a", "500 g", com=["60 mm", 0], inertia="2 kg*m^2", points={"tip": ["1 cm", 0, 1]})
    assert body.mass == 0.5
    assert body.com == (0.06, 0.0, 0.0)
    assert body.inertia[2][2] == 2.0
    assert body.point("tip") == (0.01, 0.0, 1.0)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (3.0, np.diag([0, 0, 3.0])),
        ([1, 2, 3], np.diag([1.0, 2, 3])),
        ([1, 2, 3, 4, 5, 6], [[1, 4, 5], [4, 2, 6], [5, 6, 3]]),
        (np.eye(3), np.eye(3)),
        (np.array([1, 2, 3]), np.diag([1.0, 2, 3])),
        (list(np.array([1, 2, 3])), np.diag([1.0, 2, 3])),
        (np.int64(3), np.diag([0, 0, 3.0])),
    ],
)
def test_the_ways_to_say_a_tensor(given, expected):
    """One, three, six or nine entries, in Python's or NumPy's numbers."""
    assert_array_equal(Body("a", inertia=given).inertia, expected)


@pytest.mark.parametrize(
    ("mass", "inertia", "planar", "words"),
    [
        (1, [1, 1, 3], False, "triangle"),
        (1, [1, 1, 3], True, None),
        (1, [0, 0, 1], True, None),
        (1, [0, 0, -1], True, "negative principal"),
        (-1, [1, 1, 1], False, "mass is negative"),
        (-1, [1, 1, 1], True, "mass is negative"),
        (1, [1, 1, 1], False, None),
    ],
)
def test_impossible_bodies(mass, inertia, planar, words):
    """A mass that no body has is a fault, in the plane judged by the moment about z alone."""
    body = Body("a", mass, inertia=inertia)
    found = [fault.message for fault in body.faults_in(planar)]
    assert bool(found) == (words is not None)
    assert all(words in message for message in found)
    assert not list(dataclasses.replace(body, as_given=True).faults_in(planar))


def test_a_body_reads_back_from_its_own_table():
    """A table written from a body gives the same body again."""
    body = Body(
        "a",
        2.0,
        com=(0.1, 0.2, 0.3),
        inertia=[1, 1.1, 1.2, 0.1, 0.02, 0],
        frame=Frame((1, 2, 3), [0.1, 0.2, 0.3]),
        points={"tip": (1, 0, 0), "heel": (0, 1, 0)},
        shapes=[Shape("box", (1, 2, 3), color=(1, 0, 0, 1))],
        as_given=True,
    )
    again, faults = read_table(Body, write_table(body), {})
    assert (again, faults) == (body, [])


def test_unknown_and_missing_keys_are_faults():
    """An unknown key proposes the nearest one; a missing one says what to give."""
    body, faults = read_table(Body, {"mas": 1}, {})
    assert "did you mean 'mass'" in faults[0].message
    assert "is missing" in next(body.faults()).message
