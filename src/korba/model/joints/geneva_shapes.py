"""What a Geneva drive looks like, where the pin's circle on the crank has the radius 1."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ...spatial.rotation import Array, rotation_z
from ..outline import circle

PIN = 0.09
"""Radius of a pin."""
Point = tuple[float, float]


@lru_cache(maxsize=64)
def geneva_shapes(slots: int, pins: int, inner: bool) -> tuple[tuple[str, Array], ...]:
    """Closed curves of crank ("parent") and wheel ("child"), each about its own axis."""
    centres = float(1.0 / np.sin(np.pi / slots))
    rim = float(centres * np.cos(np.pi / slots))
    first = np.arange(pins) * (2 * np.pi / pins) + (np.pi if inner else 0.0)
    if inner:
        crank = [_placed(_bar(-2 * PIN, 1.0, 1.8 * PIN), x) for x in first]
        wheel = [circle(centres + 1.0 + 3 * PIN)]
        bars = [_bar(rim, centres + 1.0, PIN)] * slots
        wheel += [_placed(x, 2 * np.pi * k / slots) for k, x in enumerate(bars)]
    else:
        lock = (1.0 + centres - rim) / 2
        crank = [_crank(first, lock, np.pi / 2 - np.pi / slots)]
        wheel = [_star(slots, centres, rim, lock)]
    pin = [_placed(circle(PIN) + np.array([1.0, 0.0, 0.0]), x) for x in first]
    sides = {"parent": [*crank, *pin], "child": wheel}
    return tuple((side, curve) for side, curves in sides.items() for curve in curves)


def _flat(points: Sequence[Point]) -> Array:
    return np.array([[x, y, 0.0] for x, y in points])


def _placed(curve: Array, angle: float) -> Array:
    return np.asarray(curve @ rotation_z(angle).T)


def _bar(near: float, far: float, half: float) -> Array:
    """A bar or slot along x, between two places, rounded at the far one."""
    turn = np.linspace(np.pi / 2, -np.pi / 2, 9)
    end = [(far + half * np.cos(t), half * np.sin(t)) for t in turn]
    return _flat([(near, half), *end, (near, -half)])


def _crank(pins: Array, lock: float, free: float) -> Array:
    """An arm to each pin, and between them parts of the disc that locks."""
    gap, corners = 2 * np.pi / len(pins), []
    for angle in pins:
        arc = np.linspace(free, gap - free, 31)
        disc = [(lock * np.cos(t), lock * np.sin(t)) for t in arc]
        corners.append(_placed(np.vstack([_bar(0.2, 1.0, 1.8 * PIN)[::-1], _flat(disc)]), angle))
    return np.concatenate(corners)


def _star(slots: int, centres: float, rim: float, lock: float) -> Array:
    """Slots as deep as the pin goes; between them the rim is hollow, round the disc."""
    half, corners = np.pi / slots, []
    bottom, corner = centres - 1.0 - PIN, float(np.arcsin(PIN / rim))
    for k in range(slots):
        between = np.linspace(corner, 2 * half - corner, 41)
        hollow = lock**2 - (centres * np.sin(between - half)) ** 2
        near = centres * np.cos(between - half) - np.sqrt(np.maximum(hollow, 0.0))
        reach = np.where(hollow > 0.0, np.minimum(rim, near), rim)
        arc = [*zip(reach * np.cos(between), reach * np.sin(between), strict=True)]
        own = _flat([(bottom, -PIN), (bottom, PIN), *arc])
        corners.append(_placed(own, np.pi + 2 * half * k))
    return np.concatenate(corners)
