"""A mechanism as the tables of its file, and the tables as TOML text.

Values are as they were written, where that still holds; the text looks as a person would write it:
short arrays, inline tables for parts.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from ..errors import ExpressionError, Fault, FileError
from ..model.fields import Element, Names, Spec, default_of, specs_of
from ..model.given import as_given
from ..model.mechanism import Mechanism
from ..model.parameters import resolved
from ..model.sketches import NOTE
from .mesh_files import MISSING
from .schema import SECTIONS, VERSION

WIDTH = 100
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_ESCAPES |= {'"': '\\"', "\\": "\\\\"}
Formulas = dict[tuple[str, ...], Any]


def document_of(m: Mechanism) -> dict[str, Any]:
    """The tables of the file of `m`; raises FileError for what a file cannot say."""
    parameters = resolved(dict(m.parameters))
    writer = _Writer(m.plane is not None, dict(m.formulas), parameters.names)
    document: dict[str, Any] = {"korba": VERSION, **writer.table(m)}
    if notes := [str(note) for note in m.notes if not str(note).startswith((NOTE, MISSING))]:
        document["notes"] = notes
    if m.parameters:
        document["parameters"] = parameters.raw
    for section in SECTIONS:
        if elements := getattr(m, section.attribute):
            document[section.key] = [writer.table(as_given(e)) for e in elements]
    if faults := [*parameters.faults, *writer.faults]:
        raise FileError.of_faults(f"mechanism {m.name!r} cannot be written; it", faults)
    return document


class _Writer:
    """Writes elements of one mechanism and gathers what cannot be written."""

    def __init__(self, planar: bool, formulas: Formulas, names: Names) -> None:
        self.planar, self.formulas, self.names = planar, formulas, names
        self.faults: list[Fault] = []

    def table(self, element: Element) -> dict[str, Any]:
        """The table of an element, its type behind its name, without what is at its default."""
        table: dict[str, Any] = {}
        for name, spec in specs_of(type(element)).items():
            place = (element.section, str(getattr(element, "name", "")), name)
            try:
                raw = self.raw(spec, element, name, place)
            except ExpressionError as error:
                self.faults.append(Fault(place, str(error)))
            else:
                if raw is not None:
                    table[name] = raw
            if name == "name" and (kind := getattr(element, "type", "")):
                table["type"] = kind
        return table

    def raw(self, spec: Spec, element: Element, name: str, place: tuple[str, ...]) -> Any:
        """A field as it was written, or plain, or None where it is at its default."""
        value, owner = getattr(element, name), type(element)
        if place in self.formulas:
            raw = self.formulas[place]
            with suppress(ExpressionError):
                if spec.read(raw, self.names, owner) == value:
                    return raw
        if value == _default(element, name):
            return None
        raw = spec.write(value, self.planar)
        if spec.read(raw, self.names, owner) != value:
            raise ExpressionError(f"{str(raw)[:60]!r} would be read as something else")
        return raw


def _default(element: Element, name: str) -> Any:
    """What a field is without its key; gravity depends on the plane."""
    if isinstance(element, Mechanism) and name == "gravity":
        return Mechanism(plane=element.plane).gravity
    return default_of(type(element), name)


def toml_text(document: dict[str, Any]) -> str:
    """The document: keys at the top, then tables, then arrays of tables, in order."""
    top = {k: x for k, x in document.items() if not isinstance(x, dict) and not _is_section(x)}
    tables = {key: value for key, value in document.items() if isinstance(value, dict)}
    sections = {key: value for key, value in document.items() if _is_section(value)}
    return "".join(
        [
            *(f"{pair_text(*pair)}\n" for pair in top.items()),
            *(table_text(key, table, "[]") for key, table in tables.items()),
            *(table_text(key, each) for key, value in sections.items() for each in value),
        ]
    )


def table_text(key: str, table: dict[str, Any], brackets: str = "[[]]") -> str:
    """A table with its header, an empty line before it."""
    half = len(brackets) // 2
    head = f"{brackets[:half]}{key_text(key)}{brackets[half:]}"
    return "\n".join(["", head, *(pair_text(*pair) for pair in table.items()), ""])


def _is_section(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def pair_text(key: str, value: Any) -> str:
    """A key and its value."""
    start = f"{key_text(key)} = "
    if isinstance(value, str) and "\n" in value:
        return start + _long_text(value)
    return start + _fitted(value, len(start), "")


def key_text(key: str) -> str:
    """A key, in quotes where it is not a plain word."""
    return key if _BARE_KEY.fullmatch(key) else string_text(key)


def string_text(text: str) -> str:
    """A text in double quotes."""
    return f'"{"".join(map(_escaped, text))}"'


def number_text(x: float) -> str:
    """A number to the last bit; whole ones without a point."""
    x = float(x)
    whole = x.is_integer() and abs(x) < 1e15 and str(x) != "-0.0"
    return str(int(x)) if whole else repr(x)


def _escaped(c: str) -> str:
    if c in _ESCAPES:
        return _ESCAPES[c]
    return f"\\u{ord(c):04x}" if ord(c) < 32 or 127 <= ord(c) < 160 else c


def _long_text(text: str) -> str:
    """A text of several lines, in triple quotes."""
    lines = ("".join(map(_escaped, line)).replace('\\"', '"') for line in text.split("\n"))
    body = re.sub(r'"(?="|\Z)', r'\\"', "\n".join(lines))
    return f'"""\n{body}"""'


def _inline(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        pairs = ", ".join(f"{key_text(key)} = {_inline(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return string_text(value) if isinstance(value, str) else number_text(value)


def _fitted(value: Any, used: int, indent: str) -> str:
    """A value behind `used` characters of its line; arrays are wrapped where it does not fit."""
    text = _inline(value)
    if used + len(text) <= WIDTH:
        return text
    if isinstance(value, list):
        return _wrapped(value, indent)
    if isinstance(value, dict):
        pairs = (
            f"{key_text(key)} = {_fitted(item, WIDTH - 30, indent)}" for key, item in value.items()
        )
        return f"{{ {', '.join(pairs)} }}"
    return text


def _wrapped(items: list[Any], indent: str) -> str:
    """An array over several lines, as many plain values on each as fit."""
    inner = indent + "    "
    lines = [""]
    for item in items:
        text = _fitted(item, len(inner) + 1, inner) + ","
        plain = not isinstance(item, dict | list)
        if plain and lines[-1] and len(inner) + len(lines[-1]) + 1 + len(text) <= WIDTH:
            lines[-1] += " " + text
        else:
            lines.append(text)
    return "\n".join(["[", *(inner + line for line in lines[1:]), indent + "]"])
