"""Programs cut at one input compute the same."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from korba.codegen import evaluate_program, trace
from korba.codegen.hoist import hoisted


def product(q, z):
    """Something with parts of q alone, of z alone and of both, and a constant."""
    c, s = np.cos(q), np.sin(q)
    return np.array([3 * c[0] * z[0] + s[1] * c[0] * z[1], z[0] * z[1], c[1] + s[1], 2.0])


def test_a_cut_program_computes_the_same():
    """f(q, z) = rest(held, z) with held = once(q), for every program that shares the cut."""
    programs = [
        trace(product, {"q": 2, "z": 2}),
        trace(lambda q, b, z: (np.sum(product(q, z) * b), q[0] * b), {"q": 2, "b": 4, "z": 2}),
    ]
    once, (first, second) = hoisted(programs, "q")
    q, b, z = np.array([0.3, -0.8]), np.array([1.0, 2.0, -1.0, 0.5]), np.array([1.5, -0.4])
    held = evaluate_program(once, q)
    assert_allclose(evaluate_program(first, held, z), evaluate_program(programs[0], q, z))
    for new, old in zip(
        evaluate_program(second, held, b, z), evaluate_program(programs[1], q, b, z), strict=True
    ):
        assert_allclose(new, old)
    assert first.operations.trigs == second.operations.trigs == 0
    assert once.operations.trigs == 2
    assert [name for name, _ in second.inputs] == ["held", "b", "z"]


def test_a_program_that_does_not_need_the_input_is_cut_too():
    """Nothing is held, and the result is the same."""
    program = trace(lambda q, z: 2 * z, {"q": 1, "z": 2})
    once, (rest,) = hoisted([program], "q")
    held = evaluate_program(once, np.array([0.3]))
    assert_allclose(evaluate_program(rest, held, np.array([1.0, 2.0])), [2, 4])
