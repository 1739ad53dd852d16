"""States of a tree: as the user gives them, as drawn, and at random.

A state is given as an array, or as a mapping from the names of coordinates to numbers or to texts
with units; what is not named stays as drawn, or at rest. A joint with several coordinates may be
named as a whole, with all its values in order; q may be the name of a pose. What belongs to
velocities may be given by the names of their coordinates. Quaternions are made
unit. Where many states may be given at once, arrays may have leading axes, and names arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ..door import real_array
from ..errors import StructureError, refuse_unknown
from ..expr.quantities import quantity
from ..model.joint import Joint
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.store import kept
from ..system.tree import Tree

TIMES = "increasing finite times, such as np.linspace(0, 1, 361)"
RATES: Mapping[str, Mapping[str, str]] = {
    "v": {"angle": "angular velocity", "length": "velocity"},
    "a": {"angle": "angular acceleration", "length": "acceleration"},
    "tau": {"angle": "moment", "length": "force"},
}
"""Kinds of what belongs to velocities, by the kind of the coordinate."""


def vector(what: str, given: Any, size: int, *, many: bool = False) -> Array:
    """A new array of `size` finite numbers; (..., size) where there may be many."""
    found = real_array(what, given, "finite numbers" if many else f"{size} finite numbers")
    rows = many and found.ndim > 1
    if found.shape[-1:] != (size,) or (found.ndim > 1 and not rows):
        expected = f"(..., {size})" if rows else f"({size},)"
        raise StructureError(f"{what}: expected shape {expected}, got {found.shape}")
    return found


def increasing_times(given: Any, least: int = 1) -> Array:
    """Times that increase, `least` of them or more; one number is one time."""
    t = np.atleast_1d(real_array("times", given, TIMES))
    if t.ndim != 1 or len(t) < least or (t[1:] <= t[:-1]).any():
        few = f" ({least} or more)" if least > 1 else ""
        raise StructureError(f"times: expected {TIMES}{few}, got {given!r:.60}")
    return t


def refuse_other(what: str, given: object, known: Iterable[str]) -> None:
    """An error unless a word is one of those that are known."""
    if given not in (words := list(known)):
        raise StructureError(f"{what}: expected one of {', '.join(words)}, got {given!r}")


def drawn_coordinates(tree: Tree) -> Array:
    """The independent coordinates of the drawing position."""
    return np.array(kept(tree.m, ("drawn", tree.free_q), lambda: _drawn(tree)))


def _drawn(tree: Tree) -> Array:
    drawn = np.concatenate([np.zeros(0), *(joint.drawn_coordinates for joint in tree.m.joints)])
    return np.asarray(drawn[list(tree.free_q)])


def coordinates(
    tree: Tree, given: Any, what: str = "q", *, many: bool = False, drawn: Array | None = None
) -> Array:
    """Independent coordinates: all of them, some by name, or the drawing position.

    `drawn` is the drawing position of another design, or of many of them.
    """
    rest = drawn_coordinates(tree) if drawn is None else drawn
    names = [tree.coordinates[i] for i in tree.free_q]
    kinds = dict(zip(names, tree.coordinate_kinds, strict=True))
    q = _values(single(tree, given, what), rest, kinds, what, many)
    refuse_zero(q, tree.quaternions, what)
    return tree.normalised(q)


def refuse_zero(q: Any, quaternions: Iterable[Any], what: str = "q") -> None:
    """An error where a quaternion has no length, so no direction to turn about."""
    for places in quaternions:
        if not np.all(np.any(np.asarray(q)[..., places], axis=-1)):
            raise StructureError(
                f"{what}{places}: a quaternion of length 0; [1, 0, 0, 0] turns nothing"
            )


def velocities(tree: Tree, given: Any, what: str = "v", *, many: bool = False) -> Array:
    """Independent velocities, accelerations or forces: all of them, some by name, or zeros."""
    kinds = {
        tree.velocities[i]: RATES[what].get(kind, (*RATES[what].values(),))
        for i, kind in zip(tree.free_v, tree.velocity_kinds, strict=True)
    }
    return _values(single(tree, given, what), np.zeros(tree.nv), kinds, what, many)


def single(tree: Tree, given: Any, what: str) -> Any:
    """A mapping, or a named pose, with the values of joints that have several one by one."""
    if isinstance(given, str) and what not in RATES:
        given = named_pose(tree.m, given, what)
    if not isinstance(given, Mapping):
        return given
    own: Callable[[Joint], tuple[str, ...]] = (
        Joint.velocities if what in RATES else Joint.coordinates
    )
    whole = {joint.name: own(joint) for joint in tree.m.joints if len(own(joint)) > 1}
    values: dict[Any, Any] = {}
    for name, value in given.items():
        if name not in whole:
            own_name = tree.rate_name(name) if what in RATES else name
            if own_name in values:
                raise StructureError(f"{what}: {own_name!r} is given twice, also as {name!r}")
            values[own_name] = value
            continue
        names, array = whole[name], _array(value)
        if array.shape[-1:] != (len(names),) or array.dtype.kind not in "iufU":
            listed = ", ".join(names)
            raise StructureError(
                f"{what} of {name!r}: expected {len(names)} values ({listed}), got {value!r:.60}"
            )
        columns = np.moveaxis(array, -1, 0)
        values |= {each: x if x.ndim else x.item() for each, x in zip(names, columns, strict=True)}
    return values


def _array(value: Any) -> Array:
    """A row of values, texts with units among them or not; or rows of numbers."""
    try:
        return np.asarray(value)
    except ValueError:
        return np.array(None)


def named_pose(m: Mechanism, name: str, what: str = "q") -> dict[str, Any]:
    """The coordinates of a pose by its name."""
    known = {pose.name: dict(pose.q) for pose in m.poses}
    if not known:
        ways = f"{m.nq} finite numbers, values by name, or the name of a pose (it has none)"
        raise StructureError(f"{what}: expected {ways}, got {name!r:.60}")
    refuse_unknown("pose", name, known, what)
    return known[name]


def state(
    tree: Tree, what: str, given: Any, *, many: bool = True, drawn: Array | None = None
) -> Array:
    """What a verb is given for q, v, a or tau: an array, names, or the name of a pose."""
    if what in RATES:
        return velocities(tree, given, what, many=many)
    return coordinates(tree, given, what, many=many, drawn=drawn)


def _values(given: Any, default: Array, kinds: Mapping[str, Any], what: str, many: bool) -> Array:
    """An array of finite numbers, one for each name."""
    if given is None:
        return default
    if not isinstance(given, Mapping):
        return vector(what, given, default.shape[-1], many=many)
    columns: dict[str, Any] = {}
    refuse_unknown("", given, kinds, what)
    for name, value in given.items():
        own = f"{what} of {name!r}"
        several = many and not isinstance(value, str) and np.ndim(value) > 0
        numbers = real_array(own, value, "an array of numbers") if several else None
        columns[name] = quantity(own, value, kinds[name]) if numbers is None else numbers
    shape = np.broadcast_shapes(default.shape[:-1], *map(np.shape, columns.values()))
    values = np.array(np.broadcast_to(default, (*shape, default.shape[-1])))
    for name, column in columns.items():
        values[..., list(kinds).index(name)] = column
    return values


def random_states(tree: Tree, count: int, seed: int = 0) -> dict[str, Array]:
    """`q`, `v` and `a` of the independent coordinates, shape (count, nq) and (count, nv).

    Coordinates lie near the drawing and within the limits of the joints, quaternions are unit.
    """
    rng = np.random.default_rng(seed)
    parts = [_near_drawing(joint, count, rng) for joint in tree.m.joints]
    q_all = np.concatenate(parts, axis=1) if parts else np.zeros((count, 0))
    v, a = rng.normal(size=(2, count, tree.nv))
    return {"q": np.ascontiguousarray(q_all[:, list(tree.free_q)]), "v": v, "a": a}


def _near_drawing(joint: Joint, count: int, rng: np.random.Generator) -> Array:
    """Drawn coordinates moved by about a third, between the limits where there are any."""
    drawn = np.asarray(joint.drawn_coordinates, dtype=float)
    q = joint.normalised(drawn + 0.35 * rng.normal(size=(count, joint.nq)))
    return np.asarray(np.clip(q, *joint.limits))
