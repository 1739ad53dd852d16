"""Motion of reduced models: by work, in time, stops, motors; the tables of Example 4.7 and 4.8."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from machines import scotch_yoke, slider_crank, stirrer, wheel
from numpy.testing import assert_allclose

import korba as kb

QUARTERS = {
    1.0: (
        [0.451488, 0.641382, 0.798987, 0.935140, 1.058289, 1.165576, 1.266041, 1.360229],
        [11.236455, 6.971465, 18.246074, 9.065780, 23.228872, 11.392528, 27.317426, 12.781890],
    ),
    10.0: (
        [0.112613, 0.212722, 0.307229, 0.396455, 0.481692, 0.561111, 0.637653, 0.711309],
        [25.104938, 12.149129, 28.929556, 13.460623, 32.304496, 15.125795, 35.358758, 16.198047],
    ),
}


@pytest.mark.parametrize("speed", QUARTERS)
def test_quarter_turns_of_the_scotch_yoke(speed):
    """Speeds and times of passage by the work integral, and the motion in time meets them."""
    t, v = QUARTERS[speed]
    m, x = scotch_yoke(), np.pi / 2 * np.arange(1, 9)
    by_work = kb.speeds(m, "A", x, speed=speed)
    assert_allclose(by_work.speed, v, rtol=0, atol=5.1e-7)
    assert_allclose(by_work.t, t, rtol=0, atol=5.1e-7)
    assert by_work.stops is None
    in_time = kb.run_up(m, "A", [0, *by_work.t], speed=speed)
    assert_allclose(in_time["A"][1:], x, atol=1e-7)
    assert_allclose(in_time["v_A"][1:], by_work.speed, rtol=1e-7)
    assert in_time.audit.energy < 1e-9
    assert in_time.status == "finished"


def test_a_history_of_the_scotch_yoke():
    """The row t = 1 s of the table with the speed 10 at the start: all joints, loops closed."""
    done = kb.run_up(scotch_yoke(), "A", [0.0, 0.5, 1.0], speed=10.0)
    assert_allclose(done["A"][-1] + np.pi / 2, 20.78609, atol=5e-6)
    assert_allclose(done["v_A"][-1], 19.70153, atol=5e-6)
    assert_allclose(done["a_A"][-1], 123.6504, atol=5e-5)
    assert_allclose(done["S"][-1], -0.10729, atol=5e-6)  # x_S2 = S + f, f = 0.1
    assert_allclose(done["v_S"][-1], -5.5195, atol=5e-5)


def test_it_stops_where_the_work_does_not_suffice():
    """A wheel that brakes by 2 N m from 10 rad/s: stops after 12.5 rad and 2.5 s, and rests."""
    m = wheel("-2*sign(v)")
    x = kb.speeds(m, "A", [5.0, 12.0, 13.0], speed=10.0)
    assert x.stops == pytest.approx(12.5, abs=1e-9)
    assert_allclose(x.speed[:2], np.sqrt([60.0, 4.0]), rtol=1e-12)
    assert_allclose(x.t[:2], (10 - x.speed[:2]) / 4, rtol=1e-10)
    assert np.isnan(x.speed[2])
    assert "stops at A = 12.5" in str(x)
    run = kb.run_up(m, "A", [0, 2.0, 3.0, 4.0], speed=10.0)
    assert "stops at t = 2.5 s, A = 12.5" in run.message
    assert_allclose(run["A"][2:], 12.5, atol=1e-9)
    assert_allclose(run["v_A"][2:], 0.0)
    assert_allclose(run["a_A"][2:], 0.0)
    back = kb.speeds(m, "A", [-12.0], speed=-10.0)
    assert_allclose(back.speed, -2.0, rtol=1e-12)


def test_times_from_rest_at_any_start():
    """A wheel under 1 N m, I = 1/2: t = sqrt(d) for any distance d from any start, to rounding."""
    for start in (0.0, 1.0, -2.7, 1e3):
        for d in (1e-9, 0.3, -40.0):
            x = start + d
            passed = kb.speeds(wheel(f"{np.sign(d)}"), "A", [start, x], q=start)
            assert_allclose(passed.t, [0.0, np.sqrt(abs(x - start))], rtol=1e-12)
            assert_allclose(passed.speed[1], np.sign(d) * 2 * np.sqrt(abs(x - start)), rtol=1e-12)


def test_a_four_bar_leaves_from_rest_wherever_it_stands():
    """Times of passage from 24 starts over a turn, and the motion in time meets them."""
    m = kb.linkages.four_bar(0.1, 0.4, 0.3, 0.35)
    bodies = [replace(body, mass=1.0, inertia=0.01 * np.eye(3)) for body in m.bodies]
    push = [kb.JointForce("push", "A", law="1.0")]
    m = replace(m, bodies=bodies, forces=push, drives=(), gravity=(0, 0, 0))
    for start in np.linspace(-3.0, 3.0, 24):
        passed = kb.speeds(m, "A", [start + 0.5, start + 1.0], q=start)
        run = kb.run_up(m, "A", [0.0, *passed.t], q=start)
        assert_allclose(run["A"][1:], passed.x, atol=1e-9)


def test_where_loads_balance_it_never_leaves_from_rest():
    """8 (q - 0.3) N m: for ever from 0.3, arccosh(d/d_0)/4 from d_0 beside it."""
    m = wheel("8*(q - 0.3)")
    assert_allclose(kb.speeds(m, "A", [0.3, 1.0], q=0.3).t, [0.0, np.inf])
    beside = kb.speeds(m, "A", [1.3], q=0.3 + 1e-6)
    assert beside.t[0] == pytest.approx(np.arccosh(1e6) / 4, rel=1e-8)


def test_it_turns_back_where_the_loads_say_so():
    """A spring brings a wheel back: a half swing of the period 2 pi sqrt(I/k)."""
    run = kb.run_up(wheel("-8*q"), "A", np.linspace(0, np.pi, 9), speed=2.0)
    assert_allclose(run["A"], 0.5 * np.sin(4 * run.t), atol=1e-8)


def test_a_motor_that_cannot_start_rests():
    """A <= 0 in Example 4.8: resistances only oppose motion."""
    m = stirrer(0.3)
    run = kb.run_up(m, "motor", [0, 1])
    assert_allclose(run["motor"], 0.0)
    assert "the work of the loads does not suffice" in run.message
    assert kb.speeds(wheel("-1 - sign(v)"), "A", [1.0]).stops == 0.0
    with pytest.raises(kb.StructureError, match="does not start"):
        kb.steady_speed(m, "motor")


def test_start_up_of_a_motor_with_a_linear_characteristic():
    """(4.162): w = A/k (1 - exp(-u t)), with the numbers of the specification."""
    m = stirrer()
    steady = kb.steady_speed(m, "motor")
    assert steady.speed == pytest.approx(212.5, rel=1e-12)
    assert 1 / steady.time_constant == pytest.approx(7.604563, abs=5e-7)
    assert steady.starting == pytest.approx(0.85)
    run = kb.run_up(m, "motor", [0, 0.1])
    assert run["v_motor"][-1] == pytest.approx(113.166218, abs=5e-7)
    assert run["motor"][-1] == pytest.approx(6.368642, abs=5e-7)
    carrier = run.body("carrier").angular_velocity[-1, 2]
    assert carrier == pytest.approx(113.166218 / 50, abs=1e-7)


def test_a_slider_comes_to_its_dead_centre():
    """The run ends with an error that names it and holds the motion so far."""
    with pytest.raises(kb.SimulationError, match="dead centre of D") as error:
        kb.run_up(slider_crank(60), "D", np.linspace(0, 1, 11), speed=-1.0)
    assert error.value.trajectory.status == "failed"


def test_loads_in_time_are_run_up_only():
    """A load that begins after a rest moves it; the work integral refuses it by name."""
    m = wheel("max(0, t - 1)")
    run = kb.run_up(m, "A", np.linspace(0, 2, 201))
    assert run["v_A"][-1] == pytest.approx(1.0, abs=1e-9)
    assert np.all(run["v_A"][:100] == 0.0)
    with pytest.raises(kb.StructureError, match="loads moment depend on the speed or the time"):
        kb.speeds(m, "A", [1.0])


def test_an_interrupted_run_keeps_what_was_computed():
    """A keyboard interrupt after half a second of the motion gives the rows up to then."""

    def interrupt(t):
        if t > 0.5:
            raise KeyboardInterrupt

    asked = {"speed": 5.0, "progress": interrupt}
    run = kb.run_up(wheel("50*sin(q)"), "A", np.linspace(0, 2000, 10_001), **asked)
    assert run.status == "interrupted"
    assert 1 < len(run) < 10_001
    work = 50 * (1 - np.cos(run["A"]))
    assert_allclose(0.25 * (run["v_A"] ** 2 - 25), work, atol=1e-6)


def test_a_load_that_saturates_counts_where_it_does_not():
    """-2 tanh(v) is -2 N m at all speeds of a fast wheel; one that halts, or starts, is refused."""
    m, full = wheel("-2*tanh(v)"), wheel("-2*sign(v)")
    same = [kb.speeds(each, "A", [5.0], speed=100.0).speed for each in (m, full)]
    assert_allclose(*same, rtol=1e-12)
    with pytest.raises(kb.StructureError, match="loads moment depend on the speed or the time"):
        kb.speeds(m, "A", [3000.0], speed=100.0)
    with pytest.raises(kb.StructureError, match="loads moment depend on the speed or the time"):
        kb.speeds(wheel("1 - tanh(1e4*v)"), "A", [1.0])
