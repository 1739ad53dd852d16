"""Velocities and accelerations of a whole group from simultaneous linear equations.

The equations are those of the mechanism with every body free and every joint a tie
(course/absolute/equations.py), of the group's joints and of the drives on it:

    Phi_x x' = -Phi_t,     Phi_x x'' = gamma                                     (3.52), (3.57)

Unknown are the rates of the group's bodies and of its joints' own coordinates; those of bodies
that are known already go to the right.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...model.drive import Drive
from ...model.joint import Joint
from ...spatial.rotation import Array
from ...system.loose import loosened
from ..absolute.equations import Equations
from .instant import Instant
from .rates import PointRate, Rate, about

RANK = 1e-10


def simultaneous(
    now: Instant, bodies: tuple[str, ...], joints: list[Joint], known: Mapping[str, Rate]
) -> dict[str, Rate] | None:
    """Motions of some bodies, or None where these joints and drives do not determine them."""
    equations = Equations(loosened(now.m), compiled=False)
    system = equations.system
    drives = [drive for drive in now.m.drives if _concerns(drive, bodies, joints)]
    owners = {joint.name for joint in joints} | {drive.name for drive in drives}
    rows = [i for i, owner in enumerate(equations.owners) if owner in owners]
    links = {link.name: link for link in system.tree.links}
    ties = [tie for tie in system.ties if tie.joint.name in owners]
    unknown = [i for name in bodies for i in range(*links[name].v.indices(system.tree.nv))]
    unknown += [i for tie in ties for i in range(tie.v.start, tie.v.stop)]
    x, v, a = _state(now, equations, known)
    at = equations.at(x, v, now.t)
    first = _solved(at.phi_q[rows], -at.phi_t[rows], v, unknown)
    if first is None:
        return None
    at = equations.at(x, first, now.t)
    second = _solved(at.phi_q[rows], at.gamma[rows], a, unknown)
    if second is None:
        return None
    return {name: _rate(now, name, first[links[name].v], second[links[name].v]) for name in bodies}


def _concerns(drive: Drive, bodies: tuple[str, ...], joints: list[Joint]) -> bool:
    if drive.coordinate is not None:
        return drive.coordinate in {name for joint in joints for name in joint.coordinates()}
    return any(getattr(drive, key) in bodies for key in drive.bodies)


def _state(
    now: Instant, equations: Equations, known: Mapping[str, Rate]
) -> tuple[Array, Array, Array]:
    """All coordinates at an instant, and the rates and second rates that are known."""
    tree = equations.system.tree
    x, v, a = np.zeros(tree.nq), np.zeros(tree.nv), np.zeros(tree.nv)
    for link in tree.links:
        X = now.X_WB[link.name]
        x[link.q] = [X.p[0], X.p[1], np.arctan2(X.R[1, 0], X.R[0, 0])]
        if link.name in known:
            rate, p = known[link.name], np.asarray(X.p[:2], dtype=float)
            v[link.v] = [*rate.velocity(p), rate.w]
            a[link.v] = [*rate.acceleration(p), rate.e]
    for tie in equations.system.ties:
        x[tie.q] = now.q[tie.joint.name]
    return x, v, a


def _solved(A: Array, b: Array, known: Array, unknown: list[int]) -> Array | None:
    """The rates x with A x = b where some are known; None if that does not determine them."""
    b = b - A @ np.where(np.isin(np.arange(len(known)), unknown), 0.0, known)
    A = A[:, unknown]
    scale = np.linalg.norm(A, axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    x, _, rank, _ = np.linalg.lstsq(A / scale, b, rcond=RANK)
    if rank < len(unknown):
        return None
    whole = known.copy()
    whole[unknown] = x / scale
    return whole


def _rate(now: Instant, body: str, v: Array, a: Array) -> Rate:
    """The motion of a body about the world's origin from that of its own."""
    pin = PointRate(np.asarray(now.X_WB[body].p[:2], dtype=float), v[:2], a[:2])
    return about(pin, float(v[2]), float(a[2]))
