"""Row-major arrays to tiles and back, as LLVM text: one pair of functions for each row length.

    int64 pack<n>(double *rows, int64 stride, double *tiles, int64 count)
    void unpack<n>(double *rows, int64 stride, double *tiles, int64 count)

Four rows at a time go through registers: four vectors of four neighbours in a row are loaded,
transposed by shuffles, and stored as four columns of a tile. Where n is not a multiple of four,
the last four overlap the ones before. A group of rows that is not full repeats the last row, so
nothing outside the arrays is read or written. `pack` asks for the rows of the next block before it
needs them (beyond the end of an array that does no harm and gets nothing). It tells whether an
input was infinite or not a number, by adding up 0 x for every x: 0, or nan where x is not finite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from korba.codegen.tiles import TILE

_W = 4  # rows and columns transposed together
_V = f"<{_W} x double>"
_ZERO = "zeroinitializer"
_UNROLLED = 8  # transposes written out one after the other; longer rows are looped over
_LANES = range(_W)
_LINE = 8  # doubles of a cache line
_Block = Callable[[str, str, str, str], list[str]]


def pack(n: int, ahead: int) -> str:
    """The function `pack<n>`; `ahead` is how many rows further on it asks for."""
    if n == 0:
        return "define internal i64 @pack0(ptr %a, i64 %b, ptr %c, i64 %d) {\nret i64 0\n}"
    pointers = ", ".join(f"ptr %p{k}" for k in _LANES)
    lines = [
        f"define internal i64 @pack{n}(ptr %rows, i64 %stride, ptr %tiles, i64 %count) "
        "nounwind noinline {",
        "entry:",
        f"%whole = and i64 %count, {-_W}",
        f"%up = add i64 %count, {TILE - 1}",
        f"%end = and i64 %up, {-TILE}",
        "%lastrow = sub i64 %count, 1",
        f"%ahead = mul i64 %stride, {ahead}",
        "%lasto = mul i64 %lastrow, %stride",
        "%last = getelementptr double, ptr %rows, i64 %lasto",
        "br label %group",
        "group:",
        "%r = phi i64 [ 0, %entry ], [ %nextr, %work ]",
        f"%seen = phi {_V} [ {_ZERO}, %entry ], [ %saw, %work ]",
        "%o = mul i64 %r, %stride",
        "%f0 = getelementptr double, ptr %rows, i64 %o",
        *(f"%f{k} = getelementptr double, ptr %f{k - 1}, i64 %stride" for k in _LANES[1:]),
        "%full = icmp slt i64 %r, %whole",
        "br i1 %full, label %work, label %tail",
        "tail:",
    ]
    for k in _LANES:
        lines += [
            f"%i{k} = add i64 %r, {k}",
            f"%past{k} = icmp sgt i64 %i{k}, %lastrow",
            f"%t{k} = select i1 %past{k}, ptr %last, ptr %f{k}",
        ]
    lines += [
        "br label %work",
        "work:",
        *(f"%p{k} = phi ptr [ %f{k}, %group ], [ %t{k}, %tail ]" for k in _LANES),
        *_tile_of_group(n),
        *_fetched(n),
        f"%saw = call {_V} @packgroup{n}({pointers}, ptr %tile, {_V} %seen)",
        f"%nextr = add i64 %r, {_W}",
        "%more = icmp slt i64 %nextr, %end",
        "br i1 %more, label %group, label %look",
        "look:",
        f"%lost = fcmp uno {_V} %saw, {_ZERO}",
        f"%any = call i1 @llvm.vector.reduce.or.v{_W}i1(<{_W} x i1> %lost)",
        "%bad = zext i1 %any to i64",
        "ret i64 %bad",
        "}",
    ]
    return "\n".join([_pack_group(n), *lines])


def unpack(n: int) -> str:
    """The function `unpack<n>`."""
    if n == 0:
        return "define internal void @unpack0(ptr %a, i64 %b, ptr %c, i64 %d) {\nret void\n}"
    pointers = ", ".join(f"ptr %p{k}" for k in _LANES)
    lines = [
        f"define internal void @unpack{n}(ptr %rows, i64 %stride, ptr %tiles, i64 %count) "
        "nounwind noinline {",
        "entry:",
        "br label %group",
        "group:",
        "%r = phi i64 [ 0, %entry ], [ %nextr, %next ]",
        *_tile_of_group(n),
        "%o = mul i64 %r, %stride",
        "%p0 = getelementptr double, ptr %rows, i64 %o",
        *(f"%p{k} = getelementptr double, ptr %p{k - 1}, i64 %stride" for k in _LANES[1:]),
        "%left = sub i64 %count, %r",
        f"%full = icmp sge i64 %left, {_W}",
        "br i1 %full, label %work, label %single",
        "work:",
        f"call void @unpackgroup{n}({pointers}, ptr %tile)",
        "br label %next",
        "single:",
        "%j = phi i64 [ 0, %group ], [ %j2, %single ]",
        "%k = phi i64 [ 0, %group ], [ %k2, %single ]",
        f"%so = mul i64 %j, {TILE}",
        "%sp = add i64 %so, %k",
        "%sd = getelementptr double, ptr %tile, i64 %sp",
        "%sx = load double, ptr %sd, align 8",
        "%sr = mul i64 %k, %stride",
        "%sq = add i64 %sr, %j",
        "%sw = getelementptr double, ptr %p0, i64 %sq",
        "store double %sx, ptr %sw, align 8",
        "%j1 = add i64 %j, 1",
        f"%wrap = icmp sge i64 %j1, {n}",
        "%j2 = select i1 %wrap, i64 0, i64 %j1",
        "%kstep = zext i1 %wrap to i64",
        "%k2 = add i64 %k, %kstep",
        "%mores = icmp slt i64 %k2, %left",
        "br i1 %mores, label %single, label %next",
        "next:",
        f"%nextr = add i64 %r, {_W}",
        "%more = icmp slt i64 %nextr, %count",
        "br i1 %more, label %group, label %exit",
        "exit:",
        "ret void",
        "}",
    ]
    return "\n".join([_unpack_group(n), *lines])


def declarations() -> Iterable[str]:
    """What the functions of this file need declared."""
    yield f"declare {_V} @llvm.fma.v{_W}f64({_V}, {_V}, {_V})"
    yield "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"
    yield f"declare i1 @llvm.vector.reduce.or.v{_W}i1(<{_W} x i1>)"


def _fetched(n: int) -> Iterable[str]:
    """Ask for the four rows `ahead`, cache line by cache line."""
    if n > _W * _UNROLLED:  # the memory sees long rows coming by itself
        return
    for k in _LANES:
        yield f"%n{k} = getelementptr double, ptr %p{k}, i64 %ahead"
        for line in range(0, n, _LINE):
            yield f"%n{k}_{line} = getelementptr double, ptr %n{k}, i64 {line}"
            yield f"call void @llvm.prefetch.p0(ptr %n{k}_{line}, i32 0, i32 3, i32 1)"


def _tile_of_group(n: int) -> list[str]:
    """Where the group of rows that starts with row r begins in the tiles."""
    return [
        f"%t = lshr i64 %r, {TILE.bit_length() - 1}",
        f"%lane = and i64 %r, {TILE - 1}",
        f"%to = mul i64 %t, {n * TILE}",
        "%tp = add i64 %to, %lane",
        "%tile = getelementptr double, ptr %tiles, i64 %tp",
    ]


def _pack_group(n: int) -> str:
    """`packgroup<n>`: four rows into four lanes of a tile."""
    pointers = ", ".join(f"ptr %p{k}" for k in _LANES)
    head = (
        f"define internal {_V} @packgroup{n}({pointers}, ptr %tile, {_V} %a0) nounwind noinline {{"
    )
    if n < _W:
        return "\n".join([head, *_pack_short(n), "}"])
    body, end = _over_columns(n, _pack_block, "%a")
    return "\n".join([head, *body, f"ret {_V} {end}", "}"])


def _unpack_group(n: int) -> str:
    """`unpackgroup<n>`: four lanes of a tile into four rows."""
    pointers = ", ".join(f"ptr %p{k}" for k in _LANES)
    head = f"define internal void @unpackgroup{n}({pointers}, ptr %tile) nounwind noinline {{"
    if n < _W:
        return "\n".join([head, *_unpack_short(n), "ret void", "}"])
    body, _ = _over_columns(n, _unpack_block, "")
    return "\n".join([head, *body, "ret void", "}"])


def _over_columns(n: int, block: _Block, carried: str) -> tuple[list[str], str]:
    """The transposes of rows of n: written out, or a loop and a last one.

    `block(name, column, before, after)` writes one, `carried` names the value handed along.
    """
    starts = [*range(0, n - _W, _W), n - _W]
    lines: list[str] = []
    if len(starts) <= _UNROLLED:
        for k, start in enumerate(starts):
            lines += block(str(k), str(start), f"{carried}{k}", f"{carried}{k + 1}")
        return lines, f"{carried}{len(starts)}"
    lines += [
        "br label %loop",
        "loop:",
        "%j = phi i64 [ 0, %0 ], [ %nextj, %loop ]",
    ]
    if carried:
        lines.append(f"%c = phi {_V} [ {carried}0, %0 ], [ %d, %loop ]")
    lines += block("l", "%j", "%c", "%d")
    lines += [
        f"%nextj = add i64 %j, {_W}",
        f"%morej = icmp slt i64 %nextj, {n - _W}",
        "br i1 %morej, label %loop, label %end",
        "end:",
    ]
    lines += block("e", str(n - _W), "%d", "%e")
    return lines, "%e"


def _pack_block(name: str, column: str, before: str, after: str) -> list[str]:
    """Columns `column`, ... of four rows; the sum of 0 x goes from `before` to `after`."""
    x = [f"%x{name}_{k}" for k in _LANES]
    lines = []
    for k in _LANES:
        lines += [
            f"%q{name}_{k} = getelementptr double, ptr %p{k}, i64 {column}",
            f"{x[k]} = load {_V}, ptr %q{name}_{k}, align 8",
        ]
    columns, made = _transposed(x, name)
    lines += made
    for k, value in enumerate(columns):
        lines += [
            *_column_place(f"%d{name}_{k}", column, k),
            f"store {_V} {value}, ptr %d{name}_{k}, align 8",
        ]
    z = f"%z{name}_"
    fma = f"call {_V} @llvm.fma.v{_W}f64"
    return [
        *lines,
        f"{z}0 = fmul {_V} {x[0]}, {_ZERO}",
        f"{z}1 = {fma}({_V} {x[1]}, {_V} {_ZERO}, {_V} {z}0)",
        f"{z}2 = fmul {_V} {x[2]}, {_ZERO}",
        f"{z}3 = {fma}({_V} {x[3]}, {_V} {_ZERO}, {_V} {z}2)",
        f"{z}4 = fadd {_V} {z}1, {z}3",
        f"{after} = fadd {_V} {before}, {z}4",
    ]


def _unpack_block(name: str, column: str, before: str, after: str) -> list[str]:
    """Columns `column`, ... of four lanes."""
    x = [f"%x{name}_{k}" for k in _LANES]
    lines = []
    for k in _LANES:
        lines += [
            *_column_place(f"%d{name}_{k}", column, k),
            f"{x[k]} = load {_V}, ptr %d{name}_{k}, align 8",
        ]
    rows, made = _transposed(x, name)
    lines += made
    for k, value in enumerate(rows):
        lines += [
            f"%q{name}_{k} = getelementptr double, ptr %p{k}, i64 {column}",
            f"store {_V} {value}, ptr %q{name}_{k}, align 8",
        ]
    return lines


def _column_place(name: str, column: str, k: int) -> list[str]:
    """The address of column `column` + k of the group's lanes in the tile."""
    return [
        f"{name}_o = getelementptr [{TILE} x double], ptr %tile, i64 {column}",
        f"{name} = getelementptr double, ptr {name}_o, i64 {k * TILE}",
    ]


