"""Everything that can be wrong with a mechanism as a whole, found in one pass.

`mechanism_faults` is a list of checks; each check yields faults and relies only on the elements it
looks at, so that one bad value never hides another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import Fault, unknown
from ..expr import Expr, evaluate, variables
from ..spatial.rotation import cross
from ..wording import named
from .body import GROUND, Body
from .coupling import Coupling
from .drawing import (
    MEETS,
    Drawing,
    coordinate_values,
    drawing,
    drawn_coordinates,
    joints_by_body,
    outward,
)
from .drive import Drive
from .fields import Element, Invalid, laws_of, specs_of, unit_faults
from .force import Force
from .given import as_given
from .joint import Joint, coordinate_names, velocity_names
from .named_pose import NamedPose
from .parameters import circles, name_fault
from .points import PointsOf, axis_fault, place_fault, points_of
from .wheels import wheel_faults

if TYPE_CHECKING:
    from .mechanism import Mechanism

Load = Force | Drive
CLASSES: dict[str, type[Element]] = {
    "bodies": Body,
    "joints": Joint,
    "couplings": Coupling,
    "forces": Force,
    "drives": Drive,
    "poses": NamedPose,
}


def mechanism_faults(m: Mechanism) -> Iterator[Fault]:
    """All faults of the mechanism but for those of its drawing."""
    yield from _class_faults(m)
    elements = list(chain(*(getattr(m, key) for key in CLASSES)))
    if any(not isinstance(element, Element) for element in elements):
        return
    found = [*Element.faults(m), *chain(*(element.faults() for element in elements))]
    for check in CHECKS:
        found += check(m)
    yield from found


def drawing_faults(m: Mechanism) -> Iterator[Fault]:
    """Faults of the geometry, which is judged only where everything else is right."""
    for check in DRAWING_CHECKS:
        found = [*check(m)]
        yield from found
        if found:
            break


def _class_faults(m: Mechanism) -> Iterator[Fault]:
    for key, cls in CLASSES.items():
        for element in getattr(m, key):
            if not isinstance(element, cls):
                kind = type(element).__name__
                yield m.fault(f"{key} hold {cls.__name__} values, got {kind}", key)


def _name_faults(m: Mechanism) -> Iterator[Fault]:
    """Names must be unique in their section, and `ground` is taken."""
    for elements in (getattr(m, key) for key in CLASSES):
        counts = Counter(element.name for element in elements)
        for element in {e.name: e for e in elements if counts[e.name] > 1}.values():
            if isinstance(element.name, str):
                count, section = counts[element.name], element.section
                message = f"the name is used {count} times; every {section} needs its own"
                yield element.fault(message, "name")
    for body in m.bodies:
        if body.name == GROUND:
            message = f"{GROUND!r} is the base and always there; leave it out or rename the body"
            yield body.fault(message, "name")
            break


def _coordinate_name_faults(m: Mechanism) -> Iterator[Fault]:
    """Laws tell coordinates apart by their names, and from the time `t`."""
    owner = {"t": "the time"}
    for joint in m.joints:
        for name in coordinate_names(joint):
            if owner.setdefault(name, str(joint.name)) != str(joint.name):
                message = f"its coordinate {name!r} means {owner[name]} already; rename the joint"
                yield joint.fault(message, "name")


def _reference_faults(m: Mechanism) -> Iterator[Fault]:
    """Bodies, joints and coordinates that are named must exist."""
    points, single = points_of(m), single_coordinates(m)
    for joint in m.joints:
        yield from _place_faults(joint, ("parent", "child"), points)
        if (fault := axis_fault(joint, points)) is not None:
            yield fault
        if joint.parent == joint.child and not isinstance(joint.parent, Invalid):
            message = f"parent and child are both {joint.parent!r}; a joint joins two bodies"
            yield joint.fault(message, "child")
    for coupling in m.couplings:
        yield from _unknown_names(coupling, coupling.joints, "coordinate", single)
    loads: tuple[Load, ...] = (*m.forces, *m.drives)
    for load in loads:
        yield from _place_faults(load, load.bodies, points)
        yield from _unknown_names(load, load.joints, "joint or coordinate of one freedom", single)


def _place_faults(element: Joint | Load, keys: Iterable[str], points: PointsOf) -> Iterator[Fault]:
    """Bodies and points that nothing has, and places on bodies that nothing gives."""
    for key in keys:
        fault = place_fault(element, key, points)
        if fault is not None:
            yield fault
        elif isinstance(element, Force | Drive):
            place = dict(element.places).get(key)
            if place is not None and getattr(element, place) is None:
                message = "is missing; give a place such as [0.1, 0], or the name of a point"
                yield element.fault(message, place)


def _unknown_names(
    element: Element, keys: Iterable[str], kind: str, known: Collection[str]
) -> Iterator[Fault]:
    """Names in fields of an element that nothing has."""
    for key in keys:
        name = getattr(element, key)
        if not isinstance(name, Invalid) and name not in known:
            yield element.fault(unknown(kind, name, known), key)


def single_coordinates(m: Mechanism) -> dict[str, Joint]:
    """What a drive or a joint force may name: one coordinate that is its own velocity."""
    joints = [joint for joint in m.joints if joint.rates_are_velocities]
    return {name: joint for joint in joints for name in joint.coordinates()}


def _placement_faults(m: Mechanism) -> Iterator[Fault]:
    """A joint has one place; in the plane it lies in the plane."""
    for joint in m.joints:
        if m.plane and not joint.planar:
            message = f"a {joint.type} joint does not fit into a plane; leave out `plane`"
            yield joint.fault(message, "type")
            continue
        if not m.plane and not joint.spatial:
            message = f"a {joint.type} joint lives in a plane; say plane = 'xy' for the mechanism"
            yield joint.fault(message, "type")
            continue
        if joint.at is not None and joint.placed_by_frames and not joint.joins_points:
            message = "is given both in the drawing (`at`) and by frames; give one of them"
            yield joint.fault(message, "at")
        if joint.at is None and not joint.placed_by_frames and joint.needs_place:
            message = "is missing; give the joint's point in the drawing position, such as [0, 0]"
            yield joint.fault(message, "at")
        if m.plane and isinstance(joint.at, tuple) and joint.at[2] != 0:
            yield joint.fault(f"has z = {joint.at[2]:g}; a planar mechanism has z = 0", "at")
        yield from _axis_faults(m, joint)


def _axis_faults(m: Mechanism, joint: Joint) -> Iterator[Fault]:
    if joint.axis is None and joint.drawn_axes[0] is None and joint.axis_in_plane and m.plane:
        message = f"is missing; give the direction of the {joint.type}, such as [1, 0]"
        yield joint.fault(message, "axis")
    if not isinstance(joint.axis, tuple):
        return
    axis, length = np.array(joint.axis), float(np.linalg.norm(joint.axis))
    if isinstance(joint.x_axis, tuple):
        sine = float(np.linalg.norm(cross(axis, joint.x_axis)))
        if sine < 1e-9 * float(length * np.linalg.norm(joint.x_axis)):
            yield joint.fault("is parallel to the axis; give another direction", "x_axis")
    if m.plane and not joint.placed_by_frames and 0 < length < np.inf:
        z = axis[2] / length
        if joint.axis_in_plane and abs(z) > 1e-9:
            yield joint.fault(f"must lie in the plane, got {list(joint.axis)}", "axis")
        if not joint.axis_in_plane and abs(abs(z) - 1) > 1e-9:
            normal = f"must be the plane's normal [0, 0, 1], got {list(joint.axis)}"
            yield joint.fault(f"{normal}; it may be left out", "axis")


def _connection_faults(m: Mechanism) -> Iterator[Fault]:
    """Every body hangs on the base through joints."""
    joints = [j for j in m.joints if isinstance(j.parent, str) and isinstance(j.child, str)]
    reached = {GROUND}
    for _, _, body_name in outward(joints_by_body(joints), [GROUND], reached):
        reached.add(body_name)
    free = "planar" if m.plane else "free"
    for body in m.bodies:
        if body.name not in reached and isinstance(body.name, str):
            yield body.fault(
                f"is not connected to {GROUND!r} by any chain of joints; add one, "
                f"for a body that flies a {free} joint from {GROUND!r}"
            )


def _coupling_faults(m: Mechanism) -> Iterator[Fault]:
    """A dependent coordinate is given once, and not by itself in a circle."""
    single = single_coordinates(m)
    given: dict[str, Coupling] = {}
    for coupling in m.couplings:
        name = coupling.coordinate
        if name in single and single[name].elastic is not None:
            message = f"{name!r} is elastic; couple its rotor by the gear ratio instead"
            yield coupling.fault(message, "coordinate")
        elif name in single and name in given:
            yield coupling.fault(f"{name!r} is given by two couplings; keep one", "coordinate")
        given.setdefault(name, coupling)
    laws = {c.coordinate: variables(c.law) for c in m.couplings if isinstance(c.law, Expr)}
    for circle in circles(laws):
        trail = " -> ".join([*circle, circle[0]])
        message = f"couplings go in a circle: {trail}; leave one of them out"
        yield given[circle[0]].fault(message, "law")


def _law_faults(m: Mechanism) -> Iterator[Fault]:
    """Laws use names that mean something."""
    coordinates = {name for joint in m.joints for name in coordinate_names(joint)} | {"t"}
    velocities = {f"v_{name}" for joint in m.joints for name in velocity_names(joint)}
    known: list[tuple[Element, set[str]]] = [(coupling, coordinates) for coupling in m.couplings]
    told: dict[str, str] = {}
    for force in m.forces:
        taken = coordinates | velocities | dict(m.parameters).keys()
        yield from _told_faults(force, taken, told)
        own = force.law_names | set(force.own_states)
        known.append((force, coordinates | velocities | own | told.keys()))
        told |= dict.fromkeys(force.tells, force.name)
    for element, names in known:
        for key, law in laws_of(element):
            for name in sorted(variables(law) - names) if isinstance(law, Expr) else ():
                message = unknown("name", name, sorted(map(str, names)))
                if name in told:
                    message = (
                        f"{name!r} is told by {told[name]!r}, which stands after it; laws know "
                        "what stands before them, so put that first"
                    )
                yield element.fault(message, key)


def _told_faults(force: Force, taken: Collection[str], told: Mapping[str, str]) -> Iterator[Fault]:
    """Names that a load gives to laws, and those of its states, mean nothing else there."""
    for name in (*force.tells, *(force.own_states if force.tells else ())):
        key = "name" if name in force.tells else "states"
        message = name_fault(name)
        if message and name.isidentifier():  # other names stand in quotes in a law
            yield force.fault(message, key)
        elif name in taken or told.get(name, force.name) != force.name:
            what = f"what {told[name]!r} tells" if name in told else "a coordinate or size"
            yield force.fault(f"{name!r} is {what} in laws; give it another name", key)


def _drive_faults(m: Mechanism) -> Iterator[Fault]:
    """A drive moves something, in the plane, and nothing else prescribes that already."""
    givers = {coupling.coordinate: coupling.name for coupling in m.couplings}
    taken: dict[tuple[Any, ...], str] = {}
    for drive in m.drives:
        for key in drive.joints:
            name = getattr(drive, key)
            if isinstance(name, str) and name in givers:
                yield drive.fault(
                    f"{name!r} is given by the coupling {givers[name]!r}; drive a coordinate that "
                    "it depends on, or leave the coupling out",
                    key,
                )
        for key, what in _prescribed(drive):
            if (other := taken.setdefault(what, drive.name)) != drive.name:
                message = f"is prescribed by the drive {other!r} already; keep one of the two"
                yield drive.fault(message, key)
        if drive.count == 0:
            yield drive.fault(f"drives nothing; give one of {', '.join(drive.motions)}")
        ends = {getattr(drive, key) for key in drive.bodies}
        if ends == {GROUND} or (len(drive.bodies) == 2 and len(ends) == 1):
            message = f"drives nothing: it is between {min(ends)!r} and itself; name another body"
            yield drive.fault(message, drive.bodies[0])


def _prescribed(drive: Drive) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The motions that a drive gives, each with all that says which motion it is."""
    keys = [key for key in specs_of(type(drive)) if key not in ("name", *drive.motions)]
    of = [getattr(drive, key) for key in keys]
    for key in drive.given if not any(isinstance(x, Invalid) for x in of) else ():
        yield key, (drive.type, *of, key)


