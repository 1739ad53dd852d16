"""Straight-line solution of linear equations: with numbers, with symbols, with rows to spare."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from korba.codegen import compile_program, trace
from korba.kinematics.orthogonal import least_norm, row_basis, solved_lines


def orthogonal_solve(A, B):
    """X with A X = B, shape (columns of A, columns of B), and the pivots r_kk."""
    lines = [dict(enumerate(row)) for row in A]
    known, pivots = solved_lines(lines, [list(row) for row in B])
    X = np.zeros((A.shape[1], B.shape[1]), dtype=object)
    for j, values in known.items():
        X[j] = values
    return X, pivots


def sparse_matrix(rng, rows, columns):
    A = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < 0.4)
    A[:columns] += np.eye(columns)[rng.permutation(columns)]
    return A


@pytest.mark.parametrize("seed", range(20))
def test_square_systems_are_solved(seed):
    """A X = B for sparse regular A and several right-hand sides."""
    rng = np.random.default_rng(seed)
    A = sparse_matrix(rng, 7, 7)
    B = rng.normal(size=(7, 2))
    X, _ = orthogonal_solve(A, B)
    expected = np.linalg.solve(A, B)
    assert_allclose(X.astype(float), expected, atol=1e-13 * np.linalg.cond(A) * abs(expected).max())


@pytest.mark.parametrize("seed", range(10))
def test_rows_to_spare_that_agree(seed):
    """A tall matrix with a consistent right-hand side has the solution that made it."""
    rng = np.random.default_rng(seed)
    A = sparse_matrix(rng, 9, 5)
    x = rng.normal(size=(5, 1))
    X, pivots = orthogonal_solve(A, A @ x)
    assert_allclose(X.astype(float), x, atol=1e-12 * np.linalg.cond(A))
    assert all(pivot > 0 for pivot in pivots)


def test_symbols_write_the_same_solution():
    """Traced and compiled, the elimination gives NumPy's numbers for any values of the entries."""
    pattern = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 1]], dtype=bool)

    def written(a, b):
        A = np.zeros((4, 4), dtype=object)
        A[pattern] = a
        A[3, 3] = 1.0
        return orthogonal_solve(A, b[:, None])[0][:, 0]

    f = compile_program(trace(written, {"a": int(pattern.sum()), "b": 4}))
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(50, int(pattern.sum()))), rng.normal(size=(50, 4))
    A = np.zeros((50, 4, 4))
    A[:, pattern] = a
    A[:, 3, 3] = 1.0
    assert_allclose(f(a, b), np.linalg.solve(A, b[..., None])[..., 0], rtol=1e-8)


def test_a_pivot_vanishes_where_the_matrix_is_singular():
    """The smallest pivot is at rounding level exactly when columns are dependent."""
    A = np.array([[1.5, 3.0, 0.2], [2.5, 5.0, 0.4], [0.3, 0.6, 1.7]])
    with np.errstate(all="ignore"):
        _, pivots = orthogonal_solve(A, np.ones((3, 1)))
    assert min(pivots) < 1e-14


@pytest.mark.parametrize("seed", range(5))
def test_fewer_rows_than_unknowns(seed):
    """The least x in its units is that of the pseudoinverse, once or twice orthogonalised."""
    rng = np.random.default_rng(seed)
    A, b, units = sparse_matrix(rng, 6, 6), rng.normal(size=6), rng.uniform(0.5, 2.0, 9)
    A = np.hstack([A, rng.normal(size=(6, 3))])
    rows = [dict(enumerate(row)) for row in A]
    for twice in (False, True):
        x = least_norm(rows, [[right] for right in b], units, twice=twice)
        expected = units * (np.linalg.pinv(A * units) @ b)
        assert_allclose([x[j][0] for j in range(9)], expected, rtol=1e-9, atol=1e-12)


def test_a_row_that_meets_all_others_comes_last():
    """Taken first it would fill the rows of a chain: 2501 entries in place of 1000."""
    chain = [{k: 1.0, k + 1: -0.5, 50 + k: 0.3} for k in range(40)]
    hub = dict.fromkeys(range(41), 1.0)
    entries = [len(q) for q, _ in row_basis([hub, *chain], [[]] * 41, [1.0] * 90)]
    assert sum(entries) <= 1000
