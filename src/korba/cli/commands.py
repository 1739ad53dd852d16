"""The subcommands: each reads a mechanism, asks one question and prints the answer.

Every answer is data for `--json` and text for people. A fault of the mechanism ends with status 1
and a list of all faults, wrong usage with status 2.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import FileError, KorbaError
from ..files.any_file import READERS, WRITERS, read_any, write_any
from ..files.disk import write_text
from ..files.schema import schema as file_schema
from ..model.mechanism import Mechanism
from ..model.summary import friction_not_used
from ..show.animate import animate
from ..show.panels import ENDINGS
from ..show.plots import plot as plotted
from ..show.structure_graph import structure_graph
from ..simulation.run import simulate as simulated
from ..simulation.schemes import METHODS
from ..structure.groups import groups as groups_of
from ..structure.mobility import SPACES
from ..structure.mobility import mobility as mobility_of
from ..trajectory.trajectory import FINISHED, Trajectory
from ..verbs.crosscheck import crosscheck as compared
from . import demo as demonstration

app = typer.Typer(
    name="korba",
    help="Describe a mechanism or robot; learn whether and how it can move.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

MechanismFile = Annotated[
    Path,
    typer.Argument(
        exists=True,
        dir_okay=False,
        metavar="FILE",
        help="A .toml, .urdf, .sdf, .xml or .mjcf file.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]
CsvFile = Annotated[Path | None, typer.Option(help="Write the motion to this CSV file.")]
Plotted = Annotated[bool, typer.Option("--plot", help="Draw the motion to FILE's name.svg.")]
StartCoordinates = Annotated[
    list[str] | None,
    typer.Option("--q", help="Start: A=0.3 or 'A=30 deg', repeated; or the name of a pose."),
]
StartVelocities = Annotated[
    list[str] | None, typer.Option("--v", help="Velocity at the start, such as A=1.5.")
]
PictureFile = Annotated[
    Path | None, typer.Option(help="Draw the motion to this .svg, .png, .pdf or .html file.")
]

Overwrite = Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")]
Theme = Annotated[str, typer.Option(help="light or dark.")]
OwnPage = Annotated[
    Path | None, typer.Option("--out", "-o", help="The page; else FILE's name.html.")
]
PageFile = Annotated[
    Path | None, typer.Option("--animate", help="Write a page that plays the motion, .html.")
]

OUTPUTS: dict[str, Callable[[Trajectory, Path], None]] = {
    ".parquet": Trajectory.to_parquet,
    ".csv": Trajectory.to_csv,
    ".npz": Trajectory.save,
}
"""How a motion is written, by the ending of the file."""


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Add a subcommand; a fault of the mechanism ends it with status 1, every fault printed."""

    @app.command()
    @wraps(function)
    def asked(*args: Any, **options: Any) -> None:
        try:
            function(*args, **options)
        except KorbaError as error:
            if options.get("as_json"):
                keys = ("where", "message", "line")
                faults = [{key: getattr(fault, key) for key in keys} for fault in error.faults]
                answer = {"ok": False, "error": str(error), "faults": faults}
                typer.echo(json.dumps(answer, indent=2))
            else:
                typer.echo(str(error), err=True)
            raise typer.Exit(1) from error

    return asked


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"korba {version('korba')}")
        raise typer.Exit


