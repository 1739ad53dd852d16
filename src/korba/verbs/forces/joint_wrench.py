"""The force and the moment in one joint, about any point, along the world's axes or its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...display import Displayed
from ...errors import StructureError
from ...spatial.rotation import Array
from ...spatial.wrench import LineOfAction, Wrench

WORLD, JOINT = "world", "joint"
"""Axes of forces and moments."""
Turns = Callable[[], Array]
"""The rotations of joints' frames, made when they are asked for."""


@dataclass(frozen=True, eq=False)
class JointWrench(Displayed):
    """Force of the parent on the child, and its moment about `point`, a place in the world.

    A `Wrench` that knows its joint: its axes are the world's, or those of the joint's frame,
    `.in_joint()`, `.in_world()`; `.line` is where the force acts, in the world.
    """

    force: Array
    moment: Array
    point: Array
    axes: str = WORLD
    turn: Turns | None = field(default=None, repr=False)
    """Gives R_WJ of the joint's frame, (..., 3, 3)."""

    def __iter__(self) -> Iterator[Array]:
        """Force, moment, point."""
        return iter((self.force, self.moment, self.point))

    def about(self, point: Any) -> JointWrench:
        """The same with the moment about another point of the world."""
        moved = self._wrench.about(point)
        world = replace(self, moment=moved.moment, point=moved.point, force=moved.force, axes=WORLD)
        return world if self.axes == WORLD else world.in_joint()

    @property
    def line(self) -> LineOfAction:
        """The line that the force acts along, with what is left of the moment."""
        return self._wrench.line

    @property
    def _wrench(self) -> Wrench:
        world = self.in_world()
        return Wrench(world.force, world.moment, world.point)

    def in_joint(self) -> JointWrench:
        """Force and moment along the axes of the joint's frame (that of `at`)."""
        if self.axes == JOINT:
            return self
        return self._in(JOINT, np.swapaxes(self._frame, -1, -2))

    def in_world(self) -> JointWrench:
        """Force and moment along the world's axes."""
        return self if self.axes == WORLD else self._in(WORLD, self._frame)

    def _in(self, axes: str, R: Array) -> JointWrench:
        force, moment = turned(R, self.force), turned(R, self.moment)
        return replace(self, force=force, moment=moment, axes=axes)

    @property
    def _frame(self) -> Array:
        if self.turn is None:
            raise StructureError("this wrench does not know the axes of its joint")
        return self.turn()

    def __neg__(self) -> JointWrench:
        """What the child does to the parent."""
        return replace(self, force=-self.force, moment=-self.moment)


def turned(R: Array, x: Array) -> Array:
    """Vectors in other axes."""
    return np.einsum("...ij,...j->...i", R, x)
