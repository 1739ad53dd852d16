"""Pictures that a designer of machines draws, by matplotlib.

Hodographs of the forces in joints, what drives do over the cycle, losses by joint; reduced inertia
and forces; speed over a steady turn, and Wittenbauer's energy-mass diagram with the tangents from
its origin at the largest and the least speed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..door import public
from ..errors import KorbaError
from ..files.disk import replaced
from ..machine.cycle import Cycle
from ..machine.flywheel import Flywheel
from ..machine.reduction import Reduction
from ..spatial.rotation import Array
from ..verbs.joint_wrenches import Reactions
from .plots import ENDINGS, new_figure

FEW = 10
"""Joints in one panel; more cannot be told apart."""
POINTS = 360
"""Positions of a curve."""


@public
def plot(result: Reactions | Reduction | Cycle | Flywheel, path: str | Path) -> None:
    """Draw a result over a cycle to an .svg, .png or .pdf file; it needs matplotlib.

    Of forces in joints (`kb.reactions` of a motion): hodographs, sizes, drives, losses. Of a
    reduced model (`kb.reduce`): inertia and forces. Of a steady turn (`kb.steady_cycle`,
    `kb.flywheel`): forces, speed and the energy-mass diagram.

    >>> kb.plot(kb.steady_cycle(engine, "crank", speed=150.0), "turn.svg")     # doctest: +SKIP
    """
    target = Path(path)
    if target.suffix.lower() not in ENDINGS:
        known = ", ".join(ENDINGS)
        raise KorbaError(f"plot: the ending must be one of {known}, got {str(path)!r:.60}")
    if isinstance(result, Reactions):
        draw_forces(result, target)
    elif isinstance(result, Reduction):
        draw_reduction(result, target)
    elif isinstance(result, Cycle):
        draw_turns({"steady turn": result}, target)
    else:
        before = {"without flywheel": result.before} if result.before else {}
        draw_turns({**before, "with flywheel": result.after}, target)


def draw_forces(
    forces: Reactions, path: Path, x: Array | None = None, along: str = "position", rest: Any = None
) -> None:
    """Hodographs, sizes of forces, drives and losses over x; `rest` are those without friction."""
    force = np.asarray(forces.force)
    if force.ndim != 3:
        raise KorbaError("plot: expected forces over a motion, one position after the other")
    x = np.arange(len(force)) if x is None else x
    figure = new_figure((11, 8.5))
    panels = figure.subplots(2, 2)
    worst = np.argsort(-np.linalg.norm(force, axis=2).max(axis=0), kind="stable")
    for k in sorted(worst[:FEW]):
        name, one = forces.joints[k], force[:, k]
        panels[0, 0].plot(one[:, 0], one[:, 1], label=name)
        panels[0, 1].plot(x, np.linalg.norm(one, axis=1), label=name)
    panels[0, 0].plot([0], [0], "k+")
    panels[0, 0].set_aspect("equal", adjustable="datalim")
    for name, effort in forces.driving.items():
        panels[1, 0].plot(x, effort, label=f"{name} with friction" if rest is not None else name)
        if rest is not None:
            panels[1, 0].plot(x, rest.driving[name], "--", label=f"{name} without")
    moments = np.linalg.norm(np.asarray(forces.moment), axis=2)
    shown = forces.losses or {
        forces.joints[k]: moments[:, k] for k in range(min(FEW, moments.shape[1]))
    }
    for name, loss in shown.items():
        panels[1, 1].plot(x, loss, label=name)
    _label(panels[0, 0], "hodographs: force on the child, N", "F_x", "F_y")
    _label(panels[0, 1], "size of the forces in joints", along, "N")
    _label(panels[1, 0], "what the drives do", along, "N m, or N")
    last = ("losses by joint", "W") if forces.losses else ("moments in joints", "N m")
    _label(panels[1, 1], last[0], along, last[1])
    _written(figure, "Forces in joints", path)


def draw_reduction(r: Reduction, path: Path) -> None:
    """Inertia with its slope, and the forces of all loads, over the range of the coordinate."""
    table = r.table(POINTS)
    x, inertia, slope, driving, resisting, *_ = table.values()
    figure = new_figure((8, 8))
    panels = figure.subplots(2, 1, sharex=True)
    panels[0].plot(x, inertia, label="inertia" if r.turns else "mass")
    panels[0].plot(x, slope, "--", label="its slope")
    if r.dead_centres:  # without bound at both ends
        top = 3 * float(np.median(inertia))
        panels[0].set_ylim(-top, top)
        for limit in r.dead_centres:
            for panel in panels:
                panel.axvline(limit.value, color="gray", linestyle=":")
    wide = {"linewidth": 4, "alpha": 0.3}
    panels[1].plot(x, driving, "g", label="driving", **wide)
    panels[1].plot(x, -resisting, "r", label="resisting, against the motion", **wide)
    for name in list(table)[5:]:
        if np.any(table[name]):
            panels[1].plot(x, table[name], label=name)
    of = "rad" if r.turns else "m"
    _label(panels[0], "reduced inertia" if r.turns else "reduced mass", "", r.units[0])
    _label(panels[1], "reduced forces", f"{r.coordinate}, {of}", r.units[1])
    _written(figure, f"{r.m.name or 'mechanism'} reduced to {r.coordinate}", path)


def draw_turns(turns: dict[str, Cycle], path: Path) -> None:
    """Forces and speed over steady turns, and their energy-mass diagrams with both tangents."""
    figure = new_figure((11, 8.5))
    left, right = figure.subfigures(1, 2)
    over, diagrams = left.subplots(2, 1, sharex=True), right.subplots(len(turns), 1, squeeze=False)
    first = next(iter(turns.values()))
    r = first.reduction
    x = np.linspace(first.panels.edges[0], first.panels.edges[-1], POINTS + 1)
    model = r(x, first.speed(x))
    for name, force in model.forces.items():
        if np.any(force):
            over[0].plot(x, force, label=name)
    if first.balancing:
        over[0].axhline(first.balancing, color="k", linestyle="--", label="balancing")
    for (name, turn), diagram in zip(turns.items(), diagrams[:, 0], strict=True):
        (line,) = over[1].plot(x, turn.speed(x), label=f"{name}: {turn.irregularity.delta:.4g}")
        _draw_energy_mass(diagram, turn, name, line.get_color())
    _label(over[0], "reduced forces", "", r.units[1])
    _label(over[1], "speed, and its irregularity", f"{r.coordinate}, rad", "rad/s")
    _written(figure, f"{r.m.name or 'mechanism'}: steady turn of {r.coordinate}", path)


def _draw_energy_mass(panel: Any, turn: Cycle, name: str, color: str) -> None:
    """The diagram, and lines of the largest and the least speed, which touch it."""
    d, ends = turn.energy_mass(POINTS), turn.irregularity
    panel.plot(d.inertia, d.energy, color=color, label="energy over inertia")
    reach = np.ptp(d.inertia) or 0.1 * d.inertia.max()
    along = np.array([d.inertia.min() - reach / 3, d.inertia.max() + reach / 3])
    for speed, style in ((ends.fastest, "--"), (ends.slowest, ":")):
        label = f"slope of {speed:.5g} rad/s"
        panel.plot(along, 0.5 * speed**2 * along, f"k{style}", label=label, linewidth=1)
    panel.locator_params(axis="x", nbins=5)
    _label(panel, f"energy-mass diagram, {name}", "reduced inertia, kg m^2", "kinetic energy, J")


def _label(panel: Any, title: str, x: str, y: str) -> None:
    panel.set_title(title, fontsize="medium")
    panel.set_xlabel(x)
    panel.set_ylabel(y)
    panel.grid(alpha=0.3)
    if panel.get_legend_handles_labels()[0]:
        panel.legend(fontsize="small")


def _written(figure: Any, title: str, path: Path) -> None:
    figure.suptitle(title)
    kind = path.suffix[1:].lower()
    undated = {"metadata": {"Date": None}} if kind == "svg" else {}
    with replaced(path) as file:
        figure.savefig(file, format=kind, dpi=120, **undated)
