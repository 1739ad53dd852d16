"""The verb `groupwise_motion`: velocities and accelerations group by group, by the book's methods.

The structural groups come in the order of solution (`kb.groups`). Each is solved with what is known
before it:

    inputs      the drive gives the motion of the link
    dyads       two scalar equations (rates.py)
    triads      by the special point (rates.py)
    others      simultaneous linear equations

The last ones are those of the mechanism with every body free and every joint a tie, of the group's
joints and of the drives on it (course/absolute/equations.py):

    Phi_x x' = -Phi_t,     Phi_x x'' = gamma                                     (3.52), (3.57)

Unknown are the rates of the group's bodies and of its joints' own coordinates; those of bodies that
are known already go to the right. Source: Gronowicz (2003), sections 3.2.3, 3.2.4 and 3.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...display import Displayed, columns, tidy
from ...door import public
from ...errors import refuse_unknown
from ...model.body import GROUND
from ...model.drive import Drive
from ...model.joint import Joint
from ...solve.motion import motion as driven_motion
from ...spatial.rotation import Array, cross_in_plane
from ...structure.groups import Group, groups
from ...system.system import loosened
from ...system.tree import Tree
from ...trajectory.trajectory import Trajectory
from ..absolute.equations import Equations
from ..construction import turned
from .equivalence import has_linkage, linkage
from .instant import Instant, drawn, placed
from .rates import (
    AT_REST,
    Leg,
    PointRate,
    Rate,
    RodLeg,
    Slider,
    about,
    inner_prismatic,
    inner_revolute,
    slid,
    triad,
)
from .standing import Source, standing

NEAR = 1e-9
"""Part of a typical length below which two points are one."""
RANK = 1e-10
"""Part of the largest singular value below which one is zero."""


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
    points: dict[str, PointRate]
    """Every pin with its velocity and acceleration: of a dyad, the inner point."""
    sliding: dict[str, tuple[float, float]]
    """Of every prismatic pair s' and s'': of its child in its parent, along its axis."""
    notes: tuple[str, ...]

    def angular_velocity(self, body: str) -> float:
        """Angular velocity of a link."""
        return self._rate(body).w

    def angular_acceleration(self, body: str) -> float:
        """Angular acceleration of a link."""
        return self._rate(body).e

    def velocity(self, body: str, r: Array) -> Array:
        """Velocity of the point of a link that is at r in the world."""
        return self._rate(body).at(np.asarray(r, dtype=float)).v

    def acceleration(self, body: str, r: Array) -> Array:
        """Acceleration of the point of a link that is at r in the world."""
        return self._rate(body).at(np.asarray(r, dtype=float)).a

    def _rate(self, body: str) -> Rate:
        refuse_unknown("link", body, self.rates)
        return self.rates[body]

    def __str__(self) -> str:
        """A row for each link in the order of solution, each pair that slides, and each pin."""
        rows = [("link", "found by", "w [rad/s]", "e [rad/s^2]")]
        for step in self.steps:
            for body in step.bodies:
                rate = self.rates[body]
                rows.append((body, step.method, f"{rate.w + 0.0:.6g}", f"{rate.e + 0.0:.6g}"))
        tables: list[list[tuple[str, ...]]] = [list(rows)]
        if self.sliding:
            rows = [("pair", "slides", "s' [m/s]", "s'' [m/s^2]")]
            for name, (speed, growth) in self.sliding.items():
                joint = self.at.m.joint(name)
                links = f"{joint.child} in {joint.parent}"
                rows.append((name, links, f"{speed + 0.0:.6g}", f"{growth + 0.0:.6g}"))
            tables.append(list(rows))
        if self.points:
            pins = ((name, _pair(p.v), _pair(p.a)) for name, p in self.points.items())
            tables.append([("point", "v [m/s]", "a [m/s^2]"), *pins])
        lines = [line for table in tables for line in ("", *columns(table, indent=""))]
        return "\n".join([*lines[1:], *self.notes])


