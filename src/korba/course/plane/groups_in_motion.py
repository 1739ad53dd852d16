"""The verb `groupwise_motion`: velocities and accelerations group by group, by the book's methods.

The structural groups come in the order of solution (`kb.groups`). Each is solved with what is known
before it:

    inputs      the drive gives the motion of the link
    dyads       two scalar equations (dyads_in_motion.py)
    triads      by the special point (special_point.py)
    others      simultaneous linear equations (simultaneous.py)

Source: Gronowicz (2003), sections 3.2.3 and 3.2.4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...display import Displayed, columns
from ...errors import StructureError
from ...model.body import GROUND
from ...model.joint import Joint
from ...solve.motion import motion as driven_motion
from ...spatial.rotation import Array
from ...structure.groups import Group, groups
from ...trajectory.trajectory import Trajectory
from .dyads_in_motion import Arm, Slide, inner_prismatic, inner_revolute, two_prismatic
from .equivalence import linkage
from .instant import Instant, drawn, placed, refuse_other, turned
from .rates import AT_REST, PointRate, Rate, about, point_rate, slid
from .simultaneous import simultaneous
from .special_point import Leg, Rod, Slider, Triad, triad


@dataclass(frozen=True, eq=False)
class GroupStep(Displayed):
    """How a group was solved."""

    bodies: tuple[str, ...]
    method: str
    """`input`, `RRR` and the like, `special point`, `simultaneous equations`, `whole mechanism`."""
    special: tuple[str, PointRate] | None = None
    """The link that has the special point, and the point."""


@dataclass(frozen=True, eq=False)
class GroupwiseMotion(Displayed):
    """Motions of all links at an instant; `print` shows them with how they were found."""

    at: Instant
    steps: tuple[GroupStep, ...]
    rates: dict[str, Rate]
    """Velocity and acceleration field of every link."""
    notes: tuple[str, ...]

    def angular_velocity(self, body: str) -> float:
        """Angular velocity of a link."""
        return self._rate(body).w

    def angular_acceleration(self, body: str) -> float:
        """Angular acceleration of a link."""
        return self._rate(body).e

    def velocity(self, body: str, r: Array) -> Array:
        """Velocity of the point of a link that is at r in the world."""
        return self._rate(body).velocity(np.asarray(r, dtype=float))

    def acceleration(self, body: str, r: Array) -> Array:
        """Acceleration of the point of a link that is at r in the world."""
        return self._rate(body).acceleration(np.asarray(r, dtype=float))

    def _rate(self, body: str) -> Rate:
        if body not in self.rates:
            raise StructureError(f"there is no link {body!r}; there are {', '.join(self.rates)}")
        return self.rates[body]

    def __str__(self) -> str:
        """A row for each link, in the order of solution."""
        rows = [("link", "found by", "w [rad/s]", "e [rad/s^2]")]
        for step in self.steps:
            for body in step.bodies:
                rate = self.rates[body]
                rows.append((body, step.method, f"{rate.w + 0.0:.6g}", f"{rate.e + 0.0:.6g}"))
        return "\n".join([*columns(rows, indent=""), *self.notes])


def groupwise_motion(motion: Trajectory, k: int = 0) -> GroupwiseMotion:
    """Velocities and accelerations of a motion at an index, solved group by group.

    Higher pairs are replaced by lower ones first (`equivalent_linkage`).
    """
    refuse_other(motion)
    now = placed(motion, k)
    notes: tuple[str, ...] = ()
    higher = any(not joint.lower_pair for joint in now.m.joints)
    if higher:
        now = drawn(linkage(now, at_time=True), now.t)
        notes = now.m.notes
    known = {GROUND: AT_REST}
    steps = []
    for group in groups(now.m).groups:
        solved = _Solver(now, group, known).solved()
        if solved is None:
            where = (driven_motion(now.m, [now.t]), 0) if higher else (motion, k)
            solved = _whole(*where, group)
        known |= solved[1]
        steps.append(solved[0])
    return GroupwiseMotion(now, tuple(steps), known, notes)


def _whole(motion: Trajectory, k: int, group: Group) -> tuple[GroupStep, dict[str, Rate]]:
    """A group that its joints alone do not determine (couplings), from the whole motion."""
    found = {}
    for name in group.bodies:
        body = motion.body(name)
        r, v, a = (x[k, :2] for x in (body.position, body.velocity, body.acceleration))
        w, e = body.angular_velocity[k, 2], body.angular_acceleration[k, 2]
        found[name] = about(PointRate(r, v, a), float(w), float(e))
    return GroupStep(group.bodies, "whole mechanism"), found


@dataclass(frozen=True, eq=False)
class _Solver:
    """One group with what is known before it."""

    now: Instant
    group: Group
    known: dict[str, Rate]

    def solved(self) -> tuple[GroupStep, dict[str, Rate]] | None:
        """The motions of the group's links, and the method."""
        if self.group.kind == "input" and len(self.group.bodies) == 1:
            found = self._input()
            if found is not None:
                return GroupStep(self.group.bodies, "input"), found
        if self.group.kind == "dyad":
            found = self._dyad()
            if found is not None:
                return GroupStep(self.group.bodies, self.group.signature), found
        special = self._triad()
        if special is not None:
            return special
        joints = [self.now.m.joint(name) for name in (*self.group.outer, *self.group.inner)]
        found = simultaneous(self.now, self.group.bodies, joints, self.known)
        if found is None:
            return None
        return GroupStep(self.group.bodies, "simultaneous equations"), found

    def _input(self) -> dict[str, Rate] | None:
        """A link on one driven revolute or prismatic pair."""
        body = self.group.bodies[0]
        if len(self.group.outer) != 1:
            return None
        joint = self.now.m.joint(self.group.outer[0])
        law = self._law(joint)
        if law is None or joint.role not in ("pin", "slide"):
            return None
        before = self._before(joint)
        sign = 1.0 if joint.child == body else -1.0
        S = self.now.freedoms(joint)[:, 0] * sign
        if joint.role == "pin":
            pin = point_rate(before, self.now.place(joint))
            return {body: about(pin, before.w + S[0] * law[0], before.e + S[0] * law[1])}
        return {body: slid(before, S[1:], law[0], law[1])}

    def _law(self, joint: Joint) -> tuple[float, float] | None:
        """First and second derivative of what a joint's drive prescribes."""
        for drive in self.now.m.drives:
            if drive.coordinate == joint.name:
                _, first, second = drive.motion(self.now.t)[0]
                return float(first), float(second)
        return None

    def _before(self, joint: Joint) -> Rate:
        """Motion of the known link of an outer joint."""
        name = joint.parent if joint.child in self.group.bodies else joint.child
        return self.known[name]

    def _inside(self, joint: Joint) -> str:
        """The link of the group of an outer joint."""
        return joint.child if joint.child in self.group.bodies else joint.parent

    def _u(self, joint: Joint) -> Array:
        """Direction of a prismatic pair."""
        return np.asarray(self.now.X_WF[joint.name].R[:2, 2], dtype=float)

    def _side(self, joint: Joint) -> Arm | Slide:
        if joint.role == "pin":
            return Arm(point_rate(self._before(joint), self.now.place(joint)))
        return Slide(self._before(joint), self._u(joint))

    def _dyad(self) -> dict[str, Rate] | None:
        """RRR, RRT, TRT, RTR and RTT; None for others."""
        outer = [self.now.m.joint(name) for name in self.group.outer]
        inner = [self.now.m.joint(name) for name in self.group.inner]
        roles = {joint.role for joint in (*outer, *inner)}
        if len(outer) != 2 or len(inner) != 1 or not roles <= {"pin", "slide"}:
            return None
        names = [self._inside(joint) for joint in outer]
        sides = [self._side(joint) for joint in outer]
        if inner[0].role == "pin":
            if any(self._short(side, inner[0]) for side in sides):
                return None
            rates = inner_revolute(self.now.place(inner[0]), *sides)
        else:
            rates_or_none = self._inner_prismatic(sides, self._u(inner[0]))
            if rates_or_none is None:
                return None
            rates = rates_or_none
        return dict(zip(names, rates, strict=True))

    def _short(self, side: Arm | Slide, joint: Joint) -> bool:
        """Whether an arm has no length."""
        if isinstance(side, Slide):
            return False
        return float(np.linalg.norm(side.pin.r - self.now.place(joint))) < 1e-9 * self.now.scale

    @staticmethod
    def _inner_prismatic(sides: list[Arm | Slide], u: Array) -> tuple[Rate, Rate] | None:
        one, two = sides
        if isinstance(one, Arm) and isinstance(two, Arm):
            return inner_prismatic(one.pin, two.pin, u)
        if isinstance(one, Arm) and isinstance(two, Slide):
            return two_prismatic(one.pin, u, two)
        if isinstance(one, Slide) and isinstance(two, Arm):
            return two_prismatic(two.pin, u, one)[::-1]
        return None

    def _triad(self) -> tuple[GroupStep, dict[str, Rate]] | None:
        """A link with three pins on three legs, by the special point."""
        inner = [self.now.m.joint(name) for name in self.group.inner]
        for body in self.group.bodies:
            pins = [j for j in inner if j.joins(body)]
            if len(pins) != 3 or any(pin.role != "pin" for pin in pins):
                continue
            legs = [self._leg(body, pin) for pin in pins]
            if any(leg is None for leg in legs):
                continue
            links = {name for leg in legs if leg is not None for name in leg[1]}
            if links | {body} == set(self.group.bodies):
                one, two, three = (leg[0] for leg in legs if leg is not None)
                found = triad((one, two, three))
                return self._spread(body, pins, legs, found)  # type: ignore[arg-type]
        return None

    def _leg(self, body: str, pin: Joint) -> tuple[Leg, tuple[str, ...]] | None:
        """A rod, slider or actuator from a pin of the link to what is known; its links."""
        first = pin.other(body)
        P = self.now.place(pin)
        outer = self._joints_of(first, pin)
        if len(outer) != 1:
            return None
        joint = outer[0]
        if joint.name in self.group.outer:
            if joint.role == "pin":
                return Rod(P, point_rate(self._before(joint), self.now.place(joint))), (first,)
            if joint.role == "slide":
                return Slider(P, self._before(joint), self._u(joint)), (first,)
            return None
        return self._actuator(P, first, joint)

    def _actuator(self, P: Array, first: str, joint: Joint) -> tuple[Leg, tuple[str, ...]] | None:
        """Rod in a cylinder, its stroke driven, the cylinder pinned to something known."""
        second = joint.other(first)
        law, rest = self._law(joint), self._joints_of(second, joint)
        if law is None or joint.role != "slide" or len(rest) != 1:
            return None
        if rest[0].role != "pin" or rest[0].name not in self.group.outer:
            return None
        Q = point_rate(self._before(rest[0]), self.now.place(rest[0]))
        along = P - Q.r
        u = self._u(joint) * (1.0 if joint.child == first else -1.0)
        if abs(float(turned(u) @ along)) > 1e-9 * self.now.scale:
            return None
        sign = float(np.sign(u @ along))
        return Rod(P, Q, sign * law[0], sign * law[1]), (first, second)

    def _joints_of(self, body: str, but: Joint) -> list[Joint]:
        names = (*self.group.outer, *self.group.inner)
        joints = [self.now.m.joint(name) for name in names if name != but.name]
        return [j for j in joints if j.joins(body)]

    def _spread(
        self,
        body: str,
        pins: list[Joint],
        legs: list[tuple[Leg, tuple[str, ...]]],
        found: Triad,
    ) -> tuple[GroupStep, dict[str, Rate]]:
        """Motions of the legs from those of their pins."""
        rates = {body: found.body}
        for pin, (leg, links) in zip(pins, legs, strict=True):
            P = point_rate(found.body, self.now.place(pin))
            if isinstance(leg, Slider):
                w, e = leg.guide.w, leg.guide.e
            else:
                w, e = _turning(leg, P)
            rates[links[0]] = about(P, w, e)
            if len(links) == 2 and isinstance(leg, Rod):
                rates[links[1]] = about(leg.Q, w, e)
        step = GroupStep(self.group.bodies, "special point", (body, found.H))
        return step, rates


def _turning(leg: Rod, P: PointRate) -> tuple[float, float]:
    """w and e of a rod that may grow: n . v = w l,  n . a = e l + 2 w l'."""
    length = float(np.linalg.norm(leg.P - leg.Q.r))
    n = turned(leg.d)
    w = float(n @ (P.v - leg.Q.v)) / length
    return w, (float(n @ (P.a - leg.Q.a)) - 2 * w * leg.growth) / length
