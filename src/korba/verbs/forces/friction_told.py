"""What is told of forces with friction: by joint, in powers, and where and in what it jams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from ...dynamics.load_distribution import motion_names, spare_drives
from ...forces.rough import rough_joints
from ...model.mechanism import Mechanism
from ...model.rubbing import guided
from ...spatial.rotation import Array
from ...structure.mobility import mobility
from ...system.store import kept
from ...system.system import any_system
from ..verb import Given
from .balance import PowerBalance
from .results import GUIDE, ROUGH, Jam, Named, Reactions, parts_of
from .stretches import Positions, few, inside, place, stretches
from .undriven import Undriven, besides_of, undriven_of

Arrays = Mapping[str, Array]


def with_friction(m: Mechanism, given: Given, rough: Reactions, parts: Arrays) -> Reactions:
    """Forces with all that the routine with friction tells; they are nan where it jams."""
    sizes = tuple(given.design)
    whole, jammed = any_system(m, sizes).m, parts["solved"] < 1.0
    efforts = np.where(jammed[..., None], np.nan, parts["friction"])
    friction, losses = _by_velocity(whole, efforts, parts["speeds"])
    none = {name: 0.0 * loss for name, loss in losses.items()}
    own = parts_of(parts["smooth"], len(rough.joints), len(rough.drives))
    powers = partial(_balance, whole, given, undriven_of(m, sizes), rates=parts["rates"])
    smooth = powers(efforts=own["efforts"], undriven=own["undriven"], losses={})
    balance = powers(efforts=rough.efforts, undriven=rough.undriven, losses=losses)
    without, with_ = (np.asarray(sum(b.drives.values(), start=0.0)) for b in (smooth, balance))
    jams = tuple(_jams(whole, given, parts, jammed))
    locks = np.asarray((without < 0) & (with_ > 0))
    told = replace(
        rough,
        notes=tuple(_notes(whole, given, jammed, jams, locks)),
        friction=friction,
        losses=losses,
        contacts=_contacts(whole, parts["contacts"], jammed),
        jammed=jammed,
        jams=jams,
        self_locking=locks,
        balance=balance,
        frictionless=replace(rough, **own, losses=none, balance=smooth),
    )
    return _all_open(m, told)


def _all_open(m: Mechanism, told: Reactions) -> Reactions:
    """Where forces are left open, all may depend on how these are distributed."""
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


def _balance(
    m: Mechanism,
    given: Given,
    free: Undriven,
    *,
    rates: Array,
    efforts: Array,
    undriven: Array,
    losses: Arrays,
) -> PowerBalance:
    """Powers by name, from the rates that the program gives (forces/powers.py)."""
    idle, held, _ = besides_of(free, undriven)
    forces = [force.name for force in m.forces]
    sources = [f"{name} (no drive)" for name in free.names[: held.shape[-1]]]
    sources += motion_names(m)
    efforts = np.concatenate([held, efforts], axis=-1)
    counts = [len(sources), idle.shape[-1], len(forces) + 2, len(m.joints)]
    drives, spins, loads, damping, kinetic = np.split(rates, np.cumsum(counts), axis=-1)
    named = dict(zip([*forces, "external", "weight"], np.moveaxis(loads, -1, 0), strict=True))
    if not np.any(named["external"]):
        del named["external"]
    dampers = zip(m.joints, np.moveaxis(damping, -1, 0), strict=True)
    return PowerBalance(
        drives={name: efforts[..., i] * drives[..., i] for i, name in enumerate(sources)},
        loads=named,
        kinetic=kinetic[..., 0] + np.sum(idle * spins, axis=-1),
        damping={joint.name: power for joint, power in dampers if joint.damping},
        friction=losses,
        t=np.asarray(given.t, dtype=float),
    )


def _by_velocity(
    m: Mechanism, efforts: Array, speeds: Array
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Efforts of friction and the power that it takes, by joint."""
    friction, losses = Named[Array](ROUGH), Named[Array](ROUGH)
    for name, (_, _, own) in rough_joints(m).items():
        friction[name] = efforts[..., own]
        losses[name] = -np.sum(efforts[..., own] * speeds[..., own], axis=-1)
    return friction, losses


def _contacts(m: Mechanism, forces: Array, jammed: Array) -> dict[str, Array]:
    """N1 and N2 of every guide with friction."""
    own = np.where(jammed[..., None], np.nan, forces)
    pairs = own.reshape(*own.shape[:-1], -1, 2, 3)
    names = [name for name, each in rough_joints(m).items() if guided(each.joint)]
    return Named(GUIDE, {name: pairs[..., i, :, :] for i, name in enumerate(names)})


def _jams(m: Mechanism, given: Given, parts: Arrays, jammed: Array) -> Iterator[Jam]:
    """Positions one after the other at which it jams, with the joint that took most before."""
    if not np.any(jammed):
        return
    losses = _by_velocity(m, parts["friction"], parts["speeds"])[1]
    names = list(losses)
    powers = np.abs(np.stack([losses[name] for name in names], axis=-1))
    for run, rows, start, end in stretches(jammed, given.t):
        own = inside(run, rows, powers, jammed.ndim).reshape(-1, len(names)).sum(axis=0)
        reached = float(np.min(inside(run, rows, parts["solved"], jammed.ndim)))
        yield Jam(names[int(np.argmax(own))], run, rows, start, end, reached)


def _notes(
    m: Mechanism, given: Given, jammed: Array, jams: tuple[Jam, ...], locks: Array
) -> Iterator[str]:
    if jams:
        at = Positions(m, given.t, given.arrays[0])
        places = [f"in joint {jam.joint}{place(at, jam, jammed.ndim)}" for jam in jams]
        yield (
            f"it jams at {int(np.sum(jammed))} of {jammed.size} positions, friction leaves no "
            f"solution: {few(places)}"
        )
    if np.any(locks):
        yield (
            f"it is self-locking at {int(np.sum(locks))} of {locks.size} positions: without "
            "friction the loads would drive it, with friction they cannot"
        )
