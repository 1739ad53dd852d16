"""The same mechanism with other masses and other loads, and its motion where both grow alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import korba as kb


def heavier(m, masses, loads):
    """`m` with all masses and moments times `masses`; loads, springs and dampers times `loads`."""
    bodies = [denser(body, masses) for body in m.bodies]
    joints = [replace(joint, damping=loads * joint.damping) for joint in m.joints]
    return replace(m, bodies=bodies, joints=joints, forces=[stronger(f, loads) for f in m.forces])


def denser(body, factor):
    """A body with mass and moments times a factor."""
    inertia = tuple(tuple(factor * x for x in row) for row in body.inertia)
    return replace(body, mass=factor * body.mass, inertia=inertia)


def stronger(force, loads):
    """A load times a factor."""
    if isinstance(force, kb.PointForce):
        return replace(force, force=tuple(loads * law for law in force.force))
    if isinstance(force, kb.JointForce):
        return replace(force, law=loads * force.law)
    rates = {"stiffness": loads * force.stiffness, "damping": loads * force.damping}
    return replace(force, **rates, law=loads * force.law)


def lighter(m, rng):
    """`m` with one of its bodies lighter by a factor between 1e-3 and 1e-12."""
    light, factor = rng.integers(len(m.bodies)), 10 ** rng.uniform(-12, -3)
    changed = [denser(body, factor) if k == light else body for k, body in enumerate(m.bodies)]
    return replace(m, bodies=changed)


def factors(seed, count=2):
    """Factors between 1e-6 and 1e6."""
    return 10 ** np.random.default_rng([11, seed]).uniform(-6, 6, count)
