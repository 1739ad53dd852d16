"""The one value that formulas take: a mechanism with its tree, ties, drives, loads and gravity.

Nothing here is a formula. Kinematics writes the rows of ties and drives, structure asks for their
rank, dynamics for their transpose; a formula that does not care for loops just does not ask.

In a loosened system every body is free and every joint a tie: each body hangs on the base by a
joint that leaves it everything, the planar one in a plane, with the coordinates x, y and angle of
the body's frame, the free one in space. These joints come first, so the spanning tree takes them
and all joints of the mechanism close loops. Couplings are not solved for their dependent
coordinates: they are rows as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import StructureError
from ..expr import variables
from ..model.body import GROUND
from ..model.coupling import Coupling
from ..model.drawing import drawing
from ..model.drive import Drive
from ..model.frame import Frame
from ..model.given import as_drawn
from ..model.joint import Joint
from ..model.joints.free import Free
from ..model.joints.planar import Planar
from ..model.mechanism import Mechanism
from ..spatial.pose import Pose, identity
from ..spatial.rotation import Array
from ..wording import named
from .decisions import Common, NumbersDecideError
from .expand import expanded
from .regroup import regrouped
from .store import kept
from .tree import Tree, places_of, tree_of


@dataclass(frozen=True, eq=False)
class Tie:
    """A joint outside the tree: its frames on the links it ties together."""

    joint: Joint
    parent: int
    X_LF: Pose
    child: int
    X_LM: Pose
    q: slice
    v: slice
    """Places of its own coordinates and velocities among those of all joints."""


def ties(tree: Tree, joints: Sequence[Joint] | None = None) -> tuple[Tie, ...]:
    """The joints that close loops, or the given ones."""
    places = places_of(tree.m.joints)
    number = {link.name: i for i, link in enumerate(tree.links)} | {GROUND: -1}
    wanted = tree.closing if joints is None else tuple(joints)
    ends = ends_on_links(tree, wanted, number) if tree.ends is None else tree.ends
    found = []
    for joint in wanted:
        X_LF, X_LM = ends[joint.name]
        ties_to = number[joint.parent], X_LF, number[joint.child], X_LM
        found.append(Tie(joint, *ties_to, *places[joint.name]))
    return tuple(found)


def ends_on_links(
    tree: Tree, joints: Sequence[Joint], number: Mapping[str, int]
) -> dict[str, tuple[Pose, Pose]]:
    """Frames of joints on the links that they join."""
    placed = drawing(tree.m)
    return {
        joint.name: (
            body_to_link(tree, number[joint.parent]) @ placed.X_PF(joint),
            body_to_link(tree, number[joint.child]) @ placed.X_BM(joint),
        )
        for joint in joints
    }


def body_to_link(tree: Tree, i: int) -> Pose:
    """The frame of a body, as it was described, in the frame of its link; -1 is the base."""
    return identity() if i < 0 else tree.links[i].X_BL.inverse()


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
    t: Any = 0.0
    """The time at which drives are asked for."""
    couplings: tuple[Coupling, ...] = ()
    """Couplings that are rows; those of the tree are solved for their dependent coordinates."""
    own: Mechanism | None = None
    """The mechanism in numbers, where sizes are symbols."""
    common: Common | None = None
    """What it has of a structure, where all its numbers are symbols (in_symbols.py)."""

    @property
    def m(self) -> Mechanism:
        """The mechanism, rotors and elastic joints written out."""
        return self.tree.m

    @cached_property
    def lean(self) -> Tree:
        """The tree with moments of inertia regrouped: the same motion, not the same reactions."""
        if self.common is not None:
            return with_moments(self.tree, self.common)
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
    def constrained(self) -> bool:
        """Whether rows of loops or drives bind its motion."""
        return bool(self.ties or self.drives)

    @cached_property
    def rolls(self) -> bool:
        """Whether a pair binds velocities further than positions."""
        return any(joint.rolls for joint in self.m.joints)

    @property
    def in_numbers(self) -> Mechanism:
        """The mechanism's own design, for questions that need numbers, such as its structure."""
        if self.common is not None:
            raise NumbersDecideError(f"mechanism {self.m.name!r} is asked for its numbers")
        return self.own or self.m

    @property
    def scale(self) -> Any:
        """A typical length."""
        return drawing(self.in_numbers).scale if self.common is None else self.common.scale

    @property
    def heaviest(self) -> Any:
        """The mass of the heaviest body."""
        if self.common is not None:
            return self.common.heaviest
        return float(max((body.mass for body in self.in_numbers.bodies), default=0.0))

    @property
    def space(self) -> tuple[int, ...]:
        """The rows of a 6-vector that can move: three in a plane, six in space."""
        return PLANE if self.m.plane else SPACE


