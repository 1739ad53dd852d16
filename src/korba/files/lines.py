"""On which line of a TOML text a key stands. Tolerant: never raises, at worst knows less.

`Lines` maps a place such as `("joint", 2, "axis")` to a line, counted from 1. A key that has no
line of its own (inside an inline table, or not there at all) has the line of what it is in.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from .limits import Place

_PART = r"""(?:[A-Za-z0-9_-]+|"(?:\\.|[^"\\])*"|'[^']*')"""
_KEY = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_HEADER = re.compile(rf"[ \t]*(\[\[?)[ \t]*({_KEY})[ \t]*\]")
_PAIR = re.compile(rf"[ \t]*({_KEY})[ \t]*=")
_ONE_PART = re.compile(_PART)
_TOKEN = re.compile(r'''"""|\'\'\'|"(?:\\.|[^"\\])*"|'[^']*'|\#.*|[\[\]{}]''')
_END = {'"""': re.compile(r'(?:\\.|[^\\])*?"""+'), "'''": re.compile(r"[^\n]*?'''+")}


class Lines:
    """The lines of the keys and tables of one text, found when the first fault asks for one."""

    def __init__(self, text: str = "") -> None:
        self._text = text
        self._lines: dict[Place, int] = {}
        self._counts: Counter[Place] = Counter()
        self._prefix: Place = ()

    def __call__(self, place: Place) -> int | None:
        """The line of a place, or of the innermost thing around it that has one."""
        if self._text:
            self._scan()
        for length in range(len(place), 0, -1):
            if (line := self._lines.get(place[:length])) is not None:
                return line
        return None

    def _scan(self) -> None:
        text, self._text = self._text, ""
        for i, brackets, path in keys_and_headers(text):
            if brackets:
                self._prefix = self._array(path, i) if brackets == "[[" else self._inside(path)
                self._lines.setdefault(self._prefix, i)
                continue
            place: Place = self._prefix
            for part in path:
                place = (*place, part)
                self._lines.setdefault(place, i)

    def _array(self, path: Place, i: int) -> Place:
        """`[[path]]`: the next element of an array of tables."""
        around = (*self._inside(path[:-1]), path[-1])
        self._counts[around] += 1
        self._lines.setdefault(around, i)
        return (*around, self._counts[around] - 1)

    def _inside(self, path: Place) -> Place:
        """`[path]`: the place meant, which is in the last element of arrays of tables."""
        place: Place = ()
        for part in path:
            place = (*place, part)
            if count := self._counts[place]:
                place = (*place, count - 1)
        return place


def keys_and_headers(text: str) -> Iterator[tuple[int, str, Place]]:
    """Every line with a header or a key: its number, the brackets of a header, and the path."""
    quote, depth = "", 0
    for i, line in enumerate(text.split("\n"), start=1):
        start = 0
        if not quote and depth == 0:
            if header := _HEADER.match(line):
                yield i, header[1], _parts(header[2])
                start = len(line)
            elif pair := _PAIR.match(line):
                yield i, "", _parts(pair[1])
                start = pair.end()
        quote, depth = _state_after(line, start, quote, depth)


def _parts(key: str) -> Place:
    return tuple(
        part[1:-1] if part[0] in "\"'" else part for part in _ONE_PART.findall(key) if part
    )


def _state_after(line: str, start: int, quote: str, depth: int) -> tuple[str, int]:
    """The open multi-line quote and the depth of brackets at the end of the line."""
    while start <= len(line):
        if quote:
            end = _END[quote].match(line, start)
            if end is None:
                return quote, depth
            quote, start = "", end.end()
        found = _TOKEN.search(line, start)
        if found is None:
            return "", depth
        token, start = found[0], found.end()
        if token in _END:
            quote = token
        elif token in ("[", "{"):
            depth += 1
        elif token in ("]", "}"):
            depth = max(0, depth - 1)
    return quote, depth
