"""Drives of a tree in semi-canonical form: some of its coordinates are given functions of time.

With q = (u, d) and d = f(t) the Lagrangian is one of u, u' and t, and its form is that of u alone:

    u' = z_u,   A_uu z_u + A_ud f' = p_u,   p_u' = dL/du + Q_u                             (1)

Momenta of driven coordinates are those that A z has; nobody integrates them. Forces that are given
in driven joints do no more than change what the drives have to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import StructureError
from ..model.drive import Drive
from ..spatial.rotation import Array
from ..system.system import System
from ..wording import named


@dataclass(frozen=True, eq=False)
class Led:
    """The coordinates that drives give, by their places in q and in v."""

    drives: Sequence[Drive]
    q: Sequence[int]
    v: Sequence[int]

    def __bool__(self) -> bool:
        return bool(self.drives)

    def freed(self, x: Any) -> Array:
        """What stands for the velocities, zero for those that are given."""
        if not self:
            return np.asarray(x)
        rest = np.array(x, dtype=object)
        rest[list(self.v)] = 0.0
        return rest

    def set(self, q: Any, z: Any, t: Any) -> tuple[Array, Array]:
        """Coordinates and velocities at a time, those that are given as the drives say."""
        placed, moving = np.array(q, dtype=object), np.array(z, dtype=object)
        for drive, i, j in zip(self.drives, self.q, self.v, strict=True):
            ((placed[i], moving[j], _),) = drive.motion(t)
        return placed, moving


def led(system: System) -> Led:
    """The coordinates of a tree that its drives give; other drives are refused."""
    tree, names = system.tree, [drive.coordinate for drive in system.drives]
    given = {name for i, name in enumerate(tree.coordinates) if i in tree.free_q} & {*tree.rates}
    for drive in system.drives:
        if drive.coordinate not in given:
            raise StructureError(
                f"drive {drive.name!r} of mechanism {system.m.name!r} does not give an independent "
                "coordinate of a joint, so that the momenta of the others have no equations of "
                f"their own; drive coordinates, leave it out, or ask {named('simulate')}"
            )
    q = [tree.free_q.index(tree.coordinates.index(str(name))) for name in names]
    v = [tree.free_v.index(tree.velocity_of(str(name))) for name in names]
    return Led(system.drives, q, v)
