"""Joint forces over a cycle of a six-bar: without and with friction, many designs, beside exudyn.

The motion is given; 3,600 positions in one call, from Python after compilation, no warm start.
exudyn has no inverse dynamics of loops: its forces come with a simulation of the same cycle in as
many steps (trapezoidal rule of index 2, its own settings for the rest). Processor time, best of
several runs, both in turns in one run on one core.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from closed_motion import best

import korba as kb

sys.path.append(str(Path(__file__).parent / "peers"))
from force_models import SPEED, six_bar

POSITIONS = 3600
TURN = 2 * np.pi / SPEED
DESIGNS = 1000


def rough(m: kb.Mechanism) -> kb.Mechanism:
    """The mechanism with friction in all its pins."""
    friction = kb.Friction(coefficient=0.1, radius=0.01)
    return replace(m, joints=[replace(joint, friction=friction) for joint in m.joints])


def cycle() -> dict[str, float]:
    """Milliseconds for all positions of a turn, ours and exudyn's in turns."""
    m = six_bar()
    t = np.linspace(0.0, TURN, POSITIONS, endpoint=False)
    motion, with_friction = kb.motion(m, t), rough(m)
    q, v, a = motion.q, motion.v, motion.a
    questions = {
        "motion": lambda: kb.motion(m, t),
        "driving forces": lambda: kb.driving_forces(m, q, v, a),
        "forces": lambda: kb.reactions(m, q, v, a),
        "forces with friction": lambda: kb.reactions(with_friction, q, v, a, friction=True),
    }
    if find_spec("exudyn") is not None:
        from exudyn_forces import Peer

        peer = Peer(m)
        questions["exudyn"] = lambda: peer.solve(TURN, POSITIONS)
    times = dict.fromkeys(questions, np.inf)
    for question in questions.values():
        question()
    for _ in range(5):
        for name, question in questions.items():
            times[name] = min(times[name], best(question, 1 if name == "exudyn" else 3))
    return times


def designs() -> float:
    """Milliseconds for the forces of 1,000 four-bars over 360 positions each, sizes as inputs."""
    m = kb.linkages.four_bar(0.2, 0.6, 0.6, 0.8, at="90 deg")
    m = replace(m, bodies=[replace(body, mass=1.0, inertia=0.02) for body in m.bodies])
    rng = np.random.default_rng(0)
    sizes = {"b": rng.uniform(0.58, 0.62, DESIGNS), "c": rng.uniform(0.58, 0.62, DESIGNS)}
    motion = kb.motion(m, np.linspace(0.0, 1.0, 360), parameters=sizes)
    q, v, a = motion.q, motion.v, motion.a
    return best(lambda: kb.reactions(m, q, v, a, parameters=motion.parameters), 4)


def table() -> str:
    times = cycle()
    rows = ["| six-bar, 3,600 positions | ms | of exudyn |", "|---|---|---|"]
    goals = {"forces": " (2)", "forces with friction": " (50)"}
    for name, ms in times.items():
        ratio = f"{times['exudyn'] / ms:.0f} x" if "exudyn" in times and name != "exudyn" else ""
        rows.append(f"| {name} | {ms:.2f}{goals.get(name, '')} | {ratio} |")
    rows.append(f"| forces of {DESIGNS:,} four-bars x 360 positions | {designs():.0f} | |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(table())
