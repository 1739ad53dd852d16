"""Forces in the joints hold every body in its motion, and drives give the power that it takes."""

from __future__ import annotations

import numpy as np
import pytest
from law_counts import seeds
from loaded_linkages import KINDS, loaded
from numpy.testing import assert_allclose

import korba as kb

TIMES = np.linspace(0.0, 0.4, 5)


def required(m, motion):
    """Moment about the world's origin and force that the motion of every body takes."""
    found = {}
    for body in m.bodies:
        c, turn = motion.point(body.name, body.com), motion.body(body.name)
        J = np.array(turn.rotation) @ np.array(body.inertia) @ np.swapaxes(turn.rotation, -1, -2)
        spin = np.einsum("tij,tj->ti", J, turn.angular_velocity)
        n = np.einsum("tij,tj->ti", J, turn.angular_acceleration) + np.cross(
            turn.angular_velocity, spin
        )
        f = body.mass * (c.acceleration - np.array(m.gravity))
        found[body.name] = np.concatenate([n + np.cross(c.position, f), f], axis=-1)
    return found


def given(m, motion):
    """What spring and push do to the bodies, about the world's origin, and their power."""
    spring, push = m.forces
    end, tip = motion.point("rod", spring.at_b), motion.point("rocker", push.at)
    d = end.position - np.array(spring.at_a)
    length = np.linalg.norm(d, axis=1)
    u = d / length[:, None]
    pull = -(30.0 * length + 2.0 * np.sum(u * end.velocity, axis=1))[:, None] * u
    load = np.stack([3 + 2 * np.sin(5 * motion.t), -4 + 0 * motion.t, 0 * motion.t], axis=-1)
    acting = {"rod": (end.position, pull), "rocker": (tip.position, load)}
    power = np.sum(pull * end.velocity, axis=1) + np.sum(load * tip.velocity, axis=1)
    wrenches = {b: np.concatenate([np.cross(p, f), f], axis=-1) for b, (p, f) in acting.items()}
    return wrenches, power


def spinning(m, motion, rest):
    """What the angular acceleration of the rod about itself takes that fits `rest` best."""
    rod = m.body("rod")
    near, far, c = (
        motion.point("rod", p).position for p in (m.joints[1].at, m.joints[2].at, rod.com)
    )
    R = motion.body("rod").rotation
    u = (far - near) / np.linalg.norm(far - near, axis=1)[:, None]
    f = rod.mass * np.cross(u, c - near)
    n = np.einsum("tij,jk,tlk,tl->ti", R, np.array(rod.inertia), R, u) + np.cross(c, f)
    one = np.concatenate([n, f], axis=-1)
    return one * (np.sum(one * rest, axis=1) / np.sum(one * one, axis=1))[:, None]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(0.15))
def test_joint_forces_hold_every_body(kind, seed):
    """Newton's and Euler's equations of each body, written with nothing but its motion."""
    m = loaded(kind, seed)
    motion = kb.motion(m, TIMES)
    found, acting = kb.reactions(m, motion), given(m, motion)[0]
    top = np.abs(found.force).max() + np.abs(found.moment).max()
    for name, wrench in required(m, motion).items():
        rest = wrench - acting.get(name, 0.0)
        for joint in m.joints:
            if name in (joint.parent, joint.child):
                one = found[joint.name].about((0, 0, 0))
                rest = rest - (1 if name == joint.child else -1) * np.concatenate(
                    [one.moment, one.force], axis=-1
                )
        if kind == "rssr" and name == "rod":  # its spin is free, and turns ever faster or slower
            rest = rest - spinning(m, motion, rest)
        assert_allclose(rest, 0.0, rtol=0, atol=1e-10 * top)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "rssr"])
@pytest.mark.parametrize("seed", seeds(0.15))
@pytest.mark.parametrize("mu", [0.0, 0.1])
def test_drives_give_the_power_that_the_motion_takes(kind, seed, mu):
    """Drives and loads together change the energy, less what dampers and friction take."""
    m = loaded(kind, seed, mu)
    motion = kb.motion(m, TIMES)
    found, (_, power) = kb.reactions(m, motion, friction=mu > 0), given(m, motion)
    assert all(np.all(loss >= 0) for loss in found.losses.values())
    power = power - sum(found.losses.values())
    taken = np.zeros(len(TIMES))
    for name, wrench in required(m, motion).items():
        at = motion.point(name, (0, 0, 0))
        w = motion.body(name).angular_velocity
        v = at.velocity - np.cross(w, at.position)  # of the point that is at the world's origin
        taken += np.sum(wrench * np.concatenate([w, v], axis=-1), axis=1)
    dampers = sum(
        joint.damping * motion[f"v_{joint.name}"] ** 2 for joint in m.joints if joint.damping
    )
    drive = found.driving["drive"] * motion["v_A"]
    assert_allclose(drive + power - dampers, taken, rtol=0, atol=1e-9 * np.abs(taken).max())