@app.callback()
def _common(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


@command
def check(file: MechanismFile, as_json: AsJson = False) -> None:
    """Read a mechanism file and report every fault in it."""
    m = read(file)
    kinds = ("bodies", "joints", "couplings", "forces", "drives")
    counts = {kind: len(getattr(m, kind)) for kind in kinds}
    mass = sum(body.mass for body in m.bodies)
    data = {"ok": True, "name": m.name, "plane": m.plane, **counts, "nq": m.nq, "nv": m.nv}
    parts = [f"{count} {_counted(kind, count)}" for kind, count in counts.items() if count]
    text = (
        f"{m.name or 'mechanism'!r}: {'planar' if m.plane else 'spatial'}, {', '.join(parts)}, "
        f"{mass:g} kg, nq = {m.nq}, nv = {m.nv}; no faults"
    )
    printed(
        data | {"mass": mass, "notes": [*m.notes, *friction_not_used(m)]}, _noted(text, m), as_json
    )


@command
def mobility(
    file: MechanismFile,
    as_json: AsJson = False,
    space: Annotated[
        str | None,
        typer.Option(help="Space of the count: planar, spherical, spatial, detect or 1 ... 6."),
    ] = None,
    graph: Annotated[
        Path | None, typer.Option(help="Draw the structure graph to this SVG file.")
    ] = None,
) -> None:
    """Say in how many ways a mechanism moves, and why."""
    m = read(file)
    chosen = int(space) if space is not None and space.isdigit() else space
    if chosen not in (None, "detect", *SPACES, *range(1, 7)):
        known = ", ".join([*SPACES, "detect"])
        raise typer.BadParameter(
            f"expected {known} or 1 ... 6, got {space!r}", param_hint="--space"
        )
    answer = mobility_of(m, chosen)
    printed(answer.to_dict(), str(answer), as_json)
    written("Structure graph", graph, lambda path: write_text(structure_graph(m), path), as_json)


@command
def groups(
    file: MechanismFile,
    as_json: AsJson = False,
    inputs: Annotated[
        list[str] | None,
        typer.Option("--input", "-i", help="Coordinate that is driven; may be repeated."),
    ] = None,
) -> None:
    """Split a mechanism into structural groups, in the order of solution."""
    answer = groups_of(read(file), inputs or None)
    printed(answer.to_dict(), str(answer), as_json)


@command
def crosscheck(
    file: MechanismFile,
    as_json: AsJson = False,
    states: Annotated[int, typer.Option(min=1, help="How many random states.")] = 32,
    formulation: Annotated[
        list[str] | None,
        typer.Option("--formulation", "-f", help="A formulation to run; may be repeated."),
    ] = None,
) -> None:
    """Run every formulation that can take a mechanism, and compare their answers."""
    answer = compared(
        read(file),
        states=states,
        formulations=tuple(formulation) if formulation else None,
        progress=lambda what: typer.echo(what, err=True),
    )
    printed(answer.to_dict(), str(answer), as_json)
    if not answer.agree:
        raise typer.Exit(1)


@command
def schema(as_json: AsJson = True) -> None:
    """Print the JSON Schema of mechanism files."""
    typer.echo(json.dumps(file_schema(), indent=2))


@command
def convert(
    source: MechanismFile,
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="A .toml, .urdf or .xml (MJCF) file.")
    ],
    as_json: AsJson = False,
) -> None:
    """Write a mechanism in another format; what cannot be carried over is said."""
    known(target, WRITERS, "OUT")
    m = read(source)
    write_any(m, target)
    data = {"ok": True, "source": str(source), "target": str(target), "notes": list(m.notes)}
    printed(data, _noted(f"wrote {target}", m), as_json)


@command
def simulate(
    file: MechanismFile,
    *,
    until: Annotated[float, typer.Option(help="End of the motion, in seconds.")] = 10.0,
    q: StartCoordinates = None,
    v: StartVelocities = None,
    times: Annotated[
        int | None, typer.Option(help="How many times to write, evenly; else every step.")
    ] = None,
    method: Annotated[str, typer.Option(help=f"One of {', '.join(METHODS)}.")] = "dop853",
    step: Annotated[
        float | None, typer.Option(help="Length of steps of rk4 and symplectic, in seconds.")
    ] = None,
    rtol: Annotated[float, typer.Option(help="Relative tolerance of dop853 and stiff.")] = 1e-8,
    events: Annotated[
        list[str] | None,
        typer.Option("--events", "-e", help="Find zeros, such as 'A - 30 deg'; may be repeated."),
    ] = None,
    stops: Annotated[
        float | None, typer.Option(help="Stop at limits of joints, with this restitution (0 to 1).")
    ] = None,
    friction: Annotated[bool, typer.Option("--friction", help="Use dry friction.")] = False,
    csv: CsvFile = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the motion to this .parquet, .csv or .npz file.")
    ] = None,
    plot: Plotted = False,
    picture: PictureFile = None,
    page: PageFile = None,
    as_json: AsJson = False,
) -> None:
    """Let a mechanism move in time, and say where it arrives and what happens on the way."""
    if any(event.startswith("--") for event in events or ()):
        raise typer.BadParameter("expected an expression, 'A - 30 deg'", param_hint="--events")
    target = picture_file(file, plot, picture)
    if method not in METHODS:
        raise typer.BadParameter(f"expected one of {', '.join(METHODS)}", param_hint="--method")
    m = read(file)
    start = start_of(m, q, v)
    options: dict[str, Any] = {"times": times, "method": method, "step": step, "rtol": rtol}
    options |= {"events": events, "stops": False if stops is None else stops, "friction": friction}
    if out is not None:
        known(out, OUTPUTS, "--out")
    moved = simulated(m, until, **start, **options, raise_on_failure=False)
    printed(moved.to_dict() | {"audit": moved.audit.energy}, str(moved), as_json)
    currents = (name for name in moved.names if name[:2] == "i_")
    names = ["t", *m.coordinates, *(f"v_{name}" for name in m.velocities), *currents]
    written("Motion", csv, lambda path: moved.to_csv(path, names), as_json)
    written("Motion", out, lambda path: OUTPUTS[path.suffix.lower()](moved, path), as_json)
    written("Picture", target, lambda path: plotted(moved, path), as_json)
    written("Page", page, lambda path: write_text(animate(moved), path), as_json)
    if moved.status != FINISHED:
        raise typer.Exit(1)


