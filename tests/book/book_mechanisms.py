"""Mechanisms of the examples of Gronowicz that several tests share."""

from dataclasses import replace
from pathlib import Path

import numpy as np

import korba as kb
from korba.course import (
    cardan_angles,
    cardan_rows,
    circle_point,
    dh_matrix,
    four_bar,
    ordered,
)

BOOK = Path(__file__).resolve().parents[2] / "examples" / "book"
SIZES = (0.2, 0.6, 0.6, 0.8)


def bodies(*names):
    return [kb.Body(name) for name in names]


def drawn_four_bar(branch="open", **more):
    """The four-bar of Example 3.3 as a mechanism, drawn at theta_1 = 90 deg."""
    at = four_bar(*SIZES, np.pi / 2, branch=branch)
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "coupler", at=at.B),
        kb.Revolute("C", "coupler", "rocker", at=at.C),
        kb.Revolute("D", "ground", "rocker", at=(0.8, 0)),
    ]
    m = kb.Mechanism("four-bar", bodies("crank", "coupler", "rocker"), joints, plane="xy", **more)
    return m, at


START_3_5 = np.array([0.05, 0.25, np.pi / 4, 0.44, 0.13, 15 * np.pi / 18])
"""The rough start of the book."""


def yoke_of_example_3_5(drive="pi/4 + 10*t"):
    """Examples 2.7 and 3.5 as a mechanism, drawn at 45 deg."""
    drives = [kb.BodyDrive("crank", "1", angle=drive)]
    return replace(kb.load(BOOK / "ex_3_5_yoke.toml"), drives=drives)


def at(x, y):
    """A place on a body."""
    return kb.Frame((x, y))


def two_freedoms(x, q):
    """(2.130) of Example 2.11."""
    a, b, c = 0.2, 0.5, 0.4
    return [
        a * np.cos(q[0]) + b * np.cos(x[0]) - c - q[1] * np.cos(x[1]),
        a * np.sin(q[0]) + b * np.sin(x[0]) - q[1] * np.sin(x[1]),
    ]


def drawn_generator(law_1, law_2):
    """Example 2.11 as a mechanism, drawn at t = 0; the actuator is a cylinder and a rod."""
    x_1, x_2 = ordered(two_freedoms, 2, 2).position([np.pi / 2, 0.32], np.radians([12, 74])).x
    C = circle_point((0.0, 0.2), 0.5, x_1)
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "coupler", at=(0, 0.2)),
        kb.Revolute("C", "coupler", "rod", at=C),
        kb.Prismatic("piston", "cylinder", "rod", at=(0.4, 0), axis=(np.cos(x_2), np.sin(x_2))),
        kb.Revolute("D", "ground", "cylinder", at=(0.4, 0)),
    ]
    drives = [kb.JointDrive("motor", "A", law_1), kb.JointDrive("oil", "piston", law_2)]
    names = ("crank", "coupler", "rod", "cylinder")
    M = circle_point((0.0, 0.2), 0.2, x_1 + np.pi / 4)
    return kb.Mechanism("generator", bodies(*names), joints, plane="xy", drives=drives), M


def universal_joint(beta, theta, **more):
    """Example 2.13 as a spatial mechanism, drawn at theta_1; joints 1, 2, 3 and 0 of the book."""
    q = cardan_angles(beta, theta)
    names = ["ground", "shaft in", "cross", "shaft out", "ground"]
    joints = []
    for i, row in enumerate(cardan_rows(beta)):
        A = dh_matrix(row.a, row.alpha, 0, 0)
        ends = {"on_parent": kb.Frame(A[:3, 3], A[:3, :3]), "on_child": kb.Frame()}
        joints.append(kb.Revolute("1230"[i], names[i], names[i + 1], drawn=(q[i],), **ends))
    return kb.Mechanism("universal joint", bodies(*names[1:4]), joints, **more)
