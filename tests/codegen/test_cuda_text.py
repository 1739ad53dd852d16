"""CUDA kernels give NumPy's numbers: their text compiled as C++, a thread for each of a warp.

No GPU is needed: `__syncwarp` is a barrier of 32 threads of the processor. Where nvrtc can be had,
it compiles the text too.
"""

import ctypes
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from test_generate import CASES, four_bar

import korba as kb
from korba.codegen import evaluate_program
from korba.codegen.callable import gpu
from korba.codegen.callable.device import OnDevice, placed
from korba.codegen.targets.cuda import BLOCK
from korba.verbs.generated import program_of_verb

SHIM = """
#include <math.h>
#include <pthread.h>
#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(n)
#define __shared__ static
struct Index { unsigned x; };
static thread_local Index threadIdx, blockIdx;
static pthread_barrier_t barriers[32];
static void __syncwarp() { pthread_barrier_wait(&barriers[threadIdx.x / 32]); }
struct Thread { unsigned block, number; long long *a; };
"""
LAUNCH = """
static void *thread_NAME(void *given)
{
  Thread *own = (Thread *)given;
  long long *a = own->a;
  blockIdx.x = own->block;
  threadIdx.x = own->number;
  NAME(ARGUMENTS);
  return 0;
}

extern "C" void launch_NAME(long long count, long long *a)
{
  pthread_t threads[BLOCK];
  Thread own[BLOCK];
  for (unsigned k = 0; k < BLOCK / 32; k++) pthread_barrier_init(&barriers[k], 0, 32);
  for (unsigned block = 0; block * BLOCK < count; block++) {
    for (unsigned k = 0; k < BLOCK; k++) {
      own[k] = {block, k, a};
      pthread_create(&threads[k], 0, thread_NAME, &own[k]);
    }
    for (unsigned k = 0; k < BLOCK; k++) pthread_join(threads[k], 0);
  }
}
"""


@dataclass
class View:
    """A NumPy array as a machine sees it."""

    array: Any

    @property
    def ptr(self):
        return self.array.ctypes.data

    @property
    def shape(self):
        return self.array.shape

    @property
    def strides(self):
        return tuple(step // self.array.itemsize for step in self.array.strides)

    @property
    def dtype(self):
        return self.array.dtype

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Processor:
    """`Machine` by the C++ compiler: arrays are NumPy's."""

    def __init__(self, folder):
        self.folder, self.launched = folder, []

    def viewed(self, array, stream):
        return View(array) if isinstance(array, np.ndarray) else None

    def empty(self, shape, strides, kind, stream):
        room = np.full(max(1, int(np.prod(shape, dtype=int))), np.nan, dtype=kind)
        steps = [step * room.itemsize for step in strides]
        return View(np.lib.stride_tricks.as_strided(room, shape, steps))

    def filled(self, numbers, stream):
        return View(numbers)

    def kernels(self, text, names):
        heads = {name: text.split(f"\n{name}(", 1)[1].split(")\n", 1)[0] for name in names}
        kinds = {
            name: [part.strip().rpartition(" ")[0] for part in head.split(",")]
            for name, head in heads.items()
        }
        launches = [
            LAUNCH.replace("NAME", name)
            .replace("BLOCK", str(BLOCK))
            .replace(
                "ARGUMENTS", ", ".join(f"({kind})a[{k}]" for k, kind in enumerate(kinds[name]))
            )
            for name in names
        ]
        source = self.folder / "kernels.cpp"
        source.write_text(SHIM + text + "".join(launches), encoding="utf-8")
        compiler = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))))
        flags = ["-std=c++11", "-O0", "-w", "-shared", "-fPIC", "-pthread"]
        library = self.folder / "kernels.so"
        subprocess.run([compiler, *flags, source, "-o", library], check=True)
        loaded = ctypes.CDLL(str(library))
        return [(name, getattr(loaded, f"launch_{name}")) for name in names]

    def launch(self, kernel, count, arguments, stream):
        name, function = kernel
        self.launched.append(name)
        given = np.array(arguments, dtype=np.int64)
        function(ctypes.c_longlong(count), ctypes.c_void_p(given.ctypes.data))


def states(program, count, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.uniform(0.1, 0.9, (count, size)) for _, size in program.inputs]


def test_rows_and_steps_of_every_layout(tmp_path):
    """Rows, columns, one row for all, parts of larger arrays: one result, written where it goes."""
    m = four_bar()
    program = program_of_verb(kb.pose, m, {"body": "coupler", "parameters": ("a", "b")}).program
    machine = Processor(tmp_path)
    f = OnDevice(program, machine)
    q, p = states(program, 37)
    expected = evaluate_program(program, q, p)
    wide, slow = np.zeros((37, 9)), np.asfortranarray
    wide[:, 2:6] = q
    layouts = [(q, p), (slow(q), slow(p)), (wide[:, 2:6], p), (q, slow(p))]
    for given in layouts:
        assert_allclose((f(*given)), expected, rtol=0, atol=1e-14)
    assert machine.launched == ["korba_rows", *["korba_steps"] * 3]
    assert_allclose((f(q, p[0])), evaluate_program(program, q, p[0]), rtol=0, atol=1e-14)
    assert_allclose((f(q, p[0].tolist())), evaluate_program(program, q, p[0]), atol=1e-14)
    out = np.full((37, 4, 4), np.nan)
    assert f(q, p, out=out) is out
    assert_allclose(out, expected, rtol=0, atol=1e-14)


