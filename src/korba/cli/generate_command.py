"""`korba generate`: the program of a verb as C, CUDA, JavaScript, NumPy, LLVM or formulas."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import typer

import korba as kb

from ..codegen.catalogue.targets import TARGETS
from ..disk import write_text
from ..errors import StructureError, refuse_unknown
from ..simulation.written_run import WRITTEN
from ..verbs.generated import is_written
from .answers import Output, assignments
from .commands import command
from .completion import names
from .options import Source, WrittenAnswer
from .parameters import choice, option

INPUT = "input"
"""Forces that are not laws but an input of the program."""


def _verbs() -> dict[str, Any]:
    """Public verbs from arrays to arrays, and functions that a routine stands for."""
    public = {key: getattr(kb, key) for key in kb.__all__}
    return {key: verb for key, verb in public.items() if is_written(verb)}


@dataclass(frozen=True, kw_only=True)
class Given:
    """What the verb is told besides its arrays."""

    texts: ClassVar = {
        "body": option("The body, of verbs that ask for one.", "", names("body")),
        "method": option(
            f"The method, of simulate: {', '.join(WRITTEN)}.", complete=lambda: list(WRITTEN)
        ),
        "gravity": option("Gravity in m/s^2, such as 0,0,-9.81 or 0."),
        "tau": option(
            "Force on a coordinate, of simulate: A='-2*v_A', repeated; or `input`.",
            complete=names("joint", "="),
        ),
        "values": option(
            "Coordinate that assemble gives; may be repeated.", "--value", names("joint")
        ),
    }
    body: str | None = None
    parameters: list[str] | None = None
    method: str | None = None
    formulation: str | None = None
    gravity: str | None = None
    tau: list[str] | None = None
    values: list[str] | None = None

    def of(self, m: kb.Mechanism) -> dict[str, Any]:
        """What is given of it, by the names of the verb."""
        given: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        given = {key: tuple(x) if isinstance(x, list) else x for key, x in given.items() if x}
        own = {"gravity": _gravity(self.gravity), "tau": _forces(m, self.tau)}
        return {**given, **{key: x for key, x in own.items() if x is not None}}


@command(
    "korba generate arm.toml --what forward_dynamics -o arm.c",
    what=option(
        "The verb, such as forward_dynamics, motion or simulate.", complete=lambda: list(_verbs())
    ),
    target=choice("{}; by default what the file's ending says, or c.", TARGETS),
    name=option("Name of the function."),
    out=option("Write it to this file, else print it.", "--out -o"),
)
def generate(
    source: Source,
    *,
    what: str,
    target: str | None = None,
    given: Given,
    name: str = "",
    out: Path | None = None,
    answer: WrittenAnswer,
) -> None:
    """Write the program of a verb in another language; of C the header too."""
    target = target or _target_of(out)
    verb, m = _verb(what), source.read()
    options = given.of(m)
    beside = TARGETS[target].beside if out is not None else ()
    places = {out.with_suffix(TARGETS[each].extension): each for each in beside if out is not None}
    answer.free(out, *places)
    texts = {
        (path, each): kb.generate(verb, m, each, name=name, **options)
        for path, each in [(out, target), *places.items()]
    }
    text = texts[out, target]
    files = [
        Output(p, f"{what} in {each}", partial(write_text, t)) for (p, each), t in texts.items()
    ]
    answer({} if out else {"text": text}, "" if out else text, *files)


def _gravity(given: str | None) -> Any:
    """0, or three numbers."""
    if given is None:
        return None
    try:
        numbers = [float(x) for x in given.split(",")]
    except ValueError:
        numbers = []
    if numbers == [0.0]:
        return (0.0, 0.0, 0.0)
    if len(numbers) != 3:
        raise typer.BadParameter(
            f"expected three numbers such as 0,0,-9.81, or 0, got {given!r}", param_hint="--gravity"
        )
    return tuple(numbers)


def _forces(m: kb.Mechanism, given: list[str] | None) -> Any:
    """Laws by coordinate, or zeros for forces that the program takes as an input."""
    if not given:
        return None
    if given == [INPUT]:
        return np.zeros(m.nv)
    return assignments(given, "--tau", "A='-2*v_A', or input")


def _target_of(out: Path | None) -> str:
    """The first target whose files end like this one; C where there is no ending."""
    if out is None or not out.suffix:
        return "c"
    known = {".js": "javascript"}
    for name, each in TARGETS.items():
        known.setdefault(each.extension, name)
    if out.suffix not in known:
        raise StructureError(
            f"{out}: no language has files that end in {out.suffix!r}; give --target, or one of "
            f"{', '.join(known)}"
        )
    return known[out.suffix]


def _verb(name: str) -> Any:
    """The verb of a name."""
    verbs = _verbs()
    refuse_unknown("verb", name, verbs)
    return verbs[name]
