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
        moments[i] = _rid_of_rounding(moments[i] - part, moments[i])
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
    """The part of B that lies in the space of matrices which no freedom of the joint moves.

    Lengths are counted in the link's own, so that what is nothing is so at every size.
    """
    rest, length = link.joint.drawn_coordinates, _length(B)
    rng = np.random.default_rng(7)
    columns: list[tuple[float, ...]] = []
    for _ in range(3):
        q = rest + rng.uniform(-0.4, 0.4, size=len(rest))
        S = np.array(link.joint.motion_subspace(q), dtype=float)
        S[3:] /= length
        columns += map(tuple, (S / np.abs(S).max(axis=0)).T.tolist())
    if not columns:
        return B
    D = np.diag([1 / length, 1 / length, 1 / length, 1.0])
    coordinates = np.array([(D @ B @ D)[i, j] for i, j in PAIRS])
    part = _unfelt_space(tuple(dict.fromkeys(columns))) @ coordinates
    D = np.diag([length, length, length, 1.0])
    return np.asarray(D @ np.tensordot(part, _UNITS, axes=1) @ D)


def _length(B: Array) -> float:
    """A length of the size of a link, a power of two, so that counting in it rounds nothing."""
    mass, reach = abs(B[3, 3]), np.abs(B[:3, :3]).max()
    return float(2.0 ** np.round(np.log2(reach / mass) / 2)) if mass > 0 and reach > 0 else 1.0


@lru_cache(maxsize=256)
def _unfelt_space(columns: tuple[tuple[float, ...], ...]) -> Array:
    """The projection of ten moments onto the matrices that none of the motions moves."""
    rows = []
    for w_x, w_y, w_z, *u in columns:
        hat = np.zeros((4, 4))
        hat[:3, :3], hat[:3, 3] = skew([w_x, w_y, w_z]), u
        rows.append(np.column_stack([(hat @ unit).ravel() for unit in _UNITS]))
    _, s, Vt = np.linalg.svd(np.concatenate(rows))
    space = Vt[int(np.sum(s > 1e-9)) :]
    P = space.T @ space
    whole = np.round(P)
    return np.asarray(np.where(np.abs(P - whole) < 1e-13, whole, P))


def _unit(i: int, j: int) -> Array:
    unit = np.zeros((4, 4))
    unit[i, j] = unit[j, i] = 1.0
    return unit


_UNITS = np.array([_unit(i, j) for i, j in PAIRS])


def _rid_of_rounding(B: Array, before: Array) -> Array:
    """B symmetric to the last bit, with what is left by rounding set to zero.

    Moments of mass are those of a positive form, |B_ij|^2 <= B_ii B_jj: so each is judged by its
    own two axes, and never kg beside kg m^2, or the thin side of a rod beside its length.
    """
    B = 0.5 * (B + B.T)
    size = np.sqrt(np.abs(before.diagonal()))
    return np.where(np.abs(B) <= 1e-13 * np.outer(size, size), 0.0, B)
