"""The order of solution: rows matched with unknowns, groups after those they need."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from korba.kinematics.orthogonal import in_turn, matched


@pytest.mark.parametrize("seed", range(20))
def test_matchings_are_largest(seed):
    """Every unknown has a row of its own in which it stands, as many as can be (Hopcroft-Karp)."""
    rng = np.random.default_rng(seed)
    rows = {
        i: dict.fromkeys(rng.integers(0, 9, size=rng.integers(1, 4)).tolist()) for i in range(9)
    }
    owner = matched(rows)
    graph = nx.Graph((("row", i), ("unknown", j)) for i, row in rows.items() for j in row)
    best = nx.bipartite.hopcroft_karp_matching(graph, {("row", i) for i in rows})
    assert len(set(owner.values())) == len(owner) == len(best) // 2
    assert all(j in rows[i] for j, i in owner.items())


@pytest.mark.parametrize("seed", range(20))
def test_groups_come_after_those_they_need(seed):
    """Groups are the strong components, and no number stands before one that it needs."""
    rng = np.random.default_rng(seed)
    needs = {i: rng.integers(0, 12, size=rng.integers(0, 4)).tolist() for i in range(12)}
    groups = in_turn(needs)
    graph = nx.DiGraph((i, j) for i, others in needs.items() for j in others)
    graph.add_nodes_from(needs)
    assert sorted(groups) == sorted(map(sorted, nx.strongly_connected_components(graph)))
    place = {i: k for k, group in enumerate(groups) for i in group}
    assert all(place[j] <= place[i] for i, others in needs.items() for j in others)


def test_a_long_chain_of_needs_is_followed_to_its_end():
    """Ten thousand numbers, each of which needs the next, come in the reverse order."""
    count = 10_000
    groups = in_turn({i: [i + 1] if i + 1 < count else [] for i in range(count)})
    assert groups == [[i] for i in reversed(range(count))]
