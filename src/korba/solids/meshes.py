"""Solids from meshes: volume, centroid and tensor of what a closed surface of triangles encloses.

trimesh (the extra `mesh`) reads the file and says whether the surface is closed; the integrals are
spatial/inertia.py's.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from ..door import public
from ..errors import ExpressionError, FileError, KorbaError, StructureError
from ..expr import number
from ..files.disk import FilePath, read_bytes
from ..model.frame import as_tuples
from ..model.solid_kinds import Measured
from ..spatial.inertia import enclosed_moments, of_pseudo_inertia

FORMATS = ("stl", "obj", "ply")
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
    `hole` are those of every solid. Needs trimesh: `pip install korba[mesh]`.

    >>> kb.solids.mesh("crank.stl", unit="mm", density="7850 kg/m^3").mass    # doctest: +SKIP
    """
    try:
        metres = number(f"1 {unit}", "length")
    except ExpressionError as error:
        raise StructureError(f"mesh: unit: {error}") from None
    B = enclosed_moments(_triangles(Path(path)) * metres)
    if not B[3, 3] > 0:
        raise FileError(f"{path}: the mesh encloses no volume; is it a flat surface?")
    volume, centroid, tensor = of_pseudo_inertia(B)
    place: dict[str, Any] = {"density": density, "at": at, "rotation": rotation, "hole": hole}
    return Measured(volume, tuple(centroid.tolist()), as_tuples(tensor), **place)


def _triangles(path: Path) -> Any:
    """Corners of the triangles of a closed mesh, (triangles, 3, 3), seen anticlockwise outside."""
    form = path.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        known = ", ".join(f".{each}" for each in FORMATS)
        raise FileError(
            f"{path}: only meshes in {known} are read, by the ending of the file's name"
        )
    data = read_bytes(path)
    try:
        import trimesh
    except ImportError:
        raise KorbaError(
            "meshes need trimesh, which is not installed; run: pip install korba[mesh]"
        ) from None
    try:
        found = trimesh.load_mesh(io.BytesIO(data), file_type=form)
        edges = np.sort(found.edges, axis=1)
        closed, even = bool(found.is_watertight), bool(found.is_winding_consistent)
        triangles = np.array(found.triangles, dtype=float)
    except Exception as error:  # what trimesh raises is not documented
        raise FileError(f"{path}: is no {form.upper()} mesh that can be read: {error}") from None
    if not len(triangles):
        raise FileError(f"{path}: is no {form.upper()} mesh that can be read: it has no triangles")
    if not closed:
        counts = np.unique(edges, axis=0, return_counts=True)[1]
        raise FileError(
            f"{path}: the mesh is not closed: {int(np.sum(counts != 2))} of {len(counts)} edges do "
            "not join two triangles, so it has no inside; repair it, or export it as a solid"
        )
    if not even:
        raise FileError(
            f"{path}: triangles of the mesh face different ways, so it has no inside; let a mesh "
            "editor make its normals consistent"
        )
    return triangles
