"""Subspaces of twists: spans, complements and least rates."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from korba.spatial.subspace import complement, nearest_complement, pseudo_inverse, spanned

EPS = float(np.finfo(float).eps)


@pytest.mark.parametrize("of", [complement, nearest_complement])
@pytest.mark.parametrize("count", range(7))
def test_complement_is_orthonormal_and_perpendicular(of, count):
    """[S, W] spans everything, W'W = 1 and W'S = 0."""
    S = np.random.default_rng(count).normal(size=(6, count))
    W = of(S)
    assert W.shape == (6, 6 - count)
    assert_allclose(W.T @ W, np.eye(6 - count), rtol=0, atol=50 * EPS)
    assert_allclose(W.T @ S, 0, rtol=0, atol=200 * EPS)


@pytest.mark.parametrize("of", [complement, nearest_complement])
def test_complement_of_axes_is_the_other_axes(of):
    """Unit vectors stay unit vectors, in their order, so that rows read as in the book."""
    axes = np.eye(6)
    assert_allclose(of(2.0 * axes[:, [4, 1]]), axes[:, [0, 2, 3, 5]], rtol=0, atol=EPS)


def test_a_span_is_as_wide_as_its_independent_columns():
    """Columns that repeat others, whatever their size, and columns of rounding add nothing."""
    S = np.random.default_rng(0).normal(size=(6, 2))
    basis = spanned(np.column_stack([S, S @ [1e3, -2.0], 1e-12 * np.eye(6)[:, 0]]))
    assert basis.shape == (6, 2)
    assert_allclose(basis @ basis.T @ S, S, rtol=0, atol=50 * EPS)
    assert spanned(np.zeros((6, 0))).shape == (6, 0)


def test_least_rates_come_nearest_to_a_twist():
    """S S^+ V is what S can make of V; what is left is perpendicular to S."""
    rng = np.random.default_rng(1)
    S, V = rng.normal(size=(6, 3)), rng.normal(size=6)
    assert_allclose(S.T @ (V - S @ pseudo_inverse(S) @ V), 0, rtol=0, atol=200 * EPS)
