"""Counting laws against brute force: sub-chains, loops and unions, single loops, variants."""

import itertools

import numpy as np
import pytest

from korba.model.body import Body
from korba.model.joints import JOINT_TYPES
from korba.model.mechanism import Mechanism
from korba.structure.count import (
    UNIONS_UP_TO,
    loop_table,
    single_loops,
    theoretical_mobility,
    union_mobility,
    unions,
)
from korba.structure.pebbles import rigid_sub_chains
from korba.structure.rational import rational_variants
from korba.topology.graph import Graph, independent_loops

GROUND = "ground"
SIZES = (1, 2, 3, 4, 6)


def joint(kind, name, parent, child, at=(0, 0, 0), **more):
    return JOINT_TYPES[kind](name, parent, child, at=tuple(at), **more)


def mechanism(joints, plane=None, **more):
    """Joints and whatever bodies they name."""
    ends = [end for j in joints for end in (j.parent, j.child)]
    names = [name for name in dict.fromkeys(ends) if name != GROUND]
    return Mechanism(bodies=tuple(map(Body, names)), joints=tuple(joints), plane=plane, **more)


def planar_chain(points, **more):
    """One planar loop of revolute pairs: A, B, ... at the points, links 1, 2, ..."""
    links = [GROUND, *map(str, range(1, len(points))), GROUND]
    joints = [
        joint("revolute", "ABCDEFGHIJ"[i], links[i], links[i + 1], at)
        for i, at in enumerate(points)
    ]
    return mechanism(joints, "xy", **more)


def numbers(graph, chain):
    """Numbers of the bodies of a sub-chain."""
    return [graph.bodies.index(body) for body in chain.bodies]


