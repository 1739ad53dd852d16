"""Rigid and over-rigid sub-chains by counting alone, whatever the dimensions.

A set S of links with the pairs inside it has the theoretical mobility (spec section 1.6)

    W(S) = s (|S| - 1) - sum (s - f) over the pairs inside S

relative to one of its own links. S is rigid if W(S) = 0 and over-rigid if W(S) < 0. Testing every
set would take exponential time; the pebble game (Lee & Streinu 2008, with k = l = s) finds the
largest such sets directly: every link owns s pebbles, every constraint of a pair is laid on a
pebble of one of its links if s + 1 pebbles can be gathered on the two, and is redundant if not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..topology.graph import Graph
from ..topology.tree import spanning_tree


@dataclass(frozen=True)
class SubChain:
    """Links that cannot move against each other by counting, and the pairs between them."""

    bodies: tuple[int, ...]
    joints: tuple[int, ...]
    mobility: int
    """W(S): 0 rigid, negative over-rigid."""


def rigid_sub_chains(graph: Graph, size: int) -> list[SubChain]:
    """The largest sets of links with W(S) <= 0 that hold together, in order."""
    game = _Game(graph, size)
    for joint in _outward(graph):
        game.lay(joint)
    group = list(range(len(graph.bodies)))
    for joint, (a, b) in enumerate(graph.ends):
        if graph.freedoms[joint] == 0 or not game.can_gather(a, b):
            _join(group, a, b)
    return [chain for chain in _chains(graph, size, group) if len(chain.joints) > 1]


def _outward(graph: Graph) -> list[int]:
    """Joints from the base outwards, so that free pebbles are always near."""
    tree = spanning_tree(graph)
    return sorted(range(len(graph.joints)), key=lambda j: max(tree.depth[b] for b in graph.ends[j]))


def _chains(graph: Graph, size: int, group: list[int]) -> Iterator[SubChain]:
    members: dict[int, list[int]] = {}
    for body in range(len(graph.bodies)):
        members.setdefault(_leader(group, body), []).append(body)
    inside: dict[int, list[int]] = {}
    for joint, (a, b) in enumerate(graph.ends):
        if _leader(group, a) == _leader(group, b):
            inside.setdefault(_leader(group, a), []).append(joint)
    for leader, bodies in members.items():
        joints = inside.get(leader, [])
        if len(bodies) > 1:
            mobility = size * (len(bodies) - 1) - sum(size - graph.freedoms[j] for j in joints)
            yield SubChain(tuple(bodies), tuple(joints), mobility)


def _leader(group: list[int], body: int) -> int:
    while group[body] != body:
        group[body] = group[group[body]]
        body = group[body]
    return body


def _join(group: list[int], a: int, b: int) -> None:
    a, b = _leader(group, a), _leader(group, b)
    group[max(a, b)] = min(a, b)


class _Game:
    """Pebbles and the constraints laid on them: `laid[b]` are the links that b's pebbles face."""

    def __init__(self, graph: Graph, size: int) -> None:
        self.graph, self.size = graph, size
        self.free = [size] * len(graph.bodies)
        self.laid: list[list[int]] = [[] for _ in graph.bodies]

    def lay(self, joint: int) -> None:
        """Lay the constraints of a joint, as many as are independent."""
        a, b = self.graph.ends[joint]
        for _ in range(self.size - self.graph.freedoms[joint]):
            if not self.can_gather(a, b):
                return
            owner, other = (a, b) if self.free[a] else (b, a)
            self.free[owner] -= 1
            self.laid[owner].append(other)

    def can_gather(self, a: int, b: int) -> bool:
        """Whether s + 1 pebbles can be brought to two links: whether they can move apart."""
        while self.free[a] + self.free[b] <= self.size:
            if not (self._fetch(a, b) or self._fetch(b, a)):
                return False
        return True

    def _fetch(self, body: int, keep: int) -> bool:
        """Bring one free pebble to `body` along laid constraints, without taking from `keep`."""
        if self.free[body] >= self.size:
            return False
        came: dict[int, int] = {body: -1, keep: -1}
        stack = [body]
        while stack:
            here = stack.pop()
            for there in self.laid[here]:
                if there in came:
                    continue
                came[there] = here
                if self.free[there]:
                    self._shift(there, came)
                    return True
                stack.append(there)
        return False

    def _shift(self, there: int, came: dict[int, int]) -> None:
        """Turn the constraints on the way round: the pebble at its end is free at its start."""
        self.free[there] -= 1
        while came[there] >= 0:
            here = came[there]
            self.laid[here].remove(there)
            self.laid[there].append(here)
            there = here
        self.free[there] += 1
