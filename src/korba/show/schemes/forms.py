"""Solid forms that spatial pictures are built of: corners, and faces seen anticlockwise outside.

Forms of unit size (a cylinder of radius 1 from z = 0 to 1, a ball, a box) are placed by affine
maps, so a bar, a pin and a URDF's cylinder are one form. Every face has four corners; of a triangle
the last one is there twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from ...spatial.rotation import Array, cross
from .symbols import hull

SIDES, FINE = 14, 32
"""Sides of what is round: of symbols, and of shapes."""


class Form(NamedTuple):
    """Corners (n, 3) and faces (k, 4), numbers of corners."""

    corners: Array
    faces: Array

    def triangles(self) -> Array:
        """The faces cut into triangles, (n, 3)."""
        first, second = self.faces[:, :3], self.faces[:, [0, 2, 3]]
        return np.concatenate([first, second[self.faces[:, 2] != self.faces[:, 3]]])


def turned(profile: Sequence[tuple[float, float]], sides: int = SIDES) -> Form:
    """What a line of points (radius, z), from below to above, sweeps about z; ends are closed."""
    rings = [(0.0, profile[0][1]), *profile, (0.0, profile[-1][1])]
    angles = 2 * np.pi * np.arange(sides) / sides
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    corners = [np.column_stack([r * circle, np.full(sides, z)]) for r, z in rings]
    faces = []
    for k in range(len(rings) - 1):
        if rings[k] == rings[k + 1]:
            continue
        for i in range(sides):
            a, b = k * sides + i, k * sides + (i + 1) % sides
            c, d = b + sides, a + sides
            if rings[k][0] == 0.0:
                faces.append((a, c, d, d))
            elif rings[k + 1][0] == 0.0:
                faces.append((a, b, d, d))
            else:
                faces.append((a, b, c, d))
    return Form(np.concatenate(corners), np.array(faces))


def tube(way: Array, radius: float, sides: int = 6) -> Form:
    """A round wire along a line of points."""
    along = np.gradient(way, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    side = cross(along[0], np.eye(3)[np.argmin(np.abs(along[0]))])
    rings = []
    for p, u in zip(way, along, strict=True):
        side = side - u * (side @ u)
        side = side / np.linalg.norm(side)
        angles = 2 * np.pi * np.arange(sides) / sides
        ring = np.outer(np.cos(angles), side) + np.outer(np.sin(angles), cross(u, side))
        rings.append(p + radius * ring)
    first = np.arange((len(way) - 1) * sides).reshape(-1, sides)
    nxt = np.roll(first, -1, axis=1)
    quads = np.stack([first, nxt, nxt + sides, first + sides], axis=-1).reshape(-1, 4)
    return Form(np.concatenate(rings), quads)


def prism(outline: Array, across: Array) -> Form:
    """A flat plate: an outline (n, 3), anticlockwise seen from `across`, and as thick as that."""
    n = len(outline)
    middle = outline.mean(axis=0)
    low, high = outline - across / 2, outline + across / 2
    corners = np.concatenate([low, high, [middle - across / 2, middle + across / 2]])
    i = np.arange(n)
    j = np.roll(i, -1)
    below, above = np.full(n, 2 * n), np.full(n, 2 * n + 1)
    sides = np.stack([i, j, j + n, i + n], axis=1)
    lids = [np.stack([below, j, i, i], axis=1), np.stack([above, i + n, j + n, j + n], axis=1)]
    return Form(corners, np.concatenate([sides, *lids]))


def ring(inner: Array, outer: Array, across: Array) -> Form:
    """What is between two outlines (n, 3), anticlockwise seen from `across`, as thick as that."""
    n = len(inner)
    half = across / 2
    corners = np.concatenate([inner - half, inner + half, outer - half, outer + half])
    i = np.arange(n)
    j = np.roll(i, -1)
    walls = [np.stack(each, axis=1) for each in ((j, i, i + n, j + n), (i, j, j + n, i + n))]
    lids = [(i, j, j + 2 * n, i + 2 * n), (j + n, i + n, i + 3 * n, j + 3 * n)]
    own = [walls[0], walls[1] + 2 * n, *(np.stack(each, axis=1) for each in lids)]
    return Form(corners, np.concatenate(own))


def flat_outline(points: Array) -> tuple[Array, Array] | None:
    """The hull (n, 3) of points in one plane, and its unit normal; None of points in space."""
    middle = points.mean(axis=0)
    _, sizes, axes = np.linalg.svd(points - middle)
    if (
        len(points) < 3
        or sizes[1] < 0.05 * sizes[0]
        or (len(sizes) > 2 and sizes[2] > 0.02 * sizes[1])
    ):
        return None
    corners = hull((points - middle) @ axes[:2].T)
    return middle + corners @ axes[:2], cross(axes[0], axes[1])


def _coil(turns: int, long: float, wire: float, steps: int = 12) -> Form:
    """A wire round z, from 0 to 1, whose section is round where it is so many radii long."""
    angle = 2 * np.pi * np.arange(turns * steps + 1) / steps
    height = np.linspace(0.0, long, len(angle))
    form = tube(np.column_stack([np.cos(angle), np.sin(angle), height]), wire)
    return form._replace(corners=form.corners / [1.0, 1.0, long])


@cache
def unit(name: str) -> Form:
    """A form by its name: of radius 1, from z = 0 to 1; the box has its middle in the origin."""
    if name in ("cylinder", "fine cylinder"):
        return turned([(1.0, 0.0), (1.0, 1.0)], SIDES if name == "cylinder" else FINE)
    if name == "cone":
        return turned([(1.0, 0.0), (0.3, 1.0)])
    if name == "head":
        return turned([(1.0, 0.0), (0.0, 1.0)])
    if name in ("ball", "fine ball"):
        sides = SIDES if name == "ball" else FINE
        angles = np.linspace(-np.pi / 2, np.pi / 2, sides // 2 + 3)[1:-1]
        arc = [(float(np.cos(a)), float(np.sin(a))) for a in angles]
        return turned([(0.0, -1.0), *arc, (0.0, 1.0)], sides)
    if name == "box":
        corners = np.array(
            [[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
        )
        faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        return Form(corners, np.array(faces))
    if name == "damper":
        return turned(
            [(0.25, 0.0), (0.25, 0.36), (1.0, 0.36), (1.0, 0.66), (0.3, 0.66), (0.3, 1.0)]
        )
    if name == "actuator":
        return turned([(1.0, 0.0), (1.0, 0.55), (0.4, 0.55), (0.4, 1.0)])
    if name == "seam":
        turn = 2 * np.pi * np.arange(FINE + 1) / FINE
        return tube(np.column_stack([np.cos(turn), np.sin(turn), 0 * turn]), 0.03)
    if name == "thread":
        return _coil(5, 9.0, 0.28)
    return _coil(15, 32.0, 0.2)  # a spring
