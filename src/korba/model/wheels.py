"""Wheels sit on their axes: what is wrong with teeth that mesh in the drawing.

A mesh leaves the distance of its wheels free; a body that bears them keeps it. That body, the
carrier, has a pin with each wheel, and these pins are the axes: a wheel's own axis, z of the
joint's frame on its side, lies on one of them, and the wheels touch. Where nothing bears a wheel,
it may be anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..errors import Fault
from ..spatial.pose import Pose, rotation
from .drawing import MEETS, Drawing
from .joint import Joint

if TYPE_CHECKING:
    from .mechanism import Mechanism

HALF_TURN = rotation(np.diag([-1.0, -1.0, 1.0]))


def wheel_faults(m: Mechanism, placed: Drawing) -> Iterator[Fault]:
    """Wheels that do not sit on an axis, each with how far beside it and what to look at."""
    for joint in (joint for joint in m.joints if joint.wheels):
        frames = {"parent": placed.X_WF[joint.name], "child": placed.X_WM[joint.name]}
        for carrier in _carriers(m, joint):
            axes = {side: _pins(m, carrier, getattr(joint, side)) for side in joint.wheels}
            off = {side: _off(frames[side], pins, placed) for side, pins in axes.items()}
            side = max(off, key=lambda side: off[side])
            if off[side] > (small := MEETS * placed.scale):
                turned = {s: _off(_turned(joint, placed, frames[s]), axes[s], placed) for s in axes}
                round_ = max(turned.values()) <= small and not joint.placed_by_frames
                yield _fault(joint, side, axes[side], off[side], turn_round=round_)
                break
            apart = joint.parting(placed.q[joint.name])
            if apart is not None and abs(apart) > small:
                yield joint.fault(
                    f"the wheels do not touch: the axes that {carrier!r} bears are {apart:.3g} m "
                    "farther apart than the radii say; change a radius, or the distance"
                )
                break


def _carriers(m: Mechanism, joint: Joint) -> list[str]:
    """Bodies that join both sides of a mesh, the wheels of it by pins."""
    near = [
        {other.other(body) for other in m.joints if other is not joint and other.joins(body)}
        for body in (joint.parent, joint.child)
    ]
    both = (near[0] & near[1]) - {joint.parent, joint.child}
    return sorted(c for c in both if all(_pins(m, c, getattr(joint, s)) for s in joint.wheels))


def _pins(m: Mechanism, carrier: str, body: str) -> list[Joint]:
    return [j for j in m.joints if j.role == "pin" and j.joins(carrier) and j.joins(body)]


def _off(X: Pose, pins: list[Joint], placed: Drawing) -> float:
    """How far a wheel's axis is from the nearest pin: at its centre, and a typical length on."""
    points = [X.p, X.p + X.R[:, 2] * placed.scale]
    return min(
        max(float(np.linalg.norm(placed.X_WM[pin.name].inverse().point(p)[:2])) for p in points)
        for pin in pins
    )


def _turned(joint: Joint, placed: Drawing, X: Pose) -> Pose:
    """A frame of the joint if its line of centres were turned round about the place it is given."""
    X_WJ = placed.X_WF[joint.name] @ joint.parent_anchor().inverse()
    return X_WJ @ HALF_TURN @ X_WJ.inverse() @ X


def _fault(joint: Joint, side: str, pins: list[Joint], off: float, turn_round: bool) -> Fault:
    names = " or ".join(repr(pin.name) for pin in pins)
    message = (
        f"the wheel of {getattr(joint, side)!r} does not sit on its axis, the joint {names}: "
        f"it is {off:.3g} m beside it"
    )
    if turn_round:
        way_out = "turn x_axis round, it goes from the parent's wheel to the child's"
        return joint.fault(f"{message}; {way_out}", "x_axis")
    return joint.fault(f"{message}; correct the radii, `inner`, or the place of the mesh")
