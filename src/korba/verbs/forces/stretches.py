"""Positions one after the other at which something holds, and how they are told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...display import Displayed
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array

MOST = 3
"""Stretches that a note names."""


@dataclass(frozen=True)
class Stretch(Displayed):
    """Positions one after the other at which something happens in a joint."""

    joint: str
    run: tuple[int, ...]
    """Which run of a batch."""
    rows: slice
    """Which positions of it."""
    t_start: float
    """Time of the first."""
    t_end: float
    """Time of the last."""


class Positions(NamedTuple):
    """What positions are told by: a mechanism, its times and coordinates."""

    m: Mechanism
    t: Any
    q: Any


def stretches(holds: Array, t: Any) -> Iterator[tuple[tuple[int, ...], slice, float, float]]:
    """Run, rows, start and end of each stretch of positions at which something holds."""
    times = np.broadcast_to(np.asarray(t, dtype=float), holds.shape)
    rows = holds[..., None] if holds.ndim == 0 else holds
    for run in np.ndindex(rows.shape[:-1]):
        edges = np.flatnonzero(np.diff([False, *rows[run], False]))
        for first, stop in zip(edges[::2], edges[1::2], strict=True):
            own = np.ravel(times[(*run, slice(first, stop))] if holds.ndim else times)
            yield run, slice(int(first), int(stop)), float(own[0]), float(own[-1])


def inside(run: tuple[int, ...], rows: slice, values: Array, ndim: int) -> Array:
    """What belongs to a stretch, of values whose first `ndim` axes are positions."""
    own: Any = (*run, rows)
    return np.asarray(values[own]) if ndim else values


def place(at: Positions, stretch: Stretch, ndim: int) -> str:
    """From where to where; nothing for a single position."""
    if ndim == 0:
        return ""
    text = ""
    if np.ndim(at.t):
        text += f" from t = {stretch.t_start:.6g} s to {stretch.t_end:.6g} s"
    led = [drive.coordinate for drive in at.m.drives if drive.coordinate is not None]
    names = [name for joint in at.m.joints for name in joint.coordinates()]
    if led and led[0] in names:
        q = inside(stretch.run, stretch.rows, np.asarray(at.q), 1)[..., names.index(led[0])]
        text += f" ({led[0]} from {q[0]:.6g} to {q[-1]:.6g})"
    run = stretch.run
    which = f" of run {run[0] if len(run) == 1 else run}" if run else ""
    return f"{text}, positions {stretch.rows.start} to {stretch.rows.stop - 1}{which}"


def few(texts: Sequence[str]) -> str:
    """The first of them, and how many more there are."""
    more = f"; and {len(texts) - MOST} more" if len(texts) > MOST else ""
    return "; ".join(texts[:MOST]) + more
