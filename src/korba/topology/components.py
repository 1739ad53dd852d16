"""Parts of graphs: what hangs together, what lies on common loops, what needs each other.

All three walk the graph once, depth first and without recursion. Source: Tarjan (1972),
Depth-first search and linear graph algorithms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

Edge = tuple[int, int]


def connected(nodes: Iterable[int], edges: Iterable[Edge]) -> list[list[int]]:
    """Nodes that edges join, directly or through others; parts and nodes in order."""
    first = {node: node for node in nodes}

    def top(node: int) -> int:
        while first[node] != node:
            first[node] = node = first[first[node]]
        return node

    for a, b in edges:
        low, high = sorted((top(a), top(b)))
        first[high] = low
    parts: dict[int, list[int]] = {}
    for node in sorted(first):
        parts.setdefault(top(node), []).append(node)
    return sorted(parts.values())


def on_common_loops(edges: Sequence[Edge]) -> list[list[int]]:
    """Numbers of edges that lie on common loops (biconnected); an edge on no loop is alone."""
    incident: dict[int, list[int]] = {}
    for k, ends in enumerate(edges):
        for node in ends:
            incident.setdefault(node, []).append(k)
    depth: dict[int, int] = {}
    low: dict[int, int] = {}
    parts: list[list[int]] = []
    for root, own in incident.items():
        if root in depth:
            continue
        depth[root] = low[root] = 0
        way: list[tuple[int, int, Iterator[int]]] = [(root, -1, iter(own))]
        pending: list[int] = []
        while way:
            node, came, rest = way[-1]
            edge = next((k for k in rest if k != came), None)
            if edge is not None:
                other = sum(edges[edge]) - node
                if other not in depth:
                    depth[other] = low[other] = len(way)
                    pending.append(edge)
                    way.append((other, edge, iter(incident[other])))
                elif depth[other] < depth[node]:
                    pending.append(edge)
                    low[node] = min(low[node], depth[other])
                continue
            way.pop()
            if way:
                before = way[-1][0]
                low[before] = min(low[before], low[node])
                if low[node] >= depth[before]:
                    parts.append(sorted(_taken(pending, came)))
    return sorted(parts)


def needing_each_other(needs: Mapping[int, Iterable[int]]) -> list[list[int]]:
    """Nodes that need each other, directly or through others; a part comes after what it needs."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    open_nodes: list[int] = []
    settled: set[int] = set()
    parts: list[list[int]] = []
    for root in needs:
        if root in number:
            continue
        way = [(root, iter(needs[root]))]
        number[root] = low[root] = len(number)
        open_nodes.append(root)
        while way:
            node, rest = way[-1]
            other = next(rest, None)
            if other is None:
                way.pop()
                if way:
                    low[way[-1][0]] = min(low[way[-1][0]], low[node])
                if low[node] == number[node]:
                    parts.append(sorted(_taken(open_nodes, node)))
                    settled.update(parts[-1])
            elif other not in number:
                number[other] = low[other] = len(number)
                open_nodes.append(other)
                way.append((other, iter(needs[other])))
            elif other not in settled:
                low[node] = min(low[node], number[other])
    return parts


def _taken(stack: list[int], last: int) -> list[int]:
    """What is on top of a stack down to `last`, which is taken off; work grows with that alone."""
    found = [stack.pop()]
    while found[-1] != last:
        found.append(stack.pop())
    return found
