"""The mechanisms of the textbook's sections 4.3 and 4.4.1 with the data of their tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import korba as kb

BOOK = Path(__file__).resolve().parents[2] / "examples" / "book"
STILL = (0.0, 0.0, 0.0)


@cache
def four_bar():
    """Example 4.3: geometry of Example 3.3 with its crank upright, mass centres in the middle."""
    A, B, D = np.zeros(2), np.array([0.0, 0.2]), np.array([0.8, 0.0])
    C = kb.course.circles_meet(B, 0.6, D, 0.6)[0]
    ends = {"crank": (A, B), "coupler": (B, C), "rocker": (D, C)}
    data = zip((1.0, 2.0, 1.5), (0.004, 0.06, 0.045), ends.items(), strict=True)
    bodies = [kb.Body(name, m, (P + Q) / 2, I_S) for m, I_S, (name, (P, Q)) in data]
    joints = [
        kb.Revolute("A", "ground", "crank", at=A),
        kb.Revolute("B", "crank", "coupler", at=B),
        kb.Revolute("C", "coupler", "rocker", at=C),
        kb.Revolute("D", "ground", "rocker", at=D),
    ]
    return kb.Mechanism(
        "four-bar",
        bodies,
        joints,
        forces=[kb.Moment("load", "rocker", (0, 0, -5))],
        drives=[kb.JointDrive("motor", "A", "10*t")],
        plane="xy",
        gravity=STILL,
    )


@cache
def slider_crank(height=0.0):
    """The group RRT of section 5.2 of the spec, its load some way above the slide axis."""
    B = 0.1 * np.array([0.5, np.sqrt(3) / 2])
    C = np.array([B[0] + np.sqrt(0.09 - B[1] ** 2), 0.0])
    bodies = [
        kb.Body("crank"),
        kb.Body("rod", 1.2, (B + C) / 2, 0.009),
        kb.Body("slider", 0.8, C),
    ]
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "rod", at=B),
        kb.Revolute("C", "rod", "slider", at=C),
        kb.Prismatic("guide", "ground", "slider", at=C, axis=(1, 0), guide_length=0.06),
    ]
    load = kb.PointForce("Q", "slider", (-100, 0, 0), (C[0], height, 0))
    drive = kb.JointDrive("motor", "A", "20*t")
    return kb.Mechanism(
        "slider-crank", bodies, joints, forces=[load], drives=[drive], plane="xy", gravity=STILL
    )


@cache
def slow_lift():
    """Example 4.1: a weight on link 1, a bar without mass, an actuator at link 3."""
    return kb.load(BOOK / "ex_4_1_slow_lift.toml")


@cache
def yoke():
    """Examples 4.4 and 4.5: a crank without mass moves a yoke by a pin in its slot."""
    return kb.load(BOOK / "ex_4_4_yoke.toml")


@cache
def parallelogram(theta=0.9, a=0.2, force=(3.0, -7.0, 0.0)):
    """The parallelogram of Fig. 4.16, loaded at a point of its coupler."""
    arm, far = a * np.array([np.cos(theta), np.sin(theta)]), np.array([0.5, 0.0])
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "coupler", at=arm),
        kb.Revolute("C", "coupler", "rocker", at=far + arm),
        kb.Revolute("D", "ground", "rocker", at=far),
    ]
    return kb.Mechanism(
        "parallelogram",
        [kb.Body(name) for name in ("crank", "coupler", "rocker")],
        joints,
        forces=[kb.PointForce("F", "coupler", force, (*(arm + np.array([0.3, 0.1])), 0))],
        drives=[kb.JointDrive("motor", "A", "t")],
        plane="xy",
        gravity=STILL,
    )
