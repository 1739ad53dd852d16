"""Routines: one text, four executions (numbers, NumPy, machine code for one state and for many)."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import random_routines
from numpy.testing import assert_allclose, assert_array_equal
from random_routines import LONG, ROWS, TURN, random_function

import korba as kb
from korba.codegen import compile_program, evaluate_program, tiles, trace, untiles
from korba.codegen.repetition import Repetition
from korba.codegen.routine import both, call, choose, get, held, put, repeat, routine
from korba.codegen.routine.needed import pruned
from korba.codegen.targets.llvm.python import scalar_text
from korba.codegen.targets.llvm.rows import batch_text
from korba.errors import ExpressionError, KorbaError

INPUTS = {"a": None, "u": 3, "w": LONG, "k": None}
STATES = 11


def states():
    rng = np.random.default_rng(7)
    a, u, w = (rng.normal(size=(STATES, n)) for n in (1, 3, LONG))
    return a, u, w, np.arange(float(STATES))[:, None]


def fresh_streams():
    return np.linspace(-0.8, 0.9, 5), np.zeros((ROWS * STATES, 4))


def by_numbers(function, given, streams):
    """Rows of results, the function being run as Python."""
    random_routines.TURN_NOW[0] = partial(evaluate_program, TURN)
    try:
        rows = [function(a[0], u, w, k[0], *streams) for a, u, w, k in zip(*given, strict=True)]
    finally:
        random_routines.TURN_NOW[0] = TURN
    return [np.array(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("seed", range(10))
def test_four_executions_are_one(seed):
    """Numbers, NumPy with masks, LLVM one by one and LLVM in lanes agree, streams included."""
    function, given = random_function(seed), states()
    own = routine(function, INPUTS, "random", ("table", "rows"))
    compiled = compile_program(own)
    streams = [fresh_streams() for _ in range(4)]
    expected = by_numbers(function, given, streams[0])
    masked = evaluate_program(own, *given, streams=streams[1])
    lanes = compiled(*given, streams=streams[2])
    single = [compiled(*row, streams=streams[3]) for row in zip(*given, strict=True)]
    for k, column in enumerate(expected):
        for found in (masked[k], lanes[k], np.array([row[k] for row in single])):
            assert_allclose(found, column, rtol=0, atol=1e-12)
    for _, rows in streams[1:]:
        assert_allclose(rows, streams[0][1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_what_nobody_needs_is_left_out(seed):
    """A pruned routine gives the same numbers and rows, and gives no value that is not used."""
    own = routine(random_function(seed), INPUTS, streams=("times", "rows"))
    less, given = pruned(own), states()
    before, after = fresh_streams(), fresh_streams()
    expected = evaluate_program(own, *given, streams=before)
    found = evaluate_program(less, *given, streams=after)
    for x, y in zip(found, expected, strict=True):
        assert_array_equal(x, y)
    assert_array_equal(after[1], before[1])
    assert pruned(less).digest == less.digest
    assert len(less.arrays) <= len(own.arrays)


def halved(x, n):
    """x/2 as often as n says; the rest of the counter."""
    return repeat(
        lambda s: (0.5 * s[0], s[1] - 1.0), (x, n), while_=lambda s: both(s[1] > 0.0, s[1] < 1e9)
    )


def test_lanes_go_on_as_long_as_each_wants():
    """Lanes of one vector make different numbers of turns, and rows, tiles, threads agree."""
    compiled = compile_program(routine(halved, {"x": 5, "n": None}))
    x, n = np.random.default_rng(1).normal(size=(1003, 5)), np.arange(1003.0)[:, None] % 61
    rows, left = compiled(x, n)
    assert_array_equal(rows, x * 0.5**n)
    assert_array_equal(left, np.zeros(1003))
    assert_array_equal(compiled(x, n, threads=3)[0], rows)
    assert_array_equal(untiles(compiled.on_tiles(tiles(x), tiles(n))[0], 1003), rows)


def test_nan_ends_a_repetition():
    """A lane that is not a number stops, and its neighbours give what they give without it."""
    compiled = compile_program(routine(halved, {"x": 1, "n": None}))
    n = np.array([3.0, np.nan, 5.0, 0.0, np.inf, 2.0])[:, None]
    halves, _ = compiled(np.ones((6, 1)), n, check_finite=False)
    assert_array_equal(halves[:, 0], 0.5 ** np.array([3, 0, 5, 0, 0, 2]))


def test_only_wanted_blocks_are_run():
    """`choose` between functions reads streams for the lanes that want it alone."""

    def function(k, table):
        return choose(k < 2, lambda: 0.0, lambda: get(table, k))

    compiled = compile_program(routine(function, {"k": None}, "", ("table",)))
    table = np.array([9.0, 9.0, 7.0, 8.0])
    far = np.array([-1e15, 2.0, 1.0, 3.0])[:, None]
    assert_array_equal(compiled(far, streams=(table,)), [0, 7, 0, 8])


def test_held_keeps_what_rounding_took():
    """(y - (y + c)) + c is not 0 where `held` stands between; without it the rules say 0."""

    def lost(y, c):
        total = held(y + c)
        return held(y - total) + c

    compiled, y, c = compile_program(routine(lost, {"y": 2, "c": 2})), [1.0, 3.0], [1e-17, 2e-17]
    assert_array_equal(compiled(y, c), c)
    assert_array_equal(compiled([y] * 3, [c] * 3), [c] * 3)
    single = compile_program(routine(lost, {"y": None, "c": None}))
    assert single(np.ones(1), np.full(1, 1e-17)) == 1e-17


def test_any_program_is_a_leaf():
    """A straight program, a repetition over links and a routine are run by a routine alike."""
    m = kb.Mechanism(
        "chain",
        [kb.Body(f"b{i}", 1.0, (0.1 * i + 0.05, 0, 0), np.eye(3) * 1e-3) for i in range(70)],
        [
            kb.Revolute(f"j{i}", f"b{i - 1}" if i else "ground", f"b{i}", at=(0.1 * i, 0, 0))
            for i in range(70)
        ],
    )
    links = kb.compile(kb.forward_dynamics, m).program
    straight = trace(lambda q: 0.1 * np.sin(q), {"q": 70})
    inner = routine(lambda q: call(straight, q) + q, {"q": 70})

    def function(q, tau):
        q = call(inner, call(inner, q))
        return call(links, q, 0.5 * q, tau)

    assert isinstance(links, Repetition)
    own = routine(function, {"q": 70, "tau": 70})
    q, tau = np.random.default_rng(3).normal(size=(2, 9, 70)) * 0.1
    place = q + 0.1 * np.sin(q)
    place = place + 0.1 * np.sin(place)
    expected = kb.forward_dynamics(m, place, 0.5 * place, tau)
    size = np.abs(expected).max()
    assert_allclose(compile_program(own)(q, tau), expected, rtol=0, atol=1e-10 * size)
    assert_allclose(compile_program(own)(q[0], tau[0]), expected[0], rtol=0, atol=1e-10 * size)
    assert_allclose(evaluate_program(own, q, tau), expected, rtol=0, atol=1e-9 * size)


def test_what_is_passed_on_may_be_used_again():
    """A vector that one side of a choice hands on as it is keeps its value where it is needed."""
    double = trace(lambda u: 2.0 * u, {"u": 5})

    def inner(u, a):
        twice = call(double, u)
        own = choose(a > 0, lambda: twice, lambda: -call(double, twice))  # twice is done
        return choose(a < 1, lambda: own, lambda: call(double, own)), own  # own is not

    called = routine(inner, {"u": 5, "a": None})

    def outer(u, a):
        one, own = call(called, u, a)
        other, _ = call(called, own, a - 0.5)
        return one + other, held(own) + u

    u = np.arange(5.0) + 1.0
    expected = {-1.0: (12, -3), 0.2: (-6, 3), 0.8: (6, 3), 2.0: (12, 3)}
    compiled = compile_program(routine(outer, {"u": 5, "a": None}))
    a = np.array([*expected])[:, None]
    lanes = compiled(np.tile(u, (4, 1)), a)
    for k, (value, factors) in enumerate(expected.items()):
        single = compiled(u, np.array([value]))
        for x, y, factor in zip(single, lanes, factors, strict=True):
            assert_array_equal(x, factor * u)
            assert_array_equal(y[k], factor * u)


def test_values_stay_in_their_block():
    """A value of a turn or of a branch that a closure carries out is refused."""
    kept = []

    def turn(s):
        kept.append(np.sin(np.sum(s)))
        return 0.5 * s

    def carried_out(x):
        repeat(turn, x, while_=lambda s: np.sum(s) > 1.0)
        return x * kept[-1]

    with pytest.raises(ExpressionError, match="used outside of it; hand it on"):
        routine(carried_out, {"x": 3})


def test_a_state_keeps_its_form():
    """A number cannot become a vector on the way, nor one branch have more values."""
    with pytest.raises(ExpressionError, match=r"expected lengths \[None\], got \[3\]"):
        routine(lambda x: repeat(lambda s: s + x, 0.0, while_=lambda s: s < 1.0), {"x": 3})
    with pytest.raises(ExpressionError, match="must keep its form"):
        routine(lambda a: choose(a < 1.0, lambda: (a, a), lambda: (a,)), {"a": None})
    with pytest.raises(ExpressionError, match="vectors of one length, got lengths 2, 3"):
        routine(lambda x, y: x + y, {"x": 2, "y": 3})
    with pytest.raises(ExpressionError, match="u: expected 3 elements, got 2"):
        routine(lambda x: call(TURN, x, 1.0), {"x": 2})


def test_streams_are_checked():
    """A stream that is missing or lies in pieces is named."""
    own = routine(lambda k, rows: put(rows, k, k) or k, {"k": None}, "writer", ("rows",))
    compiled = compile_program(own)
    with pytest.raises(KorbaError, match=r"'writer': streams: expected 1 \(rows\), got 0"):
        compiled(np.zeros(1))
    with pytest.raises(KorbaError, match="rows: expected a contiguous float64 array"):
        compiled(np.zeros(1), streams=(np.zeros(6)[::2],))


def test_a_program_that_several_routines_run_is_written_once():
    """Equal programs, traced apart and under other names, are one function of a module."""

    def stepped(name, more):
        own = trace(lambda x: np.sin(x) * x, {"x": 3}, name)
        return routine(lambda x: more + call(own, call(own, x)), {"x": 3}, name)

    one, two = stepped("one", 1.0), stepped("two", 2.0)
    whole = routine(lambda x: call(one, x) + call(two, x), {"x": 3}, "both")
    for text, alone in (
        (scalar_text(whole), scalar_text(one)),
        (batch_text(whole, 4), batch_text(one, 4)),
    ):
        assert text.count("@sin(") == alone.count("@sin(") > 0
    x = np.linspace(0.1, 0.3, 3)
    wanted = 3.0 + 2.0 * (evaluate_program(one, x) - 1.0)
    assert_allclose(compile_program(whole)(x), wanted, rtol=1e-14)


def test_equal_routines_have_one_digest():
    """The digest is that of the content: recorded again it is the same, changed it is another."""
    one, same, other = (
        routine(lambda x, c=c: repeat(lambda s: c * s, x, while_=lambda s: np.sum(s) > 1), {"x": 3})
        for c in (0.5, 0.5, 0.25)
    )
    assert one.digest == same.digest
    assert one.digest != other.digest
