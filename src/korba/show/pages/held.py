"""Robots as they are moved joint by joint: a base that floats is held, elastic joints are stiff.

Limits reach to where a mechanism with loops is drawn, as there nothing else can be its start.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from ...model.drawing import drawing
from ...model.frame import Frame
from ...model.joint import Joint
from ...model.joints.fixed import Fixed
from ...model.mechanism import Mechanism


def with_base_held(m: Mechanism) -> Mechanism:
    """The mechanism with bodies that float in the world fixed where they are drawn."""
    joints = [_fixed(m, joint) if joint.nv == 6 else joint for joint in m.joints]
    if all(own is other for own, other in zip(joints, m.joints, strict=True)):
        return m
    return replace(m, joints=tuple(joints), poses=())


def with_stiff_joints(m: Mechanism) -> Mechanism:
    """The mechanism without the springs between its rotors and links."""
    if not any(joint.elastic for joint in m.joints):
        return m
    return replace(m, joints=tuple(replace(joint, elastic=None) for joint in m.joints))


def with_limits_as_drawn(m: Mechanism) -> Mechanism:
    """The mechanism with limits that it is drawn beyond moved there: they may be approached."""
    q = drawing(m).q
    joints = (
        replace(
            joint,
            lower=joint.lower and tuple(np.minimum(joint.lower, q[joint.name]).tolist()),
            upper=joint.upper and tuple(np.maximum(joint.upper, q[joint.name]).tolist()),
        )
        for joint in m.joints
    )
    return replace(m, joints=tuple(joints))


def _fixed(m: Mechanism, joint: Joint) -> Fixed:
    """A joint in whose place the child does not move; with its formulas, if drawn at rest."""
    own = _common(joint)
    if tuple(joint.drawn_coordinates) != joint.rest:
        drawn = drawing(m)
        X_PM = drawn.X_PF(joint) @ joint.pose(drawn.q[joint.name])
        own |= {"at": None, "on_parent": Frame.of_pose(X_PM)}
        own["on_child"] = Frame.of_pose(drawn.X_BM(joint))
    return Fixed(**own)


def _common(joint: Any) -> dict[str, Any]:
    """What a joint has that a fixed one has, too."""
    own = {f.name for f in fields(joint)} - {"drawn"}
    return {f.name: getattr(joint, f.name) for f in fields(Fixed) if f.init and f.name in own}
