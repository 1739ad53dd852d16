"""Planar mechanisms drawn from points, and the laws that every assembly mode meets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import korba as kb
from korba.kinematics.couplings import all_coordinates
from korba.kinematics.forward import world_poses
from korba.system.tree import tree_of

FILES = Path(__file__).parents[2] / "examples" / "structure"


def xy(c):
    return (float(np.real(c)), float(np.imag(c)))


def bodies(*names):
    return [kb.Body(name, 1.0, (0, 0), 0.1) for name in names]


def planar(name, links, joints, **more):
    return kb.Mechanism(name, bodies(*links), joints, plane="xy", **more)


def pose_of(mode, body):
    """Displacement of a body from the drawing, as a complex place of the origin and a turn."""
    tree = tree_of(mode.m)
    X = world_poses(tree, np.asarray(all_coordinates(tree, mode.q), dtype=float))
    k = tree.number(body)
    X_WB = X[k] @ tree.links[k].X_BL.inverse()
    R = np.asarray(X_WB.R, dtype=float)
    return complex(*X_WB.p[:2]), complex(R[0, 0], R[1, 0])


def point_of(mode, body, p):
    """Where a point of a planar body goes that was drawn at p."""
    P, z = pose_of(mode, body)
    return P + z * p


def check_laws(m, found, held):
    """Loops closed to 1e-12, held values exact, no mode twice, angles within half a turn."""
    for mode in found:
        assert mode.residual <= 1e-12
        for name, value in held.items():
            assert mode[name] == pytest.approx(value, abs=1e-12)
        for joint in m.joints:
            for name, kind in zip(joint.coordinates(), joint.coordinate_kinds, strict=True):
                if kind == "angle" and name not in held:
                    drawn = joint.drawn_coordinates[joint.coordinates().index(name)]
                    assert abs(mode[name] - drawn) <= np.pi + 1e-9
    table = np.array([[*np.cos(mode.q), *np.sin(mode.q)] for mode in found])
    for i in range(len(table)):
        for j in range(i):
            assert np.abs(table[i] - table[j]).max() > 1e-6


def crossing(p, r, q, s):
    """Points at the distance r from p and s from q: at most two."""
    d = abs(q - p)
    along = (r * r - s * s + d * d) / (2 * d)
    square = r * r - along * along
    if square < 0:
        return []
    u = (q - p) / d
    return [p + u * (along + 1j * side * np.sqrt(square)) for side in (1, -1)]


def four_bar(A=0j, B=0.2j, D=0.8 + 0j, r=(0.6, 0.6), side=0, **more):
    C = crossing(B, r[0], D, r[1])[side]
    joints = [
        kb.Revolute("A", "ground", "crank", at=xy(A)),
        kb.Revolute("B", "crank", "coupler", at=xy(B)),
        kb.Revolute("C", "coupler", "rocker", at=xy(C)),
        kb.Revolute("D", "ground", "rocker", at=xy(D)),
    ]
    return planar("four-bar", ["crank", "coupler", "rocker"], joints, **more), C


def matched(found, expected, tol=1e-9):
    """Both sets of complex points are the same."""
    assert len(found) == len(expected)
    left = list(expected)
    for point in found:
        k = int(np.argmin([abs(point - other) for other in left]))
        assert abs(point - left.pop(k)) < tol
