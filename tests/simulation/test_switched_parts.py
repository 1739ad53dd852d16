"""Loads and drives that events switch off and on by name, and velocities that events set."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from simulated_trees import slider, wheel
from test_events_with_loops import four_bar

import korba as kb

TIGHT = {"method": kb.Method(rtol=1e-11, atol=1e-13)}


def test_a_load_is_dropped_and_taken_up():
    """A spring acts until x = 0 and again later: half a swing, then straight on; energies add."""
    m = slider(kb.JointForce("spring", "x", stiffness=200.0))  # 2 kg: w = 10 rad/s
    events = [
        kb.Event("drop", "x", "falling", change={"spring": 0}),
        kb.Event("back", "t - 1 s", change={"spring": "on"}),
    ]
    times = [0.0, 0.5, 1.0, 1.2, 1.4]
    run = kb.simulate(m, 1.4, q={"x": 1.0}, events=events, times=times, **TIGHT)
    quarter = np.pi / 20
    assert_allclose(run.events.t, [quarter, 1.0], atol=1e-10)
    at = -10.0 * (1.0 - quarter)
    assert_allclose(run["x"][:3], [1.0, -10 * (0.5 - quarter), at], atol=1e-9)
    s = run.t[3:] - 1.0
    assert_allclose(run["x"][3:], at * np.cos(10 * s) - np.sin(10 * s), atol=1e-8)
    assert run.audit.energy < 1e-9
    assert run.status == "finished"


def test_a_drive_lets_go_and_takes_hold():
    """A wheel driven at 3 rad/s is let go and slowed; too far behind it is not caught."""
    m = wheel(kb.JointForce("brake", "A", damping=0.5))
    m = kb.Mechanism(
        "w",
        m.bodies,
        m.joints,
        forces=m.forces,
        plane="xy",
        drives=[kb.JointDrive("motor", "A", "3 rad/s * t")],
    )
    events = [
        kb.Event("off", "t - 1 s", change={"motor": "off"}),
        kb.Event("slow", "v_A - 1 rad/s", "falling", terminal=True),
    ]
    run = kb.simulate(m, 9.0, events=events, **TIGHT)
    assert_allclose(run.events.t, [1.0, 1.0 + np.log(3.0)], atol=1e-9)
    assert_allclose(run["v_A"][-1], 1.0, atol=1e-9)
    assert_allclose(run["work"][-1], 0.25 * (1.0 - 9.0), atol=1e-8)
    again = kb.Event("on", "v_A - 1 rad/s", "falling", change={"motor": 1})
    with pytest.raises(kb.SimulationError, match="what is left cannot go on") as caught:
        kb.simulate(m, 9.0, events=[events[0], again], **TIGHT)
    assert_allclose(caught.value.trajectory.t[-1], 1.0 + np.log(3.0), atol=1e-9)
    free = kb.simulate(m, 0.5, events=kb.Switch("motor", 0), v={"A": 3.0}, **TIGHT)
    assert_allclose(free["v_A"][-1], 3.0 * np.exp(-0.5), atol=1e-9)
    with pytest.raises(kb.StructureError, match="'motor' is a load or drive, which is switched"):
        kb.simulate(m, 1.0, events=[kb.Event("e", "t - 1 s", change={"motor": 0.3})])
    with pytest.raises(kb.StructureError, match="switched in one run at a time"):
        kb.simulate(m, 1.0, v={"A": 3 * np.ones(3)}, events=events)


def test_a_kick_through_a_loop():
    """An event halves the crank's velocity: a quarter of the kinetic energy is left."""
    m = four_bar()
    seen = []
    kick = kb.Event("kick", "A - 90 deg", change={"v_A": "0.5*v_A"})
    told = kb.Event("told", "A - 180 deg", call=lambda t, q, v: seen.append(t))
    run = kb.simulate(m, 0.5, v={"A": 10.0}, events=[kick, told], **TIGHT)
    at = run.events["kick"]
    lost = 0.75 * kb.energy(m, at.q[0], at.v[0]).kinetic
    assert_allclose(run["work"][-1], -lost, rtol=1e-9)
    assert run.audit.energy < 1e-9
    assert run.audit.residual < 1e-10
    assert_allclose(seen, run.events["told"].t)
    with pytest.raises(kb.StructureError, match="bind the velocities A, D to each other"):
        both = kb.Event("kick", "A - 90 deg", change={"v_A": 1.0, "v_D": 1.0})
        kb.simulate(m, 1.0, events=[both])
    with pytest.raises(kb.StructureError, match="so an event cannot set them"):
        kb.simulate(m, 1.0, events=[kb.Event("kick", "A - 90 deg", change={"A": 0.0})])