def _pair(x: Array) -> str:
    return "({:.6g}, {:.6g})".format(*tidy(x, float(np.abs(x).max(initial=0.0)) or 1.0))


@public
def groupwise_motion(source: Source, at: Any = None) -> GroupwiseMotion:
    """Velocities and accelerations of a motion at an index, solved group by group.

    Of a mechanism it is at a position of its drives, `{"A": "60 deg"}`, with their constant speeds.
    Higher pairs are replaced by lower ones, and actuators by cylinder and rod, first
    (`equivalent_linkage`).
    """
    return solved_groups(*standing("groupwise_motion", source, at))


def solved_groups(motion: Trajectory, k: int) -> GroupwiseMotion:
    """The same of a motion at an index."""
    now = placed(motion, k)
    notes: tuple[str, ...] = ()
    replaced = has_linkage(now.m)
    if replaced:
        now = drawn(linkage(now, at_time=True), now.t)
        notes = now.m.notes
    known, steps = {GROUND: AT_REST}, []
    for group in groups(now.m).groups:
        solved = _Solver(now, group, known).solved()
        if solved is None:
            where = (driven_motion(now.m, [now.t]), 0) if replaced else (motion, k)
            solved = GroupStep(group.bodies, "whole mechanism"), _whole(*where, group)
        steps.append(solved[0])
        known |= solved[1]
    pins = [joint for joint in now.m.joints if joint.turns_only]
    slides = [joint for joint in now.m.joints if joint.shifts_only]
    return GroupwiseMotion(
        now,
        tuple(steps),
        known,
        {pin.name: known[pin.child].at(now.place(pin)) for pin in pins},
        {slide.name: _sliding(now, known, slide) for slide in slides},
        notes,
    )


def _sliding(now: Instant, rates: dict[str, Rate], joint: Joint) -> tuple[float, float]:
    """(3.11), (3.13) along a guide: of a slider in it, without the Coriolis term."""
    guide, slider = (rates[body].at(now.place(joint)) for body in (joint.parent, joint.child))
    u, v = now.X_WF[joint.name].R[:2, 2], slider.v - guide.v
    a = slider.a - guide.a - 2 * rates[joint.parent].w * turned(v)
    return float(u @ v), float(u @ a)


Rates = dict[str, Rate]


def _whole(motion: Trajectory, k: int, group: Group) -> Rates:
    """A group that its joints alone do not determine (couplings), from the whole motion."""
    rates = {}
    for name in group.bodies:
        body = motion.body(name)
        r, v, a = (x[k, :2] for x in (body.position, body.velocity, body.acceleration))
        w, e = body.angular_velocity[k, 2], body.angular_acceleration[k, 2]
        rates[name] = about(PointRate(r, v, a), float(w), float(e))
    return rates


