"""From the arrays of the programs of `kb.reactions`, by name, to forces by joint and drive."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...dynamics.load_distribution import motion_names, units_of_efforts
from ...model.display_units import display_units
from ...model.mechanism import Mechanism
from ...model.summary import friction_not_used
from ...spatial.rotation import Array
from ...system.store import kept
from ...system.system import any_system
from ..verb import Given
from .beside_dead_centres import beside_dead_centres
from .distribution import beyond_limits
from .friction_told import with_friction
from .joint_frames import joint_axes
from .lift_off import with_lift_offs
from .results import ARRAYS, Reactions, parts_of
from .undriven import notes_of, undriven_of


def by_joint(
    m: Mechanism, result: tuple[Array, ...], given: Given, verb: str = "reactions"
) -> Reactions:
    """The result by names, in the words of the question."""
    sizes: tuple[str, ...] = tuple(given.design)
    parts: dict[str, Any] = given.by_name(result)
    joints = kept(
        m,
        ("names of joints", sizes),
        lambda: {j.name: (j.parent, j.child) for j in any_system(m, sizes).m.joints},
    )
    drives = motion_names(m)
    if "row" in parts:  # of a routine, whose results are vectors
        lost, count = parts["solved"] < 1.0, len(joints)
        row = np.where(lost[..., None], np.nan, parts["row"])
        parts |= parts_of(row, count, len(drives))
        parts["point"] = parts["point"].reshape(*lost.shape, count, 3)
        if "open" in parts:
            parts["open"] = parts["open"].reshape(*lost.shape, count, 6, 6)
    parts.setdefault("efforts", np.zeros((*parts["force"].shape[:-2], 0)))
    told = Reactions(
        tuple(joints),
        **{name: parts[name] for name in ARRAYS if name in parts},
        drives=drives,
        bodies=tuple(joints.values()),
        turns=partial(_frames, m, given),
        planar=m.plane is not None,
        shown=display_units(m),
        effort_units=units_of_efforts(m),
    )
    if "smooth" in parts:
        told = with_friction(m, given, told, parts)
    else:
        told = replace(told, notes=(*left_out(m), *beyond_limits(m, parts, given)))
    if told.undriven.size:
        loose = notes_of(verb, m, undriven_of(m, sizes), told)
        told = replace(told, notes=(*told.notes, *loose))
    if beside := tuple(beside_dead_centres(m, given, told.force, 2)):
        told = replace(told, notes=(*told.notes, *beside))
    return with_lift_offs(m, told, given)


def left_out(m: Mechanism) -> tuple[str, ...]:
    """What forces leave out: dry friction, and bodies without mass among others that have it."""
    light = [repr(body.name) for body in m.bodies if not body.mass]
    some = light and len(light) < len(m.bodies)
    several = f"bodies {', '.join(light)} have no mass: their" if len(light) > 1 else ""
    one = several or f"body {''.join(light)} has no mass: its"
    note = (f"{one} weight and inertia are left out",) if some else ()
    return (*friction_not_used(m), *note)


def _frames(m: Mechanism, given: Given) -> Array:
    """Rotations of the joints' frames at the positions of a question."""
    at = given.options.get("at", "child")
    return joint_axes(m, given.arrays[0], at=at, parameters=given.design or None)
