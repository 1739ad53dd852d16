"""Steady turns: irregularity, flywheels, motors; the energy-mass diagram."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from machines import scotch_yoke, slider_crank, wheel
from numpy.testing import assert_allclose

import korba as kb
from korba.machine.collocation import Marching


def test_the_books_formulas_are_exact_for_constant_inertia():
    """50 sin x on 0.5 kg m^2 at 100 1/s: (4.132) to (4.137), exact and book alike."""
    c = kb.steady_cycle(wheel(), "A", speed=100.0)
    assert c.surplus.work == pytest.approx(100.0, rel=1e-12)
    assert (c.surplus.at_least % (2 * np.pi), c.surplus.at_most) == pytest.approx(
        (0, np.pi), abs=1e-9
    )
    for each in (c.irregularity, c.book):
        assert each.delta == pytest.approx(0.02, rel=1e-12)
        assert (each.slowest, each.fastest) == pytest.approx((99.0, 101.0), rel=1e-12)
    assert c.balancing == 0.0
    f = kb.flywheel(wheel(), "A", 0.005, speed=100.0)
    assert (f.inertia, f.book) == pytest.approx((1.5, 1.5), rel=1e-10)
    assert f.after.irregularity.delta == pytest.approx(0.005, rel=1e-10)
    none = kb.flywheel(wheel(), "A", 0.05, speed=100.0)
    assert (none.inertia, none.book) == (0.0, 0.0)
    assert "none is needed" in str(none)


def test_a_flywheel_gets_a_machine_through_its_turn():
    """At a speed at which the wheel alone would stop: 100 J against 0.25 J."""
    f = kb.flywheel(wheel(), "A", 0.1, speed=1.0)
    assert f.before is None
    assert (f.inertia, f.book) == pytest.approx((1000 - 0.5, 1000 - 0.5), rel=1e-10)
    assert "does not get through a turn" in str(f)


def test_tangents_of_the_energy_mass_diagram_touch_it():
    """All points lie between the lines from the origin with the slopes w^2/2 of both ends."""
    c = kb.steady_cycle(scotch_yoke(), "A", speed=12.0, flywheel=0.5)
    d = c.energy_mass(720)
    slopes = d.energy / d.inertia
    ends = c.irregularity
    assert slopes.max() == pytest.approx(ends.fastest**2 / 2, rel=1e-4)
    assert slopes.max() <= ends.fastest**2 / 2 * (1 + 1e-12)
    assert slopes.min() >= ends.slowest**2 / 2 * (1 - 1e-12)
    assert_allclose(np.sqrt(2 * slopes), c.speed(d.x), rtol=1e-12)
    assert d.energy[-1] == pytest.approx(d.energy[0], rel=1e-12)


def test_a_motor_drives_a_press_to_its_own_speed():
    """The turn repeats itself, and is where a long run-up ends."""
    m = scotch_yoke("-40*(1 + sign(v))/2", "90 - 5*v")
    c = kb.steady_cycle(m, "A", flywheel=2.0)
    near = kb.run_up(m, "A", [0, 3.0], speed=17.0, flywheel=2.0)
    assert_allclose(near["v_A"][-1], c.speed(near["A"][-1]), rtol=1e-3)
    assert c.balancing == 0.0
    turn = c.motion(360)
    assert turn.t[-1] == pytest.approx(c.time, rel=1e-10)
    after = kb.run_up(m, "A", [0, c.time], speed=float(c.speed(0.0)), flywheel=2.0)
    assert_allclose(after["v_A"][-1], c.speed(0.0), rtol=1e-8)
    found = kb.irregularity(turn, "A")
    assert found.delta == pytest.approx(c.irregularity.delta, rel=1e-3)
    asked = 0.5 * c.irregularity.delta
    f = kb.flywheel(m, "A", asked, flywheel=2.0)
    assert f.after.irregularity.delta == pytest.approx(asked, rel=1e-8)
    assert f.inertia > 2.0
    faster = kb.steady_cycle(m, "A", speed=2 * c.irregularity.mean, flywheel=2.0)
    assert faster.irregularity.mean == pytest.approx(2 * c.irregularity.mean, rel=1e-9)
    assert faster.balancing > 0


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_turn_at_once_is_that_panel_by_panel(way):
    """Newton's method on all panels comes to the energy that marching turn after turn comes to."""
    m = replace(slider_crank(30), drives=())
    law = f"{30 * way} - 0.4*v - 0.02*v*abs(v)"
    m = replace(m, forces=[kb.JointForce("motor", "A", law=law)])
    r = kb.reduce(m, "A", flywheel=0.3)
    panels = r.panels(r.start, r.start + way * 2 * np.pi, way * 25.0)
    marching = Marching(r, panels, way)
    for moment in (0.0, 3.0):
        energy, same, force = marching._at_once(90.0, moment, held=False)
        turns = marching._by_turns(lambda e: marching._turn(e, moment)[0] - e, 90.0)  # noqa: B023
        assert energy == pytest.approx(turns, rel=1e-11)
        assert same == moment
        _, expected = marching._turn(energy, moment)
        assert_allclose(force, expected, rtol=0, atol=1e-10 * np.abs(expected).max())
        back, other, _ = marching._at_once(energy, moment + 0.5, held=True)
        assert back == energy
        assert other == pytest.approx(moment, abs=1e-9)


