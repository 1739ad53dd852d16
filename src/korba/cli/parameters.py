"""Parameters of commands: what an option is, and groups of options that commands take as one value.

A parameter whose type is a dataclass stands for all of its fields, so options that several commands
have in common are said once, beside what is done with them:

    @command("korba check four-bar.toml")
    def check(source: Source, answer: Answer) -> None:
        m = source.read()
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer

from ..errors import nearest
from .completion import Completer, files


def option(text: str, *names: str, complete: Completer | None = None, **more: Any) -> Any:
    """An option with its help, named after its parameter unless it has names."""
    return typer.Option(*names, help=text, autocompletion=complete, **more)


def choice(text: str, values: Callable[[], Iterable[str]], *names: str) -> Any:
    """An option that takes one of some values, `{}` in the help: another one is wrong usage."""

    def checked(param: typer.CallbackParam, value: str | None) -> str | None:
        one_of(value, values(), max(param.opts, key=len))
        return value

    listed = text.format(", ".join(values())) if "{}" in text else text
    return option(listed, *names, complete=lambda: list(values()), callback=checked)


def writes(text: str, endings: Collection[str], *names: str) -> Any:
    """An option that names a file to write: an ending that is none of these is wrong usage."""

    def checked(param: typer.CallbackParam, value: Path | None) -> Path | None:
        known(value, endings, max(param.opts, key=len))
        return value

    return option(text, *names, complete=files(*endings), callback=checked)


def one_of(value: str | None, names: Iterable[str], hint: str) -> None:
    """A value that is none of the names is wrong usage, and the nearest one is told."""
    names = list(names)
    if value is not None and value not in names:
        near = nearest(value, names)
        more = f"; did you mean {near!r}?" if near else ""
        raise typer.BadParameter(
            f"expected one of {', '.join(names)}, got {value!r}{more}", param_hint=hint
        )


def known(file: Path | None, endings: Iterable[str], hint: str) -> None:
    """A file whose ending names no format is wrong usage."""
    if file is not None and file.suffix.lower() not in endings:
        raise typer.BadParameter(
            f"the ending must be one of {', '.join(endings)}, got {file.suffix or 'none'}",
            param_hint=hint,
        )


def spread(function: Callable[..., None]) -> Callable[..., None]:
    """A command that takes the fields of its groups as parameters of its own."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    single: list[Parameter] = []
    for own in signature(function).parameters.values():
        alone = own.replace(annotation=hints[own.name])
        inside = _fields(groups[own.name]) if own.name in groups else [alone]
        single += [each.replace(kind=Parameter.KEYWORD_ONLY) for each in inside]

    @wraps(function)
    def called(**options: Any) -> None:
        made = {
            name: kind(**{field.name: options.pop(field.name) for field in fields(kind)})
            for name, kind in groups.items()
        }
        function(**options, **made)

    for each in single:
        _named_alone(each)
    called.__signature__ = Signature(single)  # type: ignore[attr-defined]
    called.__annotations__ = {each.name: each.annotation for each in single}
    return called


def _fields(group: Any) -> list[Parameter]:
    """The fields of a group as parameters."""
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]


def _named_alone(parameter: Parameter) -> None:
    """A switch is on or off: `--plot`, without `--no-plot`."""
    kind, *said = get_args(parameter.annotation) or (None,)
    if kind is bool and said[0].default is ...:  # where Typer keeps the first of its names
        said[0].param_decls = (f"--{parameter.name.replace('_', '-')}",)
