"""Texts as parsed TOML: whatever one holds, at worst it is a `FileError`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from ..disk import refuse
from ..wording import named

DEEPEST_NESTING = 20
"""Levels of arrays and tables inside each other; a mechanism needs six."""
LARGEST_INTEGER_BITS = 1024
"""An integer beyond this is no number that a mechanism can have."""

_LONG_KEY = re.compile(r"""(?<![\w"'.-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){100}""")
_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")

Place = tuple[str | int, ...]


def parsed(text: str, source: str) -> dict[str, Any]:
    """The tables of a TOML text, which hold nothing too deep or too large to be shown."""
    if found := _LONG_KEY.search(text):
        line = text.count("\n", 0, found.start()) + 1
        refuse(source, "a key has more than 100 parts", line)
    try:
        document = tomllib.loads(text)
    except RecursionError:
        refuse(source, "arrays or tables are nested too deeply")
    except ValueError as error:  # TOMLDecodeError, and integers of thousands of digits
        message, line_in_message = _placed(str(error), text)
        refuse(source, f"is not valid TOML: {message}{_other_format(text)}", line_in_message)
    for place, message in _excesses(document):
        key = " in " + ".".join(map(str, place[:3])) if place else ""
        refuse(source, message + key)
    return document


def _other_format(text: str) -> str:
    """What a text is that is no TOML but XML, and what reads it."""
    if not text.lstrip().startswith("<"):
        return ""
    kinds = {
        "<robot": f"URDF: use {named('read_urdf')}",
        "<mujoco": f"MJCF: use {named('read_mjcf')}",
        "<sdf": f"SDF: use {named('read_sdf')}",
    }
    return "; this is " + next((kind for tag, kind in kinds.items() if tag in text), "XML")


def _placed(message: str, text: str) -> tuple[str, int | None]:
    """tomllib's message without its place, and the line."""
    if found := _PLACE.search(message):
        return f"{message[: found.start()]} (column {found[2]})", int(found[1])
    if message.endswith(" (at end of document)"):
        return message, text.count("\n") + 1
    return message, None


def _excesses(document: dict[str, Any]) -> Iterator[tuple[Place, str]]:
    """What no later message could show: deep nesting and giant integers. No recursion here."""
    stack: list[tuple[Place, Any]] = [((), document)]
    while stack:
        place, value = stack.pop()
        if isinstance(value, int) and value.bit_length() > LARGEST_INTEGER_BITS:
            yield place, f"an integer has {value.bit_length()} bits; write a number such as 1e6"
        if isinstance(value, dict | list):
            if len(place) > DEEPEST_NESTING:
                yield place, "arrays or tables are nested too deeply"
                return
            items = value.items() if isinstance(value, dict) else enumerate(value)
            stack.extend(((*place, key), item) for key, item in items)
