"""Basic dimensions of links and their polygon (Figs. 1.14, 1.15), and Fig. 1.21b."""

import numpy as np
import pytest
from law_counts import some
from numpy.testing import assert_allclose
from test_book_chapter1 import figure

import korba as kb
from korba.spatial.rotation import rotation_about

AXES = {"R": kb.Revolute, "T": kb.Prismatic, "C": kb.Cylindrical, "P": kb.Planar}
# symbols of the two pairs: basic dimensions of the link between them, 6 less the rank of both
BINARY = {
    "SS": 1, "SC": 1, "SR": 2, "ST": 2, "SP": 1, "CC": 2, "CR": 3, "CT": 3, "CP": 1, "RR": 4,
    "RT": 4, "RP": 2, "TT": 4, "TP": 2, "PP": 1, "HH": 4, "HS": 2,
}  # fmt: skip


def pair(symbol, name, parent, child, rng):
    at, axis = rng.uniform(-1, 1, (2, 3))
    if symbol == "S":
        return kb.Spherical(name, parent, child, at=at)
    if symbol == "H":
        return kb.Screw(name, parent, child, at=at, axis=axis, lead=0.01)
    return AXES[symbol](name, parent, child, at=at, axis=axis)


def link_of(symbols, seed=0):
    """A link on the base and on a last body by pairs in general places."""
    rng = np.random.default_rng(seed)
    joints = [pair(symbols[0], "one", "ground", "link", rng)]
    joints += [pair(s, f"pair {i}", "link", f"{i}", rng) for i, s in enumerate(symbols[1:])]
    bodies = [kb.Body("link"), *(kb.Body(f"{i}") for i in range(len(symbols) - 1))]
    return kb.Mechanism(symbols, bodies, joints)


@pytest.mark.parametrize("symbols", BINARY)
def test_a_link_has_as_many_dimensions_as_its_half_pairs_leave(symbols):
    """A link of two half-pairs has 6 - rank [S1 S2] basic dimensions, and so many are listed."""
    link = kb.course.basic_dimensions(link_of(symbols))["link"]
    assert link.count == len(link.dimensions) == BINARY[symbols]


def test_the_links_of_figure_1_14():
    """Ball and bush need one dimension, the most complex link of Fig. 1.14 four (the book)."""
    found = kb.course.basic_dimensions(figure("fig_1_15_rcsr"))
    assert [link.count for link in found.links] == [2, 4, 3, 1]
    assert found.count == 10
    assert [d.kind for d in found["3"].dimensions] == ["distance"]


@pytest.mark.parametrize("seed", some(6, 200))
def test_dimensions_are_those_that_a_link_was_made_of(seed):
    """A link made by a_j, alpha_j and offsets d (2.30), put anywhere, tells those numbers."""
    rng = np.random.default_rng(seed)
    a, alpha = rng.uniform(0.1, 0.5), rng.uniform(0.2, 1.4)
    d, e = rng.uniform(-0.3, 0.3, 2)
    turn = rng.standard_normal(3)
    R, p = rotation_about(turn / np.linalg.norm(turn), turn[0]), rng.uniform(-1, 1, 3)
    u = np.array([0, -np.sin(alpha), np.cos(alpha)])
    place, other = np.array([0, 0, -d]), np.array([a, 0, 0]) - e * u
    joints = [
        kb.Revolute("J", "ground", "link", at=p + R @ place, axis=R @ (0, 0, 1)),
        kb.Revolute("K", "link", "last", at=p + R @ other, axis=R @ u),
    ]
    m = kb.Mechanism("made", [kb.Body("link"), kb.Body("last")], joints)
    link = kb.course.basic_dimensions(m)["link"]
    values = [
        link.value(k, *js)
        for k, js in zip(
            ("distance", "angle", "offset", "offset"), ("JK", "JK", "JK", "KJ"), strict=True
        )
    ]
    assert_allclose(values, [a, alpha, d, e], atol=1e-12)


