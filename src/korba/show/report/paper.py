"""A report on paper: the same sections printed for typst, which makes a PDF of them.

Everything a user has written is a string of typst, so that no sign in it means anything; figures
are SVG in such strings. Fonts are those inside typst: nothing is asked of the machine.
"""

from __future__ import annotations

from math import inf
from typing import Any, Literal

from ...codegen.targets.formula.typst import quoted
from ...display import Table
from ...libraries import library
from ...verbs.written import Written
from .blocks import Block, Contents, Folded, Frame, Listing, Picture, Said, Section
from .page import cell, numeric, width_of

WIDTH = 480.0
"""Of the text, in points."""
ZOOM = 0.62
"""Points for a pixel of a figure."""
LONG = 34
"""Letters of a cell from which on its column takes the room that is left."""
SHORT = 14
"""Rows of a table that stays on one page."""
HEAD = """
#set page(paper: "a4", margin: (x: 2cm, top: 2cm, bottom: 2.2cm), numbering: "1 / 1")
#set text(size: 10pt, font: "Libertinus Serif")
#set par(justify: false)
#set heading(numbering: "1")
#show heading.where(level: 1): it => block(above: 1.6em, below: 0.8em, sticky: true,
  text(size: 14pt, it))
#set table(stroke: (x, y) => (bottom: 0.4pt + luma(190)), inset: (x: 5pt, y: 3pt))
#show table.cell: set text(size: 8.5pt)
#show raw: set text(size: 7pt)
#show math.equation: set text(size: 9.5pt)
#show math.equation.where(block: true): set align(left)
#show math.equation: set block(breakable: true)
#let fitted(body) = layout(room => {
  let wide = measure(body).width
  if wide > room.width {
    let part = room.width / wide * 100%
    scale(x: part, y: part, origin: top + left, reflow: true, body)
  } else { body }
})
"""


def pdf_of(contents: Contents) -> bytes:
    """The report as the bytes of a PDF file."""
    return bytes(_compiled(typst_of(contents), "pdf"))


def pages_of(contents: Contents, ppi: float = 72.0) -> list[bytes]:
    """The pages of it as PNG pictures."""
    pages = _compiled(typst_of(contents), "png", ppi)
    return [pages] if isinstance(pages, bytes) else list(pages)


def typst_of(contents: Contents) -> str:
    """The report in the language of typst."""
    figures = [
        f"text(size: 8pt, fill: luma(90), {quoted(name)}) + linebreak() + strong({quoted(told)})"
        for name, told in contents.figures
    ]
    cells = ", ".join(f"box(width: 100%, {each})" for each in figures)
    high = 8 * len(contents.sections) + 10
    return "\n\n".join(
        [
            HEAD,
            f"#set document(title: {quoted(contents.title)})",
            f"#text(size: 22pt, weight: 700, {quoted(contents.title)})",
            f"#{quoted(contents.about)}",
            f"#grid(columns: (1fr, 1fr, 1fr), gutter: 10pt, {cells})",
            f"#block(height: {high}pt, columns(2, outline(title: none)))",
            *(_section(section) for section in contents.sections),
            f"#v(2em) #text(size: 8pt, fill: luma(90), {quoted(contents.made)})",
        ]
    )


def _compiled(text: str, kind: Literal["pdf", "png"], ppi: float | None = None) -> Any:
    missing = "report: a PDF needs typst; install it with pip install 'korba[pdf]', or write .html"
    typst = library("typst", missing)
    return typst.compile(text.encode(), format=kind, ppi=ppi, ignore_system_fonts=True)


def _section(section: Section) -> str:
    """A section, unless there is nothing in it that paper shows."""
    inside = "\n\n".join(filter(None, map(_block, section.blocks)))
    if not inside or any(isinstance(block, Frame) for block in section.blocks):
        return ""
    return f"#heading({quoted(section.title)})\n\n{inside}"


def _block(block: Block) -> str:
    match block:
        case Table():
            return _table(block)
        case Written():
            return block.typst("fitted")
        case Picture(svg, caption, _):
            return _picture(svg, caption)
        case Listing(text):
            return f"#raw(block: true, {quoted(text)})"
        case Said(text):
            return f'#text(style: "italic", {quoted(text)})'
        case Frame():
            return ""
        case Folded(title, blocks):
            inside = "\n\n".join(filter(None, map(_block, blocks)))
            return f"#block(sticky: true, strong({quoted(title)}))\n\n{inside}"
        case str():
            return f"#{quoted(block)}"


def _picture(svg: str, caption: str) -> str:
    """A figure as wide as its pixels ask for, in the fonts that there are."""
    wide = min(ZOOM * (width_of(svg) or inf), WIDTH)
    own = svg.replace("Helvetica, Arial, sans-serif", "Libertinus Serif")
    image = f'image(bytes({quoted(own)}), format: "svg", width: {wide:.0f}pt)'
    return f"#block(breakable: false, {image} + text(size: 8.5pt, {quoted(caption)}))"


def _table(table: Table) -> str:
    columns = range(len(table.heads))
    texts = [[cell(each) for each in row] for row in table.rows]
    longest = [max((len(row[k]) for row in texts), default=0) for k in columns]
    wide = [k for k in columns if longest[k] > LONG]
    widths = ", ".join("1fr" if k in wide else "auto" for k in columns)
    sides = ", ".join(
        "right" if all(numeric(row[k]) for row in table.rows) else "left" for k in columns
    )
    heads = ", ".join(f"strong({quoted(head)})" for head in table.heads)
    cells = ", ".join(quoted(text) for row in texts for text in row)
    made = f"table(columns: ({widths},), align: ({sides},), table.header({heads}), {cells})"
    body = made if wide else f"fitted({made})"
    caption = f"#block(sticky: true, strong({quoted(table.caption)}))\n" if table.caption else ""
    whole = f"#block(breakable: false, {body})" if len(texts) <= SHORT else f"#{body}"
    return caption + whole
