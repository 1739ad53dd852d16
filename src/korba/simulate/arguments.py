"""What the user asks for, at the door: states, forces and times, by arrays or by names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ExpressionError, KorbaError
from ..expr import Expr, expression, number
from ..kinematics.tree import Tree
from ..model.curve import Curve
from ..spatial.rotation import Array
from .right_hand_side import quaternions

FORCE = ("moment", "force")


def coordinates(tree: Tree, given: Any) -> Array:
    """q of the start: all of them, some by name, or the drawing position."""
    drawn = np.concatenate([np.zeros(0), *(joint.drawn_coordinates for joint in tree.m.joints)])
    q = _values(given, drawn[list(tree.free_q)], _kinds(tree), "q")
    for places in quaternions(tree):
        length = float(np.linalg.norm(q[places]))
        if not length > 0:
            raise KorbaError(f"q{places}: a quaternion of length 0; [1, 0, 0, 0] turns nothing")
        q[places] /= length
    return q


def velocities(tree: Tree, given: Any) -> Array:
    """v of the start: all of them, some by name, or rest."""
    kinds: dict[str, Any] = {
        tree.velocities[i]: ("angular velocity", "velocity") for i in tree.free_v
    }
    return _values(given, np.zeros(tree.nv), kinds, "v")


def _kinds(tree: Tree) -> dict[str, Any]:
    """What each independent coordinate is, by name."""
    kinds = [kind for joint in tree.m.joints for kind in joint.coordinate_kinds]
    return {tree.coordinates[i]: kinds[i] for i in tree.free_q}


def _values(given: Any, default: Array, kinds: Mapping[str, Any], what: str) -> Array:
    """An array of finite numbers, one for each name."""
    values = np.array(default, dtype=float)
    if isinstance(given, Mapping):
        places = {name: i for i, name in enumerate(kinds)}
        for name, value in given.items():
            _refuse_unknown(name, places, what)
            try:
                values[places[name]] = number(value, kinds[name])
            except ExpressionError as error:
                raise KorbaError(f"{what} of {name!r}: {error}") from error
    elif given is not None:
        values = _array(given, len(values), what)
    return values


def _array(given: Any, size: int, what: str) -> Array:
    """A new array of `size` finite numbers."""
    try:
        found = np.array(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise KorbaError(
            f"{what}: expected {size} numbers, or a mapping from names, got {given!r:.60}"
        ) from error
    if found.shape != (size,):
        raise KorbaError(f"{what}: expected shape ({size},), got {found.shape}")
    if not np.all(np.isfinite(found)):
        raise KorbaError(f"{what}: expected finite numbers, got {found.tolist()!r:.80}")
    return found


def _refuse_unknown(name: object, known: Mapping[str, int], what: str) -> None:
    if name not in known:
        raise KorbaError(f"{what}: there is no {name!r}; there are {', '.join(known) or 'none'}")


@dataclass(frozen=True, eq=False)
class Forces:
    """Given forces: numbers, or None, and laws by their place among the velocities."""

    numbers: Array | None
    laws: tuple[tuple[int, Expr | Curve], ...]


def forces(tree: Tree, given: Any) -> Forces:
    """Forces on the velocities: an array of numbers, or a mapping from names to laws."""
    if given is None:
        return Forces(None, ())
    if callable(given) and not isinstance(given, Curve):
        raise KorbaError(
            "tau: a Python function cannot be compiled into the motion; give numbers, or a mapping "
            "from names to expressions in the coordinates, v_<name> and t, such as {'A': '-2*v_A'}"
        )
    if not isinstance(given, Mapping):
        return Forces(_array(given, tree.nv, "tau"), ())
    places = {tree.velocities[i]: k for k, i in enumerate(tree.free_v)}
    numbers, laws = np.zeros(tree.nv), []
    for name, value in given.items():
        _refuse_unknown(name, places, "tau")
        law = _law(tree, name, value)
        if isinstance(law, Expr) and isinstance(law.value, float):
            numbers[places[name]] = law.value
        else:
            laws.append((places[name], law))
    return Forces(numbers if np.any(numbers) or not laws else None, tuple(laws))


def _law(tree: Tree, name: str, value: Any) -> Expr | Curve:
    if isinstance(value, Curve):
        return value
    known = {"t", *tree.coordinates, *(f"v_{each}" for each in tree.velocities)}
    try:
        return expression(value, FORCE, allow=known)
    except ExpressionError as error:
        raise KorbaError(f"tau of {name!r}: {error}") from error


@dataclass(frozen=True, eq=False)
class Times:
    """From when to when, and the times asked for; None asks for every step."""

    start: float
    end: float
    asked: Array | None


def times(start: Any, until: Any, asked: Any) -> Times:
    """The span, and times inside it in order; a whole number asks for that many, evenly."""
    begin, end = _time(start, "start"), _time(until, "until")
    if not end > begin:
        raise KorbaError(f"until: expected a time after the start {begin:g} s, got {end:g} s")
    if asked is None:
        return Times(begin, end, None)
    if isinstance(asked, (int, np.integer)) and not isinstance(asked, bool):
        if asked < 2:
            raise KorbaError(f"times: expected 2 times or more, got {asked}")
        return Times(begin, end, np.linspace(begin, end, int(asked)))
    found = np.array(asked, dtype=float)
    ordered = found.ndim == 1 and found.size > 0 and bool(np.all(np.diff(found) > 0))
    if not ordered or not begin <= found[0] <= found[-1] <= end:
        raise KorbaError(
            f"times: expected increasing times from {begin:g} s to {end:g} s, got {asked!r:.60}"
        )
    return Times(begin, end, found)


def _time(value: Any, what: str) -> float:
    try:
        return number(value, "time")
    except ExpressionError as error:
        raise KorbaError(f"{what}: {error}") from error
