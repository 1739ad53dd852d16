"""The disc of a cam as it is cut: points, curvature, and how steeply it pushes its follower.

The pressure angle is the one between the common normal and the way of the follower (of an arm:
across it), positive where the force leans back, as in a rise:

    tan(pressure angle) = (s' - e) / (sqrt(R0^2 - e^2) + s)       of a roller that slides

Source: Norton (2009), Cam Design and Manufacturing Handbook, chapter 7.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..display import Tabled
from ..door import public
from ..errors import StructureError
from ..model.joints.cam import CamContact
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..wording import given


@dataclass(frozen=True, eq=False)
class CamProfile(Tabled):
    """A cam all round: where its surface is, and how it bends; in the joint's frame on the cam."""

    rows_of = (("angle", 0), ("x", 0), ("y", 0), ("curvature_radius", 0), ("pressure_angle", 0))

    joint: str
    angle: Array
    """beta; of a cam by its follower's lift the angle phi of the cam."""
    x: Array
    y: Array
    curvature_radius: Array
    """Of the surface, negative where it is hollow."""
    pressure_angle: Array
    """Of a follower by `lift` or `swing`; nan where the joint does not say which way one goes."""

    @property
    def largest_pressure_angle(self) -> float:
        """By its size, among the rows."""
        return float(np.max(np.abs(self.pressure_angle)))


@public
def cam_profile(m: Mechanism, joint: str, count: int = 361) -> CamProfile:
    """The surface of a cam at `count` angles from 0 to 360 deg.

    >>> m = kb.linkages.cam(0.04, 0.02, 0.008)
    >>> profile = kb.cam_profile(m, "K")
    >>> round(float(np.hypot(profile.x, profile.y).max()), 12)
    0.06
    """
    cam = m.joint(joint)
    if not isinstance(cam, CamContact):
        raise StructureError(
            f"{given('cam_profile', joint=joint)}: joint {joint!r} is no cam with a roller or a "
            f"flat follower, but {cam.type}"
        )
    if count < 2:
        raise StructureError(f"cam_profile: count: expected 2 or more, got {count}")
    angle = np.linspace(0.0, 2 * np.pi, count)
    at = cam.contact(angle)
    with np.errstate(divide="ignore"):
        radius = np.asarray(at.speed / at.turning + 0.0 * angle)
    way, n = cam.way(angle), -at.inward
    pressure = np.full(count, np.nan)
    if way is not None:
        pressure = np.arctan2(way[0] * n[1] - way[1] * n[0], way[0] * n[0] + way[1] * n[1])
    x, y = at.point + 0.0 * angle
    return CamProfile(joint, angle, x, y, radius, pressure)
