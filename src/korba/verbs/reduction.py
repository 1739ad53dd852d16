"""The verb under `kb.reduce`: inertia and forces of a whole mechanism, seen from one coordinate.

The power of each load at the speed x' = 1 is its reduced force (Gronowicz 4.122, 4.123),

    Q = sum of  v_i . F_i + M_i w_i   with the velocities of x' = 1                     (1)

and with the reduced inertia I of dynamics/reduced.py the mechanism moves as

    I x'' + 1/2 I' x'^2 = Q(x, x', t)                                                  (2)

Loads may depend on the speed, so they are taken at the velocities N x'. Each is driving where it
gives power and resisting where it takes power, Q = Q_driving - Q_resisting (4.104).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..display import Tabled, columns
from ..dynamics import reduced
from ..dynamics.energy import momentum
from ..dynamics.idle import idle_twists, refuse_felt
from ..errors import StructureError, way_out
from ..expr import maximum, minimum
from ..expr.node import present
from ..forces.loads import loads_by_name, power
from ..kinematics.couplings import all_coordinates, all_velocities
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..structure.mobility import mobility
from ..system.store import kept
from ..system.system import System, any_system, refuse_rolling
from ..system.tree import Tree, places_of
from .verb import Given, verb

GRAVITY, DAMPING = "gravity", "damping of joints"
"""What acts besides the loads that have a name."""


@dataclass(frozen=True, eq=False)
class ReducedModel(Tabled):
    """Inertia and forces of a mechanism reduced to one coordinate, shape (...) each."""

    inertia: Array
    """I: moment of inertia (kg m^2) of a coordinate that is an angle, mass (kg) of a length."""
    slope: Array
    """I' = dI/dx."""
    forces: Mapping[str, Array]
    """Reduced force (N m or N) of each load by its name, of gravity and of damping in joints."""
    speed: Array
    """x', at which the loads were taken."""
    ratios: Array
    """Velocities of all joints for x' = 1, shape (..., nv)."""
    bends: Array
    """Their accelerations for x' = 1 and x'' = 0, shape (..., nv)."""
    singularity: Array
    """Smallest pivot of the velocity equations over the largest: 0 at a dead centre of x."""

    @property
    def force(self) -> Array:
        """Q of all loads together."""
        return np.asarray(sum(self.forces.values(), start=np.zeros_like(self.inertia)))

    @property
    def driving(self) -> Array:
        """What loads that give power add up to, along the motion."""
        return self._part(1.0)

    @property
    def resisting(self) -> Array:
        """What loads that take power add up to, against the motion: Q = driving - resisting."""
        return 0.0 - self._part(-1.0)

    @property
    def acceleration(self) -> Array:
        """x'' that the loads give, by (2)."""
        return (self.force - 0.5 * self.slope * self.speed**2) / self.inertia

    @property
    def columns(self) -> dict[str, Array]:
        """Inertia, slope, driving and resisting force, and the force of each load by its name."""
        both = {"driving": self.driving, "resisting": self.resisting}
        return {"inertia": self.inertia, "slope": self.slope, **both, **self.forces}

    def _part(self, sign: float) -> Array:
        ahead = np.where(self.speed < 0, -sign, sign)
        parts = [np.where(each * ahead > 0, each, 0.0) for each in self.forces.values()]
        return np.asarray(sum(parts, start=np.zeros_like(self.inertia)))

    def __str__(self) -> str:
        """The ranges of inertia and forces."""
        rows = {"inertia": self.inertia, "its slope": self.slope, **self.forces}
        table = [("", "from", "to")] + [
            (name, f"{np.min(x):.6g}", f"{np.max(x):.6g}") for name, x in rows.items() if np.size(x)
        ]
        return "\n".join(["Reduced model", *columns(table)])


def force_names(tree: Tree) -> tuple[str, ...]:
    """Of everything that has a reduced force, in the order of the results."""
    return (*dict.fromkeys([*(force.name for force in tree.m.forces), GRAVITY, DAMPING]),)


def place_of(m: Mechanism, coordinate: str) -> int:
    """Place of a coordinate's rate among the independent velocities."""
    tree = any_system(m).tree
    return tree.free_v.index(tree.velocity_of(coordinate))


