"""Korba's joint forces against stored ones of exudyn, two step sizes extrapolated.

benchmarks/peers/store_forces.py made them; the files say with which version. Forces are what a
joint's constraints do to its child: in the plane of a pin (x, y), of a slide (y, moment); in space
of a ball (x, y, z), of a pin on the ground the force and two moments across its axis.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb

FOLDER = Path(__file__).parent / "forces"
NAMES = ("slider_crank", "six_bar", "rssr")


def held(m, motion, forces, joint):
    """What exudyn's constraints of a joint do to its child, about the joint."""
    one = forces[joint.name]
    if joint.shifts_only:
        return np.stack([one.force[:, 1], one.moment[:, 2]], axis=1)
    if m.plane:
        return one.force[:, :2]
    if joint.turns_all_ways:
        return one.force
    axes = {"A": [0, 1], "D": [0, 2]}[joint.name]  # the world's x, then one fixed in the body
    R = motion.body(joint.child).rotation if joint.name == "D" else np.eye(3)[None]
    across = np.einsum("tij,ti->tj", R + 0.0 * one.moment[:, :, None], one.moment)
    return np.concatenate([one.force, one.moment[:, :1], across[:, axes[1:]]], axis=1)


@pytest.mark.parametrize("name", NAMES)
def test_joint_forces_are_exudyns(name):
    """Slider-crank, six-bar and RSSR under weight and pushes, at a constant speed of the crank."""
    m = kb.load(FOLDER / f"{name}.toml")
    stored = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    motion = kb.motion(m, stored["times"])
    forces = kb.reactions(m, motion)
    found = {joint.name: held(m, motion, forces, joint) for joint in m.joints}
    found["drive"] = forces.driving["drive"][:, None]
    assert found.keys() == stored["forces"].keys()
    assert stored["versions"]["exudyn"]
    for part, expected in stored["forces"].items():
        top = np.abs(expected).max()
        assert_allclose(found[part], expected, rtol=0, atol=1e-6 * top, err_msg=part)
