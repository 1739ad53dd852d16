"""Planar mechanisms as polynomials, in isotropic coordinates.

A body that has moved from the drawing takes the point p, a complex number, to P + z p. Then P, z
and their conjugates count as independent unknowns and every pair is of degree one in each:

    revolute      P_a + z_a p = P_b + z_b p                                  linear          (1)
    prismatic     z_b = z_a,  Im (D conj(z_a u)) = 0,  D = P_b + z_b p - P_a - z_a p_a       (2)
    pin in slot   Im (D conj(z_a u)) = 0                                                     (3)
    any body      z conj(z) = 1                                                              (4)
    held          z_b = z_a e^(i angle),  D = z_a u stroke                   linear          (5)

(2)-(4) are Hermitian forms x' H x = 0 of x = (1, P_1, z_1, P_2, ...). Cams and gears are not
algebraic and are left to a search. Lengths are in typical lengths, from the middle of the joints.
Source: Wampler (1999), Solving the kinematics of planar mechanisms, ASME J. Mech. Des. 121.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..model.body import GROUND
from ..model.drawing import Drawing, drawing
from ..model.drive import Drive
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array

Place = tuple[complex, complex]
"""P and z of a body."""


@dataclass(frozen=True, eq=False)
class Pair:
    """A planar joint in the drawing: points and direction as complex numbers."""

    joint: Joint
    p_F: complex
    p_M: complex
    u: complex
    """Direction of the guide or slot; of x for a free planar joint."""
    sense: float
    """1 where its angle counts anticlockwise, else -1."""
    twist: complex
    """What is left of the turn between the two sides of the joint as drawn; 1 if it closes."""
    q: Array
    """Coordinates as drawn."""

    def coordinates(self, a: Place, b: Place, unit: float) -> list[float]:
        """Coordinates of the joint when its bodies are at these places."""
        angle = self.sense * float(np.angle(b[1] / a[1] * self.twist))
        D = (b[0] + b[1] * self.p_M - a[0] - a[1] * self.p_F) / (a[1] * self.u) * unit
        shifts = iter([float(D.real), self.sense * float(D.imag)])
        kinds = self.joint.coordinate_kinds
        return [
            next(shifts) if kind == "length" else float(q) + angle
            for q, kind in zip(self.q, kinds, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class Plane:
    """A planar mechanism with what is held."""

    m: Mechanism
    pairs: tuple[Pair, ...]
    held: Mapping[str, float]
    """Values of held coordinates, in m and rad."""
    drives: tuple[Drive, ...]
    """Drives of something else than one coordinate."""
    t: float
    placed: Drawing
    middle: complex
    unit: float
    """What lengths are measured in."""

    def point(self, p: Any) -> complex:
        """A world point as a complex number."""
        return (complex(float(p[0]), float(p[1])) - self.middle) / self.unit


def plane_of(m: Mechanism, held: Mapping[str, float], drives: tuple[Drive, ...], t: float) -> Plane:
    """The planar mechanism with coordinates held, or with its drives at a time."""
    placed = drawing(m)
    origins = [complex(*X.p[:2]) for X in placed.X_WM.values()]
    middle = complex(np.mean(origins)) if origins else 0j
    unit = float(max([*(abs(p - middle) for p in origins), 0.0])) or 1.0
    known = dict(held)
    for drive in drives:
        if drive.coordinate is not None:
            (known[drive.coordinate],) = drive.values(t).values()
    others = tuple(drive for drive in drives if drive.coordinate is None)
    bare = Plane(m, (), known, others, t, placed, middle, unit)
    return replace(bare, pairs=tuple(_pair(bare, joint) for joint in m.joints))


def _pair(plane: Plane, joint: Joint) -> Pair:
    """Frames F and M of a joint in the drawing, seen in the plane."""
    X_WF, X_WM = plane.placed.X_WF[joint.name], plane.placed.X_WM[joint.name]
    q = plane.placed.q[joint.name]
    axis = X_WF.R[:, 2 if joint.axis_in_plane else 0]
    normal = X_WF.R[2, 0 if joint.axis_in_plane else 2]
    rest = X_WM.R @ (X_WF.R @ joint.pose(q).R).T
    return Pair(
        joint,
        plane.point(X_WF.p),
        plane.point(X_WM.p),
        complex(axis[0], axis[1]) or 1 + 0j,
        float(np.sign(normal)) or 1.0,
        complex(rest[0, 0], rest[1, 0]),
        np.asarray(q, dtype=float),
    )


@dataclass(eq=False)
class Equations:
    """Linear rows and Hermitian forms over (1, P_1, z_1, ...) of the bodies that are sought."""

    plane: Plane
    known: Mapping[str, Place]
    sought: tuple[str, ...]
    linear: list[Array] = field(default_factory=list)
    forms: list[Array] = field(default_factory=list)

    @property
    def one(self) -> Array:
        """The row of the number 1."""
        return np.eye(1 + 2 * len(self.sought), dtype=complex)[0]

    def rows(self, body: str) -> tuple[Array, Array]:
        """Rows of P and z of a body."""
        if body in self.sought:
            k = 1 + 2 * self.sought.index(body)
            unit = np.eye(1 + 2 * len(self.sought), dtype=complex)
            return unit[k], unit[k + 1]
        P, z = self.known[body]
        return P * self.one, z * self.one

    def reaches(self, *bodies: str) -> bool:
        """Whether all bodies are known or sought, and one of them is sought."""
        here = [body in self.sought for body in bodies]
        return any(here) and all(s or b in self.known for s, b in zip(here, bodies, strict=True))

    def real_part(self, d: Array, e: Array, value: float) -> None:
        """Re (d conj(e)) = value."""
        H = 0.5 * (np.outer(e.conj(), d) + np.outer(d.conj(), e))
        self.forms.append(H - value * np.outer(self.one, self.one))

    def imaginary_part(self, d: Array, e: Array) -> None:
        """Im (d conj(e)) = 0."""
        self.forms.append((np.outer(e.conj(), d) - np.outer(d.conj(), e)) / 2j)

    def point(self, body: str, at: Any) -> Array:
        """Row of a point given in a body's frame."""
        P, z = self.rows(body)
        p_W = self.plane.placed.X_WB[body].point(np.asarray(at, dtype=float))
        return P + z * self.plane.point(p_W)

    def set_shift(self, shift: Array, x: float | None, y: float | None) -> None:
        """A difference of two points has these components."""
        unit = self.plane.unit
        if x is not None and y is not None:
            self.linear.append(shift - complex(x, y) / unit * self.one)
        elif x is not None:
            self.real_part(shift, self.one, x / unit)
        elif y is not None:
            self.real_part(shift, 1j * self.one, y / unit)

    def set_length(self, shift: Array, length: float) -> None:
        """A difference of two points has this length."""
        self.real_part(shift, shift, (length / self.plane.unit) ** 2)

    def set_angle(self, body: str, relative_to: str, angle: float) -> None:
        """The x axis of a body stands at this angle to that of another."""
        z, z_0 = (
            self.rows(name)[1] * complex(*self.plane.placed.X_WB[name].R[:2, 0])
            for name in (body, relative_to)
        )
        self.linear.append(z - z_0 * np.exp(1j * angle))


