"""Panels of what a designer of machines asks for.

Hodographs of the forces in joints, what drives do over the cycle, losses by joint; reduced inertia
and forces; speed over a steady turn, and Wittenbauer's energy-mass diagram with the tangents from
its origin at the largest and the least speed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...display import tidy
from ...errors import StructureError
from ...expr.display_units import DisplayUnits
from ...machine.cycle import Cycle
from ...machine.reduction import Reduction
from ...spatial.rotation import Array
from ...trajectory.trajectory import Trajectory
from ...verbs.forces.results import Reactions
from .hues import in_colours, link_hues
from .motion import chosen
from .panels import (
    VIEWS,
    Component,
    Line,
    Panel,
    Plot,
    Series,
    asked_angles,
    curves_in_plane,
    labelled,
    panels_of,
    plotted_units,
)
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
    degrees: bool | None = None,
    hodographs: Sequence[str] = (),
) -> Plot:
    """Hodographs, sizes of forces, drives and losses over a motion; or some hodographs alone."""
    force = np.asarray(forces.force)
    if force.ndim != 3:
        raise StructureError("plot: expected forces over a motion, one position after the other")
    units = asked_angles(forces.shown, degrees)
    x, smooth = _positions(len(force), along, over, units)
    force, moment = smooth.between(force), smooth.between(np.asarray(forces.moment))
    joints = chosen(hodographs, forces.joints) or forces.joints
    curves = _gathered({name: force[:, forces.joints.index(name)] for name in joints})
    views = VIEWS[:1] if forces.planar else VIEWS
    title = "hodographs of forces on the child"
    panels = [*curves_in_plane(curves, views, Component("F_", "N"), title, units)]
    if hodographs:
        return Plot("Forces in joints", tuple(_in_colours(along, panels)))
    sizes, of = _sizes(forces, force), Component("force", "N")
    panels += _over(x, sizes, of, "size of the forces in joints", units)
    panels += _drives(forces, x, along, smooth, units)
    if forces.losses:
        losses = {name: smooth.between(loss) for name, loss in forces.losses.items()}
        panels += _over(x, losses, Component("power", "W"), "losses by joint", units)
    else:
        sizes, of = _sizes(forces, moment), Component("moment", "N m")
        panels += _over(x, sizes, of, "moments in joints", units)
    return Plot("Forces in joints", tuple(_in_colours(along, panels)), across=2)


def _positions(
    count: int, along: Trajectory | None, over: str, units: DisplayUnits
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
    return smooth.column(along, chosen([over], along.names)[0]).shown(units), smooth


def _in_colours(along: Trajectory | None, panels: Sequence[Panel]) -> Iterator[Panel]:
    """Lines in the colours of the links that forces act on, where the mechanism is known."""
    hues = {} if along is None else link_hues(along.mechanism)
    for panel in panels:
        own = any(line.name in hues for line in panel.lines)
        lines = in_colours(panel.lines, hues) if own else panel.lines
        yield replace(panel, lines=tuple(lines))


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
    x: Series, curves: Mapping[str, Array], of: Component, title: str, units: DisplayUnits
) -> Iterator[Panel]:
    lines = [
        Line(name, x.values, units.values(curve, of.unit))
        for name, curve in _gathered(curves).items()
    ]
    yield from panels_of(lines, x.label, labelled(of.name, of.unit, units), title)


def _drives(
    forces: Reactions, x: Series, along: Trajectory | None, smooth: Smooth, units: DisplayUnits
) -> Iterator[Panel]:
    """What drives do, with friction and without, in one panel for each unit."""
    plain = forces.frictionless
    own = {} if along is None else link_hues(along.mechanism)
    groups: dict[str, list[Line]] = {}
    for k, (name, effort) in enumerate(forces.driving.items()):
        si = forces.effort_units.get(name, EFFORT)
        lines = groups.setdefault(si, [])
        hue = own.get(name, k)
        told = name if plain is None else f"{name} with friction"
        shown = units.values(smooth.between(effort), si)
        lines.append(Line(told, x.values, shown, hue=hue))
        if plain is not None:
            without = units.values(smooth.between(plain.driving[name]), si)
            lines.append(Line(f"{name} without", x.values, without, "dashed", hue=hue))
    for si, lines in groups.items():
        of = {"N m": "moment", "N": "force"}.get(si, "effort")
        yield from panels_of(lines, x.label, labelled(of, si, units), "what the drives do")


def reduction_plot(
    r: Reduction,
    along: Trajectory | None = None,
    over: str = "t",
    *,
    degrees: bool | None = None,
) -> Plot:
    """Inertia, its slope, and the forces of all loads, over the range or along a motion."""
    units = plotted_units(r.m, degrees)
    if along is None:
        (_, at), *columns = r.table(POINTS).items()
        x = _coordinate(r, at, units)
    else:
        x, smooth = _positions(len(along.t), along, over, units)
        columns = [(name, smooth.between(y)) for name, y in r.along(along).columns.items()]
    (_, inertia), (_, slope), (_, driving), (_, resisting), *own = columns
    slope = tidy(slope, np.abs(inertia).max())
    per = f"{r.units[0]}/{'rad' if r.turns else 'm'}"
    inertia, slope = units.values(inertia, r.units[0]), units.values(slope, per)
    driving, resisting = (units.values(y, r.units[1]) for y in (driving, resisting))
    limits, upright = None, ()
    if r.dead_centres:
        top = 3 * float(np.median(inertia))
        limits = (-top, top) if np.max(inertia) > top else None  # without bound near them
        ends = np.array([limit.value for limit in r.dead_centres])
        if x.name == r.coordinate:
            upright = tuple(_coordinate(r, ends, units).values.tolist())
    name = "reduced inertia" if r.turns else "reduced mass"
    wide = [
        Line("driving", x.values, driving, hue=1, width=5.0, opacity=0.35),
        Line("resisting, against the motion", x.values, -resisting, hue=4, width=5.0, opacity=0.35),
    ]
    acting = [(name, units.values(y, r.units[1])) for name, y in own if np.any(y)]
    lines = [*wide, *(Line(name, x.values, y, hue=k) for k, (name, y) in enumerate(acting))]
    panels = [
        Panel(x.label, labelled(name, r.units[0], units), (Line("", x.values, inertia),),
              upright=upright, limits=limits),
        Panel(x.label, labelled("its slope", per, units), (Line("", x.values, slope),),
              upright=upright, limits=limits),
        *panels_of(lines, x.label, labelled("reduced force", r.units[1], units), upright=upright),
    ]  # fmt: skip
    return Plot(f"{r.m.name or 'mechanism'} reduced to {r.coordinate}", tuple(panels))


def _coordinate(r: Reduction, values: Array, units: DisplayUnits) -> Series:
    own = np.asarray(values, dtype=float)
    return Series(r.coordinate, own, "rad" if r.turns else "m").shown(units)


def turns_plot(turns: Mapping[str, Cycle], *, degrees: bool | None = None) -> Plot:
    """Forces and speed over steady turns, and their energy-mass diagrams with both tangents."""
    first = next(iter(turns.values()))
    r = first.reduction
    at = np.linspace(first.panels.edges[0], first.panels.edges[-1], POINTS + 1)
    units = plotted_units(r.m, degrees)
    x, of = _coordinate(r, at, units), r.units[1]
    model = r(at, first.speed(at))
    acting = {n: units.values(force, of) for n, force in model.forces.items() if np.any(force)}
    lines = [Line(n, x.values, force) for n, force in acting.items()]
    if first.balancing:
        level = np.full(len(at), units.values(first.balancing, of))
        lines.append(Line("balancing", x.values, level, "dashed", hue=-1))
    speeds = []
    for k, (name, turn) in enumerate(turns.items()):
        speed = Series("", turn.speed(at), "rad/s").shown(units)
        speeds.append(Line(f"{name}: {turn.irregularity.delta:.4g}", x.values, speed.values, hue=k))
    title = "speed, and its irregularity"
    panels = [
        *panels_of(lines, x.label, labelled("moment", of, units), "reduced forces"),
        Panel(x.label, labelled("speed", speed.unit), tuple(speeds), title),
        *(_energy_mass(turn, name, k, units) for k, (name, turn) in enumerate(turns.items())),
    ]
    name = f"{r.m.name or 'mechanism'}: steady turn of {r.coordinate}"
    return Plot(name, tuple(panels), across=2)


def _energy_mass(turn: Cycle, name: str, hue: int, units: DisplayUnits) -> Panel:
    """The diagram, and lines of the largest and the least speed, which touch it."""
    d, bounds = turn.energy_mass(POINTS), turn.irregularity
    kinds = "kg m^2", "J"
    shown = units.values(d.inertia, kinds[0]), units.values(d.energy, kinds[1])
    lines = [Line("energy over inertia", *shown, hue=hue)]
    reach = np.ptp(d.inertia) or 0.1 * d.inertia.max()
    along = np.array([d.inertia.min() - reach / 3, d.inertia.max() + reach / 3])
    for speed, dash in ((bounds.fastest, "dashed"), (bounds.slowest, "dotted")):
        label = f"slope of {units.told(speed, 'rad/s', 5)}"
        ends = units.values(along, kinds[0]), units.values(0.5 * speed**2 * along, kinds[1])
        lines.append(Line(label, *ends, dash, hue=-1, width=1.0))
    x, y = labelled("reduced inertia", kinds[0], units), labelled("kinetic energy", kinds[1], units)
    return Panel(x, y, tuple(lines), f"energy-mass diagram, {name}")
