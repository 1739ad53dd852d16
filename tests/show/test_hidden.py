"""What is seen of solids: everywhere what a ray from the reader meets first."""

import re

import numpy as np
import pytest

import korba as kb
from korba.show.drawings.draw import scene
from korba.show.schemes import floor, scheme
from korba.show.schemes.paper import MARGIN, Paper
from korba.show.schemes.visuals import visuals_of

BOXES = {
    "shells": [((1.0, 1.0, 1.0), (0, 0, 0)), ((1.02, 1.02, 1.02), (0, 0, 0))],
    "one plane": [((3.0, 0.5, 0.2), (0, 0, 0)), ((0.5, 3.0, 0.2), (0, 0, 0))],
    "through each other": [((2.0, 0.4, 0.4), (0, 0, 0)), ((0.4, 2.0, 0.8), (0.3, 0, 0.1))],
}
"""Sizes and middles of a red box, and of a blue one."""


def mechanism(boxes):
    colors = ((1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0))
    shapes = tuple(
        kb.Shape("box", size, kb.Frame(tuple(map(float, at))), color=color)
        for (size, at), color in zip(boxes, colors, strict=True)
    )
    joint = kb.Revolute("A", "ground", "a", at=(0, 0, 0), axis=(0, 0, 1))
    return kb.Mechanism("boxes", (kb.Body("a", shapes=shapes),), (joint,))


def met_first(boxes, page, pixels):
    """Number of the box that rays through pixels meet first, -1 for none."""
    flat = pixels - MARGIN - page.shift
    flat[:, 1] = page.span[1] - flat[:, 1]
    start = (flat / page.scale + page.low) @ page.view
    first, nearest = np.full(len(pixels), -1), np.full(len(pixels), -np.inf)
    for i, (size, at) in enumerate(boxes):
        ways = [(np.array(at) + s * np.array(size) / 2 - start) / page.away for s in (-1, 1)]
        enter, leave = np.maximum(*ways).min(axis=1), np.minimum(*ways).max(axis=1)
        hit = (enter > leave) & (enter > nearest - 1e-9)
        first[hit], nearest[hit] = i, enter[hit]
    return first


def painted_last(picture, pixels):
    """Number of the box whose colour is painted last over pixels, -1 for none."""
    last = np.full(len(pixels), -1)
    for color, ways in re.findall("<path color='#(......)' d='([^']+)'", picture):
        red, _, blue = bytes.fromhex(color)
        for start, steps in re.findall("M([^l]+)l([^z]+)z", ways):
            moves = [start.split(","), *(step.split(",") for step in steps.split())]
            corners = np.cumsum(np.array(moves, dtype=float), axis=0) / 10
            a, b = corners[None], np.roll(corners, -1, axis=0)[None]
            (x, y), (u, v) = np.moveaxis(pixels[:, None] - a, -1, 0), np.moveaxis(b - a, -1, 0)
            side = u * y - v * x
            inside = (side >= 0).all(axis=1) | (side <= 0).all(axis=1)
            last[inside] = int(blue > red)
    return last


@pytest.mark.parametrize("boxes", BOXES.values(), ids=BOXES)
def test_the_nearest_face_is_painted_last(boxes):
    """As a ray meets them: of faces in one plane those of the later box, all over."""
    m = mechanism(boxes)
    shown = scene(m)
    visuals, _ = visuals_of(shown.shapes, "", scheme.FACES)
    corners = [*floor.extent(shown, visuals, [0])]
    page = Paper(shown, [*corners, *floor.floor_below(np.concatenate(corners)).lines()])
    grid = np.stack(np.meshgrid(*(np.arange(2.0, size, 9.1) for size in page.size)), axis=-1)
    pixels = grid.reshape(-1, 2)
    near = [
        met_first(boxes, page, pixels + step)
        for step in ((0, 0), (3, 3), (-3, 3), (3, -3), (-3, -3))
    ]
    sure = (np.array(near) == near[0]).all(axis=0)
    seen = painted_last(kb.draw(m, names=False), pixels[sure])
    assert {*near[0][sure].tolist()} >= {-1, 1} and len(seen) > 1000
    np.testing.assert_array_equal(seen, near[0][sure])
