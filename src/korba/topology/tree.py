"""A spanning tree: which joint leads to each body, seen from the base."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass

from .graph import Graph


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
