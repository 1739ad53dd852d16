"""Motions with negative kinetic energy, where bodies have masses that no real body has.

A sum of J_b' I_b J_b over bodies has no negative eigenvalue as long as no I_b has one. A body that
is kept `as_given` may: a housing of which a rotor was taken off that weighs more than it does. Then

    v'M v < 0                                                                              (1)

may hold for some velocities v that loops and drives allow: the eigenvector of a negative eigenvalue
of M, scaled by its diagonal. It names the joints, and the energies of (1) body by body name those
that make it so. Where nobody makes it so, M is definite, and the motion is that of no real
mechanism, but determined.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..spatial.rotation import Array
from ..system.system import System
from ..system.tree import Link
from .composite_body import mass_matrix

NEGATIVE = -1e-12
"""Eigenvalue of the scaled mass matrix from which on it is none of rounding."""
TAKES_PART = 1e-3
"""Share of the eigenvector of a velocity that is named."""


class NegativeMotion(NamedTuple):
    """A motion with negative kinetic energy."""

    velocities: tuple[str, ...]
    """Those that take part, the largest first."""
    bodies: tuple[str, ...]
    """Those whose energies are negative in it, the most negative first."""


def negative_moment(link: Link, planar: bool) -> float:
    """The least moment of inertia of a link about its centre of mass, if negative; else 0."""
    centre = np.outer(link.h, link.h) / link.mass if link.mass else 0.0
    K = link.K - centre
    J = np.trace(K) * np.eye(3) - K
    normal = link.X_BL.R.T[:, 2]
    least = float(normal @ J @ normal if planar else np.linalg.eigvalsh(J)[0])
    return least if least < NEGATIVE * float(np.abs(link.K).max()) else 0.0


def impossible(system: System) -> bool:
    """Whether a link has a negative mass or moment of inertia."""
    planar = system.m.plane is not None
    return any(link.mass < 0 or negative_moment(link, planar) for link in system.tree.links)


def negative_motion(system: System, q: Array, N: Array | None = None) -> NegativeMotion | None:
    """A motion with (1) at a position, among those with v = N y; None where there is none."""
    N = np.eye(system.tree.nv) if N is None else N
    M = N.T @ np.asarray(mass_matrix(system, q), dtype=float) @ N
    size = np.sqrt(np.abs(M.diagonal()))
    size = np.where(size > 1e-100, size, 1.0)
    values, vectors = np.linalg.eigh(M / np.outer(size, size))
    if not len(values) or not values[0] < NEGATIVE:
        return None
    v = N @ (vectors[:, 0] / size)
    energies = {name: T for name, T in _energies(system, q, v) if T < 0}
    return NegativeMotion(_names(system, q, v), tuple(sorted(energies, key=lambda b: energies[b])))


def _names(system: System, q: Array, v: Array) -> tuple[str, ...]:
    """The velocities that take part, by what each of them alone would have of energy."""
    own = np.abs(np.asarray(mass_matrix(system, q), dtype=float).diagonal())
    shares = np.abs(v) * np.sqrt(np.where(own > 0, own, own.max(initial=1.0)))
    order = [int(i) for i in np.argsort(-shares) if shares[i] > TAKES_PART * shares.max()]
    return tuple(system.tree.velocities[system.tree.free_v[i]] for i in order)


def _energies(system: System, q: Array, v: Array) -> Iterator[tuple[str, float]]:
    """v'M v of every body alone."""
    links = system.tree.links
    none = tuple(replace(link, mass=0.0, h=0.0 * link.h, K=0.0 * link.K) for link in links)
    for i, link in enumerate(links):
        alone = replace(system.tree, links=(*none[:i], link, *none[i + 1 :]))
        M = np.asarray(mass_matrix(replace(system, tree=alone), q), dtype=float)
        yield link.name, float(v @ M @ v)
