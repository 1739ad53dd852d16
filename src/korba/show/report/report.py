"""`kb.report`: all that Korba knows of a mechanism, as one page without network or as a PDF.

Every section asks a few verbs (facts.py). Where a verb refuses, its sentence stands in the section:
a report never shows an answer that was not given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path

from ...disk import replaced, write_text
from ...display import Page
from ...door import public
from ...errors import StructureError
from ...model.mechanism import Mechanism
from ...progress import Progress
from ..schemes.themes import OF_PAGES, refuse_other_themes
from . import machine, moving, proof, structure
from .blocks import Block, Contents, Section, attempted
from .chosen import compared, logo_in, sections_asked
from .facts import Facts
from .page import page_of
from .paper import pdf_of

SECTIONS: dict[str, Callable[[Facts], Iterator[Block]]] = {
    "Mechanism": structure.mechanism,
    "Alive": structure.alive,
    "Mobility": structure.mobility,
    "Structure": structure.structure,
    "Range": moving.range_of,
    "Equations": structure.equations_of,
    "Motion": moving.motion,
    "Forces": moving.forces,
    "Reduced inertia": machine.reduced,
    "Steady running": machine.running,
    "Masses and balance": machine.masses,
    "Cross-check": proof.checked,
    "Speed": proof.speed,
    "Audit": proof.audit,
    "File": proof.file,
}
"""All sections, in their order."""
ENDINGS = (".html", ".pdf")


@public
def report(
    m: Mechanism,
    path: str | Path | None = None,
    *,
    sections: str | Sequence[str] | None = None,
    logo: str | Path | None = None,
    beside: Mechanism | None = None,
    theme: str = "auto",
) -> Page:
    """All that Korba knows of a mechanism, on one page without network; written to `path` if given.

    Its picture, the mechanism alive (or its motion, played), mobility with reasons, structural
    groups, range and dead points, equations, motion over a cycle, forces without and with friction,
    reduced inertia, irregularity and flywheels, masses and balance, all formulations side by side,
    the speed of its own programs, the audit, and its file. What a verb refuses is told in its
    place. A path that ends in .pdf has the same on paper (extra `pdf`).

    `sections` are titles of some of them ("Motion", "Forces", ...), or "short": picture, motion and
    forces for somebody who wants one page. `logo` is a picture to stand above (.svg, .png, .jpg).
    `beside` is another design, compared with this one in a section of its own. `theme` of the page
    is "light", "dark", or "auto": that of the reader's system.

        >>> page = kb.report(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7))
        >>> page.count("<h2")
        15
    """
    if not isinstance(m, Mechanism):
        raise StructureError(f"report: expected a mechanism, got {m!r:.60}")
    refuse_other_themes("report", theme, OF_PAGES)
    target = None if path is None else Path(path)
    if target is not None and target.suffix.lower() not in ENDINGS:
        raise StructureError(
            f"report: the ending must be one of {', '.join(ENDINGS)}, got {str(path)!r:.60}"
        )
    picture = logo_in(logo)
    contents = contents_of(m, sections_asked(sections, SECTIONS), beside)
    page = page_of(contents, theme, picture)
    if target is not None and target.suffix.lower() == ".pdf":
        with replaced(target) as file:
            file.write(pdf_of(contents))
    elif target is not None:
        write_text(page, target)
    return Page(page)


def contents_of(
    m: Mechanism, asked: Sequence[str] = tuple(SECTIONS), beside: Mechanism | None = None
) -> Contents:
    """The report as plain data."""
    facts = Facts(m)
    makers = {title: partial(SECTIONS[title], facts) for title in asked}
    if beside is not None:
        makers = {"Two designs": partial(compared, facts, beside), **makers}
    progress = Progress(None, len(makers), "report", "sections")
    sections = []
    try:
        for k, (title, make) in enumerate(makers.items()):
            progress(k, k, title)
            sections.append(Section(title, tuple(attempted(make))))
    finally:
        progress.close()
    return Contents(
        m.name or "Mechanism",
        m.description,
        tuple(proof.figures(facts)),
        tuple(sections),
        f"Made by Korba {version('korba')}",
    )
