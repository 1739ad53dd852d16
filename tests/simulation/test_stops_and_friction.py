"""Limits as stops, and dry friction: impacts, rest and release, slip and stick in closed form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb

TIGHT = {"method": kb.Method(rtol=1e-12, atol=1e-14)}
G = 9.81


def guided(axis, forces=(), mass=2.0, **joint):
    """A block on a guide."""
    guide = kb.Prismatic("x", "ground", "block", at=(0, 0), axis=axis, **joint)
    block = kb.Body("block", mass, inertia=1)
    return kb.Mechanism("block", [block], [guide], forces=forces, plane="xy")


@pytest.mark.usefixtures("optimised")
def test_a_ball_bounces_until_it_rests():
    """The series of bounces adds up to t (1 + e)/(1 - e); then the stop carries the ball."""
    m = guided((0, 1), lower=0.0)
    run = kb.simulate(m, 10.0, q={"x": 1.0}, events=kb.Stops(0.8), **TIGHT)
    count, first = len(run.events), np.sqrt(2 / G)
    series = first * (1 + 2 * np.cumsum(np.append(0.0, 0.8 ** np.arange(1, count))))
    assert_allclose(run.events.t, series, atol=1e-10)
    assert_allclose(run.events.t[-1], first * 1.8 / 0.2, atol=1e-5)
    assert run.status == "finished"
    located = 1e-13 * np.sqrt(2 * G) / (1 - 0.8)  # each bounce to 1e-13 s of its speed
    assert_allclose(run["x"][-1], 0.0, atol=located)
    assert run["rests_x lower"][-1] == 1
    assert_allclose(run["work"][-1], -2 * G, rtol=1e-10)
    assert run.audit.energy < 1e-12


def test_a_stop_is_left_when_nothing_presses():
    """Pressed to its limit by 2 - t newtons, a block rests there until t = 2 s."""
    m = guided((1, 0), mass=1.0, upper=0.5)
    run = kb.simulate(m, 3.0, tau={"x": "2 - t"}, events="stops", **TIGHT)
    met = run.events["x upper"].t
    assert_allclose(met, np.roots([-1 / 6, 1.0, 0.0, -0.5]).real[1], atol=1e-10)
    assert_allclose(run.events["x upper left"].t, 2.0, atol=1e-10)
    assert_allclose(run["x"][-1], 0.5 - 1 / 6, atol=1e-10)
    assert not any("limits" in note for note in run.notes)


def test_an_elastic_stop_keeps_the_energy_of_all():
    """Joint B of a double pendulum hits its limits with e = 1: no work, and A feels none of it."""
    rods = [kb.Body(name, 1, com=(x, 0), inertia=1 / 12) for name, x in (("u", 0.5), ("l", 1.5))]
    joints = [
        kb.Revolute("A", "ground", "u", at=(0, 0)),
        kb.Revolute("B", "u", "l", at=(1, 0), lower="-20 deg", upper="20 deg"),
    ]
    m = kb.Mechanism("knee", rods, joints, plane="xy")
    run = kb.simulate(m, 2.0, v={"B": 1.0}, events=kb.Stops({"B": 1}), gravity=(0, 0, 0), **TIGHT)
    assert len(run.events) > 2
    assert_allclose(run["work"], 0.0, atol=1e-10)
    assert np.abs(run["B"]).max() < np.deg2rad(20) + 1e-10
    momentum = np.einsum("ij,ij->i", kb.mass_matrix(m, run.q)[:, 0], run.v)  # about A, kept by (2)
    assert_allclose(momentum, momentum[0], atol=1e-10)
    with pytest.raises(kb.KorbaError, match="stops: there is no 'C'"):
        kb.simulate(m, 1.0, events=kb.Stops({"C": 1.0}))
    with pytest.raises(kb.KorbaError, match="expected True, or a restitution from 0 to 1"):
        kb.simulate(m, 1.0, events=kb.Stops(1.5))


def test_friction_halts_a_swing_and_holds():
    """A spring of 200 N/m, 30 N of friction: each half swing loses 0.3 m, the last one sticks."""
    rough = kb.Friction(effort="30 N")
    m = guided((1, 0), [kb.JointForce("spring", "x", stiffness=200.0)], friction=rough)
    run = kb.simulate(m, 3.0, q={"x": 1.0}, events="friction", **TIGHT)
    halts = run.events["x halts"]
    assert_allclose(halts.t, np.pi / 10 * np.array([1, 2, 3]), atol=1e-10)
    assert_allclose(halts.q[:, 0], [-0.7, 0.4, -0.1], atol=1e-10)
    assert_allclose((run["x"][-1], run["v_x"][-1]), (-0.1, 0.0), atol=1e-12)
    assert_allclose(run["work"][-1], 0.0, atol=1e-10)
    assert run.audit.energy < 1e-12
    assert not run.notes
    free = kb.simulate(m, 0.1, q={"x": 1.0})
    assert "dry friction of x is not used" in " ".join(free.notes)


def test_friction_holds_until_its_limit():
    """Under 3 t newtons a block of 2 kg with 6 N of friction slips at t = 2 s."""
    m = guided((1, 0), friction=kb.Friction(effort="6 N"))
    run = kb.simulate(m, 4.0, tau={"x": "3*t"}, events="friction", **TIGHT)
    assert_allclose(run.events.t, 2.0, atol=1e-10)
    assert run.events[0].name == "x slips"
    assert_allclose(run["x"][-1], 3 * 2**3 / 6 / 2, atol=1e-10)


def test_friction_under_the_load_of_the_joint():
    """A block on a slope of 30 deg with mu = 0.3: a = g (sin - mu cos); mu = 0.6 holds it."""
    slope = (np.cos(np.pi / 6), -0.5)
    m = guided(slope, friction=kb.Friction(coefficient=0.3))
    run = kb.simulate(m, 1.0, events="friction", times=2, **TIGHT)
    assert_allclose(run["x"][-1], G * (0.5 - 0.3 * np.cos(np.pi / 6)) / 2, rtol=1e-11)
    held = kb.simulate(
        guided(slope, friction=kb.Friction(coefficient=0.6)), 1.0, events="friction", times=2
    )
    assert_allclose(held["x"], 0.0, atol=1e-15)
    with pytest.raises(kb.StructureError, match="friction of a pin needs its radius"):
        rod = kb.Body("rod", 1, com=(0.5, 0), inertia=0.1)
        pin = kb.Revolute("A", "ground", "rod", at=(0, 0), friction=kb.Friction(coefficient=0.1))
        kb.simulate(kb.Mechanism("pin", [rod], [pin], plane="xy"), 1.0, events="friction")


def test_a_pin_turns_against_the_force_that_it_carries():
    """M a + h = -sign(v) r mu/sqrt(1 + mu^2) |F|, with the force F of a pendulum on its pin."""
    rough = kb.Friction(coefficient=0.4, radius="0.1 m")
    rod = kb.Body("rod", 3, com=(0.5, 0), inertia=0.25)
    pin = kb.Revolute("A", "ground", "rod", at=(0, 0), friction=rough)
    m = kb.Mechanism("pendulum", [rod], [pin], plane="xy")
    run = kb.simulate(m, 20.0, events="friction", **TIGHT)
    turning = np.abs(run["v_A"]) > 1e-6
    A, v, a = (run[name][turning] for name in ("A", "v_A", "a_A"))
    across, along = 3 * 0.5 * a + 3 * G * np.cos(A), -3 * 0.5 * v**2 + 3 * G * np.sin(A)
    lever = 0.1 * 0.4 / np.sqrt(1 + 0.4**2)
    needed = kb.inverse_dynamics(m, A[:, None], v[:, None], a[:, None])[:, 0]
    assert_allclose(needed, -run["way_A"][turning] * lever * np.hypot(across, along), atol=1e-9)
    assert run["sticks_A"][-1] == 1
    angle = abs(run["A"][-1] + np.pi / 2)
    assert np.sin(angle) * 0.5 < lever
    assert run.audit.energy < 1e-10


def test_a_block_on_a_belt_sticks_and_slips():
    """With mu_s above mu the period is that of the closed form."""
    speed, k, mass = 0.1, 200.0, 2.0
    still, moving = 0.4 * mass * G, 0.3 * mass * G
    bodies = [kb.Body("belt", 1e9), kb.Body("block", mass, inertia=1)]
    rough = kb.Friction(coefficient=0.3, static=0.4)
    joints = [
        kb.Prismatic("belt", "ground", "belt", at=(0, 0), axis=(1, 0)),
        kb.Prismatic("x", "belt", "block", at=(0, 0), axis=(1, 0), friction=rough),
    ]
    spring = kb.Spring("k", "ground", (-9, 0), "block", (0, 0), stiffness=k, free_length=9.0)
    m = kb.Mechanism("belt", bodies, joints, forces=[spring], plane="xy")
    run = kb.simulate(m, 10.0, v={"belt": speed}, events="friction", **TIGHT)
    w = np.sqrt(k / mass)
    drop = (still - moving) / k
    period = 2 * drop / speed + 2 / w * (np.pi - np.arctan(drop * w / speed))
    slips = run.events["x slips"].t
    assert_allclose(slips[0], still / k / speed, atol=1e-7)
    assert_allclose(np.diff(slips), period, atol=1e-7)
    assert len(slips) > 5


def test_what_breaks_free_at_once_slips_from_the_first_row():
    """Blocks of 2 kg with 1 N of friction under various forces: a from t = 0 on, and no event."""
    m = guided((1, 0), friction=kb.Friction(effort=1.0))
    tau = np.array([[-3.0], [-0.5], [0.0], [0.9], [2.0]])
    runs = kb.simulate(m, 1.0, tau=tau, events="friction", times=3)
    a = np.sign(tau) * np.maximum(np.abs(tau) - 1.0, 0.0) / 2.0
    assert_allclose(runs.a[..., 0], np.tile(a, 3), atol=1e-12)
    assert_allclose(runs["x"][:, -1], a[:, 0] / 2, atol=1e-12)
    assert not len(runs.events)


def test_friction_of_a_drive_that_starts_backwards():
    """A driven block resists the way that it will go, from its first row on: no turn is needed."""
    m = guided((1, 0), friction=kb.Friction(effort=1.0))
    m = replace(m, drives=[kb.JointDrive("D", "x", "-0.5*t^2")])
    run = kb.simulate(m, 1.0, events="friction", times=3)
    assert_allclose(run["way_x"], -1.0)
    assert not len(run.events)


def test_tables_of_events_are_in_the_units_of_the_file():
    """Velocities after a stop are told as the file has them, each by its name."""
    slide = kb.Prismatic(
        "x", "ground", "block", at=(0, 0), axis=(1, 0), lower="-100 mm", upper="100 mm",
        restitution=0.5,
    )  # fmt: skip
    m = kb.Mechanism("m", [kb.Body("block", 1, inertia=1)], [slide], plane="xy", gravity=(0, 0))
    moved = kb.simulate(m, 1.0, v={"x": 1.0}, events=["stops"])
    shown = moved.events._repr_html_()
    assert "x = -500 mm/s" in shown and "x = 250 mm/s" in shown and "x upper = 1.5" in shown
    assert moved.events[0].v_after == pytest.approx([-0.5])
    assert moved[:].events.of is moved.mechanism
