"""The order in which equations can be solved: blocks of unknowns that hang on each other.

Every unknown is matched with a row in which it stands. An unknown needs the others of its row;
those that need each other form a block, and blocks are solved after those they need: the
structural groups of a mechanism, found from its equations. Rows to spare join the last block
among their unknowns; if they are few the whole is one block, so that no row that carries the
rank is missed. Source: Duff, Erisman & Reid (2017), Direct Methods for Sparse Matrices, chapter 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LARGE = 60
"""Unknowns from which rows to spare no longer keep the whole together."""

Block = tuple[list[int], list[int]]
"""Unknowns and rows."""


def solution_order(rows: Mapping[int, Mapping[int, Any]]) -> list[Block]:
    """Blocks of unknowns with their rows, in the order of solution."""
    unknowns = sorted({j for row in rows.values() for j in row})
    if not unknowns:
        return []
    if len(rows) < len(unknowns) or (len(rows) > len(unknowns) and len(unknowns) < LARGE):
        return [(unknowns, sorted(rows))]
    owner = matched(rows)
    if len(owner) < len(unknowns):
        return [(unknowns, sorted(rows))]
    return _blocks(rows, owner)


def matched(rows: Mapping[int, Mapping[int, Any]]) -> dict[int, int]:
    """A row of its own for every unknown, where there is one."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_edges_from((("row", i), ("unknown", j)) for i, row in rows.items() for j in row)
    top = {("row", i) for i in rows}
    pairs = nx.bipartite.hopcroft_karp_matching(graph, top)
    return {name[1]: row[1] for name, row in pairs.items() if name[0] == "unknown"}


def _blocks(rows: Mapping[int, Mapping[int, Any]], owner: Mapping[int, int]) -> list[Block]:
    import networkx as nx

    needs = nx.DiGraph()
    needs.add_nodes_from(sorted(owner))
    needs.add_edges_from((other, j) for j, i in owner.items() for other in rows[i] if other != j)
    condensed = nx.condensation(needs)
    order = list(nx.lexicographical_topological_sort(condensed))
    blocks: list[Block] = []
    place: dict[int, int] = {}
    for number in order:
        members = sorted(condensed.nodes[number]["members"])
        place |= dict.fromkeys(members, len(blocks))
        blocks.append((members, [owner[j] for j in members]))
    used = set(owner.values())
    for i, row in rows.items():
        if i not in used:
            blocks[max(place[j] for j in row)][1].append(i)
    return blocks
