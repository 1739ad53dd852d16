"""Write exudyn's joint forces that `make test` holds Korba to: tests/peers/forces.

Two step sizes of the trapezoidal rule are extrapolated to none. Each mechanism stands beside its
answers as Korba's own TOML file, so that the test needs no peer.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import numpy as np
from exudyn_forces import Peer
from force_models import MECHANISMS
from plain_text import text

import korba as kb

FOLDER = Path(__file__).parents[2] / "tests" / "peers" / "forces"
UNTIL, STEPS, SAMPLES = 0.3, 6000, 12


def answers(m: kb.Mechanism) -> dict[str, list[list[float]]]:
    """What holds every joint, and the drive, at samples of the time."""
    coarse, fine = (
        (peer := Peer(m)).forces(peer.run(UNTIL, steps)[:: steps // SAMPLES])
        for steps in (STEPS, 2 * STEPS)
    )
    return {name: ((4 * fine[name] - coarse[name]) / 3).tolist() for name in fine}


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, make in MECHANISMS.items():
        m = make()
        kb.save(m, FOLDER / f"{name}.toml")
        stored = {
            "made by": "benchmarks/peers/store_forces.py",
            "versions": {"exudyn": version("exudyn")},
            "method": f"trapezoidal rule of index 2, {STEPS} and {2 * STEPS} steps extrapolated",
            "times": np.linspace(0.0, UNTIL, SAMPLES + 1).tolist(),
            "forces": answers(m),
        }
        (FOLDER / f"{name}.json").write_text(text(stored) + "\n", encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()
