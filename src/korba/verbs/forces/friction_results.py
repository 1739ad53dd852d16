"""What is told of forces with friction: by joint, in powers, and where and in what it jams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...forces.friction import guided, rough_joints
from ...model.joint import Joint
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array
from .balance import PowerBalance
from .named import Named
from .results import GUIDE, ROUGH, Jam, Reactions
from .stretches import Positions, Stretch, few, inside, place, stretches
from .undriven import Besides, Undriven, besides_of, notes_of

STUCK = "; where friction holds it at rest it is open with what forces: leave such positions out"


class Rubbed(NamedTuple):
    """What the routine with friction returns (friction.py)."""

    rest: Array
    smooth: Array
    points: Array
    efforts: Array
    speeds: Array
    contacts: Array
    rates: Array
    done: Array


class Described(NamedTuple):
    """Names and numbers that the rows of results belong to."""

    m: Mechanism
    """Rotors and elastic joints written out."""
    drives: tuple[str, ...]
    t: Any
    q: Any
    free: Undriven
    """Freedoms that no drive moves."""


def with_friction_told(how: Described, result: Rubbed) -> Reactions:
    """What the routine with friction gives, nan where it did not come to its end."""
    jammed = result.done < 1.0
    cut = [np.where(jammed[..., None], np.nan, x) for x in (result.rest, result.efforts)]
    friction, losses = _by_velocity(how.m, cut[1], result.speeds)
    none = {name: 0.0 * loss for name, loss in losses.items()}
    smooth = _forces(how, result, result.smooth, {})
    rough = _forces(how, result, cut[0], losses)
    jams = tuple(_jams(how, result, jammed))
    locks = _self_locking(smooth, rough)
    ends = 6 * len(how.m.joints) + len(how.drives)
    row = np.nan_to_num(cut[0][..., ends:])
    loose = (
        notes_of("reactions", how.m, how.free, Reactions(**rough), row, hint=STUCK)
        if row.size
        else ()
    )
    return Reactions(
        **rough,
        notes=(*_notes(how, jammed, jams, locks), *loose),
        friction=friction,
        losses=losses,
        contacts=_contacts(how.m, result.contacts, jammed),
        jammed=jammed,
        jams=jams,
        self_locking=locks,
        frictionless=Reactions(**smooth, losses=none),
    )


def _forces(
    how: Described, result: Rubbed, rest: Array, losses: Mapping[str, Array]
) -> dict[str, Any]:
    """Forces, moments, points, efforts of drives and powers, from one row of results."""
    lead, names = rest.shape[:-1], tuple(joint.name for joint in how.m.joints)
    ends = np.cumsum([3 * len(names), 3 * len(names), len(how.drives)])
    force, moment, efforts, row = np.split(rest, ends, axis=-1)
    return {
        "joints": names,
        "force": force.reshape(*lead, -1, 3),
        "moment": moment.reshape(*lead, -1, 3),
        "point": result.points.reshape(*lead, -1, 3),
        "drives": how.drives,
        "efforts": efforts,
        "balance": _balance(how, result.rates, (efforts, besides_of(how.free, row)), losses),
    }


def _balance(
    how: Described, rates: Array, found: tuple[Array, Besides], losses: Mapping[str, Array]
) -> PowerBalance:
    """Powers by name, from the rates that the program gives (forces/powers.py)."""
    (efforts, (idle, held, _)), forces = found, [force.name for force in how.m.forces]
    sources = [*(f"{name} (no drive)" for name in how.free.names[: held.shape[-1]]), *how.drives]
    efforts = np.concatenate([held, efforts], axis=-1)
    counts = [len(sources), idle.shape[-1], len(forces) + 2, len(how.m.joints)]
    drives, spins, loads, damping, kinetic = np.split(rates, np.cumsum(counts), axis=-1)
    named = dict(zip([*forces, "external", "weight"], np.moveaxis(loads, -1, 0), strict=True))
    if not np.any(named["external"]):
        del named["external"]
    dampers = zip(how.m.joints, np.moveaxis(damping, -1, 0), strict=True)
    return PowerBalance(
        drives={name: efforts[..., i] * drives[..., i] for i, name in enumerate(sources)},
        loads=named,
        kinetic=kinetic[..., 0] + np.sum(idle * spins, axis=-1),
        damping={joint.name: power for joint, power in dampers if joint.damping},
        friction=losses,
        t=np.asarray(how.t, dtype=float),
    )


def _by_velocity(
    m: Mechanism, efforts: Array, speeds: Array
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Efforts of friction and the power that it takes, by joint."""
    friction, losses = Named[Array](ROUGH), Named[Array](ROUGH)
    for joint, own in _rough(m):
        friction[joint.name] = efforts[..., own]
        losses[joint.name] = -np.sum(efforts[..., own] * speeds[..., own], axis=-1)
    return friction, losses


def _rough(m: Mechanism) -> Iterator[tuple[Joint, slice]]:
    """The joints with friction, and the places of their velocities among all of these."""
    start = 0
    for joint, _ in rough_joints(m).values():
        yield joint, slice(start, start + joint.nv)
        start += joint.nv


def _contacts(m: Mechanism, forces: Array, jammed: Array) -> dict[str, Array]:
    """N1 and N2 of every guide with friction."""
    own = np.where(jammed[..., None], np.nan, forces)
    pairs = own.reshape(*own.shape[:-1], -1, 2, 3)
    names = [joint.name for joint, _ in rough_joints(m).values() if guided(joint)]
    return Named(GUIDE, {name: pairs[..., i, :, :] for i, name in enumerate(names)})


def _jams(how: Described, result: Rubbed, jammed: Array) -> Iterator[Jam]:
    """Positions one after the other at which it jams, with the joint that took most before."""
    if not np.any(jammed):
        return
    losses = _by_velocity(how.m, result.efforts, result.speeds)[1]
    names = list(losses)
    powers = np.abs(np.stack([losses[name] for name in names], axis=-1))
    for stretch in stretches(jammed, how.t):
        own = inside(stretch, powers, jammed.ndim).reshape(-1, len(names)).sum(axis=0)
        reached = float(np.min(inside(stretch, result.done, jammed.ndim)))
        yield Jam(names[int(np.argmax(own))], *stretch, reached)


def _self_locking(smooth: Mapping[str, Any], rough: Mapping[str, Any]) -> Array:
    """Where loads would drive without friction, and with it the drives have to."""
    without, with_ = (sum(each["balance"].drives.values(), start=0.0) for each in (smooth, rough))
    return np.asarray((np.asarray(without) < 0) & (np.asarray(with_) > 0))


def _notes(how: Described, jammed: Array, jams: tuple[Jam, ...], locks: Array) -> Iterator[str]:
    if jams:
        at = Positions(how.m, how.t, how.q)
        places = [
            f"in joint {jam.joint}{place(at, Stretch(*jam[1:5]), jammed.ndim)}" for jam in jams
        ]
        yield (
            f"it jams at {int(np.sum(jammed))} of {jammed.size} positions, friction leaves no "
            f"solution: {few(places)}"
        )
    if np.any(locks):
        yield (
            f"it is self-locking at {int(np.sum(locks))} of {locks.size} positions: without "
            "friction the loads would drive it, with friction they cannot"
        )
