"""Row-major arrays to tiles and back, as LLVM text, and the kernel's loop over rows.

    int64 rows(double **arrays, int64 *strides, double *scratch, int64 start, int64 stop)

`arrays` points to the inputs and outputs, `strides` tells how many doubles apart their rows are
(0 repeats one row). A block of states is reordered into tiles in the scratch memory by small
transposes in registers, computed there, and reordered back. A block that is not full repeats its
last row, so nothing outside the arrays is read or written. The result is not 0 where an input
was infinite or not a number: looking costs next to nothing while the numbers pass by.
"""

from __future__ import annotations

from collections.abc import Iterable

from korba.codegen.llvm_kernel import BLOCK_TILES, Kernel, pointers, row_sizes
from korba.codegen.llvm_math import vector_type
from korba.codegen.program import Program
from korba.codegen.tiles import TILE

_ZERO = "zeroinitializer"
_WIDEST = 4  # rows and columns transposed together: rows shorter than that go one by one


def rows_scratch(program: Program, tile_kernel: Kernel) -> int:
    """Doubles of scratch memory that `rows` needs."""
    return tile_kernel.scratch + BLOCK_TILES * TILE * sum(row_sizes(program))


def rows(program: Program, tile_kernel: Kernel, width: int) -> str:
    """The function `rows` of a program, with the functions that it calls."""
    narrow = min(width, _WIDEST)
    driver = _driver(program, tile_kernel.name, width)
    return "\n".join([_pack(narrow), _unpack(narrow), driver])


def _driver(program: Program, kernel_name: str, width: int) -> str:
    bases, sizes, block = pointers(program), row_sizes(program), BLOCK_TILES * TILE
    lines = [
        "define i64 @rows(ptr %arrays, ptr %strides, ptr %scratch, i64 %start, i64 %stop) "
        "nounwind {",
        "entry:",
    ]
    offset = 0
    for k, (base, size) in enumerate(zip(bases, sizes, strict=True)):
        lines += [
            f"{base}a = getelementptr ptr, ptr %arrays, i64 {k}",
            f"{base} = load ptr, ptr {base}a",
            f"{base}b = getelementptr i64, ptr %strides, i64 {k}",
            f"{base}s = load i64, ptr {base}b",
            f"{base}t = getelementptr double, ptr %scratch, i64 {offset}",
        ]
        offset += block * size
    lines += [
        f"%rest = getelementptr double, ptr %scratch, i64 {offset}",
        "%empty = icmp sge i64 %start, %stop",
        "br i1 %empty, label %exit, label %loop",
        "loop:",
        "%s = phi i64 [ %start, %entry ], [ %next, %loop ]",
        "%bad0 = phi i64 [ 0, %entry ], [ %bad, %loop ]",
        "%left = sub i64 %stop, %s",
        f"%few = icmp slt i64 %left, {block}",
        f"%count = select i1 %few, i64 %left, i64 {block}",
    ]
    inputs = len(program.inputs)
    for base in bases:
        lines += [
            f"{base}so = mul i64 %s, {base}s",
            f"{base}sp = getelementptr double, ptr {base}, i64 {base}so",
        ]
    for k, (base, size) in enumerate(zip(bases[:inputs], sizes, strict=False)):
        lines.append(
            f"%f{k} = call i64 @pack"
            f"(ptr {base}sp, i64 {base}s, i64 {size}, ptr {base}t, i64 %count)"
        )
    bad = "%bad0"
    for k in range(inputs):
        lines.append(f"%bad_{k} = or i64 {bad}, %f{k}")
        bad = f"%bad_{k}"
    arguments = ", ".join([*(f"ptr {base}t" for base in bases), "ptr %rest"])
    lines += [
        f"%bad = or i64 {bad}, 0",
        f"%up = add i64 %count, {width - 1}",
        f"%groups = lshr i64 %up, {width.bit_length() - 1}",
        f"call void @{kernel_name}({arguments}, i64 %groups)",
    ]
    for base, size in zip(bases[inputs:], sizes[inputs:], strict=True):
        lines.append(
            f"call void @unpack(ptr {base}sp, i64 {base}s, i64 {size}, ptr {base}t, i64 %count)"
        )
    lines += [
        f"%next = add i64 %s, {block}",
        "%more = icmp slt i64 %next, %stop",
        "br i1 %more, label %loop, label %exit",
        "exit:",
        "%result = phi i64 [ 0, %entry ], [ %bad, %loop ]",
        "ret i64 %result",
        "}",
    ]
    return "\n".join(lines)


