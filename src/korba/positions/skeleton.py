"""The bodies of a mechanism on their joints, in numbers: a spanning tree and what it leaves open.

Unknowns are the coordinates of all joints. A joint outside the tree is open by the frame that the
tree gives less the frame that its own coordinates ask for, as a rotation vector and a shift; a
coupling p = F(q) by p - F(q). A twist of the child of a joint, about the origin of the world, is

    V_W = Ad(X_WM) S v

and so the columns of the rows follow by adding joints along the tree. Lengths are in typical
lengths. Nothing is compiled here: a drawing is closed once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import hypot
from typing import Any

import numpy as np

from ..expr import derivative, evaluate, variables
from ..model.body import GROUND
from ..model.coupling import Coupling
from ..model.drawing import joints_by_body, outward
from ..model.joint import Joint, coordinate_names
from ..spatial.pose import Pose, identity
from ..spatial.rotation import Array, rotation_vector, skew
from .least_steps import least_steps

CLOSED = 1e-14
"""Largest residual of what is closed to rounding, in typical lengths and radians."""
LEAST_GAIN = 1e-3
"""Part of the sum of squares that a step takes away unless it is stuck."""
PLANE, SPACE = [2, 3, 4], [0, 1, 2, 3, 4, 5]
"""Rows of a 6-vector that can move."""
Coordinates = dict[str, Array]
"""Coordinates of every joint by its name."""


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints with their frames on the bodies."""

    joints: Sequence[Joint]
    frames: Mapping[str, tuple[Pose, Pose]]
    """X_PF and X_BM of every joint."""
    couplings: Sequence[Coupling]
    planar: bool
    _last: dict[bytes, Any] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def tree(self) -> list[tuple[Joint, str, str]]:
        """Joints that reach a new body from one that is reached, breadth first from the ground."""
        reached, steps = {GROUND}, []
        for step in outward(joints_by_body(self.joints), [GROUND], reached):
            reached.add(step[2])
            steps.append(step)
        return steps

    @cached_property
    def inverses(self) -> dict[str, tuple[Pose, Pose]]:
        """X_FP and X_MB of every joint."""
        return {name: (X.inverse(), Y.inverse()) for name, (X, Y) in self.frames.items()}

    @cached_property
    def closing(self) -> list[Joint]:
        """The joints outside the tree."""
        inside = {joint.name for joint, _, _ in self.tree}
        return [joint for joint in self.joints if joint.name not in inside]

    @cached_property
    def scale(self) -> float:
        """A typical length: the mean distance of two joints on a body; or 1."""
        points: dict[str, list[Array]] = {}
        for joint in self.joints:
            X_PF, X_BM = self.frames[joint.name]
            points.setdefault(joint.parent, []).append(X_PF.p)
            points.setdefault(joint.child, []).append(X_BM.p)
        lengths = [hypot(*(b - a)) for p in points.values() for a, b in pairwise(p)]
        lengths = [length for length in lengths if length > 1e-150]
        return float(np.mean(lengths)) if lengths else 1.0

    @cached_property
    def places(self) -> tuple[dict[str, slice], dict[str, slice]]:
        """Places of every joint's coordinates and velocities."""
        q, v, at_q, at_v = 0, 0, {}, {}
        for joint in self.joints:
            at_q[joint.name], at_v[joint.name] = slice(q, q + joint.nq), slice(v, v + joint.nv)
            q, v = q + joint.nq, v + joint.nv
        return at_q, at_v

    @cached_property
    def units(self) -> Array:
        """Of the velocities: a typical length where they are lengths."""
        kinds = [kind for joint in self.joints for kind in joint.velocity_kinds]
        return np.array([self.scale if kind == "length" else 1.0 for kind in kinds])

    @cached_property
    def place_of(self) -> dict[str, int]:
        """Place of the velocity of every coordinate that is its own velocity."""
        return {
            name: self.places[1][joint.name].start + i
            for joint in self.joints
            if joint.rates_are_velocities
            for i, name in enumerate(joint.coordinates())
        }

    def vector(self, q: Coordinates) -> Array:
        """Coordinates of all joints in one array."""
        return np.concatenate([np.zeros(0), *(q[joint.name] for joint in self.joints)])

    def by_name(self, q: Array) -> Coordinates:
        """The same by the names of the joints."""
        return {name: q[place] for name, place in self.places[0].items()}

    def poses(self, q: Array) -> dict[str, Pose]:
        """X_WB of every body."""
        return self._placed(q)[0]

    def _placed(self, q: Array) -> tuple[dict[str, Pose], dict[str, Pose]]:
        """X_WB and X_WM at coordinates; those of the last ones are kept."""
        key = q.tobytes()
        if key not in self._last:
            self._last.clear()
            self._last[key] = self._placing(self.by_name(q))
        return self._last[key]

    def _placing(self, q: Coordinates) -> tuple[dict[str, Pose], dict[str, Pose]]:
        """X_WB of every body, and X_WM of every joint as its parent and coordinates have it."""
        X_WB, X_WM = {GROUND: identity()}, dict[str, Pose]()
        for joint, body, other in self.tree:
            X_FP, X_MB = self.inverses[joint.name]
            X_PF, X_BM = self.frames[joint.name]
            X_FM = joint.pose(q[joint.name])
            if other == joint.child:
                X_WM[joint.name] = X_WB[body] @ X_PF @ X_FM
                X_WB[other] = X_WM[joint.name] @ X_MB
            else:
                X_WM[joint.name] = X_WB[body] @ X_BM
                X_WB[other] = X_WM[joint.name] @ X_FM.inverse() @ X_FP
        for joint in self.closing:
            X_PF, _ = self.frames[joint.name]
            X_WM[joint.name] = X_WB[joint.parent] @ X_PF @ joint.pose(q[joint.name])
        return X_WB, X_WM

    def gap(self, q: Array) -> float:
        """The largest residual."""
        X_WB, X_WM = self._placed(q)
        rests = [self._open(joint, X_WB, X_WM) for joint in self.closing]
        phi = np.concatenate([np.zeros(0), *rests, self._coupling_rows(self.by_name(q))[0]])
        return float(np.abs(phi).max(initial=0.0))

    def _open(self, joint: Joint, X_WB: dict[str, Pose], X_WM: dict[str, Pose]) -> Array:
        """By how much a joint outside the tree is open."""
        asked, X = X_WM[joint.name], X_WB[joint.child] @ self.frames[joint.name][1]
        if self.planar:
            (cos, _, _), (sin, _, _), _ = X.R @ asked.R.T
            x, y, _ = (X.p - asked.p) / self.scale
            return np.array([np.arctan2(sin, cos), x, y])
        return np.concatenate([rotation_vector(X.R @ asked.R.T), (X.p - asked.p) / self.scale])

    def rows(self, q: Array) -> tuple[Array, Array]:
        """Residuals of the closing joints and of the couplings, and their columns."""
        own, n = self.by_name(q), len(self.units)
        X_WB, X_WM = self._placed(q)
        twists = {GROUND: np.zeros((6, n))}
        for joint, body, other in self.tree:
            V = self._twist(joint, own, X_WM[joint.name], twists[body])
            twists[other] = V if other == joint.child else 2 * twists[body] - V
        phi, J = [np.zeros(0)], [np.zeros((0, n))]
        keep = PLANE if self.planar else SPACE
        for joint in self.closing:
            asked, X = X_WM[joint.name], X_WB[joint.child] @ self.frames[joint.name][1]
            V = self._twist(joint, own, asked, twists[joint.parent])
            V = twists[joint.child] - V
            V[3:] -= skew(X.p) @ V[:3]
            V[3:] /= self.scale
            phi.append(self._open(joint, X_WB, X_WM))
            J.append(V[keep])
        coupled = self._coupling_rows(own)
        whole = np.concatenate([*J, coupled[1]]) * self.units
        return np.concatenate([*phi, coupled[0]]), whole

    def _twist(self, joint: Joint, q: Coordinates, X_WM: Pose, before: Array) -> Array:
        """Columns of the twist of a joint's child about the world's origin; those `before` it."""
        place = self.places[1][joint.name]
        S = np.asarray(joint.motion_subspace(q[joint.name]), dtype=float)
        J, turning = before.copy(), X_WM.R @ S[:3]
        J[:3, place] += turning
        J[3:, place] += X_WM.R @ S[3:] + skew(X_WM.p) @ turning
        return J

    def _coupling_rows(self, q: Coordinates) -> tuple[Array, Array]:
        """p - F(q) of the couplings, and columns."""
        if not self.couplings:
            return np.zeros(0), np.zeros((0, len(self.units)))
        values, place = {"t": 0.0}, dict(self.place_of)
        for joint in self.joints:
            values |= zip(joint.coordinates(), map(float, q[joint.name]), strict=True)
            if joint.elastic is not None:
                rotor, twist = coordinate_names(joint)
                values |= {rotor: values[joint.name], twist: 0.0}
                place[rotor] = place[joint.name]
        phi, J = np.zeros(len(self.couplings)), np.zeros((len(self.couplings), len(self.units)))
        for k, coupling in enumerate(self.couplings):
            unit = self.units[place[coupling.coordinate]]
            phi[k] = (values[coupling.coordinate] - _value(coupling.law, values)) / unit
            J[k, place[coupling.coordinate]] = 1.0 / unit
            for name in variables(coupling.law) & place.keys():
                J[k, place[name]] -= _value(derivative(coupling.law, name), values) / unit
        return phi, J

    def moved(self, q: Array, x: Array) -> Array:
        """Coordinates after a step x, which is in units."""
        at_q, at_v = self.places
        v, new = x * self.units, q.copy()
        for joint in self.joints:
            own = q[at_q[joint.name]]
            rate = np.asarray(joint.qdot(own, v[at_v[joint.name]]), dtype=float)
            new[at_q[joint.name]] = joint.normalised(own + rate)
        return new

    def closed(self, q: Array, held: Array, least_gain: float = LEAST_GAIN) -> tuple[Array, float]:
        """The coordinates closed by steps of least size, and the gap; `held` velocities stay 0."""
        free = np.flatnonzero(~held)

        def rows(q: Array) -> tuple[Array, Any]:
            phi, J = self.rows(q)
            return phi, J[:, free]

        def moved(q: Array, x: Array) -> Array:
            whole = np.zeros(len(self.units))
            whole[free] = x
            return self.moved(q, whole)

        return least_steps(rows, moved, q, CLOSED, least_gain)

    def fitted(self, joint: Joint, X_FM: Pose, q: Array) -> Array:
        """Coordinates of a joint that bring its frames nearest to a pose of M in F."""
        units = self.units[self.places[1][joint.name]]

        def rows(q: Array) -> tuple[Array, Array]:
            X, S = joint.pose(q), np.asarray(joint.motion_subspace(q), dtype=float)
            rest = np.concatenate([rotation_vector(X.R @ X_FM.R.T), (X.p - X_FM.p) / self.scale])
            return rest, np.concatenate([X.R @ S[:3], X.R @ S[3:] / self.scale]) * units

        def moved(q: Array, x: Array) -> Array:
            return joint.normalised(q + np.asarray(joint.qdot(q, x * units), dtype=float))

        start = joint.coordinates_near(X_FM, q)
        return least_steps(rows, moved, start, CLOSED, LEAST_GAIN)[0]


def _value(law: Any, values: Mapping[str, float]) -> float:
    needed = {name: values[name] for name in variables(law)}
    return float(evaluate([law], needed)[0])
