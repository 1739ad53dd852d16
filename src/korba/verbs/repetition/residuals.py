"""Residuals of loops and of their velocities, repeated over joints that are alike.

A joint that closes a loop is where its parent has it and where its child has it; the turn and the
way between the two are the residuals, in the world's axes. Those of velocities are the rows of
dynamics/bodies.py:  V_child - V_parent - S v.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from ...codegen.repetition import Block, Repetition, Spot
from ...kinematics.velocity import of_parent
from ...spatial.pose import Pose, identity
from ...spatial.rotation import Array, vee
from ...system.system import System
from .pairs import Joined, joint_frames, whole


def repeated_residuals(system: System, sizes: Mapping[str, int]) -> Repetition:
    """Residuals of the loops in positions and velocities as a repetition."""
    return _Residuals(system, sizes).program()


class _Residuals(Joined):
    """Places and motions of the links, then the residuals of the joints that close loops."""

    def program(self) -> Repetition:
        """All steps."""
        self.motions()
        self._places()
        closing = {tie.joint.name for tie in self.system.ties}
        ties = [j for j, pair in enumerate(self.pairs) if pair.tie.joint.name in closing]
        for n, j in enumerate(ties):
            pair = self.pairs[j]
            blocks = self.own(j, ("q", "v"))
            for end, link in pair.ends:
                blocks |= {f"{end} at": self._place(link), f"motion of {end}": self.motion(link)}
            blocks["residual"] = Spot("out0", self.size * n, self.size)
            blocks["speed"] = Spot("out1", self.size * n, self.size)
            self.steps.formula(
                ("residual", pair.kind), partial(residuals, pair.values, self.at.space), blocks
            )
        shape = (self.size * len(ties),)
        name = self.tree.m.name or "the mechanism"
        return self.steps.repetition(name, self.inputs.items(), (shape, shape))

    def _place(self, link: int) -> Block:
        return ("place", link), 4 if self.size == 3 else 12

    def _places(self) -> None:
        """Where every link is, from the link it hangs on."""
        by_name = {pair.tie.joint.name: j for j, pair in enumerate(self.pairs)}
        for n, link in enumerate(self.tree.links):
            j = by_name[link.joint.name]
            pair, outward = self.pairs[j], self.pairs[j].tie.child == n
            blocks = self.own(j, ("q",)) | {"found": self._place(n)}
            if link.parent >= 0:
                blocks["before"] = self._place(link.parent)
            formula = partial(link_place, pair.values, self.at.space, outward)
            self.steps.formula(("place", pair.kind, outward, link.parent < 0), formula, blocks)


def _pose(x: Array) -> Pose:
    """A pose in its numbers: cosine, sine, x and y in a plane, all of it in space."""
    if len(x) == 12:
        return Pose(x[:9].reshape(3, 3), x[9:])
    c, s, px, py = x
    return Pose(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]], dtype=object), np.array([px, py, 0]))


def link_place(
    values: Mapping[str, Any], space: tuple[int, ...], outward: bool, x: Mapping[str, Array]
) -> dict[str, Array]:
    """Where a mass centre is, with its axes, from that of the link before it."""
    X_cK, X_pK, _ = joint_frames(values, space, x)
    X_in, X_out = (X_pK, X_cK) if outward else (X_cK, X_pK)
    X = (_pose(x["before"]) if "before" in x else identity()) @ X_in @ X_out.inverse()
    R = np.asarray(X.R)
    if len(space) == 6:
        return {"found": np.concatenate([R.ravel(), X.p])}
    return {"found": np.array([R[0, 0], R[1, 0], X.p[0], X.p[1]], dtype=object)}


def residuals(
    values: Mapping[str, Any], space: tuple[int, ...], x: Mapping[str, Array]
) -> dict[str, Array]:
    """Residuals of one joint."""
    frames = joint_frames(values, space, x)
    at, speed = {}, -(frames[2] @ x["v"]) if "v" in x else np.zeros(6)
    for end, X, sign in (("child", frames[0], 1.0), ("parent", frames[1], -1.0)):
        at[end] = (_pose(x[f"{end} at"]) if f"{end} at" in x else identity()) @ X
        if f"motion of {end}" in x:
            V = whole(space, x[f"motion of {end}"])[0]
            speed = speed + sign * of_parent(X, V)
    turn = np.asarray(at["parent"].R @ at["child"].R.T)
    residual = np.concatenate([0.5 * (vee(turn) - vee(turn.T)), at["parent"].p - at["child"].p])
    return {"residual": residual[list(space)], "speed": speed[list(space)]}
