"""`korba generate`: the program of a verb as C, CUDA, JavaScript, NumPy, LLVM or formulas."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import korba

from ..codegen.catalogue.targets import TARGETS
from ..errors import StructureError, way_out
from ..files.disk import write_text
from ..verbs.generate import generate as generated
from ..verbs.generated import is_written
from .commands import AsJson, MechanismFile, Overwrite, command, printed, read, refuse_existing


@command
def generate(
    file: MechanismFile,
    *,
    what: Annotated[
        str, typer.Option(help="The verb, such as forward_dynamics, motion or simulate.")
    ],
    target: Annotated[
        str | None,
        typer.Option(help=f"{', '.join(TARGETS)}; by default what the file's ending says, or c."),
    ] = None,
    body: Annotated[str | None, typer.Option(help="The body, of verbs that ask for one.")] = None,
    size: Annotated[
        list[str] | None, typer.Option(help="Parameter that stays an input; may be repeated.")
    ] = None,
    method: Annotated[
        str | None, typer.Option(help="The method, of simulate: rk4, dop853.")
    ] = None,
    value: Annotated[
        list[str] | None, typer.Option(help="Coordinate that assemble gives; may be repeated.")
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the function.")] = "",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write it to this file, else print it.")
    ] = None,
    force: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Write the program of a verb in another language; of C the header too."""
    given: dict[str, Any] = {"body": body, "method": method}
    given |= {"parameters": tuple(size or ()) or None, "values": tuple(value or ()) or None}
    options = {key: each for key, each in given.items() if each is not None}
    target = target or _target_of(out)
    verb, m = _verb(what), read(file)
    texts: dict[Path | None, str] = {out: generated(verb, m, target, name=name, **options)}
    if out is None:
        printed({"ok": True, "text": texts[None]}, texts[None], as_json)
        return
    for other in TARGETS[target].beside:
        texts[out.with_suffix(TARGETS[other].extension)] = generated(
            verb, m, other, name=name, **options
        )
    for path in texts:
        if path is not None:
            refuse_existing(path, force)
    for path, text in texts.items():
        write_text(text, Path(str(path)))
    files = [str(path) for path in texts]
    printed({"ok": True, "targets": files}, f"wrote {', '.join(files)}", as_json)


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
    """A public verb from arrays to arrays, or a function that a routine stands for."""
    known = {key: getattr(korba, key) for key in korba.__all__}
    verbs = {key: verb for key, verb in known.items() if is_written(verb)}
    if name not in verbs:
        raise StructureError(f"there is no verb {name!r}; {way_out(name, verbs)}")
    return verbs[name]
