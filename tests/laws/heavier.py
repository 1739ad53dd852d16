"""The same mechanism with other masses and other loads, and its motion where both grow alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import korba as kb


def heavier(m, masses, loads):
    """`m` with all masses and moments times `masses`; loads, springs and dampers times `loads`."""
    bodies = [
        replace(
            body,
            mass=masses * body.mass,
            inertia=tuple(tuple(masses * x for x in row) for row in body.inertia),
        )
        for body in m.bodies
    ]
    joints = [replace(joint, damping=loads * joint.damping) for joint in m.joints]
    return replace(m, bodies=bodies, joints=joints, forces=[stronger(f, loads) for f in m.forces])


def stronger(force, loads):
    """A load times a factor."""
    if isinstance(force, kb.PointForce):
        return replace(force, force=tuple(loads * law for law in force.force))
    if isinstance(force, kb.JointForce):
        return replace(force, law=loads * force.law)
    rates = {"stiffness": loads * force.stiffness, "damping": loads * force.damping}
    return replace(force, **rates, law=loads * force.law)


def factors(seed, count=2):
    """Factors between 1e-6 and 1e6."""
    return 10 ** np.random.default_rng([11, seed]).uniform(-6, 6, count)
