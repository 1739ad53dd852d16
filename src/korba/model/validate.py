"""Everything that can be wrong with a mechanism as a whole, found in one pass.

`mechanism_faults` is a list of checks; each check yields faults and relies only on the elements it
looks at, so that one bad value never hides another.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import Fault
from ..expr import Expr, evaluate, variables
from .body import GROUND, Body
from .coupling import Coupling
from .drawing import Drawing, coordinate_values, drawing, drawn_coordinates
from .drive import Drive
from .fields import Element, Invalid, Vector3, laws_of
from .force import Force
from .joint import Joint, coordinate_names, velocity_names
from .validate_loads import load_faults

if TYPE_CHECKING:
    from .mechanism import Mechanism

CLOSURE = 1e-6
"""Largest gap, in metres or radians, of joints that are placed by frames and close a loop."""


def mechanism_faults(m: Mechanism) -> Iterator[Fault]:
    """All faults of the mechanism."""
    yield from _class_faults(m)
    elements = [*m.bodies, *m.joints, *m.couplings, *m.forces, *m.drives]
    if any(not isinstance(element, Element) for element in elements):
        return
    found = list(Element.faults(m))
    for element in elements:
        found += element.faults()
    for check in (_name_faults, _reference_faults, _placement_faults, _inertia_faults):
        found += check(m)
    for check in (_connection_faults, _coupling_faults, _law_faults, load_faults):
        found += check(m)
    yield from found
    if not found:
        yield from _geometry_faults(m)


def _class_faults(m: Mechanism) -> Iterator[Fault]:
    expected = {"bodies": Body, "joints": Joint, "couplings": Coupling}
    for key, cls in {**expected, "forces": Force, "drives": Drive}.items():
        for element in getattr(m, key):
            if not isinstance(element, cls):
                message = f"{key} hold {cls.__name__} values, got {type(element).__name__}"
                yield Fault((m.section, m.name, key), message)


def _name_faults(m: Mechanism) -> Iterator[Fault]:
    """Names must be unique in their section, and `ground` is taken."""
    for elements in (m.bodies, m.joints, m.couplings, m.forces, m.drives):
        counts = Counter(element.name for element in elements)
        for name, count in counts.items():
            if count > 1 and isinstance(name, str):
                section = elements[0].section
                message = f"the name is used {count} times; every {section} needs its own"
                yield Fault((section, name, "name"), message)
    if any(body.name == GROUND for body in m.bodies):
        message = f"{GROUND!r} is the base and always there; leave it out or rename the body"
        yield Fault(("body", GROUND, "name"), message)
    yield from _coordinate_name_faults(m)


def _coordinate_name_faults(m: Mechanism) -> Iterator[Fault]:
    """Laws tell coordinates apart by their names, and from the time `t`."""
    owner = {"t": "the time"}
    for joint in m.joints:
        for name in coordinate_names(joint):
            if owner.setdefault(name, str(joint.name)) != str(joint.name):
                message = f"its coordinate {name!r} means {owner[name]} already; rename the joint"
                yield Fault((joint.section, joint.name, "name"), message)


def _unknown(kind: str, name: Any, known: Iterable[str]) -> str:
    names = [str(k) for k in known]
    near = difflib.get_close_matches(str(name), names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names[:12])}"
    return f"there is no {kind} {name!r}; {hint}"


def _reference_faults(m: Mechanism) -> Iterator[Fault]:
    """Bodies, joints and coordinates that are named must exist."""
    bodies = dict.fromkeys([GROUND, *(body.name for body in m.bodies)])
    single = single_coordinates(m)
    for joint in m.joints:
        for key in ("parent", "child"):
            yield from _body_reference(joint, key, bodies)
        if joint.parent == joint.child and not isinstance(joint.parent, Invalid):
            message = f"parent and child are both {joint.parent!r}; a joint joins two bodies"
            yield Fault((joint.section, joint.name, "child"), message)
    loads: tuple[Force | Drive, ...] = (*m.forces, *m.drives)
    for element in loads:
        for key in element.bodies:
            yield from _body_reference(element, key, bodies)
        for key in element.joints:
            name = getattr(element, key)
            if not isinstance(name, Invalid) and name not in single:
                message = _unknown("joint or coordinate of one freedom", name, single)
                yield Fault((element.section, element.name, key), message)


def _body_reference(element: Any, key: str, bodies: Collection[str]) -> Iterator[Fault]:
    name = getattr(element, key)
    if not isinstance(name, Invalid) and name not in bodies:
        yield Fault((element.section, element.name, key), _unknown("body", name, bodies))


def single_coordinates(m: Mechanism) -> dict[str, Joint]:
    """What a drive or a joint force may name: one coordinate that is its own velocity."""
    found: dict[str, Joint] = {}
    for joint in m.joints:
        if joint.rates_are_velocities:
            found.update(dict.fromkeys(joint.coordinates(), joint))
    return found


def _placement_faults(m: Mechanism) -> Iterator[Fault]:
    """A joint has one place; in the plane it lies in the plane."""
    for joint in m.joints:
        where = (joint.section, joint.name)
        if m.plane and not joint.planar:
            message = f"a {joint.type} joint does not fit into a plane; leave out `plane`"
            yield Fault((*where, "type"), message)
            continue
        if not m.plane and not joint.spatial:
            message = f"a {joint.type} joint lives in a plane; say plane = 'xy' for the mechanism"
            yield Fault((*where, "type"), message)
            continue
        if joint.at is not None and joint.placed_by_frames:
            message = "is given both in the drawing (`at`) and by frames; give one of them"
            yield Fault((*where, "at"), message)
        if joint.at is None and not joint.placed_by_frames and joint.needs_place:
            message = "is missing; give the joint's point in the drawing position, such as [0, 0]"
            yield Fault((*where, "at"), message)
        yield from _axis_faults(m, joint)


def _axis_faults(m: Mechanism, joint: Joint) -> Iterator[Fault]:
    where = (joint.section, joint.name)
    axis, x_axis = (None if isinstance(a, Invalid) else a for a in (joint.axis, joint.x_axis))
    if axis is None and joint.axis_in_plane and m.plane and not isinstance(joint.axis, Invalid):
        message = f"is missing; give the direction of the {joint.type}, such as [1, 0]"
        yield Fault((*where, "axis"), message)
    if axis is not None and x_axis is not None and _parallel(axis, x_axis):
        yield Fault((*where, "x_axis"), "is parallel to the axis; give another direction")
    length = 0.0 if axis is None else float(np.linalg.norm(axis))
    if m.plane and axis is not None and not joint.placed_by_frames and 0 < length < np.inf:
        out = np.array(axis) / length
        if joint.axis_in_plane and abs(out[2]) > 1e-9:
            yield Fault((*where, "axis"), f"must lie in the plane, got {list(axis)}")
        if not joint.axis_in_plane and abs(abs(out[2]) - 1) > 1e-9:
            message = f"must be the plane's normal [0, 0, 1], got {list(axis)}; it may be left out"
            yield Fault((*where, "axis"), message)
    if m.plane and joint.at is not None and not isinstance(joint.at, Invalid) and joint.at[2] != 0:
        yield Fault((*where, "at"), f"has z = {joint.at[2]:g}; a planar mechanism has z = 0")


def _parallel(a: Vector3, b: Vector3) -> bool:
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(np.linalg.norm(np.cross(a, b))) < 1e-9 * size


def _inertia_faults(m: Mechanism) -> Iterator[Fault]:
    for body in m.bodies:
        yield from body.faults_in(planar=m.plane is not None)


def _connection_faults(m: Mechanism) -> Iterator[Fault]:
    """Every body hangs on the base through joints."""
    neighbours: dict[str, list[str]] = {}
    for joint in m.joints:
        if not isinstance(joint.parent, Invalid) and not isinstance(joint.child, Invalid):
            neighbours.setdefault(joint.parent, []).append(joint.child)
            neighbours.setdefault(joint.child, []).append(joint.parent)
    reached, stack = {GROUND}, [GROUND]
    while stack:
        for other in neighbours.get(stack.pop(), []):
            if other not in reached:
                reached.add(other)
                stack.append(other)
    free = "planar" if m.plane else "free"
    for body in m.bodies:
        if body.name not in reached and isinstance(body.name, str):
            message = (
                f"is not connected to {GROUND!r} by any chain of joints; add one, "
                f"for a body that flies a {free} joint from {GROUND!r}"
            )
            yield Fault((body.section, body.name), message)


def _coupling_faults(m: Mechanism) -> Iterator[Fault]:
    """A dependent coordinate exists, is given once, and not by itself in a circle."""
    single = single_coordinates(m)
    seen: set[str] = set()
    for coupling in m.couplings:
        where = (coupling.section, coupling.name, "coordinate")
        name = coupling.coordinate
        if isinstance(name, Invalid):
            continue
        if name not in single:
            yield Fault(where, _unknown("coordinate", name, single))
        elif single[name].elastic is not None:
            yield Fault(where, f"{name!r} is elastic; couple its rotor by the gear ratio instead")
        elif name in seen:
            yield Fault(where, f"{name!r} is given by two couplings; keep one")
        seen.add(name)
    if circle := coupling_circle(m.couplings):
        message = f"couplings go in a circle: {' -> '.join(circle)}; leave one of them out"
        named = next(c.name for c in m.couplings if c.coordinate in circle)
        yield Fault(("coupling", named, "law"), message)


def coupling_circle(couplings: Iterable[Coupling]) -> list[str]:
    """Coordinates that depend on each other in a circle, or nothing."""
    graph = {c.coordinate: variables(c.law) for c in couplings if isinstance(c.law, Expr)}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [str(name) for name in error.args[1]]
    return []


def _law_faults(m: Mechanism) -> Iterator[Fault]:
    """Laws use names that mean something."""
    coordinates = {name for joint in m.joints for name in coordinate_names(joint)}
    velocities = {f"v_{name}" for joint in m.joints for name in velocity_names(joint)}
    for coupling in m.couplings:
        yield from _names_in_law(coupling, "law", coupling.law, coordinates | {"t"})
    for force in m.forces:
        known = coordinates | velocities | {"t"} | force.law_names
        for key, law in laws_of(force):
            yield from _names_in_law(force, key, law, known)


def _names_in_law(element: Any, key: str, law: Any, known: set[str]) -> Iterator[Fault]:
    if isinstance(law, Expr):
        for name in sorted(variables(law) - known):
            where = (element.section, element.name, key)
            yield Fault(where, _unknown("name", name, sorted(map(str, known))))


def _geometry_faults(m: Mechanism) -> Iterator[Fault]:
    """Joints placed by frames must meet in the drawing position; planar ones must stay in plane."""
    unknown = list(_coupling_value_faults(m))
    yield from unknown
    if unknown:
        return
    placed = drawing(m)
    infinite = list(_size_faults(m, placed))
    yield from infinite
    if infinite:
        return
    yield from _drawn_coupling_faults(m, placed)
    yield from _length_faults(m, placed)
    for body in m.bodies:
        if m.plane and body.frame and abs(body.frame.rotation[2][2] - 1) > 1e-9:
            yield Fault((body.section, body.name, "frame"), "leans out of the plane")
    for joint in m.joints:
        gap = placed.gap(joint)
        if gap > CLOSURE:
            message = (
                f"does not meet in the drawing position: its two frames are {gap:.3g} apart "
                "(m, rad); correct the frames, or say with `drawn` at which coordinates it is drawn"
            )
            yield Fault((joint.section, joint.name), message)
        if m.plane and joint.nv:
            z = placed.X_WF[joint.name].R[:, 2]
            if abs(z[2] if joint.axis_in_plane else abs(z[2]) - 1) > 1e-9:
                yield Fault((joint.section, joint.name, "axis"), "leaves the plane")
            yield from _rotor_faults(joint, placed)


def _size_faults(m: Mechanism, placed: Drawing) -> Iterator[Fault]:
    """Every joint has a place in the drawing, in numbers that a computer can hold."""
    for joint in m.joints:
        frames = (placed.X_WF[joint.name], placed.X_WM[joint.name])
        total = sum((X.R.sum() + X.p.sum() for X in frames), placed.gap(joint))
        if not np.isfinite(total):
            message = (
                "has no finite place in the drawing position: a size or a coordinate is too large, "
                "or its law has no value there; correct it, or draw the joint elsewhere (`drawn`)"
            )
            yield Fault((joint.section, joint.name), message)


def _coupling_value_faults(m: Mechanism) -> Iterator[Fault]:
    """A coupling must have a value where the mechanism is drawn."""
    with np.errstate(all="ignore"):
        values = coordinate_values(m, drawn_coordinates(m))
    for coupling in m.couplings:
        if not np.isfinite(values[coupling.coordinate]):
            message = "has no value in the drawing position; draw the mechanism elsewhere (`drawn`)"
            yield Fault((coupling.section, coupling.name, "law"), message)


def _drawn_coupling_faults(m: Mechanism, placed: Drawing) -> Iterator[Fault]:
    """A dependent coordinate that is said to be drawn somewhere must be where its coupling says."""
    values = coordinate_values(m, placed.q)
    for coupling in m.couplings:
        expected = float(evaluate([coupling.law], values)[0])
        found = values[coupling.coordinate]
        if abs(expected - found) > CLOSURE * max(1.0, abs(expected)):
            message = f"gives {expected:g} where {coupling.coordinate!r} is drawn at {found:g}"
            yield Fault((coupling.section, coupling.name, "law"), message)


def _length_faults(m: Mechanism, placed: Drawing) -> Iterator[Fault]:
    """Two points whose distance matters are not the same point in the drawing."""
    actions: tuple[Force | Drive, ...] = (*m.forces, *m.drives)
    for element in actions:
        if element.ends is not None:
            a, b = (placed.X_WB[body].point(at) for body, at in element.ends)
            if np.linalg.norm(a - b) < 1e-12 * placed.scale:
                message = "its two points coincide in the drawing position, so it has no direction"
                yield Fault((element.section, element.name), message)


def _rotor_faults(joint: Joint, placed: Drawing) -> Iterator[Fault]:
    """In the plane a rotor behind a gear turns about the normal."""
    if joint.rotor is None or (joint.elastic is not None and joint.rotor.direct):
        return
    frame = joint.rotor.frame
    X_WR = placed.X_WB[joint.parent] @ frame.pose() if frame else placed.X_WF[joint.name]
    if abs(abs(X_WR.R[2, 2]) - 1) > 1e-9:
        message = "turns about an axis in the plane; give rotor.frame with z normal to the plane"
        yield Fault((joint.section, joint.name, "rotor"), message)
