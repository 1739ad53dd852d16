"""All assembly modes of mechanisms made of dyads, with the examples of the book."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_linkages import (
    FILES,
    check_laws,
    crossing,
    four_bar,
    matched,
    planar,
    point_of,
    pose_of,
    xy,
)
from numpy.testing import assert_allclose

import korba as kb
from korba import configurations
from korba.solve.homotopy import path_count


def test_four_bar_has_the_two_modes_of_circle_and_circle():
    """At every crank angle the point C is where two circles meet; where they do not, no mode."""
    m, C = four_bar(B=0.5j, D=0.7 + 0j, r=(0.6, 0.4))
    counts = set()
    for angle in np.linspace(-3, 3, 61):
        expected = crossing(0.5j * np.exp(1j * angle), 0.6, 0.7, 0.4)
        found = configurations(m, {"A": angle})
        assert found.complete
        assert found.method == "closed form"
        matched([point_of(mode, "rocker", C) for mode in found], expected)
        check_laws(m, found, {"A": angle})
        counts.add(len(found))
    assert counts == {0, 2}


def test_table_of_the_book():
    """Angles of coupler and rocker on both branches at 60 deg (Example 3.3, recomputed)."""
    m, C = four_bar()
    found = configurations(m, {"A": -np.pi / 6})
    assert len(found) == 2
    assert found[0].followed
    assert not found[1].followed
    points = [point_of(mode, "rocker", C) for mode in found]
    assert_allclose(
        [*xy(points[0]), *xy(points[1])],
        [0.56519215, 0.55214606, 0.33480785, -0.37894098],
        atol=5e-9,
    )
    text = str(found)
    assert "2 assembly modes of 'four-bar' with A = -30 deg (closed form, all there are)" in text


def test_the_drawn_mode_comes_first():
    """Drawn crossed, the crossed mode is first; the set of modes is the same."""
    one, C = four_bar(side=0)
    two, C_2 = four_bar(side=1)
    a, b = configurations(one, {"A": 0.4}), configurations(two, {"A": 0.4})
    assert a[0].followed
    assert b[0].followed
    p = [point_of(mode, "rocker", C) for mode in a]
    q = [point_of(mode, "rocker", C_2) for mode in b]
    matched(p, q)
    assert abs(p[0] - q[0]) > 0.1


def test_two_modes_meet_in_a_dead_point():
    """With crank and coupler in line there is one mode; beyond there is none, and why is said."""
    m, C = four_bar()
    limit = np.pi - np.arccos((0.64 + 0.36 - 0.64) / (2 * 0.8 * 0.6)) - np.angle(C - 0.8)
    found = configurations(m, {"D": limit})
    assert len(found) == 1
    assert found[0].residual <= 1e-12
    assert len(configurations(m, {"D": limit + 1e-3})) == 2
    none = configurations(m, {"D": limit - 1e-3})
    assert not none
    assert none.complete
    assert "no position" in none.note
    assert "crank, coupler" in str(none)


def test_coinciding_ends_are_not_called_complete():
    """A dyad of equal links whose ends coincide can turn freely: the answer says so."""
    m, _ = four_bar(B=0.4j, D=0.4 + 0j, r=(0.5, 0.5))
    found = configurations(m, {"A": -np.pi / 2})
    assert not found.complete
    assert "coupler, rocker can move although all is held" in found.note


def slider_crank():
    B = 0.2 * np.exp(0.7j)
    F = B.real + np.sqrt(0.5**2 - (B.imag - 0.05) ** 2) + 0.05j
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "rod", at=xy(B)),
        kb.Revolute("C", "rod", "slider", at=xy(F)),
        kb.Prismatic("D", "ground", "slider", at=xy(F), axis=(1, 0)),
    ]
    return planar("slider-crank", ["crank", "rod", "slider"], joints), F


def test_slider_crank_from_both_ends():
    """x = a cos + - sqrt(b^2 - (a sin - e)^2) with the crank held; two cranks for a stroke."""
    m, F = slider_crank()
    for angle in np.linspace(-3, 3, 13):
        B = 0.2 * np.exp(1j * (0.7 + angle))
        half = np.sqrt(0.25 - (B.imag - 0.05) ** 2)
        found = configurations(m, {"A": angle})
        matched([mode["D"] + F.real for mode in found], [B.real + half, B.real - half])
        check_laws(m, found, {"A": angle})
    found = configurations(m, {"D": -0.1})
    matched(
        [0.2 * np.exp(1j * (0.7 + mode["A"])) for mode in found],
        crossing(0j, 0.2, F - 0.1, 0.5),
    )


def test_yoke_of_example_2_7():
    """Place of the pin in its slot on both branches, a = 0.18, b = 0.62, w = 0.2, 45 deg."""
    B = 0.2j + 0.18 * np.exp(1j * np.pi / 4)
    C = 0.65386094 + 0j
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0.2)),
        kb.Revolute("B", "crank", "rod", at=xy(B)),
        kb.PinInSlot("C", "ground", "rod", at=xy(C), axis=(1, 0)),
    ]
    m = planar("yoke", ["crank", "rod"], joints)
    found = configurations(m, {"A": 0.0})
    assert_allclose(
        [mode["C.stroke"] + C.real for mode in found], [0.65386094, -0.39930250], atol=2e-8
    )
    check_laws(m, found, {"A": 0.0})


def six_bar():
    """Example 2.4: four-bar, coupler point E, link EF and a slider; drawn at 60 deg."""
    B = 0.2 * np.exp(1j * np.pi / 3)
    C = crossing(B, 0.6, 0.8, 0.6)[0]
    E = B + 0.4 * np.exp(1j * (np.angle(C - B) + np.pi / 6))
    F = 0.8501761134 + 0.2j
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "coupler", at=xy(B)),
        kb.Revolute("C", "coupler", "rocker", at=xy(C)),
        kb.Revolute("D", "ground", "rocker", at=(0.8, 0)),
        kb.Revolute("E", "coupler", "link", at=xy(E)),
        kb.Revolute("F", "link", "slider", at=xy(F)),
        kb.Prismatic("G", "ground", "slider", at=xy(F), axis=(1, 0)),
    ]
    names = ["crank", "coupler", "rocker", "link", "slider"]
    return planar("six-bar", names, joints), E


def test_example_2_4_direct_and_inverse():
    """Driven by the crank two dyads give four modes; by the slider exactly two crank angles."""
    m, E = six_bar()
    assert_allclose(xy(E), (0.24226515, 0.54705081), atol=5e-9)
    direct = configurations(m, {"A": 0.0})
    assert (direct.method, len(direct)) == ("closed form", 4)
    check_laws(m, direct, {"A": 0.0})
    found = configurations(m, {"G": 0.0})
    assert (found.method, found.complete, found.paths) == ("homotopy", True, path_count(2))
    angles = sorted((mode["A"] + np.pi / 3) % (2 * np.pi) for mode in found)
    assert_allclose(angles, [1.04719755, 6.05157580], atol=5e-8)
    check_laws(m, found, {"G": 0.0})


def test_example_2_9_has_exactly_two_solutions():
    """Places and angles of links 2 and 3 of the trajectory generator, to the printed digits."""
    a, b, c_1, c_2, d, e, h, g = 0.1, 0.2, 0.15, -0.15, 0.2, 0.1, 0.3, 0.1
    one, four = np.exp(1j * np.pi / 3), np.exp(1j * np.radians(100))
    z_2, p_2 = np.exp(-0.08781960j), 0.31238528 + 0.30508568j
    B, D = 2 * a * one, h - 1j * g + 2 * e * four
    C = p_2 + z_2 * (-b + 1j * c_1)
    assert abs(p_2 + z_2 * (-b + 1j * c_2) - B) < 2e-8
    assert abs(abs(C - D) - 2 * d) < 2e-8
    joints = [
        kb.Revolute("A", "ground", "1", at=(0, 0)),
        kb.Revolute("B", "1", "2", at=xy(B)),
        kb.Revolute("C", "2", "3", at=xy(C)),
        kb.Revolute("D", "3", "4", at=xy(D)),
        kb.Revolute("E", "ground", "4", at=(h, -g)),
    ]
    m = planar("generator", ["1", "2", "3", "4"], joints)
    found = configurations(m, {"A": 0.0, "E": 0.0})
    assert len(found) == 2
    assert found.complete
    other = found[1]
    P, z = pose_of(other, "2")
    assert_allclose(
        [*xy(P + z * p_2), np.angle(z * z_2)], [-0.14778733, 0.20639298, 2.36494689], atol=1e-7
    )
    C_2 = point_of(other, "2", C)
    middle = 0.5 * (C_2 + D)
    assert_allclose(
        [*xy(middle), np.angle(C_2 - D)], [0.07750155, 0.02809304, -2.79005423], atol=1e-7
    )


def chain(count):
    """Four-bars in a row: the rocker of one is the crank of the next."""
    links, joints = ["crank"], [kb.Revolute("A0", "ground", "crank", at=(0, 0))]
    before, end = "crank", 0.3j
    for i in range(count):
        foot = complex(i + 1, 0)
        C = crossing(end, 0.9 + 0.02 * i, foot, 0.6)[0]
        links += [f"coupler {i}", f"rocker {i}"]
        joints += [
            kb.Revolute(f"B{i}", before, f"coupler {i}", at=xy(end)),
            kb.Revolute(f"C{i}", f"coupler {i}", f"rocker {i}", at=xy(C)),
            kb.Revolute(f"A{i + 1}", "ground", f"rocker {i}", at=xy(foot)),
        ]
        before, end = f"rocker {i}", foot + 0.5 * (C - foot)
    return planar("chain", links, joints)


def test_modes_of_a_chain_of_dyads_multiply():
    """Every dyad doubles the count; a limit is kept with a message."""
    m = chain(4)
    found = configurations(m, {"A0": 0.05})
    assert (found.method, found.complete, len(found)) == ("closed form", True, 16)
    check_laws(m, found, {"A0": 0.05})
    assert "4 dyads in closed form" in found.note
    with pytest.raises(kb.StructureError, match="more than 10 assembly modes"):
        configurations(m, {"A0": 0.05}, limit=10)


def test_passive_constraints_take_modes_away():
    """A parallelogram has a crossed mode; a third crank of the same length allows it no more."""
    files = ("fig_1_19a_parallelogram", "fig_1_19b_doubled_parallelogram")
    counts = [len(configurations(kb.load(FILES / f"{name}.toml"), {"A": 0.2})) for name in files]
    assert counts == [2, 1]


def test_common_tangents_with_an_idle_slide():
    """A bar in line on two sliders is one of two tangents; its idle motion is kept as drawn."""
    m = kb.load(FILES / "fig_1_17b_two_sliders_in_line.toml")
    found = configurations(m)
    phi = np.arcsin((18 - 30) / 100)
    assert_allclose([found[0]["A"], found[1]["A"] % (2 * np.pi)], [0, np.pi - 2 * phi], atol=1e-12)
    assert found.complete


def test_drives_are_held_at_a_time():
    """An arm driven at its tip has two modes; so has one with a driven length."""
    joints = [
        kb.Revolute("A", "ground", "upper", at=(0, 0)),
        kb.Revolute("B", "upper", "fore", at=(0.5, 0)),
    ]
    tip = kb.PointDrive("tip", "fore", (0.9, 0), x="0.6 + 0*t", y="0.1*t")
    m = planar("arm", ["upper", "fore"], joints, drives=[tip])
    found = configurations(m, t=2.0)
    expected = crossing(0j, 0.5, 0.6 + 0.2j, 0.4)
    matched([point_of(mode, "upper", 0.5) for mode in found], expected)
    rod = kb.LengthDrive("rod", "ground", (0.3, 0), "fore", (0.9, 0), length="0.5 + 0*t")
    turn = kb.BodyDrive("turn", "fore", angle="0.3 + 0*t")
    m = replace(m, drives=[rod, turn])
    found = configurations(m)
    assert len(found) == 2
    for mode in found:
        assert abs(point_of(mode, "fore", 0.9) - 0.3) == pytest.approx(0.5, abs=1e-12)
        assert np.angle(pose_of(mode, "fore")[1]) == pytest.approx(0.3, abs=1e-12)


def test_gears_between_held_joints_and_rotors_leave_closed_forms():
    """A coupling that held values settle holds its joint; a rotor adds no mode."""
    m, _ = four_bar()
    rotor = replace(m.joints[0], rotor=kb.Rotor(20.0, 0.1, inertia=1e-4))
    found = configurations(replace(m, joints=[rotor, *m.joints[1:]]), {"A": 0.3})
    assert (found.method, found.complete, len(found)) == ("closed form", True, 2)
    assert found[1]["A.shaft"] == pytest.approx(6.0)
    five = kb.load(FILES / "fig_1_11_five_bar_robot.toml")
    geared = replace(five, couplings=[kb.Coupling("gear", "B", "-2*A")], drives=[])
    found = configurations(geared, {"A": 0.1})
    assert (found.method, found.complete, len(found)) == ("closed form", True, 2)
    assert all(mode["B"] == pytest.approx(-0.2) for mode in found)


def test_a_wrong_number_of_values_is_refused():
    """Too few or unknown coordinates are errors that say what is needed."""
    m, _ = four_bar()
    with pytest.raises(kb.StructureError, match="leave 1 freedoms free"):
        configurations(m)
    with pytest.raises(kb.StructureError, match="no coordinate 'Z'"):
        configurations(m, {"Z": 0.1})
