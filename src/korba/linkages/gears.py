"""Trains of wheels: a planetary gear with a fixed ring, a bevel differential."""

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


@public
def differential(
    side: Size = "40 mm", pinion: Size = "25 mm", *, at: Size = "0 deg", **more: Any
) -> Mechanism:
    """Bevel differential: a case carries a pinion between two side wheels, whose turns it halves.

    `side` and `pinion` are pitch radii; all axes meet, the wheels' along x. The case is driven, and
    the right wheel beside the left: case = (left + right) / 2, whatever turns them. `slip` is by
    how much faster than the case the left wheel turns.

    >>> m = kb.linkages.differential()
    >>> kb.mobility(m).actual
    2
    """
    wheels = ["case", "left", "right", "pinion"]
    radii = dict(zip(wheels, ("side", "side", "side", "pinion"), strict=True))
    bodies = [_turning(name, radius) for name, radius in radii.items()]
    along, across = {"axis": [1, 0, 0]}, {"axis": [0, 1, 0]}
    joints = [
        _pin("C", "ground", "case", [0, 0, 0]) | along,
        _pin("L", "ground", "left", [0, 0, 0]) | along,
        _pin("R", "ground", "right", [0, 0, 0]) | along,
        _pin("P", "case", "pinion", [0, 0, 0]) | across,
        _bevel("left teeth", "left", [-1, 0, 0]),
        _bevel("right teeth", "right", [1, 0, 0]),
    ]
    sizes = {"side": side, "pinion": pinion, "at": at, "slip": 0.25}
    drives = driven(joints, {"C": "at"})
    drives.append({"name": "drive L", "joint": "L", "position": "at + (1 + slip)*speed*t"})
    joints[1]["drawn"] = "at"
    table = document("differential", sizes, bodies, joints, drives)
    return built(differential, table, more, signed=["at", "slip"])


def _turning(name: str, radius: str) -> Table:
    """A wheel in space as heavy as a rod as long as its radius."""
    mass = f"density*{radius}"
    return body(name, {}, mass=mass, inertia=[f"{mass}*{radius}^2/2"] * 3)


def _bevel(name: str, wheel: str, axis: list[int]) -> Table:
    """Teeth of a side wheel in those of the pinion."""
    return {
        "name": name,
        "type": "gear-bevel",
        "parent": wheel,
        "child": "pinion",
        "at": [0, 0, 0],
        "axis": axis,
        "x_axis": [0, 1, 0],
        "parent_radius": "side",
        "child_radius": "pinion",
    }


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
