"""How a mechanism is moved for its report: by its drives, or, where it has none, by some of ours.

A robot's joints swing about the middle of their ranges, each a little after the one before, while
its base is held. Of a mechanism with loops and one freedom its first coordinate turns once a
second; of one with more freedoms the first that govern it swing a little round the drawing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...errors import KorbaError
from ...expr import Expr, variable
from ...model.drives.joint_drive import JointDrive
from ...model.mechanism import Mechanism
from ...solve.cycle import cycle_time
from ...system.system import any_system
from ..pages.held import with_base_held, with_stiff_joints
from ..pages.live_drives import coordinate_kinds
from ..pages.live_inputs import input_names

SECONDS = 2.0
"""Of a motion without a cycle."""
SWING = {"angle": 0.5, "length": 0.1}
"""To each side at most, in rad or m."""
SMALL = 0.3
"""Part of it where loops are to stay closed."""


class Exercise(NamedTuple):
    """A mechanism with drives, for how long it runs, and what to say about them."""

    m: Mechanism
    seconds: float
    assumed: str = ""
    """How it moves where it has no drives of its own."""
    cyclic: bool = False
    """Whether the first drive turns once at constant speed."""

    @property
    def said(self) -> str:
        """A sentence on a motion that is not a cycle of its own drives."""
        if self.assumed:
            return f"It has no drives: here {self.assumed}."
        return "" if self.cyclic else f"The first {self.seconds:g} s, as its drives say."


def exercise(m: Mechanism) -> Exercise:
    """The mechanism with its own drives, or with ours."""
    if m.drives:
        try:
            return Exercise(m, cycle_time(m), cyclic=True)
        except KorbaError:
            return Exercise(m, SECONDS)
    if any_system(m).ties:
        return _closed(m)
    held = with_base_held(m)
    stiff = with_stiff_joints(held)
    assumed = "every joint swings about the middle of its range"
    if stiff is not held:
        assumed = f"its elastic joints are stiff, and {assumed}"
    if held is not m:
        assumed = f"its base is held, {assumed}"
    return Exercise(_driven(stiff, _ranges(stiff)), SECONDS, assumed)


def _closed(m: Mechanism) -> Exercise:
    """One freedom turns or goes to and fro, several swing: the inputs of `kb.live`."""
    names = input_names(m, None)
    drawn, kinds = _drawn(m), coordinate_kinds(m)
    if len(names) == 1 and kinds[names[0]] == "angle":
        law = 2 * np.pi * variable("t") + drawn[names[0]]
        driven = replace(m, drives=(JointDrive(names[0], names[0], law),))
        return Exercise(driven, 1.0, f"{names[0]} turns once a second", cyclic=True)
    swings = {name: (drawn[name], SMALL * SWING[kinds[name]]) for name in names}
    word = "swings" if len(names) == 1 else "swing"
    assumed = f"{', '.join(names)} {word} round the drawing"
    return Exercise(_driven(m, swings, apart=0.0), SECONDS, assumed)


def _driven(m: Mechanism, swings: dict[str, tuple[float, float]], apart: float = 0.6) -> Mechanism:
    """A drive  middle + swing sin(2 pi t / T + phase)  for each coordinate."""
    drives = []
    for k, (name, (middle, swing)) in enumerate(swings.items()):
        law: Expr = middle + swing * np.sin(2 * np.pi / SECONDS * variable("t") + apart * k)
        drives.append(JointDrive(name, name, law))
    return replace(m, drives=tuple(drives))


def _ranges(m: Mechanism) -> dict[str, tuple[float, float]]:
    """The middle of each free coordinate, and how far it swings."""
    tree, kinds = any_system(m).tree, coordinate_kinds(m)
    ends = {
        name: own
        for joint in m.joints
        for name, own in zip(joint.coordinates(), np.transpose(joint.limits), strict=True)
    }
    drawn = _drawn(m)
    ranges = {}
    for name in (tree.coordinates[i] for i in tree.free_q if tree.coordinates[i] in tree.rates):
        most, (low, high) = SWING[kinds[name]], ends[name]
        narrow = np.isfinite(high - low) and high - low < 4 * np.pi
        middle = (low + high) / 2 if narrow else np.clip(drawn[name], low, high)
        ranges[name] = float(middle), min(most, 0.4 * float(high - low)) if narrow else most
    return ranges


def _drawn(m: Mechanism) -> dict[str, float]:
    """Every coordinate in the drawing, by name."""
    pairs = [(joint.coordinates(), joint.drawn_coordinates) for joint in m.joints]
    return {name: float(x) for names, own in pairs for name, x in zip(names, own, strict=True)}
