"""Positions of any mechanism by Newton's method from many random starts.

All starts go together, in steps of least size (positions/closed.py). What closes is compared by the
poses of the bodies: two positions are one mode if every body stands in the same place. A leg from a
universal joint to a ball can stand between the same points in two ways, half a turn about itself
apart: six such legs repeat a pose of a platform 64 times, and it counts once. Residuals of
rotations are sines, so a joint turned by half a turn would pass; it is sorted out. A search proves
nothing about modes it has not met: it says how often it met each, and goes on while some were met
by few starts only.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..expr import variables
from ..kinematics.couplings import all_coordinates
from ..kinematics.rows import Moving
from ..model.body import GROUND
from ..model.drawing import joints_by_body
from ..model.joint import Joint
from ..positions.closed import closed, random_starts, tie_trace
from ..positions.least_steps import FROM_AFAR
from ..positions.loop_system import LoopSystem
from ..spatial.rotation import Array
from ..structure.groups import Groups
from ..system.store import kept
from ..system.system import System, ties
from ..system.tree import Tree
from ..verbs.verb import verb
from .planar_modes import Bar

SAME = 1e-6
"""Poses nearer than this, in typical lengths and radians, are one."""
GOOD = 1e-12
"""Residual of a closed position, in typical lengths and radians."""
ROUND, MOST, OFTEN = 300, 6000, 4
"""Starts of a round and of all rounds, and from how many of them a mode is met that ends them."""
Idle = tuple[str, ...]
"""Bodies of which the poses do not tell positions apart: those that may move idly."""


@dataclass(frozen=True, eq=False)
class Question:
    """What is looked for: positions of loops with something held, at values."""

    system: LoopSystem
    given: dict[str, float]
    t: float
    groups: Groups

    @property
    def held(self) -> Array:
        """The values, in the order of the coordinates held."""
        return np.array(list(self.given.values()))

    @property
    def wanted(self) -> Array:
        """What the loop system wants: the values, and nothing added to drives."""
        return np.concatenate([self.held, np.zeros(self.system.wanted - len(self.given))])


@dataclass(eq=False)
class Search:
    """Closed positions that differ, and from how many starts each was reached.

    Angles that cannot be turned back by whole turns stay near a position, or near the drawing.
    """

    asked: Question
    near: Array
    q: list[Array] = field(default_factory=list)
    marks: list[Array] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    starts: int = 0

    @property
    def enough(self) -> bool:
        """Whether each mode was met often, or none at all."""
        return not self.counts or min(self.counts) >= OFTEN

    def further(self, starts: int) -> None:
        """More random starts."""
        system, wanted, t = self.asked.system, self.asked.wanted, self.asked.t
        random = random_starts(system, wanted, starts, seed=self.starts)
        self.starts += starts
        turned = [turned_back(system, each) for each in truly(system, random, wanted, t)]
        here = [each for each in turned if _of_this_turn(system, each, self.near)]
        for each, mark in zip(here, features(system, here, self.asked.groups.local), strict=True):
            same = [k for k, x in enumerate(self.marks) if np.abs(mark - x).max() < 10 * SAME]
            if same:
                self.counts[same[0]] += 1
            else:
                self.q.append(each)
                self.marks.append(mark)
                self.counts.append(1)


def search(asked: Question, near: Array, starts: int | None, bar: Bar) -> Search:
    """So many random starts; or rounds of them until each mode was met often, or none at all."""
    found, most = Search(asked, near), MOST if starts is None else starts
    with closing(bar(most, "starts")) as shown:
        while found.starts < most and not (found.starts and starts is None and found.enough):
            found.further(min(ROUND, most - found.starts))
            shown(found.starts, found.starts)
    return found


def turned_back(system: LoopSystem, q: Array) -> Array:
    """Angles less whole turns, nearest to the drawing, where a joint does not feel the difference;
    quaternions of the sign nearest to the drawing.
    """
    q = q.copy()
    used = coupled(system)
    for joint, places in _places(system):
        for turn in joint.quaternions:
            sign = [places[i] for i in turn]
            q[sign] *= -1.0 if q[sign] @ system.drawn[sign] < 0 else 1.0
        for i, (name, kind) in enumerate(
            zip(joint.coordinates(), joint.coordinate_kinds, strict=True)
        ):
            if kind == "angle" and name not in used and name not in system.held:
                q[places[i]] = _less_turns(joint, q[places], i, system.drawn[places[i]])
    return q


def _less_turns(joint: Joint, q: Array, i: int, drawn: float) -> float:
    """The i-th coordinate of a joint less whole turns, if its pose stays."""
    turns = -np.ceil((q[i] - drawn) / (2 * np.pi) - 0.5)
    if not turns:
        return float(q[i])
    other = q.copy()
    other[i] += 2 * np.pi * turns
    X, Y = joint.pose(q), joint.pose(other)
    size = 1e-9 * max(float(np.abs(X.p).max()), float(np.abs(Y.p).max()))
    same = np.abs(X.R - Y.R).max() < 1e-9 and np.abs(X.p - Y.p).max() <= size
    return float(other[i] if same else q[i])


def coupled(system: LoopSystem) -> set[str]:
    """Coordinates that couplings use or give."""
    laws = system.m.couplings
    return {name for each in laws for name in (each.coordinate, *variables(each.law))}


def _places(system: LoopSystem) -> list[tuple[Joint, list[int]]]:
    """Every joint with independent coordinates only, and their places in q."""

    def made() -> list[tuple[Joint, list[int]]]:
        place = {system.tree.coordinates[i]: k for k, i in enumerate(system.tree.free_q)}
        return [
            (joint, [place[name] for name in joint.coordinates()])
            for joint in system.m.joints
            if all(name in place for name in joint.coordinates())
        ]

    return kept(system.m, "places of joints", made)


def _of_this_turn(system: LoopSystem, q: Array, near: Array) -> bool:
    """Whether angles that could not be turned back are within half a turn of the near position,
    and wheels in mesh lie on the side where they were drawn.
    """
    for joint, places in _places(system):
        for k, kind in zip(places, joint.coordinate_kinds, strict=True):
            away = min(abs(q[k] - system.drawn[k]), abs(q[k] - near[k]))
            if kind == "angle" and away > np.pi + 1e-9:
                return False
        sided = [places[joint.coordinate_names.index(name)] for name in joint.one_sided]
        if np.any(q[sided] * system.drawn[sided] <= 0):
            return False
    return True


def features(system: LoopSystem, q: Sequence[Array] | Array, idle: Idle = ()) -> Array:
    """What tells positions apart, in a row for each of them."""
    rows = np.reshape(np.asarray(q, dtype=float), (len(q), system.tree.nq))
    return np.asarray(standing.compiled(system.m, idle=idle)(rows, check_finite=False))


@verb(closed=True, checks={"idle": lambda m, idle, options: tuple(idle)})
def standing(system: System, q: Any, idle: Idle = ()) -> Array:
    """Rotations and places of the bodies but idle ones, in typical lengths, in a row.

    Of a leg that spins on itself it is the places of its joints, and the directions of its guides.
    """
    tree, scale = system.tree, system.scale
    at = Moving(tree, all_coordinates(tree, q))
    legs = _legs(tree)
    marks = ties(tree, [j for j in tree.m.joints if legs & {j.parent, j.child}])
    parts = [
        np.concatenate([X.R.ravel(), X.p / scale])
        for link, X in zip(tree.links, at.X_WL, strict=True)
        if link.name not in idle and link.name not in legs
    ]
    for tie in marks:
        X = at.pose(tie.child) @ tie.X_LM
        parts.append(np.concatenate([X.p / scale, X.R[:, 2] if tie.joint.shifts_only else []]))
    return np.concatenate([np.zeros(1), *parts])


@verb(closed=True)
def traces(system: System, q: Any) -> Array:
    """(1) of closed.py of every tie, and 3."""
    at = Moving(system.tree, all_coordinates(system.tree, q))
    three = 3.0 + 0 * q[0] if len(q) else 3.0
    return np.array([three, *(tie_trace(at, tie) for tie in ties(system.tree))])


def _legs(tree: Tree) -> set[str]:
    """Bodies of legs from a universal joint to a ball, with a slide between them or without.

    Only there half a turn of the leg about itself moves nothing else.
    """
    joints = joints_by_body(tree.m.joints)
    legs: set[str] = set()
    for cross in (joint for joint in tree.m.joints if joint.centred and joint.nv == 2):
        for first in (cross.parent, cross.child):
            way, last, joint = [first], first, cross
            while len(joints[last]) == 2 and last != GROUND:
                joint = next(each for each in joints[last] if each is not joint)
                if not joint.shifts_only:
                    break
                last = joint.other(last)
                way.append(last)
            if joint.turns_all_ways and len(joints[last]) == 2 and GROUND not in way:
                legs |= set(way)
    return legs


def apart(system: LoopSystem, q: Array, others: Sequence[Array], idle: Idle = ()) -> list[float]:
    """How far bodies are from where they stand in q, in typical lengths and radians."""
    here, *there = features(system, [q, *others], idle)
    return [float(np.abs(each - here).max()) for each in there]


def truly(system: LoopSystem, q: Array, wanted: Array, t: float) -> list[Array]:
    """Positions closed to rounding from those nearby, without those that only seem to be closed."""
    if not len(q):
        return []
    q, gap = closed(system, q, wanted, t, FROM_AFAR)
    q, gap = closed(system, q[gap <= SAME], wanted, t)
    near = q[gap <= GOOD]
    turns = traces.compiled(system.m)(near, check_finite=False) if len(near) else np.zeros((0, 1))
    return list(near[(turns >= 2.0).all(axis=1)])