def equations_of(plane: Plane, known: Mapping[str, Place], sought: tuple[str, ...]) -> Equations:
    """What ties the sought bodies to each other and to the known ones."""
    equations = Equations(plane, known, sought)
    for body in sought:
        z = equations.rows(body)[1]
        equations.real_part(z, z, 1.0)  # (4)
    for pair in plane.pairs:
        if equations.reaches(pair.joint.parent, pair.joint.child):
            _tie(equations, pair)
    for drive in plane.drives:
        if equations.reaches(*(getattr(drive, key) for key in drive.bodies)):
            drive.polynomials(equations, plane.t)
    return equations


def _tie(equations: Equations, pair: Pair) -> None:
    """(1)-(3) and (5) of a joint."""
    joint, plane = pair.joint, equations.plane
    (P_a, z_a), (P_b, z_b) = equations.rows(joint.parent), equations.rows(joint.child)
    D = P_b + z_b * pair.p_M - P_a - z_a * pair.p_F
    values = [plane.held.get(name) for name in joint.coordinates()]
    lengths = [v for v, k in zip(values, joint.coordinate_kinds, strict=True) if k == "length"]
    angles = [
        None if v is None else v - float(q)
        for v, q, k in zip(values, pair.q, joint.coordinate_kinds, strict=True)
        if k == "angle"
    ]
    turn = angles[0] if angles else 0.0
    if turn is not None:
        equations.linear.append(z_b * pair.twist - z_a * np.exp(1j * pair.sense * turn))
    _slide(
        equations, D, z_a * pair.u, pair, [None if v is None else v / plane.unit for v in lengths]
    )


def _slide(
    equations: Equations, D: Array, e: Array, pair: Pair, lengths: list[float | None]
) -> None:
    """Where M may be: D along e and, for a free planar joint, across."""
    if len(lengths) == 2:
        for value, direction in zip(lengths, (e, 1j * pair.sense * e), strict=True):
            if value is not None:
                equations.real_part(D, direction, value)
    elif not lengths:
        equations.linear.append(D)
    elif lengths[0] is not None:
        equations.linear.append(D - e * lengths[0])
    else:
        equations.imaginary_part(D, e)


BASE: dict[str, Place] = {GROUND: (0j, 1 + 0j)}
"""The base stays where it is drawn."""
