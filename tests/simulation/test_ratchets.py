"""What goes one way only: ratchets with teeth, one-way clutches, and friction beside them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb

HERE = Path(__file__).parents[1] / "dynamics" / "rolling"
KNOWN = json.loads((HERE / "e7b_one_way_clutch.json").read_text())
EXACT = kb.Method(rtol=1e-11, atol=1e-13)
WHEEL = kb.Mechanism(
    "wheel",
    [kb.Body("wheel", 1, inertia=0.5)],
    [kb.Revolute("A", "ground", "wheel", at=(0, 0))],
    plane="xy",
)
BRAKE = {"A": -0.2}
"""A moment that slows the wheel down by 0.4 rad/s2, and turns it back."""


def clutch(drag):
    """E7B: a driver to and fro, and a wheel that rubs on its shaft."""
    d = KNOWN["data"]
    rubs = {"friction": kb.Friction(effort=d["Tf"])} if drag == "friction" else {}
    law = kb.JointForce("drag", "W", law=f"-{d['Tf']}*sign(v_W)")
    return kb.Mechanism(
        "one-way clutch",
        [kb.Body("driver", 1, inertia=1), kb.Body("wheel", 1, inertia=d["J"])],
        [
            kb.Revolute("A", "ground", "driver", at=(0, 0)),
            kb.Revolute("W", "ground", "wheel", at=(0, 0), **rubs),
        ],
        drives=[kb.JointDrive("motor", "A", f"{d['A']}*sin({d['w']}*t)")],
        forces=[law] if drag == "law" else [],
        plane="xy",
        gravity=(0, 0, 0),
    )


@pytest.mark.parametrize("drag", ["friction", "law"])
def test_a_one_way_clutch_advances_its_wheel(drag):
    """E7B: phases and speeds of release and engagement, and the advance of a period, to 1e-8."""
    d, known = KNOWN["data"], KNOWN["results"]
    period = 2 * np.pi / d["w"]
    events = [kb.Ratchet("clutch", "W - A"), *(["friction"] if drag == "friction" else [])]
    run = kb.simulate(
        clutch(drag),
        4 * period,
        v={"W": d["A"] * d["w"]},
        events=events,
        method=EXACT,
        times=np.arange(5) * period,
    )
    left, met = run.events["clutch left"], run.events["clutch"]
    assert len(left.t) == 4
    phases = np.mod(left.t * d["w"], 2 * np.pi), np.mod(met.t * d["w"], 2 * np.pi)
    assert_allclose(phases[0], known["release_phase"], atol=1e-9)
    assert_allclose(phases[1], known["engage_phase"], atol=1e-9)
    assert_allclose(left.v[:, 1], known["release_speed"], rtol=1e-9)
    assert_allclose(met.v[:, 1], known["engage_speed"], atol=1e-9)
    assert_allclose(np.diff(run["W"])[1:], known["advance_per_period"], rtol=1e-9)
    assert np.all(run["v_W"] - run["v_A"] > -1e-9)


def test_teeth_catch_what_comes_back():
    """Clicks at 30 and 60 degrees as the wheel slows down; it falls back to 60 and stays there."""
    run = kb.simulate(
        WHEEL, 6.0, v={"A": 1.0}, tau=BRAKE, events=[kb.Ratchet("pawl", "A", "30 deg")]
    )
    at = np.radians([30.0, 60.0])
    clicks = (1 - np.sqrt(1 - 0.8 * at)) / 0.4
    assert_allclose(run.events["pawl clicks"].t, clicks, rtol=1e-7)
    back = (1 + np.sqrt(1 - 0.8 * at[1])) / 0.4
    assert_allclose(run.events["pawl"].t, back, rtol=1e-7)
    assert_allclose(run["A"][-1], at[1], atol=1e-9)
    assert_allclose(run["v_A"][-1], 0, atol=1e-9)
    lost = run.events["pawl"].impulses["pawl"]
    assert_allclose(lost, 0.5 * np.sqrt(1 - 0.8 * at[1]), rtol=1e-6)  # J times its speed


def test_a_pawl_bounces():
    """With a restitution each blow keeps that part of the speed, and the wheel comes to rest."""
    pawl = kb.Ratchet("pawl", "A", "30 deg", restitution=0.5)
    run = kb.simulate(WHEEL, 6.0, v={"A": 1.0}, tau=BRAKE, events=[pawl])
    blows = run.events["pawl"]
    speeds = blows.v[:, 0]
    assert_allclose(speeds[1:5] / speeds[:4], 0.5, rtol=1e-6)
    assert_allclose(run["A"][-1], np.radians(60), atol=1e-8)


@pytest.mark.parametrize("start", [-0.1, 0.0, 0.3, 2.0])
def test_the_tooth_of_a_start_is_the_last_one_passed(start):
    """Pushed back from rest it falls to the tooth below, whatever the turn of the start."""
    run = kb.simulate(
        WHEEL, 5.0, q={"A": start}, tau={"A": -0.4}, events=[kb.Ratchet("pawl", "A", 0.5)]
    )
    assert_allclose(run["A"][-1], 0.5 * np.floor(start / 0.5), atol=1e-8)


@pytest.mark.parametrize("at", [0.5, 2.0, -0.7])
def test_what_stands_at_a_stop_rests_there_from_the_start(at):
    """Pressed against a contact it stays; pulled away it goes, with no event before."""
    stop = kb.Contact("stop", f"A - {at}")
    for moment in (-0.4, 0.4):
        run = kb.simulate(WHEEL, 2.0, q={"A": at}, tau={"A": moment}, events=[stop])
        assert_allclose(run["A"][-1], at + (moment > 0) * 0.8 * 2.0, atol=1e-9)
        assert len(run.events) == 0


def test_many_starts_go_as_each_of_them():
    """A batch has its teeth start by start."""
    starts = np.array([0.1, 0.7, 1.3])
    pawl = kb.Ratchet("pawl", "A", 0.5)
    many = kb.simulate(WHEEL, 4.0, q={"A": starts}, tau={"A": -0.4}, events=[pawl])
    assert_allclose(many["A"][:, -1], [0.0, 0.5, 1.0], atol=1e-7)


def test_a_clutch_between_two_free_wheels():
    """A driver that slows down leaves its wheel behind it; one that overtakes takes it along."""
    m = kb.Mechanism(
        "two wheels",
        [kb.Body("driver", 1, inertia=0.3), kb.Body("wheel", 1, inertia=0.2)],
        [
            kb.Revolute("A", "ground", "driver", at=(0, 0)),
            kb.Revolute("W", "ground", "wheel", at=(0, 0)),
        ],
        plane="xy",
    )
    run = kb.simulate(
        m,
        4.0,
        v={"W": 1.0},
        tau={"A": "0.6 - 0.3*t"},
        events=[kb.Ratchet("clutch", "W - A")],
        method=EXACT,
    )
    met = 2 - np.sqrt(2)  # v_A = 2 t - t^2/2 comes to 1: the last time at which they were apart
    assert_allclose(run.events["clutch"].t[0], met, atol=1e-9)
    together = 0.5 * (0.6 - 0.3 * 2)
    assert abs(together) < 1e-12  # its force ends with the moment of the driver, at t = 2
    assert_allclose(run.events["clutch left"].t[0], 2.0, atol=1e-8)
    v = 1.0 + (0.6 * (2 - met) - 0.15 * (4 - met**2)) / 0.5
    assert_allclose(run["v_W"][-1], v, rtol=1e-9)
    assert_allclose(run["v_A"][-1], v + (0.6 * 2 - 0.15 * 12) / 0.3, rtol=1e-8)


def test_a_stop_leads_what_rubs():
    """A piston pushes a block that sticks on its rail: it goes along, though friction held it."""
    friction = kb.Friction(effort=2.0)
    m = kb.Mechanism(
        "piston and block",
        [kb.Body("piston", 1), kb.Body("block", 0.5)],
        [
            kb.Prismatic("P", "ground", "piston", at=(0, 0), axis=(1, 0)),
            kb.Prismatic("B", "ground", "block", at=(0.1, 0), axis=(1, 0), friction=friction),
        ],
        drives=[kb.JointDrive("motor", "P", "0.15*(1 - cos(2*t))")],
        plane="xy",
        gravity=(0, 0, 0),
    )
    events = [kb.Contact("touch", "B + 0.1 m - P"), "friction"]
    run = kb.simulate(m, 1.5, events=events, method=EXACT)
    met = 0.5 * np.arccos(1 - 0.1 / 0.15)
    assert_allclose(run.events["touch"].t[0], met, atol=1e-9)
    # it slows down by 4 m/s2 at most, and the piston by less than 0.6: they stay together
    together = run["B"] + 0.1 - run["P"]
    assert_allclose(together[run.t > met], 0, atol=1e-9)
    assert_allclose(run["B"][-1], 0.15 * (1 - np.cos(3.0)) - 0.1, atol=1e-9)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: kb.Ratchet("pawl", "A", -0.1), "expected 0 .no teeth. or more, got -0.1"),
        (lambda: kb.Ratchet("pawl", "A", "3 mm"), "expected an angle"),
        (lambda: kb.Ratchet("pawl", "B"), "unknown name 'B'"),
        (lambda: kb.Ratchet("pawl", "2 rad"), "names nothing that moves"),
        (lambda: kb.Ratchet("pawl", "A", restitution=2.0), "restitution from 0 to 1"),
        (lambda: kb.Ratchet("pawl", "-A"), "goes back at 1 a second at the start"),
        (lambda: kb.Ratchet("pawl", "A", float("nan")), "pitch"),
        (lambda: kb.Ratchet("pawl", "v_A"), "unknown name 'v_A'"),
    ],
)
def test_wrong_ratchets_are_refused(make, words):
    """Pitches, names and starts that mean nothing: the ratchet is named."""
    with pytest.raises(kb.KorbaError, match=words):
        kb.simulate(WHEEL, 1.0, v={"A": 1.0}, events=[make()])


def test_it_may_be_switched_with_other_events():
    """A ratchet beside limits and an event of one's own."""
    m = replace(WHEEL, joints=(replace(WHEEL.joints[0], upper=(0.8,)),))
    events = [kb.Ratchet("pawl", "A", 0.5), "stops", kb.Event("half", "A - 0.25")]
    run = kb.simulate(m, 5.0, v={"A": 1.0}, tau=BRAKE, events=events)
    assert len(run.events["A upper"].t) >= 1
    assert_allclose(run["A"][-1], 0.5, atol=1e-8)
