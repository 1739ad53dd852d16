"""`korba generate`: the program of a verb as C, CUDA, JavaScript, NumPy, LLVM or formulas."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import korba

from ..codegen.catalogue.targets import TARGETS
from ..disk import write_text
from ..errors import StructureError, way_out
from ..model.mechanism import Mechanism
from ..simulation.written_run import WRITTEN
from ..verbs.generate import generate as generated
from ..verbs.generated import is_written
from .answers import Output, answered, assignments, free, one_of, read
from .commands import command
from .completion import among, names
from .options import AsJson, Floating, Formulation, MechanismFile, Overwrite, Sizes

INPUT = "input"
"""Forces that are not laws but an input of the program."""


def _verbs() -> dict[str, Any]:
    """Public verbs from arrays to arrays, and functions that a routine stands for."""
    public = {key: getattr(korba, key) for key in korba.__all__}
    return {key: verb for key, verb in public.items() if is_written(verb)}


What = Annotated[
    str,
    typer.Option(
        help="The verb, such as forward_dynamics, motion or simulate.",
        autocompletion=among(_verbs),
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        help=f"{', '.join(TARGETS)}; by default what the file's ending says, or c.",
        autocompletion=among(lambda: TARGETS),
    ),
]
OfBody = Annotated[
    str | None,
    typer.Option(help="The body, of verbs that ask for one.", autocompletion=names("body")),
]
Method = Annotated[
    str | None,
    typer.Option(
        help=f"The method, of simulate: {', '.join(WRITTEN)}.",
        autocompletion=among(lambda: WRITTEN),
    ),
]
Gravity = Annotated[str | None, typer.Option(help="Gravity in m/s^2, such as 0,0,-9.81 or 0.")]
Forces = Annotated[
    list[str] | None,
    typer.Option(
        help="Force on a coordinate, of simulate: A='-2*v_A', repeated; or `input`.",
        autocompletion=names("joint", "="),
    ),
]
Values = Annotated[
    list[str] | None,
    typer.Option(
        help="Coordinate that assemble gives; may be repeated.", autocompletion=names("joint")
    ),
]
CodeFile = Annotated[
    Path | None, typer.Option("--out", "-o", help="Write it to this file, else print it.")
]


@command("korba generate arm.toml --what forward_dynamics -o arm.c")
def generate(
    file: MechanismFile,
    *,
    floating: Floating = None,
    what: What,
    target: Target = None,
    body: OfBody = None,
    size: Sizes = None,
    method: Method = None,
    formulation: Formulation = None,
    gravity: Gravity = None,
    tau: Forces = None,
    value: Values = None,
    name: Annotated[str, typer.Option(help="Name of the function.")] = "",
    out: CodeFile = None,
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write the program of a verb in another language; of C the header too."""
    target = target or _target_of(out)
    one_of(target, TARGETS, "--target")
    verb, m = _verb(what), read(file, floating)
    given: dict[str, Any] = {"body": body, "method": method, "formulation": formulation}
    given |= {"parameters": tuple(size or ()) or None, "values": tuple(value or ()) or None}
    given |= {"gravity": _gravity(gravity), "tau": _forces(m, tau)}
    options = {key: each for key, each in given.items() if each is not None}
    beside = TARGETS[target].beside if out is not None else ()
    places = {out.with_suffix(TARGETS[each].extension): each for each in beside if out is not None}
    free(force, out, *places)
    text = generated(verb, m, target, name=name, **options)
    texts = [(out, target, text)]
    texts += [
        (p, each, generated(verb, m, each, name=name, **options)) for p, each in places.items()
    ]
    files = [Output(p, f"{what} in {each}", partial(write_text, t)) for p, each, t in texts]
    answered({} if out else {"text": text}, "" if out else text, as_json, files)


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


def _forces(m: Mechanism, given: list[str] | None) -> Any:
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
    if name not in verbs:
        raise StructureError(f"there is no verb {name!r}; {way_out(name, verbs)}")
    return verbs[name]
