"""The subcommands: each reads a mechanism, asks one question and prints the answer.

Every answer is an object with `to_dict()` for `--json` and `str()` for people. A fault of the
mechanism ends with status 1 and a list of all faults, wrong usage with status 2.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from ..errors import KorbaError
from ..files.any_file import READERS, WRITERS, read_any, write_any
from ..files.schema import schema as file_schema
from ..model.mechanism import Mechanism
from ..show.figure import ENDINGS
from ..show.motion_plot import draw_motion
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

T = TypeVar("T")

MechanismFile = Annotated[
    Path,
    typer.Argument(
        exists=True, dir_okay=False, metavar="FILE", help="A .toml, .urdf, .xml or .mjcf file."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]
CsvFile = Annotated[Path | None, typer.Option(help="Write the motion to this CSV file.")]
Plotted = Annotated[bool, typer.Option("--plot", help="Draw the motion to FILE's name.svg.")]
PictureFile = Annotated[
    Path | None, typer.Option(help="Draw the motion to this .svg, .png or .pdf file.")
]


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


@app.command()
def check(file: MechanismFile, as_json: AsJson = False) -> None:
    """Read a mechanism file and report every fault in it."""
    m = answered(lambda: read(file), as_json)
    printed(Summary(m), as_json)


@app.command()
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
    m = answered(lambda: read(file), as_json)
    chosen = int(space) if space is not None and space.isdigit() else space
    if chosen not in (None, "detect", *SPACES, *range(1, 7)):
        known = ", ".join([*SPACES, "detect"])
        raise typer.BadParameter(
            f"expected {known} or 1 ... 6, got {space!r}", param_hint="--space"
        )
    printed(answered(lambda: mobility_of(m, chosen), as_json), as_json)
    if graph is not None:
        answered(lambda: _write(graph, structure_graph(m)), as_json)
        typer.echo(f"\nStructure graph: {graph}", err=as_json)


@app.command()
def groups(
    file: MechanismFile,
    as_json: AsJson = False,
    inputs: Annotated[
        list[str] | None,
        typer.Option("--input", "-i", help="Coordinate that is driven; may be repeated."),
    ] = None,
) -> None:
    """Split a mechanism into structural groups, in the order of solution."""
    m = answered(lambda: read(file), as_json)
    printed(answered(lambda: groups_of(m, inputs or None), as_json), as_json)


@app.command()
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
    m = answered(lambda: read(file), as_json)
    answer = answered(
        lambda: compared(
            m,
            states=states,
            formulations=tuple(formulation) if formulation else None,
            progress=lambda what: typer.echo(what, err=True),
        ),
        as_json,
    )
    printed(answer, as_json)
    if not answer.agree:
        raise typer.Exit(1)


@app.command()
def schema(as_json: AsJson = True) -> None:
    """Print the JSON Schema of mechanism files."""
    typer.echo(json.dumps(file_schema(), indent=2))


@app.command()
def convert(
    source: MechanismFile,
    target: Annotated[Path, typer.Argument(metavar="OUT", help="A .toml or .urdf file.")],
    as_json: AsJson = False,
) -> None:
    """Write a mechanism in another format; what cannot be carried over is said."""
    known(target, WRITERS, "OUT")
    m = answered(lambda: read(source), as_json)
    answered(lambda: write_any(m, target), as_json)
    printed(Conversion(source, target, m), as_json)


@app.command()
def simulate(
    file: MechanismFile,
    *,
    until: Annotated[float, typer.Option(help="End of the motion, in seconds.")] = 10.0,
    q: Annotated[
        list[str] | None,
        typer.Option("--q", help="Start, such as A=0.3 or 'A=30 deg'; may be repeated."),
    ] = None,
    v: Annotated[
        list[str] | None, typer.Option("--v", help="Velocity at the start, such as A=1.5.")
    ] = None,
    times: Annotated[
        int | None, typer.Option(help="How many times to write, evenly; else every step.")
    ] = None,
    method: Annotated[str, typer.Option(help=f"One of {', '.join(METHODS)}.")] = "dop853",
    step: Annotated[
        float | None, typer.Option(help="Length of steps of rk4 and symplectic, in seconds.")
    ] = None,
    rtol: Annotated[float, typer.Option(help="Relative tolerance of dop853.")] = 1e-8,
    csv: CsvFile = None,
    plot: Plotted = False,
    picture: PictureFile = None,
    as_json: AsJson = False,
) -> None:
    """Let a mechanism without loops move in time, and say where it arrives."""
    target = picture_file(file, plot, picture)
    if method not in METHODS:
        raise typer.BadParameter(f"expected one of {', '.join(METHODS)}", param_hint="--method")
    start: dict[str, Any] = {"q": _assignments(q, "--q"), "v": _assignments(v, "--v")}
    options: dict[str, Any] = {"times": times, "method": method, "step": step, "rtol": rtol}
    m = answered(lambda: read(file), as_json)
    found = answered(
        lambda: simulated(m, until, **start, **options, raise_on_failure=False), as_json
    )
    printed(Simulated(found), as_json)
    if csv is not None:
        answered(lambda: found.to_csv(csv, Simulated(found).names), as_json)
        typer.echo(f"\nMotion: {csv}", err=as_json)
    if target is not None:
        answered(lambda: draw_motion(found, target), as_json)
        typer.echo(f"\nPicture: {target}", err=as_json)
    if found.status != FINISHED:
        raise typer.Exit(1)


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for what is written.")] = Path("out"),
) -> None:
    """Show the main job on an embedded example."""
    for line in demonstration.run(out):
        typer.echo(line)


class Simulated:
    """Where a simulation arrived."""

    def __init__(self, moved: Trajectory) -> None:
        self.moved = moved

    @property
    def names(self) -> list[str]:
        """What is written: t, q, v and the currents of motors."""
        m, known = self.moved.mechanism, self.moved.names
        rates = [f"v_{name}" for name in m.velocities]
        return ["t", *m.coordinates, *rates, *(name for name in known if name[:2] == "i_")]

    def to_dict(self) -> dict[str, Any]:
        """The summary, with the largest error of the energy."""
        return self.moved.to_dict() | {"audit": self.moved.audit.energy}

    def __str__(self) -> str:
        return str(self.moved)


class Summary:
    """What a file holds."""

    def __init__(self, m: Mechanism) -> None:
        self.m = m

    def to_dict(self) -> dict[str, Any]:
        """Counts, names and notes."""
        m = self.m
        return {
            "ok": True,
            "name": m.name,
            "plane": m.plane,
            "bodies": len(m.bodies),
            "joints": len(m.joints),
            "couplings": len(m.couplings),
            "forces": len(m.forces),
            "drives": len(m.drives),
            "nq": m.nq,
            "nv": m.nv,
            "mass": sum(body.mass for body in m.bodies),
            "notes": list(m.notes),
        }

    def __str__(self) -> str:
        data = self.to_dict()
        kind = "planar" if self.m.plane else "spatial"
        counts = ("bodies", "joints", "couplings", "forces", "drives")
        parts = [f"{data[key]} {_counted(key, data[key])}" for key in counts if data[key]]
        lines = [
            f"{self.m.name or 'mechanism'!r}: {kind}, {', '.join(parts)}, "
            f"{data['mass']:g} kg, nq = {data['nq']}, nv = {data['nv']}; no faults"
        ]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.m.notes)])


class Conversion:
    """What was converted, and what was lost on the way."""

    def __init__(self, source: Path, target: Path, m: Mechanism) -> None:
        self.source, self.target, self.m = source, target, m

    def to_dict(self) -> dict[str, Any]:
        """Names and notes."""
        files = {"source": str(self.source), "target": str(self.target)}
        return {"ok": True, **files, "notes": list(self.m.notes)}

    def __str__(self) -> str:
        lines = [f"wrote {self.target}"]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.m.notes)])


def read(file: Path) -> Mechanism:
    """The mechanism of a file in any format that its ending names."""
    known(file, [*READERS, ".xml"], "FILE")
    return read_any(file)


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


def _assignments(given: list[str] | None, hint: str) -> dict[str, str]:
    """Values by name, from texts such as `A=0.3`."""
    found = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise typer.BadParameter(f"expected NAME=VALUE, got {text!r}", param_hint=hint)
        found[name.strip()] = value.strip()
    return found


def _counted(word: str, count: int) -> str:
    return {"bodies": "body"}.get(word, word[:-1]) if count == 1 else word


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise KorbaError(f"cannot write {path}: {error.strerror}") from error


def printed(answer: Any, as_json: bool) -> None:
    """Print an answer for people or as JSON."""
    typer.echo(json.dumps(answer.to_dict(), indent=2) if as_json else str(answer))


def answered(question: Callable[[], T], as_json: bool) -> T:
    """The answer, or status 1 with every fault printed."""
    try:
        return question()
    except KorbaError as error:
        if as_json:
            faults = [
                {"where": list(f.where), "message": f.message, "line": f.line} for f in error.faults
            ]
            typer.echo(json.dumps({"ok": False, "error": str(error), "faults": faults}, indent=2))
        else:
            typer.echo(str(error), err=True)
        raise typer.Exit(1) from error
