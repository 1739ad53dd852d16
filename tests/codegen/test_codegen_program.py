"""Tracing: a formula called with symbols gives its program."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_programs import chain_formula, chain_program, random_formula, random_program

from korba.codegen import Program, evaluate_program, program_of, trace
from korba.errors import ExpressionError, KorbaError
from korba.expr import derivative, variable


@given(st.integers(0, 10_000))
def test_the_reference_target_computes_what_the_formula_computes(seed):
    """A traced program evaluated by NumPy equals the formula called with numbers."""
    formula = random_formula(seed, 20)
    program = trace(formula, {"q": 3, "v": 2})
    q, v = np.random.default_rng(seed).uniform(-1, 1, (5, 3)), np.array([0.3, -0.4])
    found = evaluate_program(program, q, v)
    for k in range(5):
        for part, whole in zip(formula(q[k], v), found, strict=True):
            np.testing.assert_allclose(whole[k], np.asarray(part, float), rtol=0, atol=1e-12)


def test_a_program_knows_its_inputs_and_shapes():
    """Names and sizes of inputs, shapes of outputs and whether it was one array are kept."""
    program = random_program(1)
    assert program.inputs == (("q", 3), ("v", 2))
    assert program.shapes == ((4,), (2, 2))
    assert program.sizes == (4, 4)
    assert not program.single
    number = trace(lambda q: q @ q, {"q": 3})
    assert number.shapes == ((),)
    assert number.single


@given(st.integers(0, 1000))
def test_arguments_come_before_their_use(seed):
    """The list of operations can be computed from front to back, each one once."""
    seen = set()
    for node in random_program(seed).nodes:
        assert seen.issuperset(node.args)
        assert node not in seen
        seen.add(node)


def test_operations_are_counted():
    """Signs are free, sine and cosine of one angle count once, whole powers are products."""

    def formula(q):
        x, y = q
        return np.array([-x * y, x - y, x / y, np.sqrt(x) + np.sin(y) * np.cos(y), np.exp(x), x**5])

    assert vars(trace(formula, {"q": 2}).operations) == {
        "multiplications": 2 + 3,
        "additions": 2,
        "divisions": 1,
        "roots": 1,
        "trigs": 1,
        "others": 1,
    }


def test_the_digest_is_the_same_in_every_process_and_after_other_traces():
    """A program's hash depends on its content alone."""
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from random_programs import random_program, chain_program\n"
        "kept = chain_program(3) if len(sys.argv) > 2 else None\n"
        "print(random_program(5).digest, chain_program(4).digest)"
    )
    folder = __file__.rpartition("/")[0]
    found = {
        subprocess.run(
            [sys.executable, "-c", script, folder, *more],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout.split()[0]
        for seed, more in (("1", []), ("2", ["x"]))
    }
    assert found == {random_program(5).digest.encode()}


def test_programs_that_differ_have_other_digests():
    """Inputs, shapes, numbers and outputs all enter the hash."""
    made = [
        trace(lambda q: q * 2.0, {"q": 2}),
        trace(lambda q: q * 3.0, {"q": 2}),
        trace(lambda p: p * 2.0, {"p": 2}),
        trace(lambda q: (q * 2.0)[None], {"q": 2}),
        trace(lambda q: (q * 2.0)[::-1], {"q": 2}),
        trace(lambda q: (q * 2.0,), {"q": 2}),
        trace(lambda q, v: q * 2.0, {"q": 2, "v": 0}),
    ]
    assert len({program.digest for program in made}) == len(made)


def test_trace_order_is_the_order_of_writing():
    """Operations stand in the order in which the formula asked for them, whatever lived before."""

    def formula(q):
        first, second = q[0] * q[1], q[0] + q[1]
        return np.array([second * second, first * second])

    kept = variable("q[0]") + variable("q[1]")
    ops = [node.op for node in trace(formula, {"q": 2}).nodes if node.args]
    assert ops == ["mul", "add", "mul", "mul"]
    assert kept.op == "add"


def test_derivatives_are_programs_of_the_same_inputs():
    """program_of makes the program of derivatives; it evaluates to their values."""
    program = trace(lambda q: np.array([np.sin(q[0]) * q[1]]), {"q": 2})
    columns = [[derivative(program.outputs[0], f"q[{k}]") for k in range(2)]]
    slopes = program_of(program.inputs, np.array(columns, dtype=object), "", program.nodes)
    assert isinstance(slopes, Program)
    q = np.array([0.3, 2.0])
    expected = [[np.cos(0.3) * 2.0, np.sin(0.3)]]
    np.testing.assert_allclose(evaluate_program(slopes, q), expected, rtol=1e-15)


def test_foreign_variables_are_refused():
    """A formula that uses a symbol which is no input is named with it."""
    with pytest.raises(ExpressionError, match=r"'arm': uses 't', which is no element .* q \(2\)"):
        program_of((("q", 2),), [variable("t")], "'arm'")


def test_symbols_do_not_answer_questions():
    """A formula that branches on a value cannot be traced, and says so."""
    with pytest.raises(KorbaError, match="write where"):
        trace(lambda q: q if q[0] < 1 else -q, {"q": 2})


def test_chains_trace_linearly():
    """Twice the bodies give about twice the operations."""
    short, long = chain_program(10).operations.total, chain_program(20).operations.total
    assert 1.9 < long / short < 2.1
    q, v, a = np.random.default_rng(0).normal(size=(3, 10))
    np.testing.assert_allclose(
        evaluate_program(chain_program(10), q, v, a), chain_formula(10)(q, v, a), rtol=1e-12
    )
