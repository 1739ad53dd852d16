"""Motions that move no mass: which velocities take part in them, and where they spoil M.

Of an opened tree M may be singular although every freedom of the closed mechanism moves some mass:
a thin rod on a ball has no moment about itself, and a point mass at the end of three pins leaves
one of them nothing. Which motions these are does not depend on how heavy the links are, so all
count as one heavy: a load of 1e12 kg does not make the others nothing. Nor does it depend on how
long they are: energies are those of lengths in typical lengths.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..spatial.rotation import Array
from ..system.decisions import decision
from ..system.system import System, system_of
from ..system.tree import Link, Tree
from .composite_body import mass_matrix

NOTHING = 1e-13
"""Eigenvalue of the scaled mass matrix that counts as zero."""


def even(system: System) -> System:
    """The system with links of one mass; those without any stay as they are."""
    scale = system.scale
    links = tuple(_of_one(link, scale) for link in system.tree.links)
    return replace(system, tree=replace(system.tree, links=links))


def _of_one(link: Link, scale: float) -> Link:
    """A link with its mass made 1, or without mass its largest moment that of 1 at the typical
    length; without any as it is.
    """
    size = link.mass or float(np.abs(link.K).max()) / scale**2 or 1.0
    return replace(link, mass=link.mass / size, h=link.h / size, K=link.K / size)


def idle_velocities(tree: Tree, M: Array) -> tuple[str, ...]:
    """The velocities that take part in a motion without kinetic energy."""
    size = np.sqrt(np.maximum(M.diagonal(), 0.0))
    idle = size <= 1e-100
    if not idle.any():
        values, vectors = np.linalg.eigh(M / np.outer(size, size))
        idle = np.any(np.abs(vectors[:, values < NOTHING]) > 1e-3, axis=1)
    return tuple(tree.velocities[i] for i, free in zip(tree.free_v, idle, strict=True) if free)


@decision
def leaves_singular(system: System) -> bool:
    """Whether light bodies leave M singular beyond its zero rows, where nothing is special."""
    own = system_of(system.in_numbers) if system.parameters else system
    if not any(is_light(link, own.m.plane is not None) for link in own.tree.links):
        return False
    rng = np.random.default_rng(3)
    moved = [
        joint.normalised(joint.drawn_coordinates + 0.35 * rng.normal(size=joint.nq))
        for joint in own.tree.m.joints
    ]
    q = np.concatenate([np.zeros(0), *moved])[list(own.tree.free_q)]
    M = np.asarray(mass_matrix(even(own), q), dtype=float)
    kept = np.flatnonzero(M.diagonal() > 1e-200)
    size = np.sqrt(M.diagonal()[kept])
    scaled = M[np.ix_(kept, kept)] / np.outer(size, size)
    return bool(np.any(np.linalg.eigvalsh(scaled) < NOTHING))


def is_light(link: Link, planar: bool) -> bool:
    """Whether a body has no mass, or no moment of inertia about some axis."""
    if not link.mass:
        return True
    c = link.h / link.mass
    K = link.K - link.mass * np.outer(c, c)
    J = np.trace(K) * np.eye(3) - K
    normal = link.X_BL.R.T[:, 2]
    least = normal @ J @ normal if planar else np.linalg.eigvalsh(J)[0]
    return bool(least <= NOTHING * np.trace(link.K))
