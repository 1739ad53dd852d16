"""Wheels sit on their axes: what is wrong with teeth that mesh in the drawing.

A mesh leaves the distance of its wheels free; a body in which the axes of both stay keeps it. The
axis of a pin stays in the two bodies that it joins, and in all that pins about the same line join
with these: a sun and a carrier turn about one line of the frame, so the sun's axis stays in the
carrier. A wheel's own axis, z of the joint's frame on its side, lies on one that such a carrier
bears, and the wheels touch. Where nothing bears both wheels, they may be anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..errors import Fault
from ..spatial.pose import Pose, rotation
from ..spatial.rotation import Array
from .drawing import MEETS, Drawing, joints_by_body, outward
from .fields import specs_of
from .joint import Joint

if TYPE_CHECKING:
    from .mechanism import Mechanism

HALF_TURN = rotation(np.diag([-1.0, -1.0, 1.0]))
Axes = dict[str, Joint]
"""Of each side of a mesh that has a wheel, the pin on which it sits or should."""


def wheel_faults(m: Mechanism, placed: Drawing) -> Iterator[Fault]:
    """Wheels that do not sit on an axis, each with how far beside it and what to look at."""
    small = MEETS * placed.scale
    meshes = [joint for joint in m.joints if joint.wheels]
    stays = _stays(m, placed) if meshes else {}
    for joint in meshes:
        carriers = [*_carriers(m, joint, stays, placed)]
        if not carriers:
            continue
        off, side, carrier, axes = min(carriers, key=lambda each: each[0])
        apart = joint.parting(placed.q[joint.name])
        if off > small:
            yield _fault(joint, side, axes, placed)
        elif apart is not None and abs(apart) > small:
            yield joint.fault(
                f"the wheels do not touch: the axes that {carrier!r} bears are {apart:.3g} m "
                f"farther apart than the radii say{_sizes(joint, axes, placed)}; change a radius, "
                "or the distance"
            )


def _stays(m: Mechanism, placed: Drawing) -> dict[str, set[str]]:
    """Of every pin the bodies in which its axis stays."""
    pins = [joint for joint in m.joints if joint.turns_only]
    found = {}
    for pin in pins:
        off = _off(placed.X_WM[pin.name], pins, placed)
        line = [other for other, d in zip(pins, off, strict=True) if d <= MEETS * placed.scale]
        found[pin.name] = {pin.parent}
        for _, _, body in outward(joints_by_body(line), [pin.parent], found[pin.name]):
            found[pin.name].add(body)
    return found


def _carriers(
    m: Mechanism, joint: Joint, stays: Mapping[str, set[str]], placed: Drawing
) -> Iterator[tuple[float, str, str, Axes]]:
    """Bodies that bear the wheels, with the pins nearest to them: how far off most, on which side.

    The carrier of a rack and its pinion has a joint with the rack.
    """
    sides = {side: getattr(joint, side) for side in joint.wheels}
    pins = {
        side: [pin for pin in m.joints if pin.name in stays and pin.joins(body)]
        for side, body in sides.items()
    }
    bear = [{body for pin in own for body in stays[pin.name]} for own in pins.values()]
    for other in {joint.parent, joint.child} - {*sides.values()}:
        own = [j for j in m.joints if j is not joint and j.joins(other)]
        bear.append({j.other(other) for j in own})
    for carrier in sorted(set.intersection(*bear) - {joint.parent, joint.child}):
        axes, off = {}, {}
        for side in sides:
            borne = [pin for pin in pins[side] if carrier in stays[pin.name]]
            far = _off(_frame(joint, side, placed), borne, placed)
            axes[side], off[side] = borne[int(np.argmin(far))], float(np.min(far))
        side = max(off, key=lambda side: off[side])
        yield off[side], side, carrier, axes


def _frame(joint: Joint, side: str, placed: Drawing) -> Pose:
    return (placed.X_WF if side == "parent" else placed.X_WM)[joint.name]


def _off(X: Pose, pins: list[Joint], placed: Drawing) -> Array:
    """How far an axis is from those of pins: at its centre, and a typical length on."""
    points = np.array([X.p, X.p + X.R[:, 2] * placed.scale])
    lines = [placed.X_WM[pin.name] for pin in pins]
    away = points - np.array([line.p for line in lines])[:, None]
    z = np.array([line.R[:, 2] for line in lines])[:, None]
    across = away - z * np.sum(away * z, axis=-1, keepdims=True)
    return np.asarray(np.linalg.norm(across, axis=-1).max(axis=-1))


def _sizes(joint: Joint, axes: Axes, placed: Drawing) -> str:
    """The distance of the axes, where there are two of them, and the radii."""
    keys = [key for key in specs_of(type(joint)) if key.endswith("radius")]
    told = [f"{key} = {getattr(joint, key):.6g} m" for key in keys]
    if len(axes) == 2:
        a, b = (placed.X_WM[pin.name] for pin in axes.values())
        names = " and ".join(repr(pin.name) for pin in axes.values())
        told.insert(0, f"{names} are {np.linalg.norm((a.inverse() @ b).p[:2]):.6g} m apart")
    return f" ({', '.join(told)})"


def _fault(joint: Joint, side: str, axes: Axes, placed: Drawing) -> Fault:
    pin = axes[side]
    (off,) = _off(_frame(joint, side, placed), [pin], placed)
    message = (
        f"the wheel of {getattr(joint, side)!r} does not sit on its axis, the joint {pin.name!r}: "
        f"it is {off:.3g} m beside it{_sizes(joint, axes, placed)}"
    )
    turned = [_off(_turned(joint, placed, s), [axes[s]], placed)[0] for s in axes]
    if max(turned) <= MEETS * placed.scale and not joint.placed_by_frames:
        way_out = "turn x_axis round, it goes from the parent's wheel to the child's"
        return joint.fault(f"{message}; {way_out}", "x_axis")
    return joint.fault(f"{message}; correct the radii, `inner`, or the place of the mesh")


def _turned(joint: Joint, placed: Drawing, side: str) -> Pose:
    """A frame of the joint if its line of centres were turned round about the place it is given."""
    X_WJ = placed.X_WF[joint.name] @ joint.parent_anchor().inverse()
    return X_WJ @ HALF_TURN @ X_WJ.inverse() @ _frame(joint, side, placed)
