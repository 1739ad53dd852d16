"""What executed pages of the book and of the papers share: numbers side by side, and galleries.

`beside` shows the numbers of a page next to those of its source and compares them, so that a page
with a wrong number is not built. Where a number of a source comes from is one word:

* printed: it stands in the book or paper;
* recomputed: its data do, and its curve is lost; the number was computed from them without Korba;
* constructed: the source has no data; these were made up, and checked by a second method.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

SOURCES = ("printed", "recomputed", "constructed")
MOST = 9
"""Numbers of a row that are shown; all of them are compared."""
STYLE = "height:auto;max-height:none"
"""Of pictures in rows, which keep their own shape."""
SHORT = 32
"""Letters of a name up to which it is not broken."""


class Shown:
    """A piece of HTML that a page shows."""

    def __init__(self, html: str) -> None:
        self.html = html

    def _repr_html_(self) -> str:
        return self.html


def beside(
    source: str, rows: Mapping[str, tuple[Any, Any]], *, atol: float = 0.0, rtol: float = 0.0
) -> Shown:
    """A table of our numbers and those of the source; an AssertionError where they differ.

    rows are {"x [m]": (ours, theirs)}, numbers or arrays. They may differ by atol, and by rtol of
    the source's number.
    """
    if source not in SOURCES:
        raise ValueError(f"source: expected one of {', '.join(SOURCES)}, got {source!r}")
    lines = []
    for name, (ours, theirs) in rows.items():
        one, two = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
        np.testing.assert_allclose(one, two, rtol=rtol, atol=atol, err_msg=f"{name} ({source})")
        apart = float(np.max(np.abs(one - two), initial=0.0))
        cells = [escape(name), _text(one, atol), _text(two, atol), f"{apart:.0e}" if apart else "0"]
        keep = ' style="white-space:nowrap"'
        styles = [keep if len(name) < SHORT else "", "", "", keep]
        pairs = zip(styles, cells, strict=True)
        lines.append("<tr>" + "".join(f"<td{s}>{cell}</td>" for s, cell in pairs) + "</tr>")
    head = "".join(f"<th>{cell}</th>" for cell in ("", "Korba", source, "apart"))
    return Shown(
        '<div class="table-wrapper"><table class="docutils" style="font-size:85%">'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def _text(value: np.ndarray[Any, Any], atol: float) -> str:
    """Numbers with one digit more than what is compared."""
    digits = 6 if atol == 0.0 else max(0, min(8, round(-np.log10(atol))))
    texts = []
    for x in value.ravel()[:MOST]:
        text = f"{x:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{x:.0f}"
        texts.append("0" if text in ("-0", "") else text.replace("-", "−"))
    return ", ".join(texts) + (", …" if value.size > MOST else "")


def gallery(pictures: Mapping[str, Any], *, width: int = 340) -> Shown:
    """Pictures in rows, each with its caption below it."""
    below = "font-size:85%;text-align:center"
    cells = [
        f'<figure style="margin:0;width:{width}px">{_image(picture, width)}'
        f'<figcaption style="{below}">{escape(caption)}</figcaption></figure>'
        for caption, picture in pictures.items()
    ]
    style = "display:flex;flex-wrap:wrap;gap:1em;align-items:flex-end;justify-content:center"
    return Shown(f'<div style="{style}">{"".join(cells)}</div>')


def _image(picture: Any, width: int) -> str:
    """An SVG picture as an image of its own, so that styles of pictures do not meet."""
    text = picture._repr_svg_()
    if found := re.search(r"width='(\d+)'", text):
        size = 13 * max(1.0, 0.8 * int(found[1]) / width)  # names stay legible
        text = text.replace("text {font: 13px", f"text {{font: {size:.0f}px")
    data = b64encode(text.encode()).decode()
    return f'<img alt="" style="{STYLE};width:{width}px" src="data:image/svg+xml;base64,{data}"/>'
