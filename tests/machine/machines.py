"""Machines with known reduced models."""

from __future__ import annotations

from functools import cache

import numpy as np

import korba as kb


@cache
def scotch_yoke(load="-2*sign(v)", moment="4"):
    """Example 4.7 with the crank drawn at 90 degrees, where its coordinate is 0."""
    bodies = [
        kb.Body("crank", 1.0, (0.1, 0, 0), 0.1, frame=kb.Frame((0, 0, 0), np.pi / 2)),
        kb.Body("yoke", 5.0, (0.1, 0, 0), 0.1),
    ]
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0, 0)),
        kb.Prismatic("S", "ground", "yoke", at=(0, -0.15, 0), axis=(1, 0, 0)),
        kb.PinInSlot("B", "yoke", "crank", at=(0, 0.3, 0), axis=(0, 1, 0)),
    ]
    forces = [kb.JointForce("motor", "A", law=moment), kb.JointForce("load", "S", law=load)]
    return kb.Mechanism("Scotch yoke", bodies, joints, forces=forces, plane="xy")


@cache
def slider_crank(degrees):
    """The slider-crank of the specification with its crank drawn at an angle."""
    r, rod, crank = 0.1, 0.3, np.deg2rad(degrees)
    B = r * np.array([np.cos(crank), np.sin(crank), 0])
    lean = -np.arcsin(r / rod * np.sin(crank))
    C = (r * np.cos(crank) + rod * np.cos(lean), 0, 0)
    bodies = [
        kb.Body("crank", 1.0, (0.04, 0, 0), 0.002, frame=kb.Frame((0, 0, 0), crank)),
        kb.Body("rod", 0.8, (0.12, 0, 0), 0.007, frame=kb.Frame(tuple(B), lean)),
        kb.Body("slider", 1.2, frame=kb.Frame(C)),
    ]
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0, 0)),
        kb.Revolute("B", "crank", "rod", at=tuple(B)),
        kb.Revolute("C", "rod", "slider", at=C),
        kb.Prismatic("D", "ground", "slider", at=C, axis=(1, 0, 0)),
    ]
    forces = [kb.JointForce("M1", "A", law="10"), kb.JointForce("F3", "D", law="-200")]
    return kb.Mechanism(
        "slider-crank", bodies, joints, forces=forces, plane="xy", gravity=(0, 0, 0)
    )


@cache
def stirrer(moment="1.2 - 0.004*v"):
    """Example 4.8: motor, harmonic drive 1/50, carrier, planet wheel on a fixed one."""
    R, r, ratio = 0.25, 0.1, 1 / 50
    bodies = [
        kb.Body("rotor", inertia=2e-4),
        kb.Body("carrier", inertia=0.08),
        kb.Body("planet", 4.0, (0.35, 0, 0), 0.5 * 4.0 * r**2),
    ]
    joints = [
        kb.Revolute("motor", "ground", "rotor", at=(0, 0, 0)),
        kb.Revolute("arm", "ground", "carrier", at=(0, 0, 0)),
        kb.Revolute("wheel", "carrier", "planet", at=(0.35, 0, 0)),
    ]
    couplings = [
        kb.Coupling("drive", "arm", f"{ratio}*motor"),
        kb.Coupling("mesh", "wheel", f"{ratio * R / r}*motor"),
    ]
    forces = [
        kb.JointForce("characteristic", "motor", law=moment),
        kb.PointForce("drag", "carrier", (0, "-20*sign(v_arm)", 0), (0.35, 0, 0), axes="body"),
        kb.Moment("stirring", "planet", (0, 0, "-3*sign(v_wheel)")),
    ]
    return kb.Mechanism("stirrer", bodies, joints, couplings, forces, plane="xy", gravity=(0, 0, 0))


@cache
def wheel(law="50*sin(q)", inertia=0.5, damping=0.0):
    """A wheel alone, under one moment."""
    joint = kb.Revolute("A", "ground", "wheel", at=(0, 0, 0), damping=damping)
    load = kb.JointForce("moment", "A", law=law)
    bodies = [kb.Body("wheel", inertia=inertia)]
    return kb.Mechanism("wheel", bodies, [joint], forces=[load], plane="xy", gravity=(0, 0, 0))
