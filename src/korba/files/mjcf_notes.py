"""What of an MJCF model is not carried over, or in another form: one line a group, with counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .mjcf_model import Model
from .mjcf_parts import FIXED
from .mjcf_tree import Named, equality_kind, is_carried, is_shown, is_single, is_symmetric

GEOMS = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
"""Geom types in MuJoCo's numbering."""
MOST_FILES = 5
"""Names of files in one note."""
COUNTED = {
    "tendons": ("ntendon",),
    "sensors": ("nsensor",),
    "flexes": ("nflex",),
    "skins": ("nskin",),
    "plugins": ("nplugin",),
    "cameras": ("ncam",),
    "lights": ("nlight",),
    "custom data": ("nnumeric", "ntext", "ntuple"),
}


def notes(source: Named) -> Iterator[str]:
    """One line for every group of things that were left out or changed."""
    model = source.model
    counts = {what: sum(int(getattr(model, key)) for key in keys) for what, keys in COUNTED.items()}
    counts["custom data"] -= sum(name.startswith(FIXED) for name in model.texts())
    left = [
        *_contacts(model),
        *_grouped("actuators", (_actuator(model, a) for a in range(model.nu))),
    ]
    left += [f"{what}: {count}" for what, count in counts.items() if count]
    if left:
        yield f"left out: {'; '.join(left)}"
    yield from _equality_notes(model)
    yield from _counted(_joint_masks(model))
    yield from _renamed(source)
    yield from _shape_notes(model)
    if count := len(model.missing):
        files = ", ".join([*model.missing[:MOST_FILES], *["..."] * (count > MOST_FILES)])
        yield f"files that are not there, with the shapes and pictures from them: {count} ({files})"
    masks = {
        "mocap bodies, kept where they stand": model.body_mocapid >= 0,
        "gravity compensation of bodies": model.body_gravcomp,
    }
    yield from _counted(masks)
    if model.density or model.viscosity or np.any(model.wind):
        yield "drag of the medium (density, viscosity, wind)"


def _grouped(what: str, kinds: Iterable[str]) -> Iterator[str]:
    """`what: 3 (2 motor, 1 position)`, or nothing where there are none."""
    counts = Counter(kinds)
    if counts:
        parts = ", ".join(f"{count} {kind}" for kind, count in counts.items())
        yield f"{what}: {counts.total()} ({parts})"


def _counted(masks: dict[str, Any]) -> Iterator[str]:
    """`what: 3` for every mask, or nothing where no entry of it is true."""
    for what, mask in masks.items():
        if count := int(np.count_nonzero(mask)):
            yield f"{what}: {count}"


def _contacts(model: Model) -> Iterator[str]:
    """Geoms that may collide, and pairs said to collide or not."""
    touching = np.count_nonzero(model.geom_contype | model.geom_conaffinity)
    parts = {"geoms": touching, "pairs": model.npair, "exclusions": model.nexclude}
    if any(parts.values()):
        found = ", ".join(f"{count} {kind}" for kind, count in parts.items() if count)
        yield f"contacts: {found}"


def _actuator(model: Model, a: int) -> str:
    """The shortcut that an actuator most likely was written with."""
    bias = model.actuator_biasprm[a]
    if model.actuator_dyntype[a] or model.actuator_gaintype[a]:
        return "general"
    if not model.actuator_biastype[a]:
        return "motor"
    if model.actuator_biastype[a] != 1:
        return "general"
    return "position" if bias[1] else "velocity" if bias[2] else "general"


def _equality_notes(model: Model) -> Iterator[str]:
    """Equality constraints that are switched off or of a type Korba does not have."""
    left = [e for e in range(model.neq) if not is_carried(model, e)]
    off = [e for e in left if model.eq_type[e] < 3]
    yield from _grouped("inactive equalities", (equality_kind(model, e) for e in off))
    yield from _grouped("equalities", (equality_kind(model, e) for e in left if e not in off))


def _joint_masks(model: Model) -> dict[str, Any]:
    """Properties of joints that Korba has only for one freedom, not at all, or in another form."""
    single = np.array([is_single(model, j) for j in range(model.njnt)], dtype=bool)
    armature, friction = (
        values[model.jnt_dofadr] != 0 for values in (model.dof_armature, model.dof_frictionloss)
    )
    lopsided = [not is_symmetric(interval) for interval in model.jnt_actfrcrange]
    none = np.zeros((1, 1))
    return {
        "armature of ball and free joints": armature & ~single,
        "friction of ball and free joints": friction & ~single,
        "springs of ball and free joints": (model.jnt_stiffness != 0) & ~single,
        "range of ball joints": (model.jnt_limited != 0) & ~single,
        "force limits of joints, not symmetric": (model.jnt_actfrclimited != 0)
        & np.array(lopsided, dtype=bool),
        "springs, nonlinear part": np.any(getattr(model, "jnt_stiffnesspoly", none), axis=1),
        "damping, nonlinear part": np.any(getattr(model, "dof_dampingpoly", none), axis=1),
        "springs that yield": getattr(model, "jnt_springyield", none),
    }


def _renamed(source: Named) -> Iterator[str]:
    """Joints and bodies whose own names mean something else here."""
    model = source.model
    pairs = [(model.name("jnt", j), name) for j, name in enumerate(source.joints)]
    pairs += [(model.name("body", b), name) for b, name in enumerate(source.bodies) if b]
    changes = [f"{own!r} is now {name!r}" for own, name in pairs if own.strip() and own != name]
    if changes:
        yield f"renamed: {', '.join(changes)}"


def _shape_notes(model: Model) -> Iterator[str]:
    """Geoms that cannot be shown, and what belongs to the world."""
    left = [g for g in range(model.ngeom) if not is_shown(model, g)]
    kinds = [GEOMS[model.geom_type[g]] for g in left if model.geom_bodyid[g]]
    yield from _grouped("shapes", kinds)
    world = {"shapes": model.geom_bodyid == 0, "sites": model.site_bodyid == 0}
    yield from _counted({f"{what} of the world": mask for what, mask in world.items()})
