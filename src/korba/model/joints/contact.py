"""A place of contact on a profile, and what a follower needs to know of it there.

    P = rho (cos beta, sin beta),   t = dP/dbeta,   n = t turned by -90 deg, both unit   (2.85-87)

or any other path P(beta). Going round anticlockwise, n points out of the cam.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...expr import Expr, evaluate
from ...spatial.rotation import Array
from ..curve import Curve, value_at
from ..profiles import Side

FLAT = 1e-9
"""Curvature times typical length below which a profile is straight."""


class Contact(NamedTuple):
    """A place on a profile; derivatives are with respect to beta."""

    point: Array
    tangent: Array
    """Of length 1, anticlockwise round the profile."""
    speed: Any
    """|t|, negative where beta goes the other way."""
    growth: Any
    """Derivative of it."""
    turning: Any
    """Rate at which the tangent turns."""
    change: Any
    """Derivative of that rate."""

    def beside(self, distance: Any) -> Contact:
        """The place inside, at a distance along the normal: of a roller's path it is the cam."""
        return self._replace(
            point=self.point + self.inward * distance,
            speed=self.speed - distance * self.turning,
            growth=self.growth - distance * self.change,
        )

    @property
    def inward(self) -> Array:
        """-n: the tangent turned by 90 deg."""
        return np.array([-self.tangent[1], self.tangent[0]])

    def side(self, scale: float) -> Side:
        """Circle of curvature at the contact: centre P - n |t| / turning (2.85-2.87)."""
        if abs(self.turning / self.speed) * scale < FLAT:
            return Side(np.array([*self.point, 0.0]), np.array([*self.tangent, 0.0]))
        return Side(np.array([*(self.point + self.inward * (self.speed / self.turning)), 0.0]))


def contact_at(profile: Expr | Curve, variable: str, angle: Any) -> Contact:
    """A place on a profile rho(angle) and what a follower needs to know of it there."""
    rho = derivatives(profile, variable, angle)
    out = np.array([np.cos(angle), np.sin(angle)])
    across = np.array([-out[1], out[0]])
    t = rho[1] * out + rho[0] * across
    t1 = (rho[2] - rho[0]) * out + 2 * rho[1] * across
    t2 = (rho[3] - 3 * rho[1]) * out + (3 * rho[2] - rho[0]) * across
    return contact_on([rho[0] * out, t, t1, t2])


def derivatives(function: Expr | Curve, variable: str, x: Any) -> list[Any]:
    """Value and three derivatives."""
    return [value_at(function, variable, x, order) for order in range(4)]


def contact_on(path: Sequence[Array], sense: float = 1.0) -> Contact:
    """A place on a path by its point there and three derivatives; -1 if it is run clockwise."""
    point, t, t1, t2 = path
    square, along = t[0] * t[0] + t[1] * t[1], t[0] * t1[0] + t[1] * t1[1]
    turning = (t[0] * t1[1] - t[1] * t1[0]) / square
    change = (t[0] * t2[1] - t[1] * t2[0]) / square - 2 * turning * along / square
    speed = sense * np.sqrt(square)
    return Contact(point, t / speed, speed, along / speed, turning, change)


def radii(profile: Expr | Curve, variable: str, angles: Array) -> Array:
    """The radius of a profile at many angles."""
    if isinstance(profile, Curve):
        return np.asarray(profile(angles))
    return evaluate(profile, {variable: angles})


def profile_fault(profile: Expr | Curve | None, variable: str = "beta") -> str | None:
    """What is wrong with a profile: it is positive all round, and ends where it begins."""
    if profile is None:
        return f"is missing; give the radius as an expression in {variable} or as points"
    if isinstance(profile, Curve):
        period = profile.x[-1] - profile.x[0]
        if not profile.periodic:
            return "its points must say periodic = true, because a cam closes"
        if abs(period - 2 * np.pi) > 1e-6:
            return f"its points span {period:g} rad; a cam closes after 2 pi = 6.28319 rad"
    angles = np.linspace(0.0, 2 * np.pi, 181)
    try:
        with np.errstate(all="ignore"):
            rho = radii(profile, variable, angles)
    except ValueError:  # the equations of the spline overflow
        return "its values are too large for a curve through the points"
    for angle, radius in zip(np.degrees(angles), rho, strict=True):
        if not 0 < radius < np.inf:
            what = "no finite value" if not np.isfinite(radius) else f"the radius {radius:g} m"
            return f"has {what} at {variable} = {angle:g} deg; it must be above 0 all round"
    if abs(rho[-1] - rho[0]) > 1e-6 * rho.max():
        return (
            f"does not close: the radius is {rho[0]:g} m at {variable} = 0 and {rho[-1]:g} m at "
            f"{variable} = 360 deg; both must be the same"
        )
    return None


def path_fault(x: Expr | Curve | None, y: Expr | Curve | None) -> str | None:
    """What is wrong with a closed path: it comes back, has no corner, and runs anticlockwise."""
    if x is None or y is None:
        return "x and y of the profile's points belong together: give both over beta"
    angles = np.linspace(0.0, 2 * np.pi, 361)
    try:
        with np.errstate(all="ignore"):
            points, rates = (
                np.array([value_at(each, "beta", angles, k) + 0.0 * angles for each in (x, y)])
                for k in (0, 1)
            )
    except ValueError:
        return "its values are too large for a curve through the points"
    speed = np.hypot(*rates)
    if not np.all(np.isfinite(speed)):
        return "has places without a finite point or slope"
    size = float(np.ptp(points, axis=1).max())
    if not speed.min() > FLAT * size:
        stops = np.degrees(angles[np.argmin(speed)])
        return f"stands still at beta = {stops:g} deg; its points must move on with beta"
    if (gap := float(np.hypot(*(points[:, -1] - points[:, 0])))) > 1e-6 * size:
        return f"does not close: beta = 0 and 360 deg are {gap:g} m apart"
    area = np.sum(points[0] * rates[1] - points[1] * rates[0])
    return None if area > 0 else "runs clockwise; give it with -beta, so that it runs anticlockwise"
