"""The module of a program for many states: its kernel over rows of row-major arrays, or tiles.

    int64 rows(double **arrays, int64 *strides, double *scratch, int64 start, int64 stop)
    void on_tiles(double **arrays, double *scratch, int64 start, int64 stop)
    int64 scratch()

`arrays` points to the inputs and outputs, `strides` tells how many doubles apart their rows are
(0 repeats one row). A block of states, small enough for the first cache, is reordered into tiles
in the scratch memory (pack.py), computed there, and reordered back. The result is not 0
where an input was infinite or not a number: looking costs next to nothing on the way. `scratch`
tells how many doubles of memory both need.
"""

from __future__ import annotations

from korba.codegen.parts import LONGEST_PART
from korba.codegen.routine.ir import AnyProgram
from korba.codegen.targets.llvm.groups import Kernel, Layout, pointers, row_sizes, typed
from korba.codegen.targets.llvm.instructions import Writer, module
from korba.codegen.targets.llvm.pack import ROWS, pack, unpack
from korba.codegen.targets.llvm.routine import any_kernel
from korba.codegen.tiles import TILE

_CACHE = 4000  # doubles of inputs and outputs in a block: half of a first cache


def batch_text(program: AnyProgram, width: int, longest: int = LONGEST_PART) -> str:
    """The module of a program for vectors of `width` states."""
    needs: set[str] = set()
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
            w.line(f"call void @unpack{size}{own}")
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
