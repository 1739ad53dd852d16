"""Friction in joints, solved together with the forces: reference case, closed forms, jamming."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference_mechanisms import engine, reference

import korba as kb


def test_p6_engine_with_friction_in_all_pairs():
    """Three pins and a guide with two contacts, at 36 positions, to 34-digit values."""
    data, states, results = reference("p6_engine_kinetostatics")
    m = engine(friction=True)
    motion = kb.motion(m, np.deg2rad(states["crank_angle_deg"]) / data["speed"])
    found = kb.reactions(m, motion, friction=True)
    columns = [found[name].force[:, k] for name in "ABC" for k in (0, 1)]
    columns += [found.contacts["guide"][:, i, 1] for i in (0, 1)]
    columns += [found.friction[name][:, 0] for name in ("guide", "A", "B", "C")]
    columns += [sum(found.losses.values()), found.driving["drive"]]
    expected = np.array(results["with_friction"])
    assert results["friction_columns"][6:9] == ["guide_N1", "guide_N2", "guide_T"]
    close = np.abs(np.array(columns).T - expected) <= 1e-8 * np.abs(expected).max(axis=0)
    assert close.all()
    assert not found.jammed.any()


def four_bar(mu):
    """Example 4.3 of the book with the numbers of its constructed test, at a crank angle of 90."""
    a, b, d = 0.2, 0.6, 0.8
    B, D = np.array([0.0, a]), np.array([d, 0.0])
    along = (D - B) / np.hypot(*(D - B))
    x = np.hypot(*(D - B)) / 2
    C = B + x * along + np.sqrt(b**2 - x**2) * np.array([-along[1], along[0]])
    rough = {"friction": kb.Friction(coefficient=mu, radius=0.02)}
    places = [np.zeros(2), B, C, D]
    ends = [("ground", "1"), ("1", "2"), ("2", "3"), ("ground", "3")]
    joints = [
        kb.Revolute(name, *pair, at=(*p, 0), **rough)
        for name, pair, p in zip("ABCD", ends, places, strict=True)
    ]
    middles = [B / 2, (B + C) / 2, (C + D) / 2]
    masses = [(1.0, 0.004), (2.0, 0.06), (1.5, 0.045)]
    bodies = [
        kb.Body(str(i), mass, (*p, 0), inertia)
        for i, p, (mass, inertia) in zip((1, 2, 3), middles, masses, strict=True)
    ]
    return kb.Mechanism(
        "four-bar",
        bodies,
        joints,
        drives=[kb.JointDrive("drive", "A", "10*t")],
        forces=[kb.Moment("load", "3", (0, 0, -5))],
        plane="xy",
        gravity=(0, 0, 0),
    )


def test_book_four_bar_with_and_without_friction():
    """Section 5.6 (b) of the specification: M1 = 4.896634 without, 5.204891 with friction."""
    m = four_bar(0.15)
    motion = kb.motion(m, [0.0])
    smooth, rough = kb.reactions(m, motion), kb.reactions(m, motion, friction=True)
    assert_allclose(smooth.driving["drive"], 4.896634, rtol=0, atol=1e-6)
    assert_allclose(rough.driving["drive"], 5.204891, rtol=0, atol=1e-6)
    assert_allclose(rough["A"].force[0, :2], (-24.740029, -40.411252), rtol=0, atol=1e-6)
    assert_allclose(rough["D"].force[0, :2], (10.324946, -7.241963), rtol=0, atol=1e-6)
    assert_allclose(sum(rough.losses.values()), 3.082567, rtol=0, atol=1e-6)


def tilted(mu, height, half=0.0, weight=0.0):
    """A slider pushed along its guide at a height, against a load on its axis and one across."""
    rough = kb.Friction(coefficient=mu, half_height=half)
    along = {"at": (0, 0), "axis": (1, 0), "guide_length": 0.1}
    guide = kb.Prismatic("guide", "ground", "block", friction=rough, **along)
    push = kb.LengthDrive("push", "ground", (-1, height), "block", (0, height), "1 + 0.1*t")
    load = kb.PointForce("load", "block", (-50, -weight, 0))
    return kb.Mechanism(
        "tilted block",
        [kb.Body("block", 1.0, inertia=0.01)],
        [guide],
        drives=[push],
        forces=[load],
        plane="xy",
        gravity=(0, 0, 0),
    )


@pytest.mark.parametrize("mu", [0.05, 0.1, 0.15])
def test_a_tilting_slider_takes_more_the_higher_it_is_pushed(mu):
    """F (1 - 2 mu e / l_o) = Q, from two contacts that carry F e / l_o each."""
    found = kb.reactions(m := tilted(mu, 0.3), kb.motion(m, [0.0]), friction=True)
    assert_allclose(found.driving["push"], 50 / (1 - 2 * mu * 0.3 / 0.1), rtol=1e-12)


@pytest.mark.parametrize("half", [0.01, 0.03])
def test_friction_on_the_faces_of_a_guide_tilts_it_too(half):
    """F (1 - 2 mu e / l_o) = Q + 2 mu^2 b W / l_o, up to the same overhang  e = l_o / (2 mu)."""
    mu, weight = 0.2, 20.0
    for overhang in (0.9, 0.999):
        m = tilted(mu, overhang * 0.1 / (2 * mu), half, weight)
        found = kb.reactions(m, kb.motion(m, [0.0]), friction=True)
        expected = (50 + 2 * mu**2 * half * weight / 0.1) / (1 - overhang)
        assert_allclose(found.driving["push"], expected, rtol=1e-9)
    m = tilted(mu, 1.001 * 0.1 / (2 * mu), half, weight)
    assert kb.reactions(m, kb.motion(m, [0.0]), friction=True).jams[0].joint == "guide"


def test_where_nothing_presses_nothing_jams():
    """A wedge that would lock itself: its load hangs on the drive alone, and rounding is none."""
    F = {"friction": kb.Friction(coefficient=0.15)}
    joints = [
        kb.Prismatic("H", "ground", "wedge", at=(0, 0), axis=(1, 0), **F),
        kb.Prismatic("S", "wedge", "load", at=(0, 0.05), axis=(0.98, 0.2), **F),
        kb.Prismatic("V", "ground", "load", at=(0, 0.1), axis=(0, 1), **F),
    ]
    bodies = [kb.Body("wedge"), kb.Body("load", 10.0, (0, 0.1), 0.1)]
    drive = kb.JointDrive("d", "V", "-0.01*t")
    m = kb.Mechanism("wedge", bodies, joints, drives=[drive], plane="xy")
    for gravity in ((0, -9.81, 0), (0, 0, 0)):
        motion = kb.motion(m, np.linspace(0, 1, 5))
        found = kb.reactions(m, motion, friction=True, gravity=gravity)
        assert not found.jammed.any() and not found.jams
        assert_allclose(found.driving["d"], -10 * gravity[1], rtol=1e-12)


def test_a_slider_that_tilts_too_far_jams():
    """2 mu e >= l_o: no force moves it, and the answer says so."""
    m = tilted(0.2, 0.3)
    found = kb.reactions(m, kb.motion(m, [0.0, 1.0]), friction=True)
    assert found.jammed.all()
    assert np.isnan(found.driving["push"]).all()
    assert "jams at 2 of 2 positions" in str(found)
    assert " 0 N" not in str(found), "a force that has no answer is no zero"


def test_what_friction_needs_is_said():
    """A pin without radius, no friction at all, no drives."""
    m = four_bar(0.15)
    motion = kb.motion(m, [0.0])
    smooth = four_bar(0.0)
    plain = kb.Mechanism(
        "plain",
        smooth.bodies,
        [kb.Revolute(j.name, j.parent, j.child, at=j.at) for j in smooth.joints],
        drives=smooth.drives,
        plane="xy",
    )
    with pytest.raises(kb.StructureError, match="no joint with friction"):
        kb.reactions(plain, motion.q, motion.v, motion.a, friction=True)
    thin = kb.Friction(coefficient=0.1)
    joints = [kb.Revolute(j.name, j.parent, j.child, at=j.at, friction=thin) for j in m.joints]
    bare = kb.Mechanism("bare", m.bodies, joints, drives=m.drives, plane="xy")
    with pytest.raises(kb.StructureError, match="'A': friction of a pin needs its radius"):
        kb.reactions(bare, motion.q, motion.v, motion.a, friction=True)


def test_contacts_of_a_guide_in_space_are_those_without_friction_where_nothing_rubs():
    """With a coefficient of nothing both ways give the same two forces, which carry the load."""
    rub = kb.Friction(coefficient=1e-12)
    way = {"at": (0, 0, 0), "axis": (1, 0, 0), "guide_length": 0.2, "friction": rub}
    m = kb.Mechanism(
        "slide in space",
        [kb.Body("slide", 1.0, (0, 0, 0), (0.1, 0.1, 0.1))],
        [kb.Prismatic("D", "ground", "slide", **way)],
        drives=[kb.JointDrive("drive", "D", "t")],
        forces=[kb.PointForce("push", "slide", (0, 3, 5), (0.05, 0, 0))],
    )
    motion = kb.motion(m, [0.0, 0.1])
    smooth, rough = (kb.course.guide_contacts(motion, "D", friction=x) for x in (False, True))
    for key in ("first", "second", "N1", "N2"):
        assert_allclose(getattr(rough, key), getattr(smooth, key), rtol=0, atol=1e-9)
    assert_allclose(rough.first + rough.second, [[0, -3, 9.81 - 5]] * 2, rtol=0, atol=1e-9)
