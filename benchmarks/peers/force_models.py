"""Three driven mechanisms whose joint forces are compared with exudyn's (exudyn_forces.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

import korba as kb

SPEED = 8.0
DRIVE = "drive"


def _in_plane(name: str, rows: Any, places: Any, masses: Any, forces: Any) -> kb.Mechanism:
    joints = [
        kind(joint, parent, child, at=(*places[joint], 0), **more)
        for joint, kind, parent, child, more in rows
    ]
    bodies = [kb.Body(body, mass, (*com, 0), inertia) for body, mass, com, inertia in masses]
    drive = kb.JointDrive(DRIVE, "A", f"{SPEED}*t")
    return kb.Mechanism(name, bodies, joints, drives=[drive], forces=forces, plane="xy")


def slider_crank() -> kb.Mechanism:
    """A crank, a rod and a piston off the crank's axis, pushed back."""
    places = {"A": (0, 0), "B": (0.06, 0.08), "C": (0.06 + 0.3872983346207417, -0.02)}
    places["guide"] = places["C"]
    pin = kb.Revolute
    rows = [
        ("A", pin, "ground", "crank", {}),
        ("B", pin, "crank", "rod", {}),
        ("C", pin, "rod", "piston", {}),
        ("guide", kb.Prismatic, "ground", "piston", {"axis": (1, 0, 0)}),
    ]
    masses = [
        ("crank", 1.2, (0.02, 0.03), 0.004),
        ("rod", 0.9, (0.2, 0.04), 0.012),
        ("piston", 0.7, places["C"], 0.001),
    ]
    push = kb.PointForce("push", "piston", (-40, 0, 0), (*places["C"], 0))
    return _in_plane("slider-crank", rows, places, masses, [push])


def six_bar() -> kb.Mechanism:
    """Stephenson's chain: a four-bar, and a dyad from its coupler to the ground."""
    places = {
        "A": (0, 0),
        "B": (0.06, 0.07),
        "C": (0.3, 0.24),
        "D": (0.32, -0.02),
        "E": (0.14, 0.24),
        "F": (0.3, 0.54),
        "G": (0.45, 0.35),
    }
    ends = {
        "A": ("ground", "crank"),
        "B": ("crank", "coupler"),
        "C": ("coupler", "rocker"),
        "D": ("ground", "rocker"),
        "E": ("coupler", "link4"),
        "F": ("link4", "link5"),
        "G": ("ground", "link5"),
    }
    rows = [(name, kb.Revolute, *pair, {}) for name, pair in ends.items()]
    masses = [
        ("crank", 0.7, (0.03, 0.03), 0.0012),
        ("coupler", 1.5, (0.17, 0.18), 0.016),
        ("rocker", 0.9, (0.31, 0.11), 0.005),
        ("link4", 0.6, (0.22, 0.39), 0.0058),
        ("link5", 0.8, (0.38, 0.44), 0.0042),
    ]
    push = kb.PointForce("push", "link5", (35, -60, 0), (0.36, 0.46, 0))
    return _in_plane("six-bar", rows, places, masses, [push])


def rssr() -> kb.Mechanism:
    """Two pins across each other, two balls; the rod is thin, so that its spin carries nothing."""
    A, B = np.zeros(3), np.array([0.1, 0.0, 0.0])
    D, C = np.array([0.35, 0.1, 0.2]), np.array([0.35, 0.1, 0.5])
    u = (C - B) / np.linalg.norm(C - B)
    rod = 1e-9 * np.outer(u, u) + 0.016 * (np.eye(3) - np.outer(u, u))
    bodies = [
        kb.Body("crank", 1.0, (0.04, 0, 0), (0.0004, 0.004, 0.004)),
        kb.Body("rod", 0.9, tuple((B + C) / 2), rod.tolist()),
        kb.Body("rocker", 1.4, tuple((C + D) / 2), (0.012, 0.012, 0.0006)),
    ]
    joints = [
        kb.Revolute("A", "ground", "crank", at=tuple(A), axis=(0, 0, 1)),
        kb.Spherical("B", "crank", "rod", at=tuple(B)),
        kb.Spherical("C", "rod", "rocker", at=tuple(C)),
        kb.Revolute("D", "ground", "rocker", at=tuple(D), axis=(0, 1, 0)),
    ]
    drive = kb.JointDrive(DRIVE, "A", f"{SPEED}*t")
    return kb.Mechanism("RSSR", bodies, joints, drives=[drive])


MECHANISMS = {"slider_crank": slider_crank, "six_bar": six_bar, "rssr": rssr}