def _packed(model: ReducedModel) -> tuple[Any, ...]:
    forces = np.stack([np.asarray(each) for each in model.forces.values()], axis=-1)
    parts = model.speed, model.ratios, model.bends, model.singularity
    return model.inertia, model.slope, forces, *parts


def _unpacked(m: Mechanism, result: tuple[Array, ...], _: Given) -> ReducedModel:
    inertia, slope, forces, *rest = result
    names = kept(m, "names of reduced forces", lambda: force_names(any_system(m).tree))
    by_name = {name: forces[..., i] for i, name in enumerate(names)}
    return ReducedModel(inertia, slope, by_name, *rest)


def coordinate_key(m: Mechanism, given: Any, _: Any = None) -> Hashable:
    """A coordinate to which a mechanism can be reduced: independent, and its only freedom."""
    refuse_rolling("reduce", m)
    tree = any_system(m).tree
    free = [tree.coordinates[i] for i in tree.free_q]
    able = [name for name in free if name in tree.rates]
    if given not in able:
        follows = given in tree.coordinates and given not in free
        why = "follows from others by a coupling" if follows else "is no coordinate with a speed"
        raise StructureError(
            f"mechanism {m.name!r} cannot be reduced to {given!r}, which {why}; "
            f"{way_out(given, able)}"
        )
    if not tree.closing:
        return str(given)
    free_ways, idle = kept(m, "freedoms without drives", lambda: _freedoms(m))
    if free_ways != 1:
        raise StructureError(
            f"mechanism {m.name!r} has {free_ways} freedoms besides idle ones, and a reduced model "
            f"has one; fix or couple joints until {given!r} moves everything"
        )
    twists = kept(m, ("idle twists", given), lambda: idle_twists(tree, (str(given),)))
    if len(twists) == idle:  # more are left where it is drawn at a dead centre
        refuse_felt(any_system(m), twists)
    return str(given)


def _freedoms(m: Mechanism) -> tuple[int, int]:
    report = mobility(replace(m, drives=()))
    return report.actual, report.local


@verb(
    closed=True,
    checks={"coordinate": coordinate_key},
    pack=_packed,
    unpack=_unpacked,
)
def reduce(
    system: System, q: Any, v: Any, coordinate: str, *, t: Any = 0.0, gravity: Any = None
) -> ReducedModel:
    """Inertia and forces of a mechanism reduced to one coordinate, at positions and speeds.

    q lists all joints, as `kb.assemble` and `kb.motion` give them. Of v only the speed of the
    coordinate counts; the others follow. In a mechanism with loops the coordinate must be the only
    freedom; in an open one all other joints stand still. Drives do no work here: what they have to
    do is  I x'' + 1/2 I' x'^2 - Q.
    """
    tree = system.tree
    g = system.gravity if gravity is None else np.array(gravity)
    place = tree.free_v.index(tree.velocity_of(coordinate))
    x = reduced.ratios(system, q, coordinate)
    inertia, slope = reduced.inertia(tree, q, x)
    q_all = all_coordinates(tree, q)
    N_all = all_velocities(tree, q_all, x.N)
    forces: dict[str, Any] = dict.fromkeys(force_names(tree), 0.0)
    for name, loads in loads_by_name(tree, q_all, N_all * v[place], t).items():
        forces[name] = power(tree, loads, q_all, N_all)
    forces[GRAVITY] = forces[GRAVITY] + momentum(system, q, x.N)[3:] @ g
    forces[DAMPING] = forces[DAMPING] - _damped(tree, N_all) * v[place]
    low, high = _ends([abs(pivot) for pivot in x.pivots])
    return ReducedModel(inertia, slope, forces, v[place], x.N, x.c, low / high)


def _ends(sizes: list[Any]) -> tuple[Any, Any]:
    """The smallest and the largest."""
    low = high = sizes[0]
    for size in sizes[1:]:
        low, high = minimum(low, size), maximum(high, size)
    return low, high


def _damped(tree: Tree, N_all: Array) -> Any:
    """Power that damping of all joints takes at x' = 1."""
    total: Any = 0.0
    for joint, (_, place) in zip(tree.m.joints, places_of(tree.m.joints).values(), strict=True):
        if present(joint.damping):
            total = total + joint.damping * (N_all[place] @ N_all[place])
    return total
