"""Velocities and accelerations of a serial chain, link after link (Gronowicz 3.5.1).

From link j to link k = j + 1, everything in frame 0, r = R_0j p_jk, z_k the axis of the pair:

    R  p'_k  = p'_j + w_j x r                          w_k  = w_j + z_k q'               (3.73-75)
       p''_k = p''_j + w'_j x r + w_j x (w_j x r)      w'_k = w'_j + w_k x z_k q' + z_k q'' (3.81)
    T  p'_k  as for R, and + z_k q'                    w_k  = w_j                        (3.78-79)
       p''_k as for R, and + 2 w_j x z_k q' + z_k q''  w'_k = w'_j                       (3.84-85)

In Example 3.6 the print has wrong signs in the second rows of (3.93), (3.98), (3.100) and (3.104);
the recursion itself is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...display import Displayed
from ...spatial.rotation import Array
from .position import DHLink, dh_frames


@dataclass(frozen=True, eq=False)
class LinkMotion(Displayed):
    """A link in frame 0: its frame's origin and rotation with their rates."""

    p: Array
    R: Array
    v: Array
    w: Array
    a: Array
    w_rate: Array

    def point(self, r: Any) -> tuple[Array, Array, Array]:
        """Position, velocity, acceleration of a point given in the link (3.86)-(3.88)."""
        arm = self.R @ np.asarray(r)
        across = np.cross(self.w, arm)
        bend = np.cross(self.w_rate, arm) + np.cross(self.w, across)
        return self.p + arm, self.v + across, self.a + bend


REST = LinkMotion(np.zeros(3), np.eye(3), *[np.zeros(3)] * 4)
"""The base."""


def dh_motion(links: Sequence[DHLink], q: Any, qd: Any, qdd: Any = None) -> list[LinkMotion]:
    """Motion of every link of a serial chain; without accelerations they are zero."""
    qdd = np.zeros(len(q)) if qdd is None else qdd
    found, before = [], REST
    for link, A, rate, second in zip(links, dh_frames(links, q), qd, qdd, strict=True):
        before = _next(link.pair, before, A, rate, second)
        found.append(before)
    return found


def _next(pair: str, j: LinkMotion, A: Array, rate: Any, second: Any) -> LinkMotion:
    """Link k from link j: (3.68)-(3.85)."""
    p, R = A[:3, 3], A[:3, :3]
    r, z = p - j.p, A[:3, 2]
    v = j.v + np.cross(j.w, r)
    a = j.a + np.cross(j.w_rate, r) + np.cross(j.w, np.cross(j.w, r))
    if pair == "R":
        w = j.w + z * rate
        w_rate = j.w_rate + np.cross(w, z * rate) + z * second
        return LinkMotion(p, R, v, w, a, w_rate)
    a = a + 2 * np.cross(j.w, z * rate) + z * second
    return LinkMotion(p, R, v + z * rate, j.w, a, j.w_rate)


def dh_jacobian(links: Sequence[DHLink], q: Any, point: Any = (0.0, 0.0, 0.0)) -> Array:
    """J with (velocity of a point of the last link, w) = J q', shape (6, n), linear rows first.

    A column is (z x (r_M - p), z) for R and (z, 0) for T, with z and p of the frame of the pair
    itself. The book stops at the recursion; J' q' is the recursion with q'' = 0.
    """
    frames = dh_frames(links, q)
    r_M = (frames[-1] @ np.array([*point, 1.0]))[:3]
    columns = []
    for link, A in zip(links, frames, strict=True):
        z, p = A[:3, 2], A[:3, 3]
        parts = [np.cross(z, r_M - p), z] if link.pair == "R" else [z, 0.0 * z]
        columns.append(np.concatenate(parts))
    return np.stack(columns, axis=1)
