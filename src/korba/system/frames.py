"""The links of a tree in frames that leave little to compute, and joints seen from such frames.

Coordinates of a seen joint, and all that is not said here, are those of the joint itself. Seen from
its child, for trees that reach that first, with X_FM(q), S and bias of the joint, the motion of F
in M is

    X_MF = X_FM^-1,    S' = -Ad(X_FM) S,    bias' = -Ad(X_FM) bias

in F about Fo: the terms from the turning of the frames cancel. The motion of a joint about and
along its z axis commutes with constant turns about z and shifts along z, so both its frames may be
turned and shifted together, and a constant turn before it is an addition to its angle:

    C X(q) C^-1 = X(q),    X(offset) X(q) = X(q + offset)

The rotation is kept as one turn about z and never multiplied out with the constant one before it.
The constant pose from one such frame to the next joint is then

    X_PF = T(p) Rz(g) Rx(alpha) Rz(theta)

where theta goes into the joint's angle. Turning P's frame takes g away for one joint on it (x is
then the common normal, as in the modified convention of Denavit & Hartenberg), and shifts along the
axes take components of p away. The choice goes over the links one at a time and takes, among the
few turns and shifts that make something zero, the one that leaves least; frames that are
good as they were given stay. A link that cannot move takes the frame of its parent, and so costs
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import atan2, cos, pi
from typing import TYPE_CHECKING

import numpy as np

from ..expr import Expr
from ..model.body import Body
from ..spatial.inertia import pseudo_inertia
from ..spatial.pose import Pose, identity
from ..spatial.rotation import Array, tidy
from ..spatial.turns import constant_turns, exact, zxz_angles

if TYPE_CHECKING:
    from .tree import Link


from functools import cached_property
from typing import Any

from ..model.joint import Joint
from ..spatial.pose import twist_matrix
from ..spatial.turns import turn_z


@dataclass(frozen=True, eq=False)
class SeenJoint:
    """A joint seen in another way."""

    joint: AnyJoint

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "joint":  # asked for before there is one
            raise AttributeError(name)
        return getattr(self.joint, name)


@dataclass(frozen=True, eq=False)
class ReversedJoint(SeenJoint):
    """The functions of a joint, from child to parent."""

    def pose(self, q: Any) -> Pose:
        """X_MF."""
        return self.joint.pose(q).inverse()

    def motion_subspace(self, q: Any) -> Array:
        """S' with V_MF = S' v."""
        return -(twist_matrix(self.joint.pose(q)) @ self.joint.motion_subspace(q))

    def bias(self, q: Any, v: Any) -> Array:
        """S'dot v."""
        return -(twist_matrix(self.joint.pose(q)) @ self.joint.bias(q, v))


@dataclass(frozen=True, eq=False)
class AxialJoint(SeenJoint):
    """The functions of a joint about and along z, its angle counted from another direction."""

    offset: Array

    def pose(self, q: Any) -> Pose:
        """X(q + offset)."""
        X = self.joint.pose([x + o for x, o in zip(q, self.offset, strict=True)])
        return Pose(turn_z(X.R), X.p)

    @cached_property
    def _S(self) -> Array:
        S = np.asarray(self.joint.motion_subspace(self.drawn_coordinates))
        return S if any(isinstance(x, Expr) for x in S.flat) else S.astype(float)

    def motion_subspace(self, _: Any) -> Array:
        """S, which is constant."""
        return self._S

    def bias(self, *_: Any) -> Array:
        """Zero, as S is constant."""
        return np.zeros(6)


def angle_offset(joint: AnyJoint, theta: float) -> Array:
    """What to add to the coordinates for a turn by theta before the joint; none without angles."""
    about_z = np.asarray(joint.motion_subspace(joint.drawn_coordinates), dtype=float)[2]
    kinds = joint.coordinate_kinds
    return np.array(
        [theta * s if k == "angle" else 0.0 for s, k in zip(about_z, kinds, strict=True)]
    )


AnyJoint = Joint | ReversedJoint | AxialJoint
"""A joint as a link has it: as described, turned round, in frames of our choice."""


SWEEPS = 3
TRIED = 8
"""Frames are tried that suit one of this many links on a link."""
LEAST = 0.1
"""A shift is taken only if a component of p changes by more than this part of it."""
TURN, ENTRY, ANGLE = 20.0, 5.0, 1.0
"""Products that a constant turn, a component of p or h, and an addition to an angle stand for."""


