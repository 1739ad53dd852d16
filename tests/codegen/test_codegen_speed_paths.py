"""What was made for speed gives the same answers: angles taken first, spare results, pieces."""

import gc

import numpy as np
import pytest
from random_programs import EPS, chain_program

from korba.codegen import compile_program, trace
from korba.codegen.callable.batch import _pieces
from korba.codegen.parts import early_angles


@pytest.fixture(scope="module")
def arm():
    return compile_program(chain_program(5))


def test_angles_that_are_sums_of_inputs_come_first():
    """Sums of inputs are early angles; an angle that depends on a sine is not."""
    program = trace(lambda q: np.sin(q[0] + q[1]) + np.cos(np.sin(q[1]) + q[0]), {"q": 2})
    found = [str(angle) for angle, _ in early_angles(program).pairs]
    assert len(found) == 2
    assert not any("sin" in text for text in found)


def test_a_far_angle_leaves_its_neighbours_right():
    """One angle of a group beyond the series' range sends all to the C library, within 2 ulp."""
    compiled = compile_program(
        trace(lambda q: np.concatenate([np.sin(q), np.cos(q + 1.0)]), {"q": 6})
    )
    rng = np.random.default_rng(0)
    q = rng.uniform(-3, 3, size=(40, 6))
    q[7, 2], q[20, 5], q[39, 0] = 3e5, -1e17, 1e300
    expected = np.concatenate([np.sin(q), np.cos(q + 1.0)], axis=-1)
    assert np.abs(compiled(q) - expected).max() <= 4 * EPS
    for row in (0, 7, 20, 39):
        assert np.abs(compiled(q[row]) - expected[row]).max() <= 4 * EPS


def test_sines_may_be_results_themselves():
    """A sine that is an output, or handed out twice, is stored like any other value."""
    compiled = compile_program(
        trace(lambda q: np.array([np.sin(q[0]), np.sin(q[0]), q[0]]), {"q": 1})
    )
    q = np.linspace(-2, 2, 21)[:, None]
    np.testing.assert_allclose(compiled(q), np.hstack([np.sin(q), np.sin(q), q]), rtol=4 * EPS)
    np.testing.assert_array_equal(compiled(q[3]), compiled(q)[3])


def test_quotients_with_one_divisor_keep_their_digits():
    """A shared divisor is inverted once: results are within two roundings of the quotient."""
    compiled = compile_program(trace(lambda x: x[:5] / x[5], {"x": 6}))
    x = np.random.default_rng(0).normal(size=(50, 6))
    np.testing.assert_allclose(compiled(x), x[:, :5] / x[:, 5:], rtol=3 * EPS)
    assert np.isinf(compiled(np.array([1.0, -1, 2, 3, 4, 0.0]))).all()


@pytest.mark.parametrize("size", [31, 32, 33, 36, 37, 64, 101])
def test_long_rows_are_reordered_right(size):
    """Rows long enough to be looped over come back in place, with part of a group at the end."""
    compiled = compile_program(trace(lambda x: x[::-1] * 2.0, {"x": size}))
    for count in (1, 3, 4, 8, 33, 70):
        x = np.random.default_rng(0).normal(size=(count, size))
        np.testing.assert_array_equal(compiled(x), x[:, ::-1] * 2.0)


@pytest.mark.parametrize("batch", [(1, 20_000), (2, 17_000), (3, 1, 17_000), (40_000, 1)])
def test_rows_in_uneven_steps_are_copied_part_by_part(batch):
    """However the batch axes are cut, every row of a large array comes back in its place."""
    compiled = compile_program(trace(lambda x: x * 2.0, {"x": 3}))
    x = np.random.default_rng(0).normal(size=(*batch, 6))[..., ::2]
    np.testing.assert_array_equal(compiled(x), x * 2.0)


@pytest.mark.parametrize("place", [0, 3, 36, 100])
def test_one_infinite_element_anywhere_is_found(place):
    """The sum of 0 x over long rows misses no element, in the last rows either."""
    compiled = compile_program(trace(lambda x: x * 2.0, {"x": 101}))
    for row in (0, 16, 34):
        for bad in (np.nan, np.inf, -np.inf):
            x = np.full((35, 101), 1e308)
            x[row, place] = bad
            with pytest.raises(Exception, match=rf"x\[{row}, {place}\]"):
                compiled(x)
    assert np.isinf(compiled(np.full((35, 101), 1.7e308))).all()


def test_results_that_someone_holds_are_never_written_again(arm):
    """Every result kept, looked at through a view or by a view alone keeps its numbers."""
    states = np.random.default_rng(0).normal(size=(3, 60, 5))
    expected = arm(*states)
    kept = [arm(*states[:, k]) for k in range(20)]
    views = [arm(*states[:, k])[1:] for k in range(20, 40)]
    for k in range(40, 60):
        arm(*states[:, k])
        gc.collect()
    np.testing.assert_array_equal(kept, expected[:20])
    np.testing.assert_array_equal(views, expected[20:40, 1:])
    assert len({x.ctypes.data for x in kept}) == 20


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # NumPy frowns on changing a form
def test_a_result_whose_form_was_changed_is_not_used_again(arm):
    """Read-only, reshaped and retyped results do not come back."""
    q, v, a = np.random.default_rng(0).normal(size=(3, 5))
    expected = arm(q, v, a).copy()
    changes = [
        lambda x: x.setflags(write=False),
        lambda x: setattr(x, "shape", (1, 5)),
        lambda x: setattr(x, "dtype", np.int64),
    ]
    for change in changes:
        for _ in range(3):
            change(arm(q, v, a))
            found = arm(q, v, a)
            assert found.flags.writeable
            assert found.shape == (5,)
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("count", [1, 7, 8, 100, 12_345])
@pytest.mark.parametrize("threads", [2, 5])
def test_pieces_cover_everything_once(count, threads):
    """Pieces follow each other from 0 to the end and get no larger."""
    pieces = list(_pieces(count, 16, threads))
    assert [start for start, _ in pieces] == [0, *(stop for _, stop in pieces[:-1])]
    assert pieces[-1][1] == count
    sizes = [stop - start for start, stop in pieces]
    assert sizes == sorted(sizes, reverse=True)
