"""The cross product of numbers and symbols in any mixture, the same as NumPy's of numbers."""

from __future__ import annotations

import ast
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from korba.expr import Expr, constant, evaluate, variable
from korba.spatial.rotation import cross, skew

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "korba"
SHAPES = [((3,), (3,)), ((5, 3), (3,)), ((3,), (5, 3)), ((4, 1, 3), (5, 3)), ((2, 3), (2, 3))]
KINDS = [*product(("number", "symbol"), repeat=2), ("number", "mixed"), ("mixed", "symbol")]
RNG = np.random.default_rng(0)


def symbols(x, name, kind):
    """An array with its numbers replaced by symbols, or every second of them; and their values."""
    if kind == "number":
        return x, {}
    made, values = x.astype(object), {}
    for k in range(0, x.size, 2 if kind == "mixed" else 1):
        made.flat[k] = variable(f"{name}{k}")
        values[f"{name}{k}"] = float(x.flat[k])
    return made, values


def numbers(made, values):
    """The array of symbols at values of them."""
    found = [evaluate(x, values) if isinstance(x, Expr) else x for x in np.ravel(made)]
    return np.reshape(np.array(found, dtype=float), made.shape)


@pytest.mark.parametrize(("one", "two"), SHAPES)
def test_numbers_have_the_bits_of_numpy(one, two):
    """The same products and differences, broadcast alike, also of whole numbers and lists."""
    a, b = RNG.normal(size=one), RNG.normal(size=two)
    np.testing.assert_array_equal(cross(a, b), np.cross(a, b))
    np.testing.assert_array_equal(cross(a.tolist(), b), np.cross(a, b))
    whole = cross(np.ones(one, dtype=int), np.arange(3))
    assert whole.dtype == np.cross(np.ones(one, dtype=int), np.arange(3)).dtype


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_the_axis_of_length_3_may_be_any(axis):
    """Columns of stacks are multiplied where they stand."""
    a, b = (np.moveaxis(RNG.normal(size=(4, 5, 3)), -1, axis) for _ in range(2))
    np.testing.assert_array_equal(cross(a, b, axis=axis), np.cross(a, b, axis=axis))


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize(("one", "two"), SHAPES)
def test_symbols_beside_numbers_are_multiplied(one, two, kinds):
    """Whichever of the two has symbols, its values give the product of the numbers."""
    a, b = RNG.normal(size=one), RNG.normal(size=two)
    (left, values), (right, more) = symbols(a, "a", kinds[0]), symbols(b, "b", kinds[1])
    found = cross(left, right)
    assert (found.dtype == object) == (kinds != ("number", "number"))
    np.testing.assert_allclose(numbers(found, values | more), np.cross(a, b), rtol=0, atol=1e-14)


def test_it_is_the_matrix_times_the_vector():
    """skew(a) b, and a x a = 0 symbol by symbol."""
    a = np.array([variable(name) for name in "xyz"])
    b = RNG.normal(size=3)
    assert [*cross(a, a)] == [constant(0.0)] * 3
    values = dict(zip("xyz", (0.3, -1.2, 2.5), strict=True))
    np.testing.assert_allclose(numbers(skew(a) @ b, values), numbers(cross(a, b), values))


@pytest.mark.parametrize("shape", [(2,), (4,), (5, 2)])
def test_other_lengths_are_refused(shape):
    """Vectors of the plane have no cross product in space."""
    with pytest.raises(ValueError, match=r"unpack|broadcast"):
        cross(np.ones(shape), np.ones(3))


def test_no_module_takes_numpys_own():
    """It does not take symbols beside numbers in every NumPy that Korba takes."""
    trees = {path: ast.parse(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}
    calls = [(path, node) for path in trees for node in ast.walk(trees[path]) if _is_cross(node)]
    assert not [f"{path.relative_to(PACKAGE)}:{node.lineno}" for path, node in calls]


def _is_cross(node):
    return isinstance(node, ast.Attribute) and ast.unparse(node) in {"np.cross", "numpy.cross"}
