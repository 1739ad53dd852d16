"""Where curves touch in pictures: cam contacts and gear meshes are named there.

Such a pair has no point of its own on either body: it is where both curves are nearest to each
other, and wanders along them. Its name goes with the body on which it wanders least in the
positions shown: the carrier of wheels, the follower of a cam.
"""

from __future__ import annotations

import numpy as np

from ...spatial.rotation import Array

DENSE = np.linspace(0.0, 1.0, 241)[:, None]
"""Along a straight curve."""
SOME = 24
"""Positions at which a contact is looked for."""

Curve = tuple[int, Array]
"""The number of a body, and points (n, 3) on it."""


def calmest_place(one: Curve, two: Curve, poses: Array) -> Curve:
    """The body on which the contact of two curves wanders least, and its first place there, (3,).

    Poses are (positions, bodies, 4, 4), the base being the first body.
    """
    some = poses[np.unique(np.linspace(0, len(poses) - 1, SOME).astype(int))]
    place = np.array([_touch(_moved(one, X), _moved(two, X)) for X in some])
    R, p = some[..., :3, :3], some[..., :3, 3]
    on_bodies = np.einsum("kbji,kbj->kbi", R, place[:, None] - p)
    body = int(np.ptp(on_bodies, axis=0).max(axis=-1).argmin())
    return body, on_bodies[0, body]


def _moved(curve: Curve, X: Array) -> Array:
    body, points = curve
    if len(points) == 2:
        points = points[0] + DENSE * (points[1] - points[0])
    return np.asarray(points @ X[body, :3, :3].T + X[body, :3, 3])


def _touch(one: Array, two: Array) -> Array:
    """The middle between the nearest points of two curves."""
    apart = np.linalg.norm(one[:, None] - two[None], axis=-1)
    i, k = np.unravel_index(apart.argmin(), apart.shape)
    return np.asarray((one[i] + two[k]) / 2)
