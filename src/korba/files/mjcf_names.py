"""A compiled MJCF model with the names its elements get, and how its arrays are read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..model.body import GROUND
from ..spatial.pose import Pose
from ..spatial.rotation import rotation_of_quaternion, tidy

KINDS = ("free", "ball", "slide", "hinge")
"""Joint types in MuJoCo's numbering."""
EQUALITIES = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain", "distance")
"""Types of equality constraints in MuJoCo's numbering."""


@dataclass(frozen=True, eq=False)
class Named:
    """A compiled model, and the names its elements have in the mechanism."""

    model: Any
    folder: Path
    """Where the file is; files of meshes are named from there."""
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    between: dict[int, tuple[str, ...]]
    """Names of the bodies without mass between the joints of a body."""
    fixed: dict[int, str]
    """Names of the joints of bodies that have none."""
    equalities: tuple[str, ...]
    sites: tuple[str, ...]


def named(model: Any, folder: Path) -> Named:
    """Names for everything: the given ones, and readable unique ones where there is none."""
    own = [GROUND, *(model.body(b).name for b in range(1, model.nbody))]
    bodies = unique(own, [f"body{b}" for b in range(model.nbody)], ())
    between, taken = {}, set(bodies)
    for b in range(1, model.nbody):
        wanted = [f"{bodies[b]}.{i}" for i in range(1, model.body_jntnum[b])]
        between[b] = unique(wanted, wanted, taken)
        taken |= {*between[b]}
    own = [model.joint(j).name for j in range(model.njnt)]
    kinds = [f"{KINDS[kind]}{j}" for j, kind in enumerate(model.jnt_type)]
    joints = unique(own, kinds, {"t"})
    still = [b for b in range(1, model.nbody) if not model.body_jntnum[b]]
    wanted = [f"{bodies[b]}.fixed" for b in still]
    fixed = unique(wanted, wanted, joints)
    own = [model.equality(e).name for e in range(model.neq)]
    kinds = [f"{equality_kind(model, e)}{e}" for e in range(model.neq)]
    equalities = unique(own, kinds, {*joints, *fixed})
    own = [model.site(s).name for s in range(model.nsite)]
    sites = unique(own, [f"site{s}" for s in range(model.nsite)], ())
    rest = dict(zip(still, fixed, strict=True))
    return Named(model, folder, bodies, joints, between, rest, equalities, sites)


def unique(given: Iterable[str], fallback: Iterable[str], taken: Iterable[str]) -> tuple[str, ...]:
    """The given names, the fallback for empty ones; a name that is taken gets `.2`, `.3`, ..."""
    pairs = [(own.strip(), other) for own, other in zip(given, fallback, strict=True)]
    used, found = set(taken), [""] * len(pairs)
    for i in sorted(range(len(pairs)), key=lambda i: not pairs[i][0]):
        wanted = name = pairs[i][0] or pairs[i][1]
        count = 1
        while name in used:
            count += 1
            name = f"{wanted}.{count}"
        found[i] = name
        used.add(name)
    return tuple(found)


def equality_kind(model: Any, e: int) -> str:
    """The type of an equality constraint in words."""
    kind = int(model.eq_type[e])
    return EQUALITIES[kind] if kind < len(EQUALITIES) else "equality"


def numbers(values: Any) -> tuple[Any, ...]:
    """An array as plain floats."""
    return tuple(float(x) for x in values)


def pose(position: Any, quaternion: Any) -> Pose:
    """The pose of MuJoCo's pair of position and quaternion."""
    return Pose(tidy(rotation_of_quaternion(quaternion)), np.array(position))


def switched_on(model: Any, *features: str) -> bool:
    """Whether none of the features is disabled by an option flag."""
    from mujoco import mjtDisableBit

    bits = [getattr(mjtDisableBit, f"mjDSBL_{feature}", 0) for feature in features]
    return not any(int(model.opt.disableflags) & int(bit) for bit in bits)
