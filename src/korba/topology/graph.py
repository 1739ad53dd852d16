"""The mechanism as a graph: a vertex for every body (0 is the base), an edge for every joint."""

from __future__ import annotations

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
