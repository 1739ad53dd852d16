"""Where driven motion ends: a fold of the path, found exactly.

Near a dead point the drives' coordinate x reaches an extreme value along the curve of closed
positions. With the arc length s as parameter the curve goes on: its tangent (q', t') is the null
vector of [J  -f'], and the dead point is where t' changes sign,

    [J  -f'] (v, t') = 0,   |(v, t')| = 1,   t'(s) = 0
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import DeadPointError
from ...kinematics.couplings import all_coordinates
from ...spatial.rotation import Array
from .branch import Nodes
from .loop_system import LoopSystem, moved


def dead_point(system: LoopSystem, nodes: Nodes, motion: Any) -> DeadPointError:
    """The error of a motion that cannot go on, with the place where it ends."""
    t, q = located(
        system, nodes.q[-1], float(nodes.s[-1]), float(np.sign(nodes.s[-1] - nodes.s[0]) or 1)
    )
    values = dict(zip(system.tree.coordinates, all_coordinates(system.tree, q), strict=True))
    driven = ", ".join(
        f"{drive.joint} = {values[drive.joint]:.9g}"
        for drive in system.drives
        if hasattr(drive, "joint") and drive.joint in values
    )
    stuck = _stuck(system, q, t)
    return DeadPointError(
        f"mechanism {system.m.name!r} comes to a dead point at t = {t:.9g} s"
        + (f" ({driven})" if driven else "")
        + f": its drives cannot move it further; {stuck} would have to move without them",
        t=t,
        values={name: float(value) for name, value in values.items()},
        motion=motion,
    )


def located(system: LoopSystem, q: Array, t: float, ahead: float) -> tuple[float, Array]:
    """Time and position of the dead point next to a position, by bisection in the arc length."""
    here = (q, t)
    tangent = _tangent(system, here, None)
    if tangent[-1] * ahead < 0:
        tangent = -tangent
    h = 1e-4
    for _ in range(200):
        after = _corrected(system, here, tangent, h)
        new = None if after is None else _tangent(system, after, tangent)
        if after is None or new is None:
            h *= 0.5
            if h < 1e-12:
                return here[1], here[0]
            continue
        if new[-1] * ahead <= 0:
            return _bisected(system, here, tangent, h, ahead)
        here, tangent, h = after, new, min(2 * h, 0.05)
    return here[1], here[0]


State = tuple[Array, float]


def _bisected(
    system: LoopSystem, here: State, tangent: Array, h: float, ahead: float
) -> tuple[float, Array]:
    """Where t' = 0 between two positions, t' being nearly linear there."""
    low, high, best = 0.0, h, here
    for _ in range(60):
        middle = 0.5 * (low + high)
        after = _corrected(system, here, tangent, middle)
        if after is None:
            break
        best = after
        slope = _tangent(system, after, tangent)[-1] * ahead
        low, high = (middle, high) if slope > 0 else (low, middle)
        if high - low < 1e-13:
            break
    return best[1], best[0]


def _matrix(system: LoopSystem, at: State) -> tuple[Array, Array]:
    """Residual, and [J  dPhi/dt] without units."""
    q, t = at
    wanted = np.zeros(system.wanted)
    phi, J = system.gaps(q, wanted, np.array([t, 1.0]))
    step = 1e-6 * max(1.0, abs(t))
    later, before = (
        system.gaps(q, wanted, np.array([t + sign * step, 1.0]))[0] for sign in (1, -1)
    )
    by_t = (later - before) / (2 * step)
    A = np.column_stack([J * system.units, by_t]) / system.size[:, None]
    return phi / system.size, A


def _tangent(system: LoopSystem, at: State, before: Array | None) -> Array:
    """Unit null vector of [J  dPhi/dt], continuing the direction before."""
    A = _matrix(system, at)[1]
    vector = np.linalg.svd(A)[2][-1]
    if before is not None and vector @ before < 0:
        vector = -vector
    return np.asarray(vector)


def _corrected(system: LoopSystem, at: State, tangent: Array, h: float) -> State | None:
    """The closed position a distance h along the tangent."""
    q, t = _moved(system, at, h * tangent)
    for _ in range(8):
        phi, A = _matrix(system, (q, t))
        x = np.linalg.lstsq(np.vstack([A, tangent]), np.append(-phi, 0.0), rcond=None)[0]
        q, t = _moved(system, (q, t), x)
        size = float(np.abs(x).max())
        if size < 1e-12:
            return q, t
        if not size < 1.0:
            return None
    return (q, t) if size < 1e-9 else None


def _moved(system: LoopSystem, at: State, x: Array) -> State:
    q = np.asarray(moved(system.tree, at[0], x[:-1] * system.units), dtype=float)
    return q, float(at[1] + x[-1])


def _stuck(system: LoopSystem, q: Array, t: float) -> str:
    """Coordinates that move most in the motion that the drives do not feel."""
    J = system.gaps(q, np.zeros(system.wanted), np.array([t, 0.0]))[1]
    vector = np.abs(np.linalg.svd(J / system.size[:, None] * system.units)[2][-1])
    names = [system.tree.velocities[i] for i in system.tree.free_v]
    order = np.argsort(-vector)
    return ", ".join(names[i] for i in order[:3] if vector[i] > 0.1 * vector[order[0]])
