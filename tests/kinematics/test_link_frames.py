"""Frames of links chosen for little work: the mechanism stays what it is."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import korba as kb
from korba.kinematics.forward import relative_poses, world_poses
from korba.model.drawing import drawing
from korba.spatial.turns import Turns
from korba.system.tree import tree_of

AXIAL = [cls for cls in kb.JOINT_TYPES.values() if cls.axial]
EXTRAS = {"screw": {"lead": 0.3}}


def arm(seed, kinds=("revolute",) * 5, **place):
    """A serial arm on random axes, or on given ones."""
    rng = np.random.default_rng(seed)
    bodies = [kb.Body(f"b{i}", 1, rng.normal(size=3), (1, 1, 1)) for i in range(len(kinds))]
    joints = []
    for i, kind in enumerate(kinds):
        where = {key: rng.normal(size=3) for key in ("at", "axis")} | place
        ends = ["ground" if i == 0 else f"b{i - 1}", f"b{i}"]
        joints.append(kb.JOINT_TYPES[kind](f"j{i}", *ends, **where, **EXTRAS.get(kind, {})))
    return kb.Mechanism("arm", bodies, joints)


@pytest.mark.parametrize("cls", AXIAL)
def test_axial_joints_are_one_group_of_motions_about_and_along_z(cls):
    """pose(p + q) = pose(p) pose(q), and turns about and shifts along z change nothing."""
    joint = cls("j", "ground", "b", **EXTRAS.get(cls.type, {}))
    rng = np.random.default_rng(1)
    p, q, (angle, shift) = rng.normal(size=joint.nq), rng.normal(size=joint.nq), rng.normal(size=2)
    both = (joint.pose(p) @ joint.pose(q)).matrix()
    assert_allclose(joint.pose(p + q).matrix(), both, atol=1e-15)
    C = np.eye(4)
    C[:3, :3], C[2, 3] = Rotation.from_euler("z", angle).as_matrix(), shift
    assert_allclose(C @ joint.pose(q).matrix(), joint.pose(q).matrix() @ C, atol=1e-15)
    assert set(joint.coordinate_kinds) <= {"angle", "length"}


@pytest.mark.parametrize("seed", range(5))
def test_bodies_stand_where_the_drawing_has_them(seed):
    """At the drawn coordinates every body, seen through its link's frame, is where it was drawn."""
    rng = np.random.default_rng(seed)
    kinds = [*rng.permutation([cls.type for cls in AXIAL]), "fixed", "revolute", "universal"]
    m = arm(seed, kinds)
    tree, placed = tree_of(m), drawing(m)
    q = np.concatenate([joint.drawn_coordinates for joint in m.joints])
    for link, X_WL in zip(tree.links, world_poses(tree, q), strict=True):
        X_WB = X_WL @ link.X_BL.inverse()
        assert_allclose(X_WB.matrix(), placed.X_WB[link.name].matrix(), atol=1e-14)


def test_a_serial_arm_gets_the_frames_of_denavit_and_hartenberg():
    """Between hinges on random axes two turns are left, about x and about z, and p_z = 0."""
    tree = tree_of(arm(3))
    q = np.random.default_rng(0).normal(size=tree.nq)
    for X in relative_poses(tree, q)[1:]:
        assert isinstance(X.R, Turns)
        assert [factor.axis for factor in X.R.factors] == [0, 2]
        assert X.p[2] == 0


def test_a_fixed_link_has_the_frame_of_what_it_is_fixed_to():
    """Its pose in its parent is the identity, so that it costs nothing."""
    tree = tree_of(arm(1, ("revolute", "fixed", "fixed", "revolute")))
    for link in tree.links[1:3]:
        assert_allclose(link.X_PF.matrix(), np.eye(4), atol=0)


def test_axes_almost_parallel_do_not_throw_origins_far_away():
    """The common normal of almost parallel axes is far off; origins stay near the mechanism."""
    rng = np.random.default_rng(0)
    joints, bodies = [], []
    for i in range(4):
        axis = (1e-6 * rng.normal(), 1e-6 * rng.normal(), 1)
        ends = ["ground" if i == 0 else f"b{i - 1}", f"b{i}"]
        joints.append(kb.Revolute(f"j{i}", *ends, at=rng.normal(size=3), axis=axis))
        bodies.append(kb.Body(f"b{i}", 1, rng.normal(size=3), (1, 1, 1)))
    for link in tree_of(kb.Mechanism("almost", bodies, joints)).links:
        assert np.abs(link.X_PF.p).max() < 10


@pytest.mark.parametrize(
    ("kinds", "products", "sums"),
    [(("revolute",) * 6, 377, 318), (("prismatic",) + ("revolute",) * 5, 313, 260)],
)
def test_arms_on_random_axes_need_few_operations(kinds, products, sums):
    """General 6R arm: 92 n - 127 = 425 products, 369 sums by hand (Khalil & Kleinfinger, 1987)."""
    count = kb.operations(kb.inverse_dynamics, arm(0, kinds))
    assert count.multiplications <= products
    assert count.additions <= sums
