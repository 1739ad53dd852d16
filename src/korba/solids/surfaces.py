"""Surfaces of triangles from mesh files, for solids and pictures: STL, OBJ and COLLADA (DAE).

Nothing but numbers is read. COLLADA goes through files/xml_tree.py, which knows no entities and
opens no other file; other formats go through trimesh (the extra `mesh`). The up axis that a COLLADA
file names is not applied, as robots' files mean their numbers as they stand.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..disk import read_bytes
from ..errors import FileError, KorbaError
from ..files.xml_tree import XmlElement, parse_xml
from ..libraries import library
from ..spatial.rotation import Array, cross, rotation_about

STL_HEAD, STL_ROW = 84, 50
"""Bytes before the triangles of a binary STL file, and of each of them."""
MOST = 4_000_000
"""Triangles, and nodes, that a COLLADA scene may unfold to."""
DECIMALS = 8
"""Of the file's unit, to which corners are one."""
VERTEX = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")


class Surface(NamedTuple):
    """Corners (n, 3), triangles (k, 3) and their colours (k, 3), -1 where the file has none."""

    corners: Array
    triangles: Array
    colors: Array


def read_surface(path: Path) -> Surface:
    """The surface in a file, by the ending of its name, in the file's own unit and frame."""
    data, form = read_bytes(path), path.suffix.lower()
    reader: Callable[[bytes, str], Surface] = READERS.get(form, _by_trimesh)
    refusal = f"{path}: is no {form[1:].upper()} mesh that can be read"
    try:
        found = reader(data, str(path))
    except KorbaError:
        raise
    except (ValueError, IndexError, KeyError, OverflowError) as error:
        raise FileError(f"{refusal}: {error}") from None
    if not len(found.triangles) or not np.isfinite(found.corners).all():
        raise FileError(f"{refusal}: it has no triangles")
    if found.triangles.min() < 0 or found.triangles.max() >= len(found.corners):
        raise FileError(f"{refusal}: it names corners it has not")
    return found


def _plain(corners: Array, triangles: Array) -> Surface:
    return Surface(corners, triangles, np.full((len(triangles), 3), -1.0))


def joined(surface: Surface) -> Surface:
    """The surface with corners at one place, to `DECIMALS` in the file's unit, made one."""
    rows = np.ascontiguousarray(np.round(surface.corners, DECIMALS)) + 0.0
    keys = rows.view([("", rows.dtype)] * 3).ravel()
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    corners = surface.corners[first]
    return surface._replace(corners=corners, triangles=number[surface.triangles])


def _soup(points: Array) -> Surface:
    """Triangles (k, 3, 3), corners at one place made one."""
    corners = points.reshape(-1, 3).astype(float)
    return joined(_plain(corners, np.arange(len(corners)).reshape(-1, 3)))


def _stl(data: bytes, source: str) -> Surface:
    count = int.from_bytes(data[80:STL_HEAD], "little")
    if len(data) >= STL_HEAD and len(data) >= STL_HEAD + STL_ROW * count and count:
        row = np.dtype([("normal", "<f4", 3), ("points", "<f4", (3, 3)), ("more", "<u2")])
        return _soup(np.frombuffer(data, row, count, STL_HEAD)["points"])
    return _soup(np.array(VERTEX.findall(data), dtype=float).reshape(-1, 3, 3))


def _obj(data: bytes, source: str) -> Surface:
    points, triangles = [], []
    for line in data.decode("utf-8", "replace").splitlines():
        word, *rest = line.split() or [""]
        if word == "v":
            points.append([float(x) for x in rest[:3]])
        elif word == "f":
            numbers = [int(each.split("/")[0]) for each in rest]
            corners = [n - 1 if n > 0 else len(points) + n for n in numbers]
            triangles += [(corners[0], a, b) for a, b in pairwise(corners[1:])]
    return _plain(np.array(points).reshape(-1, 3), np.array(triangles, dtype=int).reshape(-1, 3))


def _by_trimesh(data: bytes, source: str) -> Surface:
    form = Path(source).suffix.lower().removeprefix(".")
    trimesh = library(
        "trimesh",
        f"{source}: .{form} meshes need trimesh, which is not installed; run: "
        "pip install 'korba[mesh]'",
    )
    try:
        mesh = trimesh.load_mesh(io.BytesIO(data), file_type=form)
        return _plain(np.array(mesh.vertices, dtype=float), np.array(mesh.faces, dtype=int))
    except Exception as error:  # what trimesh raises is not documented
        raise ValueError(error) from None


