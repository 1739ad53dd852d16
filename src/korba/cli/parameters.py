"""Parameters of commands: what an option says of itself, and groups that stand for many options.

The signature of a command says name, kind and default of an option, and its `Text` what a signature
cannot say. Those that several commands have are said once, in `options.py`. A parameter whose type
is a dataclass stands for all of its fields, beside what is done with them:

    @command("korba check four-bar.toml", least=option("The least mass that counts."))
    def check(source: Source, *, least: float = 0.0, answer: Answer) -> None:
        m = source.read()
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from ..errors import nearest
from .completion import Completer, files

EMPTY = Parameter.empty


@dataclass(frozen=True)
class Text:
    """What an option says of itself at a terminal, and how its values are looked at."""

    help: str
    names: str = ""
    """How it is typed, "--out -o", if not as its parameter is called; of an argument FILE."""
    complete: Completer | None = None
    check: Callable[[Any, str], object] | None = None
    """Refuses values, told with each is how it is typed."""
    kind: Any = None
    """What a terminal takes, where the parameter takes more."""
    of: Callable[[Any], Any] | None = None
    """What a verb is given for a value."""
    more: Mapping[str, Any] | None = None
    """Limits, as Typer has them."""

    def parameter(self, name: str, kind: Any, default: Any) -> Parameter:
        """A parameter as Typer reads it."""
        kind = self.kind or kind
        words = tuple(self.names.split())
        if kind is bool and not words:  # a switch is on or off: `--plot`, without `--no-plot`
            words = (f"--{name.replace('_', '-')}",)
        given: dict[str, Any] = {"help": self.help, "autocompletion": self.complete}
        given |= {"callback": self._checked if self.check else None, **(self.more or {})}
        if words and not words[0].startswith("-"):
            info: Any = typer.Argument(metavar=words[0], **given)
        else:
            info = typer.Option(*words, **given)
        return Parameter(
            name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
        )

    def taken(self, value: Any) -> Any:
        """What a verb is given for what was typed."""
        return self.of(value) if self.of else tuple(value) if isinstance(value, list) else value

    def _checked(self, param: typer.CallbackParam, value: Any) -> Any:
        assert self.check is not None  # noqa: S101  (called only then)
        if value is not None:
            words = [word for word in param.opts if word.startswith("-")]
            self.check(value, max(words, key=len) if words else str(param.metavar))
        return value


def option(
    text: str,
    names: str = "",
    complete: Completer | None = None,
    *,
    kind: Any = None,
    of: Callable[[Any], Any] | None = None,
    **more: Any,
) -> Text:
    """An option with its help, named after its parameter unless it has names."""
    return Text(text, names, complete, None, kind, of, more)


def choice(
    text: str,
    values: Collection[str] | Callable[[], Collection[str]],
    names: str = "",
    *,
    of: Callable[[Any], Any] | None = None,
) -> Text:
    """An option that takes one of some values, `{}` in the help: another one is wrong usage."""

    def listed() -> list[str]:
        return list(values() if callable(values) else values)

    def checked(value: str, hint: str) -> None:
        one_of(value, listed(), hint)

    said = text.format(", ".join(listed())) if "{}" in text else text
    return Text(said, names, listed, checked, str | None if of else None, of)


def writes(text: str, endings: Collection[str], names: str = "") -> Text:
    """An option that names a file to write: an ending that is none of these is wrong usage."""

    def checked(value: Path, hint: str) -> None:
        known(value, endings, hint)

    return Text(text, names, files(*endings), checked)


def one_of(value: str, names: Iterable[str], hint: str) -> None:
    """A value that is none of the names is wrong usage, and the nearest one is told."""
    names = list(names)
    if value not in names:
        near = nearest(value, names)
        more = f"; did you mean {near!r}?" if near else ""
        raise typer.BadParameter(
            f"expected one of {', '.join(names)}, got {value!r}{more}", param_hint=hint
        )


def known(file: Path, endings: Iterable[str], hint: str) -> None:
    """A file whose ending names no format is wrong usage."""
    if file.suffix.lower() not in endings:
        raise typer.BadParameter(
            f"the ending must be one of {', '.join(endings)}, got {file.suffix or 'none'}",
            param_hint=hint,
        )


def spread(
    function: Callable[..., None],
    verb: Callable[..., Any] | None,
    texts: Mapping[str, Text],
    common: Mapping[str, Text],
) -> tuple[list[Parameter], Callable[..., None]]:
    """Parameters as Typer reads them, and what it calls with them.

    Groups stand for all of their fields, and `**options` for the arguments of the verb that have
    texts: of the verb's kinds and defaults, and left out where they are not given.
    """
    single, groups, asked = list[Parameter](), dict[str, Any](), list[str]()
    *before, answer = signature(function, eval_str=True).parameters.values()
    if answer.kind is Parameter.VAR_KEYWORD:  # options stand before how it is answered
        before[-1:], answer = [answer], before[-1]
    for own in (*before, answer):
        if own.kind is Parameter.VAR_KEYWORD and verb is not None:
            known, hints = signature(verb).parameters, get_type_hints(verb)
            asked = [name for name in texts if name in known]
            for n in asked:
                kind, default = texts[n].kind or _kind(hints[n]), known[n].default
                if default is not EMPTY and list[str] in get_args(kind):
                    default = None  # several are none until they are given
                single.append(texts[n].parameter(n, kind, default))
        elif is_dataclass(own.annotation):
            groups[own.name] = group = own.annotation
            said, hints = {**common, **getattr(group, "texts", {})}, get_type_hints(group)
            for field in fields(group):
                default = EMPTY if field.default is MISSING else field.default
                single.append(said[field.name].parameter(field.name, hints[field.name], default))
        else:
            said = {**common, **texts}
            single.append(said[own.name].parameter(own.name, own.annotation, own.default))

    @wraps(function)
    def called(**options: Any) -> None:
        given = {name: options.pop(name) for name in asked}
        given = {name: texts[name].taken(x) for name, x in given.items() if x is not None}
        made = {
            name: kind(**{field.name: options.pop(field.name) for field in fields(kind)})
            for name, kind in groups.items()
        }
        function(**options, **given, **made)

    return single, called


def _kind(hint: Any) -> Any:
    """What a terminal takes for an argument: a number, a switch, a text, or several of these."""
    kinds = get_args(hint) if get_origin(hint) is UnionType else (hint,)
    if any(get_origin(kind) is not None for kind in kinds):
        return list[str] | None
    plain = next(kind for kind in (str, bool, int, float) if kind in kinds)
    return plain | None if type(None) in kinds else plain
