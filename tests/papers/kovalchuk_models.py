"""The mechanisms of the files of Kovalchuk, Kulakov & Semenov: trees of mounted DH steps."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import korba as kb
from korba.spatial.pose import Pose, rotation, translation
from korba.spatial.rotation import rotation_of_rpy, rotation_x, rotation_z

FOLDER = Path(__file__).parent / "reference"


def reference(name):
    """A reference file."""
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


def tree(model, **more):
    """The tree: joints q1, q2, ... and bodies 1, 2, ...; body frames are the links' main frames.

    The joint's frame on the father is the frame (f, ns) of the paper, turned by theta0.
    """
    bodies, joints = [], []
    for i, link in enumerate(model["links"], start=1):
        mount = Pose(
            rotation_of_rpy(*np.radians(link["mount_rpy_deg"])), np.array(link["mount_xyz"])
        )
        step = translation(x=link["a"], z=link["s0"]) @ rotation(
            rotation_x(np.radians(link["alpha_deg"]))
        )
        kind = kb.Revolute if link["sigma"] else kb.Prismatic
        bodies.append(kb.Body(str(i), link["m"], link["c"], link["I"]))
        joints.append(
            kind(
                f"q{i}",
                str(link["father"]) if link["father"] else "ground",
                str(i),
                on_parent=kb.Frame.of_pose(
                    mount @ rotation(rotation_z(np.radians(link["theta0_deg"])))
                ),
                on_child=kb.Frame.of_pose(step.inverse()),
            )
        )
    return kb.Mechanism("tree", bodies, joints, gravity=model["g"], **more)


def loads(state, poses):
    """Forces and moments of a state; their absolute points in the frames of the bodies."""
    found = []
    for i, load in enumerate(state.get("external", ())):
        body = str(load["link"])
        at = poses[body].inverse().point(np.array(load["point"]))
        found.append(kb.PointForce(f"force{i}", body, load["force"], at))
        found.append(kb.Moment(f"couple{i}", body, load["couple"]))
    return found


def wrenches(state):
    """Loads of a state: for a body the moment about the world's origin and the force."""
    found = {}
    for load in state.get("external", ()):
        force = np.array(load["force"])
        moment = np.array(load["couple"]) + np.cross(load["point"], force)
        found[str(load["link"])] = np.concatenate([moment, force])
    return found


def state_of(state):
    """q, v and a (where it is given)."""
    return tuple(np.array(state[key]) for key in ("q", "qd", "qdd") if key in state)


def close(found, expected, tolerance=1e-11):
    """Largest deviation against the largest magnitude expected, at least 1."""
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    assert np.abs(found - expected).max(initial=0.0) <= tolerance * scale
