"""Small motions of random mechanisms with loops against differences of their accelerations."""

from __future__ import annotations

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose
from test_closed_dynamics import FREE, closed_state

import korba as kb
from korba.simulation.projection import closed_start
from korba.simulation.right_hand_side import plant_of

STEP = 1e-4
KINDS = [kind for kind in FREE if kind not in {"four-bar", "rsur", "light rod"}]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(0.05))
def test_linear_systems_follow_accelerations(kind, seed):
    """A of a state in motion, loops closed beside it: da = A dx, for states on both sides."""
    rng = np.random.default_rng(seed)
    m = FREE[kind](rng)
    q, v = closed_state(m, rng)
    small = kb.linearise(m, q, v, t=0.3)
    places = [m.velocities.index(name) for name in small.coordinates]
    plant, _ = plant_of(m)
    T = small.motions.values(q, v, v, np.array([0.3])).T
    for _ in range(2):
        x = rng.normal(size=(2, len(places)))
        way = small.ways @ x[0]
        ends = []
        for h in (STEP, -STEP):
            near = plant.tree.normalised(q + h * T @ way)
            rough = v + h * small.ways @ x[1]
            there = closed_start(plant, near, rough, 0.3, np.zeros(0))[:2]
            ends.append((*there, kb.forward_dynamics(m, *there, np.zeros(m.nv), t=0.3)))
        dq, dv, da = ((one - other) / (2 * STEP) for one, other in zip(*ends, strict=True))
        change = np.concatenate([(np.linalg.pinv(T) @ dq)[places], dv[places]])
        size = np.abs(small.A).max() * np.abs(change).max() + np.abs(da).max()
        assert_allclose(small.A[len(places) :] @ change, da[places], rtol=0, atol=1e-5 * size)
        assert_allclose(small.a, sum(end[2] for end in ends) / 2, rtol=0, atol=1e-5 * size)
