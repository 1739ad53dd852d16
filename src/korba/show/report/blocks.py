"""What a report is, as plain data: sections of blocks, which page.py and paper.py print.

A block is a sentence, a table (display.py), equations (verbs/written.py), or one of those below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ...display import Table
from ...errors import KorbaError
from ...verbs.written import Written
from ..plots.panels import Plot


class Picture(NamedTuple):
    """A drawing or a plot as SVG on light paper, with what it shows in words."""

    svg: str
    caption: str
    phone: str = ""
    """The same for phones, where it is another picture."""


def plotted(plot: Plot, caption: str) -> Picture:
    """A plot, wide and for phones."""
    return Picture(str(plot.svg()), caption, str(plot.svg(phone=True)))


class Listing(NamedTuple):
    """Text that keeps its lines."""

    text: str


class Said(NamedTuple):
    """The sentence of a verb that refused to answer."""

    text: str


class Frame(NamedTuple):
    """A page inside the page, that lives or plays; paper leaves it out."""

    page: str
    title: str


class Folded(NamedTuple):
    """What is long: a page shows it on request."""

    title: str
    blocks: tuple[Block, ...]


Block = str | Table | Written | Picture | Listing | Said | Frame | Folded


class Section(NamedTuple):
    """Blocks under a title."""

    title: str
    blocks: tuple[Block, ...]


class Contents(NamedTuple):
    """The whole report."""

    title: str
    about: str
    figures: tuple[tuple[str, str], ...]
    """What is asked first, and the answers in a few words."""
    sections: tuple[Section, ...]
    made: str
    """By which program."""


def attempted(make: Callable[[], Iterable[Block]]) -> Iterator[Block]:
    """Blocks, up to the sentence of the verb that refused."""
    try:
        yield from make()
    except KorbaError as error:
        yield Said(str(error))
