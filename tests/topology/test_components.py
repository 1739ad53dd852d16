"""Parts of graphs are those that networkx finds, on random graphs with edges side by side."""

import networkx as nx
import numpy as np
import pytest
from law_counts import seeds

from korba.topology.components import connected, needing_each_other, on_common_loops


def random_edges(seed):
    """A graph of a few nodes, sparse or dense; two edges may join the same two nodes."""
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(2, 12))
    edges = rng.integers(0, nodes, size=(int(rng.integers(1, 3 * nodes)), 2))
    return nodes, [(int(a), int(b)) for a, b in edges if a != b]


@pytest.mark.parametrize("seed", seeds(5))
def test_parts_are_those_of_networkx(seed):
    """Connected, biconnected and strongly connected ones."""
    nodes, edges = random_edges(seed)
    graph = nx.Graph(edges)
    graph.add_nodes_from(range(nodes))
    assert connected(range(nodes), edges) == sorted(map(sorted, nx.connected_components(graph)))
    between = {}
    for k, ends in enumerate(edges):
        between.setdefault(frozenset(ends), []).append(k)
    blocks = nx.biconnected_component_edges(graph)
    theirs = sorted(sorted(k for ends in part for k in between[frozenset(ends)]) for part in blocks)
    assert on_common_loops(edges) == theirs
    needs = {node: {b for a, b in edges if a == node} for node in range(nodes)}
    parts = needing_each_other(needs)
    directed = nx.DiGraph(edges)
    directed.add_nodes_from(range(nodes))
    strong = map(sorted, nx.strongly_connected_components(directed))
    assert sorted(parts) == sorted(strong)
    place = {node: k for k, part in enumerate(parts) for node in part}
    assert all(place[other] <= place[node] for node in needs for other in needs[node])


def test_long_chains_need_no_depth():
    """A chain and a ring of 20,000 links: no recursion."""
    chain = [(k, k + 1) for k in range(20_000)]
    assert len(on_common_loops(chain)) == 20_000
    assert len(on_common_loops([*chain, (20_000, 0)])) == 1
    assert len(needing_each_other({a: [b] for a, b in chain} | {20_000: []})) == 20_001
