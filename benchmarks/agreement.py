"""Korba beside Pinocchio on every robot of example-robot-data that both can express alike.

Joints of one freedom, no couplings, base fixed, damping off; one random state each. Prints the
relative differences of inverse dynamics, mass matrix and forward dynamics, and the largest of them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio as pin
from tree_dynamics import pinocchio_order, robot_files, undamped

import korba as kb


def comparable(path: Path) -> tuple[kb.Mechanism, object] | None:
    m = undamped(kb.read_urdf(path, merge_fixed=True))
    if m.couplings or m.nv == 0 or any(joint.nv > 1 for joint in m.joints):
        return None
    try:
        return m, pin.buildModelFromUrdf(str(path))
    except ValueError:
        return None  # a file that Pinocchio's own parser refuses


def differences(m: kb.Mechanism, model: object) -> tuple[float, float, float]:
    order, data = pinocchio_order(model, m), model.createData()  # type: ignore[attr-defined]
    q, v, a = np.random.default_rng(1).uniform(-1, 1, size=(3, m.nv))
    state = [pinocchio_coordinates(model, q[order]), v[order], a[order]]
    tau = pin.rnea(model, data, *state)
    upper = np.triu(pin.crba(model, data, state[0]))
    M = upper + np.triu(upper, 1).T
    ours = kb.inverse_dynamics(m, q, v, a)
    inertia = kb.mass_matrix(m, q)[np.ix_(order, order)]
    back = kb.forward_dynamics(m, q, v, ours) if np.linalg.cond(M) < 1e12 else a
    return relative(ours[order], tau), relative(inertia, M), relative(back, a)


def pinocchio_coordinates(model: object, q: np.ndarray) -> np.ndarray:
    """Pinocchio's q: a joint without limits has the cosine and sine of its angle."""
    found = np.zeros(model.nq)  # type: ignore[attr-defined]
    for joint in list(model.joints)[1:]:  # type: ignore[attr-defined]
        x = q[joint.idx_v]
        place = slice(joint.idx_q, joint.idx_q + joint.nq)
        found[place] = (np.cos(x), np.sin(x)) if joint.nq == 2 else x
    return found


def relative(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-300))


def main() -> None:
    worst, count = np.zeros(3), 0
    for path in robot_files():
        if (pair := comparable(path)) is not None:
            found = differences(*pair)
            worst, count = np.maximum(worst, found), count + 1
            print(f"{path.stem:40s} {pair[0].nv:4d}  " + "  ".join(f"{x:.1e}" for x in found))
    print(f"{count} robots, largest: inverse {worst[0]:.1e}, M {worst[1]:.1e}, back {worst[2]:.1e}")


if __name__ == "__main__":
    main()
