"""How marks of a scene are drawn as SVG: the standard symbols of mechanisms, in pixels.

A symbol is lines of some widths through the points of its mark, or one function from places on the
paper to text; and how a page moves what was drawn. A new kind of mark is its line in `SYMBOLS`.
Colours are classes, which the picture's style defines for light and dark paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...spatial.rotation import Array

TURN = np.array([[0.0, -1.0], [1.0, 0.0]])
"""A quarter turn, clockwise as seen on paper, where y goes down."""
DOWN = np.array([0.0, 1.0])
"""Where the base is, on paper."""


@dataclass(frozen=True)
class Pen:
    """Size of symbols, and the number of the body that is drawn."""

    size: float = 1.0
    body: int = 0
    kind: str = ""
    """The class of what is drawn, where one symbol serves several marks."""


def path(points: Iterable[Array], kind: str, *, close: bool = False, width: float = 0.0) -> str:
    """A line through points."""
    way = " L".join(f"{x:.1f},{y:.1f}" for x, y in points)
    wide = f" stroke-width='{width:.1f}'" if width else ""
    return f"<path class='{kind}' d='M{way}{' Z' if close else ''}'{wide}/>"


def disc(p: Array, radius: float, kind: str) -> str:
    """A circle."""
    return f"<circle class='{kind}' cx='{p[0]:.1f}' cy='{p[1]:.1f}' r='{radius:.1f}'/>"


def unit(v: Array) -> Array:
    """The direction of a vector on paper; of none to the right."""
    length = float(np.hypot(*v))
    return v / length if length > 1e-9 else np.array([1.0, 0.0])


def _hatching(a: Array, b: Array, side: Array, pen: Pen) -> Iterator[str]:
    """Short slanting lines along one side of a line."""
    u, length, step = unit(b - a), float(np.hypot(*(b - a))), 6.0 * pen.size
    count = max(2, int(length / step))
    for i in range(count):
        foot = a + u * (length * (i + 0.7) / count)
        yield path([foot, foot + (side - u) * 5.0 * pen.size], "hatch")


class Stroke(NamedTuple):
    """A line through the points of a mark: its class, with the number of a body, and its width."""

    style: str
    width: float

    def drawn(self, p: Array, pen: Pen) -> str:
        """Through places on the paper."""
        return path(p, self.style.format(pen.body), width=self.width * pen.size)


class Symbol(NamedTuple):
    """How a kind of mark is drawn, and how a page moves it (web/figure.js).

    Its parts go along with their `points`, as a line or as the `hull` round them; with the frame of
    a body, `rigid`; with a point, `stamp`; or they are stretched or turned between two points.
    """

    shape: Callable[[Array, Pen], str] | None
    """What is drawn, unless it is nothing but strokes."""
    moves: str = "between"
    strokes: tuple[Stroke, ...] = ()

    def __call__(self, p: Array, pen: Pen) -> str:
        """The symbol at places on the paper."""
        if self.shape is not None:
            return self.shape(p, pen)
        return "".join(stroke.drawn(p, pen) for stroke in self.strokes)


def _lines(*strokes: tuple[str, float]) -> Symbol:
    """A symbol of nothing but lines."""
    return Symbol(None, "points", tuple(Stroke(*stroke) for stroke in strokes))


BAR = _lines(("link b{}", 6.5))


def plate(p: Array, pen: Pen) -> str:
    """A link with three joints or more; straight ones are bars."""
    corners = hull(p)
    if len(corners) < 3:
        return BAR(corners, pen)
    return path(corners, f"plate b{pen.body}", close=True, width=6.5 * pen.size)


def star(p: Array, pen: Pen) -> str:
    """A spatial link with more than three joints: bars from its middle."""
    if len(p) == 3:
        return path(p, f"plate b{pen.body}", close=True, width=5.0 * pen.size)
    middle = p.mean(axis=0)
    return "".join(path([middle, each], f"link b{pen.body}", width=5.5 * pen.size) for each in p)


def pin(p: Array, pen: Pen) -> str:
    """A revolute pair seen along its axis."""
    return disc(p[0], 4.6 * pen.size, "pin")


def end(p: Array, pen: Pen) -> str:
    """Where a spring takes hold."""
    return disc(p[0], 3.4 * pen.size, "pin")


def base(p: Array, pen: Pen) -> str:
    """A bearing on the base: a triangle on hatched ground."""
    d, s = DOWN, pen.size
    side = TURN @ d
    foot = p[0] + 15 * s * d
    left, right = foot - 15 * s * side, foot + 15 * s * side
    feet = [p[0], foot - 9 * s * side, foot + 9 * s * side]
    parts = [path(feet, "bearing", close=True), path([left, right], "ground")]
    return "".join([*parts, *_hatching(left, right, d, pen)])


def ground_rail(p: Array, pen: Pen) -> str:
    """A straight guide of the base."""
    u = unit(p[1] - p[0])
    side = TURN @ u
    side = side if side @ DOWN > -1e-9 else -side
    off = side * 8.5 * pen.size
    ends = p[0] + off, p[1] + off
    return path(ends, "ground") + "".join(_hatching(*ends, side, pen))


def fixed_guide(p: Array, pen: Pen) -> str:
    """A guide of the base round a rod: two hatched walls."""
    u = unit(p[1] - p[0]) * 13.0 * pen.size
    n = TURN @ unit(u)
    walls = []
    for side in (n, -n):
        foot = p[0] + side * 5.5 * pen.size
        walls.append(path([foot - u, foot + u], "ground"))
        walls += _hatching(foot - u, foot + u, side, pen)
    return "".join(walls)


def block(p: Array, pen: Pen) -> str:
    """A slider."""
    u = unit(p[1] - p[0]) * 13.5 * pen.size
    n = TURN @ unit(p[1] - p[0]) * 8.5 * pen.size
    corners = [p[0] + u + n, p[0] + u - n, p[0] - u - n, p[0] - u + n]
    return path(corners, f"block b{pen.body}", close=True)


def wheel(p: Array, pen: Pen) -> str:
    """A pitch circle."""
    return path(p, f"disc b{pen.body}", close=True) + path(p, "pitch", close=True)


def curve(p: Array, pen: Pen) -> str:
    """A cam, a roller or the face of a follower."""
    if len(p) < 3:
        return path(p, f"link b{pen.body}", width=4 * pen.size)
    return path(p, f"cam b{pen.body}", close=True)


def spring(p: Array, pen: Pen) -> str:
    """A zigzag between two straight ends."""
    along, length = p[1] - p[0], float(np.hypot(*(p[1] - p[0])))
    n = TURN @ unit(along) * 6.5 * pen.size
    turns = max(4, min(26, int(length / (8 * pen.size))))
    inner = [p[0] + along * (0.16 + 0.68 * (i + 0.5) / turns) for i in range(turns)]
    zigzag = [q + (n if i % 2 else -n) for i, q in enumerate(inner)]
    return path([p[0], p[0] + 0.16 * along, *zigzag, p[0] + 0.84 * along, p[1]], "spring")


def damper(p: Array, pen: Pen) -> str:
    """A piston in an open pot."""
    along = p[1] - p[0]
    n = TURN @ unit(along) * 7.0 * pen.size
    pot = [p[0] + 0.66 * along + n, p[0] + 0.36 * along + n]
    pot += [p[0] + 0.36 * along - n, p[0] + 0.66 * along - n]
    piston = [p[0] + 0.54 * along + 0.7 * n, p[0] + 0.54 * along - 0.7 * n]
    rods = path([p[0], p[0] + 0.36 * along], "spring") + path([p[0] + 0.54 * along, p[1]], "spring")
    return rods + path(pot, "spring") + path(piston, "rod", width=3 * pen.size)


def actuator(p: Array, pen: Pen) -> str:
    """A cylinder with its piston and rod."""
    along = p[1] - p[0]
    n = TURN @ unit(along) * 7.0 * pen.size
    start, end, piston = p[0] + 0.06 * along, p[0] + 0.6 * along, p[0] + 0.48 * along
    eye = path([p[0], start], "rod", width=3.0 * pen.size)
    barrel = path([start + n, end + n, end - n, start - n], "barrel", close=True)
    head = path([piston + 0.8 * n, piston - 0.8 * n], "rod", width=4.5 * pen.size)
    return eye + barrel + head + path([piston, p[1]], "rod", width=3.0 * pen.size)


def mass_centre(p: Array, pen: Pen) -> str:
    """A circle with two black quarters."""
    (x, y), r = p[0], 5.0 * pen.size
    quarters = (
        f"M{x:.1f},{y:.1f} h{r:.1f} A{r:.1f},{r:.1f} 0 0 0 {x:.1f},{y - r:.1f} Z "
        f"M{x:.1f},{y:.1f} h{-r:.1f} A{r:.1f},{r:.1f} 0 0 0 {x:.1f},{y + r:.1f} Z"
    )
    return disc(p[0], r, "mass") + f"<path class='quarter' d='{quarters}'/>"


def guide(p: Array, pen: Pen) -> str:
    """A prismatic pair in space: a box along its axis."""
    a = _axis(p, 13.0 * pen.size)
    n = TURN @ unit(a) * 8.0 * pen.size
    corners = [p[0] + a + n, p[0] + a - n, p[0] - a - n, p[0] - a + n]
    return path(corners, f"block b{pen.body}", close=True)


def flat(p: Array, pen: Pen) -> str:
    """A planar contact: a small square across its normal."""
    r = 10.0 * pen.size
    a, b = np.array([r, -0.35 * r]), np.array([0.35 * r, 0.6 * r])
    return path([p[0] - a - b, p[0] + a - b, p[0] + a + b, p[0] - a + b], "pin", close=True)


def collar(p: Array, pen: Pen) -> str:
    """The mouth of a cylinder: a stroke across its axis."""
    n = TURN @ _axis(p, 7.0 * pen.size)
    return path([p[0] - n, p[0] + n], "ground", width=4.0 * pen.size)


def ball(p: Array, pen: Pen) -> str:
    """A ball of which a middle and places on its surface are known."""
    radius = float(np.hypot(*(p[1:] - p[0]).T).max())
    return disc(p[0], radius, f"cam b{pen.body}")


def _axis(p: Array, half: float) -> Array:
    """Half of an axis on paper: shorter where it points at the reader."""
    v = p[1] - p[0]
    return v * half if np.hypot(*v) <= 1.0 else unit(v) * half


def hull(points: Array) -> Array:
    """Corners round points, in order; two where they lie on a line."""
    order = points[np.lexsort((points[:, 1], points[:, 0]))]
    span = float(np.abs(order - order[0]).max()) or 1.0

    def chain(given: Array) -> list[Array]:
        kept: list[Array] = []
        for p in given:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], p) <= 1e-3 * span**2:
                kept.pop()
            kept.append(p)
        return kept[:-1]

    corners = [*chain(order), *chain(order[::-1])]
    return np.array(corners) if len(corners) > 2 else np.array([order[0], order[-1]])


def _turn(a: Array, b: Array, c: Array) -> float:
    """Twice the area of a triangle, with its sense."""
    (x, y), (u, v) = b - a, c - b
    return float(x * v - y * u)


SYMBOLS: dict[str, Symbol] = {
    "bar": BAR,
    "plate": Symbol(plate, "hull", (Stroke("plate b{}", 6.5),)),
    "rod": _lines(("rod", 3.4)),
    "wheel": Symbol(wheel, "rigid"),
    "curve": Symbol(curve, "rigid"),
    "base": Symbol(base, "stamp"),
    "ground rail": Symbol(ground_rail, "rigid"),
    "guide": Symbol(fixed_guide),
    "rail": _lines(("link b{}", 5.0)),
    "slot way": _lines(("link b{}", 17.0), ("groove", 10.5)),
    "rope": _lines(("rod", 1.4)),
    "spring": Symbol(spring),
    "damper": Symbol(damper),
    "actuator": Symbol(actuator),
    "end": Symbol(end, "stamp"),
    "block": Symbol(block),
    "slot": Symbol(pin, "stamp"),
    "pin": Symbol(pin, "stamp"),
    "plane": Symbol(flat),
    "barrel": _lines(("link b{}", 9.0)),
    "piston": _lines(("link b{}", 4.5)),
    "collar": Symbol(collar),
    "round": Symbol(ball, "rigid"),
    "tread": Symbol(curve, "rigid"),
    "floor": _lines(("ground", 1.8)),
    "mass centre": Symbol(mass_centre, "stamp"),
}
"""Symbols in the plane, in the order in which they lie above each other."""
SPATIAL = SYMBOLS | {"plate": Symbol(star, "hull"), "block": Symbol(guide)}
"""Symbols of links in space, at further positions; at the first one there are solids (space.py)."""
