"""Independent loops, and the parts of a mechanism that loops hold together.

A part (block) is a set of joints of which any two lie on a common loop; parts share single bodies
only. A small part gets a basis of shortest loops (Horton 1987), as one reads them off a drawing; a
large part gets the loops of the breadth-first tree, in linear time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .graph import Graph, Tree, spanning_tree

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
    import networkx as nx

    between: dict[frozenset[int], list[int]] = {}
    for joint, ends in enumerate(graph.ends):
        between.setdefault(frozenset(ends), []).append(joint)
    edges = nx.biconnected_component_edges(nx.Graph(list(graph.ends)))
    return sorted(sorted(j for ends in part for j in between[frozenset(ends)]) for part in edges)


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
    for joints, loop in sorted(candidates.items(), key=_by_length):
        if _independent(sum(1 << j for j in joints), reduced):
            chosen.append(loop)
        if len(chosen) == wanted:
            break
    return sorted(chosen, key=lambda loop: (min(loop.bodies), sorted(loop.joints)))


def _by_length(candidate: tuple[frozenset[int], Loop]) -> tuple[int, list[int]]:
    return len(candidate[0]), sorted(candidate[0])


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
