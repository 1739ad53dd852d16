"""Reference solutions of elements, computed apart from the library (tests/dynamics/elements)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import korba as kb

HERE = Path(__file__).parent / "elements"
EXACT = kb.Method("dop853", rtol=1e-12, atol=1e-13)


def reference(name: str) -> dict[str, Any]:
    """One of the files."""
    return dict(json.loads((HERE / f"{name}.json").read_text()))


def ball(name: str, mass: float, at: Any, inertia: float = 0.0) -> kb.Body:
    """A ball with its middle at a place of the drawing; its inertia moves nothing else."""
    return kb.Body(name, mass, com=tuple(at), inertia=inertia)


def pendulum(known: dict[str, Any], inertia: float = 0.0) -> kb.Mechanism:
    """E1: a ball on a rod from the origin."""
    d, angle = known["data"]["pendulum"], known["initial"]["pendulum"]["angle"]
    p = d["L"] * np.array([np.sin(angle), -np.cos(angle)])
    rod = kb.Rod("AB", "ground", "ball", at=(0, 0), to=tuple(p))
    return kb.Mechanism("pendulum", [ball("ball", d["m"], p, inertia)], [rod], plane="xy")


def thrown_pair(known: dict[str, Any], inertia: float = 0.0) -> kb.Mechanism:
    """E1: two balls on a rod, without a base: the first hangs on three freedoms of its own."""
    d, start = known["data"]["pair"], known["initial"]["pair"]
    one, two = (np.array(start[key]) for key in ("p1", "p2"))
    joints = [
        kb.Planar("O", "ground", "one", at=tuple(one)),
        kb.Rod("R", "one", "two", at=tuple(one), to=tuple(two)),
    ]
    bodies = [ball("one", d["m1"], one, inertia), ball("two", d["m2"], two, inertia)]
    return kb.Mechanism("thrown pair", bodies, joints, plane="xy")


def rods_of_four_bar(known: dict[str, Any], inertia: float = 0.0) -> kb.Mechanism:
    """E1: three rods between two bearings and two balls."""
    d = known["data"]["four_bar"]
    B, C = np.reshape(known["results"]["four_bar"][0][2:6], (2, 2))
    bodies = [ball("B", d["m_B"], B, inertia), ball("C", d["m_C"], C, inertia)]
    joints = [
        kb.Rod("AB", "ground", "B", at=(0, 0), to=tuple(B)),
        kb.Rod("BC", "B", "C", at=tuple(B), to=tuple(C)),
        kb.Rod("CD", "ground", "C", at=(d["x_D"], 0), to=tuple(C)),
    ]
    return kb.Mechanism("rods", bodies, joints, plane="xy")
