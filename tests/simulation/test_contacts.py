"""Contacts that only push: met, bounced from, rested against and left, in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from simulated_trees import pendulum

import korba as kb

TIGHT = {"method": kb.Method(rtol=1e-12, atol=1e-14)}
G = 9.81


def cam_and_follower(**follower):
    """A cam that turns at 20 rad/s by a drive, and a follower on a guide above it."""
    joints = [
        kb.Revolute("A", "ground", "cam", at=(0, 0)),
        kb.Prismatic("y", "ground", "follower", at=(0, 0), axis=(0, 1), **follower),
    ]
    bodies = [kb.Body("cam", 1, inertia=0.1), kb.Body("follower", 0.5, inertia=1)]
    turn = kb.JointDrive("turn", "A", "20 rad/s * t")
    return kb.Mechanism("cam", bodies, joints, drives=[turn], plane="xy")


def test_a_follower_leaves_its_cam_and_meets_it_again():
    """On e (1 - cos A) it leaves where e w^2 cos(w t) = -g, flies, and stays when it lands."""
    e, w = 0.04, 20.0
    contact = kb.Contact("cam", "y - 0.04 m * (1 - cos(A))")
    run = kb.simulate(cam_and_follower(), 0.4, events=contact, **TIGHT)
    left = np.arccos(-G / (e * w**2)) / w
    assert_allclose(run.events["cam left"].t[0], left, atol=1e-10)

    def height(t):
        s = t - left
        flown = e * (1 - np.cos(w * left)) + e * w * np.sin(w * left) * s - G * s**2 / 2
        return flown - e * (1 - np.cos(w * t))

    landed = brentq(height, left + 0.05, left + 0.3, xtol=1e-14)
    assert_allclose(run.events["cam"].t[0], landed, atol=1e-10)
    rests = run["rests_cam"] == 1
    assert_allclose(run["y"][rests], e * (1 - np.cos(w * run.t))[rests], atol=1e-10)
    assert run.audit.energy < 1e-9


def test_the_tip_of_a_rod_bounces_from_a_wall():
    """A pendulum's tip meets a wall with 1 rad/s more or less, and turns back with e of it."""
    m = pendulum()
    wall = kb.Contact("wall", restitution=0.5, body="rod", point=(1, 0), line=((0.2, 0), (1, 0)))
    run = kb.simulate(m, 0.6, events=wall, **TIGHT)
    met = run.events["wall"]
    angle = -np.arccos(0.2)
    assert_allclose(met.q[0], angle, atol=1e-10)
    speed = -np.sqrt(3 * G * np.sin(-angle))  # of a uniform rod of 1 m from rest at 0
    assert_allclose(met.v[0], speed, atol=1e-9)
    lost = 0.5 * (m.bodies[0].mass / 3) * speed**2 * (1 - 0.5**2)
    assert_allclose(run["work"][-1], -lost, rtol=1e-9)


def test_limits_have_a_restitution_of_their_own():
    """A slide between two stops, e = 0.5 at one joint: speeds halve, the times are known."""
    m = cam_and_follower(lower=0.0, upper=1.0, restitution=0.5)
    run = kb.simulate(m, 4.0, q={"y": 0.0}, v={"y": 1.0}, gravity=(0, 0), events="stops", **TIGHT)
    assert_allclose(run.events.t, [1.0, 3.0], atol=1e-10)
    assert_allclose(run["v_y"][-1], 0.25, atol=1e-12)
    with pytest.raises(kb.ModelError, match="restitution: is at most 1"):
        cam_and_follower(restitution=2.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"distance": "1 + 1"}, "names nothing that moves"),
        ({"distance": "y - 3 rad"}, "units do not fit"),
        ({"distance": "v_y"}, "unknown name 'v_y'"),
        ({"distance": "y", "body": "cam"}, "not both"),
        ({"distance": "y", "restitution": 2.0}, "restitution from 0 to 1"),
        ({"body": "cim", "line": ((0, 0), (0, 1))}, "there is no body 'cim'"),
        ({"body": "cam"}, "expected a line by a point and its normal"),
        ({"body": "cam", "line": ((0, 0), (0, 0))}, "has no length"),
        ({"body": "cam", "line": (1, (0, 1))}, "two or three components"),
    ],
)
def test_gaps_that_are_none(given, message):
    """What is wrong with a contact is said."""
    with pytest.raises(kb.KorbaError, match=message):
        kb.simulate(cam_and_follower(), 1.0, events=kb.Contact("g", **given))


def test_a_gap_that_begins_below_zero_is_refused():
    """Nothing would keep it: said with its value, and for a batch with the start."""
    block = kb.Body("block", 1, inertia=1)
    slide = kb.Prismatic("y", "ground", "block", at=(0, 0), axis=(0, 1))
    m = kb.Mechanism("m", [block], [slide], plane="xy")
    for q, which in (({"y": 0.1}, "-0.1 at the start,"), ({"y": [0.5, 0.1]}, "start 1, and")):
        with pytest.raises(kb.StructureError, match=which):
            kb.simulate(m, 0.1, q=q, events=kb.Contact("floor", "y - 0.2 m"))