def reframed(links: Sequence[Link], bodies: Mapping[str, Body]) -> list[Link]:
    """The same links in the chosen frames; a link that cannot move takes its parent's."""
    mounts = _mounts(links)
    size = typical_size(mounts)
    C = {-1: identity()}
    found = []
    for i, (link, chosen) in enumerate(zip(links, chosen_frames(mounts), strict=True)):
        X_PF = C[link.parent].inverse() @ link.X_PF
        C[i] = chosen if link.joint.nv else X_PF.inverse()
        X_BL = link.X_BL @ C[i]
        mass, h, K = moments(bodies[link.name], X_BL)
        moved = replace(link, X_BL=X_BL, mass=mass, h=h, K=K)
        found.append(_mounted(moved, tidied(X_PF @ C[i], size)))
    return found


def _mounts(links: Sequence[Link]) -> list[Mount]:
    """How the links hang; one on a link that cannot move hangs on what carries that."""
    carried: dict[int, tuple[int, Pose]] = {-1: (-1, identity())}
    found = []
    for i, link in enumerate(links):
        carrier, X = carried[link.parent]
        X_PF = X @ link.X_PF
        carried[i] = (i, identity()) if link.joint.nv else (carrier, X_PF)
        turns = link.joint.axial and "angle" in link.joint.coordinate_kinds
        found.append(Mount(carrier, X_PF, link.joint.axial, turns, link.h))
    return found


def _mounted(link: Link, X_PF: Pose) -> Link:
    """The link with its joint seen from X_PF; a turn about z goes into the joint's angle."""
    if not link.joint.axial:
        return replace(link, X_PF=X_PF)
    g, alpha, theta = zxz_angles(X_PF.R)
    offset = angle_offset(link.joint, 0.0 if is_quarter(theta) else theta)
    turns = [(2, g), (0, alpha), *([] if offset.any() else [(2, theta)])]
    back = X_PF @ link.joint.pose(offset).inverse()  # a screw advances as it turns
    joint = AxialJoint(link.joint, offset)
    return replace(link, joint=joint, X_PF=Pose(constant_turns(*turns), back.p))


def moments(body: Body, X_BL: Pose) -> tuple[float, Array, Array]:
    """Mass, first and second moments in the link's frame."""
    c_L = X_BL.inverse().point(body.com)
    I_L = X_BL.R.T @ np.array(body.inertia) @ X_BL.R
    B = pseudo_inertia(body.mass, c_L, 0.5 * (I_L + I_L.T))
    return body.mass, B[:3, 3], B[:3, :3]


def tidied(X: Pose, size: float) -> Pose:
    """A constant pose with entries within rounding of 0 and 1 made exact: they fold away."""
    return Pose(tidy(X.R), np.where(np.abs(X.p) <= 1e-14 * size, 0.0, X.p))


@dataclass(frozen=True, eq=False)
class Mount:
    """How a link hangs, in the frames as given."""

    carrier: int
    """The link whose frame it stands in; -1 is the base."""
    X_PF: Pose
    free: bool
    """Whether the frame of the link may be turned and shifted along z."""
    turns: bool
    """Whether a constant turn before the joint goes into its angle."""
    h: Array
    """First moment of the link, which a turn may bring onto x."""


def chosen_frames(mounts: Sequence[Mount]) -> list[Pose]:
    """C of every link: its frame as chosen, in its frame as given."""
    choice = _Choice(mounts)
    for _ in range(SWEEPS):
        changed = [choice.improved(i) for i in reversed(range(len(mounts))) if mounts[i].free]
        if not any(changed):
            break
    return [_along_z(angle, d) for angle, d in zip(choice.turn, choice.shift, strict=True)]


