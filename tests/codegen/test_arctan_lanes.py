"""The angle of a point, computed in lanes."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.testing import assert_array_equal

from korba.codegen import compile_program, trace


def angle():
    return compile_program(trace(lambda y, x: np.arctan2(y[0], x[0]), {"y": 1, "x": 1}))


def test_angles_are_those_of_numpy():
    """In every octant, of every size: within two units in the last place."""
    rng = np.random.default_rng(0)
    y, x = rng.normal(size=(2, 20_000, 1)) * 10.0 ** rng.uniform(-8, 8, (2, 20_000, 1))
    wanted = np.arctan2(y, x)[:, 0]
    apart = np.abs(angle()(y, x) - wanted) / np.spacing(np.abs(wanted))
    assert apart.max() <= 2.0


def test_extraordinary_points_are_left_to_the_library():
    """Zeros with their signs, infinities, tiny and huge numbers and nan, in lanes and alone."""
    ends = [0.0, -0.0, 1.0, -1.0, 5e-324, -1e-300, 1e300, np.inf, -np.inf, np.nan]
    points = np.array(list(product(ends, ends)))
    y, x = points[:, :1], points[:, 1:]
    wanted, f = np.arctan2(y, x)[:, 0], angle()
    lanes = f(y, x, check_finite=False)
    alone = np.array([f(*point.reshape(2, 1), check_finite=False) for point in points])
    for own in (lanes, alone):
        assert_array_equal(own, wanted)
        assert_array_equal(np.signbit(own), np.signbit(wanted))