def test_dimensions_in_the_plane():
    """A ternary link of pins has three, a crank one; of a pin and a guide it is their distance."""
    six = kb.load(figure_of_the_book("ex_2_4_six_links"))
    found = kb.course.basic_dimensions(six)
    assert (found["coupler"].count, len(found["coupler"].dimensions)) == (3, 3)
    assert_allclose(found["coupler"].value("distance", "B", "E"), 0.4, atol=1e-12)
    crank = kb.course.basic_dimensions(kb.linkages.slider_crank(0.1, 0.3, offset=0.02))
    assert_allclose(crank["ground"].value("distance", "A", "slide"), 0.02, atol=1e-12)
    assert crank["ground"].count == 1
    assert (
        kb.course.basic_dimensions(figure("fig_1_17a_two_sliders"))["bar 2"].dimensions[0].kind
        == "angle"
    )
    with pytest.raises(kb.StructureError, match="has no offset of A, B"):
        crank["crank"].value("offset", "A", "B")


def figure_of_the_book(name):
    from test_book_chapter1 import FOLDER

    return FOLDER.parent / "book" / f"{name}.toml"


def test_the_polygon_of_figure_1_15():
    """RCSR has a polygon of seven corners A ... G; along one side alone, that of C, it varies."""
    m = figure("fig_1_15_rcsr")
    polygon = kb.course.dimension_polygon(m)
    assert [side.owner for side in polygon.sides] == ["ground", "FG", "1", "AB", "2", "CD", "3"]
    assert [side.owner for side in polygon.sides if side.varies] == ["CD"]
    ends = np.array([side.end for side in polygon.sides])
    assert_allclose(ends, np.roll(polygon.corners, -1, axis=0), atol=1e-12)
    at = kb.course.dimension_polygon(kb.assemble(m, {"FG": -0.3}))
    apart = [abs(one.length - two.length) for one, two in zip(polygon.sides, at.sides, strict=True)]
    assert apart[5] > 1e-3
    assert max(apart[:5] + apart[6:]) < 1e-9


def test_linkages_of_one_polygon_move_alike():
    """R* in place of R changes dimensions of links 1 and 4, not the polygon and not the motion."""
    m, other = figure("fig_1_15_rcsr"), figure("fig_1_15_rcsr", shift="50 mm")
    one, two = (kb.course.basic_dimensions(each) for each in (m, other))
    for body, joints in (("1", ("FG", "AB")), ("ground", ("FG", "E"))):
        change = two[body].value("offset", *joints) - one[body].value("offset", *joints)
        assert_allclose(change, -0.05, atol=1e-12)
    polygons = [kb.course.dimension_polygon(each) for each in (m, other)]
    assert_allclose(polygons[0].corners, polygons[1].corners, atol=1e-12)
    for angle in (-0.2, -0.4):
        same = [kb.assemble(each, {"FG": angle}) for each in (m, other)]
        assert_allclose(same[0]["AB"], same[1]["AB"], atol=1e-9)
        assert_allclose(same[0]["CD.stroke"], same[1]["CD.stroke"], atol=1e-9)


def test_polygons_and_half_pairs_that_there_are_not():
    """Loops are numbered; a pair that is no point, axis or plane is named."""
    with pytest.raises(kb.StructureError, match="has 1 independent loops"):
        kb.course.dimension_polygon(figure("fig_1_15_rcsr"), 1)
    with pytest.raises(kb.StructureError, match="joint 'C': a pair K is no point"):
        kb.course.basic_dimensions(figure("fig_1_16a_cam_and_follower"))


def test_figure_1_21b_keeps_its_triangle_and_moves_as_the_others():
    """Axes that meet in O: OBC keeps its shape, so balls and hinges through O move alike."""
    names = ("fig_1_21b_r2sr_meeting_axes", "fig_1_21c_rs2r", "fig_1_21d_spherical_four_bar")
    turned = []
    for name in names:
        m = figure(name)
        at = [kb.assemble(m, {"A": angle}) for angle in (0.0, 0.2, 0.5)]
        turned.append([each["D"] for each in at])
    assert_allclose(turned[1], turned[0], atol=1e-9)
    assert_allclose(turned[2], turned[0], atol=1e-9)
    assert abs(turned[0][2] - turned[0][0]) > 0.1
    sides = []
    for each in (kb.assemble(figure(names[0]), {"A": angle}) for angle in (0.0, 0.5)):
        B, C = each.point("crank", (0.04, 0.025, 0.09)), each.point("rocker", (0.09, 0.06, 0.05))
        sides.append([np.linalg.norm(x) for x in (B, C, np.subtract(B, C))])
    assert_allclose(sides[0], sides[1], atol=1e-12)
