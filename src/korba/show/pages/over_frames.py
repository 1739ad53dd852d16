"""Overlays of a motion, frame by frame: SVG over plane drawings and films, arrows in space.

All frames have one scale and one paper, which holds all vectors; centres may leave it. Texts stand
beyond the tips of their marks and go along with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import Any

import numpy as np

from ..overlays.overlay import world
from ..schemes.over_symbols import colour_of, drawn_over, looks_of
from ..schemes.paper import Paper
from ..schemes.scene import Mark, Note, Scene
from ..schemes.scheme import overlay_marks
from ..schemes.texts import beside
from ..schemes.themes import THEMES
from .space_page import rgb


def held(scene: Scene, frames: Sequence[Scene]) -> Scene:
    """The scene with room for all overlays, and their notes below it."""
    marks = [
        (each, mark)
        for each in frames
        for mark in each.over
        if not looks_of(each)[mark.kind].endless
    ]
    if not marks:
        return replace(scene, notes=notes_of(frames))
    places = np.concatenate([each.places(mark) for each, mark in marks])
    corners = tuple(world(p) for p in (places.min(axis=0), places.max(axis=0)))
    return replace(scene, over=(Mark("construction", corners),), notes=notes_of(frames))


def notes_of(frames: Sequence[Scene]) -> tuple[Note, ...]:
    """Scales of vectors and samples of marks; of other notes those that hold all the time."""
    every = dict.fromkeys(note for each in frames for note in each.notes)
    return tuple(n for n in every if n.kind or all(n in each.notes for each in frames))


def drawn(scene: Scene, paper: Paper, size: float) -> Iterator[str]:
    """The overlays of a frame and their texts, as SVG."""
    marks = overlay_marks(scene, paper)
    for mark, pixels in marks:
        yield drawn_over(scene, mark, pixels, size)
    for mark, pixels in marks:
        gone = np.any((pixels[-1] < 0) | (pixels[-1] > paper.size))
        if mark.text and not gone:
            yield beside(scene, mark, pixels, paper.size)


def in_space(frames: Sequence[Scene], theme: str, digits: int) -> list[list[list[Any]]]:
    """The overlays of all frames: colour, number of heads, text and places of every mark."""
    return [
        [
            [
                rgb(_color(each, mark.kind, theme)),
                looks_of(each)[mark.kind].heads,
                mark.text.replace("_", " ", 1) if mark.text[1:2] == "_" else mark.text,
                np.round(each.places(mark), digits).tolist(),
            ]
            for mark in each.over
        ]
        for each in frames
    ]


def legend(frames: Sequence[Scene], theme: str) -> str:
    """What the colours in a space are, and how long arrows are."""
    told = []
    for note in notes_of(frames):
        color = f" style='color:{_color(frames[0], note.kind, theme)}'" if note.kind else ""
        long = f" is {note.length:.3g} m long" if note.length else ""
        told.append(f"<span{color}>{escape(note.text + long)}</span>")
    return f"<div class='bar'>{''.join(told)}</div>" if told else ""


def _color(scene: Scene, kind: str, theme: str) -> str:
    return colour_of(scene, kind, theme) or THEMES[theme]["ink"]
