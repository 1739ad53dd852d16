"""Joints that are alike, with the bodies they tie: their numbers, and the motion of the bodies.

A joint is described by its frames from the mass centres of its two bodies, its subspace S in the
axes of its rows (bodies.py of the room dynamics) and the complement T of S, and by the masses of
the bodies. Joints of one class differ in these numbers only (classes.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...codegen.repetition import Block, Repeater, Spot
from ...dynamics.bodies import Centred, body_matrix
from ...dynamics.massless import is_light
from ...kinematics.velocity import of_parent
from ...spatial.pose import Pose, in_axes, twist_matrix
from ...spatial.rotation import Array
from ...spatial.subspace import complement
from ...structure.mobility import mobility
from ...system.alike import FEWEST, PARAMETERS, SHARE, numbered
from ...system.numbers import apart, pattern, together
from ...system.system import System, Tie, ties


def takes(system: System) -> bool:
    """Whether the accelerations of a system can be repeated over its joints.

    Nothing acts but weight, no body is light, no constraint to spare, and subspaces are constant.
    """
    m, tree = system.m, system.tree
    if m.forces or m.drives or m.couplings or system.parameters or not system.ties:
        return False
    if any(is_light(link, m.plane is not None) for link in tree.links):
        return False
    if not all(map(_constant, m.joints)):
        return False
    report, size = mobility(m), len(system.space)
    rows = sum(size - joint.nv for joint in m.joints)
    return rows == size * len(tree.links) - report.velocities - report.local


def _constant(joint: Any) -> bool:
    """Whether the subspace of a joint is the same at all its positions."""
    q = np.asarray(joint.drawn_coordinates, dtype=float)
    there = joint.normalised(q + 0.3 + 0.1 * np.arange(len(q)))
    S, other = (np.asarray(joint.motion_subspace(x), dtype=float) for x in (q, there))
    return bool(np.array_equal(S, other))


@dataclass(frozen=True, eq=False)
class Pair:
    """A joint with the bodies it ties, as numbers of a class and the number of the class."""

    tie: Tie
    values: dict[str, Any]
    """What steps ask for: constants, and symbols where joints of the class differ."""
    kind: Hashable
    parameters: Array

    @property
    def rows(self) -> int:
        """Count of its rows."""
        return int(self.values["T"].shape[1])

    @property
    def ends(self) -> list[tuple[str, int]]:
        """Its bodies, those that are not the base."""
        both = ("child", self.tie.child), ("parent", self.tie.parent)
        return [(end, link) for end, link in both if link >= 0]


def pairs(system: System, at: Centred) -> list[Pair]:
    """All joints, in classes."""
    joints = ties(system.tree, system.m.joints)
    damping = {link.joint.name: link.damping for link in system.tree.links}
    described = [_described(system, at, tie, damping) for tie in joints]
    parts = [apart(each) for each in described]
    marks = [
        (what, tie.child < 0, tie.parent < 0) for (what, _), tie in zip(parts, joints, strict=True)
    ]
    shown = [(mark, pattern(x)) for mark, (_, x) in zip(marks, parts, strict=True)]
    often, enough = Counter(shown), max(FEWEST, len(joints) // SHARE)
    kinds = [each if often[each] >= enough else (each[0], None) for each in shown]
    found: list[Any] = [None] * len(joints)
    for number, kind in enumerate(dict.fromkeys(kinds)):
        members = [i for i, each in enumerate(kinds) if each == kind]
        values, columns = numbered(np.array([parts[i][1] for i in members]))
        template = together(described[members[0]], iter(values))
        for i in members:
            own = np.array(parts[i][1])[columns]
            found[i] = Pair(joints[i], template, (number, len(columns)), own)
    return found


def _described(
    system: System, at: Centred, tie: Tie, damping: Mapping[str, float]
) -> dict[str, Any]:
    """Frames of a joint from the mass centres, S and its complement, and 1 / root of M~.

    Damping is that of the link that hangs on a joint, which a caller may have taken away.
    """
    planar, space = len(at.space) == 3, list(at.space)
    X_cM = at.centre(tie.child).inverse() @ tie.X_LM
    X_pF = at.centre(tie.parent).inverse() @ tie.X_LF
    S = np.asarray(tie.joint.motion_subspace(tie.joint.drawn_coordinates), dtype=float)
    S = (in_axes(np.asarray(X_cM.R), S) if planar else S)[space]
    return {
        "joint": tie.joint,
        "X_cM": _plain(X_cM),
        "X_pF": _plain(X_pF),
        "S": S,
        "T": complement(S),
        "child": roots_of(system, at, tie.child),
        "parent": roots_of(system, at, tie.parent),
        "damping": float(damping.get(tie.joint.name, tie.joint.damping)),
    }


def _plain(X: Pose) -> Pose:
    return Pose(np.asarray(X.R, dtype=float), np.asarray(X.p, dtype=float))


def roots_of(system: System, at: Centred, link: int) -> Array:
    """M~^-1/2 of a body, its diagonal; nothing of the base."""
    if link < 0:
        return np.zeros(0)
    M = body_matrix(system.tree.links[link], at.centre(link), at.space).astype(float)
    return np.asarray(M.diagonal() ** -0.5)


class Joined:
    """Links and joints of a system, where their numbers lie, and the steps in their order."""

    def __init__(self, system: System, sizes: Mapping[str, int]) -> None:
        self.system, self.tree = system, system.tree
        drawn = np.concatenate([np.zeros(0), *(j.drawn_coordinates for j in system.m.joints)])
        self.at = Centred(self.tree, np.asarray(drawn, dtype=float))
        self.size = len(self.at.space)
        self.inputs = dict(sizes)
        self.pairs = pairs(system, self.at)
        self.steps = Repeater()

    def motion(self, link: int) -> Block:
        """Twist of a link, and gravity, in its axes."""
        return ("motion", link), self.size + (2 if self.size == 3 else 3)

    def own(self, j: int, names: tuple[str, ...]) -> dict[str, Block | Spot]:
        """Inputs of a joint, and its parameters."""
        pair = self.pairs[j]
        found: dict[str, Block | Spot] = {}
        for name in names:
            part = pair.tie.q if name == "q" else pair.tie.v
            if part.stop > part.start:
                array = f"in{[*self.inputs].index(name)}"
                found[name] = Spot(array, part.start, part.stop - part.start)
        if len(pair.parameters):
            found[PARAMETERS] = self.steps.constant(("joint", j), pair.parameters)
        return found

    def motions(self) -> None:
        """V and gravity of every link in its axes, from the link it hangs on."""
        by_name = {pair.tie.joint.name: j for j, pair in enumerate(self.pairs)}
        for n, link in enumerate(self.tree.links):
            j = by_name[link.joint.name]
            pair, outward = self.pairs[j], self.pairs[j].tie.child == n
            blocks = self.own(j, ("q", "v")) | {"found": self.motion(n)}
            if link.parent >= 0:
                blocks["before"] = self.motion(link.parent)
            base = None if link.parent >= 0 else self.system.gravity
            formula = partial(link_motion, pair.values, self.at.space, outward, base)
            self.steps.formula(("motion", pair.kind, outward, link.parent < 0), formula, blocks)


def whole(space: tuple[int, ...], x: Array) -> tuple[Array, Array]:
    """Twist and gravity of a link as vectors in space."""
    V, g = np.zeros(6, dtype=object), np.zeros(3, dtype=object)
    V[list(space)] = x[: len(space)]
    g[: len(x) - len(space)] = x[len(space) :]
    return V, g


def joint_frames(values: Mapping[str, Any], space: tuple[int, ...], x: Mapping[str, Array]) -> Any:
    """X_cK, X_pK and S as columns of 6."""
    X_cM, X_pF, S = (
        values["X_cM"],
        values["X_pF"],
        np.zeros((6, values["S"].shape[1]), dtype=object),
    )
    S[list(space)] = values["S"]
    X_pM = X_pF @ values["joint"].pose(x.get("q", np.zeros(0)))
    if len(space) == 6:
        return X_cM, X_pM, S
    return Pose(np.eye(3), X_cM.p), Pose(X_pM.R @ X_cM.R.T, X_pM.p), S


def link_motion(
    values: Mapping[str, Any],
    space: tuple[int, ...],
    outward: bool,
    gravity: Array | None,
    x: Mapping[str, Array],
) -> dict[str, Array]:
    """V and gravity of a link from those of the one before it, or of the base."""
    before = (np.zeros(6), gravity) if gravity is not None else whole(space, x["before"])
    X_cK, X_pK, S = joint_frames(values, space, x)
    X_in, X_out, sign = (X_pK, X_cK, 1.0) if outward else (X_cK, X_pK, -1.0)
    V = of_parent(X_in, before[0])
    if "v" in x:
        V = V + sign * (S @ x["v"])
    V, g = twist_matrix(X_out) @ V, X_out.R @ (X_in.R.T @ before[1])
    return {"found": np.concatenate([V[list(space)], g[: 2 if len(space) == 3 else 3]])}
