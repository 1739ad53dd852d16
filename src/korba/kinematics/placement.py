"""A position of a mechanism: the pose of every body and the coordinates of every joint.

Positions are kept per body, not along a tree, so closed mechanisms need no special care: a joint
that is not quite closed has a `gap`, and `closed` takes all gaps out by Newton's method.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..model.drawing import drawing
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..spatial.pose import Pose
from ..spatial.rotation import Array, rotation_about, vee
from ..topology.graph import Graph, graph_of

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True, eq=False)
class Placement:
    """Body poses by number (the base first) and joint coordinates by number."""

    m: Mechanism
    graph: Graph
    X_WB: tuple[Pose, ...]
    q: tuple[Array, ...]
    X_PF: tuple[Pose, ...]
    X_BM: tuple[Pose, ...]
    scale: float
    """A length typical for the mechanism; lengths are divided by it before ranks are taken."""

    @cached_property
    def _X_WM(self) -> list[Pose]:
        ends = self.graph.ends
        return [self.X_WB[b] @ X_BM for (_, b), X_BM in zip(ends, self.X_BM, strict=True)]

    def X_WM(self, joint: int) -> Pose:
        """Frame M of a joint, as its child carries it."""
        return self._X_WM[joint]

    def gap(self, joint: int) -> Array:
        """Small motion of M that would close the joint, in world axes about Mo (angular first)."""
        X_WF = self.X_WB[self.graph.ends[joint][0]] @ self.X_PF[joint]
        wanted = X_WF @ self.m.joints[joint].pose(self.q[joint])
        found = self.X_WM(joint)
        turn = wanted.R @ found.R.T
        return np.concatenate([rotation_vector(turn), wanted.p - found.p])


def rotation_vector(R: Array) -> Array:
    """Axis times angle of a rotation."""
    w = vee(R - R.T) / 2
    sine, cosine = float(np.linalg.norm(w)), (np.trace(R) - 1) / 2
    if sine > 1e-12:
        return np.asarray(w / sine * np.arctan2(sine, cosine))
    if cosine > 0:
        return w
    half_turn = R + np.eye(3)  # 2 u u' for the axis u
    axis = half_turn[:, np.argmax(np.diag(half_turn))]
    return np.asarray(np.pi * axis / np.linalg.norm(axis))


def drawn_placement(m: Mechanism) -> Placement:
    """The position of the drawing."""
    placed = drawing(m)
    graph = graph_of(m)
    frames = [(placed.X_PF(joint), placed.X_BM(joint)) for joint in m.joints]
    return Placement(
        m,
        graph,
        tuple(placed.X_WB[name] for name in graph.bodies),
        tuple(placed.q[joint.name] for joint in m.joints),
        tuple(X_PF for X_PF, _ in frames),
        tuple(X_BM for _, X_BM in frames),
        typical_length([X.p for X in placed.X_WM.values()]),
    )


def typical_length(points: list[Array]) -> float:
    """Median distance of neighbours in the list of joint points; 1 where they coincide."""
    if len(points) < 2:
        return 1.0
    steps = np.linalg.norm(np.diff(np.array(points), axis=0), axis=1)
    steps = steps[steps > 1e-9]
    return float(np.median(steps)) if len(steps) else 1.0


def moved(place: Placement, twists: Array, rates: list[Array]) -> Placement:
    """Bodies moved by small `twists` (count x 6, world axes, about each body's origin)."""
    poses = [place.X_WB[0]]
    for X, (wx, wy, wz, *v) in zip(place.X_WB[1:], twists[1:], strict=True):
        w = np.array([wx, wy, wz])
        angle = float(np.linalg.norm(w))
        R = rotation_about(w / angle, angle) if angle > 0 else np.eye(3)
        poses.append(Pose(R @ X.R, X.p + np.array(v)))
    coordinates = [
        stepped(joint, q, rate)
        for joint, q, rate in zip(place.m.joints, place.q, rates, strict=True)
    ]
    return Placement(
        place.m, place.graph, tuple(poses), tuple(coordinates), place.X_PF, place.X_BM, place.scale
    )


def stepped(joint: Joint, q: Array, rate: Array) -> Array:
    """Coordinates after one step of the given rate; quaternions stay unit."""
    new = np.asarray(q + joint.qdot(q, rate)) if len(rate) else q
    if joint.nq > joint.nv:
        new[-4:] /= np.linalg.norm(new[-4:])
    return new


def solve_least(A: sparse.csr_matrix, b: Array) -> Array:
    """The smallest x with A x as near b as can be; A may have dependent rows.

    Numbers that are not finite give an x that is not.
    """
    if not (np.all(np.isfinite(A.data)) and np.all(np.isfinite(b))):
        return np.full(A.shape[1], np.nan)
    if A.shape[1] <= 400:
        return np.asarray(np.linalg.lstsq(A.toarray(), b, rcond=1e-9)[0])
    from scipy import sparse
    from scipy.sparse.linalg import splu

    weak = 1e-13 * sparse.identity(A.shape[0], format="csc")
    return np.asarray(A.T @ splu((A @ A.T + weak).tocsc()).solve(b))
