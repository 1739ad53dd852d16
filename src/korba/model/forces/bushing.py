"""Bushing: stiffness and damping, 6 x 6, between two frames, in all ways that these can move.

In the axes of the first body, phi is the rotation vector of the second against it, d the way from
place to place, w and d' their rates:

    (m, f) = -K (phi, d) - C (w, d')                                                         (1)

acts on the second body at its place, the opposite on the first, at the same point. phi is that of
the smallest turn, so it is meant for less than half a turn; with equal turning stiffnesses the
moment is the slope of an energy however far it turns, otherwise for small turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ...errors import Fault
from ...spatial.rotation import Array, cross, vee
from ..fields import Vector3, field, missing
from ..force import Force, Push, State
from ..specs import Matrix6, Place, Text

NOTHING = tuple((0.0,) * 6 for _ in range(6))
TINY = 1e-32
"""Added under a root, so that a turn by nothing has a slope."""


@final
@dataclass(frozen=True)
class Bushing(Force):
    """Stiffness and damping, 6 x 6, between two bodies that need no joint in common.

    It has no force where both places are one and the bodies' frames are parallel. Six numbers are
    a diagonal: three for turns about x, y and z of `body_a`, in N m/rad, then three for shifts
    along them, in N/m. A torsion spring between two bodies is one with nothing but turns:
    `kb.Bushing("t", "a", (0, 0), "b", (0, 0), stiffness=[0, 0, 5, 0, 0, 0])`.
    """

    type = "bushing"
    twists = True
    bodies = ("body_a", "body_b")
    places = (("body_a", "at_a"), ("body_b", "at_b"))

    body_a: str = field(Text(), doc="body whose axes are those of the matrices, or a point of it")
    at_a: Vector3 = field(
        Place("length"), default=None, doc="its place: by name, or in the body's frame"
    )
    body_b: str = field(
        Text(), default=missing("the other body"), doc="the other body, or a point of it"
    )
    at_b: Vector3 = field(
        Place("length"), default=None, doc="its place: by name, or in the body's frame"
    )
    stiffness: tuple[tuple[float, ...], ...] = field(
        Matrix6(), default=NOTHING, doc="six of the diagonal, or 6 x 6: turns first, in SI"
    )
    damping: tuple[tuple[float, ...], ...] = field(
        Matrix6(), default=NOTHING, doc="six of the diagonal, or 6 x 6: turns first, in SI"
    )

    @property
    def ends(self) -> tuple[tuple[str, Vector3], ...]:
        """The two places."""
        return (self.body_a, self.at_a), (self.body_b, self.at_b)

    @property
    def needs_distance(self) -> bool:
        """They are one at rest."""
        return False

    @property
    def picture(self) -> str:
        """A spring from place to place."""
        return "spring"

    def acts(self, at: State) -> Iterator[Push]:
        """(1), and its opposite on the first body."""
        (p_a, v_a), (p_b, v_b) = (at.point(body, place) for body, place in self.ends)
        (R_WA, w_A), (R_WB, w_B) = (at.turn(body) for body, _ in self.ends)
        d, apart = R_WA.T @ (p_b - p_a), R_WA.T @ (v_b - v_a - cross(w_A, p_b - p_a))
        place = np.concatenate([rotation_vector_of(R_WA.T @ R_WB), d])
        rate = np.concatenate([R_WA.T @ (w_B - w_A), apart])
        whole = -(np.array(self.stiffness) @ place + np.array(self.damping) @ rate)
        m, f = R_WA @ whole[:3], R_WA @ whole[3:]
        yield Push(self.body_b, f, m, self.at_b)
        yield Push(self.body_a, -f, -m - cross(p_b - p_a, f), self.at_a)

    def faults(self) -> Iterator[Fault]:
        """A negative stiffness on the diagonal, or none at all."""
        yield from super().faults()
        given = [(key, getattr(self, key)) for key in ("stiffness", "damping")]
        rows = [(key, value) for key, value in given if isinstance(value, tuple)]
        for key, value in rows:
            if any(isinstance(row[k], float) and row[k] < 0 for k, row in enumerate(value)):
                yield self.fault("has a negative number on its diagonal", key)
        if len(rows) == 2 and not any(x != 0 for _, value in rows for row in value for x in row):
            yield self.fault("is missing; give six numbers such as [0, 0, 5, 0, 0, 0]", "stiffness")


def rotation_vector_of(R: Any) -> Array:
    """The rotation vector of a turn by less than half a turn, for numbers and symbols."""
    w = np.asarray(vee(R - R.T)) / 2.0
    s = np.sqrt(w @ w + TINY)
    return np.asarray(w * (np.arctan2(s, (R[0, 0] + R[1, 1] + R[2, 2] - 1.0) / 2.0) / s))
