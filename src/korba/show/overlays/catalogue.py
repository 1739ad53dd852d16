"""What can be laid over the picture of a mechanism; a new overlay is one function and its line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...errors import StructureError, way_out
from ...model.mechanism import Mechanism
from ...trajectory.trajectory import Trajectory
from ..schemes.scene import Scene
from .dimensions import dimensions
from .forces import driving, friction, gravity, loads, reactions
from .motion import (
    accelerations,
    angular_velocities,
    centres,
    drives,
    velocities,
)
from .overlay import Parts, View, laid

OVERLAYS: dict[str, Callable[[View, Any], Parts]] = {
    "drives": drives,
    "dimensions": dimensions,
    "centres": centres,
    "velocities": velocities,
    "accelerations": accelerations,
    "angular_velocities": angular_velocities,
    "reactions": reactions,
    "driving": driving,
    "loads": loads,
    "gravity": gravity,
    "friction": friction,
}
"""Overlays by name, in the order in which they lie above each other."""


def overlaid(
    scene: Scene,
    m: Mechanism,
    asked: Mapping[str, Any],
    motion: Trajectory | None = None,
    k: int = 0,
) -> Scene:
    """A scene with the overlays asked for: True, or what was chosen, by their names."""
    for name in asked:
        if name not in OVERLAYS:
            raise StructureError(f"draw: there is no overlay {name!r}; {way_out(name, OVERLAYS)}")
    view, wanted = View(scene, m, motion, k), {"drives": not asked.get("driving"), **asked}
    chosen = {name: wanted.get(name) for name in OVERLAYS}
    parts = [
        part
        for name, overlay in OVERLAYS.items()
        if chosen[name] not in (None, False)
        for part in overlay(view, chosen[name])
    ]
    return laid(view, parts)
