"""Structural groups: their class, their pairs and the order in which they are solved."""

from pathlib import Path

import pytest

import korba as kb

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "structure"


def pinned(*pins, slides=()):
    """A planar linkage of pins `A 0-1 x y` and guides along x; link 0 is the base."""
    joints = []
    for text in (*pins, *slides):
        name, pair, x, y = text.split()
        ends = ["ground" if end == "0" else end for end in pair.split("-")]
        place = {"at": (float(x), float(y))}
        if text in slides:
            joints.append(kb.Prismatic(name, *ends, **place, axis=(1, 0)))
        else:
            joints.append(kb.Revolute(name, *ends, **place))
    names = dict.fromkeys(end for j in joints for end in (j.parent, j.child))
    bodies = [kb.Body(name) for name in names if name != "ground"]
    return kb.Mechanism("linkage", bodies, joints, plane="xy")


FOUR_BAR = ("A 0-1 0 0", "B 1-2 1 2", "C 2-3 5 4", "D 0-3 6 0")
STEPHENSON = (*FOUR_BAR, "E 2-4 3 6", "F 4-5 8 7", "G 0-5 10 1")
CONTOUR = (
    *("A 0-1 0 0", "B 1-2 1 2"),  # crank and the first ternary link
    *("C 2-3 2 5", "D 2-4 4 2", "E 3-5 6 6", "F 4-5 8 3"),  # a contour of four pins
    "G 0-5 9 0",
)


def test_four_bar_is_a_crank_and_a_dyad():
    """After the crank a four-bar is one group of class II with pairs RRR."""
    crank, dyad = kb.groups(pinned(*FOUR_BAR), "A").groups
    assert (crank.kind, crank.klass, crank.bodies, crank.after) == ("input", 1, ("1",), (0,))
    assert (dyad.kind, dyad.klass, dyad.order, dyad.signature) == ("dyad", 2, 2, "RRR")
    assert (dyad.bodies, dyad.outer, dyad.inner) == (("2", "3"), ("B", "D"), ("C",))
    assert dyad.after == (0, 1)


def test_slider_crank_is_a_crank_and_a_dyad_with_a_guide():
    """Rod and slider are the dyad RRT."""
    m = pinned("A 0-1 0 0", "B 1-2 1 2", "C 2-3 6 0", slides=("D 0-3 6 0",))
    assert [g.signature for g in kb.groups(m, "A").groups][1:] == ["RRT"]
    assert [g.signature for g in kb.groups(m, "D").groups][1:] == ["RRR"]


def test_stephenson_six_bar_changes_its_class_with_the_input():
    """Driven at A it falls into two dyads; driven at G the other four links are one triad."""
    m = pinned(*STEPHENSON)
    by_crank, by_rocker = kb.groups(m, "A"), kb.groups(m, "G")
    assert by_crank.highest_class == 2
    assert [g.bodies for g in by_crank.groups] == [("1",), ("2", "3"), ("4", "5")]
    assert by_rocker.highest_class == 3
    assert [g.bodies for g in by_rocker.groups] == [("5",), ("1", "2", "3", "4")]


def test_triad_of_class_iii():
    """The triad has a ternary link, three inner and three outer pins."""
    _, triad = kb.groups(pinned(*STEPHENSON), "G").groups
    assert (triad.klass, triad.order, triad.signature) == (3, 3, "RRR-RRR")
    assert set(triad.inner) == {"B", "C", "E"}
    assert set(triad.outer) == {"A", "D", "F"}
    assert triad.after == (0, 1)


def test_closed_contour_of_four_links_is_class_iv():
    """Two ternary and two binary links in a ring, with two outer pins, are solved together."""
    _, ring = kb.groups(pinned(*CONTOUR), "A").groups
    assert (ring.klass, ring.order) == (4, 2)
    assert ring.bodies == ("2", "3", "4", "5")
    assert set(ring.inner) == {"C", "D", "E", "F"}


