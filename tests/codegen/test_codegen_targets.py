"""Machine code against the reference: every function, every tail, every layout."""

import ctypes
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_programs import EPS, chain_program, random_program

from korba.codegen import (
    Compiled,
    cache_folder,
    compile_program,
    evaluate_program,
    tiles,
    trace,
    untiles,
)
from korba.codegen.callable.batch import Batch
from korba.codegen.targets.llvm.compiler import Compiler, host
from korba.codegen.targets.llvm.machine import NAMES, Library
from korba.codegen.targets.llvm.python import scalar_text
from korba.codegen.targets.llvm.rows import batch_text
from korba.expr.functions import FUNCTIONS
from korba.expr.node import build

SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1e-300,
    -1e-300,
    2.5,
    30.0,
    -30.0,
    1e10,
    np.inf,
    -np.inf,
    np.nan,
]


MANY = 400_003  # enough that threads are used, in uneven shares


@pytest.fixture(scope="module")
def arm():
    return compile_program(chain_program(5))


@pytest.fixture(scope="module")
def every_function():
    """One program whose outputs are all the functions of its three inputs."""
    names = list(FUNCTIONS)

    def formula(x):
        return np.array([build(name, *x[: FUNCTIONS[name].arity]) for name in names])

    return names, compile_program(trace(formula, {"x": 3}))


@settings(max_examples=6)
@given(st.integers(0, 10**6))
def test_random_programs_agree_on_every_target(seed):
    """One state, rows and tiles give what NumPy gives, to rounding."""
    program = random_program(seed)
    compiled = compile_program(program)
    rng = np.random.default_rng(seed)
    q, v = rng.uniform(-2, 2, (21, 3)), rng.uniform(-2, 2, (21, 2))
    expected = evaluate_program(program, q, v)
    in_tiles = compiled.on_tiles(tiles(q), tiles(v))
    for part, rows, tiled in zip(expected, compiled(q, v), in_tiles, strict=True):
        np.testing.assert_allclose(rows, part, rtol=0, atol=1e-11)
        np.testing.assert_array_equal(untiles(tiled, 21), rows.reshape(21, -1))
    for part, single in zip(expected, compiled(q[4], v[4]), strict=True):
        np.testing.assert_allclose(single, part[4], rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_agrees_with_numpy_also_on_special_values(every_function, name):
    """Zeros of both signs, infinities, nans and others: values to 4 ulp, kinds exactly."""
    names, compiled = every_function
    arity, place = FUNCTIONS[name].arity, names.index(name)
    points = np.array(np.meshgrid(SPECIAL, SPECIAL, SPECIAL[:5])).reshape(3, -1).T
    rng = np.random.default_rng(1)
    points = np.concatenate([points, rng.normal(size=(200, 3)), rng.uniform(0, 1, (200, 3))])
    with np.errstate(all="ignore"):
        expected = FUNCTIONS[name].numeric(*points.T[:arity])
    batch = compiled(points, check_finite=False)[:, place]
    np.testing.assert_allclose(batch, expected, rtol=4 * EPS, atol=0)
    single = [compiled(point, check_finite=False)[place] for point in points[:60]]
    np.testing.assert_array_equal(single, batch[:60])


@pytest.mark.parametrize("exponent", [-64.0, -3.0, 2.0, 3.0, 7.0, 64.0, 65.0, 2.5, -1.5])
def test_powers_agree_with_numpy(exponent):
    """Whole powers by products and the others by the C library: to an ulp a product."""
    compiled = compile_program(trace(lambda x: x**exponent, {"x": 1}))
    x = np.linspace(0.1, 3.0, 40)[:, None]
    np.testing.assert_allclose(compiled(x), x**exponent, rtol=abs(exponent) * EPS + 2 * EPS)


@pytest.mark.parametrize("count", range(21))
def test_every_tail_is_computed_and_nothing_else_is_touched(arm, count):
    """N = 0 ... 20 states: right results, and memory next to the arrays is left alone."""
    rng = np.random.default_rng(count)
    room = np.full((3, count + 2, 5), np.nan)
    room[:, 1:-1] = rng.normal(size=(3, count, 5))
    q, v, a = room[:, 1:-1]
    found = arm(q, v, a)  # a nan read by mistake would be refused
    np.testing.assert_allclose(found, evaluate_program(arm.program, q, v, a), rtol=0, atol=1e-12)
    results = np.full((count + 2, 5), 7.0)
    if count:
        arm._batch.on_rows((count,), [q, v, a], [results[1:-1]], 1)
        np.testing.assert_array_equal(results[1:-1], found)
    assert (results[[0, -1]] == 7.0).all()
    np.testing.assert_array_equal(untiles(arm.on_tiles(tiles(q), tiles(v), tiles(a)), count), found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Python warns of threads at a fork
def test_a_forked_process_starts_its_own_threads(arm):
    """After a fork, threads work in the child as in the parent."""
    q, v, a = np.random.default_rng(0).normal(size=(3, MANY, 5))
    expected = arm(q, v, a, threads=2)
    child = os.fork()
    if child == 0:
        same = np.array_equal(arm(q, v, a, threads=2), expected)
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 8, 9, 17])
def test_every_row_length_is_reordered_right(size):
    """Rows shorter than, equal to and longer than a vector come back in place."""
    compiled = compile_program(trace(lambda x: x[::-1] * 2.0, {"x": size}))
    x = np.random.default_rng(0).normal(size=(35, size))
    np.testing.assert_array_equal(compiled(x), x[:, ::-1] * 2.0)


