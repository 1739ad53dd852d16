"""The mechanism as a graph (a vertex for every body, an edge for every joint): tree, loops, parts.

Body 0 is the base; the spanning tree tells which joint leads to each body, seen from the base. A
part (block) is a set of joints of which any two lie on a common loop; parts share single bodies
only. A small part gets a basis of shortest loops (Horton 1987), as one reads them off a drawing; a
large part gets the loops of the breadth-first tree, in linear time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from ..model.body import GROUND
from ..model.mechanism import Mechanism
from .components import on_common_loops


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


SHORTEST_UP_TO = 60
"""Parts with at most this many joints get a basis of shortest loops."""


@dataclass(frozen=True)
class Loop:
    """A closed walk: joint `i` joins body `i` and body `i + 1`, the last joins the first body."""

    bodies: tuple[int, ...]
    joints: tuple[int, ...]


def independent_loops(graph: Graph) -> tuple[Loop, ...]:
    """A basis of the loops: as many as joints less moving bodies."""
    found: list[Loop] = []
    for part in parts(graph):
        if len(part) == 1:
            continue
        inside = frozenset(part)
        find = _shortest if len(part) <= SHORTEST_UP_TO else _of_tree
        found += find(graph, inside)
    return tuple(found)


def parts(graph: Graph) -> list[list[int]]:
    """Joints of every part (biconnected component), in order; a joint on no loop is alone."""
    return on_common_loops(graph.ends)


def _of_tree(graph: Graph, inside: frozenset[int]) -> list[Loop]:
    root = min(min(graph.ends[j]) for j in inside)
    tree = spanning_tree(graph, root, inside)
    return [_through(graph, tree, j) for j in tree.closing if j in inside]


def _through(graph: Graph, tree: Tree, joint: int) -> Loop:
    """The loop that `joint` closes with the tree."""
    a, b = graph.ends[joint]
    left, right = [a], [b]
    while left[-1] != right[-1]:
        side = left if tree.depth[left[-1]] >= tree.depth[right[-1]] else right
        side.append(tree.body_before[side[-1]])
    bodies = [*reversed(left), *right[:-1]]
    joints = [tree.joint_to[x] for x in reversed(left[:-1])]
    joints += [joint, *(tree.joint_to[x] for x in right[:-1])]
    return Loop(tuple(bodies), tuple(joints))


def _shortest(graph: Graph, inside: frozenset[int]) -> list[Loop]:
    """Shortest independent loops: candidates from the trees of all bodies, greedy by length."""
    bodies = sorted({body for j in inside for body in graph.ends[j]})
    wanted = len(inside) - len(bodies) + 1
    candidates: dict[frozenset[int], Loop] = {}
    for root in bodies:
        tree = spanning_tree(graph, root, inside)
        for j in sorted(inside & set(tree.closing)):
            loop = _through(graph, tree, j)
            candidates.setdefault(frozenset(loop.joints), loop)
    chosen: list[Loop] = []
    reduced: dict[int, int] = {}
    for joints in sorted(candidates, key=lambda joints: (len(joints), sorted(joints))):
        if _independent(sum(1 << j for j in joints), reduced):
            chosen.append(candidates[joints])
        if len(chosen) == wanted:
            break
    return sorted(chosen, key=lambda loop: (min(loop.bodies), sorted(loop.joints)))


def _independent(row: int, reduced: dict[int, int]) -> bool:
    """Add a loop, as a bit set of joints, to an echelon form over GF(2)."""
    while row:
        top = row.bit_length()
        if top not in reduced:
            reduced[top] = row
            return True
        row ^= reduced[top]
    return False


def joints_of(loops: Iterable[Loop]) -> frozenset[int]:
    """All joints of some loops."""
    return frozenset(j for loop in loops for j in loop.joints)
