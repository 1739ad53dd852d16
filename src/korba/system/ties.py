"""Ties: joints outside the spanning tree, each with its frames on the links it ties together."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.body import GROUND
from ..model.drawing import drawing
from ..model.joint import Joint
from ..spatial.pose import Pose, identity
from .tree import Tree, places_of


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


def ties(tree: Tree) -> tuple[Tie, ...]:
    """The joints that close loops."""
    placed, places = drawing(tree.m), places_of(tree.m)
    number = {link.name: i for i, link in enumerate(tree.links)} | {GROUND: -1}
    found = []
    for joint in tree.closing:
        parent, child = number[joint.parent], number[joint.child]
        X_LF = body_to_link(tree, parent) @ placed.X_PF(joint)
        X_LM = body_to_link(tree, child) @ placed.X_BM(joint)
        found.append(Tie(joint, parent, X_LF, child, X_LM, *places[joint.name]))
    return tuple(found)


def body_to_link(tree: Tree, i: int) -> Pose:
    """The frame of a body, as it was described, in the frame of its link; -1 is the base."""
    return identity() if i < 0 else tree.links[i].X_BL.inverse()
