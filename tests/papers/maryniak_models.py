"""The mechanisms of the reference files of Maryniak & Malecki: an arm and its lead-in chains."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

import korba as kb

FOLDER = Path(__file__).parent / "reference"


def reference(name):
    """A reference file."""
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


def row(step, **more):
    """A Denavit-Hartenberg row of the file's step."""
    return {
        "joint": "revolute" if step["f"] else "prismatic",
        "a": step["a"],
        "alpha": np.radians(step["alpha_deg"]),
        "theta": np.radians(step["theta0_deg"]),
        "d": step["s0"],
        **more,
    }


def mechanism(model):
    """The main chain with coordinates q1, q2, ..., and elements at the ends of lead-in chains.

    Element t is the body `element<t>`, its lead-in coordinates are `p<t>_1`, `p<t>_2`, ...
    """
    rows = [row(link, B=link["B"]) for link in model["links"]]
    arm = kb.from_dh(rows, gravity=model["g"], name="arm")
    bodies, joints, couplings = [*arm.bodies], [*arm.joints], []
    for t, element in enumerate(model["elements"], start=1):
        steps = element["chain"]
        names = [f"p{t}_{k}" for k in range(1, len(steps) + 1)]
        rows = [row(s, name=n, link=f"lead_{n}") for s, n in zip(steps, names, strict=True)]
        rows[-1] |= {"link": f"element{t}", "B": element["B"]}
        chain = kb.from_dh(rows)
        bodies += chain.bodies
        joints += chain.joints
        laws = zip(steps, names, strict=True)
        couplings += [kb.Coupling(f"lead {name}", name, step["p"]) for step, name in laws]
    return replace(arm, bodies=bodies, joints=joints, couplings=couplings)


def motors(model):
    """Names of the rotors' own coordinates, on which the motors' torques do work."""
    return [
        f"p{t}_{len(element['chain'])}"
        for t, element in enumerate(model["elements"], start=1)
        if element["motor"]
    ]


def states(file):
    """(q, v, a, expected) of every state of a file."""
    for state in file["states"]:
        q = np.radians(state["q_deg"]) if "q_deg" in state else np.array(state["q"])
        yield q, np.array(state["qd"]), np.array(state["qdd"]), state["expected"]
