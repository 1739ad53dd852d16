"""Structure without geometry: what a placement matrix or counts alone say (Gronowicz 1.2)."""

from itertools import combinations

import numpy as np
import pytest
from law_counts import some
from test_book_chapter1 import FIGURES, figure

import korba as kb
from korba.structure.count import PlacementMatrix

# figure: (c_w, k, {class: pairs}, W_T), every count of the table of chapter 1
COUNTS = [(6 - s, k, classes, W_T) for s, k, classes, W_T, _, _, _ in FIGURES.values()]

MR = """0  P1 P2 0  P1
        P1 0  P3 0  0
        P2 P3 0  P2 0
        0  0  P2 0  P4
        P1 0  0  P4 0"""


def matrix_of(text):
    return [line.split() for line in text.splitlines()]


@pytest.mark.parametrize("c_w, k, pairs, W_T", COUNTS)
def test_counts_alone_give_the_mobility(c_w, k, pairs, W_T):
    """W_T of (1.3) from k, p_i and c_w is that of the book for every figure."""
    assert kb.course.theoretical_mobility(k, pairs, c_w) == W_T


def test_the_matrix_of_figure_1_13():
    """The printed numbers of Fig. 1.13 from its matrix MR: W_T, W^K, l_k, the rigid part."""
    found = kb.course.structure(matrix_of(MR), c_w=0)
    assert found.theoretical == 1
    assert [loop.mobility for loop in found.loops] == [0, 3]
    assert [union.mobility for union in found.unions] == [1]
    assert found.loop_count == 3
    assert [chain.bodies for chain in found.rigid] == [("0", "1", "2")]
    assert not found.complete
    assert found.loops[0].walk == "0-P1-1-P3-2-P2"
    text = str(found)
    assert "W_T  = 6*4 - 5*2 - 4*2 - 3*1 - 2*1 = 1" in text
    assert "links 0, 1, 2 cannot move against each other: W = 0" in text


@pytest.mark.parametrize("name", FIGURES)
def test_the_matrix_of_a_mechanism_leads_back_to_its_count(name):
    """A mechanism and its placement matrix count alike: the matrix holds all of the structure."""
    m = figure(name)
    if m.couplings:
        pytest.skip("couplings are no pairs")
    full, matrix = kb.mobility(m), kb.course.placement_matrix(m)
    found = kb.course.structure(matrix, 6 - full.space)
    assert found.theoretical == full.theoretical
    assert found.complete == full.complete
    assert {chain.bodies for chain in found.rigid} == {chain.bodies for chain in full.rigid}
    assert [[sorted(entry) for entry in row] for row in found.matrix.entries] == [
        [sorted(entry) for entry in row] for row in matrix.entries
    ]


def random_matrix(rng, size):
    """A connected structure of 3 to 6 links with some spare pairs."""
    count = int(rng.integers(3, 7))
    entries = [[[] for _ in range(count)] for _ in range(count)]
    edges = [(int(rng.integers(b)), b) for b in range(1, count)]
    edges += [tuple(sorted(rng.choice(count, 2, replace=False))) for _ in range(rng.integers(1, 5))]
    for a, b in edges:
        klass = int(rng.integers(1, size))
        entries[a][b].append(klass)
        entries[b][a].append(klass)
    return entries


@pytest.mark.parametrize("seed", some(20, 200))
def test_rigid_parts_are_those_of_all_sets(seed):
    """A structure is complete if W(S) > 0 for every set S of links that has pairs in it."""
    rng = np.random.default_rng(seed)
    c_w = int(rng.choice([0, 2, 3]))
    size, entries = 6 - c_w, random_matrix(rng, 6 - c_w)
    found = kb.course.structure(entries, c_w)

    def W(links):
        inside = [i for a, b in combinations(links, 2) for i in entries[a][b]]
        return size * (len(links) - 1) - sum(size - i for i in inside)

    links = range(len(entries))
    sets = [S for n in range(2, len(entries) + 1) for S in combinations(links, n)]
    assert found.theoretical == W(tuple(links))
    assert found.complete == all(W(S) > 0 for S in sets)
    for chain in found.rigid:
        assert W(tuple(map(int, chain.bodies))) == chain.mobility <= 0


def test_two_pairs_between_two_links():
    """A rotor in a hinge and a round guide: one entry with two pairs, in all ways of writing."""
    for both in ("P1+P2", (1, 2), [2, 1], "P2 + P1"):
        found = kb.course.structure([[0, both], [both, 0]], 0, names=["base", "rotor"])
        assert (found.theoretical, found.classes) == (-3, {1: 1, 2: 1})
        assert found.loops[0].bodies == ("base", "rotor")


@pytest.mark.parametrize(
    "matrix, c_w, message",
    [
        ([[0, 1], [2, 0]], 3, "row '0', column '1' has P1 and row '1', column '0' P2"),
        ([[1, 1], [1, 0]], 3, "no link is joined to itself"),
        ([[0, 3], [3, 0]], 3, "pair 0-1: expected a class from 1 to 2"),
        ([[0, 1], [1, 0]], 5, "c_w: expected how many constraints"),
        ([[0, 1, 0], [1, 0]], 3, "as many columns as rows"),
        ([[0, 1, 0], [1, 0, 0], [0, 0, 0]], 3, "no pairs lead from the base to 2"),
        ([[0, "R"], ["R", 0]], 3, "expected 0, a class such as 1 or 'P1'"),
    ],
)
def test_what_is_no_placement_matrix(matrix, c_w, message):
    """Faults of a matrix name the entry and what was expected."""
    with pytest.raises(kb.StructureError, match=message.replace("(", r"\(")):
        kb.course.structure(matrix, c_w)


def test_what_are_no_counts():
    """Classes that the space of motion does not have, and numbers below zero, are refused."""
    with pytest.raises(kb.StructureError, match="a class from 1 to 2"):
        kb.course.theoretical_mobility(3, {3: 1})
    with pytest.raises(kb.StructureError, match="how many pairs of class 1"):
        kb.course.theoretical_mobility(3, {1: -4})
    with pytest.raises(kb.StructureError, match="one moving link or more"):
        kb.course.theoretical_mobility(0, {})
    given = PlacementMatrix(("ground", "a"), (((), (1,)), ((1,), ())))
    assert kb.course.structure(given).loops == ()
