"""The printer for CUDA C: programs of every kind as kernels, a thread for each state of a batch.

    name_rows(count, q, v, ..., out0, ...)            rows of numbers, one after the other
    name_steps(count, q, q_row, q_element, ...)       from row to row, from element to element

Rows go through memory that the threads of a warp share, so that a warp reads and writes whole
lines of memory whatever the length of a row. With steps any layout is taken where it lies:
columns (the variables one after the other, which are read in whole lines as they are), one row for
all states (a step of 0), parts of larger arrays. Inputs are read before results are written.
The text needs no header, so nvrtc takes it as it is.
"""

from __future__ import annotations

from dataclasses import replace

from korba.codegen.routine.ir import AnyProgram
from korba.codegen.targets.c import APART, C, single_precision
from korba.codegen.targets.language import Language
from korba.codegen.targets.target import Target, argument_names
from korba.codegen.targets.text import program_text
from korba.errors import StructureError

BLOCK = 128
"""Threads of a block."""
WIDEST = 32
"""Numbers of a row up to which rows go through shared memory."""

CUDA = replace(
    C,
    helpers={
        key: f"__device__ __forceinline__ {text}" for key, text in C.helpers.items() if key != APART
    },
    head="",
    inner="static __device__ __forceinline__ ",
    outer="static __device__ __forceinline__ ",
    input="const double *__restrict__ {}",
    output="double *__restrict__ {}",
    table="const double {}[] = {{{}}};",
    whole="(long long)({})",
    angles_first=False,
    pair="double {1}, {2}; sincos({0}, &{1}, &{2});",
    unroll='_Pragma("unroll") ',
    longest=8000,
    cut="static __device__ __noinline__ ",
)
FLOAT_CUDA = replace(single_precision(CUDA), pair="float {1}, {2}; sincosf({0}, &{1}, &{2});")

_ROWS = """
/* Rows of N numbers, one for each thread of a warp, in the order of memory: element k of them all
 * is with thread k % 32. `turned` gives every thread its own row, `put` writes them back. Rows of
 * an even length are kept one number apart, so that threads do not meet in a bank. */
#define KORBA_PLACE(k) ((k) + (N % 2 ? 0 : (k) / N))

template <int N>
static __device__ __forceinline__ void
korba_fetched(const double *__restrict__ rows, int here, double *x)
{
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int r = 0; r < N; r++) x[r] = lane + 32 * r < N * here ? rows[lane + 32 * r] : 0.0;
}

template <int N>
static __device__ __forceinline__ void korba_turned(double *tile, int here, double *x)
{
  const int lane = threadIdx.x % 32, own = lane < here ? lane : here - 1;
  __syncwarp();
#pragma unroll
  for (int r = 0; r < N; r++) tile[KORBA_PLACE(lane + 32 * r)] = x[r];
  __syncwarp();
#pragma unroll
  for (int j = 0; j < N; j++) x[j] = tile[own * (N | 1) + j];
}

template <int N>
static __device__ __forceinline__ void
korba_put(double *tile, double *__restrict__ rows, int here, const double *x)
{
  const int lane = threadIdx.x % 32;
  __syncwarp();
#pragma unroll
  for (int j = 0; j < N; j++) tile[lane * (N | 1) + j] = x[j];
  __syncwarp();
#pragma unroll
  for (int r = 0; r < N; r++)
    if (lane + 32 * r < N * here) rows[lane + 32 * r] = tile[KORBA_PLACE(lane + 32 * r)];
}
"""


def kernels_text(program: AnyProgram, name: str) -> str:
    """Both kernels, around the function of one state."""
    if program.streams:
        raise StructureError("generate: rows of any length are not written by threads; take 'c'")
    return _ROWS + _rows_kernel(program, name) + _steps_kernel(program, name)


