"""Events of a simulation: found where closed forms say, written down, and what they change."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ellipk
from simulated_trees import double_pendulum, pendulum, slider

import korba as kb

TIGHT = {"method": kb.Method(rtol=1e-12, atol=1e-14)}
G = 9.81


def ball():
    """A mass on a vertical guide."""
    joint = kb.Prismatic("x", "ground", "ball", at=(0, 0), axis=(0, 1))
    return kb.Mechanism("ball", [kb.Body("ball", 0.5, inertia=1)], [joint], plane="xy")


BOUNCE = kb.Event("floor", "x", "falling", change={"v_x": "-0.8*v_x"})


def bounces(height, count, e=0.8):
    """Times of the bounces of a ball that is let fall: t_1 (1 + 2 (e + ... + e^k))."""
    first = np.sqrt(2 * height / G)
    return first * (1 + 2 * np.cumsum(np.append(0.0, e ** np.arange(1, count))))


@pytest.mark.parametrize(
    ("method", "close"),
    [
        (TIGHT["method"], 1e-11),
        (kb.Method("rk4", step=1e-3), 1e-10),
        (kb.Method("symplectic", step=1e-3), 1e-10),
    ],
)
def test_a_pendulum_passes_the_bottom_at_its_quarter_periods(method, close):
    """From rest at 90 deg the bottom is passed at (2k + 1)/4 periods, an elliptic integral."""
    events = ["A + 90 deg", kb.Event("forth", "A + 90 deg", "rising"), "v_A"]
    run = kb.simulate(pendulum(), 3.0, method=method, events=events, times=2)
    period = 4 * ellipk(0.5) / np.sqrt(1.5 * G)
    assert_allclose(run.events["A + 90 deg"].t, period / 4 * np.array([1, 3, 5]), atol=close)
    assert_allclose(run.events["forth"].t, 3 * period / 4, atol=close)
    assert_allclose(run.events["v_A"].t, period / 2 * np.array([1, 2, 3])[: len(run.events["v_A"])])
    assert_allclose(run.events["A + 90 deg"].q, -np.pi / 2, atol=1e-11)


def test_bounces_are_a_geometric_series():
    """Impact times and heights of a ball with restitution 0.8, to 1e-10 s; energies add up."""
    run = kb.simulate(ball(), 3.0, q={"x": 1.0}, events=[BOUNCE], **TIGHT)
    assert_allclose(run.events.t, bounces(1.0, len(run.events)), atol=1e-10)
    assert len(run.events) == 6
    assert_allclose(run.events.v[:, 0], -np.sqrt(2 * G) * 0.8 ** np.arange(6), atol=1e-10)
    assert run.audit.energy < 1e-12
    assert_allclose(run["work"][-1], 0.5 * G * (0.8**12 - 1), rtol=1e-10)


def test_bounces_without_end_are_refused():
    """Bounces that follow each other ever sooner end the run with a sentence."""
    with pytest.raises(kb.SimulationError, match=r"'floor' happens again and again") as caught:
        kb.simulate(ball(), 10.0, q={"x": 1.0}, events=[BOUNCE], **TIGHT)
    run = caught.value.trajectory
    assert_allclose(run.t[-1], bounces(1.0, 500)[-1], atol=1e-8)


def test_a_batch_has_events_of_its_own_in_every_run(tmp_path):
    """Each lane finds its events; they are told apart by their run, and saved."""
    heights = np.linspace(0.2, 3.0, 21)
    runs = kb.simulate(ball(), 1.5, q={"x": heights}, events=[BOUNCE], times=4, **TIGHT)
    for k, height in enumerate(heights):
        own = runs[k].events
        expected = bounces(height, 40)
        assert_allclose(own.t, expected[expected < 1.5], atol=1e-10)
    assert runs.audit.energy.max() < 1e-11
    path = tmp_path / "runs.npz"
    runs.save(path)
    again = kb.Trajectory.load(path)
    for name, values in runs.events.arrays.items():
        assert np.array_equal(values, again.events.arrays[name])
    assert again.events[3].name == "floor"


def test_switches_functions_and_ends():
    """A switch stops a force, a function turns the motion round, an end ends it."""
    m, seen = slider(), []

    def turned(t, q, v):
        seen.append((t, *q, *v))
        return {"v_x": "-v_x"} if len(seen) == 1 else None

    events = [
        kb.Event("off", "t - 1 s", change={"push": 0}),
        kb.Event("wall", "x - 4 m", call=turned),
        kb.Event("back", "x", "falling", terminal=True),
    ]
    run = kb.simulate(
        m, 100.0, tau={"x": "8*push"}, events=[kb.Switch("push", 1), *events], **TIGHT
    )
    # 8 N on 2 kg for 1 s: x = 2 m, v = 4 m/s; at the wall after 0.5 s, at 0 after 1 s more
    assert [each.name for each in run.events] == ["off", "wall", "back"]
    assert_allclose(run.events.t, [1.0, 1.5, 2.5], atol=1e-10)
    assert_allclose(seen, [[1.5, 4.0, 4.0]], atol=1e-9)
    assert (run.status, run.t[-1]) == ("finished", pytest.approx(2.5))
    assert "ended by event 'back' at t = 2.5 s" in run.message
    assert_allclose(run["push"], run.t <= 1.0 + 1e-9)
    assert_allclose(run["a_x"], 4.0 * run["push"], atol=1e-12)
    assert run.audit.energy < 1e-12
    with pytest.raises(kb.KorbaError, match=r"its function returned 3; expected None, True"):
        kb.simulate(m, 9.0, v={"x": 4.0}, events=[kb.Event("wall", "x - 4 m", call=lambda *_: 3)])
    with pytest.raises(kb.StructureError, match=r"expected one of \(t, q, v\), got one of \(t\)"):
        kb.simulate(m, 9.0, v={"x": 4.0}, events=[kb.Event("wall", "x - 4 m", call=lambda t: t)])


def test_a_spring_that_only_pushes():
    """Contact is made and lost half a period of the spring later, by a switch."""
    events = [
        kb.Event("made", "x", "falling", change={"touch": 1}),
        kb.Event("lost", "x", "rising", change={"touch": 0}),
    ]
    law = {"x": "-touch*800*x"}
    start = {"q": {"x": 0.5}, "v": {"x": -1.0}}
    run = kb.simulate(
        slider(), 2.0, **start, tau=law, events=[kb.Switch("touch", 0), *events], **TIGHT
    )
    assert_allclose(run.events.t, [0.5, 0.5 + np.pi / 20], atol=1e-10)
    assert_allclose(run["v_x"][-1], 1.0, atol=1e-10)


def test_a_dip_inside_a_step_is_seen():
    """Two crossings within one long step of a soft spring are both found."""
    m = slider(kb.JointForce("spring", "x", stiffness=2.0))
    run = kb.simulate(
        m, 6.0, q={"x": 1.0}, events=["x + 0.999 m"], method=kb.Method(rtol=1e-6, atol=1e-8)
    )
    near = np.arccos(-0.999)
    assert_allclose(run.events.t, [near, 2 * np.pi - near], atol=1e-4)
    assert run.effort.steps < 25


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"events": "A - 3 mm"}, "event 'A - 3 mm': units do not fit together"),
        ({"events": ["C"]}, "event 'C': unknown name 'C'"),
        ({"events": ["1 + 1"]}, "names nothing that moves"),
        ({"events": {"a": "A"}}, "events: expected a list of kb.Event, kb.Stops"),
        ({"events": 3}, "events: expected a list of kb.Event, kb.Stops"),
        ({"events": [3]}, "events: expected kb.Event, kb.Stops"),
        ({"events": ["stops", kb.Stops(0.5)]}, "stops are given twice"),
        ({"events": [kb.Switch("on"), kb.Switch("on")]}, "the switch 'on' is given twice"),
        ({"events": ["A", "A"]}, "the name 'A' is given twice"),
        ({"events": [kb.Event("e", "A", change={"v_C": 1})]}, "there is no 'v_C' to change"),
        ({"events": [kb.Event("e", "A", change={"v_A": "1 m"})]}, "expected a value in"),
    ],
)
def test_events_that_cannot_be_are_refused(options, message):
    """What an event names is checked before anything runs."""
    with pytest.raises(kb.KorbaError, match=message):
        kb.simulate(double_pendulum(), 1.0, **options)
    with pytest.raises(kb.KorbaError, match="direction: expected one of both, rising, falling"):
        kb.Event("e", "A", direction="up")
    with pytest.raises(kb.KorbaError, match="Switch: value: expected a finite number"):
        kb.Switch("on", "yes")


def test_the_symplectic_method_takes_no_jumps():
    """Its momenta are not changed by events: refused, with the way out."""
    with pytest.raises(kb.KorbaError, match="take method 'dop853' or 'rk4'"):
        kb.simulate(ball(), 1.0, method=kb.Method("symplectic", step=0.01), events=[BOUNCE])


def test_sines_of_the_time_are_as_in_all_laws():
    """Seconds beside t may be left out: sin(2*pi*t) crosses zero twice a second."""
    run = kb.simulate(ball(), 1.3, events=[kb.Event("beat", "sin(2*pi*t)"), "sin(pi*t + 1)"])
    assert_allclose([event.t for event in run.events["beat"]], [0.5, 1.0], atol=1e-9)
    with pytest.raises(kb.KorbaError, match="must be an angle or a number"):
        kb.simulate(ball(), 1.0, events="sin(x)")
