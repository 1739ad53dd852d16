"""Where bodies and points of a mechanism are at coordinates, by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..display import Displayed
from ..errors import StructureError
from ..kinematics.velocity import body_pose
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.system import System
from ..system.tree import Tree
from ..verbs.kinematics import pose
from ..verbs.options import ORIGIN
from ..verbs.systems import kept_system
from ..verbs.verb import verb


class Placed(Displayed):
    """Coordinates `q` of a mechanism `m`, shape (..., nq): by name, and where its bodies are."""

    m: Mechanism
    q: Array
    names: tuple[str, ...]

    def __getitem__(self, name: str) -> Any:
        """A coordinate by its name, shape (...)."""
        if name not in self.names:
            known = ", ".join(self.names)
            raise StructureError(f"there is no coordinate {name!r}; there are {known}")
        return np.asarray(self.q[..., self.names.index(name)])

    def pose(self, body: str) -> Array:
        """Pose X_WB of a body in the world, shape (..., 4, 4)."""
        return np.asarray(pose.compiled(self.m, body=body)(self.q, check_finite=False))

    def point(self, body: str, at: Any = ORIGIN) -> Array:
        """Where a point of a body is in the world, shape (..., 3).

        `at` is the name of one of the body's points, or a place in its frame.
        """
        program = place.compiled(self.m, body=body, point=at)
        return np.asarray(program(self.q, check_finite=False))


@verb(closed=True)
def place(system: System, q: Any, body: str, point: Any = ORIGIN) -> Array:
    """A point of a body in the world, shape (..., 3)."""
    return body_pose(system.tree, q, body).point(np.array(point))


def kept_tree(m: Mechanism) -> Tree:
    """The tree of a mechanism, loops or not; kept with m."""
    return kept_system(m).tree
