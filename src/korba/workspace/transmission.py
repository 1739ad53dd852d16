"""Transmission angle: how well a coupler moves the output that it pushes.

A coupler with two joints passes a force along a line: from pin to pin, or at right angles to a
slide through its pin. With u the direction of that force and w the direction in which its point
on the output body can move,

    cos(pressure angle) = |u' w|,      transmission angle mu = 90 deg - pressure angle

mu = 90 deg is best, at 0 the force does not move the output. For a four-bar it is the acute angle
between coupler and output link. Source: Norton (2012), Design of Machinery, section 3.3.

With friction the force is beside the pins by the radii h of their friction circles, and the output
is held where the angle is below the limit

    mu_limit = asin((h_1 + h_2) / l) + phi

l is the length of the coupler, phi the angle of friction of a slide, tan(phi) = mu, and of a link
on a pin sin(phi) = (h + h_1) / L, L from its pin to the joint. Driven there it jams, and driven
from its output it is self-locking where the angle at the input is below the limit there. Masses,
and what a guide carries by its length, are left out. Source: Gronowicz (2003), section 4.3.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..display import Tabled
from ..door import public
from ..errors import StructureError
from ..kinematics.couplings import all_coordinates
from ..kinematics.rows import Moving
from ..model.body import GROUND
from ..model.drawing import drawing
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..model.rubbing import pin_lever
from ..spatial.rotation import Array, cross
from ..system.system import System, ties
from ..trajectory.places import kept_tree
from ..trajectory.trajectory import Trajectory
from ..verbs.verb import verb
from .four_link_loops import grashof
from .singularities import least, reversals


@dataclass(frozen=True, eq=False)
class TransmissionAngle(Tabled):
    """The transmission angle over a motion, in radians from 0 to pi/2."""

    rows_of = (
        ("t", 0),
        ("angle", 0),
    )

    joint: str
    """The joint between coupler and output."""
    output: str
    t: Array
    angle: Array
    minimum: float
    t_minimum: float
    maximum: float
    t_maximum: float
    limit: float = 0.0
    """Below it friction can hold the output; 0 without friction."""
    back: tuple[str, str] | None = None
    """Joint and body at the other end of the coupler: what the output drives backwards."""

    @property
    def held(self) -> Array:
        """Where the angle is below the limit of friction."""
        return np.asarray(self.angle < self.limit)

    @property
    def pressure(self) -> Array:
        """The pressure angle: what is missing to 90 deg."""
        return np.asarray(np.pi / 2 - self.angle)


class _Pushed(NamedTuple):
    """What passes the force and what it moves."""

    joints: tuple[str, ...]
    """Pins at both ends of the coupler and the joint that leads the output; where the force is
    normal to a slide or slot, twice the one pin, and the slide last."""
    straight: bool
    """Whether the output is led by a slide."""


@public
def transmission_angle(
    motion: Trajectory, joint: str | None = None, output: str | None = None
) -> TransmissionAngle:
    """The angle between the coupler's force and the normal to the output's motion.

    `joint` is where the coupler meets the `output` body, which hangs on another body by a
    revolute or prismatic joint. Without them the four-bar or slider-crank that the drive moves
    is found. Extremes are those of the motion, not only of its samples.
    """
    m, joint, out, pushed = _asked(motion, joint, output)

    def angle(part: Trajectory) -> Array:
        return push_angle(m, part.q, pushed.joints, pushed.straight)

    angles = angle(motion)
    low, t_low = least(motion, angle, int(np.argmin(angles)))
    high, t_high = least(motion, lambda part: -angle(part), int(np.argmax(angles)))
    limit = _held_below(m, pushed)
    back = None if len(pushed.joints) > 3 else (other := pushed.joints[1], _beyond(m, other, joint))
    return TransmissionAngle(joint, out, motion.t, angles, low, t_low, -high, t_high, limit, back)


def _beyond(m: Mechanism, other: str, joint: str) -> str:
    """The body that a coupler is joined to at its other end."""
    bodies = {m.joint(joint).parent, m.joint(joint).child}
    (coupler,) = bodies & {m.joint(other).parent, m.joint(other).child}
    return m.joint(other).other(coupler)


def _held_below(m: Mechanism, pushed: _Pushed) -> float:
    """The limit of the angle by friction, in radians."""
    at = drawing(m)
    pin, other, guide, *slides = (m.joint(name) for name in pushed.joints)
    places = {joint.name: np.asarray(at.X_WM[joint.name].p) for joint in (pin, other, guide)}

    def lever(joint: Joint) -> float:
        data = joint.friction
        return float(pin_lever(data, data.coefficient)) if data is not None else 0.0

    def tilt(arm: float, *ends: str) -> float:
        length = float(np.linalg.norm(places[ends[0]] - places[ends[1]]))
        return float(np.arcsin(min(arm / length, 1.0))) if arm and length else 0.0

    def steep(joint: Joint) -> float:
        return float(np.arctan(joint.friction.coefficient)) if joint.friction is not None else 0.0

    own = steep(guide) if pushed.straight else tilt(lever(guide) + lever(pin), guide.name, pin.name)
    if slides:
        return own + steep(slides[0])
    return own + tilt(lever(pin) + lever(other), pin.name, other.name)


@verb(
    closed=True,
    checks={
        "joints": lambda _, given, __: tuple(given),
        "straight": lambda _, given, __: bool(given),
    },
)
def push_angle(system: System, q: Any, joints: tuple[str, ...], straight: bool) -> Any:
    """The transmission angle of a position: tan mu = |u' w| / |u x w|.

    Where the force is normal to a slide e, u is w without its part along e: tan mu = |u| / |e' w|.
    """
    (p, _), (other, _), (guide, along), *slides = _tracks(system, q, joints)
    w = along if straight else cross(along, p - guide)
    if slides:
        e = slides[0][1]
        part = e @ w
        push, rest = _length(w - part * e), abs(part)
    else:
        u = p - other
        push, rest = abs(u @ w), _length(cross(u, w))
    return np.arctan2(push, rest)


def pushing(m: Mechanism, joint: str, output: str | None) -> dict[str, Any]:
    """The options of `push_angle` for a joint between coupler and output."""
    own = kept_tree(m).m
    pushed = _pushed(own, own.joint(joint), output or _output(own, own.joint(joint)))
    return pushed._asdict()


def _asked(
    motion: Trajectory, joint: str | None, output: str | None
) -> tuple[Mechanism, str, str, _Pushed]:
    """The mechanism written out, joint and output, and what passes the force between them."""
    m = kept_tree(motion.mechanism).m
    if joint is None:
        joint, output = driven_output(motion.mechanism)
    out = output or _output(m, m.joint(joint))
    return m, joint, out, _pushed(m, m.joint(joint), out)


def _tracks(system: System, q: Any, joints: tuple[str, ...]) -> list[tuple[Array, Array]]:
    """Points and axes of joints in the world."""
    at = Moving(system.tree, all_coordinates(system.tree, q))
    own = ties(system.tree, [system.m.joint(name) for name in joints])
    return [
        ((at.pose(tie.child) @ tie.X_LM).p, (at.pose(tie.parent) @ tie.X_LF).R[:, 2]) for tie in own
    ]


def _length(x: Array) -> Any:
    return np.sqrt(x @ x)


def _pushed(m: Mechanism, joint: Joint, output: str) -> _Pushed:
    """The force's line and the output's guide."""
    if not joint.joins(output):
        raise StructureError(f"joint {joint.name!r} does not belong to the output {output!r}")
    coupler = joint.other(output)
    guide = _guide(m, output, joint)
    straight = guide.shifts_only
    if joint.slotted:
        return _Pushed((joint.name, joint.name, guide.name, joint.name), straight)
    others = [each for each in m.joints if each.joins(coupler) and each != joint]
    pins = [each.name for each in (joint, *others) if each.centred]
    slides = [each.name for each in (joint, *others) if each.shifts_only]
    if len(others) == 1 and len(pins) == 2:
        return _Pushed((*pins, guide.name), straight)
    if len(others) == 1 and len(pins) == len(slides) == 1:
        return _Pushed((*pins, *pins, guide.name, *slides), straight)
    raise StructureError(
        f"the force in joint {joint.name!r} has no line of its own: {coupler!r} has "
        f"{len(others) + 1} joints; give the joint of a coupler with two pins, or a pin and a slide"
    )


def _guide(m: Mechanism, output: str, joint: Joint) -> Joint:
    """The one revolute or prismatic joint that leads the output; one to the base if several do."""
    others = [x for x in m.joints if x != joint and x.joins(output)]
    guides = [x for x in others if x.turns_only or x.shifts_only]
    grounded = [each for each in guides if each.joins(GROUND)]
    best = grounded or guides
    if len(best) != 1:
        names = ", ".join(each.name for each in best) or "none"
        raise StructureError(
            f"output {output!r} should be led by one revolute or prismatic joint, found {names}"
        )
    return best[0]


def _output(m: Mechanism, joint: Joint) -> str:
    """The body of a joint that hangs on the base."""
    others = [each for each in m.joints if each != joint and each.joins(GROUND)]
    ends = [body for body in (joint.parent, joint.child) if body != GROUND]
    grounded = [body for body in ends if any(each.joins(body) for each in others)]
    if len(grounded) != 1:
        raise StructureError(
            f"joint {joint.name!r}: give the output body, {joint.parent!r} or {joint.child!r}"
        )
    return grounded[0]


def driven_output(m: Mechanism) -> tuple[str, str]:
    """Joint and output of the four-bar or slider-crank whose fixed joint is driven."""
    m = kept_tree(m).m
    driven = {drive.coordinate for drive in m.drives}
    for loop in grashof(m):
        joints = [m.joint(name) for name in loop.joints]
        fixed = [joint for joint in joints if joint.joins(GROUND)]
        led = [joint for joint in fixed if joint.name not in driven]
        if len(fixed) == 2 and len(led) == 1:
            output = led[0].other(GROUND)
            (joint,) = (x for x in joints if x.joins(output) and x not in fixed)
            return joint.name, output
    raise StructureError(
        f"transmission_angle: mechanism {m.name!r} has no four-bar or slider-crank with a driven "
        "joint on the base; give the joint between coupler and output, and the output body"
    )


@public
def time_ratio(motion: Trajectory, coordinate: str) -> float:
    """Time of the slow stroke of a coordinate over that of the quick one, over one cycle.

    The motion is one full cycle, in which the coordinate turns back twice.
    """
    times = reversals(motion, coordinate)
    if len(times) != 2:
        raise StructureError(
            f"{coordinate!r} turns back {len(times)} times in the motion; give one full cycle in "
            "which it goes there and back"
        )
    stroke, cycle = times[1] - times[0], float(motion.t[-1] - motion.t[0])
    return max(stroke, cycle - stroke) / min(stroke, cycle - stroke)
