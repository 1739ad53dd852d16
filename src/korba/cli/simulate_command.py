"""`korba simulate`: a mechanism in time, printed, written and drawn."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..show.plots.plot import plot as plotted
from ..simulation.run import simulate as simulated
from ..simulation.schemes import METHODS
from .answers import answered, ended, one_of, read, start_of
from .commands import command
from .completion import among
from .motion_files import MotionFiles
from .options import (
    AsJson,
    Columns,
    CsvFile,
    Degrees,
    Floating,
    Hodograph,
    MechanismFile,
    Over,
    Overwrite,
    PageFile,
    Phase,
    PictureFile,
    Plotted,
    StartCoordinates,
    StartVelocities,
    TableFile,
    Theme,
    picture_file,
)
from .overlays import Overlays, overlays_of

End = Annotated[float, typer.Option(help="End of the motion, in seconds.")]
Count = Annotated[
    int | None, typer.Option(help="How many times to write, evenly; else every step.")
]
Scheme = Annotated[
    str,
    typer.Option(help=f"One of {', '.join(METHODS)}.", autocompletion=among(lambda: METHODS)),
]
Step = Annotated[
    float | None, typer.Option(help="Length of steps of rk4 and symplectic, in seconds.")
]
Events = Annotated[
    list[str] | None,
    typer.Option("--events", "-e", help="Find zeros, such as 'A - 30 deg'; may be repeated."),
]
Stops = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="Stop at limits of joints, with this restitution (0 to 1)."),
]


@command("korba simulate arm.toml --until 1 --animate fall.html")
def simulate(
    file: MechanismFile,
    *,
    floating: Floating = None,
    until: End = 10.0,
    q: StartCoordinates = None,
    v: StartVelocities = None,
    times: Count = None,
    method: Scheme = "dop853",
    step: Step = None,
    rtol: Annotated[float, typer.Option(help="Relative tolerance of dop853 and stiff.")] = 1e-8,
    events: Events = None,
    stops: Stops = None,
    friction: Annotated[bool, typer.Option("--friction", help="With dry friction.")] = False,
    csv: CsvFile = None,
    out: TableFile = None,
    plot: Plotted = False,
    picture: PictureFile = None,
    columns: Columns = None,
    over: Over = "t",
    degrees: Degrees = False,
    phase: Phase = None,
    hodograph: Hodograph = None,
    page: PageFile = None,
    show: Overlays = None,
    theme: Theme = "light",
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Let a mechanism move in time, and say where it arrives and what happens on the way."""
    if any(event.startswith("--") for event in events or ()):
        raise typer.BadParameter("expected an expression, 'A - 30 deg'", param_hint="--events")
    one_of(method, METHODS, "--method")
    files = MotionFiles(csv, out, picture_file(file, "simulate", plot, picture), page)
    files.check(force)
    played = {"theme": theme, **overlays_of(show)}
    m = read(file, floating)
    options: dict[str, Any] = {"times": times, "method": method, "step": step, "rtol": rtol}
    options |= {"events": events, "stops": False if stops is None else stops, "friction": friction}
    moved = simulated(m, until, **start_of(m, q, v), **options, raise_on_failure=False)
    currents = (name for name in moved.names if name[:2] == "i_")
    names = ["t", *m.coordinates, *(f"v_{name}" for name in m.velocities), *currents]
    drawn: dict[str, Any] = {"columns": columns or (), "over": over, "degrees": degrees}
    drawn |= {"phase": phase or (), "hodographs": hodograph or (), "theme": theme}
    written = files.outputs(moved, names, lambda path: plotted(moved, path, **drawn), played)
    answered(moved.to_dict() | {"audit": moved.audit.energy}, str(moved), as_json, written)
    ended(str(moved.status))