def random_graph(seed, size, most=6):
    """A connected multigraph with classes from 0 to s - 1, denser for every second seed."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, most + 1))
    ends = [(int(rng.integers(0, b)), b) for b in range(1, count)]
    ends += [
        tuple(int(x) for x in rng.choice(count, size=2, replace=False))
        for _ in range(int(rng.integers(0, count + 2)))
    ]
    least = 0 if seed % 3 == 0 else min(1, size - 1)
    classes = tuple(int(f) for f in rng.integers(least, size, len(ends)))
    if seed % 2:
        classes = tuple(min(size - 1, f + size // 2) for f in classes)
    names = tuple(f"j{i}" for i in range(len(ends)))
    return Graph(tuple(f"b{i}" for i in range(count)), names, tuple(ends), classes)


def count_inside(graph, size, bodies):
    """W(S) = s (|S| - 1) - sum (s - f) over the pairs inside S."""
    inside = [j for j, ends in enumerate(graph.ends) if set(ends) <= set(bodies)]
    return size * (len(bodies) - 1) - sum(size - graph.freedoms[j] for j in inside)


def partitions(items):
    if not items:
        yield []
        return
    first, *rest = items
    for part in partitions(rest):
        yield [[first], *part]
        for i in range(len(part)):
            yield [*part[:i], [first, *part[i]], *part[i + 1 :]]


def holds_together(graph, size, bodies):
    """Tutte and Nash-Williams: between the p parts of every partition, s (p - 1) constraints."""
    for part in partitions(list(bodies)):
        if len(part) < 2:
            continue
        block = {b: i for i, members in enumerate(part) for b in members}
        between = sum(
            size - graph.freedoms[j]
            for j, (a, b) in enumerate(graph.ends)
            if a in block and b in block and block[a] != block[b]
        )
        if between < size * (len(part) - 1):
            return False
    return True


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(24))
def test_sub_chains_are_the_largest_sets_that_hold_together(seed, size):
    """Rigid sub-chains are the largest link sets that no partition can pull apart by counting."""
    graph = random_graph(seed, size)
    every = range(len(graph.bodies))
    sets = [s for n in range(2, len(every) + 1) for s in itertools.combinations(every, n)]
    rigid = [set(s) for s in sets if holds_together(graph, size, s)]
    largest = sorted(sorted(s) for s in rigid if not any(s < other for other in rigid))
    found = rigid_sub_chains(graph, size)
    for chain in found:
        bodies = numbers(graph, chain)
        inside = [j for j, ends in enumerate(graph.ends) if set(ends) <= set(bodies)]
        assert chain.joints == tuple(graph.joints[j] for j in inside)
        assert chain.mobility == count_inside(graph, size, bodies) <= 0
    reported = [numbers(graph, chain) for chain in found]
    left_out = [bodies for bodies in largest if bodies not in reported]
    assert reported == [bodies for bodies in largest if bodies not in left_out]
    for bodies in left_out:  # welded links are one body, not a fault of the structure
        inside = [j for j, ends in enumerate(graph.ends) if set(ends) <= set(bodies)]
        assert len(inside) == len(bodies) - 1
        assert not any(graph.freedoms[j] for j in inside)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(24))
def test_every_over_constrained_set_touches_a_reported_sub_chain(seed, size):
    """A set with W(S) <= 0 holds at least two links of some reported sub-chain."""
    graph = random_graph(seed, size)
    chains = [set(numbers(graph, chain)) for chain in rigid_sub_chains(graph, size)]
    every = range(len(graph.bodies))
    for n in range(2, len(every) + 1):
        for bodies in itertools.combinations(every, n):
            inside = [j for j, ends in enumerate(graph.ends) if set(ends) <= set(bodies)]
            welded = len(inside) < n or not any(graph.freedoms[j] for j in inside)
            if count_inside(graph, size, bodies) <= 0 and not welded:
                assert any(len(chain & set(bodies)) > 1 for chain in chains)


def test_a_link_that_hangs_on_an_over_rigid_part_is_not_in_it():
    """W(S) <= 0 alone does not make a link rigid: a hinged link stays out of the sub-chain."""
    ends = ((0, 1), (0, 1), (1, 2))
    graph = Graph(("0", "1", "2"), ("a", "b", "c"), ends, (0, 1, 1))
    assert count_inside(graph, 3, (0, 1, 2)) < 0
    (chain,) = rigid_sub_chains(graph, 3)
    assert chain.bodies == ("0", "1")
    assert chain.mobility == -2


@pytest.mark.parametrize("size", [3, 6])
@pytest.mark.parametrize("seed", range(20))
def test_unions_of_loops_by_inclusion_and_exclusion(seed, size):
    """(1.12) repeated over shared pairs gives the mobility counted from links and pairs."""
    graph = random_graph(seed, size, most=5)
    loops = independent_loops(graph)
    if len(loops) > 6:
        pytest.skip("too many unions for brute force")
    own = [set(loop.joints) for loop in loops]
    named = {k.name: k for k in (*loop_table(graph, size), *unions(graph, size))}
    for n in range(1, len(loops) + 1):
        for chosen in itertools.combinations(range(len(loops)), n):
            shared = -sum(
                (-1) ** r
                * sum(graph.freedoms[j] for j in set.intersection(*map(own.__getitem__, some)))
                for r in range(1, n + 1)
                for some in itertools.combinations(chosen, r)
            )
            mobility = shared - size * n
            assert union_mobility(graph, size, [loops[i] for i in chosen]) == mobility
            name = "+".join(f"K{i + 1}" for i in chosen)
            if name in named:
                assert named[name].mobility == mobility
                links = {graph.bodies.index(b) for b in named[name].bodies}
                pairs = {graph.joints.index(j) for j in named[name].joints}
                if len(pairs) - len(links) + 1 == n:  # no further loop inside
                    count = sum(size - graph.freedoms[j] for j in pairs)
                    assert mobility == size * (len(links) - 1) - count
            elif len(loops) <= UNIONS_UP_TO:
                assert not hang_together([own[i] for i in chosen])


def hang_together(sets):
    """Whether sets can be joined one by one through common members."""
    reached, waiting = set(sets[0]), list(sets[1:])
    while near := [s for s in waiting if s & reached]:
        reached |= near[0]
        waiting.remove(near[0])
    return not waiting


@pytest.mark.parametrize("size", [3, 6])
@pytest.mark.parametrize("seed", range(20))
def test_the_whole_is_the_union_of_all_loops_and_the_pairs_outside(seed, size):
    """W_T by links is the union of all loops plus the freedoms of pairs on no loop."""
    graph = random_graph(seed, size)
    loops = independent_loops(graph)
    bridges = set(range(len(graph.joints))) - {j for loop in loops for j in loop.joints}
    total = union_mobility(graph, size, loops) + sum(graph.freedoms[j] for j in bridges)
    assert total == theoretical_mobility(graph, size)


@pytest.mark.parametrize("size", [3, 6])
@pytest.mark.parametrize("links", range(1, 8))
def test_single_loops_are_all_class_lists(links, size):
    """Every non-decreasing list of classes with the right sum, each once and in order."""
    for mobility in range(-size, 3):
        classes = itertools.combinations_with_replacement(range(1, size), links)
        expected = [c for c in classes if sum(c) == size + mobility]
        assert single_loops(links, mobility, size) == expected


def test_single_loops_of_fig_1_22():
    """The table of theoretically rigid loops has 3, 3, 2, 1, 1 entries for W_T = 0."""
    assert [len(single_loops(n, 0)) for n in range(2, 7)] == [3, 3, 2, 1, 1]
    assert single_loops(4, -2) == [(1, 1, 1, 1)]
    assert single_loops(6, -1) == []


def spatial_of_graph(graph):
    """Any spatial mechanism with that graph: revolute pairs at random places."""
    rng = np.random.default_rng(len(graph.joints))
    places = rng.normal(size=(len(graph.joints), 2, 3))
    names = [GROUND, *graph.bodies[1:]]
    return mechanism(
        [
            joint(
                "revolute",
                name,
                names[a],
                names[b],
                p,
                axis=tuple(u),
            )
            for name, (a, b), (p, u) in zip(graph.joints, graph.ends, places, strict=True)
        ]
    )


@pytest.mark.parametrize("keep", [(), ("j0",)])
@pytest.mark.parametrize(
    "ends",
    [
        [(0, 1), (0, 1)],
        [(0, 1), (1, 2), (0, 2)],
        [(0, 1), (1, 2), (2, 3), (0, 3)],
        [(0, 1), (1, 2), (0, 2), (1, 2)],
        [(0, 1), (0, 1), (1, 2), (1, 2)],
    ],
)
def test_rational_variants_are_all_sound_assignments(ends, keep):
    """Classes I to V with W_T = W_R whose every connected link set has W(S) > 0."""
    count = 1 + max(max(pair) for pair in ends)
    names = tuple(f"j{i}" for i in range(len(ends)))
    graph = Graph(tuple(f"b{i}" for i in range(count)), names, tuple(ends), (1,) * len(ends))
    found = rational_variants(spatial_of_graph(graph), keep, mobility=1)
    expected = {}
    for classes in itertools.product(range(1, 6), repeat=len(ends)):
        if any(classes[names.index(k)] != 1 for k in keep):
            continue
        tried = Graph(graph.bodies, names, graph.ends, classes)
        sets = [s for n in range(2, count + 1) for s in itertools.combinations(range(count), n)]
        sound = not any(holds_together(tried, 6, s) for s in sets)
        if theoretical_mobility(tried, 6) == 1 and sound:
            free = tuple(c for name, c in zip(names, classes, strict=True) if name not in keep)
            expected.setdefault(tuple(sorted(free)), []).append(free)
    assert {v.classes: sorted(v.placements) for v in found} == {
        classes: sorted(places) for classes, places in expected.items()
    }
    assert found.complete
