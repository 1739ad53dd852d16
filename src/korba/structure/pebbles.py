"""Rigid and over-rigid sub-chains by counting alone, whatever the dimensions.

A set S of links with the pairs inside it has the theoretical mobility (spec section 1.6)

    W(S) = s (|S| - 1) - sum (s - f) over the pairs inside S

relative to one of its own links. S is rigid if W(S) = 0 and over-rigid if W(S) < 0. Testing every
set would take exponential time; the pebble game (Lee & Streinu 2008, with k = l = s) finds the
largest such sets directly: every link owns s pebbles, every constraint of a pair is laid on a
pebble of one of its links if s + 1 pebbles can be gathered on the two, and is redundant if not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..display import Displayed
from ..topology.graph import Graph, spanning_tree


@dataclass(frozen=True)
class RigidChain(Displayed):
    """Links that form a rigid (mobility 0) or over-rigid (negative) sub-chain by counting."""

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    mobility: int


def rigid_sub_chains(graph: Graph, size: int) -> tuple[RigidChain, ...]:
    """The largest sets of links that hold together by counting, in order; W(S) <= 0 for each.

    A link that hangs on an over-rigid part by a movable pair is not in the set, though W(S) may be
    negative with it. Links that are only welded together count as one body, not as a sub-chain.
    """
    game, depth = _Game(graph, size), spanning_tree(graph).depth
    outermost = [max(depth[body] for body in ends) for ends in graph.ends]
    for joint in sorted(range(len(graph.joints)), key=outermost.__getitem__):
        game.lay(joint)  # from the base outwards, so that free pebbles are always near
    for a, b in graph.ends:
        game.can_gather(a, b)
    return tuple(_chains(graph, size, game.leader))


def _chains(graph: Graph, size: int, leader: Callable[[int], int]) -> Iterator[RigidChain]:
    members: dict[int, list[int]] = {}
    for body in range(len(graph.bodies)):
        members.setdefault(leader(body), []).append(body)
    inside: dict[int, list[int]] = {}
    for joint, (a, b) in enumerate(graph.ends):
        if leader(a) == leader(b):
            inside.setdefault(leader(a), []).append(joint)
    for first, bodies in members.items():
        joints = inside.get(first, [])
        mobility = size * (len(bodies) - 1) - sum(size - graph.freedoms[j] for j in joints)
        if mobility or any(graph.freedoms[j] for j in joints):  # else welded, nothing repeated
            yield RigidChain(graph.body_names(bodies), graph.joint_names(joints), mobility)


class _Game:
    """Pebbles and the constraints laid on them: `laid[b]` are the links that b's pebbles face.

    Links found rigid are merged into one, which keeps the s pebbles of a body: searches never walk
    through a rigid part again.
    """

    def __init__(self, graph: Graph, size: int) -> None:
        self.graph, self.size = graph, size
        self.free = [size] * len(graph.bodies)
        self.laid: list[list[int]] = [[] for _ in graph.bodies]
        self.merged_into = list(range(len(graph.bodies)))

    def leader(self, body: int) -> int:
        """The body that stands for the rigid part of a body."""
        parent = self.merged_into
        while parent[body] != body:
            parent[body] = parent[parent[body]]
            body = parent[body]
        return body

    def lay(self, joint: int) -> None:
        """Lay the constraints of a joint, as many as are independent."""
        for _ in range(self.size - self.graph.freedoms[joint]):
            a, b = map(self.leader, self.graph.ends[joint])
            if not self.can_gather(a, b):
                return
            owner, other = (a, b) if self.free[a] else (b, a)
            self.free[owner] -= 1
            self.laid[owner].append(other)

    def can_gather(self, a: int, b: int) -> bool:
        """Whether s + 1 pebbles can be brought to two links: whether they can move apart.

        If not, all links that their constraints lead to are one rigid part.
        """
        a, b = self.leader(a), self.leader(b)
        if a == b:
            return False
        while self.free[a] + self.free[b] <= self.size:
            seen_a = self._fetch(a, b)
            seen_b = self._fetch(b, a) if seen_a else set()
            if seen_a and seen_b:
                self._merge(seen_a | seen_b)
                return False
        return True

    def _fetch(self, body: int, keep: int) -> set[int]:
        """Bring one free pebble to `body` along laid constraints, without taking from `keep`.

        Returns nothing on success, else the links that were searched.
        """
        came: dict[int, int] = {body: -1, keep: -1}
        stack = [body] if self.free[body] < self.size else []
        while stack:
            here = stack.pop()
            for facing in self.laid[here]:
                there = self.leader(facing)
                if there in came:
                    continue
                came[there] = here
                if self.free[there]:
                    self._shift(there, came)
                    return set()
                stack.append(there)
        return set(came)

    def _shift(self, there: int, came: dict[int, int]) -> None:
        """Turn the constraints on the way round: the pebble at its end is free at its start."""
        self.free[there] -= 1
        while came[there] >= 0:
            here = came[there]
            facing = next(b for b in self.laid[here] if self.leader(b) == there)
            self.laid[here].remove(facing)
            self.laid[there].append(here)
            there = here
        self.free[there] += 1

    def _merge(self, bodies: set[int]) -> None:
        """Make one body of a rigid part: its pebbles, and its constraints to other bodies."""
        first = min(bodies)
        for body in bodies:
            self.merged_into[body] = first
        outward = [b for body in bodies for b in self.laid[body] if self.leader(b) != first]
        self.free[first] = sum(self.free[body] for body in bodies)
        self.laid[first] = outward