def _arrays(program: AnyProgram) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Inputs and outputs, with their sizes; empty inputs too."""
    inputs, outputs = argument_names(program)
    given = list(zip(inputs, (size for _, size in program.inputs), strict=True))
    return given, list(zip(outputs, program.sizes, strict=True))


def _rows_kernel(program: AnyProgram, name: str) -> str:
    """Through shared memory where rows are not too wide."""
    given, results = _arrays(program)
    staged = {key for key, size in (*given, *results) if 1 < size <= WIDEST}
    widest = max((size | 1 for key, size in (*given, *results) if key in staged), default=1)
    lines = [f"  double x_{key}[{size or 1}];" for key, size in (*given, *results)]
    for key, size in given:
        if key in staged:
            lines.append(f"  korba_fetched<{size}>({key} + {size} * first, here, x_{key});")
        elif size:
            lines.append(
                f"  for (int j = 0; j < {size}; j++) x_{key}[j] = {key}[{size} * state + j];"
            )
    lines += [
        f"  korba_turned<{size}>(tile, here, x_{key});" for key, size in given if key in staged
    ]
    lines.append(f"  {name}({', '.join(f'x_{key}' for key, _ in (*given, *results))});")
    for key, size in results:
        if key in staged:
            lines.append(f"  korba_put<{size}>(tile, {key} + {size} * first, here, x_{key});")
        elif size:
            lines.append("  if (first + threadIdx.x % 32 < count)")
            lines.append(
                f"    for (int j = 0; j < {size}; j++) {key}[{size} * state + j] = x_{key}[j];"
            )
    pointers = [f"const double *__restrict__ {key}" for key, _ in given]
    pointers += [f"double *__restrict__ {key}" for key, _ in results]
    body = "\n".join(lines)
    return f"""
extern "C" __global__ void __launch_bounds__({BLOCK})
{name}_rows(const long long count, {", ".join(pointers)})
{{
  __shared__ double tiles[{BLOCK // 32}][{32 * widest}];
  double *tile = tiles[threadIdx.x / 32];
  const long long first = (long long)blockIdx.x * {BLOCK} + threadIdx.x / 32 * 32;
  if (first >= count) return;
  const int here = count - first < 32 ? (int)(count - first) : 32;
  const long long state = first + (threadIdx.x % 32 < here ? threadIdx.x % 32 : here - 1);
  (void)tile;
  (void)state;
{body}
}}
"""


def _steps_kernel(program: AnyProgram, name: str) -> str:
    """Each number where its steps say."""
    given, results = _arrays(program)
    lines = [f"  double x_{key}[{size or 1}];" for key, size in (*given, *results)]
    lines += [
        f'  _Pragma("unroll") for (int j = 0; j < {size}; j++) '
        f"x_{key}[j] = {key}[state * {key}_row + j * {key}_element];"
        for key, size in given
        if size
    ]
    lines.append(f"  {name}({', '.join(f'x_{key}' for key, _ in (*given, *results))});")
    lines += [
        f'  _Pragma("unroll") for (int j = 0; j < {size}; j++) '
        f"{key}[state * {key}_row + j * {key}_element] = x_{key}[j];"
        for key, size in results
        if size
    ]
    steps = "const long long {0}_row, const long long {0}_element"
    arrays = [f"const double *__restrict__ {key}, {steps.format(key)}" for key, _ in given]
    arrays += [f"double *__restrict__ {key}, {steps.format(key)}" for key, _ in results]
    body = "\n".join(lines)
    return f"""
extern "C" __global__ void __launch_bounds__({BLOCK})
{name}_steps(const long long count, {", ".join(arrays)})
{{
  const long long state = (long long)blockIdx.x * {BLOCK} + threadIdx.x;
  if (state >= count) return;
{body}
}}
"""


def cuda_text(program: AnyProgram, name: str, language: Language = CUDA) -> str:
    """The function of one state, and the kernels."""
    return program_text(language, program, name) + kernels_text(program, name)


def float_text(program: AnyProgram, name: str) -> str:
    """The same in single precision."""
    kernels = kernels_text(program, name).replace("double", "float").replace("0.0;", "0.0f;")
    return program_text(FLOAT_CUDA, program, name) + kernels


TARGETS = (
    Target("cuda", ".cu", "/*", cuda_text),
    Target("cuda-float", ".cu", "/*", float_text, single=True),
)
