"""A report as one HTML page: nothing is loaded, colours follow the reader, and it prints well.

Figures are drawn on light paper; their colours become variables of the page, so that one page is
light, dark, and light again when it is printed. Pages in frames are recoloured by the page.
"""

from __future__ import annotations

import json
import re
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from ...display import Table
from ...verbs.written import Written
from ..pages.space_page import colours as in_space
from ..schemes.themes import on_dark, recoloured, theme_rules, themed_names, variables
from .blocks import Block, Contents, Folded, Frame, Listing, Picture, Said, Section

LONG = 1500.0
"""Pixels of figures that are not made smaller: one scrolls along them."""


def _in_space() -> dict[str, str]:
    """Colours of spatial pages, which are numbers there."""
    light, dark = (json.dumps(in_space(name), separators=(",", ":")) for name in ("light", "dark"))
    return {light: dark}


def page_of(contents: Contents, theme: str, logo: str = "") -> str:
    """The whole page; the logo is the address of a picture."""
    here = files("korba.show") / "web"
    sections = "\n".join(map(_section, contents.sections))
    return Template((here / "report.html").read_text("utf-8")).substitute(
        themed_names(),
        title=escape(contents.title),
        about=escape(contents.about),
        logo=f"<img class='logo' src='{logo}' alt='logo'>" if logo else "",
        theme=theme,
        rules=theme_rules(),
        links="".join(
            f"<a href='#{anchor(each.title)}'>{escape(each.title)}</a>"
            for each in contents.sections
        ),
        figures="".join(
            f"<div><dt>{escape(name)}</dt><dd>{escape(told)}</dd></div>"
            for name, told in contents.figures
        ),
        sections=sections,
        made=escape(contents.made),
        colours=json.dumps(on_dark() | _in_space()),
        script=(here / "report.js").read_text("utf-8"),
    )


def anchor(title: str) -> str:
    """What a section is linked by."""
    return re.sub(r"\W+", "-", title.lower())


def _section(section: Section) -> str:
    inside = "\n".join(map(_block, section.blocks))
    own = anchor(section.title)
    return f"<section class='{own}'><h2 id='{own}'>{escape(section.title)}</h2>\n{inside}</section>"


def _block(block: Block) -> str:
    match block:
        case Table():
            return table(block)
        case Written():
            return f"<div class='equations'>{block.mathml()}</div>"
        case Picture(svg, caption, phone):
            long = " class='long'" if (width_of(svg) or 0.0) > LONG else ""
            shown = recoloured(svg, variables())
            if phone:
                narrow = recoloured(phone, variables())
                shown = f"<div class='broad'>{shown}</div><div class='narrow'>{narrow}</div>"
            return f"<figure{long}>{shown}<figcaption>{escape(caption)}</figcaption></figure>"
        case Listing(text):
            return f"<pre>{escape(text)}</pre>"
        case Said(text):
            return f"<p class='said'>{escape(text)}</p>"
        case Frame(page, title):
            return f"<iframe title='{escape(title)}' data-page='{escape(page)}'></iframe>"
        case Folded(title, blocks):
            inside = "\n".join(map(_block, blocks))
            return f"<details><summary>{escape(title)}</summary>{inside}</details>"
        case str():
            return f"<p>{escape(block)}</p>"


def width_of(svg: str) -> float | None:
    """Pixels of a figure, if it says how wide it is."""
    wide = re.search(r"<svg[^>]*? width='([\d.]+)'", svg)
    return float(wide[1]) if wide else None


def table(block: Table) -> str:
    """A table; columns of numbers stand at the right."""
    right = [all(numeric(row[k]) for row in block.rows) for k in range(len(block.heads))]
    heads = "".join(
        f"<th{_class(own)}>{escape(head)}</th>" if head else f"<td{_class(own)}></td>"
        for own, head in zip(right, block.heads, strict=True)
    )
    rows = "".join(
        "<tr>"
        + "".join(
            f"<td{_class(own)}>{escape(cell(each))}</td>"
            for own, each in zip(right, row, strict=True)
        )
        + "</tr>"
        for row in block.rows
    )
    caption = f"<caption>{escape(block.caption)}</caption>" if block.caption else ""
    return f"<div class='wide'><table>{caption}<tr>{heads}</tr>{rows}</table></div>"


def cell(value: Any) -> str:
    """What stands in a cell."""
    if isinstance(value, str):
        return value
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def numeric(value: Any) -> bool:
    """Whether a cell is a number, or written like one."""
    if not isinstance(value, str):
        return True
    return bool(re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?%?|", value))


def _class(right: bool) -> str:
    return " class='n'" if right else ""