@pytest.mark.parametrize(
    ("q", "v", "a"),
    [
        ((5,), (4, 5), (4, 5)),
        ((4, 5), (5,), (1, 5)),
        ((3, 1, 5), (4, 5), (5,)),
        ((3, 4, 5), (1, 4, 5), (3, 1, 5)),
        ((0, 5), (5,), (0, 5)),
        ((2, 0, 5), (5,), (2, 1, 5)),
        ((1, 5), (1, 5), (1, 1, 5)),
        ((700, 1, 5), (30, 5), (5,)),
    ],
)
def test_leading_axes_broadcast_as_in_numpy(arm, q, v, a):
    """Results have the broadcast leading axes and the values of the broadcast inputs."""
    rng = np.random.default_rng(0)
    given_ = [rng.normal(size=shape) for shape in (q, v, a)]
    batch = np.broadcast_shapes(q[:-1], v[:-1], a[:-1])
    found = arm(*given_)
    assert found.shape == (*batch, 5)
    whole = [np.ascontiguousarray(np.broadcast_to(array, (*batch, 5))) for array in given_]
    np.testing.assert_array_equal(found, arm(*whole))


def test_arrays_in_any_order_of_memory_are_read_right(arm):
    """Transposed, reversed, strided, misaligned, byte-swapped and read-only arrays are inputs."""
    rng = np.random.default_rng(0)
    q = rng.normal(size=(20, 5))
    v, a = rng.normal(size=(2, 20, 5))
    expected = arm(q, v, a)
    misaligned = np.zeros(20 * 5 * 8 + 1, dtype=np.uint8)[1:].view(float).reshape(20, 5)
    misaligned[:] = q
    locked = q.copy()
    locked.flags.writeable = False
    wide = np.zeros((40, 10))
    wide[::2, ::2] = q
    block = np.zeros((20, 9))
    block[:, 2:7] = q
    variants = [
        np.asfortranarray(q),
        q[::-1].copy()[::-1],
        q[:, ::-1].copy()[:, ::-1],
        wide[::2, ::2],
        block[:, 2:7],
        misaligned,
        q.astype(">f8"),
        locked,
    ]
    for variant in variants:
        np.testing.assert_array_equal(arm(variant, v, a), expected)
        np.testing.assert_array_equal(arm(variant[3], v[3], a[3]), arm(q[3], v[3], a[3]))


def test_numbers_of_other_kinds_are_converted(arm):
    """Lists, integers and single precision count as the same numbers in double precision."""
    ones, zeros = np.ones(5), np.zeros(5)
    expected = arm(ones, zeros, zeros)
    np.testing.assert_array_equal(arm([1] * 5, [0] * 5, zeros.astype(np.float32)), expected)
    np.testing.assert_array_equal(arm(ones.astype(np.int8), zeros, zeros), expected)


