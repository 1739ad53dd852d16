"""Mechanical advantage: the force that a mechanism of one freedom gives for the force put in.

Without weight, inertia and friction the powers of both are equal in every motion that the loops
allow, whatever the mechanism is made of. With the effort E along x and the load L against y,

    E x' = L y',        advantage = L / E = x' / y'                                         (1)

x and y are coordinates of joints or ways of points, so each is a force or a moment. It is infinite
where the output stands still while the input moves (a toggle), and zero where it is the other way
round; it is negative where the output goes against the direction in which it is counted.
Source: Norton (2012), Design of Machinery, section 6.7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Tabled
from ..door import public, real_array
from ..errors import StructureError, refuse_unknown
from ..model.drawing import drawing
from ..model.mechanism import Mechanism
from ..positions.allowed import parted
from ..positions.loop_system import LoopSystem, loop_system
from ..solve.configuration import Configuration, drawn_closed
from ..spatial.rotation import Array
from ..trajectory.trajectory import Trajectory
from ..verbs.kinematics import jacobian
from ..verbs.options import located
from .singularities import least, root

STILL = 1e-12
"""Part of the other speed, both in typical lengths and radians, below which one is zero."""
AGREE = 1e-7
"""What several motions that the loops allow may differ by in (1): those of idle freedoms."""
UNITS = {("length", "angle"): "m", ("angle", "length"): "1/m"}
"""Of (1), by the kinds of effort and load."""
Asked = str | tuple[Any, ...]
"""A coordinate by name; or a body, a point of it and, if it is not its own way, a direction."""


@dataclass(frozen=True, eq=False)
class MechanicalAdvantage(Tabled):
    """Load over effort at every position; a number for a single one."""

    rows_of = (
        ("t", 0),
        ("ratio", 0),
    )

    effort: str
    load: str
    unit: str
    """`1`, `1/m` where a moment gives a force, `m` where a force gives a moment."""
    t: Array
    ratio: Array
    """L / E of (1), (times,)."""
    least: tuple[float, float]
    """The smallest size of it in the motion, and when."""
    greatest: tuple[float, float]
    """The largest one, and when: inf where the motion passes a toggle."""
    toggles: tuple[float, ...]
    """Times at which the output stands still."""


@public
def mechanical_advantage(
    source: Trajectory | Configuration | Mechanism, effort: Asked, load: Asked
) -> MechanicalAdvantage:
    """Force out per force in of a mechanism of one freedom, in a position or over a motion.

    `effort` and `load` name a coordinate, whose force or moment it is; or a body and its point,
    along whose way the force acts, and a third of them the direction instead, in the world:
    `("ram", "P", (0, -1))`. Drives do not count; a motion is only a set of positions.

    >>> import numpy as np, korba as kb
    >>> m = kb.linkages.slider_crank("50 mm", "150 mm", at="90 deg")
    >>> float(kb.mechanical_advantage(m, "A", "slide").ratio.round(6))
    -20.0
    """
    system, q, t = _places(source)
    ways = [_way(system, *asked) for asked in (("effort", effort), ("load", load))]

    def speeds(q: Array) -> tuple[Array, Array]:
        return _speeds(system, ways, q)

    def ratio(q: Array) -> Array:
        x, y = speeds(q)
        return np.asarray(np.where(y == 0.0, np.inf, x / np.where(y == 0.0, 1.0, y)))

    found, unit = ratio(q), UNITS.get((ways[0].kind, ways[1].kind), "1")
    asked = _told(effort), _told(load), unit
    if not isinstance(source, Trajectory):
        own, now = float(abs(found[0])), float(t[0])
        return MechanicalAdvantage(*asked, t[0], found[0], (own, now), (own, now), ())
    low = least(source, lambda part: np.abs(ratio(part.q)), int(np.argmin(np.abs(found))))
    toggles = _toggles(source, speeds, drawing(system.m).scale ** np.array([w.power for w in ways]))
    if toggles:
        return MechanicalAdvantage(*asked, t, found, low, (np.inf, toggles[0]), toggles)
    high = least(source, lambda part: -np.abs(ratio(part.q)), int(np.argmax(np.abs(found))))
    return MechanicalAdvantage(*asked, t, found, low, (-high[0], high[1]), ())


@dataclass(frozen=True, eq=False)
class _Way:
    """What a force works along: a coordinate, or the way of a point."""

    kind: str
    place: int = -1
    """Of the velocity of a coordinate."""
    body: str = ""
    point: tuple[float, ...] = ()
    direction: Array | None = None

    @property
    def power(self) -> int:
        """Of a length in its speed."""
        return int(self.kind == "length")

    def rates(self, m: Mechanism, q: Array, N: Array) -> Array:
        """Its speed in each of the motions N, shape (times, 1 or 3, motions)."""
        if self.place >= 0:
            return N[:, self.place : self.place + 1, :]
        rates = np.asarray(jacobian(m, q, self.body, self.point))[:, 3:] @ N
        return rates if self.direction is None else self.direction[None] @ rates


def _places(source: Any) -> tuple[LoopSystem, Array, Array]:
    """Loops without drives, positions and times."""
    if isinstance(source, Trajectory):
        return loop_system(source.mechanism, drives=False), source.q, source.t
    m = source.m if isinstance(source, Configuration) else source
    system = loop_system(m, drives=False)
    q = source.q if isinstance(source, Configuration) else drawn_closed(system)
    return system, q[None], np.zeros(1)


def _way(system: LoopSystem, what: str, asked: Asked) -> _Way:
    """What is named, in numbers."""
    m, tree = system.m, system.tree
    if isinstance(asked, str):
        if not m.velocities:
            raise StructureError(f"{what}: nothing in mechanism {m.name!r} moves")
        refuse_unknown("coordinate", asked, m.velocities, what)
        k = m.velocities.index(asked)
        return _Way(tree.velocity_kinds[k], k)
    if len(asked) not in {2, 3}:
        raise StructureError(
            f"{what}: expected a coordinate, or a body, a point of it and perhaps a direction, got "
            f"{asked!r:.60}"
        )
    body, point, *way = asked
    body, place = located(m, body, point)
    m.body(body)
    if not way:
        return _Way("length", body=body, point=place)
    d = np.zeros(3)
    d[: len(way[0])] = real_array(f"{what}: direction", way[0])
    if not (size := float(np.linalg.norm(d))) > 0:
        raise StructureError(f"{what}: its direction has length 0; give one such as (1, 0)")
    return _Way("length", body=body, point=place, direction=d / size)


def _speeds(system: LoopSystem, ways: list[_Way], q: Array) -> tuple[Array, Array]:
    """x' and y' in the one motion that the loops allow, idle ones aside."""
    N = np.broadcast_to(np.diag(system.units), (len(q), *[system.tree.nv] * 2))
    J = system.unitless(q, np.zeros((len(q), 0)), np.zeros((len(q), 2)))[1]
    if J.shape[-2]:
        N = system.units[:, None] * parted(J, np.ones(J.shape[-1]), 1.0).N
    parts = [way.rates(system.m, q, N) for way in ways]
    units = drawing(system.m).scale ** np.array([float(way.power) for way in ways])
    R = np.concatenate([part / unit for part, unit in zip(parts, units, strict=True)], axis=1)
    if not R.shape[-1]:
        raise StructureError(f"mechanism {system.m.name!r} cannot move, so it passes on no force")
    sizes = np.linalg.norm(R, axis=-1)
    most = sizes.max(axis=1)
    if not np.all(most > STILL):
        raise StructureError("neither effort nor load moves in a motion that the loops allow")
    z = np.take_along_axis(R, sizes.argmax(axis=1)[:, None, None], axis=1)[:, 0] / most[:, None]
    apart = R - (R @ z[..., None]) * z[:, None]
    if np.any(np.abs(apart).max(axis=(1, 2)) > AGREE * most):
        raise StructureError(
            f"mechanism {system.m.name!r} lets effort and load move apart, with more than one "
            "freedom; couple or fix what else moves"
        )
    x, y = ((part @ z[..., None])[..., 0] for part in parts)
    one, other = (
        u[:, 0] if u.shape[1] == 1 else np.linalg.norm(u, axis=1) * np.sign(turn)
        for u, turn in ((x, _signed(y)), (y, _signed(x)))
    )
    small = [STILL * unit * most for unit in units]
    return tuple(  # type: ignore[return-value]
        np.where(np.abs(u) <= least, 0.0, u) for u, least in zip((one, other), small, strict=True)
    )


def _signed(u: Array) -> Array:
    """A way has the sense in which the other side moves; two ways have that of the motion."""
    return np.where(u[:, 0] < 0, -1.0, 1.0) if u.shape[1] == 1 else np.ones(len(u))


def _toggles(source: Trajectory, speeds: Any, units: Array) -> tuple[float, ...]:
    """Times at which the output stands still while the input moves."""

    def falling(part: Trajectory) -> Array:
        x, y = speeds(part.q)
        return np.asarray(y * np.where(x < 0, -1.0, 1.0))

    x, y = (np.abs(u) / unit for u, unit in zip(speeds(source.q), units, strict=True))
    f, t = falling(source), source.t
    found = {float(now) for now in t[f == 0.0]}
    for k in np.flatnonzero(f[:-1] * f[1:] < 0):
        if x[k : k + 2].min() > y[k : k + 2].max():
            found.add(root(source, falling, float(t[k]), float(t[k + 1])))
    return tuple(sorted(found))


def _told(asked: Asked) -> str:
    return asked if isinstance(asked, str) else f"{asked[0]} at {asked[1]}"
