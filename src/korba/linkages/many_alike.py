"""Mechanisms of any count of parts that are alike: cylinders of an engine, stages of a scissor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..door import public
from ..errors import StructureError
from ..expr.quantities import quantity
from ..model.mechanism import Mechanism
from .parts import SWINGS, Size, Table, bar, body, built, joint, planar, slider


@public
def engine(
    cylinders: int = 4,
    crank: Size = "40 mm",
    rod: Size = "130 mm",
    *,
    at: Size = "0 deg",
    throws: Sequence[float | str] | None = None,
    spacing: Size | None = None,
    **more: Any,
) -> Mechanism:
    """Engine with cylinders in line: one crankshaft, a rod and a piston for each, strokes along y.

    Throw i stands at 360 deg (i - 1) / cylinders after the first, or where `throws` say, such as
    (0, "180 deg", "180 deg", 0) of a four-stroke engine; the first is at `at` before y. The
    cylinders lie behind each other, so in the plane of the drawing they are in one place. With a
    `spacing` the masses are that far apart along z, the first in front, and the moments about x and
    y of `kb.shaking_forces` are the couples that rock the engine.

    >>> m = kb.linkages.engine(4)
    >>> kb.mobility(m).actual
    1
    """
    _refuse_below(cylinders, 1, "engine: cylinders")
    numbers = range(1, cylinders + 1)
    angles = _throws(cylinders, throws)
    pins = {
        f"P{i}": (f"crank*sin({angle})", f"crank*cos({angle})")
        for i, angle in zip(numbers, angles, strict=True)
    }
    mass = f"density*{cylinders}*crank"
    shaft = body("crankshaft", {"A": (0, 0), **pins}, mass=mass, inertia=f"{mass}*crank^2/3")
    links: list[Table] = [shaft]
    slides = []
    for i in numbers:
        own = [bar(f"rod {i}", (f"P{i}", f"Q{i}"), "rod"), slider(f"piston {i}", f"Q{i}")]
        if spacing is not None:
            z = f"{(cylinders + 1) / 2 - i:g}*spacing"
            own = [{**link, "com": [*link.get("com", [0, 0]), z]} for link in own]
        links += own
        slides.append(joint("prismatic", f"slide {i}", "ground.A", f"piston {i}.Q{i}", axis=[0, 1]))
    sizes = {"crank": crank, "rod": rod, "at": at}
    sizes |= {} if spacing is None else {"spacing": spacing}
    sides = {f"Q{i}": "right" for i in numbers}
    options: dict[str, Any] = {"inputs": {"A": "at"}, "assembly": sides}
    table = planar(f"engine of {cylinders}", sizes, {"A": (0, 0)}, links, more=slides, **options)
    return built(engine, table, more, signed=["at"])


def _throws(cylinders: int, given: Sequence[float | str] | None) -> list[str]:
    """Angles of the throws."""
    if given is None:
        return [f"{360 * i / cylinders:.12g} deg" for i in range(cylinders)]
    if len(given) != cylinders:
        raise StructureError(f"engine: throws: expected {cylinders} angles, got {len(given)}")
    angles = [quantity("engine: throws", angle, "angle") for angle in given]
    return [f"{np.rad2deg(angle):.15g} deg" for angle in angles]


@public
def scissor(bar_length: Size, stages: int = 3, *, at: Size = "30 deg", **more: Any) -> Mechanism:
    """Scissor lift: pairs of crossed bars above each other, `at` from the horizontal.

    The first left bar turns on a pin at the origin, the first right bar slides along x; the top of
    stage n is at the height n sin(at) times the bar, whose parameter is `bar`. The drive swings it
    by `swing` (10 deg).

    >>> m = kb.linkages.scissor("1 m", 3)
    >>> kb.mobility(m).actual
    1
    """
    _refuse_below(stages, 1, "scissor: stages")
    links, slot = [], []
    for i in range(1, stages + 1):
        height = f"{i - 1}*bar*sin(at)"
        left = _crossed(f"left {i}", f"L{i - 1}", f"M{i}", f"R{i}")
        right = _crossed(f"right {i}", f"R{i - 1}", f"M{i}", f"L{i}")
        left["frame"] = {"origin": [0, height], "rotation": "at"}
        right["frame"] = {"origin": ["bar*cos(at)", height], "rotation": "180 deg - at"}
        links += [left, right]
    slot.append(joint("pin-in-slot", "slide", "ground.L0", "right 1.R0", axis=[1, 0]))
    sizes = {"bar": bar_length, "at": at, "swing": "10 deg"}
    options: dict[str, Any] = {"inputs": {"L0": "at"}, "law": SWINGS}
    table = planar("scissor", sizes, {"L0": (0, 0)}, links, more=slot, **options)
    return built(scissor, table, more, signed=["at", "swing"])


def _crossed(name: str, foot: str, middle: str, top: str) -> Table:
    """A bar with a pin in its middle."""
    table = bar(name, (foot, top), "bar")
    table["points"][middle] = ["bar/2", 0]
    return table


def _refuse_below(count: int, least: int, what: str) -> None:
    if not least <= count <= 100:
        raise StructureError(f"{what}: expected a whole number from {least} to 100, got {count}")
