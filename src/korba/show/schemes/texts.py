"""The words on a picture: values on dimension lines, names of joints, links and vectors."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from xml.sax.saxutils import escape

import numpy as np

from ...spatial.rotation import Array
from .labels import WIDE, Ink, Labels, index_of
from .over_symbols import class_of, looks_of
from .paper import Paper, hue, link_of, named_places, reach
from .scene import Mark, Scene

LONG = 18
"""Letters of names of joints at one place that stand in one line."""
TIE = "\0"
"""A blank inside a name."""
HEADS = 16.0
"""Pixels that the two heads of a dimension line take."""


def texts(
    labels: Labels,
    scene: Scene,
    paper: Paper,
    laid: list[tuple[Mark, Array]],
    *,
    names: bool | str,
    optional: bool,
) -> Iterator[str]:
    """Values on dimension lines first, those beside them, names of joints, then of vectors."""
    looks = looks_of(scene)
    measures = [each for each in laid if looks[each[0].kind].measures]
    others = [each for each in laid if not looks[each[0].kind].measures]
    for _, pixels in others:
        labels.keep_off(pixels, 7.0)
    beside = [each for each in measures if not _fits(*each)]
    yield from (_said(labels, scene, *each) for each in measures if _fits(*each))
    for mark, pixels in measures:
        labels.keep_off(pixels[2:] if mark.kind != "radius" else pixels, 6.0)
        if mark.kind == "angle":
            labels.keep_off(pixels[:2], 6.0)
        for i in (0, 1) if mark.kind == "dimension" else ():
            labels.keep_off(pixels[[i, i + 2]], 6.0)
    yield from (_said(labels, scene, *each) for each in beside)
    for name, point in named_places(scene, paper) if names not in (False, "bodies") else ():
        yield labels.text(_stacked(name), [paper.at(scene.place(point))], optional=optional)
    for text, near, number in _links(scene, paper, names):
        yield labels.text(text, near, ink=Ink(f" class='b{number} said'"))
    yield from (_said(labels, scene, mark, pixels) for mark, pixels in others if mark.text)


def beside(scene: Scene, mark: Mark, pixels: Array, room: Array) -> str:
    """The text of an overlay beyond its tip, or on its line, which goes along with the mark."""
    half = np.array([9.0 + 3.5 * len(mark.text), 13.0])
    if looks_of(scene)[mark.kind].measures:
        a, b = _value_line(mark, pixels)
        middle = (a + b) / 2
    else:
        way = pixels[-1] - (pixels[0] if len(pixels) == 2 else pixels.mean(axis=0))
        u = way / max(float(np.hypot(*way)), 1e-9) if len(pixels) > 1 else np.array([0.8, 0.8])
        middle = pixels[-1] + u * half
    shown = index_of(mark.text) if mark.text[1:2] == "_" else escape(mark.text)
    x, y = np.clip(middle, half, room - half)
    where = f"x='{x:.1f}' y='{y + 4.5:.1f}' text-anchor='middle'"
    own = f"class='said {class_of(scene, mark.kind)}'"
    return f"<text class='halo' {where}>{shown}</text><text {own} {where}>{shown}</text>"


def _stacked(names: str) -> str:
    """Names of joints in lines that are not long."""
    tied = names.replace(" ", TIE).replace(f",{TIE}", ", ")
    lines = textwrap.wrap(tied, LONG, break_long_words=False, break_on_hyphens=False)
    return "\n".join(line.rstrip(",").replace(TIE, " ") for line in lines)


def _links(scene: Scene, paper: Paper, names: bool | str) -> Iterator[tuple[str, list[Array], int]]:
    """Names or numbers of links, where they may stand, and the number of their colour."""
    if names not in ("bodies", "all", "numbers"):
        return
    for i, body in enumerate(scene.bodies[1:], start=1):
        if link := link_of(scene, body):
            ends = paper.at(reach(scene, link))
            middle = ends.mean(axis=0)
            near = [middle, *(middle + s * (ends[0] - middle) for s in (0.35, -0.35, 0.6, -0.6))]
            yield str(i) if names == "numbers" else body, near, hue(scene, body)


def _said(labels: Labels, scene: Scene, mark: Mark, pixels: Array) -> str:
    """The text of an overlay, in its colour."""
    ink = Ink(f" class='said {class_of(scene, mark.kind)}'")
    if looks_of(scene)[mark.kind].measures:
        a, b = _value_line(mark, pixels)
        near = [a + s * (b - a) for s in (0.5, 0.4, 0.6, 0.3, 0.7)]
        wide = ink._replace(rim=" class='halo wide'")  # no line between digits and their point
        return labels.text(mark.text, near, size=12.0, ink=wide, on=_fits(mark, pixels))
    near = [pixels[-1], pixels.mean(axis=0), 0.3 * pixels[0] + 0.7 * pixels[-1]]
    return labels.text(mark.text, near, ink=ink, indexed=mark.text[1:2] == "_")


def _value_line(mark: Mark, pixels: Array) -> tuple[Array, Array]:
    """The ends of the line on which a value stands."""
    line = pixels[2:] if mark.kind != "radius" else pixels
    return (line[0], line[-1]) if mark.kind != "angle" else (line[len(line) // 2],) * 2


def _fits(mark: Mark, pixels: Array) -> bool:
    """Whether a value stands on its line; on a short one it would cover the heads."""
    if mark.kind != "dimension":
        return True
    way = pixels[3] - pixels[2]
    box = (WIDE * 12.0 * len(mark.text), 14.0)
    return bool(way @ way > abs(way) @ box + HEADS * np.hypot(*way))
