"""Where a mechanism can stand still: what forces ask for along its motions vanishes.

    N'h(q, 0) = 0,     J N = 0,     Phi(q) = 0                                                (1)

with the rows J of loops and drives. By Newton's method along the motions that these allow,

    N'(h - J' lambda)_q N x = -N'h,      q += N x,  then loops are closed again               (2)

with the derivative of the forces from the graph, those that the loops carry (h = J' lambda) among
them; a step is made shorter until the forces fall, and where several ways lead on (a wheel in
balance) the shortest is taken. A tree has no rows, N = 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..display import Table
from ..door import public
from ..errors import StructureError
from ..expr.quantities import quantity
from ..model.display_units import coordinates_told
from ..model.mechanism import Mechanism
from ..positions.closed import closed
from ..progress import Progress
from ..simulation.right_hand_side import typical_length
from ..spatial.rotation import Array
from ..system.tree import Tree
from ..trajectory.notes import seen
from ..trajectory.places import Placed
from ..verbs.states import drawn_coordinates
from ..wording import given, named
from .linear import LinearSystem, linearise, placed
from .small_motions import SmallMotions, Values, small_motions

MOST_STEPS, HALVES = 100, 30
LONGEST = 0.5
"""Of a step, in radians and typical lengths."""
SMALL, SAME = 1e-10, 1e-6
"""A last step, and how near two positions are that are one."""


@dataclass(frozen=True, eq=False)
class Equilibrium(Placed):
    """A position in which the mechanism can stand still; `point` and `pose` tell where it is."""

    m: Mechanism
    q: Array
    names: tuple[str, ...]
    residual: float
    """The largest force that is left, in N and N m."""
    system: LinearSystem
    """Small motions about it."""

    @property
    def stable(self) -> bool:
        """Whether no small motion grows, but for what is free to drift (`system.drifting`)."""
        return bool(self.system.stable)

    @property
    def notes(self) -> tuple[str, ...]:
        """Limits of joints that it passes."""
        return seen(self.m, None, self.q)

    def __getitem__(self, name: str) -> float:
        """A coordinate by its name."""
        return float(super().__getitem__(name))

    def __str__(self) -> str:
        values = coordinates_told(self.m, dict(zip(self.names, self.q.tolist(), strict=True)), 9)
        told = ", ".join(f"{name} = {x}" for name, x in values.items())
        first = f"{self.system.verdict} at {told}"
        return "\n".join([first, *(f"  note: {note}" for note in self.notes)])

    def _table(self) -> Table:
        title = f"Equilibrium of {self.m.name!r}: {self.system.verdict}"
        return Table(title, ("coordinate", "value"), [*zip(self.names, self.q, strict=True)])


@public
def equilibrium(
    m: Mechanism,
    q: Any = None,
    *,
    t: float | str = 0.0,
    gravity: Any = None,
    every: int = 0,
    drives: bool = True,
    progress: bool | Callable[[float], object] | None = None,
) -> Any:
    """Where a mechanism stands still under its loads and gravity: an `Equilibrium`.

    From the start `q` (an array, names, a pose; without it from the drawing) the next one is found,
    stable or not. `every=200` starts from that many places all around as well, loops assembled
    in every way, and returns a tuple of all that are found, in the order of the coordinates. Drives
    hold their joints where they are at the time `t`; `drives=False` sets them free. Dry friction
    is left out.

    >>> import korba as kb
    >>> rod = kb.Body("rod", 3, com=(0.5, 0), inertia=0.25)
    >>> m = kb.Mechanism("m", [rod], [kb.Revolute("A", "ground", "rod", at=(0, 0))], plane="xy")
    >>> round(kb.equilibrium(m, {"A": "-60 deg"})["A"], 6)
    -1.570796
    """
    own = small_motions(m, gravity, drives)
    if every < 0:
        raise StructureError(f"every: expected a count of starts, 0 or more, got {every}")
    when = quantity("t", t, "time")
    start = placed(own, q, when)
    if start.ndim > 1:
        raise StructureError(f"q: expected one start, got {start.shape[:-1]} of them")
    clock = np.array([when])
    first = _from(own, start, clock)
    if not every:
        if first is None:
            raise StructureError(
                f"mechanism {m.name!r}: no equilibrium was found from q = {start.round(4).tolist()}"
                "; start nearer to one, look from many places with "
                f"{given('equilibrium', every=200)}, or let it swing out with {named('simulate')} "
                "and some damping"
            )
        return _told(own, first, clock)
    with closing(Progress(progress, every, "looking for equilibria", "starts")) as shown:
        places = [first, *_searched(own, every, clock, shown)]
    return tuple(_told(own, x, clock) for x in _distinct(own.system.tree, places))


def _searched(own: SmallMotions, count: int, t: Array, shown: Progress) -> Iterator[Array | None]:
    """What is found from places all around."""
    for k, x in enumerate(_around(own.system.tree, count, typical_length(own.m))):
        yield _from(own, x, t)
        shown(k + 1, k + 1)


class _Here(NamedTuple):
    """A position with its loops closed, in unitless velocities."""

    q: Array
    x: Values
    N: Array
    inverse: Array
    ways: Array
    """Small motions that loops allow: N, and more where pairs roll."""
    force: Array
    """N'h."""


