"""Forces in the joints hold every body in its motion, and drives give the power that it takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb

TIMES = np.linspace(0.0, 0.4, 5)


def inertia(rng):
    """Moments that a real body has, about axes of its own."""
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    moments = rng.uniform(0.1, 0.2, 3)
    return (R * moments @ R.T).tolist()


def heavy(name, rng, plane):
    """A body with random mass, mass centre and moments."""
    com = (*rng.uniform(-0.3, 0.3, 2), 0.0 if plane else rng.uniform(-0.3, 0.3))
    moments = rng.uniform(0.05, 0.2) if plane else inertia(rng)
    return kb.Body(name, rng.uniform(0.5, 2.0), com, moments)


def four_bar(rng, plane="xy"):
    """Four pins; in space all axes are parallel, so that three constraints are passive."""
    B, C = 0.3 * rng.uniform(0.8, 1.2, 2), np.array([1.0, 0.9]) + rng.uniform(-0.1, 0.1, 2)
    more = {} if plane else {"axis": (0, 0, 1)}
    at = [(0, 0, 0), (*B, 0), (*C, 0), (1.0, 0, 0)]
    ends = [("ground", "crank"), ("crank", "rod"), ("rod", "rocker"), ("ground", "rocker")]
    joints = [kb.Revolute(n, *e, at=p, **more) for n, e, p in zip("ABCD", ends, at, strict=True)]
    return joints, ("crank", "rod", "rocker"), plane


def slider_crank(rng):
    """A crank, a rod, and a slide on a slanted line."""
    joints, names, plane = four_bar(rng)
    way = (np.cos(0.3), np.sin(0.3), 0)
    guide = kb.Prismatic(
        "D", "ground", "rocker", at=joints[2].at, axis=way, guide_length=0.2, damping=2.0
    )
    return [*joints[:3], guide], names, plane


def rssr(rng, ball=True):
    """Two balls, the rod of which spins, or a universal joint in place of one."""
    q = rng.uniform(-0.1, 0.1, (4, 3))
    far = tuple(q[2] + (1.0, 0.9, 0.4))
    cross = kb.Universal("C", "rod", "rocker", at=far, axis=(0, 0, 1), x_axis=(1, 0, 0))
    return (
        [
            kb.Revolute("A", "ground", "crank", at=(0, 0, 0), axis=(0.1, 0, 1)),
            kb.Spherical("B", "crank", "rod", at=tuple(q[1] + (0.3, 0, 0))),
            kb.Spherical("C", "rod", "rocker", at=far) if ball else cross,
            kb.Revolute("D", "ground", "rocker", at=tuple(q[3] + (1, 0, 0)), axis=(0.2, 1, 0.1)),
        ],
        ("crank", "rod", "rocker"),
        None,
    )


KINDS = {
    "four-bar": four_bar,
    "four-bar in space": lambda rng: four_bar(rng, None),
    "slider-crank": slider_crank,
    "rssr": rssr,
    "rsur": lambda rng: rssr(rng, ball=False),
}


def loaded(kind, seed, mu=0.0):
    """A random mechanism under spring, force and weight, its crank driven."""
    rng = np.random.default_rng(seed)
    joints, names, plane = KINDS[kind](rng)
    if mu:
        rough = {"coefficient": mu, "radius": 0.03, "half_height": 0.02}
        joints = [replace(joint, friction=kb.Friction(**rough)) for joint in joints]
    joints[0] = replace(joints[0], damping=0.4)
    spring = kb.Spring(
        *("spring", "ground", (0.2, 0.7, 0), "rod", (0.5, 0.4, 0)), stiffness=30.0, damping=2.0
    )
    push = kb.PointForce("push", "rocker", ("3 + 2*sin(5*t)", -4, 0), (0.9, 0.3, 0))
    return kb.Mechanism(
        kind,
        [heavy(name, rng, plane) for name in names],
        joints,
        drives=[kb.JointDrive("drive", "A", "0.4*t + 0.6*t^2")],
        forces=[spring, push],
        plane=plane,
    )


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
@pytest.mark.parametrize("seed", seeds(0.3))
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
@pytest.mark.parametrize("seed", seeds(0.3))
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
