"""What the user asks for, at the door: forces and times, by arrays or by names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ExpressionError, KorbaError, StructureError
from ..expr import Expr, expression
from ..model.curve import Curve
from ..spatial.rotation import Array
from ..system.tree import Tree
from ..verbs.states import coordinates, quantity, refuse_unknown, vector, velocities

FORCE = ("moment", "force")


@dataclass(frozen=True, eq=False)
class Forces:
    """Given forces: numbers, or None, and laws by their place among the velocities.

    Numbers have the shape (nv,), or (..., nv) for many runs.
    """

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
        return Forces(_rows("tau", given, tree.nv), ())
    places = {tree.velocities[i]: k for k, i in enumerate(tree.free_v)}
    numbers, laws = np.zeros(tree.nv), []
    for name, value in given.items():
        refuse_unknown("tau", name, places)
        law = _law(tree, name, value)
        if isinstance(law, Expr) and isinstance(law.value, float):
            numbers[places[name]] = law.value
        else:
            laws.append((places[name], law))
    return Forces(numbers if np.any(numbers) or not laws else None, tuple(laws))


def is_many(*given: Any) -> bool:
    """Whether a start or forces are given for many runs: arrays with leading axes."""
    return any(
        any(np.ndim(x) > 0 for x in each.values() if not isinstance(x, str))
        if isinstance(each, Mapping)
        else not callable(each) and np.ndim(np.asarray(each, dtype=object)) > 1
        for each in given
    )


@dataclass(frozen=True, eq=False)
class Starts:
    """Many starts: the shape of the batch, and rows (N, nq), (N, nv) and (N, nv or 0)."""

    shape: tuple[int, ...]
    q: Array
    v: Array
    tau: Array


def starts(tree: Tree, q: Any, v: Any, forces: Forces) -> Starts:
    """Starts with one batch shape; what has no leading axes is the same for all."""
    places = _state_rows(
        "q", q, lambda given: coordinates(tree, given), _free(tree.coordinates, tree.free_q)
    )
    for own in tree.quaternions:
        if not np.all(np.linalg.norm(places[..., own], axis=-1) > 0):
            raise StructureError(
                f"q{own}: a quaternion of length 0 among the starts; [1, 0, 0, 0] turns nothing"
            )
    places = tree.normalised(places)
    rates = _state_rows(
        "v", v, lambda given: velocities(tree, given), _free(tree.velocities, tree.free_v)
    )
    tau = np.zeros(0) if forces.numbers is None else forces.numbers
    named = {"q": places, "v": rates, "tau": tau}
    try:
        shape = np.broadcast_shapes(*(x.shape[:-1] for x in named.values()))
    except ValueError as error:
        found = ", ".join(f"{name} {x.shape}" for name, x in named.items())
        raise KorbaError(f"the leading axes of the starts do not fit together: {found}") from error
    count = int(np.prod(shape, dtype=int))
    flat = (
        np.broadcast_to(x, (*shape, x.shape[-1])).reshape(count, x.shape[-1])
        for x in named.values()
    )
    return Starts(shape, *flat)


def _free(names: Sequence[str], free: Sequence[int]) -> dict[str, int]:
    return {names[i]: k for k, i in enumerate(free)}


def _state_rows(
    what: str, given: Any, one: Callable[[Any], Array], places: Mapping[str, int]
) -> Array:
    """Rows of a state: of an array as it is, of names with arrays among their values."""
    if not isinstance(given, Mapping):
        many = given is not None and np.ndim(given) > 1
        return _rows(what, given, len(places)) if many else one(given)
    arrays = {name: x for name, x in given.items() if not isinstance(x, str) and np.ndim(x) > 0}
    base = one({name: x for name, x in given.items() if name not in arrays})
    for name in arrays:
        refuse_unknown(what, name, places)
    columns = {name: _rows(f"{what} of {name!r}", x, None) for name, x in arrays.items()}
    shape = np.broadcast_shapes(*(x.shape for x in columns.values()))
    rows = np.array(np.broadcast_to(base, (*shape, len(base))))
    for name, column in columns.items():
        rows[..., places[name]] = column
    return rows


def _rows(what: str, given: Any, size: int | None) -> Array:
    """Finite numbers, shape (..., size)."""
    if size is not None and np.ndim(given) < 2:
        return vector(what, given, size)
    try:
        found = np.array(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise KorbaError(f"{what}: expected an array of numbers, got {given!r:.60}") from error
    if size is not None and found.shape[-1] != size:
        raise KorbaError(f"{what}: expected shape (..., {size}), got {found.shape}")
    if not np.all(np.isfinite(found)):
        raise KorbaError(f"{what}: expected finite numbers, got {found[~np.isfinite(found)][0]}")
    return found


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
    begin, end = quantity("start", start, "time"), quantity("until", until, "time")
    if not end > begin:
        raise KorbaError(f"until: expected a time after the start {begin:g} s, got {end:g} s")
    if asked is None:
        return Times(begin, end, None)
    if isinstance(asked, (int, np.integer)) and not isinstance(asked, bool):
        if asked < 2:
            raise KorbaError(f"times: expected 2 times or more, got {asked}")
        return Times(begin, end, np.linspace(begin, end, int(asked)))
    try:
        found = np.array(asked, dtype=float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    ordered = found.ndim == 1 and found.size > 0 and bool(np.all(np.diff(found) > 0))
    if not ordered or not begin <= found[0] <= found[-1] <= end:
        raise KorbaError(
            f"times: expected a count, or increasing times from {begin:g} s to {end:g} s, "
            f"got {asked!r:.60}"
        )
    return Times(begin, end, found)
