"""What was assumed, and what a user should know of a trajectory: sentences, made in one place.

Verbs add what they alone know (`kept_still`, `friction_not_used`); limits that were passed and
wheels that part are read from the coordinates of any trajectory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.expand import expanded
from .columns import UNITS

PARTED = 1e-9
"""Metres by which wheels that touch may seem apart: rounding, and loops closed to it."""


def kept_still(names: Iterable[str]) -> tuple[str, ...]:
    """Bodies that could move without anything else and that nothing drives, one for each way."""
    return tuple(
        f"body {name} moves idly, which no drive tells; it is kept still" for name in names
    )


def spare_drives(count: int) -> tuple[str, ...]:
    """Drives beyond what the freedoms need, which ask for the same as the others."""
    if not count:
        return ()
    return (f"{count} more driven than there are freedoms: the drives agree with each other",)


def friction_not_used(m: Mechanism) -> tuple[str, ...]:
    """Joints with dry friction, of which the motion takes no notice."""
    rough = [joint.name for joint in m.joints if joint.friction is not None]
    if not rough:
        return ()
    return (f"dry friction is not part of the motion yet (joints {', '.join(rough)})",)


def seen(m: Mechanism, t: Array, q: Array) -> tuple[str, ...]:
    """What coordinates of shape (..., times, nq) show: limits passed, wheels that part."""
    place = {name: k for k, name in enumerate(m.coordinates)}
    found: list[str] = []
    for joint in expanded(m).joints:
        names = joint.coordinates()
        if q.size and all(name in place for name in names):
            own = q[..., [place[name] for name in names]]
            found += [*_passed(joint, t, own), *_parted(joint, t, own)]
    return tuple(found)


def _passed(joint: Joint, t: Array, q: Array) -> Iterator[str]:
    """Coordinates beyond the limits of their joint: when first, and by how much at most."""
    lower, upper = joint.limits
    names = zip(joint.coordinates(), joint.coordinate_kinds, strict=True)
    for k, (name, kind) in enumerate(names):
        beyond = np.maximum(lower[k] - q[..., k], q[..., k] - upper[k])
        if np.any(beyond > 0):
            unit = UNITS["q"][kind]
            yield (
                f"{name} passed its limits {lower[k]:g} to {upper[k]:g} {unit}, seen first at "
                f"t = {_first(t, beyond > 0):.6g} s, by up to {np.nanmax(beyond):.6g} {unit}; "
                "limits do not stop the motion yet"
            )


def _parted(joint: Joint, t: Array, q: Array) -> Iterator[str]:
    """Wheels whose centres are not as far apart as their radii say."""
    apart = joint.parting(q)
    if apart is None:
        return
    away = np.abs(apart) > PARTED
    if np.any(away):
        yield (
            f"the wheels of {joint.name} part: their centre distance is off by up to "
            f"{np.nanmax(np.abs(apart)):.6g} m, seen first at t = {_first(t, away):.6g} s; the "
            "mesh does not keep it, let a carrier or the frame hold both axes"
        )


def _first(t: Array, happens: Array) -> float:
    """The first time at which something happens in any run."""
    return float(t[np.argmax(happens.reshape(-1, len(t)).any(axis=0))])
