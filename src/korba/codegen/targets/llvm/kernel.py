"""The kernel of a program as LLVM text: functions over groups of states held in tiles.

A kernel has the signature

    void name(double *input, ..., double *output, ..., double *scratch, int64 groups)

and works on `groups` vectors of `width` states that lie in tiles of `tile` states: variable j of
group g is at `[g / k][j][g % k]` of an array with the axes tile, variable, vector (k vectors to a
tile). With width and tile 1 an input is one plain vector: that is the scalar kernel. A long
program becomes several functions, each run over a block of groups before the next.
"""

from __future__ import annotations

from dataclasses import dataclass

from korba.codegen.angles import early_angles
from korba.codegen.parts import LONGEST_PART, parts
from korba.codegen.program import Program
from korba.codegen.targets.llvm.angles import AngleWriter
from korba.codegen.targets.llvm.part import (
    BLOCK_TILES,
    Layout,
    PartWriter,
    loop_head,
    pointers,
    row_sizes,
    streams,
)
from korba.expr import Expr

__all__ = ["BLOCK_TILES", "Kernel", "kernel", "pointers", "row_sizes", "streams"]


_SHORT_BLOCK_TILES = 2  # for programs of one part


@dataclass(frozen=True)
class Kernel:
    """LLVM text of a kernel, what it needs declared, and its scratch memory in doubles.

    `block` is the number of tiles that it is best given together: the more the longer it is.
    """

    name: str
    text: str
    needs: frozenset[str]
    scratch: int
    block: int = BLOCK_TILES


def kernel(
    program: Program, name: str, width: int, tile: int, longest: int = LONGEST_PART
) -> Kernel:
    """The kernel of a program for vectors of `width` states in tiles of `tile`."""
    angles = early_angles(program)
    pieces, places = parts(program, angles, longest)
    fetched: set[Expr] | None = set() if len(pieces) > 1 and tile > 1 else None
    layout = Layout(width, tile, places)
    writers = [PartWriter(program, part, layout, fetched) for part in pieces]
    if angles.pairs:
        writers.insert(0, AngleWriter(program, angles, layout, fetched))
    names = [f"{name}_{k}" for k in range(len(writers))] if len(writers) > 1 else [name]
    needs: set[str] = set()
    texts = [writer.text(own, needs) for own, writer in zip(names, writers, strict=True)]
    if len(writers) > 1:
        texts.append(_sequence(program, name, len(writers), width, tile))
    states = BLOCK_TILES * tile if tile > 1 else 1
    block = BLOCK_TILES if len(pieces) > 1 else _SHORT_BLOCK_TILES
    return Kernel(name, "\n".join(texts), frozenset(needs), states * places, block)


def _sequence(program: Program, name: str, count: int, width: int, tile: int) -> str:
    """The function that runs the parts one after the other, block by block."""
    bases = pointers(program)
    lines = [
        *loop_head(program, name),
        "%t = phi i64 [ 0, %entry ], [ %next, %loop ]",
        f"%first = mul i64 %t, {tile // width}",
        "%left = sub i64 %groups, %first",
        f"%few = icmp slt i64 %left, {BLOCK_TILES * tile // width}",
        f"%now = select i1 %few, i64 %left, i64 {BLOCK_TILES * tile // width}",
    ]
    for base, size in zip(bases, row_sizes(program), strict=True):
        lines.append(f"{base}o = mul i64 %t, {size * tile}")
        lines.append(f"{base}g = getelementptr double, ptr {base}, i64 {base}o")
    arguments = ", ".join([*(f"ptr {base}g" for base in bases), "ptr %scratch", "i64 %now"])
    lines += [f"call void @{name}_{k}({arguments})" for k in range(count)]
    lines += [
        f"%next = add i64 %t, {BLOCK_TILES}",
        f"%more = icmp sgt i64 %left, {BLOCK_TILES * tile // width}",
        "br i1 %more, label %loop, label %exit",
        "exit:",
        "ret void",
        "}",
    ]
    return "\n".join(lines)
