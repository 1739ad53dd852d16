"""Transmission angle: how well a coupler moves the output that it pushes.

A coupler with two joints passes a force along a line: from pin to pin, or at right angles to a
slide through its pin. With u the direction of that force and w the direction in which its point
on the output body can move,

    cos(pressure angle) = |u' w|,      transmission angle mu = 90 deg - pressure angle

mu = 90 deg is best, at 0 the force does not move the output. For a four-bar it is the acute angle
between coupler and output link. Source: Norton (2012), Design of Machinery, section 3.3.
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
from ..model.joint import Joint
from ..model.mechanism import Mechanism
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
    return TransmissionAngle(joint, out, motion.t, angles, low, t_low, -high, t_high)


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
