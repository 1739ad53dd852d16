"""Roots between two values of different sign."""

from __future__ import annotations

import numpy as np
import pytest
from law_counts import some
from numpy.testing import assert_allclose

from korba.errors import KorbaError
from korba.solve.bracketed import root_between


@pytest.mark.parametrize("seed", some(10, 1000))
def test_a_root_is_within_its_margin(seed):
    """Of functions steep, flat and kinked at their root, in few evaluations."""
    rng = np.random.default_rng(seed)
    at, power = rng.uniform(-1, 1), rng.choice([1, 3, 5])
    kinds = [
        lambda x: np.sign(x - at) * abs(x - at) ** power,
        lambda x: np.exp(3 * x) - np.exp(3 * at),
        lambda x: np.arctan(1e4 * (x - at)),
    ]
    own, count = kinds[seed % 3], [0]

    def f(x):
        count[0] += 1
        return float(own(x))

    ends = at - rng.uniform(0.1, 2), at + rng.uniform(0.1, 2)
    for low, high in (ends, ends[::-1]):
        count[0] = 0
        assert_allclose(root_between(f, low, high, xtol=1e-11), at, rtol=0, atol=2e-11)
        assert count[0] < 130


def test_ends_may_be_roots():
    """An end at which nothing is left is the answer."""
    assert root_between(lambda x: x, 0.0, 1.0) == 0.0
    assert root_between(lambda x: x - 1.0, 0.0, 1.0) == 1.0


def test_equal_signs_are_refused():
    """Nothing is known of a root there."""
    with pytest.raises(KorbaError, match="no root is known to lie between 1 and 2"):
        root_between(lambda x: x, 1.0, 2.0)
