"""Korba beside Pinocchio on every robot of example-robot-data, and beside MuJoCo on some.

Base fixed and base free; inverse and forward dynamics, mass matrix, Jacobians of the tips, centre
of mass, energies, momentum, and the derivatives of inverse and forward dynamics. The error of an
array is its largest difference over its largest entry; of accelerations and their derivatives this
is divided by the condition number of M, because M is where the two sides' roundings grow. (What
may cancel is set against its natural size where that is larger: the potential energy against
m g |c|, derivatives by q and v against the forces or accelerations.) Everything must be within
TOLERANCE, what is divided by the condition number within SCALED; where joints move massless links M
has no inverse and this part is left out. Prints a table and exits with 1 otherwise.

    python compare.py [names of robots] [--quick]      (--quick: no derivatives)
"""

from __future__ import annotations

import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from conventions import Pinocchio, mujoco_pair, pinocchio_pair
from quantities import (
    Answers,
    State,
    is_regular,
    our_accelerations,
    our_slopes,
    ours,
    their_slopes,
    theirs,
)
from robots import random_state, robot_files, urdf

import korba as kb

TOLERANCE = 1e-12
SCALED = 1e-13
STATES = 2
LARGEST = 20  # freedoms of a robot with a free base whose derivatives are compared too
MUJOCO = [("ur5_robot", False), ("xarm7", False), ("z1", False), ("talos_reduced", False)]
MUJOCO += [("go2", True), ("g1_29dof_rev_1_0", True), ("simple_humanoid", True)]
SLOPES = ("dID/dq", "dID/dv", "dFD/dq", "dFD/dv")
COLUMNS = ("inverse", "forward*", "mass", "jacobian", "centre", "energy", "momentum", "dID", "dFD*")


def column(quantity: str) -> str:
    if quantity.startswith(("dID", "dFD")):
        return "dFD*" if quantity.startswith("dFD") else "dID"
    if quantity == "centre of mass":
        return "centre"
    return next(c for c in COLUMNS if c.rstrip("*") in quantity)


def error(found: np.ndarray, expected: np.ndarray, scale: float = 0.0) -> float:
    size = max(float(np.abs(expected).max(initial=0.0)), scale, 1e-300)
    return float(np.abs(found - expected).max(initial=0.0)) / size


def natural_sizes(expected: Answers, weight: float) -> dict[str, float]:
    """Sizes to set against where the quantity itself may cancel or vanish."""
    tau = float(np.abs(expected["inverse dynamics"]).max())
    a = float(np.abs(expected.get("forward dynamics", np.zeros(1))).max())
    sizes = {name: tau if name.startswith("dID") else a for name in SLOPES}
    return sizes | {"potential energy": weight}


def errors(found: Answers, expected: Answers, weight: float) -> dict[str, float]:
    """The worst error of every column."""
    condition, worst = np.linalg.cond(expected["mass matrix"]), dict[str, float]()
    sizes = natural_sizes(expected, weight)
    for name in expected:
        which = column(name)
        e = error(found[name], expected[name], sizes.get(name, 0.0))
        worst[which] = max(worst.get(which, 0.0), e / condition if which.endswith("*") else e)
    return worst


def compared(pair: Pinocchio, state: State, slopes: bool) -> dict[str, float]:
    found, expected = ours(pair, state), theirs(pair, state)
    regular = is_regular(expected["mass matrix"])
    if regular:
        found |= our_accelerations(pair, state)
    if slopes:
        found |= our_slopes(pair, state, regular)
        expected |= their_slopes(pair, state, regular)
    mass, centre = pair.centre_of_mass()
    return errors(found, expected, mass * 9.81 * float(np.linalg.norm(centre)))


def largest(parts: list[dict[str, float]]) -> dict[str, float]:
    return {key: max(part.get(key, 0.0) for part in parts) for part in parts for key in part}


def missed(worst: dict[str, float]) -> list[str]:
    """Columns outside their tolerance; a nan is outside."""
    return [c for c, e in worst.items() if not e <= (SCALED if c.endswith("*") else TOLERANCE)]


def line(name: str, nv: int | str, worst: dict[str, float]) -> str:
    cells = [f"{worst[c]:8.1e}" if c in worst else f"{'-':>8}" for c in COLUMNS]
    return f"{name:34s} {nv:>4} " + " ".join(cells)


def pinocchio_lines(paths: list[Path], floating: bool, slopes: bool) -> dict[str, float]:
    """Prints a line for each robot; the worst of all."""
    print(f"\nPinocchio, base {'free' if floating else 'fixed'}:")
    print(f"{'':34s} {'nv':>4} " + " ".join(f"{c:>8}" for c in COLUMNS))
    everything, count = [], 0
    for path in paths:
        pair = pinocchio_pair(path, floating)
        if pair is None or pair.m.nv == 0:
            print(
                f"{path.stem:34s} {'-':>4} ({'nothing moves' if pair else 'refused by Pinocchio'})"
            )
            continue
        states = [random_state(pair.m, seed) for seed in range(STATES)]
        wanted = slopes and not (floating and pair.m.nv > LARGEST)
        worst = largest([compared(pair, s, wanted and i == 0) for i, s in enumerate(states)])
        everything.append(worst)
        count += 1
        late = f"   <-- {', '.join(missed(worst))}" if missed(worst) else ""
        print(line(path.stem, pair.m.nv, worst) + late, flush=True)
    total = largest(everything)
    print(line(f"largest of {count} robots", "", total))
    return total


def mujoco_lines() -> dict[str, float]:
    """Mass matrix and bias forces."""
    print("\nMuJoCo: mass matrix, bias forces")
    everything = []
    for name, floating in MUJOCO:
        pair = mujoco_pair(urdf(name), floating)
        state = random_state(pair.m, 0)
        M, h = pair.answers(state["q"], state["v"])
        found = kb.mass_matrix(pair.m, state["q"]), kb.bias_forces(pair.m, state["q"], state["v"])
        worst = {"mass": error(found[0], M), "inverse": error(found[1], h)}
        everything.append(worst)
        base = "free" if floating else "fixed"
        print(f"{name + ', base ' + base:39s} {worst['mass']:8.1e} {worst['inverse']:8.1e}")
    return largest(everything)


def main(arguments: list[str]) -> int:
    start = time.perf_counter()
    names = [a for a in arguments if not a.startswith("--")]
    paths = [p for p in robot_files() if not names or p.stem in names]
    peers = ("korba", "pin", "mujoco", "example-robot-data")
    print(", ".join(f"{package} {version(package)}" for package in peers))
    print(f"tolerance {TOLERANCE:.0e}; columns with *, divided by cond(M), {SCALED:.0e}")
    slopes = "--quick" not in arguments
    totals = [pinocchio_lines(paths, floating, slopes) for floating in (False, True)]
    totals.append(mujoco_lines())
    late = sorted({c for total in totals for c in missed(total)})
    minutes = (time.perf_counter() - start) / 60
    verdict = f"outside the tolerance: {', '.join(late)}" if late else "all within tolerance"
    print(f"\n{verdict} ({minutes:.1f} min)")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
