"""Write the answers that `make test` holds Korba to, for a dozen robots: tests/peers/answers.

Each robot is kept as Korba's own TOML file, numbers to the last bit, so that the test needs neither
the peers nor the robots' files. Beside it stand states and Pinocchio's answers at them, in Korba's
terms (see conventions.py), with the versions that made them.
"""

from __future__ import annotations

from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import numpy as np
from conventions import Pinocchio, mujoco_pair, pinocchio_pair
from plain_text import text
from quantities import Answers, their_slopes, theirs
from robots import random_state, tip, urdf

import korba as kb

FOLDER = Path(__file__).parents[2] / "tests" / "peers" / "answers"
ROBOTS = [
    ("ur5_robot", False),
    ("xarm7", False),
    ("z1", False),
    ("kinova", False),  # joints without limits
    ("panda", False),  # mimic fingers
    ("so101", False),
    ("allegro_left_hand", False),
    ("double_pendulum_continuous", False),
    ("baxter", True),  # mimic and a free base
    ("bolt", True),
    ("go2", True),
    ("solo12", True),
    ("simple_humanoid", True),
]
DIFFERENTIATED = 12  # freedoms of the largest robot whose derivatives are stored
MUJOCO = ("ur5_robot", "xarm7", "z1", "go2", "simple_humanoid")
STATES = 2


def plain(answers: Answers) -> dict[str, object]:
    """Arrays as lists of numbers, symmetric matrices as their lower half, row by row."""
    found = {}
    for name, x in answers.items():
        half = name in ("mass matrix", "dFD/dtau")
        found[name] = x[np.tril_indices(len(x))].tolist() if half else np.ravel(x).tolist()
    return found


def answers(pair: Pinocchio, seed: int, name: str) -> dict[str, object]:
    state = random_state(pair.m, seed)
    found = theirs(pair, state)
    if seed == 0 and pair.m.nv <= DIFFERENTIATED:
        found |= their_slopes(pair, state)
    stored: dict[str, object] = {"state": plain(state), "pinocchio": plain(found)}
    if name in MUJOCO and seed == 0:
        M, h = mujoco_pair(urdf(name), pair.floating).answers(state["q"], state["v"])
        stored["mujoco"] = plain({"mass matrix": M, "bias forces": h})
    return stored


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, floating in ROBOTS:
        pair = pinocchio_pair(urdf(name), floating)
        assert pair is not None
        kb.save(pair.m, FOLDER / f"{name}.toml")
        stored = {
            "made by": "benchmarks/peers/store.py",
            "versions": {p: version(p) for p in ("pin", "mujoco", "example-robot-data")},
            "sha256 of the URDF file": sha256(urdf(name).read_bytes()).hexdigest(),
            "base": "free" if floating else "fixed",
            "jacobian of": tip(pair.m),
            "answers": [answers(pair, seed, name) for seed in range(STATES)],
        }
        (FOLDER / f"{name}.json").write_text(text(stored) + "\n")
        print(f"wrote {name}")


if __name__ == "__main__":
    main()
