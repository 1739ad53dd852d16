"""Designs: what is called best is no worse than any other, on random crank-rockers."""

from __future__ import annotations

import numpy as np
import pytest
from crank_rockers import crank_rocker
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb

TURN = np.linspace(0.0, 1.0, 37)
QUESTION = "transmission angle"


def bounds(m):
    """A tenth more or less of the coupler and the rocker."""
    sizes = dict(m.parameters)
    return {name: (0.9 * sizes[name], 1.1 * sizes[name]) for name in ("b", "c")}


@pytest.mark.parametrize("seed", seeds(0.5))
def test_no_design_is_better_than_the_best(seed):
    """Of designs all over the bounds none has more of what was to be large; it has what it says."""
    m = crank_rocker(seed)
    best = kb.optimise(m, QUESTION, bounds(m), count=20, times=TURN)
    grid = {name: np.linspace(*ends, 9) for name, ends in bounds(m).items()}
    tried = kb.sweep(m, grid, QUESTION, times=TURN)
    assert best.value >= np.nanmax(tried[QUESTION]) - 1e-9
    again = kb.sweep(
        m, {name: [value] for name, value in best.parameters.items()}, QUESTION, times=TURN
    )
    assert_allclose(again[QUESTION], best.value, rtol=1e-9)
    for name, (low, high) in bounds(m).items():
        assert low - 1e-12 <= best.parameters[name] <= high + 1e-12


@pytest.mark.parametrize("seed", seeds(0.5))
def test_the_best_of_a_sweep_answers_as_its_mechanism(seed):
    """The design that a sweep calls best, built and moved by itself, has the answers it had."""
    m, rng = crank_rocker(seed), np.random.default_rng(seed)
    sizes = {name: rng.uniform(*ends, 7) for name, ends in bounds(m).items()}
    tried = kb.sweep(m, sizes, [QUESTION, "stroke of D"], times=TURN, designs="given")
    k = tried.best(QUESTION)
    assert tried[QUESTION][k] == np.nanmax(tried[QUESTION])
    moved = kb.motion(tried.design(k), TURN)
    assert_allclose(np.abs(kb.transmission_angle(moved).angle).min(), tried[QUESTION][k], rtol=1e-9)
    assert_allclose(np.ptp(moved["D"]), tried["stroke of D"][k], rtol=1e-9)
