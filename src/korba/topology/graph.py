"""The mechanism as a graph (a vertex for every body, an edge for every joint), and a spanning tree.

Body 0 is the base; the tree tells which joint leads to each body, seen from the base.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from ..model.body import GROUND
from ..model.mechanism import Mechanism


@dataclass(frozen=True)
class Graph:
    """Bodies by number and joints as edges; two joints may join the same two bodies."""

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    ends: tuple[tuple[int, int], ...]
    """Parent and child of every joint."""
    freedoms: tuple[int, ...]
    """Class of every joint: its count of freedoms."""

    @cached_property
    def incident(self) -> tuple[tuple[int, ...], ...]:
        """The joints of every body."""
        lists: list[list[int]] = [[] for _ in self.bodies]
        for joint, (parent, child) in enumerate(self.ends):
            lists[parent].append(joint)
            lists[child].append(joint)
        return tuple(tuple(found) for found in lists)

    def other(self, joint: int, body: int) -> int:
        """The body on the other side of a joint."""
        parent, child = self.ends[joint]
        return child if body == parent else parent

    def body_names(self, bodies: Iterable[int]) -> tuple[str, ...]:
        """Names of some bodies by number."""
        return tuple(self.bodies[b] for b in bodies)

    def joint_names(self, joints: Iterable[int]) -> tuple[str, ...]:
        """Names of some joints by number."""
        return tuple(self.joints[j] for j in joints)

    @property
    def moving(self) -> int:
        """Count of moving links k."""
        return len(self.bodies) - 1


def graph_of(m: Mechanism) -> Graph:
    """The graph of a mechanism."""
    bodies = (GROUND, *(body.name for body in m.bodies))
    number = {name: i for i, name in enumerate(bodies)}
    return Graph(
        bodies,
        tuple(joint.name for joint in m.joints),
        tuple((number[joint.parent], number[joint.child]) for joint in m.joints),
        tuple(joint.nv for joint in m.joints),
    )


@dataclass(frozen=True)
class Tree:
    """Breadth-first spanning tree from the base; the joints left over close the loops."""

    order: tuple[int, ...]
    """Bodies, a body after the one it hangs on; the base first."""
    joint_to: tuple[int, ...]
    """Joint that leads to each body from the side of the base; -1 for the base."""
    body_before: tuple[int, ...]
    """Body on the other side of that joint; -1 for the base."""
    depth: tuple[int, ...]
    closing: tuple[int, ...]
    """Joints outside the tree: each closes one loop."""


def spanning_tree(graph: Graph, root: int = 0, inside: Collection[int] | None = None) -> Tree:
    """The breadth-first tree from `root`, over the joints `inside` (all of them without it)."""
    count = len(graph.bodies)
    joint_to, before, depth = [-1] * count, [-1] * count, [-1] * count
    depth[root] = 0
    order: list[int] = [root]
    used: set[int] = set()
    queue = deque([root])
    while queue:
        body = queue.popleft()
        for joint in graph.incident[body]:
            if inside is not None and joint not in inside:
                continue
            other = graph.other(joint, body)
            if depth[other] < 0:
                joint_to[other], before[other], depth[other] = joint, body, depth[body] + 1
                used.add(joint)
                order.append(other)
                queue.append(other)
    closing = tuple(sorted(set(range(len(graph.joints)) if inside is None else inside) - used))
    return Tree(tuple(order), tuple(joint_to), tuple(before), tuple(depth), closing)
