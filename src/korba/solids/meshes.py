"""Solids from meshes: volume, centroid and tensor of what a closed surface of triangles encloses.

A surface is closed if every edge joins two triangles, which go along it in opposite ways. The
integrals are spatial/inertia.py's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..disk import FilePath
from ..door import public
from ..errors import FileError
from ..expr.quantities import quantity
from ..model.frame import as_tuples
from ..model.solid_kinds import Measured
from ..spatial.inertia import enclosed_moments, of_pseudo_inertia
from ..spatial.rotation import Array
from .surfaces import joined, read_surface

FORMATS = (".stl", ".obj", ".ply")
"""Endings of the files that are read."""


@public
def mesh(
    path: FilePath,
    *,
    density: float | str | None = None,
    unit: str = "m",
    at: Any = (0.0, 0.0, 0.0),
    rotation: Any = 0.0,
    hole: bool = False,
) -> Measured:
    """The solid inside the closed mesh of an STL, OBJ or PLY file.

    Such files do not say their unit: give unit="mm" where it is not the metre. `at`, `rotation` and
    `hole` are those of every solid. PLY files need trimesh: `pip install 'korba[mesh]'`.

    >>> kb.solids.mesh("crank.stl", unit="mm", density="7850 kg/m^3").mass    # doctest: +SKIP
    """
    metres = quantity("mesh: unit", f"1 {unit}", "length")
    B = enclosed_moments(_triangles(Path(path)) * metres)
    if not B[3, 3] > 0:
        raise FileError(f"{path}: the mesh encloses no volume; is it a flat surface?")
    volume, centroid, tensor = of_pseudo_inertia(B)
    place: dict[str, Any] = {"density": density, "at": at, "rotation": rotation, "hole": hole}
    return Measured(volume, tuple(centroid.tolist()), as_tuples(tensor), **place)


def _triangles(path: Path) -> Array:
    """Corners of the triangles of a closed mesh, (triangles, 3, 3), seen anticlockwise outside."""
    if path.suffix.lower() not in FORMATS:
        raise FileError(
            f"{path}: only meshes in {', '.join(FORMATS)} are read, by the ending of the file's "
            "name"
        )
    found = joined(read_surface(path))
    ways = found.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    edges, counts = np.unique(np.sort(ways, axis=1), axis=0, return_counts=True)
    if lost := int(np.sum(counts != 2)):
        raise FileError(
            f"{path}: the mesh is not closed: {lost} of {len(edges)} edges do not join two "
            "triangles, so it has no inside; repair it, or export it as a solid"
        )
    if len(np.unique(ways, axis=0)) < len(ways):
        raise FileError(
            f"{path}: triangles of the mesh face different ways, so it has no inside; let a mesh "
            "editor make its normals consistent"
        )
    return found.corners[found.triangles]
