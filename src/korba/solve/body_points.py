"""Points of bodies: by name or by place, and where they go."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..codegen import Compiled, compile_program, trace
from ..errors import StructureError
from ..kinematics.velocity import body_pose
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.tree import Tree
from ..verbs.store import kept
from .motion import named_point

Place = tuple[float, float, float]


def place_on_body(m: Mechanism, body: str, point: Any) -> Place:
    """Three finite components, in the body's frame, of a point given by name or by place."""
    place = named_point(m.body(body), point) if isinstance(point, str) else point
    found = [float(x) for x in np.ravel(place)]
    if len(found) not in {2, 3} or not np.all(np.isfinite(found)):
        raise StructureError(
            f"point of body {body!r}: expected two or three finite components, got {point!r:.60}"
        )
    return found[0], found[1], found[2] if len(found) == 3 else 0.0


def point_places(m: Mechanism, tree: Tree, body: str, at: Place) -> Compiled:
    """The program q -> place of a point of a body in the world; kept with m."""

    def written(q: Array) -> Array:
        return body_pose(tree, q, body).point(np.array(at))

    return kept(
        m,
        ("place of a point", body, at),
        lambda: compile_program(trace(written, {"q": tree.nq}, m.name or "the mechanism")),
    )