def _unit_faults(m: Mechanism) -> Iterator[Fault]:
    """Quantities of an element that names a coordinate: for an angle, or for a length."""
    kinds = {
        name: kind
        for joint in m.joints
        for name, kind in zip(joint.coordinates(), joint.coordinate_kinds, strict=False)
    }
    elements: tuple[Coupling | Load, ...] = (*m.couplings, *m.forces, *m.drives)
    for element in elements:
        for key in element.joints:
            name = getattr(element, key)
            if kinds.get(name) in ("angle", "length"):
                yield from unit_faults(element, name, kinds[name] == "angle")


def _pose_faults(m: Mechanism) -> Iterator[Fault]:
    """Named poses give coordinates of the mechanism."""
    for pose in m.poses:
        yield from pose.faults_in(m)


def _plane_faults(m: Mechanism) -> Iterator[Fault]:
    """Masses that no body of the plane, or of space, can have; loads that leave the plane."""
    elements: tuple[Body | Load, ...] = (*m.bodies, *m.forces, *m.drives)
    for element in elements:
        yield from element.faults_in(planar=m.plane is not None)


def _assembly_faults(m: Mechanism) -> Iterator[Fault]:
    """Sides are asked of pins in a plane."""
    pins = {joint.name for joint in m.joints if joint.turns_only}
    for name, _ in m.sides:
        if m.plane is None:
            message = (
                f"left and right are sides in a plane; say a number of {named('configurations')}"
            )
            yield m.fault(message, "assembly")
            return
        if name not in pins:
            yield m.fault(unknown("pin", name, pins), "assembly")


