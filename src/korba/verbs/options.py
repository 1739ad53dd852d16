"""What a verb is told besides its arrays: each option checked, and as a value that can be a key."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from ..door import real_array
from ..errors import StructureError
from ..model.body import GROUND
from ..model.mechanism import Mechanism
from ..model.points import body_and_point
from ..spatial.rotation import Array
from ..system.system import System, gravity_vector

Options = Mapping[str, Hashable]
"""Options by name, checked."""
Check = Callable[[Mechanism, Any, Mapping[str, Any]], Hashable]
"""From the mechanism, what was given, and all that was given by name, to the option's key."""
Place = tuple[float, float, float]

ORIGIN = (0.0, 0.0, 0.0)


def located(m: Mechanism, body: str, point: Any = ORIGIN) -> tuple[str, Place]:
    """A body, and the place on it of a point: "coupler.P", or a body and a name or a place."""
    body, point = body_and_point(m, body, point)
    return body, place_on_body(m, body, point)


def place_on_body(m: Mechanism, body: str, given: Any) -> Place:
    """Three finite components, in the body's frame, of a point given by name or by place."""
    point = named_point(m, body, given) if isinstance(given, str) else given
    wanted = "two or three finite components"
    place = real_array(f"point of body {body!r}", point, wanted).ravel().tolist()
    if len(place) not in {2, 3}:
        raise StructureError(f"point of body {body!r}: expected {wanted}, got {given!r:.60}")
    return place[0], place[1], place[2] if len(place) == 3 else 0.0


def named_point(m: Mechanism, body: str, name: str) -> Any:
    """A point of a body, or of the ground, by its name: "P", or with its body "coupler.P"."""
    points = dict(m.points if body == GROUND else m.body(body).points)
    name = name if name in points else name.removeprefix(f"{body}.")
    if name not in points:
        known = ", ".join(points) or "none; give a place such as (0.3, 0.1)"
        raise StructureError(f"body {body!r} has no point {name!r}; there are {known}")
    return points[name]


def point_key(m: Mechanism, given: Any, options: Mapping[str, Any]) -> Hashable:
    """What stands for a point: its place, or its name where sizes may move it."""
    place = place_on_body(m, options["body"], given)
    return given if isinstance(given, str) and options.get("parameters") else place


def points_by_name(system: System, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options with a point given by name where it is in this system."""
    point = options.get("point")
    if not isinstance(point, str):
        return dict(options)
    return {**options, "point": named_point(system.m, options["body"], point)}


def gravity_key(given: Any) -> tuple[float, ...] | None:
    """What stands for a given gravity; None is the mechanism's own."""
    return None if given is None else tuple(gravity_vector(given).tolist())


def one_of(name: str, *known: str) -> Check:
    """The check of an option that is one of a few words."""

    def check(_: Mechanism, given: Any, __: Mapping[str, Any]) -> str:
        if given not in known:
            listed = " or ".join(map(repr, known))
            raise StructureError(f"{name}: expected {listed}, got {given!r:.60}")
        return str(given)

    return check


def names_of(name: str, given: Any) -> tuple[str, ...]:
    """The names in a mapping from them, or in a list of them."""
    if isinstance(given, dict) or given is None:
        return tuple(given or ())
    several = isinstance(given, Iterable) and not isinstance(given, str)
    if not several or not all(isinstance(each, str) for each in given):
        raise StructureError(f"{name}: expected a mapping from names, or names, got {given!r:.60}")
    return tuple(given)


def joined(name: str, given: Mapping[str, Any], size: int) -> Array:
    """The values of a mapping one after the other, `size` elements each; batch axes broadcast."""
    if not isinstance(given, (dict, Mapping)):
        raise StructureError(f"{name}: expected a mapping from names, got {given!r:.60}")
    parts = [_elements(f"{name} of {key!r}", value, size) for key, value in given.items()]
    if len({part.shape for part in parts}) > 1:
        try:
            parts = list(np.broadcast_arrays(*parts))
        except ValueError as error:
            shapes = ", ".join(str(part.shape[:-1]) for part in parts)
            raise StructureError(f"{name}: the shapes {shapes} do not fit together") from error
    return np.concatenate(parts, axis=-1)


def _elements(what: str, given: Any, size: int) -> Array:
    """An array (..., size); of one element the last axis is not written."""
    try:
        array = np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        kind = "a number in SI, or an array" if size == 1 else f"{size} numbers in SI"
        raise StructureError(f"{what}: expected {kind}, got {given!r:.60}") from error
    array = array[..., None] if size == 1 else array
    if array.shape[-1:] != (size,):
        raise StructureError(f"{what}: expected shape (..., {size}), got {array.shape}")
    return array


CHECKS: dict[str, Check] = {
    "body": lambda m, given, _: GROUND if given == GROUND else m.body(given).name,
    "point": point_key,
    "gravity": lambda _, given, __: gravity_key(given),
    "damping": lambda _, given, __: bool(given),
}
"""The options that several verbs have."""
