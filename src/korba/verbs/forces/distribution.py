"""`kb.Distribution`: who carries the forces that the equations leave open.

Stiffnesses of joints, weights and limits of drives; checked, each is a value that can be a key:
names with numbers in SI.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...dynamics.load_distribution import motion_names, units_of_efforts
from ...errors import StructureError, refuse_unknown
from ...expr.quantities import quantity
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array
from ...system.system import any_system
from ...wording import named
from ..verb import Given

LEAST, ELASTIC = "least", "elastic"
"""Distributions of what the equations leave open."""
Stiffnesses = tuple[tuple[str, float, float], ...]
Weights = tuple[tuple[str, float], ...]
Limits = tuple[tuple[str, float, float], ...]


@dataclass(frozen=True)
class Distribution:
    """How forces that the equations leave open are shared: by least squares, or by springs.

    Without `stiffness` the sum of squares of all forces is least, "least" for short. With it the
    forces are those that bodies on springs would give: stiffnesses of joints by name, against
    shifts (N/m) or against shifts and turns (N m/rad), and the joints' own `bearing_stiffness`,
    "elastic" for short; joints without one are rigid. With more drives than freedoms the squares of
    their efforts are least, times `weights` by drive and within `limits` by drive: the largest
    effort, or the least and the greatest. Without limits the driven joints' own max_effort holds.

    >>> soft = kb.Distribution(stiffness={"B": "2e8 N/m"}, limits={"drive A": "20 N*m"})
    >>> kb.reactions(m, motion, distribution=soft).unique
    ('drive A', 'A', 'D', 'B', 'C')
    """

    stiffness: Mapping[str, Any] | None = None
    weights: Mapping[str, Any] | None = None
    limits: Mapping[str, Any] | None = None


class Shares(NamedTuple):
    """What a distribution says, as a key."""

    stiffness: Stiffnesses | None = None
    weights: Weights = ()
    limits: Limits | None = None


SHORT = {LEAST: Distribution(), ELASTIC: Distribution(stiffness={})}


def shares_of_forces(m: Mechanism, given: Any, _: Mapping[str, Any]) -> Shares:
    """The key of a distribution, or of the word for one."""
    own = SHORT.get(given) if isinstance(given, str) else given
    if not isinstance(own, Distribution):
        raise StructureError(
            f"distribution: expected 'least', 'elastic' or a {named('Distribution')}, "
            f"got {given!r:.60}"
        )
    return Shares(
        stiffness_key(m, own.stiffness), weights_key(m, own.weights), limits_key(m, own.limits)
    )


def shares_of_drives(m: Mechanism, given: Any, _: Mapping[str, Any]) -> Shares:
    """The same where forces of joints are not asked for."""
    shares = shares_of_forces(m, given, {})
    if shares.stiffness is not None:
        raise StructureError(
            "distribution: stiffness shares forces of joints, and these are forces of drives; "
            f"leave it out, or ask {named('reactions')}"
        )
    return shares


def stiffness_key(m: Mechanism, given: Any) -> Stiffnesses | None:
    """Of joints that give way the stiffness against shifts and against turns; else None."""
    if given is None:
        return None
    joints = {joint.name: joint for joint in any_system(m).m.joints}
    own = {
        name: (joint.bearing_stiffness, joint.bearing_turning_stiffness)
        for name, joint in joints.items()
        if joint.bearing_stiffness is not None or joint.bearing_turning_stiffness is not None
    }
    whole = {**own, **_mapping("stiffness", "joint", given, joints)}
    if not whole:
        raise StructureError(
            "distribution: no joint gives way; give stiffness such as "
            f"{{{next(iter(joints), 'A')!r}: (1e8, 1e4)}}, or joints a bearing_stiffness"
        )
    return tuple((name, *_pair(name, each)) for name, each in sorted(whole.items()))


def springs_of(key: Stiffnesses | None) -> dict[str, tuple[float, float]] | None:
    """Stiffnesses by joint; None where forces are shared by least squares."""
    return None if key is None else {name: (shift, turn) for name, shift, turn in key}


def _pair(name: str, given: Any) -> tuple[float, float]:
    """Stiffness against shifts, and against turns where two are given."""
    both = tuple(given) if isinstance(given, tuple | list) else (given, None)
    if len(both) != 2:
        raise StructureError(
            f"stiffness of {name!r}: expected a number against shifts, or two with the one "
            f"against turns, got {given!r:.60}"
        )
    kinds = ("stiffness", "angular stiffness")
    shift, turn = (
        np.inf if each is None else _positive(f"stiffness of {name!r}", each, kind)
        for each, kind in zip(both, kinds, strict=True)
    )
    return shift, turn


def weights_key(m: Mechanism, given: Any) -> Weights:
    """Weights of the squares of efforts, by drive."""
    whole = _mapping("weights", "drive", given, motion_names(m))
    return tuple(
        (name, _positive(f"weight of {name!r}", each, "number"))
        for name, each in sorted(whole.items())
    )


def limits_key(m: Mechanism, given: Any) -> Limits | None:
    """Least and greatest efforts by drive; None where the model's own are taken."""
    if given is None:
        return None
    units = units_of_efforts(m)
    whole = _mapping("limits", "drive", given, units)
    return tuple(_limits(name, each, units[name]) for name, each in sorted(whole.items()))