def _coupling_value_faults(m: Mechanism) -> Iterator[Fault]:
    """A coupling must have a value where the mechanism is drawn."""
    with np.errstate(all="ignore"):
        values = coordinate_values(m, drawn_coordinates(m))
    for coupling in m.couplings:
        if not np.isfinite(values[coupling.coordinate]):
            message = "has no value in the drawing position; draw the mechanism elsewhere (`drawn`)"
            yield coupling.fault(message, "law")


def _size_faults(m: Mechanism, placed: Drawing) -> Iterator[Fault]:
    """Every joint has a place in the drawing, in numbers that a computer can hold."""
    for joint in m.joints:
        frames = (placed.X_WF[joint.name], placed.X_WM[joint.name])
        total = sum((X.R.sum() + X.p.sum() for X in frames), placed.gap(joint))
        if not np.isfinite(total):
            yield joint.fault(
                "has no finite place in the drawing position: a size or a coordinate is too large, "
                "or its law has no value there; correct it, or draw the joint elsewhere (`drawn`)"
            )


def _geometry_faults(m: Mechanism) -> Iterator[Fault]:
    """Joints placed by frames must meet in the drawing position; planar ones must stay in plane."""
    placed = drawing(m)
    infinite = [*_size_faults(m, placed)]
    yield from infinite
    if infinite:
        return
    yield from _drawn_coupling_faults(m, placed)
    yield from _length_faults(m, placed)
    yield from wheel_faults(m, placed)
    for body in m.bodies:
        if m.plane and body.frame and abs(body.frame.rotation[2][2] - 1) > 1e-9:
            yield body.fault("leans out of the plane", "frame")
    for joint in m.joints:
        if placed.gap(joint) > MEETS:
            shift, turn = placed.miss(joint)
            yield joint.fault(
                f"does not meet in the drawing position: its two frames are {shift:.3g} m and "
                f"{turn:.3g} rad apart; correct the frames, or say with `drawn` at which "
                "coordinates it is drawn"
            )
        if m.plane and joint.nv:
            z = placed.X_WF[joint.name].R[:, 2]
            if abs(z[2] if joint.axis_in_plane else abs(z[2]) - 1) > 1e-9:
                yield joint.fault("leaves the plane", "axis")
            yield from _rotor_faults(joint, placed)