def test_programs_cut_into_parts_give_the_same_numbers():
    """Parts of 40 operations with scratch memory between them change nothing, at any width."""
    program = chain_program(12)
    q, v, a = np.random.default_rng(0).normal(size=(3, 77, 12))
    expected = evaluate_program(program, q, v, a)
    for width in (2, 4, 8):
        code = Compiler(host()).object_code(batch_text(program, width, longest=40))
        found = np.empty((77, 12))
        Batch(program.signature, Library(code, host(), NAMES["batch"])).on_rows(
            (77,), [q, v, a], [found], 1
        )
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    code = Compiler(host()).object_code(scalar_text(program, longest=40))
    library = Library(code, host(), NAMES["scalar"])
    run = library.function("scalar", None, *[ctypes.c_void_p] * 4)
    single = np.empty(12)
    run(*[array.ctypes.data for array in (q[5], v[5], a[5], single)])
    np.testing.assert_allclose(single, expected[5], rtol=0, atol=1e-12)


def test_outputs_without_operations_are_filled():
    """Constants, inputs handed through, empty outputs and programs without inputs work."""
    program = trace(lambda q: (q[1], np.array([1.0, 2.0]), np.zeros((0, 3))), {"q": 2})
    compiled = compile_program(program)
    one, two, none = compiled(np.array([3.0, 4.0]))
    assert (one.shape, two.tolist(), none.shape) == ((), [1.0, 2.0], (0, 3))
    one, two, none = compiled(np.arange(20.0).reshape(10, 2))
    np.testing.assert_array_equal(one, np.arange(1.0, 20.0, 2.0))
    assert (two.shape, none.shape) == ((10, 2), (10, 0, 3))
    assert compile_program(trace(lambda: np.array([5.0]), {}))().tolist() == [5.0]


def test_single_states_take_the_direct_entry(arm):
    """After the first single state the call is a built-in function, with the same results."""
    q, v, a = np.random.default_rng(0).normal(size=(3, 5))
    first = compile_program(arm.program)
    slow = first(q, v, a)
    assert type(type(first).__dict__["__call__"]).__name__ == "builtin_function_or_method"
    np.testing.assert_array_equal(first(q, v, a), slow)
    np.testing.assert_array_equal(first(q, v, a, threads=2), slow)
    assert first(np.stack([q] * 3), v, a).shape == (3, 5)
    assert isinstance(first, Compiled)
    assert "q (5), v (5), a (5) -> (5,)" in repr(first)


def test_the_direct_entry_keeps_count_of_references(arm):
    """A hundred thousand calls leave no object behind."""
    import sys

    pair = compile_program(random_program(3))
    q, v = np.ones(3), np.ones(2)
    pair(q, v)
    descr = np.dtype(float)
    before = [sys.getrefcount(item) for item in (q, v, np.ndarray)]
    kind = sys.getrefcount(descr)
    for _ in range(100_000):
        pair(q, v)
    assert [sys.getrefcount(item) for item in (q, v, np.ndarray)] == before
    assert abs(sys.getrefcount(descr) - kind) < 100
    with pytest.raises(TypeError):
        pair(q, v, wrong=1)


def test_the_address_is_a_plain_c_function(arm):
    """Native code calls f(double*, ..., double*) at the address."""
    q, v, a = np.random.default_rng(0).normal(size=(3, 5))
    found = np.empty(5)
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)
    kind(arm.address)(*[array.ctypes.data for array in (q, v, a, found)])
    np.testing.assert_array_equal(found, arm(q, v, a))
    double = ctypes.POINTER(ctypes.c_double)
    arm.pointer(*[array.ctypes.data_as(double) for array in (q, v, a, found)])
    np.testing.assert_array_equal(found, arm(q, v, a))


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_threads_give_the_same_bits(arm, threads):
    """Splitting a batch over threads changes no bit, in rows and in tiles."""
    assert arm._batch._fewest * 7 < MANY
    q, v, a = np.random.default_rng(0).normal(size=(3, MANY, 5))
    np.testing.assert_array_equal(arm(q, v, a, threads=threads), arm(q, v, a))
    held = [tiles(array) for array in (q, v, a)]
    np.testing.assert_array_equal(arm.on_tiles(*held, threads=threads), arm.on_tiles(*held))


def test_a_function_is_called_from_many_threads(arm):
    """Python threads may share one compiled function."""
    from concurrent.futures import ThreadPoolExecutor

    q, v, a = np.random.default_rng(0).normal(size=(3, 500, 5))
    fresh = compile_program(arm.program, cache_folder())
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda k: fresh(q[k:], v[k:], a[k:])[-1], range(60)))
        single = list(pool.map(lambda k: fresh(q[k], v[k], a[k]), range(60)))
    assert all(np.array_equal(item, found[0]) for item in found)
    np.testing.assert_array_equal(single, arm(q, v, a)[:60])
