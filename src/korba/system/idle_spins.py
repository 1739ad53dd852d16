"""Spins of bodies without mass that are nobody's business: a moment of inertia that nobody feels.

A rod without mass between two balls may spin about its line, a ball without size on rods about its
middle: no force turns it and nothing feels it, but M is singular. Such a body gets a moment J about
the line n through all that holds it, or the same about every axis through its one point,

    J n n'          or          J 1                                                          (1)

of 1e-8 of the heaviest mass at the typical length. With (1) about a point the motion of all else
is exactly that without it, whatever the spin. About a line it is, where it does not spin against
the others at the start: then  d/dt (J n . w) = 0,  since no moment is about that line, and a body
without spin about n has no moment of momentum by (1).
A spin that somebody asks about is not one of these: where a moment, a drive, damping, friction or
a load beside the line acts on it, and where one joint has nothing else to do.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..expr import Expr, variables
from ..model.body import Body
from ..model.drawing import Drawing
from ..model.drive import Drive
from ..model.fields import laws_of
from ..model.force import Force
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array

PART = 1e-8
"""Of the heaviest mass at the typical length."""
NEAR = 1e-9
"""In typical lengths: points that are one, points beside a line. Part of a moment that is none."""


def spins(m: Mechanism, placed: Drawing) -> dict[str, Array]:
    """(1) of the bodies that have such a spin, in their own frames."""
    light = [body for body in m.bodies if _is_light(body, m.plane is not None)]
    heaviest = max((body.mass for body in m.bodies), default=0.0) if light else 0.0
    if not heaviest > 0:
        return {}
    J, found = PART * heaviest * placed.scale**2, {}
    for body in light:
        joints = [joint for joint in m.joints if joint.joins(body.name)]
        free = [joint for joint in joints if _holds_nothing(joint, m.plane is not None)]
        turning = all(joint in free or _lets_spin(joint) for joint in joints)
        if len(joints) > len(free) and turning and not _asked(m, body, joints):
            points = np.array([*_points(m, placed, body, free)], dtype=float)
            axes = _axes(points, placed.scale, m.plane is not None)
            if axes is not None and _has_none(body, axes):
                found[body.name] = J * axes @ axes.T
    return found


def _loads(m: Mechanism) -> tuple[Force | Drive, ...]:
    """All that acts or drives."""
    return (*m.forces, *m.drives)


def _is_light(body: Body, planar: bool) -> bool:
    """Whether it has no moment of inertia about some axis through its middle, in numbers."""
    J = np.array(body.inertia)
    if J.dtype == object or not isinstance(body.mass, float):
        return False
    return not (J[2, 2] if planar else np.linalg.eigvalsh(J)[0]) > NEAR * np.abs(J).max()


def _has_none(body: Body, axes: Array) -> bool:
    """Whether its moments about all of some axes are none."""
    J = np.array(body.inertia, dtype=float)
    return bool(np.abs(J @ axes).max() <= NEAR * np.abs(J).max())


def _lets_spin(joint: Joint) -> bool:
    """Whether a body turns in every way about its place of it, and nothing rubs or damps there."""
    smooth = not joint.damping and joint.friction is None
    return smooth and (joint.turns_all_ways or joint.between_points)


def _holds_nothing(joint: Joint, planar: bool) -> bool:
    """Whether a joint leaves all freedoms, and nothing rubs or damps there."""
    return joint.nv == (3 if planar else 6) and not joint.damping and joint.friction is None


def _asked(m: Mechanism, body: Body, joints: list[Joint]) -> bool:
    """Whether a load, a drive or a coupling asks about the body's turning."""
    own = {name for joint in joints for name in (joint.name, *joint.coordinates())}
    own |= {f"v_{name}" for joint in joints for name in joint.velocities()}
    if any(own & {c.coordinate, *variables(c.law)} for c in m.couplings):
        return True
    for load in _loads(m):
        if any(isinstance(law, Expr) and own & variables(law) for _, law in laws_of(load)):
            return True
        if any(getattr(load, key) in own for key in load.joints):
            return True
        for key in load.bodies:
            if getattr(load, key) == body.name and (load.twists or key not in dict(load.places)):
                return True
    return False


def _points(
    m: Mechanism, placed: Drawing, body: Body, free: list[Joint]
) -> Iterator[Array | tuple[float, ...]]:
    """Where anything takes hold of the body, in its frame; `free` joints do not."""
    for joint in (j for j in m.joints if j.joins(body.name) and j not in free):
        yield (placed.X_PF if joint.parent == body.name else placed.X_BM)(joint).p
    if body.mass:
        yield body.com
    for load in _loads(m):
        for key in load.bodies:
            if getattr(load, key) == body.name:
                yield getattr(load, dict(load.places)[key])


def _axes(points: Array, scale: float, planar: bool) -> Array | None:
    """Unit axes of the spins in columns: all of one point, the line of several; None if neither."""
    apart = points - points[0]
    far = int(np.argmax(np.linalg.norm(apart, axis=1)))
    length = float(np.linalg.norm(apart[far]))
    if length <= NEAR * scale:
        return np.eye(3)[:, 2:] if planar else np.eye(3)
    n = apart[far] / length
    off = np.linalg.norm(apart - np.outer(apart @ n, n), axis=1).max()
    return None if planar or off > NEAR * scale else n[:, None]
