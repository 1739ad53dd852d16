"""Geneva drives: index and dwell against closed forms, forces of pin and disc, runs."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose
from rolling_mechanisms import reference

import korba as kb

KNOWN = reference("e7_geneva4")
SIZES = KNOWN["data"]
DRIVES = [
    {"slots": 4},
    {"slots": 3},
    {"slots": 6, "pins": 2},
    {"slots": 4, "inner": True},
    {"slots": 8, "inner": True},
]
each_drive = pytest.mark.parametrize("more", DRIVES, ids=str)


@cache
def made(slots=4, pins=1, inner=False, beside=0.0):
    """Crank and wheel on shafts, driven at constant speed."""
    a, d = SIZES["a"], SIZES["a"] / np.sin(np.pi / slots) + beside
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("D", "ground", "wheel", at=(d, 0)),
        kb.Geneva("Z", "crank", "wheel", at=(0, 0), radius=a, slots=slots, pins=pins, inner=inner),
    ]
    bodies = [
        kb.Body("crank", 1, inertia=1e-3),
        kb.Body("wheel", 1, com=(d, 0), inertia=SIZES["J"]),
    ]
    drives = [kb.JointDrive("motor", "A", f"{SIZES['speed']}*t")]
    return kb.Mechanism("geneva", bodies, joints, drives=drives, plane="xy", gravity=(0, 0, 0))


def test_index_forces_and_torques():
    """E7: the wheel's turn, speed, acceleration, the force of the pin, the torque, to 1e-9."""
    phi, beta, speed, acceleration, force, torque = np.array(KNOWN["results"]["values"]).T
    motion = kb.motion(made(), phi / SIZES["speed"])
    inside = slice(1, -1)  # at both ends the acceleration jumps
    assert_allclose(-motion["D"], beta, atol=1e-13)
    assert_allclose(-motion["v_D"], speed, atol=1e-12)
    assert_allclose(-motion["a_D"][inside], acceleration[inside], rtol=1e-9, atol=1e-10)
    told = kb.reactions(made(), motion)
    F = told.in_world()["Z"].force
    assert_allclose(np.hypot(*F.T[:2])[inside], np.abs(force[inside]), rtol=1e-9, atol=1e-11)
    drive = kb.driving_forces(made(), motion)["motor"]
    assert_allclose(drive[inside], torque[inside], rtol=1e-9, atol=1e-11)
    pin = SIZES["a"] * np.stack([np.cos(phi), np.sin(phi)])
    arm = pin - np.array([[SIZES["d"]], [0.0]])
    assert_allclose(np.einsum("ij,ji->j", arm, F[:, :2]), 0, atol=1e-11)  # across the slot
    moment = arm[0] * F[:, 1] - arm[1] * F[:, 0]
    assert_allclose(moment[inside], SIZES["J"] * motion["a_D"][inside], atol=1e-11)


def test_peaks_and_entry():
    """E7: the largest speed and acceleration, where it is, and the jump where the pin enters."""
    known, w = KNOWN["results"], SIZES["speed"]
    at = known["peak_acceleration_at_phi"][1]
    entry = np.pi / 4
    motion = kb.motion(made(), np.array([0.0, at, entry - 1e-9, entry + 1e-9]) / w)
    assert_allclose(-motion["v_D"][0] / w, known["peak_speed_ratio"], rtol=1e-12)
    assert_allclose(motion["a_D"][1] / w**2, known["peak_acceleration_over_w2"], rtol=1e-9)
    assert_allclose(motion["a_D"][2] / w**2, known["acceleration_over_w2_at_entry"], rtol=1e-6)
    assert abs(motion["a_D"][3]) < 1e-13 * w**2


@each_drive
def test_a_turn_indexes_and_dwells(more):
    """In a turn the wheel goes on by a slot for each pin, and rests in between, to rounding."""
    n, pins, side = more["slots"], more.get("pins", 1), 1 if more.get("inner") else -1
    motion = kb.motion(made(**more), np.linspace(0, 4 * np.pi / SIZES["speed"], 1441))
    turn = motion["A"] / (2 * np.pi / pins)
    away = np.abs(turn - np.round(turn))  # from the middle of an index, in steps
    mesh = pins * (0.25 + side / (2 * n))
    dwell = away > mesh + 1e-9
    assert_allclose(motion["D"][-1], side * 4 * np.pi * pins / n, atol=1e-12)
    assert_allclose(motion["v_D"][dwell], 0, atol=1e-14)
    assert_allclose(motion["a_D"][dwell], 0, atol=1e-12)
    places = (motion["D"][dwell] / (2 * np.pi / n)) % 1.0
    assert_allclose(places, 0.5, atol=1e-12)
    assert np.all(side * motion["v_D"][away < mesh - 1e-6] > 0)
    assert motion.audit.residual < 1e-12
    assert_allclose(np.mean(dwell), 1 - 2 * mesh, atol=4e-3)


