"""The equations of motion of a tree as sweeps over its links.

    inverse:   q, v, a       ->  tau = M(q) a + h(q, v)     out by motion, in by forces
    forward:   q, v, force   ->  a                          the same with a = 0, then r = force - h
                                                            in by inertias and out by accelerations

Every link is given its q and v, its a or force, the `wrench` that acts on it from outside (moment,
force, in its own frame about its origin) and the `load` in its joint; viscous damping is its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..kinematics.sweep import Inward, Sweep, Values, together
from ..spatial.rotation import Array
from ..system.tree import Link, Tree
from . import articulated_body, newton_euler

NO_WRENCH = np.zeros(6)


def inverse_sweeps(gravity: Array) -> Sequence[Sweep]:
    """From q, v, a, wrench and load to `tau`."""
    inward = newton_euler.INWARD
    resisted = Inward(together(inward.step, _resisted), inward.gathered)
    return newton_euler.outward(gravity), resisted


def forward_sweeps(gravity: Array) -> Sequence[Sweep]:
    """From q, v, force, wrench and load to `a`, which is given as zero."""
    forces, inertias = newton_euler.INWARD, articulated_body.INWARD
    steps = together(forces.step, _resisted, _left, inertias.step)
    inward = Inward(steps, {**forces.gathered, **inertias.gathered})
    return newton_euler.outward(gravity), inward, articulated_body.OUTWARD


def link_values(
    tree: Tree, values: Mapping[str, Any], load: Any, wrenches: newton_euler.Wrenches
) -> list[Values]:
    """What every link is given, out of arrays over all joints: q by name, others like v."""
    given: list[dict[str, Any]] = [
        {name: x[link.q if name == "q" else link.v] for name, x in values.items()}
        | {"load": load[link.v], "wrench": NO_WRENCH}
        for link in tree.links
    ]
    for i, wrench in wrenches.items():
        given[i]["wrench"] = np.concatenate(wrench)
    return list(given)


def _resisted(link: Link, own: Values) -> tuple[Values, Values]:
    """Damping adds to the force that a motion takes, loads take off it."""
    return {"tau": own["tau"] + link.damping * own["v"] - own["load"]}, {}


def _left(link: Link, own: Values) -> tuple[Values, Values]:
    """What is left to accelerate the mechanism."""
    del link
    return {"r": own["force"] - own["tau"]}, {}
