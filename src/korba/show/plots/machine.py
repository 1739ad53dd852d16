"""Panels of what a designer of machines asks for.

Hodographs of the forces in joints, what drives do over the cycle, losses by joint; reduced inertia
and forces; speed over a steady turn, and Wittenbauer's energy-mass diagram with the tangents from
its origin at the largest and the least speed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...display import tidy
from ...dynamics.load_distribution import units_of_efforts
from ...errors import StructureError
from ...machine.cycle import Cycle
from ...machine.reduction import Reduction
from ...spatial.rotation import Array
from ...trajectory.trajectory import Trajectory
from ...verbs.forces.results import Reactions
from .motion import chosen
from .panels import VIEWS, Line, Panel, Plot, Series, curves_in_plane, labelled, panels_of
from .smooth import Smooth

POINTS = 360
"""Positions of a curve."""
MOST_LETTERS = 32
"""Of names of curves that are zero, in a legend."""
EFFORT = "N m or N"
"""Unit of a drive without its mechanism."""


def forces_plot(
    forces: Reactions,
    along: Trajectory | None = None,
    over: str = "t",
    *,
    degrees: bool = False,
    hodographs: Sequence[str] = (),
) -> Plot:
    """Hodographs, sizes of forces, drives and losses over a motion; or some hodographs alone."""
    force = np.asarray(forces.force)
    if force.ndim != 3:
        raise StructureError("plot: expected forces over a motion, one position after the other")
    x, smooth = _positions(len(force), along, over, degrees)
    force, moment = smooth.between(force), smooth.between(np.asarray(forces.moment))
    joints = chosen(hodographs, forces.joints) or forces.joints
    curves = _gathered({name: force[:, forces.joints.index(name)] for name in joints})
    views = VIEWS[:1] if forces.planar else VIEWS
    title = "hodographs of forces on the child"
    panels = [*curves_in_plane(curves, views, "N", "F_", title)]
    if hodographs:
        return Plot("Forces in joints", tuple(panels))
    panels += _over(x, _sizes(forces, force), "N", "size of the forces in joints", "force")
    panels += _drives(forces, x, along, smooth)
    if forces.losses:
        losses = {name: smooth.between(loss) for name, loss in forces.losses.items()}
        panels += _over(x, losses, "W", "losses by joint", "power")
    else:
        panels += _over(x, _sizes(forces, moment), "N m", "moments in joints", "moment")
    return Plot("Forces in joints", tuple(panels), across=2)


def _positions(
    count: int, along: Trajectory | None, over: str, degrees: bool
) -> tuple[Series, Smooth]:
    """What forces are drawn over: a column of their motion, or the number of the position."""
    if along is None:
        smooth = Smooth(np.arange(count, dtype=float))
        return Series("position", smooth.between(smooth.t)), smooth
    if along.shape or len(along.t) != count:
        raise StructureError(
            f"plot: along: expected the motion of these forces, with {count} positions; "
            f"it has {len(along.t)}"
        )
    smooth = Smooth.of(along)
    return smooth.column(along, chosen([over], along.names)[0], degrees), smooth


def _sizes(forces: Reactions, vectors: Array) -> dict[str, Array]:
    return dict(zip(forces.joints, np.linalg.norm(vectors, axis=2).T, strict=True))


def _gathered(curves: Mapping[str, Array]) -> dict[str, Array]:
    """Curves by name; those that are zero all along are one that names them.

    They are those of armature, of rotors, of links without load: they need no colour each.
    """
    largest = np.fmax.reduce([np.abs(curve).max(initial=0.0) for curve in curves.values()])
    zero = [name for name, curve in curves.items() if not tidy(curve, largest).any()]
    shown = {name: curve for name, curve in curves.items() if name not in zero}
    if zero:
        shown[f"0: {_in_short(zero)}"] = curves[zero[0]]
    return shown


def _in_short(names: Sequence[str]) -> str:
    """As many of the names as a legend has room for, and how many others there are."""
    told = ", ".join(names)
    for k in range(len(names) - 1, -1, -1):
        if len(told) <= MOST_LETTERS:
            break
        told = ", ".join([*names[:k], f"{len(names) - k} {'more' if k else 'joints'}"])
    return told


def _over(
    x: Series, curves: Mapping[str, Array], unit: str, title: str, of: str
) -> Iterator[Panel]:
    lines = [Line(name, x.values, curve) for name, curve in _gathered(curves).items()]
    yield from panels_of(lines, x.label, labelled(of, unit), title)


def _drives(
    forces: Reactions, x: Series, along: Trajectory | None, smooth: Smooth
) -> Iterator[Panel]:
    """What drives do, with friction and without, in one panel for each unit."""
    units = {} if along is None else units_of_efforts(along.mechanism)
    plain = forces.frictionless
    groups: dict[str, list[Line]] = {}
    for k, (name, effort) in enumerate(forces.driving.items()):
        lines = groups.setdefault(units.get(name, EFFORT), [])
        told = name if plain is None else f"{name} with friction"
        lines.append(Line(told, x.values, smooth.between(effort), hue=k))
        if plain is not None:
            without = smooth.between(plain.driving[name])
            lines.append(Line(f"{name} without", x.values, without, "dashed", hue=k))
    for unit, lines in groups.items():
        of = {"N m": "moment", "N": "force"}.get(unit, "effort")
        yield from panels_of(lines, x.label, labelled(of, unit), "what the drives do")


def reduction_plot(
    r: Reduction, along: Trajectory | None = None, over: str = "t", *, degrees: bool = False
) -> Plot:
    """Inertia, its slope, and the forces of all loads, over the range or along a motion."""
    if along is None:
        (_, at), *columns = r.table(POINTS).items()
        x = _coordinate(r, at, degrees)
    else:
        x, smooth = _positions(len(along.t), along, over, degrees)
        columns = [(name, smooth.between(y)) for name, y in r.along(along).columns.items()]
    (_, inertia), (_, slope), (_, driving), (_, resisting), *own = columns
    slope = tidy(slope, np.abs(inertia).max())
    limits, upright = None, ()
    if r.dead_centres:
        top = 3 * float(np.median(inertia))
        limits = (-top, top) if np.max(inertia) > top else None  # without bound near them
        ends = np.array([limit.value for limit in r.dead_centres])
        if x.name == r.coordinate:
            upright = tuple(_coordinate(r, ends, degrees).values.tolist())
    name = "reduced inertia" if r.turns else "reduced mass"
    of = f"{r.units[0]}/{'rad' if r.turns else 'm'}"
    wide = [
        Line("driving", x.values, driving, hue=1, width=5.0, opacity=0.35),
        Line("resisting, against the motion", x.values, -resisting, hue=4, width=5.0, opacity=0.35),
    ]
    acting = [(name, y) for name, y in own if np.any(y)]
    lines = [*wide, *(Line(name, x.values, y, hue=k) for k, (name, y) in enumerate(acting))]
    panels = [
        Panel(x.label, labelled(name, r.units[0]), (Line("", x.values, inertia),),
              upright=upright, limits=limits),
        Panel(x.label, labelled("its slope", of), (Line("", x.values, slope),),
              upright=upright, limits=limits),
        *panels_of(lines, x.label, labelled("reduced force", r.units[1]), upright=upright),
    ]  # fmt: skip
    return Plot(f"{r.m.name or 'mechanism'} reduced to {r.coordinate}", tuple(panels))


def _coordinate(r: Reduction, values: Array, degrees: bool) -> Series:
    x = Series(r.coordinate, np.asarray(values, dtype=float), "rad" if r.turns else "m")
    return x.in_degrees() if degrees else x


def turns_plot(turns: Mapping[str, Cycle], *, degrees: bool = False) -> Plot:
    """Forces and speed over steady turns, and their energy-mass diagrams with both tangents."""
    first = next(iter(turns.values()))
    r = first.reduction
    at = np.linspace(first.panels.edges[0], first.panels.edges[-1], POINTS + 1)
    x = _coordinate(r, at, degrees)
    model = r(at, first.speed(at))
    lines = [Line(n, x.values, force) for n, force in model.forces.items() if np.any(force)]
    if first.balancing:
        level = np.full(len(at), first.balancing)
        lines.append(Line("balancing", x.values, level, "dashed", hue=-1))
    speeds = []
    for k, (name, turn) in enumerate(turns.items()):
        speed = Series("", turn.speed(at), "rad/s")
        speed = speed.in_degrees() if degrees else speed
        speeds.append(Line(f"{name}: {turn.irregularity.delta:.4g}", x.values, speed.values, hue=k))
    title = "speed, and its irregularity"
    panels = [
        *panels_of(lines, x.label, labelled("moment", r.units[1]), "reduced forces"),
        Panel(x.label, labelled("speed", speed.unit), tuple(speeds), title),
        *(_energy_mass(turn, name, k) for k, (name, turn) in enumerate(turns.items())),
    ]
    name = f"{r.m.name or 'mechanism'}: steady turn of {r.coordinate}"
    return Plot(name, tuple(panels), across=2)


def _energy_mass(turn: Cycle, name: str, hue: int) -> Panel:
    """The diagram, and lines of the largest and the least speed, which touch it."""
    d, ends = turn.energy_mass(POINTS), turn.irregularity
    lines = [Line("energy over inertia", d.inertia, d.energy, hue=hue)]
    reach = np.ptp(d.inertia) or 0.1 * d.inertia.max()
    along = np.array([d.inertia.min() - reach / 3, d.inertia.max() + reach / 3])
    for speed, dash in ((ends.fastest, "dashed"), (ends.slowest, "dotted")):
        label = f"slope of {speed:.5g} rad/s"
        lines.append(Line(label, along, 0.5 * speed**2 * along, dash, hue=-1, width=1.0))
    axes = labelled("reduced inertia", "kg m^2"), labelled("kinetic energy", "J")
    return Panel(*axes, tuple(lines), f"energy-mass diagram, {name}")
