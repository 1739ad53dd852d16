"""The module of a program for many states: its kernel over rows of row-major arrays, or tiles.

    int64 rows(double **arrays, int64 *strides, double *scratch, int64 start, int64 stop)
    void on_tiles(double **arrays, double *scratch, int64 start, int64 stop)
    int64 scratch()

`arrays` points to the inputs and outputs, `strides` tells how many doubles apart their rows are
(0 repeats one row). A block of states, small enough for the first cache, is reordered into tiles
in the scratch memory, computed there, and reordered back. The result is not 0 where something was
infinite or not a number, bit 0 for an input and bit 1 for an output: looking costs next to nothing
on the way. `scratch` tells how many doubles of memory both need. Rows are reordered by one
pair of functions for each row length:

    int64 pack<n>(double *rows, int64 stride, double *tiles, int64 count)
    int64 unpack<n>(double *rows, int64 stride, double *tiles, int64 count)

Four rows at a time go through registers: four vectors of four neighbours in a row are loaded,
transposed by shuffles, and stored as four columns of a tile. Where n is not a multiple of four,
the last four overlap the ones before. A group of rows that is not full repeats the last row, so
nothing outside the arrays is read or written: `pack` fills the tile with copies of the last state,
and `unpack` writes their results, which are the same, to one place. `pack` asks for the rows of
the next block before it needs them. Both tell whether a number was infinite or none, by adding up
0 x for every x: 0, or nan where x is not finite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from korba.codegen.parts import LONGEST_PART
from korba.codegen.routine.ir import AnyProgram
from korba.codegen.targets.llvm.groups import Kernel, Layout, Module, pointers, row_sizes, typed
from korba.codegen.targets.llvm.instructions import Writer, module
from korba.codegen.targets.llvm.routine import any_kernel
from korba.codegen.tiles import TILE

ROWS = 4
"""Rows that are reordered together, and columns."""
_ZERO = "zeroinitializer"
_UNROLLED = 8  # transposes written out one after the other; longer rows are looped over
_LANES = range(ROWS)
_LINE = 8  # doubles of a cache line
_Work = Callable[[list[str], str, list[str]], list[str]]
_ARGUMENTS = "(ptr %rows, i64 %stride, ptr %tiles, i64 %count) nounwind noinline"
_CACHE = 4000  # doubles of inputs and outputs in a block: half of a first cache


def batch_text(program: AnyProgram, width: int, longest: int = LONGEST_PART) -> str:
    """The module of a program for vectors of `width` states."""
    needs = Module()
    many = any_kernel(program, "many", Layout(width, TILE), needs, longest)
    size = sum(row_sizes(program))
    block = TILE * max(1, min(many.block, _CACHE // (TILE * max(1, size))))
    texts = [many.text, _rows(program, many, width, block), _on_tiles(program, many, width)]
    texts += [pack(n, block, needs) for n in sorted({n for _, n in program.inputs})]
    texts += [unpack(n, needs) for n in sorted(set(program.sizes))]
    texts.append(f"define i64 @scratch() {{\nret i64 {many.scratch + block * size}\n}}")
    return module(texts, needs)


def _rows(program: AnyProgram, many: Kernel, width: int, block: int) -> str:
    w, bases, sizes = Writer(1, set()), pointers(program), row_sizes(program)
    inputs, states = len(program.inputs), len(sizes)
    arrays = [_entry(w, "ptr", "%arrays", k) for k in range(len(bases))]
    strides = [_entry(w, "i64", "%strides", k) for k in range(states)]
    offsets = [block * sum(sizes[:k]) for k in range(states + 1)]
    *tiles, rest = [w.at("%scratch", offset) for offset in offsets]
    together = max(width, ROWS)

    def turn(s: str, bad: list[str]) -> list[str]:
        left = w.set(f"sub i64 %stop, {s}")
        few = w.set(f"icmp slt i64 {left}, {block}")
        count = w.set(f"select i1 {few}, i64 {left}, i64 {block}")
        rows = [
            w.at(array, w.set(f"mul i64 {s}, {stride}"))
            for array, stride in zip(arrays, strides, strict=False)
        ]
        given = [
            f"(ptr {row}, i64 {stride}, ptr {tile}, i64 {count})"
            for row, stride, tile in zip(rows, strides, tiles, strict=True)
        ]
        for size, own in zip(sizes[:inputs], given, strict=False):
            bad = [w.set(f"or i64 {bad[0]}, {w.set(f'call i64 @pack{size}{own}')}")]
        full = w.set(f"udiv i64 {w.set(f'add i64 {count}, {together - 1}')}, {together}")
        groups = w.set(f"mul i64 {full}, {together // width}")
        places = typed([*tiles, *arrays[states:], rest])
        w.line(f"call void @{many.name}({places}, i64 {groups})")
        for size, own in zip(sizes[inputs:], given[inputs:], strict=True):
            lost = w.set(f"shl i64 {w.set(f'call i64 @unpack{size}{own}')}, 1")
            bad = [w.set(f"or i64 {bad[0]}, {lost}")]
        return bad

    (bad,) = w.repeated(turn, "%stop", block, ["0"], start="%start", kind="i64")
    head = "ptr %arrays, ptr %strides, ptr %scratch, i64 %start, i64 %stop"
    return w.function(f"i64 @rows({head}) nounwind", f"i64 {bad}")


def _on_tiles(program: AnyProgram, many: Kernel, width: int) -> str:
    w = Writer(1, set())
    count = w.set("sub i64 %stop, %start")
    groups = w.set(f"mul i64 {count}, {TILE // width}")
    places = []
    for k, size in enumerate([*row_sizes(program), *[0] * len(program.streams)]):
        start = w.set(f"mul i64 %start, {size * TILE}")
        places.append(w.at(_entry(w, "ptr", "%arrays", k), start))
    w.line(f"call void @{many.name}({typed([*places, '%scratch'])}, i64 {groups})")
    head = "ptr %arrays, ptr %scratch, i64 %start, i64 %stop"
    return w.function(f"void @on_tiles({head}) nounwind")


def _entry(w: Writer, kind: str, table: str, k: int) -> str:
    """Entry k of a table."""
    return w.set(f"load {kind}, ptr {w.set(f'getelementptr {kind}, ptr {table}, i64 {k}')}")


def pack(n: int, ahead: int, needs: set[str]) -> str:
    """The function `pack<n>`; `ahead` is how many rows further on it asks for."""
    w = Writer(ROWS, needs)
    further = w.set(f"mul i64 %stride, {ahead}")

    def work(rows: list[str], tile: str, seen: list[str]) -> list[str]:
        if n <= ROWS * _UNROLLED:  # the memory sees longer rows coming by itself
            for row in rows:
                beyond = w.at(row, further)
                for line in range(0, n, _LINE):
                    w.fetch(beyond, line)
        if n < ROWS:
            return _pack_short(w, n, rows, tile, seen)
        return _over_columns(w, n, lambda at, sums: _pack_columns(w, at, rows, tile, sums), seen)

    whole = w.set(f"add i64 %count, {TILE - 1}")
    (total,) = _over_groups(w, n, w.set(f"and i64 {whole}, {-TILE}"), work, [_ZERO])
    return w.function(f"internal i64 @pack{n}{_ARGUMENTS}", f"i64 {_lost(w, total)}")


def unpack(n: int, needs: set[str]) -> str:
    """The function `unpack<n>`."""
    w = Writer(ROWS, needs)

    def work(rows: list[str], tile: str, seen: list[str]) -> list[str]:
        if n < ROWS:
            return _unpack_short(w, n, rows, tile, seen)
        return _over_columns(w, n, lambda at, sums: _unpack_columns(w, at, rows, tile, sums), seen)

    (total,) = _over_groups(w, n, "%count", work, [_ZERO])
    return w.function(f"internal i64 @unpack{n}{_ARGUMENTS}", f"i64 {_lost(w, total)}")


def _lost(w: Writer, total: str) -> str:
    """1 where a sum of 0 x is not a number, else 0."""
    lost = w.reduced("or", w.set(f"fcmp uno {w.vector} {total}, {_ZERO}"))
    return w.set(f"zext i1 {lost} to i64")


def _over_groups(w: Writer, n: int, stop: str, work: _Work, first: list[str]) -> list[str]:
    """`carried = work(four rows, their tile, carried)` for all; rows past the last are that one."""
    last = w.set("sub i64 %count, 1")

    def group(r: str, carried: list[str]) -> list[str]:
        past = w.set(f"icmp sgt i64 {r}, {last}")
        own = w.set(f"select i1 {past}, i64 {last}, i64 {r}")
        rows = [w.at("%rows", w.set(f"mul i64 {own}, %stride"))]
        for k in _LANES[:-1]:
            before_last = w.set(f"icmp slt i64 {w.set(f'add i64 {r}, {k}')}, {last}")
            step = w.set(f"select i1 {before_last}, i64 %stride, i64 0")
            rows.append(w.at(rows[-1], step))
        tile = w.set(f"mul i64 {w.set(f'lshr i64 {r}, {TILE.bit_length() - 1}')}, {n * TILE}")
        lane = w.set(f"and i64 {r}, {TILE - 1}")
        return work(rows, w.at("%tiles", w.set(f"add i64 {tile}, {lane}")), carried)

    return w.repeated(group, stop, ROWS, first)


def _over_columns(
    w: Writer, n: int, block: Callable[[str, list[str]], list[str]], carried: list[str]
) -> list[str]:
    """`carried = block(column, carried)` for every four columns: written out, or a loop and one."""
    starts = [*range(0, n - ROWS, ROWS), n - ROWS]
    if len(starts) > _UNROLLED:
        carried = w.repeated(block, str(n - ROWS), ROWS, carried)
        starts = starts[-1:]
    for start in starts:
        carried = block(str(start), carried)
    return carried


def _pack_columns(w: Writer, column: str, rows: list[str], tile: str, seen: list[str]) -> list[str]:
    """Columns `column`, ... of four rows; `seen` is the sum of 0 x."""
    x = [w.load(row, column) for row in rows]
    for k, value in enumerate(_transposed(w, x)):
        w.store(value, *_column(w, tile, column, k))
    return _seen(w, x, seen)


def _unpack_columns(
    w: Writer, column: str, rows: list[str], tile: str, seen: list[str]
) -> list[str]:
    """Columns `column`, ... of four lanes."""
    x = [w.load(*_column(w, tile, column, k)) for k in _LANES]
    for row, value in zip(rows, _transposed(w, x), strict=True):
        w.store(value, row, column)
    return _seen(w, x, seen)


def _seen(w: Writer, x: list[str], seen: list[str]) -> list[str]:
    """The sum of 0 x with four more vectors."""
    pairs = [w.fma(b, _ZERO, w.binary("fmul", a, _ZERO)) for a, b in (x[:2], x[2:])]
    return [w.binary("fadd", seen[0], w.binary("fadd", *pairs))]


def _pack_short(w: Writer, n: int, rows: list[str], tile: str, seen: list[str]) -> list[str]:
    """Rows of fewer than four elements, one by one."""
    one = Writer(1, w.text)
    for j in range(n):
        column = "poison"
        for k, row in enumerate(rows):
            value = one.load(row, j)
            column = w.set(f"insertelement {w.vector} {column}, double {value}, i32 {k}")
        w.store(column, *_column(w, tile, str(j), 0))
        seen = [w.binary("fadd", seen[0], w.binary("fmul", column, _ZERO))]
    return seen


def _unpack_short(w: Writer, n: int, rows: list[str], tile: str, seen: list[str]) -> list[str]:
    one = Writer(1, w.text)
    for j in range(n):
        column = w.load(*_column(w, tile, str(j), 0))
        for k, row in enumerate(rows):
            one.store(w.set(f"extractelement {w.vector} {column}, i32 {k}"), row, j)
        seen = [w.binary("fadd", seen[0], w.binary("fmul", column, _ZERO))]
    return seen


def _column(w: Writer, tile: str, column: str, k: int) -> tuple[str, int]:
    """Base and offset of column `column` + k of the group's lanes in the tile."""
    return w.set(f"getelementptr [{TILE} x double], ptr {tile}, i64 {column}"), k * TILE


def _transposed(w: Writer, rows: Sequence[str]) -> list[str]:
    """The columns of four row vectors.

    In round s, rows i and i + 2^s exchange their lanes with bit s set and not set; the round
    across the halves of a vector comes first, since it can read its rows from memory.
    """
    current = list(rows)
    for distance in (2, 1):
        low = [k if not k & distance else ROWS + k - distance for k in _LANES]
        high = [k + distance if not k & distance else ROWS + k for k in _LANES]
        for i in (lane for lane in _LANES if not lane & distance):
            pair = f"{w.vector} {current[i]}, {w.vector} {current[i + distance]}"
            for place, lanes in ((i, low), (i + distance, high)):
                order = ", ".join(f"i32 {lane}" for lane in lanes)
                current[place] = w.set(f"shufflevector {pair}, <{ROWS} x i32> <{order}>")
    return current
