"""Where driven motion ends: a fold of the path, found exactly, and what stands in line there.

Near a dead point what is driven reaches an extreme value along the curve of closed positions. With
the arc length as parameter the curve goes on: its tangent (v, s') is the null vector of the
matrix [J  dPhi/ds], s being the time or a held coordinate, and the fold is where s' changes sign,

    [J  dPhi/ds] (v, s') = 0,   |(v, s')| = 1,   s' = 0

At a dead point of a linkage two neighbouring links are in line: the force that one passes to the
other goes through the pin that it should turn about. A rod at right angles to a guide does not
move its slide.
Source: Keller (1977), Numerical solution of bifurcation and nonlinear eigenvalue problems.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ..errors import DeadPointError
from ..kinematics.couplings import all_coordinates
from ..kinematics.rates import moved
from ..kinematics.rows import Moving
from ..model.drawing import drawing
from ..model.joint import Joint
from ..positions.allowed import allowed, parted
from ..positions.branch import Along, Nodes, on_time
from ..positions.loop_system import LoopSystem
from ..positions.rank import least_solution
from ..spatial.rotation import Array, cross
from ..system.tree import Tree

IN_LINE = 1e-6
"""Sine of the angle up to which links count as in line: folds are found to about 1e-8 rad."""


@dataclass(frozen=True, eq=False)
class Place:
    """A joint in the world: a point, and the direction of its axis."""

    joint: Joint
    p: Array
    axis: Array

    @property
    def bodies(self) -> set[str]:
        """The two bodies it joins."""
        return {self.joint.parent, self.joint.child}


def joint_places(tree: Tree, q: Array) -> dict[str, Place]:
    """The joints of a mechanism at coordinates: their frames on the child body."""
    placed = drawing(tree.m)
    at = Moving(tree, np.asarray(all_coordinates(tree, q), dtype=float))
    found = {}
    for joint in tree.m.joints:
        X_BM = placed.X_BM(joint)
        p, tip = (_point(at, joint.child, x) for x in (X_BM.p, X_BM.p + X_BM.R[:, 2]))
        found[joint.name] = Place(joint, p, tip - p)
    return found


def _point(at: Moving, body: str, x: Any) -> Array:
    return np.asarray(at.body_pose(body).point(x), dtype=float)


def values_at(tree: Tree, q: Array) -> dict[str, float]:
    """Every coordinate by name, dependent ones too."""
    return dict(zip(tree.coordinates, all_coordinates(tree, q).tolist(), strict=True))


def in_line(tree: Tree, q: Array) -> tuple[str, ...]:
    """What stands in line or at right angles, in words: `A, B, C in line`."""
    places = joint_places(tree, q)
    pins = [place for place in places.values() if place.joint.role in {"pin", "ball"}]
    slides = [place for place in places.values() if place.joint.role == "slide"]
    found = []
    for middle in pins:
        near = [(pin, pin.bodies & middle.bodies) for pin in pins if pin is not middle]
        for (one, a), (two, b) in combinations([each for each in near if each[1]], 2):
            if len(a | b) == 2 and _sine(middle.p - one.p, two.p - middle.p) < IN_LINE:
                found.append(f"{one.joint.name}, {middle.joint.name}, {two.joint.name} in line")
        for slide in [slide for slide in slides if slide.bodies & middle.bodies]:
            for one, a in near:
                rod = one.p - middle.p
                if a and not a & slide.bodies and _cosine(rod, slide.axis) < IN_LINE:
                    names = f"{one.joint.name}, {middle.joint.name}"
                    found.append(f"{names} at right angles to {slide.joint.name}")
    return tuple(found)


def _sine(a: Array, b: Array) -> float:
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(np.linalg.norm(cross(a, b))) / size if size > 1e-300 else 1.0


def _cosine(a: Array, b: Array) -> float:
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return abs(float(a @ b)) / size if size > 1e-300 else 1.0


State = tuple[Array, float]
"""Coordinates, and how far along the path."""


@dataclass(frozen=True, eq=False)
class Fold:
    """The place at which a path turns back."""

    s: float
    q: Array
    found: bool
    """Whether the path turns back there; else nothing goes on for another reason."""
    beyond: Array
    """A closed position a little further along the curve: on the other branch."""
    away: tuple[str, ...] = ()
    """Coordinates that run away as s is approached: no position is there, q is the last before."""


def dead_point(system: LoopSystem, nodes: Nodes, end: float, motion: Any) -> DeadPointError:
    """The error of a motion that cannot go on to its end, with the place where it stops."""
    fold = fold_after(Along(system, on_time(system)), nodes)
    if fold.s - end > 1e-9 * abs(end - nodes.s[0]):
        fold = _last(nodes)
    values = values_at(system.tree, fold.q)
    there = values_at(system.tree, fold.q + (fold.s - nodes.s[-1]) * nodes.rate[-1])
    driven = ", ".join(
        f"{drive.coordinate} = {(there if fold.away else values)[drive.coordinate]:.9g}"
        for drive in system.drives
        if drive.coordinate in values
    )
    place = f"t = {fold.s:.9g} s" + (f" ({driven})" if driven else "")
    told = _ended(system, fold, place) if fold.found else _away(fold, place)
    return DeadPointError(
        f"mechanism {system.m.name!r} {told}",
        t=fold.s,
        values=values,
        motion=motion,
    )


def _ended(system: LoopSystem, fold: Fold, place: str) -> str:
    """What is said of a dead point."""
    lines = "".join(f", {each}" for each in in_line(system.tree, fold.q))
    loose = ", ".join(stuck(system, fold.q, fold.s))
    return (
        f"comes to a dead point at {place}{lines}: its drives cannot move it further; {loose} "
        "would have to move without them"
    )


def _away(fold: Fold, place: str) -> str:
    """What is said where the path does not turn back and still does not go on."""
    if fold.away:
        return (
            f"has no position at {place} or after it: {', '.join(fold.away)} run{'s' * _one(fold)} "
            "beyond all bounds as it is approached; drive it to less"
        )
    return (
        f"cannot be followed further than {place}, and no dead point was found there; look for a "
        "drive with a corner or a jump, or for branches that nearly meet"
    )


def _one(fold: Fold) -> bool:
    return len(fold.away) == 1


def fold_after(along: Along, nodes: Nodes) -> Fold:
    """The fold at which followed nodes end, or where slides run away; else the last of them."""
    if nodes.pole is not None:
        return Fold(nodes.pole.s, nodes.q[-1], False, nodes.q[-1], nodes.pole.names)
    ahead = float(np.sign(nodes.s[-1] - nodes.s[0]) or 1)
    unit = float(np.max(np.abs(np.diff(nodes.s)), initial=0.0)) or 1.0
    fold = _Curve(along, unit, ahead).fold((nodes.q[-1], float(nodes.s[-1])))
    return fold if fold.found else _last(nodes)


def _last(nodes: Nodes) -> Fold:
    """The last node, where nothing better is known."""
    return Fold(float(nodes.s[-1]), nodes.q[-1], False, nodes.q[-1])


def stuck(system: LoopSystem, q: Array, t: float) -> list[str]:
    """Coordinates that move most in the motion that the drives do not feel."""
    vector = np.abs(allowed(system, q, t, rank=system.tree.nv - 1).N[:, -1] / system.units)
    names = [system.tree.velocities[i] for i in system.tree.free_v]
    order = np.argsort(-vector)
    return [names[i] for i in order[:3] if vector[i] > 0.1 * vector[order[0]]]


@dataclass(frozen=True, eq=False)
class _Curve:
    """The closed positions around a path, by arc length; s counts in `unit`."""

    along: Along
    unit: float
    ahead: float

    def fold(self, here: State) -> Fold:
        """From a position along the curve to where it turns back."""
        tangent = self.tangent(here, None)
        tangent = tangent if tangent[-1] * self.ahead > 0 else -tangent
        h = 1e-4
        for _ in range(200):
            after = self.corrected(here, tangent, h)
            if after is None:
                h *= 0.5
                if h < 1e-12:
                    break
                continue
            new = self.tangent(after, tangent)
            if new[-1] * self.ahead <= 0:
                return self.bisected(here, tangent, h)
            here, tangent, h = after, new, min(2 * h, 0.05)
        return Fold(here[1], here[0], False, here[0])

    def bisected(self, here: State, tangent: Array, h: float) -> Fold:
        """Where s' = 0 between two positions, s' being nearly linear there."""
        low, high, best = 0.0, h, here
        while high - low > 1e-13:
            middle = 0.5 * (low + high)
            after = self.corrected(here, tangent, middle)
            if after is None:
                break
            best = after
            slope = self.tangent(after, tangent)[-1] * self.ahead
            low, high = (middle, high) if slope > 0 else (low, middle)
        beyond = self.corrected(here, tangent, low + max(h, 1e-2))
        return Fold(best[1], best[0], True, best[0] if beyond is None else beyond[0])

    def matrix(self, at: State) -> tuple[Array, Array]:
        """Residual, and [J  dPhi/ds] without units."""
        (q, s), system = at, self.along.system
        wanted, _, clock = self.along.inputs(s)
        phi, J = system.unitless(q, wanted, clock)
        sides = [self.along.inputs(s + sign * 1e-5 * self.unit) for sign in (1, -1)]
        after, before = (system.residuals(q, wanted, clock) for wanted, _, clock in sides)
        by_s = (after - before) / 2e-5 / system.size
        return phi, np.column_stack([J, by_s])

    def tangent(self, at: State, before: Array | None) -> Array:
        """Unit null vector of the matrix, continuing the direction before."""
        A = self.matrix(at)[1]
        vector = parted(A, np.ones(A.shape[1]), 1.0, rank=A.shape[1] - 1).N[:, -1]
        return np.asarray(-vector if before is not None and vector @ before < 0 else vector)

    def corrected(self, at: State, tangent: Array, h: float) -> State | None:
        """The closed position a distance h along the tangent."""
        at, size = self._moved(at, h * tangent), np.inf
        for _ in range(8):
            phi, A = self.matrix(at)
            x = least_solution(np.vstack([A, tangent]), np.append(-phi, 0.0))
            at, size = self._moved(at, x), float(np.abs(x).max())
            if size < 1e-12 or not size < 1.0:
                break
        return at if size < 1e-9 else None

    def _moved(self, at: State, x: Array) -> State:
        system = self.along.system
        q = np.asarray(moved(system.tree, at[0], x[:-1] * system.units), dtype=float)
        return q, float(at[1] + x[-1] * self.unit)
