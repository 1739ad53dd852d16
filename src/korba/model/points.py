"""Named points of bodies, wherever a place on a body is asked for.

`"coupler.P"` is the point P of the body `coupler`; a body whose own name has dots wins. In a joint
it stands for a frame with its origin there, in the axes of the body (turned by `on_parent` or
`on_child`, where those are given too); in a load or a drive for the place on the body. `ground` has
the points of the mechanism; where a joint names a point of the other body and no point of ground,
its place in the drawing, `at`, is the place on ground. The axis of a joint may lead from one point
of its parent to another, `"D to E"`.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import Fault, StructureError, unknown, way_out
from .body import GROUND
from .fields import Element, Invalid, Vector3, default_of
from .frame import Frame
from .given import as_given, made
from .specs import pointed

if TYPE_CHECKING:
    from .mechanism import Mechanism

Place = tuple[str, str | None]
"""A body, and the name of a point of it where one is meant."""
PointsOf = Mapping[str, Mapping[str, Vector3]]
"""The points of every body, ground too, by their names."""
NAMED = ("joints", "forces", "drives")
"""Lists of elements that may name points."""


def points_of(m: Mechanism) -> PointsOf:
    """The points of every body by their names; values that could not be read have none."""
    bodies = [
        (body.name, body.points)
        for body in m.bodies
        if isinstance(body, Element) and isinstance(body.name, str)
    ]
    return {
        name: {} if isinstance(points, Invalid) else dict(points)
        for name, points in [*bodies, (GROUND, m.points)]
    }


def place_named(name: str, bodies: Mapping[str, Any]) -> Place:
    """The body and the point that a name means; the whole name where it is a body, or nothing."""
    if name in bodies or "." not in name:
        return name, None
    body, _, point = name.rpartition(".")
    return (body, point) if body in bodies else (name, None)


def body_and_point(m: Mechanism, body: Any, point: Any) -> tuple[Any, Any]:
    """A body and a point of it, where the first may name both: "coupler.P"."""
    if not isinstance(body, str) or "." not in body:
        return body, point
    owner, own = place_named(body, points_of(m))
    if own is not None and (isinstance(point, str) or np.any(point)):
        raise StructureError(f"{body!r} names a point already, got another one: {point!r:.60}")
    return owner, point if own is None else own


def given_elements(m: Mechanism) -> dict[str, tuple[Any, ...]]:
    """Lists of a mechanism as they were given, with named points put into their places."""
    lists = {key: getattr(m, key) for key in ("bodies", *NAMED)}
    changes = {
        key: tuple(as_given(each).settled() for each in elements)
        for key, elements in lists.items()
        if any(getattr(each, "written", ()) for each in elements)
    }
    points = points_of(m)
    for key in NAMED:
        placed = [_placed(each, points) for each in changes.get(key, lists[key])]
        if any(each.written for each in placed if isinstance(each, Element)):
            changes[key] = tuple(placed)
    return changes


def moved_points(m: Mechanism) -> dict[str, tuple[Any, ...]]:
    """Lists of a mechanism with the places of named points where the points are now.

    For mechanisms whose points have become symbols, which cannot be made anew.
    """
    points = points_of(m)
    return {key: tuple(_moved(each, points) for each in getattr(m, key)) for key in NAMED}


def _moved(element: Any, points: PointsOf) -> Any:
    """An element with the places of the points that it names where these are now."""
    given, new = {key: raw for key, raw, _ in element.written}, copy(element)
    for key, place in element.places:
        if place not in given:
            continue
        body, point = place_named(given.get(key, getattr(element, key)), points)
        point = given[place] if point is None else point
        p = points[body][point] if isinstance(point, str) else _on_ground(element, body)
        if p is not None:
            object.__setattr__(new, place, moved_to(getattr(element, place), p))
    if isinstance(named := given.get("axis"), str):
        object.__setattr__(new, "axis", _direction(element, named, points))
    return new


def _direction(element: Any, text: str, points: PointsOf) -> Any:
    """From one point of a joint's parent to another; None where one of them means nothing."""
    body, _ = place_named(element.parent, points)
    ends = []
    for name in pointed(text):
        owner, point = place_named(name, points)
        own = points.get(body, {})
        if point is not None and owner != body:
            return None
        ends.append(own.get(name if point is None else point))
    if None in ends:
        return None
    return tuple(b - a for a, b in zip(*ends, strict=True))


