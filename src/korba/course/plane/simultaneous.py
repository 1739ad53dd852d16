"""Velocities and accelerations of a whole group from simultaneous linear equations.

For a joint of any type, between parent p and child c with motion subspace S in the world,

    V_c - V_p = S u                                                                        (1)
    V_c' - V_p' = S u' + V_c x S u + (S' u in the frame of the joint)                      (2)

where V = (w, v), v at the world's origin, is of a body and u are the rates of the joint's own
coordinates. Drives add rows on u, or on the velocity of a point. V' = (e, a - w x v).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model.curve import value_at
from ...model.drive import Drive
from ...model.drives.body_drive import BodyDrive
from ...model.drives.joint_drive import JointDrive
from ...model.drives.length_drive import LengthDrive
from ...model.drives.point_drive import PointDrive
from ...model.joint import Joint
from ...spatial.pose import twist_matrix
from ...spatial.rotation import Array
from .instant import PLANE, Instant, turned
from .rates import Rate

RANK = 1e-10


@dataclass
class Line:
    """A scalar equation: coefficients of bodies' V, of joints' u, and the right side."""

    bodies: dict[str, Array]
    joints: dict[str, Array]
    right: float


def simultaneous(
    now: Instant, bodies: tuple[str, ...], joints: list[Joint], known: Mapping[str, Rate]
) -> dict[str, Rate] | None:
    """Motions of some bodies, or None where these joints and drives do not determine them."""
    system = _System(now, bodies, joints, known)
    drives = [drive for drive in now.m.drives if _concerns(drive, bodies, joints)]
    lines = [line for joint in joints for line in system.joint_lines(joint)]
    lines += [line for drive in drives for line in system.drive_lines(drive)]
    first = system.solved(lines)
    if first is None:
        return None
    second = system.solved(
        [line for joint in joints for line in system.joint_lines(joint, first)]
        + [line for drive in drives for line in system.drive_lines(drive, first)]
    )
    if second is None:
        return None
    return {name: Rate(first[name], _classical(first[name], second[name])) for name in bodies}


def _classical(V: Array, rate: Array) -> Array:
    """(e, a) of V'."""
    return np.array([rate[0], *(rate[1:] + V[0] * turned(V[1:]))])


def _spatial(rate: Rate) -> Array:
    """V' of (e, a)."""
    return np.array([rate.A[0], *(rate.A[1:] - rate.V[0] * turned(rate.V[1:]))])


def _concerns(drive: Drive, bodies: tuple[str, ...], joints: list[Joint]) -> bool:
    if isinstance(drive, JointDrive):
        names = {name for joint in joints for name in (joint.name, *joint.coordinates())}
        return drive.joint in names
    return any(getattr(drive, key) in bodies for key in drive.bodies)