def _collada(data: bytes, source: str) -> Surface:
    return _Collada(parse_xml(data, source)).surface()


class _Collada:
    """A COLLADA document: geometries, placed by the nodes of its scene, with diffuse colours."""

    def __init__(self, root: XmlElement) -> None:
        self.named: dict[str, XmlElement] = {}
        stack = [root]
        self.root, self.size = root, 0
        while stack:
            element = stack.pop()
            self.named.setdefault(element.attributes.get("id", ""), element)
            stack += element.children

    def surface(self) -> Surface:
        """All geometries of the scene, in metres."""
        unit = _first(self.root, "asset", "unit")
        metres = float(unit.attributes.get("meter", "1")) if unit else 1.0
        tops = [
            scene
            for lib in self.root.all("library_visual_scenes")
            for scene in lib.all("visual_scene")
        ]
        pieces = [piece for top in tops for piece in self._pieces(top, np.eye(4), 0)]
        if not pieces:
            return _plain(np.zeros((0, 3)), np.zeros((0, 3), dtype=int))
        starts = np.cumsum([0, *(len(piece.corners) for piece in pieces)])
        return Surface(
            metres * np.concatenate([piece.corners for piece in pieces]),
            np.concatenate([piece.triangles + s for piece, s in zip(pieces, starts, strict=False)]),
            np.concatenate([piece.colors for piece in pieces]),
        )

    def _pieces(self, node: XmlElement, X: Array, depth: int) -> Iterator[Surface]:
        """Geometries of a node and of those in it."""
        self._grow(1)
        for step in node.all("matrix", "translate", "rotate", "scale"):
            X = X @ _step(step)
        for use in node.all("instance_geometry"):
            bound = {
                each.attributes.get("symbol", ""): each.attributes.get("target", "")[1:]
                for bind in use.all("bind_material")
                for common in bind.all("technique_common")
                for each in common.all("instance_material")
            }
            geometry = self.named.get(use.attributes.get("url", "")[1:])
            for mesh in geometry.all("mesh") if geometry else ():
                for piece in self._mesh(mesh, bound):
                    self._grow(len(piece.triangles))
                    corners = piece.corners @ X[:3, :3].T + X[:3, 3]
                    yield piece._replace(corners=corners)
        inner = [
            self.named.get(use.attributes.get("url", "")[1:]) for use in node.all("instance_node")
        ]
        for child in [*node.all("node"), *(each for each in inner if each)]:
            if depth < 50:
                yield from self._pieces(child, X, depth + 1)

    def _grow(self, count: int) -> None:
        """Count what the scene unfolds to: nodes may be used many times, and by each other."""
        self.size += count
        if self.size > MOST:
            raise ValueError(f"its scene unfolds to more than {MOST} parts")

    def _mesh(self, mesh: XmlElement, bound: dict[str, str]) -> Iterator[Surface]:
        for part in mesh.all("triangles", "polylist", "polygons"):
            inputs = {i.attributes.get("semantic", ""): i.attributes for i in part.all("input")}
            place = int(inputs["VERTEX"]["offset"])
            stride = 1 + max(int(i.attributes.get("offset", "0")) for i in part.all("input"))
            vertices = self.named[inputs["VERTEX"]["source"][1:]]
            own = {i.attributes.get("semantic", ""): i.attributes for i in vertices.all("input")}
            array = self.named[own["POSITION"]["source"][1:]].first("float_array")
            points = _floats(array).reshape(-1, 3)
            corners = [_integers(p)[place::stride] for p in part.all("p")]
            sizes = _sizes(part, corners)
            triangles = _fans(np.concatenate([*corners, np.zeros(0, dtype=int)]), sizes)
            color = self._color(bound.get(part.attributes.get("material", ""), ""))
            yield Surface(points, triangles, np.tile(color, (len(triangles), 1)))

    def _color(self, material: str) -> Array:
        """The diffuse colour of a material; -1 where it has none."""
        use = self.named[material].first("instance_effect") if material in self.named else None
        effect = self.named.get(use.attributes.get("url", "")[1:]) if use else None
        technique = _first(effect, "profile_COMMON", "technique") if effect else None
        for model in technique.all("phong", "lambert", "blinn") if technique else ():
            if color := _first(model, "diffuse", "color"):
                return np.clip(_floats(color)[:3], 0.0, 1.0)
        return np.full(3, -1.0)


