"""What the user asks for, at the door: forces and times, by arrays or by names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..door import real_array
from ..errors import ExpressionError, KorbaError, refuse_unknown
from ..expr import Expr, expression
from ..expr.quantities import quantity
from ..model.curve import Curve
from ..spatial.rotation import Array
from ..system.tree import Tree
from ..verbs.states import RATES, coordinates, single, vector, velocities
from .event import known_names

FORCE = ("moment", "force")


Laws = tuple[tuple[int, Expr | Curve], ...]
"""Forces that are laws, by their place among the velocities."""


MOST_TIMES = 10**8
"""Times that may be asked for: rows of a run take memory."""


def forces(tree: Tree, given: Any, switches: tuple[str, ...] = ()) -> tuple[Array, Laws]:
    """Forces on the velocities by numbers and by laws: an array, or a mapping from names.

    Laws may use the names of switches. Numbers have the shape (nv,), or (..., nv) for many runs;
    (0,) where all are laws.
    """
    if given is None:
        return np.zeros(0), ()
    if callable(given) and not isinstance(given, Curve):
        raise KorbaError(
            "tau: a Python function cannot be compiled into the motion; give numbers, or a mapping "
            "from names to expressions in the coordinates, v_<name> and t, such as {'A': '-2*v_A'}"
        )
    if not isinstance(given, Mapping):
        return vector("tau", given, tree.nv, many=True), ()
    places = {tree.velocities[i]: k for k, i in enumerate(tree.free_v)}
    numbers, laws = np.zeros(tree.nv), []
    for name, value in single(tree, given, "tau").items():
        refuse_unknown("", name, places, "tau")
        law = _law(tree, places[name], value, switches)
        if isinstance(law, Expr) and isinstance(law.value, float):
            numbers[places[name]] = law.value
        else:
            laws.append((places[name], law))
    return numbers if np.any(numbers) or not laws else np.zeros(0), tuple(laws)


def is_many(tree: Tree, **named: Any) -> bool:
    """Whether a start or forces are given for many runs: arrays with leading axes."""
    given = [single(tree, each, what) for what, each in named.items() if each is not None]
    return any(
        any(np.ndim(x) > 0 for x in each.values() if not isinstance(x, str))
        if isinstance(each, Mapping)
        else not callable(each) and np.ndim(np.asarray(each, dtype=object)) > 1
        for each in given
    )


@dataclass(frozen=True, eq=False)
class Starts:
    """Where runs start: the shape of a batch, and rows (N, nq), (N, nv), (N, nv or 0), sizes."""

    shape: tuple[int, ...]
    q: Array
    v: Array
    tau: Array
    p: Array
    switches: Array
    lost: Mapping[int, str] = field(default_factory=dict, kw_only=True)
    """Why runs cannot begin, by their number; their q and v are nan."""

    def alone(self, k: int) -> Starts:
        """One of the starts."""
        rows = (x[k : k + 1] for x in (self.q, self.v, self.tau, self.p, self.switches))
        return Starts((), *rows)

    @cached_property
    def constants(self) -> Array:
        """What stays between events: forces that are numbers, sizes, switches."""
        return np.concatenate([self.tau, self.p, self.switches], axis=1)


def starts(
    tree: Tree, q: Any, v: Any, tau: Array, *, p: Array, switches: Array, drawn: Array
) -> Starts:
    """Starts with one batch shape; what has no leading axes is the same for all."""
    named = {
        "q": coordinates(tree, q, many=True, drawn=drawn),
        "v": velocities(tree, v, many=True),
        "tau": tau,
        "parameters": p,
        "switches": switches,
    }
    try:
        shape = np.broadcast_shapes(*(x.shape[:-1] for x in named.values()))
    except ValueError as error:
        shapes = ", ".join(f"{name} {x.shape}" for name, x in named.items())
        raise KorbaError(f"the leading axes of the starts do not fit together: {shapes}") from error
    if not shape:
        return Starts(shape, *(x[None] for x in named.values()))
    rows = (np.broadcast_to(x, (*shape, x.shape[-1])) for x in named.values())
    return Starts(shape, *(x.reshape(int(np.prod(shape)), x.shape[-1]) for x in rows))


def _law(tree: Tree, place: int, value: Any, switches: tuple[str, ...]) -> Expr | Curve:
    if isinstance(value, Curve):
        return value
    known = known_names(tree, switches)
    measures = {name: own.dimension for name, own in known.items() if own.dimension is not None}
    kind = RATES["tau"].get(tree.velocity_kinds[place], FORCE)
    try:
        return expression(value, kind, allow=known, measures=measures)
    except ExpressionError as error:
        name = tree.velocities[tree.free_v[place]]
        raise KorbaError(f"tau of {name!r}: {error}") from error


@dataclass(frozen=True, eq=False)
class Times:
    """From when to when, and the times asked for; None asks for every step."""

    start: float
    end: float
    asked: Array | None


def span_of(until: Any) -> tuple[Any, Any]:
    """From when to when: 0 to a time, or the first to the second of a pair."""
    if isinstance(until, tuple | list):
        if len(until) != 2:
            raise KorbaError(f"until: expected a time, or a pair (from, until), got {until!r:.60}")
        return until[0], until[1]
    return 0.0, until


def times(start: Any, until: Any, asked: Any) -> Times:
    """The span, and times inside it in order; a whole number asks for that many, evenly."""
    begin, end = quantity("t", start, "time"), quantity("until", until, "time")
    if not end > begin:
        raise KorbaError(f"until: expected a time after the start {begin:g} s, got {end:g} s")
    if asked is None:
        return Times(begin, end, None)
    if isinstance(asked, (int, np.integer)) and not isinstance(asked, bool):
        if asked < 2:
            raise KorbaError(f"times: expected 2 times or more, got {asked}")
        if asked > MOST_TIMES:
            raise KorbaError(f"times: expected at most {MOST_TIMES:.0e} times, got {asked}")
        return Times(begin, end, np.linspace(begin, end, int(asked)))
    wanted = f"a count, or increasing times from {begin:g} s to {end:g} s"
    found = real_array("times", asked, wanted)
    ordered = found.ndim == 1 and found.size > 0 and bool(np.all(np.diff(found) > 0))
    if not ordered or not begin <= found[0] <= found[-1] <= end:
        raise KorbaError(f"times: expected {wanted}, got {asked!r:.60}")
    return Times(begin, end, found)
