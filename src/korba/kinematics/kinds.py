"""What the independent coordinates and velocities are: angles, lengths, parts of quaternions.

Joints that close loops count as well, so this is more than a tree's links know.
"""

from __future__ import annotations

from ..system.tree import Tree


def coordinate_kinds(tree: Tree) -> list[str]:
    """Kind of every independent coordinate."""
    kinds = [kind for joint in tree.m.joints for kind in joint.coordinate_kinds]
    return [kinds[i] for i in tree.free_q]


def velocity_kinds(tree: Tree) -> list[str]:
    """Kind of every independent velocity."""
    kinds = [kind for joint in tree.m.joints for kind in joint.velocity_kinds]
    return [kinds[i] for i in tree.free_v]


def quaternion_places(tree: Tree) -> list[list[int]]:
    """Places of the coordinates of every quaternion, of joints that close loops too."""
    place = {tree.coordinates[i]: k for k, i in enumerate(tree.free_q)}
    joints = [joint for joint in tree.m.joints if joint.quaternion]
    return [[place[joint.coordinates()[i]] for i in joint.quaternion] for joint in joints]