@dataclass(frozen=True, eq=False)
class _System:
    """The equations of a group; `first` are solved velocities where accelerations are asked."""

    now: Instant
    bodies: tuple[str, ...]
    joints: list[Joint]
    known: Mapping[str, Rate]

    def solved(self, lines: list[Line]) -> dict[str, Array] | None:
        """The unknowns by the names of bodies and joints; None if not determined."""
        names = [(name, 3) for name in self.bodies] + [(f"/{j.name}", j.nv) for j in self.joints]
        places, count = {}, 0
        for name, size in names:
            places[name], count = slice(count, count + size), count + size
        A, b = np.zeros((len(lines), count)), np.array([line.right for line in lines])
        for row, line in enumerate(lines):
            for name, part in line.bodies.items():
                A[row, places[name]] += part
            for name, part in line.joints.items():
                A[row, places[f"/{name}"]] += part
        scale = np.linalg.norm(A, axis=0)
        scale = np.where(scale > 0, scale, 1.0)
        x, _, rank, _ = np.linalg.lstsq(A / scale, b, rcond=RANK)
        found = x / scale
        return {name: found[place] for name, place in places.items()} if rank == count else None

    def joint_lines(self, joint: Joint, first: dict[str, Array] | None = None) -> list[Line]:
        """(1), or (2) where velocities are given."""
        S, right = self.now.freedoms(joint), np.zeros(3)
        ends: dict[str, Array] = {}
        for body, sign in ((joint.child, 1.0), (joint.parent, -1.0)):
            if body in self.bodies:
                ends[body] = sign * np.eye(3)
            else:
                right -= sign * (
                    self.known[body].V if first is None else _spatial(self.known[body])
                )
        if first is not None:
            right += self._turning(joint, S, first)
        return [
            Line({body: part[i] for body, part in ends.items()}, {joint.name: -S[i]}, right[i])
            for i in range(3)
        ]

    def _turning(self, joint: Joint, S: Array, first: dict[str, Array]) -> Array:
        """V_c x S u and the joint's own bias."""
        u = first[f"/{joint.name}"]
        U, V = S @ u, self._velocity(joint.child, first)
        own = twist_matrix(self.now.X_WM[joint.name]) @ joint.bias(self.now.q[joint.name], u)
        product = np.array([0.0, *(V[0] * turned(U[1:]) - U[0] * turned(V[1:]))])
        return product + np.asarray(own, dtype=float)[PLANE]

    def _velocity(self, body: str, first: dict[str, Array]) -> Array:
        return first[body] if body in self.bodies else self.known[body].V

    def drive_lines(self, drive: Drive, first: dict[str, Array] | None = None) -> list[Line]:
        """What a drive prescribes."""
        order = 1 if first is None else 2
        if isinstance(drive, JointDrive):
            joint, k = self._coordinate(drive.joint)
            return [Line({}, {joint.name: np.eye(joint.nv)[k]}, self._law(drive.position, order))]
        if isinstance(drive, LengthDrive):
            return [self._length(drive, first)]
        if isinstance(drive, PointDrive):
            p = self.now.X_WB[drive.body].point(drive.at)[:2]
            return [
                self._point(drive, axis, [(drive.body, p, 1.0)], first) for axis in _axes(drive)
            ]
        return self._body(drive, first)  # type: ignore[arg-type]

    def _coordinate(self, name: str) -> tuple[Joint, int]:
        for joint in self.joints:
            if name in (joint.name, *joint.coordinates()):
                names = joint.coordinates()
                return joint, names.index(name) if name in names else 0
        raise KeyError(name)

    def _law(self, motion: Any, order: int) -> float:
        return float(value_at(motion, "t", self.now.t, order))

    def _body(self, drive: BodyDrive, first: dict[str, Array] | None) -> list[Line]:
        ends = [(drive.body, 1.0), (drive.relative_to, -1.0)]
        points = [(name, self.now.X_WB[name].p[:2], sign) for name, sign in ends]
        lines = [self._point(drive, axis, points, first) for axis in _axes(drive)]
        if drive.angle is not None:
            right = self._law(drive.angle, 1 if first is None else 2)
            lines.append(
                self._sum([(name, sign * np.eye(3)[0]) for name, sign in ends], right, first)
            )
        return lines

    def _point(
        self,
        drive: BodyDrive | PointDrive,
        axis: int,
        points: list[tuple[str, Array, float]],
        first: dict[str, Array] | None,
    ) -> Line:
        """A component of the velocity of points."""
        right = self._law(getattr(drive, "xy"[axis]), 1 if first is None else 2)
        terms = [(name, sign * _row(p, np.eye(2)[axis])) for name, p, sign in points]
        if first is not None:
            right -= sum(sign * self._bending(name, p, first)[axis] for name, p, sign in points)
        return self._sum(terms, right, first)

    def _bending(self, body: str, p: Array, first: dict[str, Array]) -> Array:
        """What the acceleration at p is more than V' gives: w x v(p)."""
        V = self._velocity(body, first)
        return np.asarray(V[0] * turned(V[1:] + V[0] * turned(p)))

    def _length(self, drive: LengthDrive, first: dict[str, Array] | None) -> Line:
        """d . (v_b - v_a) = l',   d . (a_b - a_a) = l'' - across^2 / l."""
        a = self.now.X_WB[drive.body_a].point(drive.at_a)[:2]
        b = self.now.X_WB[drive.body_b].point(drive.at_b)[:2]
        length = float(np.linalg.norm(b - a))
        d = (b - a) / length
        terms = [(drive.body_b, _row(b, d)), (drive.body_a, -_row(a, d))]
        if first is None:
            return self._sum(terms, self._law(drive.length, 1), first)
        relative = _field(self._velocity(drive.body_b, first), b)
        relative = relative - _field(self._velocity(drive.body_a, first), a)
        right = self._law(drive.length, 2) - float(turned(d) @ relative) ** 2 / length
        bend = self._bending(drive.body_b, b, first) - self._bending(drive.body_a, a, first)
        return self._sum(terms, right - float(d @ bend), first)

    def _sum(
        self, terms: list[tuple[str, Array]], right: float, first: dict[str, Array] | None
    ) -> Line:
        """Terms of known bodies go to the right side."""
        line = Line({}, {}, right)
        for name, row in terms:
            if name in self.bodies:
                line.bodies[name] = line.bodies.get(name, np.zeros(3)) + row
            else:
                rate = self.known[name]
                line.right -= float(row @ (rate.V if first is None else _spatial(rate)))
        return line


def _axes(drive: BodyDrive | PointDrive) -> list[int]:
    return [i for i, key in enumerate("xy") if getattr(drive, key) is not None]


def _row(p: Array, d: Array) -> Array:
    """Coefficients of V in d . v(p)."""
    return np.array([float(d @ turned(p)), *d])


def _field(V: Array, p: Array) -> Array:
    return np.asarray(V[1:] + V[0] * turned(p))
