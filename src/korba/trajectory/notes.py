"""What was assumed, and what a user should know of a motion: sentences, made in one place.

Verbs add what they alone know (`kept_still`, `spare_drives`). Limits that were passed and wheels
that part are read from the coordinates of any trajectory or configuration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..model.drawing import drawing
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.expand import expanded
from ..wording import given
from .columns import UNITS

ROUNDING = 1e-9
"""Radians and typical lengths by which limits may seem passed, and wheels apart that touch."""


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


def seen(m: Mechanism, t: Array | None, q: Array, v: Array | None = None) -> tuple[str, ...]:
    """What coordinates of shape (..., times, nq) and velocities show; without t one position.

    Limits that are passed, speeds that are too high, wheels that part.
    """
    whole = expanded(m)
    length = drawing(whole).scale
    found: list[str] = []
    for joint in whole.joints if q.size else ():
        own = _own(q, joint.coordinates(), m.coordinates)
        if own is not None:
            found += [*_passed(joint, t, own, length), *_parted(joint, t, own, length)]
        if v is not None and joint.max_velocity:
            rates = _own(v, joint.velocities(), m.velocities)
            found += [] if rates is None else _too_fast(joint, t, rates)
    return tuple(found)


def _own(values: Array, names: tuple[str, ...], known: tuple[str, ...]) -> Array | None:
    """The columns of some names; None where they are not all known."""
    place = {name: k for k, name in enumerate(known)}
    return values[..., [place[name] for name in names]] if place.keys() >= {*names} else None


def _passed(joint: Joint, t: Array | None, q: Array, length: float) -> Iterator[str]:
    """Coordinates beyond the limits of their joint: when first, and by how much at most."""
    lower, upper = joint.limits
    names = zip(joint.coordinates(), joint.coordinate_kinds, strict=True)
    for k, (name, kind) in enumerate(names):
        beyond = np.maximum(lower[k] - q[..., k], q[..., k] - upper[k])
        away = beyond > ROUNDING * (length if kind == "length" else 1.0)
        if np.any(away):
            unit, bounds = UNITS["q"][kind], f"its limits {lower[k]:g} to {upper[k]:g}"
            where = "is beyond {} {}" if t is None else "passed {} {}"
            worst = float(q[..., k].ravel()[np.nanargmax(beyond)])
            yield (
                f"{name} {where.format(bounds, unit)}{_first(t, away)}, by up to "
                f"{np.nanmax(beyond):.6g} {unit} ({name} = {worst:.6g}); limits stop a "
                f"simulation with {given('simulate', events='stops')}"
            )


def _too_fast(joint: Joint, t: Array | None, v: Array) -> Iterator[str]:
    """Joints that turn or slide faster than they may."""
    bound = float(joint.max_velocity or np.inf)
    speed = np.abs(v).max(axis=-1, initial=0.0)
    if np.any(speed > bound * (1 + ROUNDING)):
        unit = UNITS["v"][joint.velocity_kinds[0]]
        yield (
            f"{joint.name} moves faster than its max_velocity of {bound:g} {unit}"
            f"{_first(t, speed > bound * (1 + ROUNDING))}, at up to {np.nanmax(speed):.6g} {unit}"
        )


def _parted(joint: Joint, t: Array | None, q: Array, length: float) -> Iterator[str]:
    """Wheels whose centres are not as far apart as their radii say."""
    apart = joint.parting(q)
    if apart is None:
        return
    away = np.abs(apart) > ROUNDING * length
    if np.any(away):
        yield (
            f"the wheels of {joint.name} part: their centre distance is off by up to "
            f"{np.nanmax(np.abs(apart)):.6g} m{_first(t, away)}; the mesh does not keep it, let a "
            "carrier or the frame hold both axes"
        )


def _first(t: Array | None, happens: Array) -> str:
    """When something happens first in any run."""
    if t is None:
        return ""
    return f", seen first at t = {t[np.argmax(happens.reshape(-1, len(t)).any(axis=0))]:.6g} s"