@command
def demo(
    out: Annotated[Path, typer.Option(help="Folder for what is written.")] = Path("out"),
) -> None:
    """Show the main job on an embedded example."""
    for line in demonstration.run(out):
        typer.echo(line)


def read(file: Path) -> Mechanism:
    """The mechanism of a file in any format that its ending names."""
    known(file, [*READERS, ".xml"], "FILE")
    return read_any(file)


def refuse_existing(file: Path, force: bool) -> None:
    """A file that is there is not overwritten unless asked."""
    if file.exists() and not force:
        raise FileError(f"{file}: is there already; give another name, or say --force")


def known(file: Path, endings: Iterable[str], hint: str) -> None:
    """A file whose ending names no format is wrong usage."""
    if file.suffix.lower() not in endings:
        found = file.suffix or "none"
        raise typer.BadParameter(
            f"the ending must be one of {', '.join(endings)}, got {found}", param_hint=hint
        )


def picture_file(file: Path, plot: bool, picture: Path | None) -> Path | None:
    """Where to draw: the file that was named, or with --plot one named after the mechanism's."""
    if picture is None:
        return Path(f"{file.stem}.svg") if plot else None
    known(picture, ENDINGS, "--picture")
    return picture


def start_of(m: Mechanism, q: list[str] | None, v: list[str] | None) -> dict[str, Any]:
    """q and v at the start, by name, or the name of a pose."""
    posed = q and len(q) == 1 and q[0] in {pose.name for pose in m.poses}
    coordinates = q[0] if q and posed else _assignments(q, "--q")
    return {"q": coordinates, "v": _assignments(v, "--v")}


def _assignments(given: list[str] | None, hint: str) -> dict[str, str]:
    """Values by name, from texts such as `A=0.3`."""
    found = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise typer.BadParameter(
                f"expected NAME=VALUE or a pose, got {text!r}", param_hint=hint
            )
        found[name.strip()] = value.strip()
    return found


def _counted(word: str, count: int) -> str:
    return {"bodies": "body"}.get(word, word[:-1]) if count == 1 else word


def _noted(text: str, m: Mechanism) -> str:
    """A text with the notes of a mechanism below it."""
    return "\n".join([text, *(f"  note: {note}" for note in (*m.notes, *friction_not_used(m)))])


def printed(data: Mapping[str, Any], text: str, as_json: bool) -> None:
    """Print an answer for people or as JSON, in which what is no number is null."""
    typer.echo(json.dumps(_finite(data), indent=2, allow_nan=False) if as_json else text)


def _finite(data: Any) -> Any:
    if isinstance(data, Mapping):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not isfinite(data) else data


def written(what: str, path: Path | None, write: Callable[[Path], object], as_json: bool) -> None:
    """Write a file if one is asked for, and say so."""
    if path is not None:
        write(path)
        typer.echo(f"\n{what}: {path}", err=as_json)