@pytest.mark.parametrize("law", ["50*tanh(v)", "25*(1 + tanh(v - 170))", "50*(1 - exp(-v/7))"])
def test_a_load_that_no_longer_changes_with_the_speed_is_a_constant_one(law):
    """Far above the speeds at which it saturates a load is only taken off the balancing moment."""
    m = slider_crank(60)
    plain = kb.steady_cycle(m, "A", speed=300.0)
    full = replace(m, forces=[*m.forces, kb.JointForce("full", "A", law=law)])
    turn = kb.steady_cycle(full, "A", speed=300.0)
    assert turn.irregularity.delta == pytest.approx(plain.irregularity.delta, rel=1e-9)
    assert turn.irregularity.mean == pytest.approx(300.0, rel=1e-11)
    assert turn.balancing == pytest.approx(plain.balancing - 50.0, rel=1e-9)


def test_backwards_is_a_mirror():
    """A symmetric machine runs backwards as it runs forwards."""
    m = slider_crank(60)
    one, two = (kb.steady_cycle(m, "A", speed=s, flywheel=0.1) for s in (30.0, -30.0))
    assert two.irregularity.mean == pytest.approx(30.0)
    assert one.balancing == pytest.approx(two.balancing)
    assert np.all(two.speed([0.0, 1.0]) < 0)


def test_what_has_no_steady_turn_says_why():
    """No turn, no speed, too slow, loads that do not repeat, loads in time."""
    with pytest.raises(kb.StructureError, match="no turn of D that could repeat"):
        kb.steady_cycle(slider_crank(60), "D", speed=1.0)
    with pytest.raises(
        kb.StructureError, match=r"do not depend on the speed and give .* give speed="
    ):
        kb.steady_cycle(scotch_yoke(), "A")
    with pytest.raises(kb.StructureError, match="does not get through a turn"):
        kb.steady_cycle(wheel(), "A", speed=1.0)
    with pytest.raises(kb.StructureError, match=r"loads moment .* are not the same after a turn"):
        kb.steady_cycle(wheel("-3*q"), "A", speed=1.0)
    with pytest.raises(kb.StructureError, match="depend on the time"):
        kb.steady_cycle(wheel("sin(t)"), "A", speed=1.0)
    with pytest.raises(kb.StructureError, match="between 0 and 2"):
        kb.flywheel(wheel(), "A", 0.0, speed=100.0)


def test_a_motion_that_was_not_finished_has_no_irregularity():
    """The sentence says how it ended."""
    run = kb.run_up(wheel("1"), "A", [0, 1.0])
    cut = replace(run, ended="interrupted", message="interrupted at t = 0.5 s")
    with pytest.raises(kb.StructureError, match=r"was not finished .interrupted at t = 0.5 s"):
        kb.irregularity(cut, "A")
