"""What bodies look like, ready to be drawn: boxes, cylinders, balls, and meshes made small.

Mesh files are opened here, when a picture is made. All meshes of a picture share one grid, chosen
so that they have no more triangles together than asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...errors import KorbaError
from ...files.mesh_files import mesh_path
from ...model.body import Shape
from ...solids.surfaces import Surface, read_surface, simplified
from ...spatial.rotation import Array, cross
from .forms import Form

TRIES = 6
"""Grids that are tried, each coarser, until meshes are small enough."""


class Visual(NamedTuple):
    """A form on a body; of one by its name alone, such as a box, `form` is None."""

    body: str
    name: str
    X: Array
    color: str
    form: Form | None = None


def visuals_of(
    shapes: Iterable[tuple[str, Shape]], folder: str, most: int, *, finest: float = 0.0
) -> tuple[list[Visual], tuple[str, ...]]:
    """The shapes of bodies, and sentences on those that cannot be shown.

    Meshes have at most so many triangles in all, and no details below `finest`, a length.
    """
    plain: list[Visual] = []
    meshes: list[tuple[str, Shape, Surface]] = []
    unread: list[str] = []
    for body, shape in shapes:
        if shape.kind != "mesh":
            plain += _plain(body, shape)
            continue
        place = mesh_path(shape.file, folder)
        try:
            if place is None:
                raise KorbaError(f"{shape.file}: there is no such file")
            meshes.append((body, shape, _scaled(place, shape)))
        except KorbaError as error:
            unread.append(str(error))
    return [*plain, *_meshes(meshes, most, finest)], tuple(dict.fromkeys(unread))


def _plain(body: str, shape: Shape) -> Iterator[Visual]:
    """Boxes, balls, cylinders, and capsules of these."""
    X, size, color = shape.frame.pose().matrix(), shape.size, hex_color(shape.color)
    if shape.kind == "box":
        yield Visual(body, "box", X @ np.diag([*size, 1.0]), color)
        return
    r = size[0]
    half = size[1] / 2 if len(size) > 1 else 0.0
    if shape.kind in ("cylinder", "capsule"):
        start = np.diag([r, r, 2 * half, 1.0])
        start[2, 3] = -half
        yield Visual(body, "fine cylinder", X @ start, color)
    for side in {"capsule": (-1.0, 1.0), "sphere": (0.0,)}.get(shape.kind, ()):
        end = np.diag([r, r, r, 1.0])
        end[2, 3] = side * half
        yield Visual(body, "fine ball", X @ end, color)


def _scaled(place: Path, shape: Shape) -> Surface:
    """The surface of a file in metres; a mirrored one keeps its outside outside."""
    about = place.stat()
    surface = _read(str(place), about.st_mtime_ns, about.st_size)
    scale = np.array(shape.scale)
    triangles = surface.triangles[:, ::-1] if np.prod(scale) < 0 else surface.triangles
    return surface._replace(corners=surface.corners * scale, triangles=triangles)


@lru_cache(maxsize=128)
def _read(place: str, changed: int, size: int) -> Surface:
    return read_surface(Path(place))


def _meshes(meshes: list[tuple[str, Shape, Surface]], most: int, finest: float) -> Iterator[Visual]:
    small = _small([surface for _, _, surface in meshes], most, finest)
    for n, ((body, shape, _), surface) in enumerate(zip(meshes, small, strict=True)):
        X, own = shape.frame.pose().matrix(), hex_color(shape.color)
        shades = np.round(surface.colors * 255).astype(int)
        for i, shade in enumerate(np.unique(shades, axis=0) if len(shades) else ()):
            triangles = surface.triangles[(shades == shade).all(axis=1)]
            used, numbers = np.unique(triangles, return_inverse=True)
            numbers = numbers.reshape(-1, 3)
            form = Form(surface.corners[used], numbers[:, [0, 1, 2, 2]])
            color = "#" + bytes(shade.tolist()).hex() if shade.min() >= 0 else own
            yield Visual(body, f"mesh {n}.{i}", X, color, form)


def _small(surfaces: list[Surface], most: int, finest: float) -> list[Surface]:
    """The surfaces on one grid with at most so many triangles in all.

    A cell of a grid holds about two triangles for each cell's area of surface, which is the start.
    """
    if sum(len(surface.triangles) for surface in surfaces) <= most:
        return surfaces
    cell = max(finest, float(np.sqrt(2 * sum(map(_area, surfaces)) / most)))
    made: list[Surface] = []
    for _ in range(TRIES):
        made = [simplified(surface, cell) for surface in surfaces]
        count = sum(len(surface.triangles) for surface in made)
        if count <= most:
            break
        cell *= 1.06 * float(np.sqrt(count / most))
    return made


def _area(surface: Surface) -> float:
    a, b, c = (surface.corners[surface.triangles[:, i]] for i in range(3))
    return float(np.linalg.norm(cross(b - a, c - a), axis=1).sum()) / 2


def hex_color(color: tuple[float, ...]) -> str:
    """Red, green and blue from 0 to 1 as "#rrggbb"; nothing where they are not given."""
    if len(color) < 3:
        return ""
    return "#" + bytes(round(255 * min(max(x, 0.0), 1.0)) for x in color[:3]).hex()
