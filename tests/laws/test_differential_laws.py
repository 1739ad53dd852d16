"""Differentials of the dynamics of random mechanisms with loops: transposes, and true."""

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from loaded_linkages import KINDS, loaded
from numpy.testing import assert_allclose

import korba as kb
from korba.codegen import evaluate_program
from korba.export.functions import function_of

STEP = 1e-6


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(0.05))
def test_pushforward_and_pullback_of_dynamics(kind, seed):
    """w'(J dx) = (J'w)'dx, and J dx is the difference of accelerations along dx."""
    m = replace(loaded(kind, seed), drives=())
    f = function_of("test", kb.forward_dynamics, m, {})
    rng = np.random.default_rng(seed)
    q = np.concatenate([joint.drawn_coordinates for joint in m.joints])
    sizes = f.sizes[1:]
    x = [q, *(rng.uniform(-1, 1, n) for n in sizes)]
    dx = [rng.uniform(-1, 1, len(each)) for each in x]
    w = rng.normal(size=m.nv)
    dy = evaluate_program(f.pushforward.program, *x, *dx)[0]
    back = evaluate_program(f.pullback.program, *x, w)
    terms = [a * b for a, b in zip(back, dx, strict=True)]
    size = np.abs(w * dy).sum() + sum(np.abs(term).sum() for term in terms)
    assert abs(w @ dy - sum(term.sum() for term in terms)) < 1e-11 * size
    ends = [
        evaluate_program(f.program, *(a + h * b for a, b in zip(x, dx, strict=True)))
        for h in (STEP, -STEP)
    ]
    expected = (ends[0] - ends[1]) / (2 * STEP)
    assert_allclose(dy, expected, rtol=0, atol=1e-6 * max(1.0, np.abs(expected).max()))
