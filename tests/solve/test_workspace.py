"""Ranges and coupler curves against closed forms."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from linkages import crank_rocker, crossing, four_bar, slider_crank
from numpy.testing import assert_allclose

import korba as kb
from korba.solve.dead_point import joint_places

FILES = Path(__file__).parents[2] / "examples" / "structure"


def turns_fully(driven, other, one, two):
    """Whether link `driven` goes all round the end of link `other`, by trying every angle."""
    theta = np.linspace(0, 2 * np.pi, 4001)
    span = np.sqrt(driven**2 + other**2 - 2 * driven * other * np.cos(theta))
    return bool(np.all((span >= abs(one - two)) & (span <= one + two)))


def drawn_angle(lengths):
    """A crank angle at which a four-bar is far from its dead points."""
    a, b, c, d = lengths
    theta = np.linspace(0.1, np.pi - 0.1, 200)
    span = np.sqrt(a * a + d * d - 2 * a * d * np.cos(theta))
    cosine = (b * b + c * c - span**2) / (2 * b * c)
    return theta[np.argmin(np.abs(cosine))]


def test_types_of_four_bars_are_what_trying_every_angle_gives():
    """Crank, rocker and coupler turn fully where the name of the four-bar says so."""
    rng = np.random.default_rng(3)
    seen = set()
    for _ in range(120):
        a, b, c, d = lengths = rng.uniform(0.2, 1.0, size=4)
        if 2 * max(lengths) >= 0.98 * sum(lengths):
            continue
        (found,) = kb.grashof(four_bar(lengths, drawn_angle(lengths)))
        crank, rocker = turns_fully(a, d, b, c), turns_fully(c, d, b, a)
        coupler = turns_fully(a, b, c, d) and turns_fully(c, b, a, d)
        names = {1: "crank-rocker", 2: "double crank"}
        other = "double rocker" if coupler else "triple rocker"
        assert found.kind == names.get(crank + rocker, other)
        assert found.joints == ("A", "B", "C", "D")
        assert_allclose(found.lengths, lengths, atol=1e-12)
        assert ("A" in found.turning) == crank
        assert ("D" in found.turning) == rocker
        seen.add(found.kind)
    assert seen == {"crank-rocker", "double crank", "double rocker", "triple rocker"}


@pytest.mark.parametrize(
    ("lengths", "kind"),
    [((0.3, 0.7, 0.3, 0.7), "parallelogram"), ((0.3, 0.3, 0.7, 0.7), "kite")],
)
def test_change_points_are_named(lengths, kind):
    """Sums of shortest and longest, and of the others, are equal."""
    (found,) = kb.grashof(four_bar(lengths, 1.0, -1 if kind == "kite" else 1))
    assert found.kind == kind
    assert found.shortest_and_longest == pytest.approx(found.others)
    assert "=" in str(found)


def test_four_bars_are_found_inside_a_mechanism():
    """Every loop of four parallel pins is found, also those without a fixed link."""
    m = kb.load(FILES / "fig_1_25_irb_parallelograms.toml")
    kinds = [loop.kind for loop in kb.grashof(m)]
    assert kinds == ["parallelogram", "parallelogram", "change-point chain"]


@pytest.mark.parametrize("lengths", [(0.5, 0.6, 0.7, 0.9), (0.6, 0.3, 0.6, 0.7)])
def test_limits_of_a_four_bar(lengths):
    """The crank stops where coupler and rocker are in line; to 1e-9 by the law of cosines."""
    a, b, c, d = lengths
    theta = drawn_angle(lengths)
    found = kb.input_range(four_bar(lengths, theta), "A")
    cosines = [(a * a + d * d - (b + sign * c) ** 2) / (2 * a * d) for sign in (1, -1)]
    angles = [sign * np.arccos(x) for x in cosines if abs(x) < 1 for sign in (1, -1)]
    assert not found.full_turn
    for end in (found.lower, found.upper):
        away = np.angle(np.exp(1j * (end.value + theta - np.array(angles))))
        assert np.min(np.abs(away)) < 1e-9
        assert end.cause == "fold"
        assert "B, C, D in line" in end.in_line


def test_limits_of_a_slider_crank():
    """The slide stops where crank and rod are in line, the crank where the rod is upright."""
    r, length, e, theta = 0.5, 0.6, 0.3, 0.3
    m, x = slider_crank(r, length, e, theta)
    slide, crank = kb.input_range(m, "S"), kb.input_range(m, "A")
    out = np.sqrt((r + length) ** 2 - e * e)
    assert_allclose(slide.ends, (-out - x, out - x), atol=1e-9)
    assert slide.upper.in_line == ("A, B, C in line",)
    low = np.arcsin((e - length) / r)
    assert_allclose(crank.ends, (low - theta, np.pi - low - theta), atol=1e-9)
    assert crank.lower.in_line == ("B, C at right angles to S",)
    (loop,) = crank.loops
    assert not loop.turns
    assert str(loop).startswith("slider-crank A, B, C, S: the crank does not turn fully")


def test_limits_of_joints_end_the_range():
    """A stop of the slide stops the crank where the slide comes to it, on both sides."""
    r, length, e, theta, stop = 0.3, 0.8, 0.1, 0.3, 0.005
    m, x = slider_crank(r, length, e, theta)
    assert kb.input_range(m, "A").full_turn
    stopped = [replace(j, upper=(stop,)) if j.name == "S" else j for j in m.joints]
    found = kb.input_range(replace(m, joints=stopped), "A")
    assert (found.lower.cause, found.lower.joint) == ("joint", "S")
    far = np.hypot(x + stop, e)
    apart = np.arccos((r * r + far**2 - length**2) / (2 * r * far))
    line = np.arctan2(e, x + stop)
    expected = (line + apart - theta, line - apart - theta + 2 * np.pi)
    assert_allclose(found.ends, expected, atol=1e-9)


def test_limits_of_a_spherical_four_bar():
    """The input of an over-constrained spatial loop stops where three axes lie in one plane."""
    m = kb.load(FILES / "fig_1_21d_spherical_four_bar.toml")
    found = kb.input_range(m, "A")
    places = joint_places(found.input.system.tree, found.input.start)
    A, B, C, D = (places[name].axis for name in "ABCD")
    two, three = (np.arccos(x) for x in (B @ C, C @ D))
    base = [(A @ B) * (A @ D), B @ D - (A @ B) * (A @ D), np.cross(A, B) @ D]
    angles = []
    for edge in (np.cos(two + three), np.cos(two - three)):
        size, phase = np.hypot(*base[1:]), np.arctan2(base[2], base[1])
        if abs(edge - base[0]) < size:
            turn = np.arccos((edge - base[0]) / size)
            angles += [phase + turn, phase - turn]
    assert not found.full_turn
    for end in found.ends:
        away = np.angle(np.exp(1j * (end - found.input.value - np.array(angles))))
        assert np.min(np.abs(away)) < 1e-9


def test_an_idle_freedom_does_not_matter():
    """A cam with a roller turns fully although the roller can spin."""
    found = kb.input_range(kb.load(FILES / "fig_1_16b_cam_and_roller.toml"), "A")
    assert found.full_turn
    assert found.returns


def test_other_freedoms_are_held():
    """A five-bar needs the value of its other input, and then has a range."""
    m = kb.load(FILES / "fig_1_11_five_bar_robot.toml")
    with pytest.raises(kb.StructureError, match="can still move 1 way "):
        kb.input_range(m, "A")
    with pytest.raises(kb.StructureError, match="too few"):
        kb.input_range(m, "A", {"B": 0.0, "C": 0.0})
    assert "C, D, E in line" in kb.input_range(m, "A", {"B": 0.0}).upper.in_line
    with pytest.raises(kb.StructureError, match="no coordinate 'nothing'"):
        kb.input_range(m, "nothing")


@pytest.mark.parametrize("coordinate", ["A", "D"])
def test_coupler_curves_on_both_branches(coordinate):
    """Points of both branches are those of intersecting circles; dead points end a curve."""
    (a, b, c, d), m = (0.2, 0.6, 0.6, 0.8), crank_rocker()
    curve = kb.coupler_curve(
        m, "coupler", (0.1, 0.5), coordinate=coordinate, count=90, branches="all"
    )
    assert len(curve.branches) == 2
    assert curve.complete
    B_0, C_0 = (np.array(m.joint(name).at[:2]) for name in "BC")
    D, along = np.array([d, 0.0]), (C_0 - B_0) / b
    point = np.array([0.1, 0.5]) - B_0
    u, w = point @ along, point @ np.array([-along[1], along[0]])
    for branch in curve.branches:
        assert branch.points.shape == (90, 3)
        turn = branch.q[:, 0] + np.pi / 2
        for angle, place in zip(turn, branch.points, strict=True):
            B = a * np.array([np.cos(angle), np.sin(angle)])
            both = []
            for side in (1, -1):
                x = (crossing(B, b, D, c, side) - B) / b
                both.append(B + u * x + w * np.array([-x[1], x[0]]))
            assert min(np.linalg.norm(p - place[:2]) for p in both) < 1e-9
    with pytest.raises(kb.StructureError, match="has no point 'tip'"):
        kb.coupler_curve(m, "coupler", "tip", coordinate="A")
    assert curve.branches[0].closed == (coordinate == "A")
    if coordinate == "D":
        ends = [branch.points[[0, -1]] for branch in curve.branches]
        assert_allclose(ends[0], ends[1], atol=1e-7)
