"""`kb.plot`: motions, forces in joints, reduced models and steady turns as plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...door import public
from ...errors import StructureError
from ...machine.cycle import Cycle
from ...machine.flywheel import Flywheel
from ...machine.reduction import Reduction
from ...trajectory.trajectory import Trajectory
from ...verbs.forces.results import Reactions
from ..drawings.draw import point_named
from .machine import forces_plot, reduction_plot, turns_plot
from .motion import motion_plot, state_columns
from .panels import Plot, known_theme

Names = str | Sequence[str]
"""A name, or several."""


@public
def plot(
    result: Trajectory | Reactions | Reduction | Cycle | Flywheel,
    path: str | Path | None = None,
    *,
    columns: Names = (),
    over: str = "t",
    along: Trajectory | None = None,
    degrees: bool | None = None,
    phase: Names = (),
    paths: Names = (),
    hodographs: Names = (),
    theme: str = "light",
) -> Plot:
    """Draw a result over time, a crank's angle or any column; with a path also to a file.

    Of a motion: its `columns` by name or pattern ("v_*"), one panel for each unit; without them all
    coordinates, velocities and accelerations. `over` is the column along x. Axes are in the units
    that the mechanism was written with; `degrees` shows angles in degrees, or with False in
    radians. `phase` are coordinates whose velocity is drawn over them, `paths` are points
    ("coupler.P") whose way, and `hodographs` those whose velocity is drawn in the plane.

    Of forces in joints (`kb.reactions` of a motion): hodographs, sizes, drives, losses, `along` the
    motion; `hodographs` names some joints. Of a reduced model (`kb.reduce`): inertia and forces at
    speed 0 over its range, or `along` a motion with its speeds. Of a steady turn
    (`kb.steady_cycle`, `kb.flywheel`): forces, speed, energy-mass diagram.

    Files are .svg, .png and .pdf (by matplotlib) or .html (by plotly).

        >>> motion = kb.motion(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7), np.linspace(0, 1, 100))
        >>> picture = kb.plot(motion, over="A", degrees=True)
        >>> [panel.y for panel in picture.panels]
        ['angle, deg', 'angular velocity, deg/s', 'angular acceleration, deg/s²']
        >>> len(picture)    # lines: three of them angles, as A itself is along x
        11
    """
    asked = {"columns": columns, "phase": phase, "paths": paths, "hodographs": hodographs}
    names = {key: [each] if isinstance(each, str) else [*each] for key, each in asked.items()}
    if isinstance(result, Trajectory):
        _without(result, along=along)
        made = _motion(result, over, degrees, **names)
    elif isinstance(result, Reactions):
        joints = names.pop("hodographs")
        _without(result, **names, over=over != "t" and along is None)
        made = forces_plot(result, along, over, degrees=degrees, hodographs=joints)
    elif isinstance(result, Reduction):
        _without(result, **names, over=over != "t" and along is None)
        made = reduction_plot(result, along, over, degrees=degrees)
    else:
        _without(result, **names, along=along, over=over != "t")
        made = _turns(result, degrees)
    made = replace(made, theme=known_theme(theme))
    if path is not None:
        made.save(path)
    return made


def _motion(
    motion: Trajectory,
    over: str,
    degrees: bool | None,
    *,
    columns: list[str],
    phase: list[str],
    paths: list[str],
    hodographs: list[str],
) -> Plot:
    if not (columns or phase or paths or hodographs):
        columns = state_columns(motion, over)
    return motion_plot(
        motion,
        columns=columns,
        over=over,
        degrees=degrees,
        phase=phase,
        points={name: point_named(motion, name) for name in paths},
        moving={name: point_named(motion, name) for name in hodographs},
    )


def _turns(result: Cycle | Flywheel, degrees: bool | None) -> Plot:
    if isinstance(result, Cycle):
        return turns_plot({"steady turn": result}, degrees=degrees)
    before = {"without flywheel": result.before} if result.before else {}
    return turns_plot({**before, "with flywheel": result.after}, degrees=degrees)


def _without(result: Any, **options: Any) -> None:
    """Options that say nothing about a result are refused."""
    wrong = [name for name, value in options.items() if value]
    if wrong:
        more = "; give along=motion with over" if isinstance(result, Reactions | Reduction) else ""
        raise StructureError(
            f"plot: {', '.join(wrong)}: not an option of a plot of {type(result).__name__}{more}"
        )
