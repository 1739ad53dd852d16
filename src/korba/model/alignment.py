"""Axes that are meant to be parallel, square or to meet in a point, but for the digits of a file.

Planar and spherical linkages move because their axes are parallel or meet in one point. Numbers of
a file have some digits only, and axes off by 1e-7 are a structure that does not move at all. So in
loops axes are put right by the smallest change, where they are off by no more than `meets`, in
radians and typical lengths: directions d of an axis joint become the mean of those that are nearly
the same; a slide nearly square to two or more parallel axes n is made so; and lines through
nearly the same point c are shifted onto it,

    d - n (n d),          p + (c - p) - d (d (c - p))

Axes off by more are what they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..spatial.pose import Pose
from ..spatial.rotation import Array, cross, rotation_about

EXACT = 1e-12
"""Errors below this, in radians and typical lengths, are rounding and stay."""
MOST_LINES = 60
"""Lines of which common points are looked for."""


@dataclass(frozen=True)
class Axis:
    """The line of a joint that turns about it or slides along it."""

    p: Array
    d: Array
    slides: bool
    """Whether it slides only."""


def aligned(axes: Sequence[Axis], length: float, meets: float) -> list[Axis]:
    """The axes, put right."""
    axes = _parallel(axes, 2 * meets)
    axes = _square(axes, 2 * meets)
    return _through_points(axes, length, 2 * meets * length)


def motion_between(old: Axis, new: Axis) -> Pose:
    """The smallest motion that takes an axis to where it should be."""
    normal = cross(old.d, new.d)
    angle = float(np.linalg.norm(normal))
    R = rotation_about(normal / angle, angle) if angle > EXACT else np.eye(3)
    return Pose(R, new.p - R @ old.p)


def _parallel(axes: Sequence[Axis], off: float) -> list[Axis]:
    """Directions that are nearly the same become their mean, whatever their sign."""
    groups: list[list[int]] = []
    for k, axis in enumerate(axes):
        for group in groups:
            if np.linalg.norm(cross(axes[group[0]].d, axis.d)) <= off:
                group.append(k)
                break
        else:
            groups.append([k])
    right = list(axes)
    for group in groups:
        first = axes[group[0]].d
        signs = [1.0 if axes[k].d @ first > 0 else -1.0 for k in group]
        same = [sign * axes[k].d for sign, k in zip(signs, group, strict=True)]
        if max(float(np.linalg.norm(d - first)) for d in same) > EXACT:
            mean = np.mean(same, axis=0)
            mean = mean / np.linalg.norm(mean)
            for sign, k in zip(signs, group, strict=True):
                right[k] = replace(axes[k], d=sign * mean)
    return right


def _square(axes: list[Axis], off: float) -> list[Axis]:
    """Slides nearly square to an axis that two joints or more turn about are made so."""
    turning = [axis.d for axis in axes if not axis.slides]
    shared = [n for k, n in enumerate(turning) if any(_same(n, d) for d in turning[:k])]

    def made(axis: Axis) -> Axis:
        for n in shared if axis.slides else ():
            if EXACT < abs(axis.d @ n) <= off:
                d = axis.d - n * (n @ axis.d)
                return replace(axis, d=d / np.linalg.norm(d))
        return axis

    return [made(axis) for axis in axes]


def _same(n: Array, d: Array) -> bool:
    return bool(np.linalg.norm(cross(n, d)) <= EXACT)


def _through_points(axes: list[Axis], length: float, off: float) -> list[Axis]:
    """Lines of three or more joints that nearly meet in a point are shifted onto it."""
    lines = [k for k, axis in enumerate(axes) if not axis.slides][:MOST_LINES]
    right, left = list(axes), set(lines)
    for i, j, c in _meetings(axes, lines, off):
        near = [k for k in left if {i, j} <= left and _away(axes[k], c) <= off]
        if len(near) < 3:
            continue
        centre = _common(axes, near)
        if max(_away(axes[k], centre) for k in near) > EXACT * length:
            for k in near:
                d, away = axes[k].d, centre - axes[k].p
                right[k] = replace(axes[k], p=axes[k].p + away - d * (d @ away))
        left -= set(near)
    return right


def _meetings(
    axes: Sequence[Axis], lines: Sequence[int], off: float
) -> Iterator[tuple[int, int, Array]]:
    """Pairs of lines that nearly meet, and where; not those that are nearly parallel."""
    if len(lines) < 3:
        return
    p, d = (np.array([getattr(axes[k], name) for k in lines]) for name in "pd")
    i, j = np.triu_indices(len(lines), 1)
    normal, apart = cross(d[i], d[j]), p[j] - p[i]
    size = np.sum(normal**2, axis=1)
    meets = (size > 1e-4) & (np.abs(np.sum(apart * normal, axis=1)) <= off * np.sqrt(size))
    for k in np.flatnonzero(meets):
        a, b = int(i[k]), int(j[k])
        along = cross(apart[k], d[b]) @ normal[k] / size[k]
        yield lines[a], lines[b], p[a] + d[a] * along


def _away(axis: Axis, c: Array) -> float:
    return float(np.linalg.norm(cross(axis.d, c - axis.p)))


def _common(axes: Sequence[Axis], lines: Sequence[int]) -> Array:
    """The point nearest to some lines:  sum (1 - d d') (c - p) = 0."""
    squares = [np.eye(3) - np.outer(axes[k].d, axes[k].d) for k in lines]
    right = sum(P @ axes[k].p for P, k in zip(squares, lines, strict=True))
    return np.asarray(np.linalg.solve(np.sum(squares, axis=0), right))
