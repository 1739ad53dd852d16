"""Newton and Euler for one link, static determinacy, and the groups that there can be."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from book_statics import four_bar, slider_crank
from numpy.testing import assert_allclose
from reference_mechanisms import three_cranks

import korba as kb
from korba.course import link_accelerations, link_forces
from korba.course.statics import determinacy


def test_gyroscopic_moment():
    """I = diag(1, 2, 3) that turns with (1, 2, 3) takes (6, -6, 2)."""
    assert_allclose(link_forces(1, (1, 2, 3), np.zeros(3), np.zeros(3), (1, 2, 3))[1], (6, -6, 2))


def test_crank_of_example_4_7():
    """Forces on the crank give back the angular acceleration of the matrix (4.101)."""
    a, b, F_x, F_y, F_21, M = 0.1, 0.3, -11.714286, 9.71, 11.107143, 4.0
    force, moment = (F_x + F_21, F_y - 9.81), F_x * a - F_21 * (b - a) + M
    found = link_accelerations(1.0, 0.1, force, moment)
    assert_allclose(found.angular_acceleration, 6.071429, atol=1e-5)
    assert_allclose(found.acceleration, (-a * 6.071429, -a), atol=1e-6)


@pytest.mark.parametrize("size", [2, 3])
def test_there_and_back(size):
    """Accelerations from the forces that they take are the same, for any number of states."""
    rng = np.random.default_rng(size)
    A = rng.normal(size=(3, 3))
    inertia = 0.3 if size == 2 else A @ A.T + np.eye(3)
    a, w = rng.normal(size=(5, size)), rng.normal(size=(5, 3))
    e = rng.normal(size=5 if size == 2 else (5, 3))
    more = () if size == 2 else (w,)
    forces = link_forces(1.7, inertia, a, e, *more)
    back = link_accelerations(1.7, inertia, *forces, *more)
    assert_allclose(back.acceleration, a, atol=1e-14)
    assert_allclose(back.angular_acceleration, e, atol=1e-13)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((0.0, 0.1, (1, 2), 3), "mass and inertia must be positive"),
        ((1.0, (1, 2, 3), (1, 2), 3), "inertia: expected a number in the plane"),
        ((1.0, 1.0, (1, 2, 3), 3), "moment: expected shape|inertia: expected three"),
        ((1.0, 1.0, 1, 3), "force: expected two components"),
        ((-1.0, 1.0, (1, 2), 3), "mass: expected a number that is not negative"),
        ((1.0, ((1, 2, 0), (0, 1, 0), (0, 0, 1)), (1, 2, 3), (1, 2, 3)), "symmetric"),
    ],
)
def test_what_makes_no_sense_is_told(given, told):
    """Shapes, masses and tensors."""
    with pytest.raises(kb.StructureError, match=told):
        link_accelerations(*given)


def test_order_of_groups():
    """A determinate mechanism: verdict, and the last group first."""
    found = kb.course.static_determinacy(slider_crank())
    assert found.determinate
    assert (found.unknowns, found.equations) == (9, 9)
    assert [step.group.signature for step in found.order] == ["RRT", "R"]
    assert [step.driving for step in found.order] == [0, 1]
    assert "statically determinate" in str(found)


def test_what_is_not_determinate():
    """Passive constraints, freedoms without drives and drives to spare are told by number."""
    cranks = kb.course.static_determinacy(three_cranks(0.4, 1.0, 0.0))
    assert (cranks.determinate, cranks.passive, cranks.order) == (False, 1, ())
    assert "1 passive constraint" in cranks.verdict
    from dataclasses import replace

    loose = kb.course.static_determinacy(replace(four_bar(), drives=()))
    assert "1 freedom without a drive" in loose.verdict
    more = replace(four_bar(), drives=[kb.JointDrive(n, n, "0*t") for n in "AD"])
    assert "1 driving force to spare" in kb.course.static_determinacy(more).verdict
    with pytest.raises(kb.StructureError, match="no static order of groups: indeterminate"):
        kb.course.force_plan(kb.motion(three_cranks(0.4, 1.0, 0.0), [0.0]))


def test_groups_that_there_can_be():
    """2 p1 + p2 = 3 u, and 1, 2 and 10 simple structures of 2, 4 and 6 links."""
    counts = {u: [(k.p1, k.p2) for k in kb.course.determinate_groups(u)] for u in range(1, 5)}
    assert counts[1] == [(1, 1), (0, 3)]
    assert counts[2] == [(3, 0), (2, 2), (1, 4), (0, 6)]
    assert counts[3][:2] == [(4, 1), (3, 3)]
    assert counts[4][:2] == [(6, 0), (5, 2)]
    assert kb.course.determinate_groups(3, higher=False) == ()
    structures = [kb.course.determinate_groups(u)[0].structures for u in (2, 4, 6)]
    assert structures == [1, 2, 10]
    assert kb.course.determinate_groups(2)[0].kinds == ("RRR", "RRT", "RTR", "TRT", "RTT")


def test_groups_with_pairs_of_class_two():
    """Structures with p2 > 0, by class: those of one link, of two, and how many of three."""
    one, two, three = (kb.course.determinate_groups(u) for u in (1, 2, 3))
    assert [kind.kinds for kind in one] == [("I+II",), ("II+II+II",)]
    assert [set(kind.kinds) for kind in two[1:]] == [
        {"I - I - II+II", "I - II+II - I"},
        {"I - II+II - II+II", "II+II - I - II+II"},
        {"II+II - II+II - II+II"},
    ]
    assert [kind.structures for kind in three] == [2, 8, 17, 13, 6]


def constraint_rows(outside, between, rng):
    """Rows of forces that pairs may have on the links, each with the links that it is between."""
    count, rows = len(outside), []

    def add(pairs, one, other):
        for klass, many in zip((2, 1), pairs, strict=True):
            for _ in range(many):
                place = rng.uniform(-1, 1, 2)
                for direction in rng.standard_normal((klass, 2)):
                    wrench = np.array(
                        [*direction, place[0] * direction[1] - place[1] * direction[0]]
                    )
                    row = np.zeros(3 * count)
                    row[3 * one : 3 * one + 3] = wrench
                    if other is not None:
                        row[3 * other : 3 * other + 3] = -wrench
                    rows.append(({one, other}, row))

    for i, pairs in enumerate(outside):
        add(pairs, i, None)
    for (i, j), pairs in zip(combinations(range(count), 2), between, strict=True):
        add(pairs, i, j)
    return rows


def simple_by_rank(outside, between, rng):
    """Whether random geometry makes a group that is determinate and holds no smaller one."""
    count, rows = len(outside), constraint_rows(outside, between, rng)

    def rank(links, inner):
        own = [row for ends, row in rows if ends <= links | (set() if inner else {None})]
        return np.linalg.matrix_rank(np.array(own)) if own else 0

    links = range(count)
    parts = [set(part) for n in range(1, count + 1) for part in combinations(links, n)]
    return (
        rank(set(links), False) == 3 * count
        and all(rank(part, False) < 3 * len(part) for part in parts[:-1])
        and all(rank(part, True) < 3 * len(part) - 3 for part in parts if len(part) > 1)
    )


@pytest.mark.parametrize("links", [1, 2, 3])
def test_structures_are_those_of_forces_in_general_places(links):
    """The listed structures are just those whose equations of equilibrium have one solution."""
    rng = np.random.default_rng(links)
    listed = {
        structure
        for p1 in range(3 * links // 2, -1, -1)
        for structure in determinacy.higher_structures(links, p1)
    }
    outer = [(a, b) for a in (0, 1) for b in range(4) if 2 * a + b <= 3]
    between = [(0, 0), (0, 1), (1, 0), (0, 2), (1, 1), (0, 3)]
    tried = set()
    for outside in product(outer, repeat=links):
        for inner in product(between, repeat=links * (links - 1) // 2):
            if sum(2 * a + b for a, b in (*outside, *inner)) == 3 * links:
                tried.add(determinacy._numbered_first(outside, inner))
    assert listed == {own for own in tried if simple_by_rank(*own, rng)}
