"""Trains of wheels: a planetary gear with a fixed ring."""

from __future__ import annotations

from typing import Any

from ..door import public
from ..errors import StructureError
from ..model.mechanism import Mechanism
from .parts import Size, Table, body, built, document, driven


@public
def planetary(
    sun: Size, planet: Size, planets: int = 3, *, at: Size = "0 deg", **more: Any
) -> Mechanism:
    """Planetary gear: the sun is driven, planets roll in a fixed ring, a carrier follows.

    `sun` and `planet` are pitch radii; the ring has the radius sun + 2 planet. The carrier turns
    sun / (2 (sun + planet)) as fast as the sun.

    >>> m = kb.linkages.planetary("30 mm", "20 mm")
    >>> kb.mobility(m).actual
    1
    """
    if not 1 <= planets <= 20:
        raise StructureError(
            f"planetary: planets: expected a whole number from 1 to 20, got {planets}"
        )
    bodies = [_wheel("sun", "sun"), _wheel("carrier", "(sun + planet)")]
    joints = [_pin("A", "ground", "sun", [0, 0]), _pin("C", "ground", "carrier", [0, 0])]
    for i in range(1, planets + 1):
        c, s = (f"{f}({360 * (i - 1) / planets:.12g} deg)" for f in ("cos", "sin"))
        own, way = f"planet {i}", [c, s]
        bodies.append(_wheel(own, "planet", com=[f"(sun + planet)*{x}" for x in way]))
        joints += [
            _pin(f"P{i}", "carrier", own, [f"(sun + planet)*{x}" for x in way]),
            _mesh(f"S{i}", "sun", own, way, "sun"),
            _mesh(f"R{i}", "ground", own, way, "ring") | {"inner": True},
        ]
    sizes = {"sun": sun, "planet": planet, "ring": "sun + 2*planet", "at": at}
    drives = driven(joints, {"A": "at"})
    table = document("planetary gear", sizes, bodies, joints, drives, plane="xy")
    return built(planetary, table, more, signed=["at"])


def _wheel(name: str, radius: str, **more: object) -> Table:
    """A wheel as heavy as a rod as long as its radius."""
    mass = f"density*{radius}"
    return body(name, {}, mass=mass, inertia=f"{mass}*{radius}^2/2", **more)


def _pin(name: str, parent: str, child: str, at: list[object]) -> Table:
    return {"name": name, "type": "revolute", "parent": parent, "child": child, "at": at}


def _mesh(name: str, parent: str, child: str, way: list[str], radius: str) -> Table:
    return {
        "name": name,
        "type": "gear-mesh",
        "parent": parent,
        "child": child,
        "at": [f"{radius}*{x}" for x in way],
        "x_axis": way,
        "parent_radius": radius,
        "child_radius": "planet",
    }
