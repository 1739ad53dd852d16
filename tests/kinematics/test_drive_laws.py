"""Every kind of drive: its columns are the rates of what it prescribes, on any chain."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.kinematics.rows import Moving
from korba.model.drives import DRIVE_TYPES
from korba.system.tree import tree_of

H = 1e-5
LAW, CURVE = "0.3 + sin(2*t)", kb.Curve((0, 1, 2, 3), (0.2, 0.5, 0.1, 0.4))
CATALOGUE = [
    kb.JointDrive("d", "C", LAW),
    kb.BodyDrive("d", "c", "a", x=LAW, z=CURVE, angle=LAW),
    kb.LengthDrive("d", "c", (0.4, 0.1, 0.2), "ground", (1, -1, 0.5), CURVE),
    kb.PointDrive("d", "b", (0.5, 0.2, 0.1), x=CURVE, y=LAW, z=LAW),
]
"""One of each kind; a new kind adds a line."""
each_drive = pytest.mark.parametrize("drive", CATALOGUE, ids=lambda drive: drive.type)


def chain():
    """Three links on joints of several kinds, in space."""
    joints = [
        kb.Revolute("A", "ground", "a", at=(0, 0, 0), axis=(0, 0.3, 1)),
        kb.Cylindrical("B", "a", "b", at=(0.4, 0.1, 0), axis=(1, 0.2, 0)),
        kb.Prismatic("C", "b", "c", at=(0.6, 0, 0.2), axis=(0, 1, 1)),
    ]
    return tree_of(kb.Mechanism("chain", [kb.Body(name) for name in "abc"], joints))


def test_every_kind_is_in_the_catalogue():
    """A new kind of drive must be added above."""
    assert {drive.type for drive in CATALOGUE} == set(DRIVE_TYPES)


@each_drive
def test_columns_are_rates_of_the_values(drive):
    """c(q + h v) - c(q - h v) = 2 h c_q v."""
    tree, rng = chain(), np.random.default_rng(3)
    q, v = rng.uniform(-0.4, 0.4, size=(2, 4))
    asked, ahead, behind = (drive.rows(Moving(tree, q + h * v), 0.7) for h in (0, H, -H))
    columns = sum(column * v[i] for i, column in asked.columns.items())
    slope = (ahead.values - behind.values) / (2 * H)
    assert len(asked.values) == drive.count
    assert_allclose(columns.astype(float), slope.astype(float), rtol=0, atol=1e-8)


@each_drive
def test_motions_are_derivatives_of_each_other(drive):
    """f' and f'' are the slopes of f and f' in time."""
    t = 0.7
    ahead, behind = drive.motion(t + H), drive.motion(t - H)
    slope = ((ahead - behind) / (2 * H)).astype(float)
    assert drive.motion(t).shape == (drive.count, 3)
    assert_allclose(drive.motion(t)[:, 1:].astype(float), slope[:, :2], rtol=0, atol=1e-8)
    assert list(drive.values(t).values()) == [float(f) for f in drive.motion(t)[:, 0]]


@each_drive
def test_a_drive_of_one_coordinate_names_it(drive):
    """Where a coordinate is named, it is what the rows hold and nothing else moves them."""
    if drive.coordinate is not None:
        tree, q = chain(), np.array([0.1, 0.2, 0.3, 0.4])
        asked = drive.rows(Moving(tree, q), 0.7)
        assert asked.values[0] == q[tree.coordinates.index(drive.coordinate)]
        assert list(asked.columns) == [tree.velocity_of(drive.coordinate)]
        assert (drive.count, drive.given) == (1, drive.motions)
