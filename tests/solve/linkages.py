"""Linkages with closed forms: four-bars and slider-cranks."""

from __future__ import annotations

from functools import cache

import numpy as np

import korba as kb


def crossing(p, r_p, q, r_q, side):
    """The point at distances r_p from p and r_q from q, on the left of p -> q for side = 1."""
    d = np.linalg.norm(q - p)
    x = (r_p**2 - r_q**2 + d**2) / (2 * d)
    u = (q - p) / d
    return p + x * u + side * np.sqrt(r_p**2 - x**2) * np.array([-u[1], u[0]])


def four_bar(lengths, theta, side=1, **more):
    """A four-bar with links a, b, c and base d, drawn at a crank angle."""
    a, b, c, d = lengths
    B, D = a * np.array([np.cos(theta), np.sin(theta)]), np.array([d, 0.0])
    C = crossing(B, b, D, c, side)
    bodies = [kb.Body(name) for name in ("crank", "coupler", "rocker")]
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "coupler", at=B),
        kb.Revolute("C", "coupler", "rocker", at=C),
        kb.Revolute("D", "ground", "rocker", at=D),
    ]
    return kb.Mechanism("four-bar", bodies, joints, plane="xy", **more)


@cache
def crank_rocker():
    """a = 0.2, b = c = 0.6, d = 0.8, drawn at 90 deg and driven at one turn a second."""
    drives = [kb.JointDrive("motor", "A", "2*pi*t")]
    return four_bar((0.2, 0.6, 0.6, 0.8), np.pi / 2, drives=drives)


def slider_crank(r, length, e, theta, **more):
    """A slider-crank drawn at a crank angle; the slide is at x + stroke, y = e."""
    B = r * np.array([np.cos(theta), np.sin(theta)])
    C = np.array([B[0] + np.sqrt(length**2 - (e - B[1]) ** 2), e])
    bodies = [kb.Body(name) for name in ("crank", "rod", "slider")]
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "rod", at=B),
        kb.Revolute("C", "rod", "slider", at=C),
        kb.Prismatic("S", "ground", "slider", at=C, axis=(1, 0)),
    ]
    return kb.Mechanism("slider-crank", bodies, joints, plane="xy", **more), C[0]
