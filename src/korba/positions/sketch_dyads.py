"""Two links with a pin between them, each on what stands already by a pin or a slide: dyads.

The orientation of three points says on which side the inner pin lies; a slide stands for a pin far
away, to the left of its axis.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.body import GROUND
from ..model.drawing import joints_by_body
from ..model.joint import Joint
from ..spatial.pose import Pose
from ..spatial.rotation import Array, rotation_z
from .dyads import Vector, cross, less
from .skeleton import Skeleton

Poses = dict[str, Pose]
"""X_WB of the bodies."""
End = tuple[Joint, Any, Any]
"""An outer joint, its place and its direction."""


@dataclass(frozen=True)
class Dyad:
    """The inner pin, and the joints of its parent and of its child with what stands."""

    inner: Joint
    first: Joint
    second: Joint

    @property
    def line(self) -> str:
        """The line that the inner pin lies left or right of."""
        return f"from {self.first.name!r} to {self.second.name!r}"

    def outer(self) -> tuple[tuple[Joint, str], tuple[Joint, str]]:
        """The outer joints, each with the link of the dyad that it holds."""
        return (self.first, self.inner.parent), (self.second, self.inner.child)


def dyads(joints: Sequence[Joint], held: Collection[str], asked: Collection[str]) -> Iterator[Dyad]:
    """Dyads in the order in which they stand, starting from the ground and links that are held.

    A pin that is `asked` for and in no such order counts with the first other joints of its links.
    """
    standing, of_body = {GROUND}, joints_by_body(joints)
    left = {joint.name: joint for joint in joints if joint.turns_only}
    while True:
        _stand_by_held(standing, [joint for joint in joints if joint.name in held])
        inner = (pin for pin in left.values() if not standing & {pin.parent, pin.child})
        dyad = next(filter(None, (_dyad(pin, of_body, standing) for pin in inner)), None)
        if dyad is None:
            break
        standing |= {dyad.inner.parent, dyad.inner.child}
        del left[dyad.inner.name]
        yield dyad
    for name in asked:
        if name in left and (dyad := _dyad(left[name], of_body, None)):
            yield dyad


def is_outer(joint: Joint) -> bool:
    """Whether a joint can hold a link of a dyad: a pin or a slide."""
    return joint.turns_only or joint.shifts_only


def _stand_by_held(standing: set[str], held: Sequence[Joint]) -> None:
    """Add the links that a held joint ties to what stands, and what is tied to those."""
    while more := [j for j in held if (j.parent in standing) != (j.child in standing)]:
        standing |= {body for joint in more for body in (joint.parent, joint.child)}


def _dyad(pin: Joint, of_body: dict[str, list[Joint]], standing: set[str] | None) -> Dyad | None:
    """The dyad with this inner pin, if there is one on what stands."""
    outer = [_outer(pin, body, of_body, standing) for body in (pin.parent, pin.child)]
    return Dyad(pin, outer[0], outer[1]) if outer[0] and outer[1] else None


def _outer(
    inner: Joint, body: str, of_body: dict[str, list[Joint]], standing: set[str] | None
) -> Joint | None:
    """The first other joint of a link, to what stands."""
    for joint in of_body[body]:
        fits = joint is not inner and is_outer(joint)
        if fits and (standing is None or joint.other(body) in standing):
            return joint
    return None


def side(skeleton: Skeleton, q: Array, dyad: Dyad) -> str:
    """Where the inner pin lies: "left" or "right"."""
    X_WB = skeleton.poses(q)
    ends = [(outer[0], *_axis(skeleton, X_WB, *outer)) for outer in dyad.outer()]
    return side_of(_inner(skeleton, X_WB, dyad), *ends)


def side_of(p: Any, one: End, two: End) -> str:
    """The same of a point, by outer joints with their places and directions."""
    a, b = (_from(p, *end) for end in (one, two))
    return "left" if cross(a, b) >= 0 else "right"


def _from(p: Any, joint: Joint, place: Any, u: Any) -> Vector:
    """The direction of a pin from p; of a slide, a pin far away, that left of its axis."""
    x, y = less(place, p) if joint.turns_only else (-u[1], u[0])
    size = max(abs(x), abs(y), 1e-300)
    return x / size, y / size


def _inner(skeleton: Skeleton, X_WB: Poses, dyad: Dyad) -> Array:
    """Where the inner pin is."""
    X_PF, _ = skeleton.frames[dyad.inner.name]
    return np.asarray((X_WB[dyad.inner.parent] @ X_PF).p[:2])


def _axis(skeleton: Skeleton, X_WB: Poses, joint: Joint, body: str) -> tuple[Array, Array]:
    """Place and direction of an outer joint on the side of what stands."""
    X_PF, X_BM = skeleton.frames[joint.name]
    X = X_WB[joint.parent] @ X_PF if joint.child == body else X_WB[joint.child] @ X_BM
    return X.p[:2], X.R[:2, 2]


def mirrored(skeleton: Skeleton, q: Array, dyad: Dyad) -> Array:
    """Coordinates with the inner pin on the other side of its line, outer joints in place."""
    own = skeleton.by_name(q.copy())
    X_WB = dict(skeleton.poses(q))
    p = _inner(skeleton, X_WB, dyad)
    p_new = _mirror_image(skeleton, X_WB, dyad, p)
    for joint, body in dyad.outer():
        place, _ = _axis(skeleton, X_WB, joint, body)
        if joint.turns_only:
            turn = _angle(p_new - place) - _angle(p - place)
            R = rotation_z(turn)
            about = np.array([*place, 0.0])
            X_WB[body] = Pose(R, about - R @ about) @ X_WB[body]
        else:
            X_WB[body] = Pose(np.eye(3), np.array([*(p_new - p), 0.0])) @ X_WB[body]
    for joint in (dyad.first, dyad.inner, dyad.second):
        X_PF, X_BM = skeleton.frames[joint.name]
        X_FM = (X_WB[joint.parent] @ X_PF).inverse() @ X_WB[joint.child] @ X_BM
        own[joint.name] = skeleton.fitted(joint, X_FM, own[joint.name])
    return skeleton.vector(own)


def _mirror_image(skeleton: Skeleton, X_WB: Poses, dyad: Dyad, p: Array) -> Array:
    """The inner pin mirrored: at the line of two pins, or at a slide's normal through the pin."""
    (one, a, u), (two, b, w) = ((j, *_axis(skeleton, X_WB, j, body)) for j, body in dyad.outer())
    if not (one.turns_only or two.turns_only):
        return p
    through, along = (a, b - a) if one.turns_only else (b, np.array([-u[1], u[0]]))
    if not two.turns_only:
        along = np.array([-w[1], w[0]])
    u = along / max(float(np.linalg.norm(along)), 1e-300)
    d = p - through
    return through + 2 * (d @ u) * u - d


def _angle(d: Array) -> float:
    return float(np.arctan2(d[1], d[0]))
