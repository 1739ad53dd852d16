"""Which velocities have dry friction or loads that jump, and which of them halt together.

Velocities that loops let move only together, v_i = k_i w with one w, halt at one time and stick as
one (sticking.py). They are found as parallel rows of the velocities that loops allow, at a position
near the drawing that is not special. Those that drives alone move never stick.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..errors import StructureError
from ..expr.node import present
from ..forces.friction_data import refuse_incomplete
from ..forces.rough import rough_joints
from ..model.joints import JOINT_TYPES
from ..model.mechanism import Mechanism
from ..model.rubbing import law_of, rubs_anyway
from ..spatial.rotation import Array
from ..structure.mobility import mobility
from ..system.system import System
from ..wording import named
from .sticking import Rub, Stick, depends_on_load
from .together import count_of, rates_of

PARALLEL = 1e-7
"""Part of a velocity that is none."""


def sticks_of(
    system: System, length: float, jumps: Mapping[int, bool], *, friction: bool
) -> tuple[Stick, ...]:
    """What rubs: dry friction of all joints where that counts, and loads that jump (jumps.py) by
    the places of their velocities (True where others jump with them); velocities that halt
    together in one.
    """
    m = system.in_numbers
    if friction:
        refuse_incomplete(m)
        _refuse_open_forces(system, m)
    rubs = _rubs(system, _rough(system, m) if friction else {}, jumps, length)
    if not system.constrained:
        return tuple(Stick((rub,)) for rub in rubs)
    names = [rub.name for rub in rubs]
    free, left = (rates_of(system, names, drives=drives) for drives in (False, True))
    groups: list[list[int]] = []
    for i, row in enumerate(free):
        if np.linalg.norm(row) < PARALLEL:
            if not rubs[i].rough:
                continue
            raise StructureError(
                f"friction: loops do not let {rubs[i].name!r} move, so nothing rubs there; take "
                "its friction away"
            )
        own = next((g for g in groups if _parallel(free[g[0]], row)), None)
        if own is None:
            groups.append([i])
        else:
            own.append(i)
    sticks = tuple(
        Stick(tuple(rubs[i] for i in g), bool(np.linalg.norm(left[g[0]]) < PARALLEL))
        for g in groups
    )
    _refuse_mixed(m, sticks, left[[g[0] for g in groups]])
    return sticks


def _rubs(
    system: System, rough: Mapping[str, int], jumps: Mapping[int, bool], length: float
) -> list[Rub]:
    """The velocities with friction, and those with loads that jump."""
    tree, rubs = system.tree, []
    places = {tree.velocities[i]: k for k, i in enumerate(tree.free_v)}
    for joint in system.in_numbers.joints:
        own = zip(joint.velocities(), joint.velocity_kinds, strict=True)
        for number, (name, kind) in enumerate(own):
            rubs_here, jumps_here = number < rough.get(joint.name, 0), places.get(name) in jumps
            if not (rubs_here or jumps_here):
                continue
            if rubs_here and jumps.get(places[name]):
                raise StructureError(
                    f"friction: loads on other joints jump with the sign of v_{name} too, where it "
                    "is open what they do while friction holds it; take the friction of joint "
                    f"{joint.name!r} away, or write tanh for sign"
                )
            unit = length if kind == "length" else 1.0
            at = name, places[name], joint.name, number, unit
            rubs.append(Rub(*at, rough=rubs_here, jumps=jumps_here))
    return rubs


def _rough(system: System, m: Mechanism) -> dict[str, int]:
    """Of each joint with friction in how many velocities it rubs."""
    tree, counts = system.tree, {}
    free = {tree.velocities[i] for i in tree.free_v}
    for joint, data, _ in rough_joints(m).values():
        if not (depends_on_load(data) or rubs_anyway(data) or present(data.rolling)):
            continue
        separate = law_of(joint).separate
        if not separate:
            alone = [key for key, cls in JOINT_TYPES.items() if cls.rubs and cls.rubs.separate]
            raise StructureError(
                f"friction: that of joint {joint.name!r} is not simulated, because a {joint.type} "
                "joint slips in several directions at once; simulate takes friction of "
                f"{', '.join(alone)} joints. Take it away, or give damping"
            )
        if not free >= {*joint.velocities()[:separate]}:
            raise StructureError(
                f"friction: joint {joint.name!r} is moved by a coupling, where friction is not "
                "simulated; give it to the joint that the coupling follows"
            )
        counts[joint.name] = separate
    return counts


def _refuse_open_forces(system: System, m: Mechanism) -> None:
    """An error where it is open what presses in the joints."""
    loaded = [name for name, each in rough_joints(m).items() if depends_on_load(each.data)]
    if not loaded:
        return
    if system.ties and (spare := mobility(m).passive):
        raise StructureError(
            f"friction: mechanism {m.name!r} has {spare} passive constraint{'s' * (spare > 1)}, so "
            f"it is open what presses in its joints, and with it the friction of {loaded[0]!r}; "
            f"take pairs of a rational variant ({named('rational_variants')}), or give friction by "
            "effort"
        )
    between = [drive.name for drive in m.drives if drive.coordinate is None]
    if between and not system.ties:
        raise StructureError(
            f"friction: drive {between[0]!r} acts between points of a mechanism without loops, "
            "where its force in the joints is not known; drive a joint, or give friction by effort"
        )


def _parallel(one: Array, other: Array) -> bool:
    across = other - one * (one @ other) / (one @ one)
    return bool(np.linalg.norm(across) < PARALLEL * np.linalg.norm(other))


def _refuse_mixed(m: Mechanism, sticks: tuple[Stick, ...], rates: Array) -> None:
    """An error where some could stick and others not, in more ways than there are freedoms."""
    free = [stick.name for stick in sticks if not stick.led]
    freedoms = count_of(rates)
    if len(free) > freedoms:
        raise StructureError(
            f"friction: mechanism {m.name!r} moves in {freedoms} ways with friction, or loads that "
            f"jump with the sign of the speed, in {', '.join(free)}, which neither halt together "
            "nor each for itself; simulate takes as many such joints as there are freedoms. Take "
            "that of some away, or write tanh for sign"
        )
