"""Cams by the law of their lift, held against a reference computed apart from the library."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose
from rolling_mechanisms import reference
from scipy.optimize import minimize_scalar

import korba as kb

KNOWN = reference("e6_cam_lift_laws")
LAWS = {"cycloidal": "cycloidal", "3_4_5": "poly345", "modified_trapezoid": "trapezoid"}
each_law = pytest.mark.parametrize("law", LAWS)


@cache
def press(law):
    """The cam, its follower on a spring, and a motor of constant speed."""
    d = KNOWN["data"]
    return kb.loads(f"""
        name = "cam"
        plane = "xy"
        parameters.speed = "{d["speed"]} rad/s"
        body = [
            {{name = "cam", mass = 1, inertia = 1e-3}},
            {{name = "follower", mass = {d["m"]}}},
        ]
        drive = [{{name = "motor", type = "joint", joint = "A", position = "speed*t"}}]

        [[force]]
        name = "spring"
        type = "joint"
        joint = "y"
        law = "-{d["k"]} N/m*y - {d["preload"]} N"

        [[joint]]
        name = "A"
        type = "revolute"
        parent = "ground"
        child = "cam"
        at = [0, 0]

        [[joint]]
        name = "y"
        type = "prismatic"
        parent = "ground"
        child = "follower"
        at = [{d["offset"]}, {np.sqrt(d["R0"] ** 2 - d["offset"] ** 2)}]
        axis = [0, 1]

        [[joint]]
        name = "K"
        type = "cam-roller"
        parent = "cam"
        child = "follower"
        at = [0, 0]
        x_axis = [0, 1]
        base = {d["R0"]}
        offset = {d["offset"]}
        radius = {d["roller_radius"]}
        lift = "{d["h"]} m*({LAWS[law]}(phi/(100 deg)) - {LAWS[law]}((phi - 150 deg)/(110 deg)))"
    """)


def turned(law, degrees, speed=45.0):
    """The motion at angles of the cam."""
    return kb.motion(kb.redimension(press(law), speed=speed), np.radians(degrees) / speed)


def pressed(law, degrees, speed=45.0):
    """The force of the contact."""
    motion = turned(law, degrees, speed)
    return kb.reactions(motion.mechanism, motion).pressing["K"]


@each_law
def test_lift_force_and_torque(law):
    """E6: lift, speed, acceleration, contact force, pressure angle and drive torque to 1e-8."""
    degrees = np.array(KNOWN["states"]["cam_angle_deg"], dtype=float)
    s, v, a, angle, N, M = np.array(KNOWN["results"][law]).T
    motion = turned(law, degrees)
    m = motion.mechanism
    for name, expected in {"y": s, "v_y": v, "a_y": a}.items():
        assert_allclose(motion[name], expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())
    assert_allclose(pressed(law, degrees), N, rtol=1e-8)
    assert_allclose(kb.driving_forces(m, motion)["motor"], M, rtol=1e-8, atol=1e-12)
    found = kb.cam_profile(m, "K", 73)
    assert_allclose(found.pressure_angle[(degrees / 5).astype(int)], angle, rtol=1e-8)


@each_law
def test_the_speed_at_which_it_lifts_off(law):
    """E6: the least speed at which the contact has no force left, and where, to 1e-6."""
    known = KNOWN["results"]["limits"]["3-4-5" if law == "3_4_5" else law]

    def lifts(degrees):
        """N = N_0 - w^2 N_2 at each angle: the speed at which it is 0."""
        slow, fast = (pressed(law, degrees, speed) for speed in (20.0, 40.0))
        N_2 = (slow - fast) / (40.0**2 - 20.0**2)
        return np.sqrt((slow + 20.0**2 * N_2) / np.where(N_2 > 0, N_2, np.nan))

    degrees = np.linspace(1, 359, 359)
    at = degrees[np.nanargmin(lifts(degrees))]
    found = minimize_scalar(
        lambda x: float(lifts(np.array([x]))[0]), (at - 1, at, at + 1), tol=1e-9
    )
    assert_allclose(found.fun, known["lift_off_speed"], rtol=1e-9)
    assert_allclose(found.x, known["lift_off_angle_deg"], atol=1e-4)
    finer = kb.cam_profile(press(law), "K", 36001)
    assert_allclose(finer.largest_pressure_angle, known["largest_pressure_angle"], rtol=1e-6)


def test_a_run_lifts_off_from_there():
    """Just below the speed reactions find no lift-off, just above they do."""
    speed = KNOWN["results"]["limits"]["cycloidal"]["lift_off_speed"]
    degrees = np.linspace(60, 90, 61)
    for part, expected in ((0.999, 0), (1.01, 1)):
        motion = turned("cycloidal", degrees, part * speed)
        assert len(kb.reactions(motion.mechanism, motion).lift_offs) == expected


def test_every_room_takes_it():
    """File and back, mobility, drawing, C, equations, inverse dynamics equal to the drive's."""
    m = press("modified_trapezoid")
    assert kb.loads(kb.dumps(m)).joint("K") == m.joint("K")
    assert kb.mobility(m).actual == 1
    assert "<svg" in str(kb.draw(m))
    assert "double" in kb.generate(kb.forward_dynamics, m, "c")
    motion = turned("modified_trapezoid", [15.0, 200.0])
    force = kb.inverse_dynamics(m, motion.q, motion.v, motion.a)
    assert_allclose(force[:, 0], kb.driving_forces(m, motion)["motor"], rtol=1e-9)


def test_a_run_keeps_its_energy():
    """Without a motor it swings on its spring; a batch of starts as one of them."""
    m = replace(press("cycloidal"), drives=())
    start = kb.assemble(m, {"A": "40 deg"})
    speeds = np.array([[3.0], [10.0]])
    many = kb.simulate(m, 0.2, q=start.q, v={"A": speeds[:, 0]}, times=np.linspace(0, 0.2, 5))
    one = kb.simulate(m, 0.2, q=start.q, v={"A": 10.0}, times=np.linspace(0, 0.2, 5))
    assert_allclose(many["A"][1], one["A"], atol=1e-6)
    assert one.audit.energy < 1e-6
    assert one.audit.residual < 1e-10
