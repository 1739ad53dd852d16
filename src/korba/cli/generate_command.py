"""`korba generate`: the program of a verb as C, JavaScript, NumPy, LLVM or formulas."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import korba

from ..errors import FileError, StructureError, way_out
from ..files.disk import write_text
from ..verbs.generate import generate as generated
from ..verbs.verb import Verb
from .commands import AsJson, MechanismFile, command, printed, read


@command
def generate(
    file: MechanismFile,
    *,
    what: Annotated[str, typer.Option(help="The verb, such as forward_dynamics.")],
    target: Annotated[
        str,
        typer.Option(help="c, c-float, c-header, javascript, numpy, llvm, latex or text."),
    ] = "c",
    body: Annotated[str | None, typer.Option(help="The body, of verbs that ask for one.")] = None,
    size: Annotated[
        list[str] | None, typer.Option(help="Parameter that stays an input; may be repeated.")
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the function.")] = "",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write it to this file, else print it.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write the program of a verb in another language; of C the header too."""
    options: dict[str, Any] = {} if body is None else {"body": body}
    options |= {"parameters": tuple(size)} if size else {}
    verb, m = _verb(what), read(file)
    texts = {out: generated(verb, m, target, name=name, **options)}
    if out is None:
        printed({"ok": True, "text": texts[None]}, texts[None], as_json)
        return
    if target == "c":
        texts[out.with_suffix(".h")] = generated(verb, m, "c-header", name=name, **options)
    for path in texts:
        if path is not None and path.exists() and not force:
            raise FileError(f"{path}: is there already; give another name, or say --force")
    for path, text in texts.items():
        write_text(text, Path(str(path)))
    files = [str(path) for path in texts]
    printed({"ok": True, "targets": files}, f"wrote {', '.join(files)}", as_json)


def _verb(name: str) -> Verb[..., Any]:
    """A public verb from arrays to arrays."""
    known = {key: getattr(korba, key) for key in korba.__all__}
    verbs = {key: verb for key, verb in known.items() if isinstance(verb, Verb)}
    if name not in verbs:
        raise StructureError(f"there is no verb {name!r}; {way_out(name, verbs)}")
    return verbs[name]