def _first(element: XmlElement, *tags: str) -> XmlElement | None:
    """A child of a child, by their tags."""
    inner: XmlElement | None = element
    for tag in tags:
        inner = inner.first(tag) if inner else None
    return inner


def _floats(element: XmlElement | None) -> Array:
    return np.array(element.text.split() if element else [], dtype=float)


def _integers(element: XmlElement) -> Array:
    return np.array(element.text.split(), dtype=int)


def _step(step: XmlElement) -> Array:
    """One transformation of a node."""
    x, X = _floats(step), np.eye(4)
    if step.tag == "matrix":
        return x.reshape(4, 4)
    if step.tag == "translate":
        X[:3, 3] = x
    elif step.tag == "scale":
        X[:3, :3] = np.diag(x)
    else:
        X[:3, :3] = rotation_about(x[:3] / np.linalg.norm(x[:3]), np.radians(x[3]))
    return X


def _sizes(part: XmlElement, corners: list[Array]) -> Array:
    """Counts of corners of the polygons."""
    if part.tag == "polygons":
        return np.array([len(each) for each in corners], dtype=int)
    counts = part.first("vcount")
    if part.tag == "polylist" and counts:
        return _integers(counts)
    return np.full(sum(map(len, corners)) // 3, 3)


def _fans(corners: Array, sizes: Array) -> Array:
    """Polygons, one behind the other, as triangles from the first corner of each."""
    starts = np.cumsum(sizes) - sizes
    fans = np.maximum(sizes - 2, 0)
    first = np.repeat(starts, fans)
    step = np.arange(fans.sum()) - np.repeat(np.cumsum(fans) - fans, fans)
    return np.stack([corners[first], corners[first + step + 1], corners[first + step + 2]], axis=1)


READERS: dict[str, Callable[[bytes, str], Any]] = {".stl": _stl, ".obj": _obj, ".dae": _collada}
"""Formats that need no other library, by the ending of the file's name."""


def simplified(surface: Surface, cell: float) -> Surface:
    """The surface with one corner for each cube of a grid, so that small triangles vanish.

    The corner is where the planes of the triangles that meet in the cube come nearest to each
    other, so that edges stay sharp: it minimises  sum (n'p - d)^2  (Lindstrom, 2000: Out-of-core
    simplification of large polygonal models). A weak pull to the middle settles flat places.
    Triangles of different colours share no corners.
    """
    p, faces = surface.corners, surface.triangles
    keys = np.floor((p - p.min(axis=0)) / cell).astype(np.int64)
    span = keys.max(axis=0) + 1
    shade = np.zeros(len(p), dtype=np.int64)
    shade[faces.ravel()] = np.repeat(np.round(255 * surface.colors) @ [66049.0, 257.0, 1.0], 3)
    flat = ((shade * span[0] + keys[:, 0]) * span[1] + keys[:, 1]) * span[2] + keys[:, 2]
    _, number = np.unique(flat, return_inverse=True)
    count = int(number.max()) + 1
    weight = np.bincount(number, minlength=count)
    middle = (
        np.stack([np.bincount(number, p[:, i], count) for i in range(3)], axis=1) / weight[:, None]
    )
    normal = cross(p[faces[:, 1]] - p[faces[:, 0]], p[faces[:, 2]] - p[faces[:, 0]])
    A, b = np.zeros((count, 3, 3)), np.zeros((count, 3))
    for k in range(3):
        own = number[faces[:, k]]
        gap = np.einsum("ij,ij->i", normal, p[faces[:, 0]] - middle[own])
        for i in range(3):
            b[:, i] += np.bincount(own, normal[:, i] * gap, count)
            for j in range(3):
                A[:, i, j] += np.bincount(own, normal[:, i] * normal[:, j], count)
    pull = 0.02 * np.trace(A, axis1=1, axis2=2) + 1e-30
    shift = np.linalg.solve(A + pull[:, None, None] * np.eye(3), b[..., None])[..., 0]
    corners = middle + np.clip(shift, -0.6 * cell, 0.6 * cell)
    new = number[faces]
    kept = (new[:, 0] != new[:, 1]) & (new[:, 1] != new[:, 2]) & (new[:, 2] != new[:, 0])
    new, colors = new[kept], surface.colors[kept]
    _, once = np.unique(np.sort(new, axis=1), axis=0, return_index=True)
    return Surface(corners, new[once], colors[once])
