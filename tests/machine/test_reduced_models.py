"""Reduced inertia and forces: closed forms of the book, reduction to a slider, bad questions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from machines import scotch_yoke, slider_crank, stirrer
from numpy.testing import assert_allclose

import korba as kb

OWN = {
    60: (-0.1016781, -0.1740777, 0.02380291, 0.01136531, 2.3023701, 30.335622, -298.349588),
    90: (-0.1, 0.0, 0.0236, -0.01074802, 2.36, 30.0, -300.0),
}


@pytest.mark.parametrize("degrees", OWN)
def test_a_slider_crank_to_its_crank_and_to_its_slider(degrees):
    """(4.112), (4.113), (4.124) and (4.125) with the numbers of the specification."""
    v3, w2, inertia, slope, mass, moment, force = OWN[degrees]
    m = slider_crank(degrees)
    crank, slider = kb.reduce(m, "A")(0.0), kb.reduce(m, "D")(0.0)
    assert crank.ratios[3] == pytest.approx(v3, abs=5e-8)
    assert crank.ratios[0] + crank.ratios[1] == pytest.approx(w2, abs=5e-8)
    assert crank.inertia == pytest.approx(inertia, abs=5e-9)
    assert crank.slope == pytest.approx(slope, abs=5e-9)
    assert slider.inertia == pytest.approx(mass, abs=5e-8)
    assert crank.force == pytest.approx(moment, abs=5e-7)
    assert slider.force == pytest.approx(force, abs=5e-7)
    assert crank.driving - crank.resisting == pytest.approx(crank.force)


def test_a_screw_whose_ratios_never_change():
    """A spindle that lifts a nut: I = I_1 + m (p / 2 pi)^2, its loop is met by numbers alone."""
    up, size = {"axis": (0, 0, 1)}, (0.01, 0.01, 0.002)
    bodies = [kb.Body("spindle", 4.0, inertia=size), kb.Body("nut", 2.0, inertia=size)]
    joints = [
        kb.Revolute("A", "ground", "spindle", at=(0, 0, 0), **up),
        kb.Screw("thread", "spindle", "nut", at=(0, 0, 0.3), lead="6 mm", **up),
        kb.Prismatic("key", "ground", "nut", at=(0.1, 0, 0.3), **up),
    ]
    model = kb.reduce(kb.Mechanism("jack", bodies, joints), "A")(0.3)
    assert model.inertia == pytest.approx(0.002 + 2.0 * (0.006 / (2 * np.pi)) ** 2, rel=1e-14)
    assert model.slope == pytest.approx(0.0, abs=1e-15)


def test_a_scotch_yoke_has_its_closed_form():
    """I = I_1 + m_1 a^2 + m_2 b^2 sin^2 of the angle, over three turns and backwards."""
    r = kb.reduce(scotch_yoke(), "A")
    x = np.linspace(-7.0, 19.0, 60)
    angle = x + np.pi / 2
    model = r(x, 1.0)
    assert_allclose(model.inertia, 0.11 + 0.45 * np.sin(angle) ** 2, atol=1e-14)
    assert_allclose(model.slope, 0.45 * np.sin(2 * angle), atol=1e-13)
    assert_allclose(model.forces["gravity"], -0.981 * np.cos(angle), atol=1e-13)
    assert_allclose(model.forces["load"], -0.6 * np.abs(np.sin(angle)), atol=1e-13)
    backwards = r(x, -1.0)
    assert_allclose(backwards.forces["load"], -model.forces["load"], atol=1e-13)
    assert_allclose(backwards.driving - backwards.resisting, backwards.force, atol=1e-13)
    assert np.all(backwards.forces["motor"] == 4.0)
    assert np.all(backwards.resisting <= -4.0 + 1e-12)  # the motor is against this direction


def test_a_train_of_constant_ratios_has_constant_inertia():
    """(4.149) and (4.155)."""
    model = kb.reduce(stirrer(), "motor")(np.linspace(0, 100, 5), 10.0)
    assert_allclose(model.inertia, 5.26e-4, rtol=1e-13)
    assert_allclose(model.slope, 0.0, atol=1e-17)
    assert_allclose(model.force, 0.85 - 0.04, rtol=1e-12)
    assert_allclose(model.driving, 1.2 - 0.04, rtol=1e-12)


def test_dead_centres_of_a_slider_are_said():
    """The reduced mass has no bound there, and beyond there is no position."""
    m = slider_crank(60)
    r = kb.reduce(m, "D")
    ends = [limit.value for limit in r.dead_centres]
    middle = slider_crank(60).joints[3].at[0]
    assert_allclose(ends, [0.2 - middle, 0.4 - middle], atol=1e-9)
    assert "dead centre" in str(r)
    assert "mass has no bound" in r.notes[0]
    near = r([ends[0] + 1e-6, ends[1] - 1e-6])
    assert np.all(near.inertia > 100)
    assert np.all(near.singularity < 1e-2)
    with pytest.raises(kb.StructureError, match="beyond what mechanism 'slider-crank' can reach"):
        r(0.5)


def test_an_array_verb_over_designs():
    """Positions and sizes of many designs by one program: the inertia of the slider alone."""
    m = kb.loads("""
plane = "xy"
parameters.r = 0.1
body = [{name = "crank"}, {name = "rod"}, {name = "slider", mass = 2.0}]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "crank", at = [0, 0]},
  {name = "B", type = "revolute", parent = "crank", child = "rod", at = ["r", 0]},
  {name = "C", type = "revolute", parent = "rod", child = "slider", at = ["r + 0.3", 0]},
  {name = "D", type = "prismatic", parent = "ground", child = "slider", at = [0, 0], axis = [1, 0]},
]
""")
    r, x = np.array([0.05, 0.1, 0.15])[:, None], np.array([0.4, 2.0])
    q = kb.assemble(m, {"A": x}, parameters={"r": r}).q
    model = kb.reduce(m, "A").at(q, np.zeros(q.shape[:-1]), parameters={"r": r})
    lean = np.arcsin(r / 0.3 * np.sin(x))
    ratio = -r * np.sin(x) - r * np.cos(x) * np.tan(lean)
    assert_allclose(model.inertia, 2.0 * ratio**2, rtol=1e-12)
    note = kb.reduce(m, "A").notes[0]
    assert note == "bodies without mass: crank, rod"


def test_questions_without_an_answer():
    """A coordinate that is none, one that follows, more freedoms, nothing that has mass."""
    m = scotch_yoke()
    with pytest.raises(kb.StructureError, match="cannot be reduced to 'Z'"):
        kb.reduce(m, "Z")
    with pytest.raises(kb.StructureError, match="'arm', which follows from others by a coupling"):
        kb.reduce(stirrer(), "arm")
    with pytest.raises(kb.StructureError, match="2 freedoms besides idle ones"):
        kb.reduce(kb.linkages.five_bar(0.2, 0.4, 0.4, 0.2, 0.3), "A")
    light = [replace(body, mass=0.0, inertia=0.0) for body in m.bodies]
    with pytest.raises(kb.StructureError, match=r"moves no mass at A = .*crank, yoke have no mass"):
        kb.run_up(replace(m, bodies=tuple(light)), "A", [0, 1])
    with pytest.raises(kb.StructureError, match="flywheel: expected an inertia of 0 or more"):
        kb.reduce(m, "A", flywheel=-1.0)
