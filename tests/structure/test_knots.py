"""Fig. 1.8 of Gronowicz: pairs, knots and their connectivity."""

from pathlib import Path

import numpy as np
import pytest

import korba as kb
from korba.structure.knots import KNOTS

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "structure"
LISTED = [(klass, symbol) for klass, symbols in KNOTS.items() for symbol in symbols]
TYPES = {"R": kb.Revolute, "T": kb.Prismatic, "C": kb.Cylindrical, "S": kb.Spherical}
TYPES |= {"U": kb.Universal, "P": kb.Planar, "SL": kb.PointOnLine}


def chain(symbols, rng, aimed=False):
    """Pairs at random places one after the other; an axis is `aimed` at the first pair."""
    joints, before = [], "ground"
    for i, symbol in enumerate(symbols):
        body, (p, axis) = f"link {i}", rng.uniform(-1, 1, (2, 3))
        axis = np.array(joints[0].at) - p if aimed and i else axis
        turned = {} if symbol == "S" else {"axis": tuple(axis)}
        ends = (before, body) if rng.random() < 0.5 else (body, before)
        joints.append(TYPES[symbol](f"J{i}", *ends, at=tuple(p), **turned))
        before = body
    return kb.Mechanism("chain", [kb.Body(f"link {i}") for i in range(len(joints))], joints)


def whole(m, count):
    """The knot of all pairs of a chain, if it acts as one."""
    return next((knot for knot in kb.course.knots(m, count) if len(knot.joints) == count), None)


def letters(symbol):
    times = int(symbol[0]) if symbol[0].isdigit() else 1
    return [symbol.lstrip("23")[0]] * times + list(symbol.lstrip("23")[1:])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("klass", "symbol"), LISTED)
def test_knots_of_the_list_act_as_pairs_of_their_class(klass, symbol, seed):
    """Built of random sizes, every knot has the connectivity of its class and its symbol."""
    order = "SC" if symbol == "CS" else letters(symbol)
    m = chain(order, np.random.default_rng(seed), aimed=symbol == "CS")
    knot = whole(m, len(order))
    assert (knot.symbol, knot.connectivity, knot.local) == (symbol, klass, int(symbol == "CS"))
    assert knot.ends == ("ground", f"link {len(order) - 1}")
    (pair,) = kb.course.pairs(symbol)
    assert (pair.klass, pair.local, pair.knot, pair.lower) == (klass, knot.local, True, True)


@pytest.mark.parametrize("seed", range(12))
def test_connectivity_is_the_rank_of_the_jacobian(seed):
    """The last link of a chain moves in as many ways as the chain has connectivity."""
    rng = np.random.default_rng(seed)
    symbols = rng.choice(list(TYPES), rng.integers(2, 5))
    m = chain(symbols, rng, aimed=bool(seed % 2))
    q = np.concatenate([rng.uniform(-1, 1, joint.nq) for joint in m.joints])
    J = kb.jacobian(m, q, m.bodies[-1].name)
    rank = np.linalg.matrix_rank(J, tol=1e-7)
    knot = whole(m, len(symbols))
    assert knot is None if rank == 6 else knot.connectivity == rank
    if knot:
        assert knot.connectivity == sum(knot.classes) - knot.local


EXPECTED = {
    "fig_1_29a_slide_with_knot_2rs": (("forearm", "arm"), "2RS", 5),
    "fig_1_29b_slide_with_knot_2cr": (("block", "sleeve"), "2CR", 5),
    "fig_1_29d_slide_with_knot_sc": (("sleeve",), "SC", 5),
    "fig_1_31a_four_bar_with_knot_2r": (("cross",), "2R", 2),
    "fig_1_31c_four_bar_with_knot_cs": (("ring",), "CS", 4),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_knots_of_the_figures(name):
    """The chain through the links of a knot acts as the pair that the figure needs."""
    through, symbol, klass = EXPECTED[name]
    by_links = {knot.through: knot for knot in kb.course.knots(kb.load(FOLDER / f"{name}.toml"))}
    knot = by_links[through]
    assert (knot.symbol, knot.connectivity, knot.instantaneous) == (symbol, klass, klass)


@pytest.mark.parametrize(
    ("axes", "points", "motion"),
    [
        (np.eye(3), np.zeros((3, 3)), "spherical motion"),
        (np.tile([0, 0, 1], (3, 1)), [[0, 0, 0], [1, 0, 0], [1, 1, 0]], "planar motion"),
    ],
)
def test_three_hinges_can_be_as_good_as_a_pair(axes, points, motion):
    """Axes that meet make a ball, parallel ones a plane pair; the answer says so."""
    ends = ["ground", "1", "2", "3"]
    joints = [
        kb.Revolute(f"J{i}", ends[i], ends[i + 1], at=tuple(points[i]), axis=tuple(axes[i]))
        for i in range(3)
    ]
    knot = whole(kb.Mechanism("wrist", [kb.Body(n) for n in ends[1:]], joints), 3)
    assert (knot.symbol, knot.connectivity) == ("3R", 3)
    assert knot.motion.startswith(motion)


def test_a_special_drawing_does_not_hide_the_connectivity():
    """Three hinges in one plane of a stretched arm have a freedom less there, and only there."""
    points, axes = [(0, 0, 0), (0, 0, 0), (0, 0, 0)], [(0, 0, 1), (1, 0, 0), (0, 0, 1)]
    ends = ["ground", "1", "2", "3"]
    joints = [
        kb.Revolute(f"J{i}", ends[i], ends[i + 1], at=points[i], axis=axes[i]) for i in range(3)
    ]
    knot = whole(kb.Mechanism("gimbal", [kb.Body(n) for n in ends[1:]], joints), 3)
    assert (knot.connectivity, knot.instantaneous) == (3, 2)
    assert "(2 here)" in str(
        kb.course.knots(kb.Mechanism("g", [kb.Body(n) for n in ends[1:]], joints))
    )


def test_the_catalogue_holds_every_pair_of_the_book():
    """Classes and contacts of Figs. 1.6 and 1.7, and three knots of each class II to V."""
    table = kb.course.pairs()
    single = {(pair.symbol, pair.klass, pair.lower) for pair in table if not pair.knot}
    planar = {("R", 1, True), ("T", 1, True), ("K", 2, False), ("Z", 2, False), ("J", 2, False)}
    spatial = {("C", 2, True), ("S", 3, True), ("P", 3, True), ("SL", 4, False), ("SP", 5, False)}
    assert planar | spatial <= single
    assert [pair.symbol for pair in table if pair.knot] == [symbol for _, symbol in LISTED]
    assert all(pair.klass == len(pair.freedoms) - pair.local for pair in table)
    assert "knot of cylindrical, spherical" in str(table)


@pytest.mark.parametrize("symbol", ["", "X", "2", "2RX", "R2", "r", "6R", "0R", "SS", "1R"])
def test_symbols_that_are_none_are_refused(symbol):
    """What is no pair and no knot of up to five freedoms is refused in a sentence."""
    with pytest.raises(kb.StructureError, match="symbol"):
        kb.course.pairs(symbol)


def test_closed_walks_and_the_base_make_no_knot():
    """Two bearings of one shaft are no chain, and no knot leads through the base."""
    assert len(kb.course.knots(kb.load(FOLDER / "fig_1_20b_rotor.toml"))) == 0
    for name in EXPECTED:
        for knot in kb.course.knots(kb.load(FOLDER / f"{name}.toml"), 5):
            assert "ground" not in knot.through
            assert knot.ends[0] != knot.ends[1]
