"""Random four-bars whose crank goes round, by their lengths."""

from __future__ import annotations

import numpy as np

import korba as kb


def lengths(rng):
    """Crank, coupler, rocker and base: the crank and the longest are shorter than the others."""
    while True:
        a, *rest = rng.uniform([0.02, 0.05, 0.05, 0.05], [0.05, 0.15, 0.15, 0.15])
        if a + max(rest) < 0.95 * (sum(rest) - max(rest)):
            return [float(x) for x in (a, *rest)]


def crank_rocker(seed, **more):
    """One of any lengths, with rods of a random density, drawn at a random angle of its crank."""
    rng = np.random.default_rng([11, seed])
    own = {"at": rng.uniform(0, 2 * np.pi), "density": rng.uniform(0.5, 3)} | more
    return kb.linkages.four_bar(*lengths(rng), **own)
