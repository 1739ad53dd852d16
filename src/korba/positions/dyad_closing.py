"""Dyads put in their places one after the other, in closed form: drawings closed without a search.

The plane is that of complex numbers: a body stands at p, turned by z, and its point f is at
p + z f. The inner pin of a dyad lies where two lines meet: circles about outer pins with the
lengths of the links, or straight lines along outer slides. Where they meet is told by dyads.py, in
the distance of the pins or the length of the link, so that no size is too large. Where the room is
negative the links do not reach: that dyad, and no other, keeps the drawing open.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import pi, sqrt

import numpy as np

from ..expr.display_units import DisplayUnits
from ..model.body import GROUND
from ..model.joint import Joint
from ..spatial.pose import Pose
from ..spatial.rotation import Array
from .dyads import Vector, circle_and_line, two_circles, two_lines
from .skeleton import Coordinates, Skeleton
from .sketch_dyads import Dyad, dyads, is_outer, side_of

Standing = tuple[complex, complex]
"""The turn z and the place p of a body."""


class DoesNotReachError(Exception):
    """A dyad whose links do not reach."""

    def __init__(self, dyad: Dyad, told: Callable[[DisplayUnits], tuple[str, str]]) -> None:
        super().__init__("its links do not reach")
        self.inner, self.told = dyad.inner, told
        """And, in some units, what does not reach and which lengths would have to change."""


@dataclass(eq=False)
class DyadClosing:
    """Bodies of a planar mechanism as they are put in their places."""

    skeleton: Skeleton
    q: Coordinates
    """Where the joints start; those that are held stay there."""
    bodies: dict[str, Standing] = field(default_factory=lambda: {GROUND: (1 + 0j, 0j)})

    def placed(self, held: Collection[str], sides: Mapping[str, str]) -> Coordinates | None:
        """Coordinates with every dyad on its side; None where not all is made of dyads.

        A dyad that `sides` does not name stays on the side where it starts.
        """
        joints = self.skeleton.joints
        if self.skeleton.couplings or not all(map(is_outer, joints)):
            return None
        kept = [joint for joint in joints if joint.name in held]
        for dyad in dyads(joints, held, ()):
            self._stand(kept)
            if not self._dyad(dyad, sides.get(dyad.inner.name) or self._side(dyad)):
                return None
        self._stand(kept)
        if {body for joint in joints for body in (joint.parent, joint.child)} - self.bodies.keys():
            return None
        return {joint.name: np.array([self._coordinate(joint)]) for joint in joints}

    def _stand(self, held: list[Joint]) -> None:
        """Bodies that held joints tie to what stands."""
        while more := [j for j in held if (j.parent in self.bodies) != (j.child in self.bodies)]:
            for joint in more:
                body = joint.child if joint.parent in self.bodies else joint.parent
                self.bodies[body] = self._behind(joint, body, self.q[joint.name])

    def _behind(self, joint: Joint, body: str, q: Array) -> Standing:
        """A body behind a joint at a coordinate of it, on one that stands."""
        X_PF, X_BM = self.skeleton.frames[joint.name]
        X = X_PF @ joint.pose(q) @ X_BM.inverse()
        z, p = self.bodies[joint.other(body)]
        turn, shift = _flat(X if body == joint.child else X.inverse())
        return z * turn, p + z * shift

    def _frame(self, joint: Joint, body: str) -> Pose:
        """The frame of a joint on one of its bodies."""
        return self.skeleton.frames[joint.name][joint.child == body]

    def _dyad(self, dyad: Dyad, side: str) -> bool:
        """Place the links of a dyad; whether that goes in closed form."""
        sign = 1.0 if side == "left" else -1.0
        lines = [self._line(dyad.inner, *outer) for outer in dyad.outer()]
        (a, r), (b, s) = lines
        if r is not None and s is not None:
            P = self._two_circles(dyad, (a[1], r), (b[1], s), sign)
        elif r is not None:
            P = self._circle_and_line(dyad, (a[1], r), b, -sign)
        elif s is not None:
            P = self._circle_and_line(dyad, (b[1], s), a, sign)
        else:
            P = _two_lines(a, b)
        if P is None:
            return False
        for (joint, body), (line, length) in zip(dyad.outer(), lines, strict=True):
            own = _flat(self._frame(dyad.inner, body))[1]
            z = self._behind(joint, body, np.zeros(1))[0]
            if length is not None:
                z = (P - line[1]) / (own - _flat(self._frame(joint, body))[1])
                z /= abs(z)
            self.bodies[body] = z, P - z * own
        return True

    def _line(self, inner: Joint, joint: Joint, body: str) -> tuple[Standing, float | None]:
        """Where the inner pin may be: (1, centre) and radius, or (direction, a point) of a line."""
        z, p = self.bodies[joint.other(body)]
        X = self._frame(joint, joint.other(body))
        own = _flat(self._frame(inner, body))[1]
        if joint.turns_only:
            return (1 + 0j, p + z * _flat(X)[1]), abs(own - _flat(self._frame(joint, body))[1])
        turn, place = self._behind(joint, body, np.zeros(1))
        return (z * complex(X.R[0, 2], X.R[1, 2]), place + turn * own), None

    def _two_circles(
        self, dyad: Dyad, one: tuple[complex, float], two: tuple[complex, float], sign: float
    ) -> complex | None:
        (a, r), (b, s) = one, two
        D = abs(b - a)
        if not (D > 0 and r > 0 and s > 0):
            return None
        along, room = two_circles(_pair((b - a) / D), r / D * (r / D), s / D * (s / D))
        if room < 0:
            raise DoesNotReachError(dyad, partial(_far_apart, dyad, D, r, s))
        return a + (b - a) * complex(along, sign * sqrt(room))

    def _circle_and_line(
        self, dyad: Dyad, circle: tuple[complex, float], line: Standing, sign: float
    ) -> complex | None:
        (a, r), (u, p) = circle, line
        if not r > 0:
            return None
        along, room = circle_and_line(_pair((a - p) / r), _pair(u), 1.0)
        if room < 0:
            raise DoesNotReachError(dyad, partial(_too_short, dyad, r * sqrt(1.0 - room), r))
        return p + (along + sign * sqrt(room)) * r * u

    def _side(self, dyad: Dyad) -> str:
        """The side of the inner pin where the dyad starts, which its own coordinate tells."""
        inner = dyad.inner
        X_PF, X_BM = self.skeleton.frames[inner.name]
        turn, shift = _flat(X_PF @ inner.pose(self.q[inner.name]) @ X_BM.inverse())
        P = _flat(X_PF)[1]
        A, B = (self._frame(*outer) for outer in dyad.outer())
        a, b = _flat(A)[1], shift + turn * _flat(B)[1]
        u, w = complex(A.R[0, 2], A.R[1, 2]), turn * complex(B.R[0, 2], B.R[1, 2])
        ends = (dyad.first, _pair(a), _pair(u)), (dyad.second, _pair(b), _pair(w))
        return side_of(_pair(P), *ends)

    def _coordinate(self, joint: Joint) -> float:
        """That of a pin or a slide between two bodies that stand; angles are near the start."""
        (z, p), (w, r) = self.bodies[joint.parent], self.bodies[joint.child]
        turn, shift = z.conjugate() * w, z.conjugate() * (r - p)
        X_PF, X_BM = self.skeleton.frames[joint.name]
        if joint.shifts_only:
            place = shift + turn * _flat(X_BM)[1] - _flat(X_PF)[1]
            return float(X_PF.R[0, 2] * place.real + X_PF.R[1, 2] * place.imag)
        R = np.array([[turn.real, -turn.imag, 0], [turn.imag, turn.real, 0], [0, 0, 1]])
        R = X_PF.R.T @ R @ X_BM.R
        angle, start = float(np.arctan2(R[1, 0], R[0, 0])), float(self.q[joint.name][0])
        return angle + 2 * pi * round((start - angle) / (2 * pi))


def _flat(X: Pose) -> Standing:
    """A pose in the plane."""
    return complex(X.R[0, 0], X.R[1, 0]), complex(X.p[0], X.p[1])


def _pair(z: complex) -> Vector:
    """A complex number as the vector of dyads.py."""
    return z.real, z.imag


def _two_lines(one: Standing, two: Standing) -> complex | None:
    """Where two lines meet, unless they are parallel."""
    (u, a), (w, b) = one, two
    parallel = abs((u.conjugate() * w).imag) < 1e-9
    return None if parallel else a + two_lines(_pair(u), _pair(w), _pair(b - a))[0] * u


def _length(
    dyad: Dyad, outer: tuple[Joint, str], length: float, change: float, shown: DisplayUnits
) -> str:
    joint, body = outer
    ends = f"{shown.told(length, 'm')} from {joint.name} to {dyad.inner.name}"
    return f"{body!r} ({ends}) by about {'+' * (change > 0)}{shown.told(change, 'm', 4)}"


def _far_apart(dyad: Dyad, D: float, r: float, s: float, shown: DisplayUnits) -> tuple[str, str]:
    """Two links that do not reach each other, and how they would."""
    one, two = dyad.outer()
    need = D - r - s if r + s < D else abs(r - s) - D
    first, second = (need, need) if r + s < D else (need, -need) if r < s else (-need, need)
    apart, own, other = (shown.told(length, "m") for length in (D, r, s))
    return (
        f"cannot be closed: {one[0].name!r} and {two[0].name!r} are {apart} apart, and the links "
        f"between them are {own} and {other} long",
        "; it would close if one of these lengths changed: "
        f"{_length(dyad, one, r, first, shown)}; {_length(dyad, two, s, second, shown)}",
    )


def _too_short(dyad: Dyad, away: float, r: float, shown: DisplayUnits) -> tuple[str, str]:
    """A link that does not reach the line of a slide, and how it would."""
    one, two = dyad.outer()
    pin, slide = (one, two) if dyad.first.turns_only else (two, one)
    return (
        f"cannot be closed: its line along {slide[0].name!r} is {shown.told(away, 'm')} from "
        f"{pin[0].name!r}",
        f"; it would close if this length changed: {_length(dyad, pin, r, away - r, shown)}",
    )
