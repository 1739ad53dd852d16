"""The one value that formulas take: a mechanism with its tree, ties, drives, loads and gravity.

Nothing here is a formula. Kinematics writes the rows of ties and drives, structure asks for their
rank, dynamics for their transpose; a formula that does not care for loops just does not ask.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import StructureError
from ..model.coupling import Coupling
from ..model.drive import Drive
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from .regroup import regrouped
from .ties import Tie, ties
from .tree import Tree, tree_of

SPACE = (0, 1, 2, 3, 4, 5)
"""Rows of a 6-vector: wx, wy, wz, vx, vy, vz."""
PLANE = (2, 3, 4)
"""Those that are not zero in a plane: wz, vx, vy."""


@dataclass(frozen=True, eq=False)
class Loads:
    """Forces in all joints, and wrenches (moment, force) on links in their own frames."""

    tau: Array
    wrenches: dict[int, tuple[Array, Array]]


LoadsAt = Callable[[Array, Array], Loads]
"""Loads as a function of the coordinates and velocities of all joints."""


def no_loads(_: Array, v_all: Array) -> Loads:
    """Nothing acts."""
    return Loads(np.zeros(len(v_all)), {})


@dataclass(frozen=True, eq=False)
class System:
    """What a formula works on."""

    tree: Tree
    gravity: Array
    loads: LoadsAt = no_loads
    """What acts besides gravity, as a function of q and v of all joints."""
    parameters: tuple[str, ...] = ()
    """Named sizes that are symbols `p[0]`, `p[1]`, ... instead of numbers."""
    couplings: tuple[Coupling, ...] = ()
    """Couplings that are rows; those of the tree are solved for their dependent coordinates."""

    @property
    def m(self) -> Mechanism:
        """The mechanism, rotors and elastic joints written out."""
        return self.tree.m

    @cached_property
    def lean(self) -> Tree:
        """The tree with moments of inertia regrouped: the same motion, not the same reactions."""
        return self.tree if self.parameters else regrouped(self.tree)

    @cached_property
    def ties(self) -> tuple[Tie, ...]:
        """The joints that close loops."""
        return ties(self.tree)

    @property
    def drives(self) -> tuple[Drive, ...]:
        """What is prescribed in time."""
        return tuple(self.m.drives)

    @property
    def space(self) -> tuple[int, ...]:
        """The rows of a 6-vector that can move: three in a plane, six in space."""
        return PLANE if self.m.plane else SPACE


def system_of(m: Mechanism, gravity: Any = None, parameters: Sequence[str] = ()) -> System:
    """The system of a mechanism, in its own gravity or another.

    The named `parameters` are symbols in it, so that programs traced with it have the input `p`.
    """
    tree = tree_of(m, parameters)
    g = tree.gravity if gravity is None else gravity_vector(gravity)
    return System(tree, g, parameters=tuple(parameters))


def gravity_vector(given: Any) -> Array:
    """Three finite components; two are those of a plane."""
    try:
        g = np.array(given, dtype=float)
    except (TypeError, ValueError):
        g = np.zeros(0)
    if g.shape == (2,):
        g = np.append(g, 0.0)
    if g.shape != (3,) or not np.all(np.isfinite(g)):
        raise StructureError(
            f"gravity: expected three finite components, such as (0, 0, -9.81), got {given!r:.60}"
        )
    return g