def moved_to(where: Any, p: Any) -> Any:
    """A place, or a frame with its origin, at components that may be symbols."""
    if not isinstance(where, Frame):
        return p
    frame = copy(where)
    object.__setattr__(frame, "origin", p)
    return frame


def _placed(element: Any, points: PointsOf) -> Any:
    """An element with the points that it names as places; a name that means nothing stays."""
    changes: dict[str, Any] = {}
    for key, place in getattr(element, "places", ()):
        name, where = getattr(element, key), getattr(element, place)
        if not isinstance(name, str):
            continue
        body, point = place_named(name, points)
        if point is None and isinstance(where, str):
            point, where = where, default_of(type(element), place)
        if point is None or point not in points.get(body, {}):
            continue
        if _stands_beside(where, default_of(type(element), place)):
            continue
        if body != name:
            changes[key] = body
        changes[place] = element.at_point(points[body][point], where)
    if changes:
        changes |= _ground_places(element, changes)
    axis = getattr(element, "axis", None)
    if isinstance(axis, str) and (along := _direction(element, axis, points)) is not None:
        changes["axis"] = along
    return made(element, **changes) if changes else element


def _ground_places(element: Any, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The place on ground, by its place in the drawing, of a joint that names a point elsewhere."""
    return {
        place: element.at_point(p, None)
        for key, place in element.places
        if place not in changes and getattr(element, place) is None
        if (p := _on_ground(element, getattr(element, key))) is not None
    }


def placed_by_drawing(element: Any) -> bool:
    """Whether the place in the drawing of an element that names points is its place on ground."""
    given = {key: raw for key, raw, _ in element.written}
    return any(
        place in given and given[place] is None and given.get(key, getattr(element, key)) == GROUND
        for key, place in element.places
    )


def _on_ground(element: Any, body: Any) -> Vector3 | None:
    """Where an element that has a place in the drawing is on ground."""
    at = getattr(element, "at", None) if body == GROUND else None
    return None if isinstance(at, Invalid) else at


def _stands_beside(where: Any, default: Any) -> bool:
    """Whether a place is given besides a named point; a frame may still turn."""
    return any(where.origin) if isinstance(where, Frame) else where != default


def axis_fault(joint: Any, points: PointsOf) -> Fault | None:
    """What is wrong with the points that a joint's axis names; nothing where they became one."""
    if not isinstance(joint.axis, str):
        return None
    body, _ = place_named(joint.parent, points)
    known = ", ".join(points.get(body, {})) or "none"
    return joint.fault(
        f"leads from point to point of its parent {body!r}, got {joint.axis!r}; its points are "
        f"{known}",
        "axis",
    )


def place_fault(element: Any, key: str, points: PointsOf) -> Fault | None:
    """What is wrong with the body, or the point of one, that an element names in a field."""
    name, place = getattr(element, key), dict(element.places).get(key)
    where = getattr(element, place) if place else None
    if isinstance(name, Invalid):
        return None
    body, point = place_named(name, points)
    if body not in points:
        return element.fault(unknown("body", name, points), key)
    by_name = point is None and isinstance(where, str)
    point = where if by_name else point
    if point is None:
        return None
    if place is None:
        return element.fault(f"{name!r} is a point; name the body {body!r}", key)
    if point not in points[body]:
        known = points[body]
        hint = way_out(point, known) if known else "give it some: points = { P = [0.1, 0] }"
        return element.fault(f"{body!r} has no point {point!r}; {hint}", place if by_name else key)
    return element.fault(f"is given beside the point {name!r}; give one of them", place)