class _Choice:
    """Turn about z and shift along z of every link's frame, and what they leave to compute."""

    def __init__(self, mounts: Sequence[Mount]) -> None:
        self.mounts = mounts
        self.turn, self.shift = [0.0] * len(mounts), [0.0] * len(mounts)
        self.angles = [zxz_angles(mount.X_PF.R) for mount in mounts]
        self.p = [mount.X_PF.p.tolist() for mount in mounts]
        self.z = [mount.X_PF.R[:, 2].tolist() for mount in mounts]
        self.small = 1e-14 * typical_size(mounts)
        self.on: list[list[int]] = [[] for _ in mounts]
        for i, mount in enumerate(mounts):
            if mount.carrier >= 0:
                self.on[mount.carrier].append(i)

    def improved(self, i: int) -> bool:
        """Take the best turn of a link's frame, then the best shift; whether any was better."""
        turned = self._best(i, self.turn, self._turns(i))
        return self._best(i, self.shift, self._shifts(i)) or turned

    def _best(self, i: int, values: list[float], candidates: list[float]) -> bool:
        before, least = values[i], self._around(i)
        best = before
        for candidate in candidates if least > 0 else ():
            values[i] = candidate
            work = self._around(i)
            if work < least:
                best, least = candidate, work
        values[i] = best
        return best != before

    def _around(self, i: int) -> float:
        """Cost of a link and of those on it, which its frame decides; of its moments at an end."""
        if self.on[i]:
            return self._cost(i) + sum(self._cost(k) for k in self.on[i])
        x, y, z = self.mounts[i].h
        across = _turned(x, y, -self.turn[i])
        small = 1e-14 * max(abs(x), abs(y), abs(z))
        return self._cost(i) + ENTRY * sum(abs(entry) > small for entry in across)

    def _cost(self, i: int) -> float:
        """Products left by the pose of link i in what carries it."""
        mount = self.mounts[i]
        if mount.carrier < 0:
            return 0.0  # the base does not move: constants stay constant
        g, alpha, theta = self._left(i)
        rest = 0.0 if is_quarter(theta) else ANGLE if mount.turns else TURN
        work = TURN * ((not is_quarter(g)) + (not is_quarter(alpha))) + rest
        return work + ENTRY * sum(abs(entry) > self.small for entry in self._position(i))

    def _left(self, i: int) -> tuple[float, float, float]:
        """Angles g, alpha and theta as chosen so far."""
        (g, alpha, theta), carrier = self.angles[i], self.mounts[i].carrier
        before = self.turn[carrier] if carrier >= 0 else 0.0
        if alpha in (0.0, pi):  # z stays on its line: one turn in all
            return 0.0, alpha, theta + self.turn[i] - cos(alpha) * before
        return g - before, alpha, theta + self.turn[i]

    def _position(self, i: int) -> tuple[float, float, float]:
        """The p of link i as chosen so far."""
        (px, py, pz), (zx, zy, zz), d = self.p[i], self.z[i], self.shift[i]
        carrier = self.mounts[i].carrier
        x, y, z = px + d * zx, py + d * zy, pz + d * zz
        if carrier < 0:
            return x, y, z
        return *_turned(x, y, -self.turn[carrier]), z - self.shift[carrier]

    def _turns(self, i: int) -> list[float]:
        """Turns that take something away: a g, a component of p, a constant turn, one of h."""
        found = []
        for k in self.on[i][:TRIED]:
            g, alpha, _ = self.angles[k]
            found += [] if alpha in (0.0, pi) else [g]
            found.append(atan2(self.p[k][1], self.p[k][0]))
        mount = self.mounts[i]
        if not mount.turns:
            found.append(self.turn[i] - self._left(i)[2])
        return found if self.on[i] else [*found, atan2(mount.h[1], mount.h[0])]

    def _shifts(self, i: int) -> list[float]:
        """Shifts that take a component of p away, of a link on this one or of its own."""
        here, was = self._position(i), self.shift[i]
        found = [was + self._position(k)[2] for k in self.on[i][:TRIED]]
        self.shift[i] = was + 1.0
        there = self._position(i)
        self.shift[i] = was
        slopes = [b - a for a, b in zip(here, there, strict=True)]
        return found + [was - a / s for a, s in zip(here, slopes, strict=True) if abs(s) > LEAST]


def is_quarter(angle: float) -> bool:
    """Whether a turn is a whole number of quarter turns, which cost nothing."""
    c, s = exact(angle)
    return c * s == 0.0


def typical_size(mounts: Sequence[Mount]) -> float:
    """The largest distance between neighbouring joints along a coordinate axis."""
    return max((float(np.abs(mount.X_PF.p).max()) for mount in mounts), default=0.0)


def _turned(x: float, y: float, angle: float) -> tuple[float, float]:
    c, s = exact(angle)
    return c * x - s * y, s * x + c * y


def _along_z(angle: float, d: float) -> Pose:
    """Turned about z and shifted along z."""
    c, s = exact(angle)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return Pose(R, np.array([0.0, 0.0, d]))