def test_cam_and_follower_are_solved_one_after_the_other():
    """With a higher pair one link alone is a group: guide and contact determine the follower."""
    cam, follower = kb.groups(kb.load(FOLDER / "fig_1_16a_cam_and_follower.toml")).groups
    assert (cam.kind, follower.bodies, follower.signature) == ("input", ("follower",), "TK")
    assert (follower.klass, follower.order, follower.after) == (2, 2, (0, 1))


def test_roller_is_found_with_its_local_freedom():
    """The cam leads the follower over the roller, whose spin no group determines."""
    found = kb.groups(kb.load(FOLDER / "fig_1_16b_cam_and_roller.toml"))
    assert found.local == ("roller",)
    assert {body for g in found.groups for body in g.bodies} == {"cam", "follower", "roller"}


def test_valve_gear_is_solved_along_its_chain():
    """Cam, rocker and valve follow each other, each by one contact and one pair on the base."""
    found = kb.groups(kb.load(FOLDER / "fig_1_10a_valve_gear.toml"))
    assert [g.bodies for g in found.groups] == [("cam",), ("rocker",), ("valve",)]
    assert [g.after for g in found.groups] == [(0,), (0, 1), (0, 2)]


def test_five_bar_with_two_inputs():
    """Two driven arms leave one dyad between them."""
    found = kb.groups(kb.load(FOLDER / "fig_1_11_five_bar_robot.toml"))
    assert found.inputs == ("theta_1", "theta_4")
    assert [g.bodies for g in found.groups] == [("arm 1",), ("arm 4",), ("rod 2", "rod 3")]
    assert found.groups[-1].after == (1, 2)


@pytest.mark.parametrize(
    ("m", "inputs"),
    [
        (pinned(*FOUR_BAR), "A"),
        (pinned(*STEPHENSON), "A"),
        (pinned(*STEPHENSON), "G"),
        (pinned(*STEPHENSON), "F"),
        (pinned(*CONTOUR), "A"),
        (kb.load(FOLDER / "fig_1_12_parallel_manipulator.toml"), None),
        (kb.load(FOLDER / "fig_1_19b_doubled_parallelogram.toml"), "A"),
        (kb.load(FOLDER / "fig_1_30a_four_bar_in_space.toml"), "A"),
    ],
    ids=str,
)
def test_groups_come_after_those_they_hang_on(m, inputs):
    """Every link is in one group, and no group needs one that is solved later."""
    found = kb.groups(m, inputs).groups
    assert sorted(b for g in found for b in g.bodies) == sorted(b.name for b in m.bodies)
    assert [g.number for g in found] == list(range(1, len(found) + 1))
    assert all(before < g.number for g in found for before in g.after)
    assert all(g.after for g in found)


def test_passive_constraints_are_left_out():
    """The doubled parallelogram is solved like the single one, with one repeated row left out."""
    found = kb.groups(kb.load(FOLDER / "fig_1_19b_doubled_parallelogram.toml"), "A")
    assert len(found.passive) == 1
    assert found.highest_class == 2


def test_too_few_inputs():
    """A five-bar with one input says how many are missing."""
    m = kb.load(FOLDER / "fig_1_11_five_bar_robot.toml")
    with pytest.raises(kb.StructureError, match="leave 1 freedoms free; give 1 more, 2 in all"):
        kb.groups(m, "A")


def test_too_many_inputs():
    """A four-bar with two inputs says how many to leave out."""
    with pytest.raises(kb.StructureError, match="where 1 are free; leave out 1"):
        kb.groups(pinned(*FOUR_BAR), ["A", "D"])


def test_inputs_must_be_named():
    """Without drives the inputs are asked for, and a wrong name is told from the right ones."""
    with pytest.raises(kb.StructureError, match="has no drives, so the inputs must be named"):
        kb.groups(pinned(*FOUR_BAR))
    with pytest.raises(kb.StructureError, match="no coordinate 'X'; there are A, B, C, D"):
        kb.groups(pinned(*FOUR_BAR), "X")
