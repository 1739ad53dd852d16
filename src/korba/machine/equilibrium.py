"""Where a mechanism can stand still: forces that hold it vanish, h(q, 0) = 0.

    h_q dq = -h,      q += N dq                                                              (1)

by Newton's method with the derivative of the forces from the graph; a step is made shorter until
the forces fall, and where several ways lead on (a wheel in balance) the shortest is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Displayed
from ..door import public
from ..errors import StructureError
from ..model.mechanism import Mechanism
from ..simulation.right_hand_side import typical_length
from ..spatial.rotation import Array
from ..system.tree import Tree
from ..verbs.dynamics import inverse_dynamics
from ..verbs.options import gravity_key
from ..verbs.states import drawn_coordinates, quantity, state
from ..verbs.store import compiled
from ..verbs.systems import tree_system
from ..verbs.uses import derivative
from .linear import LinearSystem, directions, linearise, timed

MOST_STEPS, HALVES = 100, 30
LONGEST = 0.5
"""Of a step, in radians and typical lengths."""
SMALL, SAME = 1e-10, 1e-6
"""A last step, and how near two positions are that are one."""


@dataclass(frozen=True, eq=False)
class Equilibrium(Displayed):
    """A position in which the mechanism can stand still."""

    mechanism: Mechanism
    q: Array
    residual: float
    """The largest force that is left, in N and N m."""
    system: LinearSystem
    """Small motions about it."""

    @property
    def stable(self) -> bool:
        """Whether no small motion grows."""
        return bool(self.system.stable)

    def __getitem__(self, name: str) -> float:
        """A coordinate by its name."""
        names = self.mechanism.coordinates
        if name not in names:
            raise StructureError(f"there is no {name!r}; there are {', '.join(names)}")
        return float(self.q[names.index(name)])

    def __str__(self) -> str:
        pairs = zip(self.mechanism.coordinates, self.q, strict=True)
        told = ", ".join(f"{name} = {x:.9g}" for name, x in pairs)
        return f"{'stable' if self.stable else 'unstable'} at {told}"


@public
def equilibrium(
    m: Mechanism,
    q: Any = None,
    *,
    t: float | str = 0.0,
    gravity: Any = None,
    every: int = 0,
) -> Any:
    """Where a mechanism without loops stands still under its loads and gravity: an `Equilibrium`.

    From the start `q` (an array, names, a pose; without it from the drawing) the next one is found,
    stable or not. `every=200` starts from that many places all around as well and returns a tuple
    of all that are found, in the order of the coordinates. Dry friction is left out.

    >>> import korba as kb
    >>> rod = kb.Body("rod", 3, com=(0.5, 0), inertia=0.25)
    >>> m = kb.Mechanism("m", [rod], [kb.Revolute("A", "ground", "rod", at=(0, 0))], plane="xy")
    >>> round(kb.equilibrium(m, {"A": "-60 deg"})["A"], 6)
    -1.570796
    """
    tree = tree_system(m).tree
    if not tree.nv:
        raise StructureError(f"mechanism {m.name!r} has no freedom: it stands still anyway")
    if every < 0:
        raise StructureError(f"every: expected a count of starts, 0 or more, got {every}")
    options = {"t": quantity("t", t, "time"), "gravity": gravity}
    start = state(tree, "q", q, many=False)
    found = _from(m, start, options)
    if not every:
        if found is None:
            raise StructureError(
                f"mechanism {m.name!r}: no equilibrium was found from q = {start.round(4).tolist()}"
                "; start nearer to one, look from many places with every=200, or let it swing out "
                "with kb.simulate and some damping"
            )
        return _told(m, found, options)
    places = [found, *(_from(m, x, options) for x in _around(tree, every, typical_length(m)))]
    return tuple(_told(m, x, options) for x in _distinct(tree, places))


def _slope(m: Mechanism, options: dict[str, Any]) -> Any:
    """The derivative of h by q, compiled and kept."""
    gravity = options["gravity"]
    key = ("equilibrium", gravity_key(gravity))
    return compiled(m, key, lambda: derivative(inverse_dynamics, m, "q", gravity=gravity))


def _from(m: Mechanism, q: Array, options: dict[str, Any]) -> Array | None:
    """The equilibrium that Newton's method (1) finds from a start, or None."""
    tree, slope, rest = tree_system(m).tree, _slope(m, options), np.zeros(m.nv)
    units = np.array([_unit(kind, typical_length(m)) for kind in tree.velocity_kinds])

    when = timed(m, options["t"])

    def forces(at: Array) -> Array:
        return np.asarray(inverse_dynamics(m, at, rest, rest, **options)) * units

    try:
        h = forces(q)
        for _ in range(MOST_STEPS):
            T = directions(m, q)
            J = units[:, None] * slope(q, rest, rest, *when) @ T * units
            step = np.linalg.lstsq(J, -h, rcond=1e-12)[0]
            size = float(np.abs(step).max(initial=0.0))
            step = step * min(1.0, LONGEST / max(size, 1e-300))
            q, h = _shorter(tree, forces, (q, h), T @ (units * step))
            if size < SMALL:
                return q if np.abs(h).max() <= 1e-9 * (np.abs(J).max() + 1e-30) else None
    except (ArithmeticError, np.linalg.LinAlgError, StructureError):
        return None
    return None


def _shorter(tree: Tree, forces: Any, now: tuple[Array, Array], way: Array) -> tuple[Array, Array]:
    """A step along a way, halved until the forces fall."""
    q, h = now
    for k in range(HALVES):
        new = tree.normalised(q + way * 0.5**k)
        there = forces(new)
        if there @ there <= h @ h * (1 + 1e-12):
            return new, there
    return q, h


def _unit(kind: str, length: float) -> float:
    return length if kind == "length" else 1.0


def _around(tree: Tree, count: int, length: float) -> Array:
    """Places all around: angles anywhere, lengths near the drawing, both within their limits."""
    rng = np.random.default_rng(0)
    limits = [np.concatenate([joint.limits[k] for joint in tree.m.joints]) for k in (0, 1)]
    low, high = (x[list(tree.free_q)] for x in limits)
    reach = np.array([np.pi if kind == "angle" else 2 * length for kind in tree.coordinate_kinds])
    drawn = drawn_coordinates(tree)
    spread = drawn + reach * rng.uniform(-1, 1, size=(count, tree.nq))
    return tree.normalised(np.clip(spread, low, high))


def _distinct(tree: Tree, places: list[Array | None]) -> list[Array]:
    """Positions that differ, angles from -pi to pi, in the order of the coordinates."""
    turns = np.array([kind == "angle" for kind in tree.coordinate_kinds])
    made: list[Array] = []
    for q in places:
        if q is None:
            continue
        own = np.where(turns, np.pi - np.mod(np.pi - q, 2 * np.pi), q)
        apart = [np.where(turns, np.abs(np.exp(1j * own) - np.exp(1j * x)), own - x) for x in made]
        if all(np.abs(x).max() > SAME for x in apart):
            made.append(own)
    return sorted(made, key=lambda q: [round(float(x), 6) for x in q])


def _told(m: Mechanism, q: Array, options: dict[str, Any]) -> Equilibrium:
    rest = np.zeros(m.nv)
    left = np.abs(np.asarray(inverse_dynamics(m, q, rest, rest, **options))).max(initial=0.0)
    return Equilibrium(m, q, float(left), linearise(m, q, **options))