@dataclass(frozen=True, eq=False)
class _Solver:
    """One group with what is known before it."""

    now: Instant
    group: Group
    known: Rates

    def solved(self) -> tuple[GroupStep, Rates] | None:
        """The motions of the group's links, and the method."""
        bodies, special = self.group.bodies, self._triad()
        if special is not None:
            return special
        ways = (
            ("input", self._input),
            (self.group.signature, self._dyad),
            ("simultaneous equations", self._simultaneous),
        )
        for method, way in ways:
            rates = way()
            if rates is not None:
                return GroupStep(bodies, method), rates
        return None

    @property
    def outer(self) -> list[Joint]:
        """Joints with links that are known."""
        return [self.now.m.joint(name) for name in self.group.outer]

    @property
    def inner(self) -> list[Joint]:
        """Joints between the links of the group."""
        return [self.now.m.joint(name) for name in self.group.inner]

    def _ends(self, joint: Joint) -> tuple[Rate, str]:
        """Motion of the known link of an outer joint, and the link of the group."""
        inside, before = joint.child, joint.parent
        if inside not in self.group.bodies:
            inside, before = before, inside
        return self.known[before], inside

    def _law(self, joint: Joint) -> tuple[float, float] | None:
        """First and second derivative of what a joint's drive prescribes."""
        for drive in self.now.m.drives:
            if drive.coordinate == joint.name:
                _, first, second = drive.motion(self.now.t)[0]
                return float(first), float(second)
        return None

    def _u(self, joint: Joint) -> Array:
        """Direction of a prismatic pair."""
        return np.asarray(self.now.X_WF[joint.name].R[:2, 2], dtype=float)

    def _input(self) -> Rates | None:
        """A link on one driven revolute or prismatic pair."""
        if self.group.kind != "input" or len(self.group.bodies) != 1 or len(self.outer) != 1:
            return None
        (joint,) = self.outer
        law, (before, body) = self._law(joint), self._ends(joint)
        if law is None or not (joint.turns_only or joint.shifts_only):
            return None
        S = self.now.freedoms(joint)[:, 0] * (1.0 if joint.child == body else -1.0)
        if joint.shifts_only:
            return {body: slid(before, S[1:], *law)}
        pin = before.at(self.now.place(joint))
        return {body: about(pin, before.w + S[0] * law[0], before.e + S[0] * law[1])}

    def _leg(self, P: Array, joint: Joint) -> Leg | None:
        """A link of the group from its point P to an outer joint."""
        before, _ = self._ends(joint)
        if joint.turns_only:
            return RodLeg(P, before.at(self.now.place(joint)))
        return Slider(P, before, self._u(joint)) if joint.shifts_only else None

    def _dyad(self) -> Rates | None:
        """RRR, RRT, TRT, RTR and RTT; None for others, and for an arm without length."""
        if self.group.kind != "dyad" or len(self.outer) != 2 or len(self.inner) != 1:
            return None
        (joint,), names = self.inner, [self._ends(joint)[1] for joint in self.outer]
        one, two = (self._leg(self.now.place(joint), each) for each in self.outer)
        if one is None or two is None:
            return None
        rates: tuple[Rate, Rate] | None = None
        rods = [leg for leg in (one, two) if isinstance(leg, RodLeg)]
        if joint.shifts_only:
            rates = inner_prismatic(one, two, self._u(joint))
        elif joint.turns_only and all(rod.length >= NEAR * self.now.scale for rod in rods):
            rates = inner_revolute(one, two)
        return None if rates is None else dict(zip(names, rates, strict=True))

    def _triad(self) -> tuple[GroupStep, Rates] | None:
        """A link with three pins on three legs, by the special point."""
        for body in self.group.bodies:
            pins = [joint for joint in self.inner if joint.joins(body)]
            if len(pins) != 3 or not all(pin.turns_only for pin in pins):
                continue
            legs = [each for pin in pins if (each := self._leg_from(body, pin)) is not None]
            links = {name for _, names in legs for name in names}
            if len(legs) < 3 or links | {body} != set(self.group.bodies):
                continue
            one, two, three = (leg for leg, _ in legs)
            H, moving = triad((one, two, three))
            rates = {body: moving}
            for leg, (first, *rest) in legs:
                rates[first] = leg.link(moving.at(leg.P))
                if rest and isinstance(leg, RodLeg):
                    rates[rest[0]] = about(leg.Q, rates[first].w, rates[first].e)
            return GroupStep(self.group.bodies, "special point", (body, H)), rates
        return None

    def _leg_from(self, body: str, pin: Joint) -> tuple[Leg, tuple[str, ...]] | None:
        """A rod, slider or actuator from a pin of the link to what is known; its links."""
        first, P = pin.other(body), self.now.place(pin)
        joints = self._joints_of(first, pin)
        if len(joints) != 1:
            return None
        if joints[0].name not in self.group.outer:
            return self._actuator(P, first, joints[0])
        leg = self._leg(P, joints[0])
        return None if leg is None else (leg, (first,))

    def _actuator(self, P: Array, first: str, joint: Joint) -> tuple[Leg, tuple[str, ...]] | None:
        """Rod in a cylinder, its stroke driven, the cylinder pinned to something known."""
        second, law = joint.other(first), self._law(joint)
        rest = self._joints_of(second, joint)
        if law is None or not joint.shifts_only or len(rest) != 1:
            return None
        if not rest[0].turns_only or rest[0].name not in self.group.outer:
            return None
        Q = self._ends(rest[0])[0].at(self.now.place(rest[0]))
        u = self._u(joint) * (1.0 if joint.child == first else -1.0)
        if abs(cross_in_plane(u, P - Q.r)) > NEAR * self.now.scale:
            return None
        sign = float(np.sign(u @ (P - Q.r)))
        return RodLeg(P, Q, sign * law[0], sign * law[1]), (first, second)

    def _joints_of(self, body: str, but: Joint) -> list[Joint]:
        return [j for j in (*self.outer, *self.inner) if j.joins(body) and j is not but]

    def _simultaneous(self) -> Rates | None:
        """None where the group's joints and drives do not determine its motion."""
        equations = Equations(loosened(self.now.m), compiled=False)
        system = equations.system
        links = [link for link in system.tree.links if link.name in self.group.bodies]
        owners = {joint.name for joint in (*self.outer, *self.inner)}
        owners |= {drive.name for drive in self.now.m.drives if self._concerns(drive)}
        rows = [i for i, owner in enumerate(equations.owners) if owner in owners]
        moving = [link.v for link in links]
        moving += [tie.v for tie in system.ties if tie.joint.name in owners]
        unknown = [i for v in moving for i in range(v.start, v.stop)]
        x, v, a = self._state(system.tree)
        for tie in system.ties:
            x[tie.q] = self.now.q[tie.joint.name]
        at = equations.at(x, v, self.now.t)
        if not _solve(at.phi_q[rows], -at.phi_t[rows], v, unknown):
            return None
        at = equations.at(x, v, self.now.t)
        _solve(at.phi_q[rows], at.gamma[rows], a, unknown)
        rates = {}
        for link in links:
            (*v_o, w), (*a_o, e) = v[link.v], a[link.v]
            origin = PointRate(x[link.q][:2], np.array(v_o), np.array(a_o))
            rates[link.name] = about(origin, float(w), float(e))
        return rates

    def _concerns(self, drive: Drive) -> bool:
        if drive.coordinate is None:
            return any(getattr(drive, key) in self.group.bodies for key in drive.bodies)
        return any(drive.coordinate in j.coordinates() for j in (*self.outer, *self.inner))

    def _state(self, tree: Tree) -> tuple[Array, Array, Array]:
        """Coordinates of all bodies, and the rates and second rates that are known."""
        x, v, a = np.zeros(tree.nq), np.zeros(tree.nv), np.zeros(tree.nv)
        for link in tree.links:
            X = self.now.X_WB[link.name]
            x[link.q] = [X.p[0], X.p[1], np.arctan2(X.R[1, 0], X.R[0, 0])]
            if link.name in self.known:
                rate = self.known[link.name]
                origin = rate.at(x[link.q][:2])
                v[link.v], a[link.v] = [*origin.v, rate.w], [*origin.a, rate.e]
        return x, v, a


def _solve(A: Array, b: Array, x: Array, unknown: list[int]) -> bool:
    """Put the unknown rates with A x = b into x; whether that determines them."""
    x[unknown] = 0.0
    b, A = b - A @ x, A[:, unknown]
    scale = np.linalg.norm(A, axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    solution, _, rank, _ = np.linalg.lstsq(A / scale, b, rcond=RANK)
    x[unknown] = solution / scale
    return bool(rank == len(unknown))
