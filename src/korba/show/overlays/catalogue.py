"""What can be laid over the picture of a mechanism; a new overlay is one function and its line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from ...errors import refuse_unknown
from ...model.mechanism import Mechanism
from ...spatial.rotation import Array
from ...trajectory.trajectory import Trajectory
from ..schemes.over_symbols import Look
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
from .overlay import Part, Parts, View, laid, longest_of, shows


class Overlay(NamedTuple):
    """A function that makes an overlay's parts, and what is said where there are none."""

    parts: Callable[[View, Any], Parts]
    nothing: str = ""
    """Any two bodies have a centre, near or told in words."""
    looks: Mapping[str, Look] = MappingProxyType({})
    """Of kinds of marks or vectors of its own."""


OVERLAYS = {
    "drives": Overlay(drives, "no drives: give a joint, or the ends of a cylinder, one"),
    "dimensions": Overlay(dimensions, "no dimensions: no link has two joints or named points"),
    "centres": Overlay(centres),
    "velocities": Overlay(velocities, "no velocities: it rests here; take another position"),
    "accelerations": Overlay(accelerations, "no accelerations: it moves evenly, or rests, here"),
    "angular_velocities": Overlay(angular_velocities, "no angular velocities: nothing turns here"),
    "reactions": Overlay(reactions, "no reactions: nothing acts; give bodies mass, or add loads"),
    "driving": Overlay(driving, "no driving forces: there is no drive, or nothing to be driven"),
    "loads": Overlay(loads, "no loads act here: add a force at a point, or on a joint"),
    "gravity": Overlay(gravity, "no weights: give bodies mass, and the mechanism gravity"),
    "friction": Overlay(friction, "no friction circles: give pins friction, with a radius"),
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
    refuse_other_overlays("draw", asked)
    scene = _with_looks(scene)
    view, wanted = View(scene, m, motion, k), {"drives": not asked.get("driving"), **asked}
    parts: list[Part] = []
    for name, own in _parts(view, wanted):
        parts += own or ([Note(OVERLAYS[name].nothing)] if name in asked else [])
    return laid(view, parts)


def overlaid_motion(
    scene: Scene, motion: Trajectory, rows: Array, asked: Mapping[str, Any]
) -> list[Scene]:
    """The positions of a scene, rows of a motion, with overlays: all have one scale and size."""
    first: View | None = None
    views, parts = [], []
    scene = _with_looks(scene)
    for i, k in enumerate(rows.tolist()):
        one = replace(scene, poses=scene.poses[i : i + 1])
        view = View(one, motion.mechanism, motion, k, first)
        first = first or view
        views.append(view)
        parts.append([part for _, own in _parts(view, asked) for part in own])
    longest = longest_of(part for own in parts for part in own)
    return [laid(view, own, longest) for view, own in zip(views, parts, strict=True)]


def _with_looks(scene: Scene) -> Scene:
    """A scene that knows the kinds of marks that overlays bring along."""
    looks = {kind: look for each in OVERLAYS.values() for kind, look in each.looks.items()}
    return replace(scene, looks=tuple(looks.items()))


def _parts(view: View, wanted: Mapping[str, Any]) -> Iterator[tuple[str, list[Part]]]:
    """What is seen of every overlay that is wanted, by its name."""
    for name, overlay in OVERLAYS.items():
        if wanted.get(name) not in (None, False):
            yield name, [part for part in overlay.parts(view, wanted[name]) if shows(part)]


def refuse_other_overlays(verb: str, asked: Mapping[str, Any]) -> None:
    """An error that lists overlays, unless all are known."""
    refuse_unknown("overlay", asked, OVERLAYS, verb)
