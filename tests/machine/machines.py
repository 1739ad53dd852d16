"""Machines with known reduced models."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

import korba as kb

BOOK = Path(__file__).resolve().parents[2] / "examples" / "book"


@cache
def scotch_yoke(load="-2*sign(v)", moment="4"):
    """Example 4.7 with the crank drawn at 90 degrees, where its coordinate is 0."""
    forces = [kb.JointForce("motor", "A", law=moment), kb.JointForce("load", "S", law=load)]
    return replace(kb.load(BOOK / "ex_4_7_scotch_yoke.toml"), forces=forces)


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
def stirrer(moment=1.2):
    """Example 4.8: motor, harmonic drive 1/50, carrier, planet wheel on a fixed one."""
    return kb.load(BOOK / "ex_4_8_stirrer.toml", M_0=moment)


@cache
def wheel(law="50*sin(q)", inertia=0.5, damping=0.0):
    """A wheel alone, under one moment."""
    joint = kb.Revolute("A", "ground", "wheel", at=(0, 0, 0), damping=damping)
    load = kb.JointForce("moment", "A", law=law)
    bodies = [kb.Body("wheel", inertia=inertia)]
    return kb.Mechanism("wheel", bodies, [joint], forces=[load], plane="xy", gravity=(0, 0, 0))
