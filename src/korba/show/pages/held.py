"""Robots as they are moved joint by joint: a base that floats is held, elastic joints are stiff."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from ...model.joints.fixed import Fixed
from ...model.mechanism import Mechanism


def with_base_held(m: Mechanism) -> Mechanism:
    """The mechanism with bodies that float in the world, as drawn at its origin, fixed there."""
    joints = [
        Fixed(**_common(joint))
        if joint.nv == 6 and tuple(joint.drawn_coordinates) == joint.rest
        else joint
        for joint in m.joints
    ]
    if all(own is other for own, other in zip(joints, m.joints, strict=True)):
        return m
    return replace(m, joints=tuple(joints), poses=())


def with_stiff_joints(m: Mechanism) -> Mechanism:
    """The mechanism without the springs between its rotors and links."""
    if not any(joint.elastic for joint in m.joints):
        return m
    return replace(m, joints=tuple(replace(joint, elastic=None) for joint in m.joints))


def _common(joint: Any) -> dict[str, Any]:
    """What a joint has that a fixed one has, too."""
    own = {f.name for f in fields(joint)} - {"drawn"}
    return {f.name: getattr(joint, f.name) for f in fields(Fixed) if f.init and f.name in own}