def _from(own: SmallMotions, q: Array, t: Array) -> Array | None:
    """The equilibrium that Newton's method (2) finds from a start, or None."""
    rest = np.zeros(own.system.tree.nv)
    try:
        here = _at(own, q, t)
        for _ in range(MOST_STEPS):
            if here is None:
                return None
            multipliers = here.inverse.T @ here.x.force
            slopes = own.along(here.x, (here.q, rest, rest, t), multipliers)
            K = here.N.T @ slopes.g_q @ here.ways
            step = np.linalg.lstsq(K, -here.force, rcond=1e-12)[0]
            way = here.ways @ step
            size = float(np.abs(way / own.motions.units).max(initial=0.0))
            here = _shorter(own, here, way * min(1.0, LONGEST / max(size, 1e-300)), t)
            if size < SMALL:
                left = np.abs(here.force).max()
                return here.q if left <= 1e-9 * (np.abs(K).max() + 1e-30) else None
    except (ArithmeticError, np.linalg.LinAlgError, StructureError):
        return None
    return None


def _at(own: SmallMotions, q: Array, t: Array) -> _Here | None:
    """What holds at the position nearby that loops and drives allow."""
    q, gap = closed(own.loops, q, t=float(t[0]))
    if gap > own.loops.tolerance:
        return None
    rest = np.zeros(own.system.tree.nv)
    x = own.values(q, rest, rest, t)
    inverse, N = own.parted(x.J, strict=False)
    return _Here(q, x, N, inverse, own.allowed(q, N), N.T @ x.force)


def _shorter(own: SmallMotions, here: _Here, way: Array, t: Array) -> _Here:
    """A step along a way, halved until the forces fall."""
    for k in range(HALVES):
        there = _at(own, own.loops.moved(here.q, way * 0.5**k), t)
        if there and there.force @ there.force <= here.force @ here.force * (1 + 1e-12):
            return there
    return here


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


def _told(own: SmallMotions, q: Array, t: Array) -> Equilibrium:
    rest = np.zeros(own.system.tree.nv)
    x = own.values(q, rest, rest, t)
    inverse, _ = own.parted(x.J, strict=False)
    left = x.force - x.J.T @ (inverse.T @ x.force)
    small = linearise(own.m, q, t=float(t[0]), gravity=own.gravity, drives=own.driven)
    names = tuple(own.m.coordinates)
    return Equilibrium(own.m, q, names, float(np.abs(left).max(initial=0.0)), small)
