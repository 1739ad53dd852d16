"""What the independent coordinates and velocities are: angles, lengths, parts of quaternions.

Joints that close loops count as well, so this is more than a tree's links know.
"""

from __future__ import annotations

from ..model.joint import Joint
from ..system.tree import Tree


def coordinate_kinds(tree: Tree) -> list[str]:
    """Kind of every independent coordinate."""
    kinds = [kind for joint in tree.m.joints for kind in joint.coordinate_kinds]
    return [kinds[i] for i in tree.free_q]


def velocity_kinds(tree: Tree) -> list[str]:
    """Kind of every independent velocity."""
    kinds = [kind for joint in tree.m.joints for kind in _velocity_kinds(joint)]
    return [kinds[i] for i in tree.free_v]


def _velocity_kinds(joint: Joint) -> list[str]:
    """Kinds of a joint's velocities: those of its coordinates, a quaternion's are angles."""
    kinds = list(joint.coordinate_kinds)
    return kinds if joint.nq == joint.nv else [*["angle"] * 3, *kinds[: joint.nv - 3]]


def quaternion_places(tree: Tree) -> list[list[int]]:
    """Places of the coordinates of every quaternion, of joints that close loops too."""
    place = {tree.coordinates[i]: k for k, i in enumerate(tree.free_q)}
    joints = [joint for joint in tree.m.joints if joint.nq > joint.nv]
    return [[place[name] for name in joint.coordinates()[-4:]] for joint in joints]
