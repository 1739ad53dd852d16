"""From the arrays of the programs of `kb.reactions` to forces by joint and drive."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...dynamics.load_distribution import motion_names, spare_drives
from ...model.mechanism import Mechanism
from ...model.summary import friction_not_used
from ...spatial.rotation import Array
from ...structure.mobility import mobility
from ...system.store import kept
from ...system.system import any_system
from ..verb import Given
from .distribution import limits_of
from .friction_results import Described, Rubbed, with_friction_told
from .joint_frames import joint_axes
from .joint_wrench import WORLD
from .lift_off import with_lift_offs
from .results import Reactions
from .undriven import notes_of, undriven_of

WITHIN_LIMITS = ("forces", "moments", "efforts", "split", "solved", "points", "open")
"""What the routine with limits returns."""


def by_joint(
    m: Mechanism, result: tuple[Array, ...], given: Given, verb: str = "reactions"
) -> Reactions:
    """The result by names, in the words of the question."""
    sizes, options = tuple(given.design), given.options
    own = kept(
        m,
        ("names of joints", sizes),
        lambda: tuple((j.name, (j.parent, j.child)) for j in any_system(m, sizes).m.joints),
    )
    names = tuple(name for name, _ in own)
    if options.get("friction"):
        own_free = undriven_of(m, sizes)
        whole = any_system(m, sizes).m
        how = Described(whole, motion_names(m), given.t, given.arrays[0], own_free)
        told = _all_open(m, with_friction_told(how, Rubbed(*result)))
    elif len(result) == len(WITHIN_LIMITS):
        told = _within(m, names, result, given)
    else:
        force, moment, point, *more = result
        efforts, spread = [*more, np.zeros(0), np.zeros(0)][:2]
        drives = motion_names(m) if more else ()
        efforts, row = np.split(efforts, [len(drives)], axis=-1)
        notes = (*left_out(m), *beyond_own_limits(drives, efforts, given))
        told = _with_open(Reactions(names, force, moment, point, drives, efforts, notes), spread)
        if row.size:
            loose = notes_of(verb, m, undriven_of(m, sizes), told, row)
            told = replace(told, notes=(*notes, *loose))
    turns = partial(_frames, m, given)
    ends, axes = tuple(pair for _, pair in own), str(options.get("axes", WORLD))
    told = replace(told, bodies=ends, axes=axes, turns=turns, planar=m.plane is not None)
    return with_lift_offs(m, told, given)


def left_out(m: Mechanism) -> tuple[str, ...]:
    """What forces leave out: dry friction, and bodies without mass among others that have it."""
    light = [repr(body.name) for body in m.bodies if not body.mass]
    some = light and len(light) < len(m.bodies)
    several = f"bodies {', '.join(light)} have no mass: their" if len(light) > 1 else ""
    one = several or f"body {''.join(light)} has no mass: its"
    note = (f"{one} weight and inertia are left out",) if some else ()
    return (*friction_not_used(m), *note)


def _with_open(told: Reactions, spread: Array) -> Reactions:
    """With the projectors of joints and drives, which the program gives in one row."""
    if not spread.size:
        return told
    count = spread.shape[-1] - len(told.drives)
    blocks = spread[..., :count].reshape(*spread.shape[:-1], len(told.joints), 6, 6)
    return replace(told, open=blocks, open_drives=spread[..., count:])


def _all_open(m: Mechanism, told: Reactions) -> Reactions:
    """With friction: where forces are left open, all may depend on how these are shared."""
    if not kept(m, "leaves forces open", lambda: _leaves_open(m)):
        return told
    lead, count = told.efforts.shape[:-1], len(told.joints)
    note = (
        "friction follows all forces, so none is unique where passive constraints leave some open"
    )
    return replace(
        told,
        open=np.broadcast_to(np.eye(6), (*lead, count, 6, 6)),
        open_drives=np.ones(told.efforts.shape),
        notes=(*told.notes, note),
    )


def _leaves_open(m: Mechanism) -> bool:
    return bool(mobility(m).passive or spare_drives(any_system(m)))


def _frames(m: Mechanism, given: Given) -> Array:
    """Rotations of the joints' frames at the positions of a question."""
    at = given.options.get("at", "child")
    return joint_axes(m, given.arrays[0], at=at, parameters=given.design or None)


def _within(m: Mechanism, names: tuple[str, ...], result: Any, given: Given) -> Reactions:
    """What the split within limits gives, nan where there is none."""
    *rest, split_efforts, solved, point, spread = result
    lead, lost = solved.shape, solved < 1.0
    force, moment, efforts = (np.where(lost[..., None], np.nan, each) for each in rest)
    force, moment, point = (x.reshape(*lead, len(names), 3) for x in (force, moment, point))
    notes = (*left_out(m), *beyond_limits(m, split_efforts, lost, given))
    told = Reactions(names, force, moment, point, motion_names(m), efforts, notes)
    return _with_open(told, spread)


def beyond_own_limits(drives: tuple[str, ...], efforts: Array, given: Given) -> tuple[str, ...]:
    """What is said of drives without a choice that need more than the limits given for them."""
    limits: Any = given.options.get("limits") or ()
    notes = []
    for name, least, most in limits:
        own = efforts[..., drives.index(name)] if name in drives else np.zeros(0)
        over = np.maximum(own - most, least - own)
        if np.any(over > 1e-9 * max(abs(least), abs(most))):
            worst = np.unravel_index(int(np.argmax(over)), own.shape)
            where = f" at position {', '.join(map(str, worst))}" if worst else ""
            notes.append(
                f"drive {name!r} needs {own[worst]:.4g}{where}, beyond {least:g} to {most:g}, and "
                "there is no other drive to help it"
            )
    return tuple(notes)


def beyond_limits(m: Mechanism, efforts: Array, lost: Array, given: Given) -> tuple[str, ...]:
    """What is said where limits leave no efforts: how often, and who is at its limit first."""
    if not np.any(lost):
        return ()
    own: Any = given.options["limits"]
    bounds = {name: pair for name, *pair in limits_of(m, own)}
    first = tuple(map(int, np.argwhere(lost)[0])) if lost.ndim else ()
    full = [
        f"{name!r} at {y:.4g}"
        for name, y in zip(motion_names(m), efforts[first], strict=True)
        if name in bounds and min(abs(y - bound) for bound in bounds[name]) <= 1e-9 * abs(y)
    ]
    where = f"position {first[0] if len(first) == 1 else first}" if first else "this position"
    return (
        f"limits leave no efforts that hold the motion at {int(np.sum(lost))} of {lost.size} "
        f"positions; at {where} these are at their limits: {', '.join(full) or 'none'}",
    )
