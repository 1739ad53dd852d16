"""Pictures of sweeps as SVG: parallel coordinates of all designs, contours over two sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...design.result import Sweep
from ...display import Drawing, number_told
from ...errors import StructureError
from ...spatial.rotation import Array
from ...verbs.designs import sizes_told
from ..schemes.svg_sheet import line, picture, words

WIDTH, HEIGHT = 720.0, 420.0
LEFT, RIGHT, TOP, BOTTOM = 80.0, 110.0, 60.0, 60.0
"""Margins around the axes."""
RAMP = np.array([[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]])
"""From the least to the most: colours that can be told apart in grey too."""
MOST_LINES = 1500
INK, BEST = "#111827", "#a21caf"
CONTOUR = "#f8fafc"
"""On all colours of the ramp, and on both papers."""
MIDDLE = " text-anchor='middle'"


def of_sweep(sweep: Sweep, at: Any = None, over: Any = None, theme: str = "light") -> Drawing:
    """An answer of a sweep: contours `over` two sizes of its grid, or all designs as lines.

    Without a name it is the first answer; with `-` before it the best design has the least of it.
    """
    by = next(iter(sweep.answers), "") if at is None else at
    if not isinstance(by, str):
        raise StructureError(f"draw: of a sweep expected the name of an answer, got {by!r:.40}")
    if over is None:
        return _lines(sweep, by, theme)
    if isinstance(over, str) or len(sizes := tuple(over)) != 2:
        raise StructureError(f"draw: over: expected the names of two sizes, got {over!r:.60}")
    x, y = sizes
    return _contours(sweep, by, x, y, theme)


def _lines(sweep: Sweep, by: str, theme: str) -> Drawing:
    """All designs as lines through one axis for each size and answer.

    Their colour says how much they have of `by`; the best is drawn on top. Of very many designs an
    even part is drawn.
    """
    best, name = sweep.best(by), by.removeprefix("-")
    names = [*sweep.parameters, *(n for n, x in sweep.answers.items() if x.ndim == 1)]
    columns = np.stack([_shown(sweep, n) for n in names], axis=-1)
    numbers = np.flatnonzero(np.isfinite(columns).all(axis=-1))
    numbers = numbers[:: max(1, -(-len(numbers) // MOST_LINES))]
    low, high = np.nanmin(columns[sweep.ok], axis=0), np.nanmax(columns[sweep.ok], axis=0)
    span = np.where(high > low, high - low, 1.0)
    x = np.linspace(LEFT, WIDTH - RIGHT, len(names))
    y = HEIGHT - BOTTOM - (columns - low) / span * (HEIGHT - TOP - BOTTOM)
    share = ((columns - low) / span)[:, names.index(name)]
    order = np.argsort(np.round(share[numbers], 9), kind="stable")
    body = [_path(x, y[k], _colour(share[k]), 0.8, 0.45) for k in numbers[order]]
    body.append(_path(x, y[best], BEST, 3.0, 1.0))
    ends = zip(_without_noise(low, span), _without_noise(high, span), strict=True)
    for at, text, (a, b) in zip(x, names, ends, strict=True):
        body.append(line((at, TOP), (at, HEIGHT - BOTTOM), INK, 1))
        body += [
            words((at, TOP - 26), _with_unit(sweep, text), INK, 12, MIDDLE),
            words((at, TOP - 8), number_told(float(b), 4), "#374151", 11, MIDDLE),
            words((at, HEIGHT - BOTTOM + 16), number_told(float(a), 4), "#374151", 11, MIDDLE),
        ]
    body.append(words((LEFT, HEIGHT - 16), f"best {sweep.told(best, by, 5)}", BEST, 12))
    title = f"{sweep.mechanism.name or 'mechanism'}: {len(sweep)} designs"
    return picture(title, WIDTH, HEIGHT, body, theme)


def _without_noise(values: Array, span: Array) -> Array:
    """Values with nothing for what is rounding beside their range."""
    return np.where(abs(values) < 1e-9 * span, 0.0, values)


def _contours(sweep: Sweep, of: str, x: str, y: str, theme: str) -> Drawing:
    """An answer over a grid, as colours and contours over two of its sizes.

    Other sizes are those of the best design. Designs that failed are left out.
    """
    best, name = sweep.best(of), of.removeprefix("-")
    X, Y, Z = (
        sweep.shown(each).values(values, sweep.units.get(each, ""))
        for each, values in zip((x, y, name), _plane(sweep, name, x, y, best), strict=True)
    )
    low, high = float(np.nanmin(Z)), float(np.nanmax(Z))
    span = high - low if high > low else 1.0
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    u = LEFT + (X - X[0]) / (X[-1] - X[0]) * (right - LEFT)
    v = bottom - (Y - Y[0]) / (Y[-1] - Y[0]) * (bottom - TOP)
    body = [*_cells(u, v, (Z - low) / span)]
    for level in _levels(low, high):
        for p, q in _contour(u, v, Z, level):
            body.append(line(p, q, CONTOUR, 1.2))
        body += _mark((level - low) / span, number_told(float(level), 4))
    body += _frame(X, Y, _with_unit(sweep, x), _with_unit(sweep, y))
    k = sweep.parameters_of(best)
    own = [float(_shown(sweep, each)[best]) for each in (x, y)]
    at = float(np.interp(own[0], X, u)), float(np.interp(own[1], Y, v))
    ring = f"r='5' fill='none' stroke='{BEST}' stroke-width='3'"
    body.append(f"<circle cx='{at[0]:.1f}' cy='{at[1]:.1f}' {ring}/>")
    told = sweep.value_told(best, name, 5)
    where = sizes_told(sweep.mechanism, {x: k[x], y: k[y]}, sweep.units, 4)
    body.append(words((LEFT, 24), f"best {of}: {told} at {where}", BEST, 12))
    return picture(f"{name} over {x} and {y}", WIDTH, HEIGHT, body, theme)


def _shown(sweep: Sweep, name: str) -> Array:
    """A size or an answer of all designs as people read it."""
    return np.asarray(sweep.shown(name).values(sweep[name], sweep.units.get(name, "")))


def _with_unit(sweep: Sweep, name: str) -> str:
    """`rod, m`."""
    return ", ".join(filter(None, (name, sweep.shown(name).unit(sweep.units.get(name, "")))))


def _plane(sweep: Sweep, name: str, x: str, y: str, best: int) -> tuple[Array, Array, Array]:
    """Values along two axes of a grid, and the answer there, the other sizes as in the best."""
    names, shape = sweep.parameters, sweep.designs.shape
    if len(shape) != len(names) or x == y or not {x, y} <= {*names}:
        raise StructureError(
            f"draw: over: expected two sizes of a grid, got {x!r:.40} and {y!r:.40}; the "
            f"sweep has {', '.join(names)}{'' if len(shape) == len(names) else ', and no grid'}"
        )
    Z = sweep.grid(name)
    if Z.ndim != len(names) or min(shape[names.index(x)], shape[names.index(y)]) < 2:
        raise StructureError(
            f"draw: {name!r:.40} over {x!r} and {y!r}: expected one number for each "
            "design and two or more values of both sizes"
        )
    place = [int(k) for k in np.unravel_index(best, shape)]
    cut = tuple(slice(None) if n in (x, y) else place[i] for i, n in enumerate(names))
    Z = Z[cut] if names.index(x) < names.index(y) else Z[cut].T
    axes = [np.unique(sweep[n]) for n in (x, y)]
    order = [np.argsort(_along(sweep, n)) for n in (x, y)]
    return axes[0], axes[1], Z[np.ix_(*order)]


def _along(sweep: Sweep, name: str) -> Array:
    """The values of a size along its axis of the grid."""
    i = sweep.parameters.index(name)
    place = tuple(slice(None) if k == i else 0 for k in range(len(sweep.parameters)))
    return np.asarray(sweep.grid(name)[place])


def _cells(u: Array, v: Array, share: Array) -> Iterator[str]:
    """A patch of colour around every design."""
    edges = [np.concatenate([e[:1], (e[1:] + e[:-1]) / 2, e[-1:]]) for e in (u, v)]
    for i, j in np.argwhere(np.isfinite(share)):
        (a, b), (d, c) = edges[0][i : i + 2], edges[1][j : j + 2]
        yield (
            f"<rect x='{a:.1f}' y='{c:.1f}' width='{b - a + 0.3:.1f}' height='{d - c + 0.3:.1f}' "
            f"fill='{_colour(share[i, j])}'/>"
        )


def _contour(u: Array, v: Array, Z: Array, level: float) -> Iterator[tuple[Array, Array]]:
    """Pieces of a contour, one or two in each cell that it crosses: linear between corners."""
    for i in range(len(u) - 1):
        for j in range(len(v) - 1):
            corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
            z = np.array([Z[k] for k in corners]) - level
            if np.isnan(z).any():
                continue
            cuts = []
            for k in range(4):
                a, b = z[k], z[(k + 1) % 4]
                if (a < 0) != (b < 0):
                    s = a / (a - b)
                    (i0, j0), (i1, j1) = corners[k], corners[(k + 1) % 4]
                    cuts.append(
                        np.array([u[i0] + s * (u[i1] - u[i0]), v[j0] + s * (v[j1] - v[j0])])
                    )
            yield from zip(cuts[::2], cuts[1::2], strict=True)


def _levels(low: float, high: float) -> Array:
    """About eight round values between two ends."""
    if not high > low:
        return np.zeros(0)
    rough = (high - low) / 8
    size = 10.0 ** np.floor(np.log10(rough))
    step = float(min((size * k for k in (1, 2, 5, 10)), key=lambda s: abs(s - rough)))
    return np.asarray(step * np.arange(np.ceil(low / step), np.floor(high / step) + 1))


def _frame(X: Array, Y: Array, x: str, y: str) -> list[str]:
    """The axes with their ends and names."""
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    turned = f" text-anchor='middle' transform='rotate(-90 24 {(TOP + bottom) / 2:.0f})'"
    return [
        f"<rect x='{LEFT}' y='{TOP}' width='{right - LEFT}' height='{bottom - TOP}' fill='none' "
        f"stroke='{INK}'/>",
        words((LEFT, bottom + 18), number_told(float(X[0]), 4), INK, 12, MIDDLE),
        words((right, bottom + 18), number_told(float(X[-1]), 4), INK, 12, MIDDLE),
        words(((LEFT + right) / 2, bottom + 34), x, INK, 13, MIDDLE),
        words((LEFT - 6, bottom), number_told(float(Y[0]), 4), INK, 12, " text-anchor='end'"),
        words((LEFT - 6, TOP + 8), number_told(float(Y[-1]), 4), INK, 12, " text-anchor='end'"),
        words((24, (TOP + bottom) / 2), y, INK, 13, turned),
    ]


def _mark(share: float, text: str) -> list[str]:
    """A level beside the picture, in its colour."""
    at = HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
    left = WIDTH - RIGHT + 16
    return [
        line((left, at), (left + 16, at), _colour(share), 6),
        words((left + 22, at + 4), text, INK, 11),
    ]


def _path(x: Array, y: Array, colour: str, width: float, opacity: float) -> str:
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    return (
        f"<polyline points='{points}' fill='none' stroke='{colour}' stroke-width='{width}' "
        f"stroke-opacity='{opacity}'/>"
    )


def _colour(share: float) -> str:
    """A colour between the least (0) and the most (1)."""
    place = float(np.clip(share, 0.0, 1.0)) * (len(RAMP) - 1)
    k = min(int(place), len(RAMP) - 2)
    red, green, blue = (RAMP[k] + (place - k) * (RAMP[k + 1] - RAMP[k])).round().astype(int)
    return f"#{red:02x}{green:02x}{blue:02x}"
