"""What `kb.reactions` returns: force and moment of every joint, efforts of drives, friction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..display import Displayed, columns, described
from ..errors import StructureError
from ..spatial.rotation import Array


class JointWrench(NamedTuple):
    """Force of the parent on the child, its moment about `point`, and that point; world axes."""

    force: Array
    moment: Array
    point: Array

    def __repr__(self) -> str:
        return described(self)

    def about(self, point: Any) -> JointWrench:
        """The same with the moment about another point of the world."""
        p = np.asarray(point, dtype=float)
        arm = self.point - p
        return JointWrench(self.force, self.moment + np.cross(arm, self.force), p + 0.0 * arm)

    def __neg__(self) -> JointWrench:
        """What the child does to the parent."""
        return JointWrench(-self.force, -self.moment, self.point)


@dataclass(frozen=True, eq=False)
class Reactions(Displayed):
    """Forces, moments and the points they are about, (..., joints, 3) each, in world axes.

    `reactions["elbow"]` gives those of one joint, `reactions.driving["crank"]` the force or moment
    of a drive.
    """

    joints: tuple[str, ...]
    """Names of the joints, those of rotors and elastic joints written out."""
    force: Array
    moment: Array
    point: Array
    drives: tuple[str, ...] = ()
    """Names of the drives; one that prescribes several motions stands there with each."""
    efforts: Array = field(default_factory=lambda: np.zeros(0))
    """Forces or moments of the drives, (..., drives)."""
    notes: tuple[str, ...] = ()
    """What they leave out, and where it jams."""
    friction: Mapping[str, Array] = field(default_factory=dict)
    """Efforts of friction in the velocities of each joint that has it, (..., nv of the joint)."""
    losses: Mapping[str, Array] = field(default_factory=dict)
    """Power that friction takes in each joint, (...)."""
    contacts: Mapping[str, Array] = field(default_factory=dict)
    """Of each guide with friction the forces of its two contacts on the child, (..., 2, 3)."""
    jammed: Array = field(default_factory=lambda: np.zeros((), dtype=bool))
    """Where friction leaves no solution, (...)."""

    def __getitem__(self, joint: str) -> JointWrench:
        """Force, moment and point of a joint by its name."""
        if joint not in self.joints:
            known = ", ".join(self.joints)
            raise StructureError(f"there is no joint {joint!r} here; there are {known}")
        i = self.joints.index(joint)
        return JointWrench(self.force[..., i, :], self.moment[..., i, :], self.point[..., i, :])

    @property
    def driving(self) -> dict[str, Array]:
        """The forces and moments of the drives by name."""
        return {name: self.efforts[..., i] for i, name in enumerate(self.drives)}

    def __str__(self) -> str:
        """The largest force and moment of every joint, and what the drives range over."""
        rows = [("joint", "force", "moment")]
        for i, name in enumerate(self.joints):
            parts = self.force[..., i, :], self.moment[..., i, :]
            force, moment = (np.linalg.norm(part, axis=-1).max(initial=0.0) for part in parts)
            rows.append((name, f"{force:.4g} N", f"{moment:.4g} N m"))
        drives = [
            f"  drive {name}: {np.min(effort):.4g} to {np.max(effort):.4g}"
            for name, effort in self.driving.items()
            if np.size(effort)
        ] + [f"  note: {note}" for note in self.notes]
        states = int(np.prod(self.force.shape[:-2]))
        of = f", largest of {states} positions" if states > 1 else ""
        return "\n".join(
            [f"Forces of the parent on the child in every joint{of}", *columns(rows), *drives]
        )
