"""Writing MJCF and reading it again gives the same robot: a law over example-robot-data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from law_counts import ASKED
from numpy.testing import assert_allclose
from robot_files import ROBOTS

import korba as kb
from korba.files.mjcf_parts import UNLIMITED
from korba.model.drawing import drawing
from korba.spatial.inertia import physical_fault

pytest.importorskip("mujoco")
FILES = sorted(file for ending in ("urdf", "sdf") for file in ROBOTS.rglob(f"*.{ending}"))
FEW = ("cassie", "cassie_v2", "iris", "ur5_gripper")


def robot(file):
    """The robot of a file; an inertia that no real body has (MuJoCo refuses it) becomes round."""
    m = kb.load(file)
    bodies = (
        replace(b, inertia=np.eye(3) * np.abs(b.inertia).max())
        if physical_fault(b.mass, b.inertia)
        else b
        for b in m.bodies
    )
    return replace(m, bodies=tuple(bodies))


def limits(joint):
    """Its limits, where MJCF has them: apart, and not farther than MuJoCo's numbers go."""
    ends = [x and abs(x[0]) < UNLIMITED and x[0] for x in (joint.lower, joint.upper)]
    return [None] * 2 if ends[0] == ends[1] else [None if x is False else x for x in ends]


@pytest.mark.parametrize(
    "file", [file for file in FILES if ASKED or file.stem in FEW], ids=lambda file: file.stem
)
def test_a_robot_comes_back(file, tmp_path):
    """Bodies, joints, loops, couplings and what acts in joints are as they were, by their names."""
    m = robot(file)
    kb.write_mjcf(m, tmp_path / "again.xml")
    n = kb.read_mjcf(tmp_path / "again.xml")
    assert {j.name: (j.type, j.parent, j.child) for j in m.joints} == {
        j.name: (j.type, j.parent, j.child) for j in n.joints
    }
    assert [c.coordinate for c in n.couplings] == [c.coordinate for c in m.couplings]
    assert len(n.forces) == len(m.forces)
    one, two = drawing(m), drawing(n)
    for body in m.bodies:
        other, scale = n.body(body.name), np.abs(body.inertia).max()
        assert_allclose(two.X_WB[body.name].p, one.X_WB[body.name].p, atol=1e-12)
        assert_allclose(two.X_WB[body.name].R, one.X_WB[body.name].R, atol=1e-12)
        assert other.mass == body.mass
        assert_allclose(other.com, np.multiply(body.com, body.mass > 0), atol=1e-15)
        assert_allclose(other.inertia, body.inertia, rtol=0, atol=1e-12 + 1e-12 * scale)
    for joint in m.joints:
        other = n.joint(joint.name)
        assert_allclose(two.X_WM[joint.name].p, one.X_WM[joint.name].p, atol=1e-12)
        if joint.nv == 1:
            assert_allclose(two.X_WM[joint.name].R[:, 2], one.X_WM[joint.name].R[:, 2], atol=1e-12)
            assert limits(other) == limits(joint)
            assert_allclose(two.q[joint.name], one.q[joint.name], atol=1e-12)
        for key in ("damping", "armature", "friction"):
            assert getattr(other, key) == getattr(joint, key), key
        assert (other.max_effort or 0) == (joint.max_effort or 0)
