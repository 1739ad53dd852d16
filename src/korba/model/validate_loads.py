"""What can be wrong with couplings, forces and drives, given the joints that they name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import Fault
from .body import GROUND
from .coupling import Coupling
from .drive import Drive
from .fields import Invalid, specified_fields, unit_faults
from .force import Force

if TYPE_CHECKING:
    from .mechanism import Mechanism


def load_faults(m: Mechanism) -> Iterator[Fault]:
    """Drives that drive nothing or twice, units that do not fit, loads that leave the plane."""
    yield from _drive_faults(m)
    yield from _unit_faults(m)
    elements: tuple[Force | Drive, ...] = (*m.forces, *m.drives)
    for element in elements:
        yield from element.faults_in(planar=m.plane is not None)


def _drive_faults(m: Mechanism) -> Iterator[Fault]:
    """A drive moves something, in the plane, and nothing else prescribes that already."""
    givers = {coupling.coordinate: coupling.name for coupling in m.couplings}
    taken: dict[tuple[Any, ...], str] = {}
    for drive in m.drives:
        for key in drive.joints:
            name = getattr(drive, key)
            if isinstance(name, str) and name in givers:
                message = (
                    f"{name!r} is given by the coupling {givers[name]!r}; drive a coordinate that "
                    "it depends on, or leave the coupling out"
                )
                yield Fault((drive.section, drive.name, key), message)
        for key, what in _prescribed(drive):
            if (other := taken.setdefault(what, drive.name)) != drive.name:
                message = f"is prescribed by the drive {other!r} already; keep one of the two"
                yield Fault((drive.section, drive.name, key), message)
        if drive.count == 0:
            message = f"drives nothing; give one of {', '.join(drive.motions)}"
            yield Fault((drive.section, drive.name), message)
        ends = {getattr(drive, key) for key in drive.bodies}
        if ends == {GROUND} or (len(drive.bodies) == 2 and len(ends) == 1):
            message = f"drives nothing: it is between {min(ends)!r} and itself; name another body"
            yield Fault((drive.section, drive.name, drive.bodies[0]), message)


def _prescribed(drive: Drive) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The motions that a drive gives, each with all that says which motion it is."""
    names = [f.name for f in specified_fields(type(drive))]
    of = [getattr(drive, key) for key in names if key not in ("name", *drive.motions)]
    for key in drive.motions:
        if getattr(drive, key) is not None and not any(isinstance(x, Invalid) for x in of):
            yield key, (drive.type, *of, key)


def _unit_faults(m: Mechanism) -> Iterator[Fault]:
    """Quantities of an element that names a coordinate: for an angle, or for a length."""
    kinds = {
        name: kind
        for joint in m.joints
        for name, kind in zip(joint.coordinates(), joint.coordinate_kinds, strict=False)
    }
    elements: tuple[Coupling | Force | Drive, ...] = (*m.couplings, *m.forces, *m.drives)
    for element in elements:
        for key in element.joints:
            name = getattr(element, key)
            if kinds.get(name) in ("angle", "length"):
                yield from unit_faults(element, name, kinds[name] == "angle")
