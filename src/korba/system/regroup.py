"""Inertia moved to the parent where the joint cannot feel it: base parameters, found by algebra.

The moments of a link form the symmetric 4 x 4 matrix B = [[K, h], [h', m]]. A part dB of it with

    hat(s) dB = 0    for every freedom s of the joint,    hat(s) = [[w x, u], [0, 0]]

does not move against the parent whatever the joint does, so it may as well belong to the parent:
exact for joint-space dynamics and energy, not for reactions in the joint. For a revolute joint dB
holds m, h_z and K_zz, for a prismatic one all of K. Source: the condition is what the regrouping
rules of Khalil & Kleinfinger (1987) have in common, for joints of any type.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from ..spatial.rotation import Array, skew
from .tree import Link, Tree

PAIRS = [(i, j) for i in range(4) for j in range(i, 4)]
"""Places of the ten moments in B."""


def regrouped(tree: Tree) -> Tree:
    """The same tree with moments moved towards the base as far as they go."""
    moments = [inertia_matrix(link) for link in tree.links]
    for i in reversed(range(len(tree.links))):
        link = tree.links[i]
        part = _unfelt_part(link, moments[i])
        moments[i] = _clean(moments[i] - part, moments[i])
        if link.parent >= 0:
            X = (link.X_PF @ link.joint.pose(link.joint.drawn_coordinates)).matrix().astype(float)
            moments[link.parent] = moments[link.parent] + X @ part @ X.T
    links = [
        replace(link, mass=float(B[3, 3]), h=B[:3, 3], K=B[:3, :3])
        for link, B in zip(tree.links, moments, strict=True)
    ]
    return replace(tree, links=tuple(links))


def inertia_matrix(link: Link) -> Array:
    """B of a link in the frame of its joint: the integral of r r' dm, r = (x, y, z, 1)."""
    column = np.reshape(link.h, (3, 1))
    return np.block([[link.K, column], [column.T, np.array([[link.mass]])]])


def _unfelt_part(link: Link, B: Array) -> Array:
    """The part of B that lies in the space of matrices which no freedom of the joint moves."""
    rest = link.joint.drawn_coordinates
    rng = np.random.default_rng(7)
    columns: list[tuple[float, ...]] = []
    for _ in range(3):
        q = rest + rng.uniform(-0.4, 0.4, size=len(rest))
        S = np.asarray(link.joint.motion_subspace(q), dtype=float)
        columns += map(tuple, S.T.tolist())
    if not columns:
        return B
    space = _unfelt_space(tuple(dict.fromkeys(columns)))
    coordinates = np.array([B[i, j] for i, j in PAIRS])
    part = space.T @ (space @ coordinates)
    return np.tensordot(part, _UNITS, axes=1)


@lru_cache(maxsize=256)
def _unfelt_space(columns: tuple[tuple[float, ...], ...]) -> Array:
    """The ten moments, in rows, of the matrices that none of the motions moves."""
    rows = []
    for w_x, w_y, w_z, *u in columns:
        hat = np.zeros((4, 4))
        hat[:3, :3], hat[:3, 3] = skew([w_x, w_y, w_z]), u
        rows.append(np.column_stack([(hat @ unit).ravel() for unit in _UNITS]))
    _, s, Vt = np.linalg.svd(np.concatenate(rows))
    return np.asarray(Vt[int(np.sum(s > 1e-9)) :])


def _unit(i: int, j: int) -> Array:
    unit = np.zeros((4, 4))
    unit[i, j] = unit[j, i] = 1.0
    return unit


_UNITS = np.array([_unit(i, j) for i, j in PAIRS])


def _clean(B: Array, before: Array) -> Array:
    """B symmetric to the last bit, with what is left by rounding set to zero."""
    B = 0.5 * (B + B.T)
    return np.where(np.abs(B) <= 1e-13 * np.abs(before).max(initial=0.0), 0.0, B)