def _limits(name: str, given: Any, unit: str) -> tuple[str, float, float]:
    pair = tuple(given) if isinstance(given, tuple | list) else (given,)
    kind = "moment" if unit == "N m" else "force"
    values = [_number(f"limit of {name!r}", each, kind) for each in pair]
    if len(values) == 1 and values[0] >= 0:
        return name, -values[0], values[0]
    if len(values) != 2 or values[0] > values[1]:
        raise StructureError(
            f"limit of {name!r}: expected the largest effort, or the least and the greatest, "
            f"got {given!r:.60}"
        )
    return name, values[0], values[1]


def limits_of(m: Mechanism, given: Limits | None) -> Limits:
    """The limits that are given, or the largest efforts of driven joints (max_effort)."""
    if given is not None:
        return given
    largest = {name: j.max_effort for j in m.joints for name in (j.name, *j.coordinates())}
    own = {drive.name: largest.get(drive.coordinate or "") for drive in m.drives}
    return tuple((name, -most, most) for name, most in own.items() if most is not None)


def beyond_limits(m: Mechanism, parts: Mapping[str, Array], given: Given) -> Iterator[str]:
    """What is said where limits leave no efforts, or of a drive that no other can help."""
    shares: Any = given.options["distribution"]
    asked: Limits | None = shares.limits
    names = motion_names(m)
    if "split" in parts:
        yield from _no_split(
            dict(zip(names, np.moveaxis(parts["split"], -1, 0), strict=True)),
            parts["solved"] < 1.0,
            limits_of(m, asked),
        )
        return
    for name, least, most in asked or ():
        effort = parts["efforts"][..., names.index(name)]
        over = np.maximum(effort - most, least - effort)
        if np.any(over > 1e-9 * max(abs(least), abs(most))):
            worst = np.unravel_index(int(np.argmax(over)), effort.shape)
            where = f" at position {', '.join(map(str, worst))}" if worst else ""
            yield (
                f"drive {name!r} needs {effort[worst]:.4g}{where}, beyond {least:g} to {most:g}, "
                "and there is no other drive to help it"
            )


def _no_split(efforts: Mapping[str, Array], lost: Array, limits: Limits) -> Iterator[str]:
    """How often limits leave no efforts, and who is at its limit first."""
    if not np.any(lost):
        return
    first = tuple(map(int, np.argwhere(lost)[0])) if lost.ndim else ()
    full = [
        f"{name!r} at {y:.4g}"
        for name, *bounds in limits
        for y in [efforts[name][first]]
        if min(abs(y - bound) for bound in bounds) <= 1e-9 * abs(y)
    ]
    where = f"position {first[0] if len(first) == 1 else first}" if first else "this position"
    yield (
        f"limits leave no efforts that hold the motion at {int(np.sum(lost))} of {lost.size} "
        f"positions; at {where} these are at their limits: {', '.join(full) or 'none'}"
    )


def _mapping(what: str, kind: str, given: Any, known: Iterable[str]) -> dict[str, Any]:
    """What is given by names of joints or drives, all of which there are."""
    if not isinstance(given, Mapping | None):
        raise StructureError(f"{what}: expected a mapping from names, got {given!r:.60}")
    refuse_unknown(kind, given or (), known, what)
    return dict(given or ())


def _positive(what: str, given: Any, kind: str) -> float:
    value = _number(what, given, kind)
    if not value > 0:
        raise StructureError(f"{what}: expected a number above 0, got {given!r}")
    return value


def _number(what: str, given: Any, kind: str) -> float:
    value = quantity(what, given, kind)
    if not np.isfinite(value):
        raise StructureError(f"{what}: expected a finite number, got {given!r}")
    return value
