"""What a way to the forces of a given motion is: a name, a source, and a plain function or two.

Both functions take the motion and the equations of all bodies (kinetostatics.py), as numbers or
symbols. A new way is one file with a `METHOD` and its line in `catalogue.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..spatial.rotation import Array

Unknowns = Callable[..., Array]
"""From a motion and the equations to their unknowns, or to the efforts of drives."""


@dataclass(frozen=True, eq=False)
class ForceMethod:
    """One way to the forces of a motion; all that apply give the same numbers."""

    name: str
    source: str
    drives: Unknowns
    """The efforts of all that drives prescribe."""
    joints: Unknowns | None = None
    """Wrenches of all joints, what couplings carry, efforts of drives, idle accelerations."""
    planar: bool = False
    """Whether it is for the plane only."""
    determinate: bool = False
    """Whether it needs a determinate mechanism for the efforts of drives, too."""
    whole: bool = False
    """Whether it distributes what equations leave open, and lets friction depend on forces."""
    undriven: bool = False
    """Whether there may be freedoms that no drive moves."""
    everyday: bool = False
    """Whether it is among those tried for driving forces when the user names none."""
