"""Forward kinematics of parallel robots: CPU time of a pose in a batch, after compilation.

Run from the repository's root:  python benchmarks/parallel_robots.py
"""

from __future__ import annotations

import runpy
import time
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import korba as kb

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "parallel"
COUNT = 20_000
REPEATS = 5


def cpu_seconds(task):
    """Least CPU time of a few runs, after one that compiles."""
    task()
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        task()
        times.append(time.process_time() - start)
    return min(times)


def report(name, m, values, expected):
    """Time and error of the forward kinematics of all values."""
    positions = kb.assemble(m, values)
    error = np.abs(positions.pose("platform")[:, :3, 3] - expected).max()
    seconds = cpu_seconds(lambda: kb.assemble(m, values))
    poses = cpu_seconds(lambda: positions.pose("platform"))
    print(
        f"{name:<18} {1e6 * seconds / COUNT:8.2f} us a configuration, "
        f"{1e6 * poses / COUNT:6.2f} us for the platform's pose, error {error:.1e} m"
    )


def main():
    rng = np.random.default_rng(0)
    parts = runpy.run_path(str(FOLDER / "stewart.py"))
    for reach, turn in ((0.05, 0.1), (0.2, 0.3)):
        p = parts["HOME"] + rng.uniform(-reach, reach, size=(COUNT, 3))
        R = Rotation.from_rotvec(rng.uniform(-turn, turn, size=(COUNT, 3))).as_matrix()
        legs = np.array([*map(parts["lengths"], p, R)]) - parts["home"]
        values = {f"leg {i + 1}": legs[:, i] for i in range(6)}
        report(f"Stewart +-{reach} m", parts["m"], values, p)
    parts = runpy.run_path(str(FOLDER / "delta.py"))
    p = parts["HOME"] * parts["UP"] + rng.uniform(-0.12, 0.12, size=(COUNT, 3))
    angles = np.array([parts["angles"](each) for each in p]) - parts["DROOP"]
    values = {f"A{i + 1}": angles[:, i] for i in range(3)}
    report("Delta +-0.12 m", parts["m"], values, p)


if __name__ == "__main__":
    main()
