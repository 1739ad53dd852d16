"""Loops and parts of graphs: random multigraphs, the book's Fig. 1.13, and very long chains."""

import networkx as nx
import numpy as np
import pytest

from korba.model.body import Body
from korba.model.joints import JOINT_TYPES
from korba.model.mechanism import Mechanism
from korba.topology.graph import (
    SHORTEST_UP_TO,
    Graph,
    graph_of,
    independent_loops,
    joints_of,
    parts,
    spanning_tree,
)

SEEDS = range(30)
LONG = 100_000


def graph(count, ends):
    names = tuple(f"j{i}" for i in range(len(ends)))
    return Graph(tuple(f"b{i}" for i in range(count)), names, tuple(ends), (1,) * len(ends))


def random_graph(seed, *, simple=False, most=14, extra=None):
    """A connected graph with random further edges, parallel ones too unless `simple`."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, most))
    ends = [(int(rng.integers(0, b)), b) for b in range(1, count)]
    for _ in range(int(rng.integers(0, 2 * count)) if extra is None else extra):
        a, b = (int(x) for x in rng.choice(count, size=2, replace=False))
        if not (simple and ((a, b) in ends or (b, a) in ends)):
            ends.append((a, b))
    order = rng.permutation(len(ends))
    return graph(count, [ends[i] for i in order])


def rank_gf2(rows):
    """Rank over GF(2) of rows given as integers, one bit a joint."""
    pivots = {}
    for row in rows:
        left = row
        while left and left.bit_length() in pivots:
            left ^= pivots[left.bit_length()]
        if left:
            pivots[left.bit_length()] = left
    return len(pivots)


def assert_closed_walk(g, loop):
    assert len(loop.bodies) == len(loop.joints) >= 2
    assert len(set(loop.bodies)) == len(loop.bodies)
    assert len(set(loop.joints)) == len(loop.joints)
    following = [*loop.bodies[1:], loop.bodies[0]]
    for joint, here, there in zip(loop.joints, loop.bodies, following, strict=True):
        assert sorted(g.ends[joint]) == sorted((here, there))


def assert_basis(g):
    loops = independent_loops(g)
    assert len(loops) == len(g.joints) - g.moving
    assert rank_gf2(sum(1 << j for j in loop.joints) for loop in loops) == len(loops)
    for loop in loops:
        assert_closed_walk(g, loop)
    return loops


@pytest.mark.parametrize("seed", SEEDS)
def test_loops_of_a_multigraph_are_a_basis(seed):
    """As many closed walks as joints less moving bodies, independent over GF(2)."""
    loops = assert_basis(random_graph(seed))
    on_loops = {j for part in parts(random_graph(seed)) if len(part) > 1 for j in part}
    assert joints_of(loops) == on_loops


@pytest.mark.parametrize("seed", range(5))
def test_loops_of_a_large_part_are_a_basis(seed):
    """Past the size where shortest loops are sought, the tree's loops are a basis too."""
    g = random_graph(seed, most=60, extra=3 * SHORTEST_UP_TO)
    assert any(len(part) > SHORTEST_UP_TO for part in parts(g))
    assert_basis(g)


@pytest.mark.parametrize("seed", SEEDS)
def test_small_parts_get_the_shortest_loops(seed):
    """The joints of all loops together are as few as networkx finds."""
    g = random_graph(seed, simple=True, most=9)
    known = nx.minimum_cycle_basis(nx.Graph(list(g.ends)))
    assert sum(len(loop.joints) for loop in independent_loops(g)) == sum(map(len, known))


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_are_the_biconnected_components(seed):
    """Parts of a simple graph are those of networkx, every joint in exactly one."""
    g = random_graph(seed, simple=True)
    found = parts(g)
    assert sorted(j for part in found for j in part) == list(range(len(g.joints)))
    edges = {frozenset(ends): j for j, ends in enumerate(g.ends)}
    known = nx.biconnected_component_edges(nx.Graph(list(g.ends)))
    expected = sorted(sorted(edges[frozenset(edge)] for edge in part) for part in known)
    assert found == expected


def test_two_joints_between_two_bodies_are_a_loop():
    """Parallel joints form one part and close one loop of two bodies."""
    g = graph(3, [(0, 1), (1, 0), (1, 2)])
    assert parts(g) == [[0, 1], [2]]
    (loop,) = independent_loops(g)
    assert sorted(loop.joints) == [0, 1]


@pytest.mark.parametrize("seed", SEEDS)
def test_spanning_tree_reaches_every_body_by_a_shortest_way(seed):
    """Each body comes after the one it hangs on, at its distance from the base."""
    g = random_graph(seed)
    tree = spanning_tree(g)
    place = {body: i for i, body in enumerate(tree.order)}
    assert sorted(place) == list(range(len(g.bodies)))
    distance = nx.single_source_shortest_path_length(nx.MultiGraph(list(g.ends)), 0)
    for body in tree.order[1:]:
        before, joint = tree.body_before[body], tree.joint_to[body]
        assert place[before] < place[body]
        assert g.other(joint, body) == before
        assert tree.depth[body] == distance[body]
    used = {tree.joint_to[body] for body in tree.order[1:]}
    assert sorted(used | set(tree.closing)) == list(range(len(g.joints)))


def test_fig_1_13_has_the_loops_of_the_book():
    """K1 joins links 1, 2, 0 and K2 links 2, 3, 4, 0; their classes sum to 6 and 9."""
    ends = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (0, 4)]
    classes = (1, 2, 3, 2, 4, 1)
    g = Graph(tuple("01234"), ("01", "02", "12", "23", "34", "04"), tuple(ends), classes)
    K1, K2 = independent_loops(g)
    assert {g.joints[j] for j in K1.joints} == {"12", "02", "01"}
    assert {g.joints[j] for j in K2.joints} == {"23", "34", "04", "02"}
    mobility = [sum(classes[j] for j in loop.joints) - 6 for loop in (K1, K2)]
    assert mobility == [0, 3]
    shared = set(K1.joints) & set(K2.joints)
    assert sum(mobility) - sum(classes[j] for j in shared) == 1  # (1.12)
    assert len(independent_loops(g)) + 1 == 3  # l_k with the outer loop (1.5)


def test_graph_of_a_mechanism():
    """The base is vertex 0; joints keep their order, direction and class."""
    revolute, cylindrical = JOINT_TYPES["revolute"], JOINT_TYPES["cylindrical"]
    m = Mechanism(
        bodies=[Body("a"), Body("b")],
        joints=[revolute("A", "ground", "a", at=(0, 0)), cylindrical("B", "b", "a", at=(1, 0))],
    )
    g = graph_of(m)
    assert g.bodies == ("ground", "a", "b")
    assert g.ends == ((0, 1), (2, 1))
    assert g.freedoms == (1, 2)
    assert g.incident == ((0,), (0, 1), (1,))
    assert g.moving == 2


def test_a_long_chain_needs_no_recursion():
    """100,000 bodies in a row: no loop, every joint a part of its own."""
    g = graph(LONG, [(b - 1, b) for b in range(1, LONG)])
    assert spanning_tree(g).depth[-1] == LONG - 1
    assert len(parts(g)) == LONG - 1
    assert independent_loops(g) == ()


def test_a_long_loop_needs_no_recursion():
    """The same chain closed: one part, one loop through all bodies."""
    g = graph(LONG, [*((b - 1, b) for b in range(1, LONG)), (LONG - 1, 0)])
    assert len(parts(g)) == 1
    (loop,) = independent_loops(g)
    assert len(loop.joints) == LONG
