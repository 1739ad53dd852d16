"""Random linkages with loops, under spring, force and weight, their cranks driven."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import korba as kb


def inertia(rng):
    """Moments that a real body has, about axes of its own."""
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    moments = rng.uniform(0.1, 0.2, 3)
    return (R * moments @ R.T).tolist()


def heavy(name, rng, plane, reach=0.3):
    """A body with random mass, mass centre and moments, of about a size."""
    com = (*rng.uniform(-reach, reach, 2), 0.0 if plane else rng.uniform(-reach, reach))
    moments = np.array(rng.uniform(0.05, 0.2) if plane else inertia(rng)) * (reach / 0.3) ** 2
    return kb.Body(name, rng.uniform(0.5, 2.0), com, moments.tolist())


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
        rough = [{"half_height": 0.02} if j.shifts_only else {"radius": 0.03} for j in joints]
        joints = [
            replace(joint, friction=kb.Friction(coefficient=mu, **own))
            for joint, own in zip(joints, rough, strict=True)
        ]
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