def _pack(width: int) -> str:
    """`pack(rows, stride, n, tiles, count)`: count rows into tiles; not 0 if one is not finite.

    What is added up is 0 x for every x that passes: 0, or nan where an x is not finite.
    """
    vector, lanes = vector_type(width), range(width)
    lines = [
        "define internal i64 @pack(ptr %rows, i64 %stride, i64 %n, ptr %tiles, i64 %count) "
        "nounwind noinline {",
        "entry:",
        "%none = icmp sle i64 %n, 0",
        f"%short = icmp slt i64 %n, {width}",
        f"%lastcol = sub i64 %n, {width}",
        f"%tilesize = mul i64 %n, {TILE}",
        "%lastrow = sub i64 %count, 1",
        f"%up = add i64 %count, {TILE - 1}",
        f"%end = and i64 %up, {-TILE}",
        "br i1 %none, label %exit, label %group",
        "group:",
        "%r = phi i64 [ 0, %entry ], [ %nextr, %donegroup ]",
        *(f"%g{k} = phi {vector} [ {_ZERO}, %entry ], [ %h{k}, %donegroup ]" for k in lanes),
        f"%t = lshr i64 %r, {TILE.bit_length() - 1}",
        f"%lane = and i64 %r, {TILE - 1}",
        "%to = mul i64 %t, %tilesize",
        "%tp = add i64 %to, %lane",
        "%tile = getelementptr double, ptr %tiles, i64 %tp",
    ]
    for k in lanes:
        lines += [
            f"%i{k} = add i64 %r, {k}",
            f"%past{k} = icmp sgt i64 %i{k}, %lastrow",
            f"%c{k} = select i1 %past{k}, i64 %lastrow, i64 %i{k}",
            f"%o{k} = mul i64 %c{k}, %stride",
            f"%p{k} = getelementptr double, ptr %rows, i64 %o{k}",
        ]
    lines += [
        "br i1 %short, label %single, label %wide",
        "wide:",
        "%j = phi i64 [ 0, %group ], [ %nextj, %wide ]",
        *(f"%w{k} = phi {vector} [ %g{k}, %group ], [ %z{k}, %wide ]" for k in lanes),
        "%overj = icmp sgt i64 %j, %lastcol",
        "%jj = select i1 %overj, i64 %lastcol, i64 %j",
    ]
    for k in lanes:
        lines += [
            f"%q{k} = getelementptr double, ptr %p{k}, i64 %jj",
            f"%x{k} = load {vector}, ptr %q{k}, align 8",
            f"%z{k} = call {vector} @llvm.fma.v{width}f64"
            f"({vector} %x{k}, {vector} {_ZERO}, {vector} %w{k})",
        ]
    columns, made = _transposed([f"%x{k}" for k in lanes], width)
    lines += [*made, f"%do = mul i64 %jj, {TILE}"]
    for k, column in enumerate(columns):
        lines += [
            f"%d{k}o = add i64 %do, {k * TILE}",
            f"%d{k} = getelementptr double, ptr %tile, i64 %d{k}o",
            f"store {vector} {column}, ptr %d{k}, align 8",
        ]
    lines += [
        f"%nextj = add i64 %j, {width}",
        "%morej = icmp slt i64 %nextj, %n",
        "br i1 %morej, label %wide, label %donegroup",
        "single:",
        "%js = phi i64 [ 0, %group ], [ %nextjs, %single ]",
        f"%s0 = phi {vector} [ %g0, %group ], [ %sz, %single ]",
        f"%so = mul i64 %js, {TILE}",
        "%sp = getelementptr double, ptr %tile, i64 %so",
    ]
    column = "poison"
    for k in lanes:
        lines += [
            f"%sq{k} = getelementptr double, ptr %p{k}, i64 %js",
            f"%sx{k} = load double, ptr %sq{k}, align 8",
            f"%sv{k} = insertelement {vector} {column}, double %sx{k}, i32 {k}",
        ]
        column = f"%sv{k}"
    lines += [
        f"store {vector} {column}, ptr %sp, align 8",
        f"%sz = call {vector} @llvm.fma.v{width}f64"
        f"({vector} {column}, {vector} {_ZERO}, {vector} %s0)",
        "%nextjs = add i64 %js, 1",
        "%morejs = icmp slt i64 %nextjs, %n",
        "br i1 %morejs, label %single, label %donegroup",
        "donegroup:",
        f"%h0 = phi {vector} [ %z0, %wide ], [ %sz, %single ]",
        *(f"%h{k} = phi {vector} [ %z{k}, %wide ], [ %g{k}, %single ]" for k in lanes if k),
        f"%nextr = add i64 %r, {width}",
        "%morer = icmp slt i64 %nextr, %end",
        "br i1 %morer, label %group, label %look",
        "look:",
    ]
    total = "%h0"
    for k in lanes[1:]:
        lines.append(f"%sum{k} = fadd {vector} {total}, %h{k}")
        total = f"%sum{k}"
    bits = vector_type(width, "i1")
    lines += [
        f"%lost = fcmp uno {vector} {total}, {_ZERO}",
        f"%any = call i1 @llvm.vector.reduce.or.v{width}i1({bits} %lost)",
        "%bad = zext i1 %any to i64",
        "br label %exit",
        "exit:",
        "%result = phi i64 [ 0, %entry ], [ %bad, %look ]",
        "ret i64 %result",
        "}",
    ]
    return "\n".join(lines)


