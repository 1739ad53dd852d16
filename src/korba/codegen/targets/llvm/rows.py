"""The kernel's loop over rows of row-major arrays, as LLVM text.

    int64 rows(double **arrays, int64 *strides, double *scratch, int64 start, int64 stop)

`arrays` points to the inputs and outputs, `strides` tells how many doubles apart their rows are
(0 repeats one row). A block of states, small enough for the first cache, is reordered into tiles
in the scratch memory (pack.py), computed there, and reordered back. The result is not 0
where an input was infinite or not a number: looking costs next to nothing on the way.
"""

from __future__ import annotations

from korba.codegen.routine.ir import AnyProgram
from korba.codegen.targets.llvm.kernel import Kernel, pointers, row_sizes, streams
from korba.codegen.targets.llvm.pack import pack, unpack
from korba.codegen.tiles import TILE

_CACHE = 4000  # doubles of inputs and outputs in a block: half of a first cache


def rows_scratch(program: AnyProgram, tile_kernel: Kernel) -> int:
    """Doubles of scratch memory that `rows` needs."""
    return tile_kernel.scratch + _block(program, tile_kernel) * sum(row_sizes(program))


def rows(program: AnyProgram, tile_kernel: Kernel, width: int) -> str:
    """The function `rows` of a program, with the functions that it calls."""
    inputs = sorted({size for _, size in program.inputs})
    outputs = sorted(set(program.sizes))
    block = _block(program, tile_kernel)
    made = [*(pack(size, block) for size in inputs), *map(unpack, outputs)]
    return "\n".join([*made, _driver(program, tile_kernel.name, width, block)])


def _block(program: AnyProgram, tile_kernel: Kernel) -> int:
    """States that are worked on together."""
    tiles = _CACHE // (TILE * max(1, sum(row_sizes(program))))
    return TILE * max(1, min(tile_kernel.block, tiles))


def _driver(program: AnyProgram, kernel_name: str, width: int, block: int) -> str:
    lines = [
        "define i64 @rows(ptr %arrays, ptr %strides, ptr %scratch, i64 %start, i64 %stop) "
        "nounwind {",
        "entry:",
        *_arrays(program, block),
        "%empty = icmp sge i64 %start, %stop",
        "br i1 %empty, label %exit, label %loop",
        "loop:",
        "%s = phi i64 [ %start, %entry ], [ %next, %loop ]",
        "%bad0 = phi i64 [ 0, %entry ], [ %bad, %loop ]",
        "%left = sub i64 %stop, %s",
        f"%few = icmp slt i64 %left, {block}",
        f"%count = select i1 %few, i64 %left, i64 {block}",
        *_one_block(program, kernel_name, width),
        f"%next = add i64 %s, {block}",
        "%more = icmp slt i64 %next, %stop",
        "br i1 %more, label %loop, label %exit",
        "exit:",
        "%result = phi i64 [ 0, %entry ], [ %bad, %loop ]",
        "ret i64 %result",
        "}",
    ]
    return "\n".join(lines)


def _arrays(program: AnyProgram, block: int) -> list[str]:
    """Base, stride and place in the scratch memory of every array."""
    lines, offset = [], 0
    for k, (base, size) in enumerate(zip(pointers(program), row_sizes(program), strict=True)):
        lines += [
            f"{base}a = getelementptr ptr, ptr %arrays, i64 {k}",
            f"{base} = load ptr, ptr {base}a",
            f"{base}b = getelementptr i64, ptr %strides, i64 {k}",
            f"{base}s = load i64, ptr {base}b",
            f"{base}t = getelementptr double, ptr %scratch, i64 {offset}",
        ]
        offset += block * size
    return [*lines, f"%rest = getelementptr double, ptr %scratch, i64 {offset}"]


def _one_block(program: AnyProgram, kernel_name: str, width: int) -> list[str]:
    """Rows packed into tiles, the kernel called on them, and results unpacked."""
    bases, sizes, inputs = pointers(program), row_sizes(program), len(program.inputs)
    lines = []
    for base in bases:
        lines += [
            f"{base}so = mul i64 %s, {base}s",
            f"{base}sp = getelementptr double, ptr {base}, i64 {base}so",
        ]
    bad = "%bad0"
    for k, (base, size) in enumerate(zip(bases[:inputs], sizes, strict=False)):
        lines += [
            f"%f{k} = call i64 @pack{size}(ptr {base}sp, i64 {base}s, ptr {base}t, i64 %count)",
            f"%bad_{k} = or i64 {bad}, %f{k}",
        ]
        bad = f"%bad_{k}"
    own = len(bases) - len(streams(program))
    packed = [f"ptr {base}t" for base in bases[:own]]
    arguments = ", ".join([*packed, *(f"ptr {base}" for base in bases[own:]), "ptr %rest"])
    lines += [
        f"%bad = or i64 {bad}, 0",
        f"%up = add i64 %count, {width - 1}",
        f"%groups = lshr i64 %up, {width.bit_length() - 1}",
        f"call void @{kernel_name}({arguments}, i64 %groups)",
    ]
    for base, size in zip(bases[inputs:own], sizes[inputs:own], strict=True):
        lines.append(f"call void @unpack{size}(ptr {base}sp, i64 {base}s, ptr {base}t, i64 %count)")
    return lines
