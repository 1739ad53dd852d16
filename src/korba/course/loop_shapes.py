"""Vector loops with one crank: the four-bar, the slider-crank and its inversion, in one table.

A is the origin, AB = a the crank at the angle theta_1, BC = b the coupler at theta_2. From D, at
the angle theta_3, the last link or guide goes s along itself and e across to C:

    a e^(i theta_1) + b e^(i theta_2) = D + (s + i e) e^(i theta_3)                            (1)

                             known                              unknown
    four-bar                 D = d,  s = c,  e = 0              theta_2, theta_3      (2.47, 2.66)
    slider-crank             D = 0,  theta_3 = 0                theta_2, s
    inverted slider-crank    D = d,  b = 0                      theta_3, s

A slider-crank has its guide along x, e above A. In an inverted one the pin B slides in a guide that
turns about D and passes it at the distance e; slider and guide have one angle. Eliminating one of
the two unknowns leaves one equation for an angle, whatever the shape,

    P cos theta + Q sin theta + S = 0                                                          (2)

and each method of the course is a way of solving it (loop_methods.py). Its two roots are the two
ways of assembling. Velocities and accelerations follow from (1) differentiated once and twice
(Gronowicz, Example 3.3): with AB, BC, DC for the three vectors and u_3 = e^(i theta_3)

    i w_2 BC - i w_3 DC - s' u_3  = -i w_1 AB                                                (3.38)
    i e_2 BC - i e_3 DC - s'' u_3 = -(i e_1 - w_1^2) AB + w_2^2 BC - w_3^2 DC
                                    + 2 i w_3 s' u_3                                         (3.39)

of which the last term is the acceleration of Coriolis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..spatial.rotation import Array
from .construction import circle_meets_line, circles_meet, tangents


class Position(NamedTuple):
    """The variables of (1) at one crank angle or many."""

    theta2: Any
    theta3: Any
    s: Any


class Reach(NamedTuple):
    """A distance that the links must span, the least and the greatest that they do."""

    distance: Any
    low: float
    high: float


Equation = tuple[Any, Any, Any]
"""P, Q and S of (2)."""


@dataclass(frozen=True, eq=False)
class Shape:
    """What is known and unknown in a loop, and how the unknown is found."""

    name: str
    sizes: tuple[str, ...]
    """Names of the sizes that are given; e may be zero or negative."""
    unknowns: tuple[str, str]
    equations: Mapping[str, Callable[[Loop, Any], Equation]]
    """(2) for the unknown angles, from z = D - B."""
    drawn: Callable[[Loop, Array, int], Position]
    """The loop on the drawing board, from the point B and the sign of the branch."""
    reach: Callable[[Loop, Any], Reach]
    apart: str
    """What the distance of the reach is, in words."""
    span: str
    """What has to span it."""
    dead: str
    """Why velocities are not determined at a dead point."""


@dataclass(frozen=True, eq=False)
class Loop:
    """A loop of a shape with its sizes; what the shape does not have is zero."""

    shape: Shape
    a: float
    b: float = 0.0
    c: float = 0.0
    d: float = 0.0
    e: float = 0.0

    @property
    def size(self) -> float:
        """The greatest length."""
        return max(self.a, self.b, self.c, self.d, abs(self.e))

    def to_D(self, theta: Any) -> Any:
        """z = D - B, as complex numbers."""
        return self.d - self.a * np.exp(1j * theta)

    def completed(self, theta: Any, **known: Any) -> Position:
        """The position from the unknowns that are known already, by projections of (1)."""
        z, zero = self.to_D(theta), np.zeros(np.shape(theta))
        theta3 = known.get("theta3", zero)
        u, s = np.exp(1j * theta3), known.get("s", self.c + zero)
        theta2 = known.get("theta2")
        if theta2 is None:
            turning = "theta2" in self.shape.unknowns
            theta2 = np.angle(z + (s + 1j * self.e) * u) if turning else theta3
        if "s" in self.shape.unknowns and "s" not in known:
            s = ((self.b * np.exp(1j * theta2) - z) * u.conjugate()).real
        return Position(theta2, theta3, s)

    def vectors(self, theta: Any, at: Position) -> tuple[Any, Any, Any, Any]:
        """AB, BC, DC and u_3."""
        u = np.exp(1j * at.theta3)
        AB, BC = self.a * np.exp(1j * theta), self.b * np.exp(1j * at.theta2)
        return AB, BC, (at.s + 1j * self.e) * u, u

    def columns(self, BC: Any, DC: Any, u: Any) -> tuple[Any, Any]:
        """Derivatives of (1) by the two unknowns."""
        columns = {"theta2": 1j * BC, "theta3": -1j * DC, "s": -u}
        one, two = self.shape.unknowns
        return columns[one], columns[two]

    def residual(self, theta: float, x: Any) -> Array:
        """Projections of (1) at unknowns that may not close it, as in (2.48)."""
        AB, BC, DC, _ = self.vectors(theta, self._at(theta, x))
        open_ = AB + BC - self.d - DC
        return np.array([open_.real, open_.imag])

    def matrix(self, theta: float, x: Any) -> Array:
        """A of (3.38): the derivative of the residual by the two unknowns."""
        columns = self.columns(*self.vectors(theta, self._at(theta, x))[1:])
        return np.array([[z.real for z in columns], [z.imag for z in columns]])

    def _at(self, theta: float, x: Any) -> Position:
        return self.completed(theta, **dict(zip(self.shape.unknowns, x, strict=True)))


def _rocker(loop: Loop, z: Any) -> Equation:
    """theta_3 of a four-bar: b^2 = |z + c e^(i theta_3)|^2, which is (2.51)."""
    S = np.abs(z) ** 2 + loop.c**2 - loop.b**2
    return 2 * loop.c * z.real, 2 * loop.c * z.imag, S


def _coupler(loop: Loop, z: Any) -> Equation:
    """theta_2 of a four-bar: c^2 = |b e^(i theta_2) - z|^2."""
    S = loop.c**2 - loop.b**2 - np.abs(z) ** 2
    return 2 * loop.b * z.real, 2 * loop.b * z.imag, S


def _rod(loop: Loop, z: Any) -> Equation:
    """theta_2 of a slider-crank: b sin theta_2 = e + Im z, the projection across the guide."""
    return 0.0 * z.real, -loop.b + 0.0 * z.real, loop.e + z.imag


def _guide(loop: Loop, z: Any) -> Equation:
    """theta_3 of an inverted slider-crank: Im(-z e^(-i theta_3)) = e, across the guide too."""
    return -z.imag, z.real, -loop.e + 0.0 * z.real


def _four_bar_drawn(loop: Loop, B: Array, sign: int) -> Position:
    """C where the circles about B and D meet (2.34)-(2.42)."""
    D = np.array([loop.d, 0.0])
    C = circles_meet(B, loop.b, D, loop.c)[0 if sign > 0 else -1]
    return Position(_angle(C - B), _angle(C - D), loop.c)


def _slider_drawn(loop: Loop, B: Array, sign: int) -> Position:
    """C where the circle about B meets the guide."""
    C = circle_meets_line(B, loop.b, (0.0, loop.e), (1.0, 0.0))[0 if sign > 0 else -1]
    return Position(_angle(C - B), 0.0, C[0])


def _inverted_drawn(loop: Loop, B: Array, sign: int) -> Position:
    """The guide through B is a tangent of the circle of radius e about D."""
    D = np.array([loop.d, 0.0])
    if loop.e == 0:
        theta3 = _angle(sign * (B - D))
    else:
        both = [complex(*(T - D)) / (1j * loop.e) for T in tangents(B, D, abs(loop.e))]
        theta3 = float(np.angle(max(both, key=lambda u: sign * (complex(*(B - D)) / u).real)))
    along = float((B - D) @ [np.cos(theta3), np.sin(theta3)])
    return Position(theta3, theta3, along)


def _angle(vector: Array) -> float:
    return float(np.arctan2(vector[1], vector[0]))


SHAPES = {
    shape.name: shape
    for shape in (
        Shape(
            "four-bar",
            ("a", "b", "c", "d"),
            ("theta2", "theta3"),
            {"theta3": _rocker, "theta2": _coupler},
            _four_bar_drawn,
            lambda loop, z: Reach(np.abs(z), abs(loop.b - loop.c), loop.b + loop.c),
            "B and D are {} apart",
            "coupler and rocker span",
            "coupler and rocker are in line",
        ),
        Shape(
            "slider-crank",
            ("a", "b", "e"),
            ("theta2", "s"),
            {"theta2": _rod},
            _slider_drawn,
            lambda loop, z: Reach(np.abs(loop.e + z.imag), 0.0, loop.b),
            "B is {} from the guide",
            "the coupler spans",
            "the coupler stands across the guide",
        ),
        Shape(
            "inverted slider-crank",
            ("a", "d", "e"),
            ("theta3", "s"),
            {"theta3": _guide},
            _inverted_drawn,
            lambda loop, z: Reach(np.abs(z), abs(loop.e), np.inf),
            "B and D are {} apart",
            "the guide reaches",
            "B is where the guide passes D",
        ),
    )
}
"""The loops of one crank. A shape more is an entry here, and every method solves it."""