def test_single_precision_is_that_of_the_arrays(tmp_path):
    """float32 in, float32 out."""
    program = program_of_verb(kb.pose, four_bar(), {"body": "rocker"}).program
    (q,) = states(program, 5)
    result = OnDevice(program, Processor(tmp_path))(q.astype(np.float32))
    assert result.dtype == np.float32
    assert_allclose(result, evaluate_program(program, q), rtol=0, atol=1e-6)


def test_whole_runs(tmp_path):
    """Steps, conditions and repetitions inside a thread."""
    program = program_of_verb(kb.simulate, four_bar(), {"method": "rk4"}).program
    motion = kb.motion(four_bar(), [0.0, 0.1, 0.2])
    given = [motion.q, motion.v, 0.0, 1e-3, 5.0]
    found = OnDevice(program, Processor(tmp_path))(*given)
    wanted = evaluate_program(program, *(np.atleast_1d(x) for x in given))
    for x, y in zip(found, wanted, strict=True):
        assert_allclose(x, y, rtol=0, atol=1e-12 * max(1.0, np.abs(y).max()))


def test_what_does_not_fit_is_refused(tmp_path):
    """Other kinds, shapes and layouts, in sentences."""
    program = program_of_verb(kb.pose, four_bar(), {"body": "rocker", "parameters": ("a",)}).program
    f = OnDevice(program, Processor(tmp_path))
    q, p = states(program, 6)
    with pytest.raises(kb.KorbaError, match="expected 2 inputs"):
        f(q)
    with pytest.raises(kb.KorbaError, match=r"p: expected shape \(\.\.\., 1\)"):
        f(q, q)
    with pytest.raises(kb.KorbaError, match="float32"):
        f(q, p.astype(np.float32))
    with pytest.raises(kb.KorbaError, match="array on the GPU, got str"):
        f(q, "here")
    with pytest.raises(kb.KorbaError, match="even steps"):
        f(q.reshape(2, 3, 4), p[:3])
    with pytest.raises(kb.KorbaError, match="expected arrays on the GPU"):
        f([0.0] * 4, 0.1)
    with pytest.raises(kb.KorbaError, match="out: expected float64 of shape"):
        f(q, p, out=np.empty((6, 4)))


def test_steps_from_row_to_row():
    """One step for all leading axes together, 0 where a row is the same for all."""
    x = np.zeros((4, 3, 5))
    assert placed("x", View(x), (4, 3))[1:] == (5, 1)
    assert placed("x", View(x[:, :, :1]), (4, 3))[1:] == (5, 1)
    assert placed("x", View(x[0, 0]), (4, 3))[1:] == (0, 1)
    assert placed("x", View(x[:1, :1]), (4, 3))[1:] == (0, 1)
    assert placed("x", View(x.reshape(12, 5).T), (5,))[1:] == (1, 5)
    assert placed("x", View(x), (4,), 2)[1:] == (15, 1)


def test_without_a_gpu_or_its_packages():
    """An error that says what is missing and the way out."""
    try:
        gpu.gpu()
    except kb.KorbaError as error:
        assert "korba[gpu]" in str(error)
    with pytest.raises(kb.StructureError, match="device: expected 'cuda'"):
        kb.compile(kb.pose, four_bar(), device="tpu", body="rocker")


@cache
def nvrtc():
    return pytest.importorskip("cuda.bindings.nvrtc", reason="the extra gpu is not installed")


@pytest.mark.parametrize("case", [*CASES, "a whole run"])
def test_nvrtc_compiles_the_text(case):
    """Every kind of program, where nvrtc can be had."""
    library = nvrtc()
    known = CASES | {"a whole run": lambda: (kb.simulate, four_bar(), {"method": "rk4"})}
    verb, m, options = known[case]()
    text = kb.generate(verb, m, "cuda", name="f", **options).encode()
    try:
        _, program = library.nvrtcCreateProgram(text, b"f.cu", 0, [], [])
    except Exception as error:
        pytest.skip(f"nvrtc is not there: {error}")
    flags = [b"--gpu-architecture=compute_90", b"--std=c++17"]
    (done,) = library.nvrtcCompileProgram(program, len(flags), flags)
    size = library.nvrtcGetProgramLogSize(program)[1]
    log = b" " * size
    library.nvrtcGetProgramLog(program, log)
    assert not int(done), log.decode()
