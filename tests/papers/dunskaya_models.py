"""The planar chain of Dunskaya & Pyatnitsky in the coordinates of the paper: absolute angles.

A joint of Korba measures the angle between two links. The angle of a link from the vertical becomes
a coordinate through a dial: a body without mass that turns on the ground, and a coupling that makes
the joint's angle the difference of two dials.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import korba as kb

FOLDER = Path(__file__).parent / "reference"
CASES = ("dp96_chain3", "dp96_chain20")


def case(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


def chain(model, *, absolute=True, drives=None):
    """n links hanging from the ground along x, which points down; drives act in the joints."""
    n, ends = model["n"], np.concatenate([[0], np.cumsum(model["L"])])
    bodies = [
        kb.Body(f"link{i}", model["m"][i], (ends[i] + model["l"][i], 0), model["J"][i])
        for i in range(n)
    ]
    names = ["ground", *(body.name for body in bodies)]
    joints = [kb.Revolute(f"theta{i}", names[i], names[i + 1], at=(ends[i], 0)) for i in range(n)]
    couplings = []
    if absolute:
        dials = [f"q{i}" for i in range(1, n)]
        bodies += [kb.Body(f"dial of {dial}") for dial in dials]
        joints += [kb.Revolute(dial, "ground", f"dial of {dial}", at=(0, 0)) for dial in dials]
        for i, (dial, before) in enumerate(zip(dials, ["theta0", *dials], strict=False), 1):
            couplings.append(kb.Coupling(f"dial {i}", f"theta{i}", f"{dial} - {before}"))
    forces = [] if drives is None else drive_forces(drives)
    gravity = (model["g"], 0)
    return kb.Mechanism("chain", bodies, joints, couplings, forces, gravity=gravity, plane="xy")


def drive_forces(M):
    return [kb.JointForce(f"drive{i}", f"theta{i}", law=moment) for i, moment in enumerate(M)]


def forces(M):
    """Generalised forces on absolute angles: Q_i = M_i - M_(i+1)."""
    return np.array(M) - np.append(M[1:], 0.0)


def error(found, expected):
    """Largest deviation over the largest magnitude, at least 1."""
    expected = np.asarray(expected)
    return np.abs(np.asarray(found) - expected).max() / max(1.0, np.abs(expected).max())
