"""Slopes of curves through points: cubic splines and Akima's, beside SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from law_counts import some
from numpy.testing import assert_allclose
from scipy.interpolate import Akima1DInterpolator, CubicSpline

from korba.show.plots.splines import akima_slopes, cubic_slopes


@pytest.mark.parametrize("seed", some(5, 200))
def test_slopes_are_those_of_scipy(seed):
    """At uneven times, several columns at once."""
    rng = np.random.default_rng(seed)
    t = np.cumsum(rng.uniform(0.1, 1.0, rng.integers(4, 40)))
    y = rng.normal(size=(len(t), 3))
    y[:, 1] = np.where(t > t.mean(), 1.0, 0.0)  # a jump
    y[:, 2] = 2.0 * t - 1.0  # a straight line
    spline = CubicSpline(t, y)(t, 1)
    assert_allclose(cubic_slopes(t, y), spline, rtol=0, atol=1e-12 * (1 + np.abs(spline).max()))
    calm = Akima1DInterpolator(t, y, method="makima")(t, 1)
    assert_allclose(akima_slopes(t, y), calm, rtol=0, atol=1e-10 * (1 + np.abs(calm).max()))


def test_cubics_are_told_exactly():
    """A cubic spline through points of a cubic is that cubic."""
    t = np.array([0.0, 0.3, 0.5, 1.1, 1.2])
    y = (t**3 - 2 * t**2 + 0.5 * t)[:, None]
    assert_allclose(cubic_slopes(t, y)[:, 0], 3 * t**2 - 4 * t + 0.5, atol=1e-12)
