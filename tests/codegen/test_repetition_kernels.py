"""Repeated programs compiled: long chains by themselves, batches, threads, errors and memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import korba as kb
from korba.codegen import Program, evaluate_program, tiles, untiles
from korba.codegen.repetition import CONSTANTS, Draft, Repeater, Repetition, Spot, Write
from korba.codegen.scratch import Lifetimes
from korba.errors import KorbaError
from korba.expr import variable


def chain(n, planar=False):
    """A chain of hinges, axes in turn along z and y, or all along z."""
    bodies = [
        kb.Body(f"b{i}", 1 + 0.1 * (i % 3), (0.1 * i + 0.05, 0.01, 0.02), np.diag([2, 3, 4]) * 1e-3)
        for i in range(n)
    ]
    joints = [
        kb.Revolute(
            f"j{i}",
            "ground" if i == 0 else f"b{i - 1}",
            f"b{i}",
            at=(0.1 * i, 0, 0),
            axis=(0, 0, 1) if planar or i % 2 == 0 else (0, 1, 0),
            damping=0.1,
        )
        for i in range(n)
    ]
    return kb.Mechanism("chain", bodies, joints)


def test_long_chains_are_looped_by_themselves():
    """Inverse dynamics after forward dynamics is the identity on a chain of 300 links."""
    m = chain(300)
    f, g = kb.compile(kb.forward_dynamics, m), kb.compile(kb.inverse_dynamics, m)
    assert isinstance(f.program, Repetition)
    assert isinstance(g.program, Repetition)
    q, v, tau = np.random.default_rng(0).uniform(-1, 1, size=(3, 20, 300))
    assert_allclose(g(q, v, f(q, v, tau)), tau, rtol=0, atol=1e-7)
    assert_array_equal(kb.forward_dynamics(m, q, v, tau), f(q, v, tau))
    assert isinstance(kb.compile(kb.forward_dynamics, chain(12)).program, Program)


def test_a_step_is_traced_once_and_taken_as_often_as_it_is_asked_for():
    """Rows of one key share a step: y[k] = c[k] x[k] + y[k - 1], each where its spots say."""
    program, traced = Repeater(), []

    def draft():
        traced.append(1)
        c, x, before = (variable(f"{name}[0]") for name in ("c", "x", "before"))
        return Draft([Write("to", 0, c * x + before)])

    numbers = [2.0, -1.0, 0.5, 3.0]
    for k, number in enumerate(numbers):
        before = Spot(CONSTANTS, 0) if k == 0 else Spot("out0", k - 1)
        spots = {"c": Spot(CONSTANTS, k + 1), "x": Spot("in0", k), "before": before}
        program.constants += [0.0, number] if k == 0 else [number]
        program.take(k == 0, draft, {**spots, "to": Spot("out0", k)})
    x = np.array([1.0, 4.0, -2.0, 5.0])
    made = program.repetition("sums", [("x", 4)], ((4,),))
    assert len(traced) == 2
    assert_array_equal(evaluate_program(made, x), np.cumsum(numbers * x))


def test_batches_of_any_shape_and_any_number_of_threads():
    """Batch axes broadcast, single states, tiles and threads give the rows of one batch."""
    m = chain(70)
    f = kb.compile(kb.forward_dynamics, m)
    assert isinstance(f.program, Repetition)
    q, v, tau = np.random.default_rng(1).uniform(-1, 1, size=(3, 900, 70))
    rows = f(q, v, tau)
    assert_array_equal(f(q, v, tau, threads=3), rows)
    assert_array_equal(
        f(q.reshape(30, 30, 70), v.reshape(30, 30, 70), tau.reshape(30, 30, 70)),
        rows.reshape(30, 30, 70),
    )
    assert_array_equal(f(q, v[0], tau[:1])[0], rows[0])
    assert_array_equal(untiles(f.on_tiles(*map(tiles, (q, v, tau))), 900), rows)
    assert_allclose(f(q[5], v[5], tau[5]), rows[5], rtol=0, atol=1e-10 * np.abs(rows[5]).max())


def test_errors_are_those_of_every_compiled_program():
    """Wrong sizes and numbers that are not finite are refused, and named."""
    f = kb.compile(kb.forward_dynamics, chain(70))
    q = np.zeros(70)
    with pytest.raises(KorbaError, match=r"v: expected shape \(\.\.\., 70\)"):
        f(q, q[1:], q)
    with pytest.raises(KorbaError, match=r"tau\[3\]: expected a finite number"):
        f(q, q, np.where(np.arange(70) == 3, np.nan, 0.0))
    with pytest.raises(KorbaError, match="expected 3 inputs"):
        f(q, q)


def test_what_is_constant_for_all_links_is_never_computed():
    """A planar chain takes a third of the operations of one in space, as in straight-line code."""
    chains = [chain(80, planar) for planar in (True, False)]
    counts = [kb.operations(kb.forward_dynamics, m) for m in chains]
    assert counts[0].total < 0.4 * counts[1].total
    straight = kb.forward_dynamics.program(chains[0], formulation="articulated-body")
    assert counts[0].total < 1.2 * straight.operations.total


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(1, 4)), max_size=30))
def test_blocks_alive_together_have_places_of_their_own(blocks):
    """Two blocks overlap in memory only if one is done with before the other begins."""
    lives = Lifetimes()
    for name, (first, last, size) in enumerate(blocks):
        lives.touch(name, first, size)
        lives.touch(name, last, size)
    places, count = lives.offsets()
    for a in places:
        assert places[a] + lives.sizes[a] <= count
        for b in range(a):
            apart = (
                places[a] + lives.sizes[a] <= places[b] or places[b] + lives.sizes[b] <= places[a]
            )
            (first_a, last_a), (first_b, last_b) = lives.times[a], lives.times[b]
            assert apart or last_a < first_b or last_b < first_a
