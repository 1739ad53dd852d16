"""From a user's text to text for `ast`: units, quoted names and special signs are settled here.

Only known characters pass. A quantity ("60 mm") and a quoted name ('left-hip') become `(b'0')`,
`(b'1')`, ...: the places of these atoms in a list. Nobody else can write a bytes literal,
because quotes do not pass.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Never

from korba.errors import ExpressionError
from korba.expr.dimensions import Dimension
from korba.expr.node import Expr, constant
from korba.expr.text import RESERVED
from korba.expr.units import COMMON_UNITS, UNIT_NAME, unit

LONGEST_TEXT = 10_000
_TOKEN = re.compile(
    r"""(?P<blank>\s+)
    |(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<name>[^\W\d²³][^\W²³]*)
    |(?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    |(?P<sign>\*\*|[-+*/^()<>=!,·²³−])""",
    re.VERBOSE | re.DOTALL,
)
_UNIT_POWER = r"(?:(?:\^|\*\*)[+-]?[0-9]{1,2}(?![0-9.])|[²³])?"
_FIRST_UNIT = re.compile(rf"\s*(?P<name>{UNIT_NAME}){_UNIT_POWER}")
_NEXT_UNIT = re.compile(
    rf"(?:[/·]|\*(?!\*))(?P<name>{UNIT_NAME}|\([^()\s+-]+\)){_UNIT_POWER}(?!\()"
)
_UNIT_NAME = re.compile(rf"{UNIT_NAME}|[0-9.,<>=]+")  # what is no unit name is in no list either
_WORDS_AFTER_A_NUMBER = frozenset({"if", "else", "and", "or", "not", "is", "for"})
_SHORT_UNITS = frozenset("CFLTdlt")  # pint knows all letters, as constants of nature for example
_SIGNS = {"^": "**", "·": "*", "²": "**2", "³": "**3", "−": "-"}


@dataclass
class Clean:
    """Text for `ast`, the atoms it points to, and where each piece of it came from."""

    original: str
    text: str = ""
    atoms: list[tuple[Expr, Dimension] | str] = field(default_factory=list)
    units: set[str] = field(default_factory=set)
    """First words of its units that are not common: names, where such names are known."""
    spelled: list[str] = field(default_factory=list)
    """Its units as they stand there."""
    _clean_starts: list[int] = field(default_factory=list)
    _original_starts: list[int] = field(default_factory=list)

    def add(self, piece: str, start: int) -> None:
        """Append `piece`, which stands for the original text from `start` on."""
        self._clean_starts.append(len(self.text))
        self._original_starts.append(start)
        self.text += piece

    def add_atom(self, atom: tuple[Expr, Dimension] | str, start: int) -> None:
        """Append a quantity or a quoted name."""
        self.add(f"(b'{len(self.atoms)}')", start)
        self.atoms.append(atom)

    def place(self, clean_place: int) -> int:
        """Where in the original text a place of the clean text is."""
        if clean_place >= len(self.text):
            return len(self.original.rstrip())
        return self._original_starts[bisect_right(self._clean_starts, clean_place) - 1]

    def words(self, start: int, end: int) -> str:
        """What the original text says between two places of the clean text."""
        after = bisect_right(self._clean_starts, end - 1)
        last = self._original_starts[after] if after < len(self._clean_starts) else None
        return self.original[self.place(start) : last].strip()


def clean(text: str, known_names: Collection[str] = ()) -> Clean:
    """The text with its units, quoted names and special signs settled."""
    if len(text) > LONGEST_TEXT:
        raise ExpressionError(
            f"the expression has {len(text)} characters, the most is {LONGEST_TEXT}; "
            "give its parts names"
        )
    if not text.strip():
        raise ExpressionError("expected an expression, got an empty text")
    result, place = Clean(text), 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            _refuse_character(text, place)
        place = _take(result, found, known_names)
    return result


@lru_cache(maxsize=4096)
def units_in(text: str) -> tuple[str, ...]:
    """The units of a text as they stand there; none of one that cannot be read."""
    try:
        return tuple(clean(text).spelled)
    except ExpressionError:
        return ()


def refuse(message: str, text: str, place: int) -> Never:
    """Raise an ExpressionError that shows where in the text it went wrong."""
    start, end = max(0, place - 40), place + 40
    shown = "".join(c if c.isprintable() else "?" for c in text[start:end])
    raise ExpressionError(
        f"{message} (at character {place + 1})\n    {shown}\n    {' ' * (place - start)}^"
    )


def _take(result: Clean, found: re.Match[str], known_names: Collection[str]) -> int:
    """Add one token; return where the next one starts."""
    text, start, word = found.string, found.start(), found.group()
    match found.lastgroup:
        case "blank":
            result.add(" " if result.text else "", start)
        case "number":
            end = _unit_end(text, found.end(), word, known_names)
            if end is not None:
                first = _FIRST_UNIT.match(text, found.end())
                result.units |= {first["name"]} - COMMON_UNITS if first else set()
                result.spelled.append(text[found.end() : end].strip())
                result.add_atom(_quantity(text, start, found.end(), end), start)
                return end
            result.add(word + " ", start)
        case "name":
            if not word.isidentifier():
                refuse(f"{word!r} is not a name; put unusual names in quotes", text, start)
            result.add(word, start)
        case "quoted":
            name = re.sub(r"\\(.)", r"\1", word[1:-1], flags=re.DOTALL)
            if not name:
                refuse("a quoted name is empty", text, start)
            result.add_atom(name, start)
        case _:
            result.add(_SIGNS.get(word, word), start)
    return found.end()


def _unit_end(text: str, place: int, number: str, known_names: Collection[str]) -> int | None:
    """Where the unit after a number ends; None if there is no unit."""
    found = _FIRST_UNIT.match(text, place)
    if found is None or found["name"] in _WORDS_AFTER_A_NUMBER:
        return None
    name = found["name"]
    called = text[found.end() :].lstrip().startswith("(")
    no_unit = name in RESERVED or (len(name) == 1 and name not in _SHORT_UNITS)
    if called or ((no_unit or name in known_names) and name not in COMMON_UNITS):
        refuse(f"a sign is missing between {number} and {name}; write {number}*{name}", text, place)
    while following := _NEXT_UNIT.match(text, found.end()):
        if not COMMON_UNITS.issuperset(_UNIT_NAME.findall(following["name"])):
            break
        found = following
    return found.end()


def _quantity(text: str, start: int, middle: int, end: int) -> tuple[Expr, Dimension]:
    try:
        factor, dimension = unit(text[middle:end].strip())
        value = constant(float(text[start:middle]) * factor)
    except ExpressionError as error:
        refuse(str(error), text, start)
    return value, dimension


def _refuse_character(text: str, place: int) -> Never:
    character = text[place]
    if character in "'\"":
        refuse("a quote is opened but not closed", text, place)
    if character == ".":
        refuse("a dot stands only in numbers; put names with a dot in quotes", text, place)
    if character == "%":
        refuse("% stands only behind a number, as in 5 %", text, place)
    refuse(f"unexpected character {character!r}", text, place)
