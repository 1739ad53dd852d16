"""What comes in: wrong shapes, kinds and numbers get clear errors; memory stays bounded."""

import tracemalloc

import numpy as np
import pytest
from random_programs import chain_program

from korba.codegen import compile_program, evaluate_program, tiles, trace, untiles
from korba.errors import KorbaError

ONES = np.ones(7)


@pytest.fixture(scope="module")
def arm():
    return compile_program(chain_program(7))


@pytest.fixture(scope="module")
def several():
    """A vector, a matrix and a number from one vector."""
    return compile_program(
        trace(lambda x: (np.sin(x), np.outer(x, x), x @ x), {"x": 3}, name="several")
    )


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


@pytest.mark.parametrize("batch", [(), (1,), (37,), (3, 5), (0,)])
def test_results_go_where_they_are_wanted(arm, several, batch):
    """With `out` the same numbers are written into that array, which is the result."""
    states = np.random.default_rng(0).uniform(-1, 1, (3, *batch, 7))
    out = np.full((*batch, 7), np.nan)
    assert arm(*states, out=out) is out
    np.testing.assert_array_equal(out, arm(*states))
    x = states[0, ..., :3]
    outs = (np.full((*batch, 3), np.nan), np.full((*batch, 3, 3), np.nan), np.full(batch, np.nan))
    assert all(a is b for a, b in zip(several(x, out=outs), outs, strict=True))
    for found, expected in zip(outs, several(x), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_tiles_go_where_they_are_wanted(arm, several):
    """With `out` tiles are filled in place."""
    states = np.random.default_rng(0).uniform(-1, 1, (3, 21, 7))
    tiled = [tiles(x) for x in states]
    out = np.full((3, 7, 8), np.nan)
    assert arm.on_tiles(*tiled, out=out) is out
    np.testing.assert_array_equal(out, arm.on_tiles(*tiled))
    x = tiles(states[0, :, :3])
    outs = [np.full((3, size, 8), np.nan) for size in (3, 9, 1)]
    for found, expected in zip(several.on_tiles(x, out=outs), several.on_tiles(x), strict=True):
        np.testing.assert_array_equal(found, expected)


def _read_only(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.empty((4, 6)), r"out: expected a contiguous float64 array of shape \(4, 7\), got"),
        (np.empty(7), r"got float64 of shape \(7,\); make one with np.empty"),
        (np.empty((4, 7), dtype=np.float32), "got float32 of shape"),
        (np.empty((4, 7), dtype=">f8"), "got >f8 of shape"),
        (np.empty((7, 4)).T, r"got float64 of shape \(4, 7\), not contiguous"),
        (np.frombuffer(bytearray(225), np.uint8, 224, 1).view(float).reshape(4, 7), "contiguous"),
        ([[0.0] * 7] * 4, "got a list of 4"),
        ((np.empty((4, 7)),), "got a tuple of 1"),
        (_read_only(np.empty((4, 7))), "out: expected an array to write to, got a read-only one"),
    ],
)
def test_wrong_places_for_results_are_refused(arm, out, message):
    """What `out` must be is said, with what came and how to make it."""
    states = np.ones((3, 4, 7))
    with pytest.raises(KorbaError, match=message):
        arm(*states, out=out)


def test_results_never_lie_upon_inputs_or_each_other(arm, several):
    """Memory that is read and written in one call is refused, and so is a wrong count."""
    states, tiled = np.ones((3, 4, 7)), np.ones((3, 2, 7, 8))
    with pytest.raises(KorbaError, match="out: expected memory of its own"):
        arm(*states, out=states[1])
    with pytest.raises(KorbaError, match="out: expected memory of its own"):
        arm.on_tiles(*tiled, out=tiled[2])
    room = np.empty(13)
    with pytest.raises(KorbaError, match=r"out\[1\]: expected memory of its own"):
        several(np.ones(3), out=(room[:3], room[2:11].reshape(3, 3), np.empty(())))
    for wrong in (room, (room[:3],), 1.0):
        with pytest.raises(KorbaError, match="out: expected a tuple of 3 arrays, got"):
            several(np.ones(3), out=wrong)


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