@each_drive
def test_speeds_do_not_jump(more):
    """The pin enters along its slot: the wheel's speed is the rate of its turn everywhere."""
    motion = kb.motion(made(**more), np.linspace(0, 1.0, 20001))
    rate = np.gradient(motion["D"], motion.t)[1:-1]
    assert np.abs(rate - motion["v_D"][1:-1]).max() < 2e-3 * np.abs(motion["v_D"]).max()


def test_a_locked_wheel_presses_the_disc():
    """A moment on a wheel at rest costs no torque: its force goes through the crank's axis."""
    m = replace(made(), forces=(kb.Moment("load", "wheel", (0, 0, 3.0)),))
    motion = kb.motion(m, np.radians([90.0, 180.0, 250.0]) / SIZES["speed"])
    F = kb.reactions(m, motion).in_world()["Z"].force
    assert_allclose(F[:, 0], 0, atol=1e-12)
    assert_allclose(F[:, 1] * SIZES["d"], 3.0, rtol=1e-12)
    assert_allclose(kb.driving_forces(m, motion)["motor"], 0, atol=1e-12)


def test_a_run_keeps_its_energy_through_index_and_dwell():
    """Free, it slows down as it picks the wheel up; a batch goes as each of its starts."""
    m = replace(made(), drives=())
    times = np.linspace(0, 2.0, 9)
    one = kb.simulate(m, 2.0, v={"A": 6.0}, times=times, method=kb.Method(rtol=1e-10, atol=1e-12))
    inertia = 1e-3 + SIZES["J"] * KNOWN["results"]["peak_speed_ratio"] ** 2
    whole = 0.5 * inertia * 36.0
    kinetic = 0.5 * (1e-3 * one["v_A"] ** 2 + SIZES["J"] * one["v_D"] ** 2)
    assert_allclose(kinetic, whole, rtol=1e-5)  # steps go across jumps of accelerations
    assert one.audit.residual < 1e-9
    many = kb.simulate(m, 0.5, v={"A": np.array([5.0, 6.0])}, times=[0.0, 0.5])
    assert_allclose(many["A"][1, -1], kb.simulate(m, 0.5, v={"A": 6.0})["A"][-1], atol=1e-5)


def test_every_room_takes_it():
    """File and back, mobility, drawing, inverse dynamics, a derivative, C, the reduced model."""
    m = made(slots=6, pins=2)
    assert kb.loads(kb.dumps(m)).joint("Z") == m.joint("Z")
    found = kb.mobility(m)
    assert (found.theoretical, found.actual) == (1, 1)
    assert str(kb.draw(m)).count("<path") > 3
    motion = kb.motion(m, [0.05, 0.3])
    tau = kb.inverse_dynamics(m, motion.q, motion.v, motion.a)
    assert_allclose(tau[:, 0], kb.driving_forces(m, motion)["motor"], atol=1e-12)
    assert "atan2" in kb.generate(kb.inverse_dynamics, m, "c")
    reduced = kb.reduce(replace(m, drives=()), "A")(np.array([0.0, np.pi / 2]))
    ratio = np.sin(np.pi / 6) / (1 - np.sin(np.pi / 6))
    assert_allclose(reduced.inertia, [1e-3 + SIZES["J"] * ratio**2, 1e-3], rtol=1e-9)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"beside": 0.002}, "does not sit on its axis"),
        ({"slots": 2}, "slots"),
        ({"slots": 4.5}, "is a count, got 4.5"),
        ({"slots": 4, "pins": 5}, "90 deg of a turn of the crank, so there may be 4"),
        ({"slots": 4, "pins": 2, "inner": True}, "270 deg of a turn of the crank"),
    ],
)
def test_what_cannot_turn_is_refused(more, words):
    """Shafts at the wrong distance, counts that are none, too many pins."""
    with pytest.raises(kb.ModelError, match=words):
        made(**more)


def test_a_drive_without_a_radius_is_refused():
    """The fault says what is missing."""
    with pytest.raises(kb.ModelError, match="radius of the pin's circle"):
        kb.Mechanism(
            "g",
            [kb.Body("c"), kb.Body("w")],
            [
                kb.Revolute("A", "ground", "c", at=(0, 0)),
                kb.Geneva("Z", "c", "w", at=(0, 0)),
            ],
            plane="xy",
        )