def _unpack(width: int) -> str:
    """`unpack(rows, stride, n, tiles, count)`: count rows out of tiles."""
    vector = vector_type(width)
    lines = [
        "define internal void @unpack(ptr %rows, i64 %stride, i64 %n, ptr %tiles, i64 %count) "
        "nounwind noinline {",
        "entry:",
        "%none = icmp sle i64 %n, 0",
        f"%short = icmp slt i64 %n, {width}",
        f"%lastcol = sub i64 %n, {width}",
        f"%tilesize = mul i64 %n, {TILE}",
        "br i1 %none, label %exit, label %group",
        "group:",
        "%r = phi i64 [ 0, %entry ], [ %nextr, %donegroup ]",
        f"%t = lshr i64 %r, {TILE.bit_length() - 1}",
        f"%lane = and i64 %r, {TILE - 1}",
        "%to = mul i64 %t, %tilesize",
        "%tp = add i64 %to, %lane",
        "%tile = getelementptr double, ptr %tiles, i64 %tp",
        "%left = sub i64 %count, %r",
        f"%partial = icmp slt i64 %left, {width}",
        f"%here = select i1 %partial, i64 %left, i64 {width}",
        "%slow = or i1 %partial, %short",
    ]
    for k in range(width):
        lines += [
            f"%i{k} = add i64 %r, {k}",
            f"%o{k} = mul i64 %i{k}, %stride",
        ]
    lines += [
        "br i1 %slow, label %single, label %wide",
        "wide:",
        "%j = phi i64 [ 0, %group ], [ %nextj, %wide ]",
        "%overj = icmp sgt i64 %j, %lastcol",
        "%jj = select i1 %overj, i64 %lastcol, i64 %j",
        f"%do = mul i64 %jj, {TILE}",
    ]
    for k in range(width):
        lines += [
            f"%d{k}o = add i64 %do, {k * TILE}",
            f"%d{k} = getelementptr double, ptr %tile, i64 %d{k}o",
            f"%x{k} = load {vector}, ptr %d{k}, align 8",
        ]
    columns, made = _transposed([f"%x{k}" for k in range(width)], width)
    lines += made
    for k, column in enumerate(columns):
        lines += [
            f"%q{k}o = add i64 %o{k}, %jj",
            f"%q{k} = getelementptr double, ptr %rows, i64 %q{k}o",
            f"store {vector} {column}, ptr %q{k}, align 8",
        ]
    lines += [
        f"%nextj = add i64 %j, {width}",
        "%morej = icmp slt i64 %nextj, %n",
        "br i1 %morej, label %wide, label %donegroup",
        "single:",
        "%js = phi i64 [ 0, %group ], [ %js2, %single ]",
        "%ks = phi i64 [ 0, %group ], [ %ks2, %single ]",
        f"%so = mul i64 %js, {TILE}",
        "%sp = add i64 %so, %ks",
        "%sd = getelementptr double, ptr %tile, i64 %sp",
        "%sx = load double, ptr %sd, align 8",
        "%si = add i64 %r, %ks",
        "%sr = mul i64 %si, %stride",
        "%sq = add i64 %sr, %js",
        "%sw = getelementptr double, ptr %rows, i64 %sq",
        "store double %sx, ptr %sw, align 8",
        "%js1 = add i64 %js, 1",
        "%wrap = icmp sge i64 %js1, %n",
        "%js2 = select i1 %wrap, i64 0, i64 %js1",
        "%kstep = zext i1 %wrap to i64",
        "%ks2 = add i64 %ks, %kstep",
        "%mores = icmp slt i64 %ks2, %here",
        "br i1 %mores, label %single, label %donegroup",
        "donegroup:",
        f"%nextr = add i64 %r, {width}",
        "%morer = icmp slt i64 %nextr, %count",
        "br i1 %morer, label %group, label %exit",
        "exit:",
        "ret void",
        "}",
    ]
    return "\n".join(lines)


def _transposed(names: list[str], width: int) -> tuple[list[str], list[str]]:
    """The columns of `width` row vectors, and the shuffles that make them.

    In round s, rows i and i + 2^s exchange their lanes with bit s set and not set.
    """
    vector, lines = vector_type(width), []
    current = list(names)
    distance = 1
    while distance < width:
        following = list(current)
        for i in range(width):
            if i & distance:
                continue
            a, b = current[i], current[i + distance]
            low = [k if not k & distance else width + k - distance for k in range(width)]
            high = [k + distance if not k & distance else width + k for k in range(width)]
            for place, lanes in ((i, low), (i + distance, high)):
                name = f"%tr{distance}_{place}"
                order = ", ".join(f"i32 {lane}" for lane in lanes)
                lines.append(
                    f"{name} = shufflevector {vector} {a}, {vector} {b}, <{width} x i32> <{order}>"
                )
                following[place] = name
        current, distance = following, 2 * distance
    return current, lines


def declarations(width: int) -> Iterable[str]:
    """What the functions of this file need declared."""
    width = min(width, _WIDEST)
    vector, bits = vector_type(width), vector_type(width, "i1")
    yield f"declare {vector} @llvm.fma.v{width}f64({vector}, {vector}, {vector})"
    yield f"declare i1 @llvm.vector.reduce.or.v{width}i1({bits})"
