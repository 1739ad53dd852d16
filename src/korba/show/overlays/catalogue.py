"""What can be laid over the picture of a mechanism; a new overlay is one function and its line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...errors import StructureError, way_out
from ...model.mechanism import Mechanism
from ...trajectory.trajectory import Trajectory
from ..schemes.scene import Note, Scene
from .dimensions import dimensions
from .forces import driving, friction, gravity, loads, reactions
from .motion import (
    accelerations,
    angular_velocities,
    centres,
    drives,
    velocities,
)
from .overlay import Part, Parts, View, laid, shows


class Overlay(NamedTuple):
    """A function that makes an overlay's parts, and what is said where there are none."""

    parts: Callable[[View, Any], Parts]
    nothing: str = ""
    """Any two bodies have a centre, near or told in words."""


OVERLAYS = {
    "drives": Overlay(
        drives, "no drives: give one, such as kb.JointDrive('motor', 'A', '60 rpm*t')"
    ),
    "dimensions": Overlay(dimensions, "no dimensions: no link has two joints or named points"),
    "centres": Overlay(centres),
    "velocities": Overlay(velocities, "no velocities: it rests here; take another position"),
    "accelerations": Overlay(accelerations, "no accelerations: it moves evenly, or rests, here"),
    "angular_velocities": Overlay(angular_velocities, "no angular velocities: nothing turns here"),
    "reactions": Overlay(reactions, "no reactions: nothing acts; give bodies mass, or add loads"),
    "driving": Overlay(driving, "no driving forces: there is no drive, or nothing to be driven"),
    "loads": Overlay(
        loads, "no loads act here; add one, such as kb.PointForce('P', body, (0, -10))"
    ),
    "gravity": Overlay(gravity, "no weights: give bodies mass, and the mechanism gravity"),
    "friction": Overlay(
        friction, "no friction circles: give pins friction=kb.Friction(0.1, radius)"
    ),
}
"""Overlays by name, in the order in which they lie above each other."""


def overlaid(
    scene: Scene,
    m: Mechanism,
    asked: Mapping[str, Any],
    motion: Trajectory | None = None,
    k: int = 0,
) -> Scene:
    """A scene with the overlays asked for: True, or what was chosen, by their names.

    An overlay that was asked for and has nothing to show says so below the picture.
    """
    for name in asked:
        if name not in OVERLAYS:
            raise StructureError(f"draw: there is no overlay {name!r}; {way_out(name, OVERLAYS)}")
    view, wanted = View(scene, m, motion, k), {"drives": not asked.get("driving"), **asked}
    parts: list[Part] = []
    for name, overlay in OVERLAYS.items():
        if wanted.get(name) not in (None, False):
            own = [part for part in overlay.parts(view, wanted[name]) if shows(part)]
            parts += own or ([Note(overlay.nothing)] if name in asked else [])
    return laid(view, parts)