def _pack_short(n: int) -> list[str]:
    """Rows of fewer than four elements, one by one."""
    lines, seen = [], "%a0"
    for j in range(n):
        column = "poison"
        for k in _LANES:
            lines += [
                f"%q{j}_{k} = getelementptr double, ptr %p{k}, i64 {j}",
                f"%x{j}_{k} = load double, ptr %q{j}_{k}, align 8",
                f"%v{j}_{k} = insertelement {_V} {column}, double %x{j}_{k}, i32 {k}",
            ]
            column = f"%v{j}_{k}"
        lines += [
            *_column_place(f"%d{j}", str(j), 0),
            f"store {_V} {column}, ptr %d{j}, align 8",
            f"%z{j} = fmul {_V} {column}, {_ZERO}",
            f"%s{j} = fadd {_V} {seen}, %z{j}",
        ]
        seen = f"%s{j}"
    return [*lines, f"ret {_V} {seen}"]


def _unpack_short(n: int) -> list[str]:
    lines = []
    for j in range(n):
        lines += [*_column_place(f"%d{j}", str(j), 0), f"%c{j} = load {_V}, ptr %d{j}, align 8"]
        for k in _LANES:
            lines += [
                f"%x{j}_{k} = extractelement {_V} %c{j}, i32 {k}",
                f"%q{j}_{k} = getelementptr double, ptr %p{k}, i64 {j}",
                f"store double %x{j}_{k}, ptr %q{j}_{k}, align 8",
            ]
    return lines


def _transposed(names: Sequence[str], tag: str) -> tuple[list[str], list[str]]:
    """The columns of four row vectors, and the shuffles that make them.

    In round s, rows i and i + 2^s exchange their lanes with bit s set and not set; the round
    across the halves of a vector comes first, since it can read its rows from memory.
    """
    lines = []
    current = list(names)
    for distance in (2, 1):
        following = list(current)
        for i in _LANES:
            if i & distance:
                continue
            a, b = current[i], current[i + distance]
            low = [k if not k & distance else _W + k - distance for k in _LANES]
            high = [k + distance if not k & distance else _W + k for k in _LANES]
            for place, lanes in ((i, low), (i + distance, high)):
                name = f"%tr{tag}_{distance}_{place}"
                order = ", ".join(f"i32 {lane}" for lane in lanes)
                lines.append(f"{name} = shufflevector {_V} {a}, {_V} {b}, <{_W} x i32> <{order}>")
                following[place] = name
        current = following
    return current, lines
