"""All commands in their groups, each loaded when it is called, and how they end.

Every answer is data for `--json` and text for people. A fault of the mechanism ends with status 1
and a list of all faults, wrong usage with status 2, Ctrl-C with status 130 and one line. With
`--json` all of these are one JSON object on the standard output, and nothing else is there.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial, wraps
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from ..errors import Fault, KorbaError
from ..wording import speaking
from ..working import without_bars
from .needs import refuse_alone
from .parameters import Text, spread
from .terminal import Terminal

GROUPS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Describe a mechanism": {
        "new": ("new_command", "Write a commented file to start from."),
        "examples": ("new_command", "List ready mechanisms, or print one."),
        "check": ("model_commands", "Read a file and report every fault in it."),
        "convert": ("model_commands", "Write a mechanism in another format."),
        "schema": ("model_commands", "Print the JSON Schema of mechanism files."),
    },
    "Structure": {
        "mobility": ("structure_commands", "In how many ways does it move, and why?"),
        "groups": ("structure_commands", "Structural groups, in the order of solution."),
    },
    "Motion and forces": {
        "motion": ("motion_command", "Move it by its drives over a cycle."),
        "forces": ("forces_command", "Forces in joints, efforts of drives, friction."),
        "flywheel": ("flywheel_command", "How evenly it runs, and the flywheel it needs."),
        "simulate": ("simulate_command", "Let it move in time by forces."),
    },
    "Design": {
        "sweep": ("sweep_command", "Try many designs: which is best?"),
        "optimise": ("optimise_command", "Find the best sizes between bounds."),
    },
    "Pictures and pages": {
        "draw": ("draw_command", "Draw it in standard symbols."),
        "live": ("draw_command", "A page to drag its crank and change its lengths."),
        "report": ("draw_command", "All of it on one page, alive."),
        "watch": ("watch_command", "Show the page, and redraw when the file changes."),
    },
    "Equations and code": {
        "equations": ("equations_command", "Its equations of motion, as a textbook has them."),
        "generate": ("generate_command", "A verb as C, CUDA, JavaScript, NumPy or formulas."),
        "export-fmu": ("export_fmu_command", "An FMU for other simulation programs."),
        "crosscheck": ("crosscheck_command", "Do all formulations agree, at what cost?"),
    },
    "Demonstration": {
        "exercise": ("exercise_command", "A task with your own numbers, and answers checked."),
        "demo": (
            "demo",
            "Ask all of a shaper with friction and a flywheel, and write its live report.",
        ),
    },
    "Installation": {
        "doctor": ("doctor", "What it is made of, and whether it works."),
    },
}
"""Commands by group: the module that has it, and what it is in the list."""
HOMES = {name: home for group in GROUPS.values() for name, (home, _) in group.items()}
SUMMARIES = {name: what for group in GROUPS.values() for name, (_, what) in group.items()}
STOPPED = 130
"""Exit status after Ctrl-C, as of any program that a signal ends."""
_PLAIN: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None}
_MADE: dict[str, Any] = {}
"""Commands whose modules are loaded."""


def loaded(name: str) -> Any:
    """The command of a name, whose module is imported now if it was not yet."""
    if name not in _MADE:
        import_module(f".{HOMES[name]}", __package__)
    return _MADE[name]


TERMINAL = Terminal({name: partial(loaded, name) for name in HOMES})
"""In whose words commands refuse."""


class Commands(TyperGroup):
    """The group: it lists and completes names without loading anything, and says how runs end."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = {name: TyperCommand(name, help=what) for name, what in SUMMARIES.items()}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command that can be run."""
        return loaded(cmd_name) if cmd_name in HOMES else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands by group; plain text, so that any terminal and any pipe shows it."""
        wide = max(map(len, HOMES))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{wide}}", what) for name, (_, what) in group.items()])

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Names of commands and options, from the list."""
        group = TyperGroup(name=self.name, commands={**self.commands}, params=self.params)
        return group.shell_complete(typer.Context(group), incomplete)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run, and end with the status that the module's docstring says."""
        given = sys.argv[1:] if args is None else list(args)
        options: dict[str, Any] = {"windows_expand_args": windows_expand_args, **extra}
        if not standalone_mode:
            return super().main(given, prog_name, complete_var, standalone_mode=False, **options)
        try:
            status = super().main(given, prog_name, complete_var, standalone_mode=False, **options)
        except typer.Abort:
            status = STOPPED
        except Exception as error:
            if not hasattr(error, "exit_code"):
                raise
            sys.exit(_wrong_usage(error, as_json="--json" in given))
        if status == STOPPED:
            typer.echo("korba: interrupted", err=True)
        sys.exit(status or 0)


def _wrong_usage(error: Any, *, as_json: bool) -> int:
    """Say what is wrong with the command line."""
    if as_json:
        _refuse(error.format_message())
    else:
        error.show()
    return int(error.exit_code)


def _refuse(said: str, faults: Sequence[Fault] = ()) -> None:
    """What went wrong, as JSON."""
    listed = [fault.to_dict() for fault in faults]
    typer.echo(json.dumps({"ok": False, "error": said, "faults": listed}, indent=2))


app = typer.Typer(
    name="korba",
    cls=Commands,
    help="Describe a mechanism or robot; learn whether and how it can move.",
    epilog="korba COMMAND --help explains each. Start with: korba new four-bar",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class Command(TyperCommand):
    """A command that refuses options which mean nothing without others."""

    def invoke(self, ctx: Any) -> Any:
        """Run it."""
        refuse_alone(self, ctx)
        return super().invoke(ctx)


def command(
    example: str, verb: Callable[..., Any] | None = None, **texts: Text
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a command of a verb, with an example of it for its help, and texts of its own options.

    The function may leave arguments of the verb to the verb's signature, as `**options`.
    """
    from .options import TEXTS  # only when a command is loaded: the list of all is there at once

    def made(function: Callable[..., None]) -> Callable[..., None]:
        parameters, called = spread(function, verb, texts, TEXTS)
        name, asked = function.__name__.replace("_", "-"), _ending_well(called)
        asked.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        asked.__annotations__ = hints = {each.name: each.annotation for each in parameters}
        about = inspect.cleandoc(function.__doc__ or "")
        single = typer.Typer(**_PLAIN, pretty_exceptions_enable=False)
        single.command(name, cls=Command, help=about, epilog=f"Example: {example}")(asked)
        whole = typer.main.get_command(single)
        for each in (p for p in whole.params if p.name in hints and not p.metavar):
            each.metavar = _kind(get_args(hints[str(each.name)])[0])
        _MADE[name] = whole
        return function

    return made


def _kind(hint: Any) -> str | None:
    """What help calls the value of an option."""
    kinds = {hint, *get_args(hint)}
    if bool in kinds:
        return None
    return "PATH" if Path in kinds else "NUMBER" if kinds & {int, float} else "TEXT"


def _ending_well(function: Callable[..., None]) -> Callable[..., None]:
    """A fault of the mechanism ends a command with status 1, every fault printed."""

    @wraps(function)
    def asked(*args: Any, **options: Any) -> None:
        as_json = bool(options.get("as_json"))
        try:
            with speaking(TERMINAL), without_bars() if as_json else nullcontext():
                function(*args, **options)
        except KorbaError as error:
            if as_json:
                _refuse(str(error), error.faults)
            else:
                typer.echo(str(error), err=True)
            raise typer.Exit(1) from error
        except KeyboardInterrupt:
            if as_json:
                _refuse("interrupted")
            raise typer.Exit(STOPPED) from None

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