def slipping(m: Mechanism) -> Mechanism:
    """The mechanism of the same positions whose pairs slip where its own roll; itself if none does.

    Positions are closed, counted and led in it: its velocities are the rates that they may have.
    """
    if not any(joint.rolls for joint in m.joints):
        return m

    def made() -> Mechanism:
        return replace(m, joints=tuple(joint.slipping for joint in m.joints))

    return kept(m, "slipping", made)


def refuse_rolling(what: str, m: Mechanism) -> None:
    """An error where a question is for mechanisms whose places do not depend on their way."""
    if rolling := [repr(joint.name) for joint in m.joints if joint.rolls]:
        raise StructureError(
            f"{what}: in mechanism {m.name!r} {', '.join(rolling)} roll{'s' * (len(rolling) == 1)},"
            f" so that where it gets to depends on its way there; {named('simulate')} follows it, "
            "with drives too"
        )


def system_of(m: Mechanism, gravity: Any = None, parameters: Sequence[str] = ()) -> System:
    """The system of a mechanism, in its own gravity or another.

    The named `parameters` are symbols in it, so that programs traced with it have the input `p`.
    """
    tree = tree_of(m, parameters)
    g = tree.gravity if gravity is None else gravity_vector(gravity)
    own = expanded(m) if parameters else None
    return System(tree, g, parameters=tuple(parameters), own=own)


def with_moments(tree: Tree, common: Common) -> Tree:
    """The tree of a structure with its regrouped moments, unless others were put into it."""
    pairs = zip(tree.links, common.links, strict=True)
    if any(link.mass is not own.mass or link.K is not own.K for link, own in pairs):
        return tree
    moments = zip(tree.links, common.moments, strict=True)
    links = [replace(link, mass=mass, h=h, K=K) for link, (mass, h, K) in moments]
    return replace(tree, links=tuple(links))


def kept_system(m: Mechanism, parameters: tuple[str, ...] = ()) -> System:
    """The system of a mechanism as it is, or with symbols for sizes, made once and kept with it."""
    return kept(m, ("system", parameters), lambda: system_of(m, parameters=parameters))


def any_system(m: Mechanism, parameters: tuple[str, ...] = ()) -> System:
    """The system of a mechanism that formulas take, with loops or without."""
    system = kept_system(m, parameters)
    refuse_timed(system.tree)
    return system


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


def refuse_timed(tree: Tree) -> None:
    """Laws of couplings must not use the time: F(q, t) would have rates that (1) leaves out."""
    timed = [coupling.name for coupling in tree.couplings if "t" in variables(coupling.law)]
    if timed:
        raise StructureError(
            f"mechanism {tree.m.name!r}: coupling {', '.join(timed)} depends on the time t, which "
            "the equations do not take yet; write it in coordinates alone, and let a force, a "
            "motor or a drive depend on the time"
        )


def loosened(m: Mechanism) -> System:
    """The system of a mechanism in which every body is free and every joint a tie."""
    m = expanded(m)
    placed = drawing(m)
    poses = {body.name: placed.X_WB[body.name] for body in m.bodies}
    free = [_free(name, X, m.plane is not None) for name, X in poses.items()]
    bodies = [as_drawn(body, frame=Frame.of_pose(poses[body.name])) for body in m.bodies]
    drawn = {joint.name: tuple(map(float, placed.q[joint.name])) for joint in m.joints}
    joints = [as_drawn(joint, drawn=drawn[joint.name]) for joint in m.joints]
    whole = replace(
        m,
        bodies=tuple(bodies),
        joints=(*free, *joints),
        couplings=(),
        forces=(),
        poses=(),
        assembly=None,
    )
    return replace(system_of(whole), couplings=m.couplings)


def _free(body: str, X_WB: Pose, planar: bool) -> Joint:
    """The joint that leaves a body everything: in space counted from where the body is drawn."""
    ends = f"{body} in the world", GROUND, body
    if not planar:
        return Free(*ends, on_parent=Frame.of_pose(X_WB), on_child=Frame())
    turn = float(np.arctan2(X_WB.R[1, 0], X_WB.R[0, 0]))
    x, y = map(float, X_WB.p[:2])
    return Planar(*ends, on_parent=Frame(), on_child=Frame(), drawn=(x, y, turn))
