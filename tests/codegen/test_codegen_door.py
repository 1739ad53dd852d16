"""What comes in: wrong shapes, kinds and numbers get clear errors; memory stays bounded."""

import tracemalloc

import numpy as np
import pytest
from random_programs import chain_program

from korba.codegen import compile_program, evaluate_program, tiles, untiles
from korba.errors import KorbaError

ONES = np.ones(7)


@pytest.fixture(scope="module")
def arm():
    return compile_program(chain_program(7))


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ((np.ones(6), ONES, ONES), r"q: expected shape \(\.\.\., 7\) for 'arm', got \(6,\)"),
        ((ONES, 1.0, ONES), r"v: expected shape \(\.\.\., 7\) for 'arm', got \(\)"),
        ((ONES, ONES, np.ones((7, 2))), r"a: expected shape \(\.\.\., 7\) for 'arm', got \(7, 2\)"),
        ((ONES, ONES), r"'arm': expected 3 inputs \(q, v, a\), got 2"),
        ((ONES, ONES, ONES, ONES), r"expected 3 inputs \(q, v, a\), got 4"),
        ((ONES, ONES * 1j, ONES), r"v: expected real numbers \(float64\), got an array of complex"),
        ((ONES, ONES, ["x"] * 7), "a: expected real numbers .* got an array of <U1"),
        ((ONES, ONES, [None] * 7), "a: expected real numbers .* got an array of object"),
        ((ONES, ONES, [[1.0], [1.0, 2.0]]), "a: expected an array of numbers"),
        ((np.ones((2, 7)), np.ones((3, 7)), ONES), r"do not fit together: q \(2, 7\), v \(3, 7\)"),
        ((ONES, ONES * np.nan, ONES), r"v\[0\]: expected a finite number, got nan; check_finite"),
        ((ONES, ONES, np.full((4, 7), -np.inf)), r"a\[0, 0\]: expected a finite number, got -inf"),
    ],
)
def test_wrong_inputs_are_named(arm, inputs, message):
    """The error names the input, what was expected and what came, compiled or not."""
    for function in (arm, lambda *given: evaluate_program(arm.program, *given)):
        with pytest.raises(KorbaError, match=message):
            function(*inputs)
    arm(ONES, ONES, ONES)  # the direct entry is in place
    with pytest.raises(KorbaError, match=message):
        arm(*inputs)


@pytest.mark.parametrize("row", [0, 3, 8, 40, 20_000 - 1])
@pytest.mark.parametrize("column", [0, 3, 4, 6])
def test_one_bad_number_in_a_batch_is_found(arm, row, column):
    """Wherever an infinity stands, it is refused and its place is said."""
    q = np.ones((20_000, 7))
    q[row, column] = np.inf
    with pytest.raises(KorbaError, match=rf"q\[{row}, {column}\]: expected a finite number"):
        arm(q, ONES, ONES)
    assert arm(q, ONES, ONES, check_finite=False).shape == (20_000, 7)


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_wrong_numbers_of_threads_are_refused(arm, threads):
    """threads is a whole number of 1 or more, or None."""
    with pytest.raises(KorbaError, match="threads: expected a whole number"):
        arm(ONES, ONES, ONES, threads=threads)


def test_infinite_numbers_pass_when_asked(arm):
    """Without the check a nan in one state gives nan there and nothing elsewhere."""
    q = np.ones((10, 7))
    q[4] = np.nan
    found = arm(q, ONES, ONES, check_finite=False)
    assert np.isnan(found[4]).all()
    assert np.isfinite(np.delete(found, 4, axis=0)).all()
    assert np.isnan(arm(q[4], ONES, ONES, check_finite=False)).all()


@pytest.mark.parametrize(
    "wrong",
    [
        np.ones((2, 7)),
        np.ones((3, 7, 8)),
        np.ones((2, 6, 8)),
        np.ones((2, 7, 4)),
        np.ones((2, 7, 8), dtype=np.float32),
        np.ones((2, 7, 16))[:, :, ::2],
        [1.0],
    ],
)
def test_wrong_tiles_are_refused(arm, wrong):
    """Tiles are contiguous float64 arrays (T, size, 8) with one T."""
    good = np.ones((2, 7, 8))
    with pytest.raises(KorbaError, match="v: expected a contiguous float64 array"):
        arm.on_tiles(good, wrong, good)


def test_tiles_hold_states_and_give_them_back():
    """untiles after tiles is the identity; the last tile repeats the last state."""
    for count in range(20):
        states = np.random.default_rng(count).normal(size=(count, 3))
        held = tiles(states)
        assert held.shape == (-(-count // 8), 3, 8)
        np.testing.assert_array_equal(untiles(held, count), states)
        assert not count or (untiles(held)[count:] == states[-1]).all()
    with pytest.raises(KorbaError, match=r"expected shape \(N, n\)"):
        tiles(np.ones(3))
    with pytest.raises(KorbaError, match="count: expected 0 to 8"):
        untiles(np.ones((1, 3, 8)), 9)
    with pytest.raises(KorbaError, match="tiles: expected shape"):
        untiles(np.ones((1, 3, 4)))


@pytest.mark.parametrize("layout", ["rows", "strided", "broadcast"])
def test_a_million_states_need_little_more_than_inputs_and_outputs(arm, layout):
    """Beyond the result, no more than 64 MB is allocated, whatever the layout of the inputs."""
    count = 10**6
    if layout == "rows":
        q = np.ones((count, 7))
        v = a = np.zeros((count, 7))
    elif layout == "strided":
        q = np.ones((count, 14))[:, ::2]
        v = a = np.zeros(7)
    else:
        q, v, a = np.ones((1000, 1, 7)), np.zeros((1000, 7)), np.zeros(7)
    arm(q[:2], v[:2] if v.ndim == q.ndim else v, a[:2] if a.ndim == q.ndim else a)
    tracemalloc.start()
    found = arm(q, v, a)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most - found.nbytes < 64e6
    np.testing.assert_array_equal(found.reshape(-1, 7)[-1], found.reshape(-1, 7)[0])
