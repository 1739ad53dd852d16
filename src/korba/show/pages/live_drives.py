"""What moves a mechanism in a page: coordinates, and cylinders by their lengths.

A cylinder is a drive that prescribes the distance of two points. To hold such inputs, each is a
drive whose law is zero: what is wanted of it beyond the law is then the value of the input itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...expr import constant
from ...model.drive import Drive
from ...model.drives.joint_drive import JointDrive
from ...model.mechanism import Mechanism
from ...positions.loop_system import LoopSystem, loop_system
from ...solve.batch_positions import held_system, settled_system
from ...system.store import kept


def cylinders(m: Mechanism) -> dict[str, Drive]:
    """Drives of lengths by their names, which no coordinate has."""
    return {
        drive.name: drive for drive in m.drives if drive.ends and drive.name not in m.coordinates
    }


def without_cylinders(m: Mechanism) -> Mechanism:
    """The mechanism as one that is moved by coordinates alone."""
    own = cylinders(m)
    drives = tuple(drive for drive in m.drives if drive.name not in own)
    return replace(m, drives=drives) if own else m


def driven_name(drive: Drive) -> str:
    """The coordinate that a drive moves, or its own name."""
    return drive.coordinate or drive.name


def driven_by(m: Mechanism, names: tuple[str, ...]) -> Mechanism:
    """The mechanism with drives for its inputs alone; kept with m."""
    if {*map(driven_name, m.drives)} == {*names} <= {*m.coordinates}:
        return m
    return kept(m, ("driven by", names), lambda: _driven_by(m, names))


def _driven_by(m: Mechanism, names: tuple[str, ...]) -> Mechanism:
    own = cylinders(m)
    drives = [
        _held(own[name])
        if name in own
        else JointDrive(f"drive of {name}", joint=name, position=constant(0.0))
        for name in names
    ]
    laws = {(Drive.section, each.name, key) for each in own.values() for key in each.given}
    formulas = tuple((place, raw) for place, raw in m.formulas if place not in laws)
    return replace(m, drives=tuple(drives), formulas=formulas)


def _held(drive: Drive) -> Drive:
    """A drive without its law."""
    zero: dict[str, Any] = dict.fromkeys(drive.given, constant(0.0))
    return replace(drive, **zero)


def input_system(m: Mechanism, names: tuple[str, ...]) -> LoopSystem:
    """The loops with all inputs held; what is wanted are their values, in the order of names."""
    if not cylinders(m).keys() & {*names}:
        return held_system(m, names)
    driven = driven_by(m, names)
    return kept(m, ("inputs", names), lambda: settled_system(m, loop_system(driven), names))


def input_kinds(m: Mechanism) -> dict[str, str]:
    """Whether a coordinate or a cylinder is an angle or a length, by name."""
    return coordinate_kinds(m) | dict.fromkeys(cylinders(m), "length")


def coordinate_kinds(m: Mechanism) -> dict[str, str]:
    """Whether a coordinate is an angle or a length, by name."""
    return {
        name: kind
        for joint in m.joints
        for name, kind in zip(joint.coordinates(), joint.coordinate_kinds, strict=True)
    }
