"""Where driven motion ends, in words: what stands in line at the fold of its path (folds.py).

At a dead point of a linkage two neighbouring links are in line: the force that one passes to the
other goes through the pin that it should turn about. A rod at right angles to a guide does not
move its slide.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ..errors import DeadPointError
from ..kinematics.couplings import all_coordinates
from ..kinematics.rows import Moving
from ..model.drawing import drawing
from ..model.joint import Joint
from ..positions.allowed import allowed
from ..positions.folds import Fold, fold_after, last_of
from ..positions.follow import Along, Nodes, on_time
from ..positions.loop_system import LoopSystem
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
    pins = [place for place in places.values() if place.joint.pivots]
    slides = [place for place in places.values() if place.joint.shifts_only]
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


def dead_point(system: LoopSystem, nodes: Nodes, end: float, motion: Any) -> DeadPointError:
    """The error of a motion that cannot go on to its end, with the place where it stops."""
    fold = fold_after(Along(system, on_time(system)), nodes)
    if fold.s - end > 1e-9 * abs(end - nodes.s[0]):
        fold = last_of(nodes)
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


def stuck(system: LoopSystem, q: Array, t: float) -> list[str]:
    """Coordinates that move most in the motion that the drives do not feel."""
    vector = np.abs(allowed(system, q, t, rank=system.tree.nv - 1).N[:, -1] / system.units)
    names = [system.tree.velocities[i] for i in system.tree.free_v]
    order = np.argsort(-vector)
    return [names[i] for i in order[:3] if vector[i] > 0.1 * vector[order[0]]]