def _drawn_coupling_faults(m: Mechanism, placed: Drawing) -> Iterator[Fault]:
    """A dependent coordinate that is said to be drawn somewhere must be where its coupling says.

    Where only the places of bodies tell it, an angle is known but for whole turns.
    """
    values = coordinate_values(m, placed.q)
    given = map(as_given, m.joints)
    unsaid = {name for j in given if j.drawn is None for name in j.round_coordinates}
    for coupling in m.couplings:
        expected = float(evaluate([coupling.law], values)[0])
        drawn = values[coupling.coordinate]
        apart = abs(expected - drawn)
        if coupling.coordinate in unsaid:
            apart = abs(apart - 2 * np.pi * np.round(apart / (2 * np.pi)))
        if apart > MEETS * max(1.0, abs(expected)):
            message = f"gives {expected:g} where {coupling.coordinate!r} is drawn at {drawn:g}"
            yield coupling.fault(message, "law")


def _length_faults(m: Mechanism, placed: Drawing) -> Iterator[Fault]:
    """Two points whose distance matters are not the same point in the drawing."""
    loads: tuple[Load, ...] = (*m.forces, *m.drives)
    for load in loads:
        if load.ends is not None and load.needs_distance:
            a, b = (placed.X_WB[body].point(at) for body, at in load.ends)
            if np.linalg.norm(a - b) < 1e-12 * placed.scale:
                message = "its two points coincide in the drawing position, so it has no direction"
                yield load.fault(message)


def _rotor_faults(joint: Joint, placed: Drawing) -> Iterator[Fault]:
    """In the plane a rotor behind a gear turns about the normal."""
    if joint.rotor is None or (joint.elastic is not None and joint.rotor.direct):
        return
    frame = joint.rotor.frame
    X_WR = placed.X_WB[joint.parent] @ frame.pose() if frame else placed.X_WF[joint.name]
    if abs(abs(X_WR.R[2, 2]) - 1) > 1e-9:
        message = "turns about an axis in the plane; give rotor.frame with z normal to the plane"
        yield joint.fault(message, "rotor")


CHECKS = (
    _name_faults,
    _coordinate_name_faults,
    _reference_faults,
    _placement_faults,
    _connection_faults,
    _coupling_faults,
    _law_faults,
    _drive_faults,
    _unit_faults,
    _pose_faults,
    _plane_faults,
    _assembly_faults,
)
DRAWING_CHECKS = (_coupling_value_faults, _geometry_faults)
"""The second relies on the first."""
