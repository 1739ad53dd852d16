"""What of a report somebody wants: some of its sections, a logo, another design beside it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from ...disk import read_bytes
from ...display import Table
from ...errors import KorbaError, StructureError, refuse_unknown
from ...model.mechanism import Mechanism
from ..drawings.draw import draw
from ..plots.plot import plot
from .blocks import Block, Picture, attempted, plotted
from .facts import Facts
from .proof import figures

SHORT = "short"
"""The word for what others want to see, on one page."""
OF_SHORT = ("Mechanism", "Motion", "Forces")
LOGOS = {".svg": "svg+xml", ".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".webp": "webp"}
"""Endings of pictures, and their kinds."""
LARGEST = 2_000_000
"""Bytes of a logo."""


def sections_asked(asked: str | Sequence[str] | None, known: Iterable[str]) -> tuple[str, ...]:
    """The titles that are asked for, in the order of the report; nothing asked is all."""
    titles = tuple(known)
    if asked is None:
        return titles
    names = OF_SHORT if asked == SHORT else (asked,) if isinstance(asked, str) else tuple(asked)
    small = {title.lower(): title for title in titles}
    refuse_unknown("section", [name.lower() for name in names], small, "report")
    wanted = {small[name.lower()] for name in names}
    return tuple(title for title in titles if title in wanted)


def logo_in(path: str | Path | None) -> str:
    """A picture as the text of its own address, so that the page needs no file."""
    if path is None:
        return ""
    kind = LOGOS.get(Path(path).suffix.lower())
    if kind is None:
        raise StructureError(
            f"report: logo: the ending must be one of {', '.join(LOGOS)}, got {str(path)!r:.60}"
        )
    data = read_bytes(path)
    if len(data) > LARGEST:
        raise StructureError(
            f"report: logo: {len(data)} bytes are too many; give a picture below {LARGEST}"
        )
    return f"data:image/{kind};base64,{b64encode(data).decode()}"


def compared(facts: Facts, other: Mechanism) -> Iterator[Block]:
    """Two designs side by side: what one asks first, sizes that differ, pictures and motions."""
    two = Facts(other)
    names = _names(facts.m, other)
    told = [dict(figures(each)) for each in (facts, two)]
    asked = [*dict.fromkeys([*told[0], *told[1]])]
    rows = [(key, *(each.get(key, "") for each in told)) for key in asked]
    yield Table("What one asks first", ("", *names), rows)
    sizes = [dict(m.parameters) for m in (facts.m, other)]
    rows = [(key, *(str(each.get(key, "")) for each in sizes)) for key in _differing(*sizes)]
    if rows:
        yield Table("Sizes that differ", ("size", *names), rows)
    elif sizes[0]:
        yield "All sizes are the same."
    for each, name in zip((facts, two), names, strict=True):
        yield Picture(draw(each.m), f"{name} as drawn")
    for each, name in zip((facts, two), names, strict=True):
        yield from attempted(partial(_moved, each, name))


def _moved(facts: Facts, name: str) -> Iterator[Block]:
    """What its input and output do, over the same input."""
    with suppress(KorbaError):
        yield plotted(plot(facts.moved, over=facts.lead), f"{name} in motion")


def _names(m: Mechanism, other: Mechanism) -> tuple[str, str]:
    """Two names that can be told apart."""
    one, two = m.name or "this", other.name or "the other"
    return (one, two) if one != two else (one, f"{two}, the other")


def _differing(one: Mapping[str, object], two: Mapping[str, object]) -> list[str]:
    """Names of sizes that are not written alike."""
    return [key for key in dict.fromkeys([*one, *two]) if one.get(key) != two.get(key)]
