"""The kernel of a straight program as LLVM text.

A long program becomes several functions, each run over a block of groups before the next.
"""

from __future__ import annotations

from dataclasses import replace

from korba.codegen.parts import LONGEST_PART, early_angles, parts
from korba.codegen.program import Program
from korba.codegen.targets.llvm.angles import AngleWriter
from korba.codegen.targets.llvm.groups import BLOCK_TILES, Kernel, Layout, over_groups, typed
from korba.codegen.targets.llvm.instructions import Writer
from korba.codegen.targets.llvm.part import PartWriter

_SHORT_BLOCK_TILES = 2  # for programs of one part


def kernel(
    program: Program, name: str, layout: Layout, needs: set[str], longest: int = LONGEST_PART
) -> Kernel:
    """The kernel of a program; `needs` gains what is to be declared."""
    angles = early_angles(program)
    pieces, places = parts(program, angles, longest)
    long = len(pieces) > 1
    fetched: set[str] | None = set() if long and layout.tile > 1 else None
    layout = replace(layout, places=places)
    writers = [PartWriter(program, part, layout, needs, fetched) for part in pieces]
    if angles.pairs:
        writers.insert(0, AngleWriter(program, angles, layout, needs, fetched))
    names = [f"{name}_{k}" for k in range(len(writers))] if len(writers) > 1 else [name]
    texts = [writer.function(own) for own, writer in zip(names, writers, strict=True)]
    if len(writers) > 1:
        texts.append(_sequence(program, name, names, layout, needs))
    states = BLOCK_TILES * layout.tile if layout.tile > 1 else 1
    block = BLOCK_TILES if long else _SHORT_BLOCK_TILES
    return Kernel(name, "\n".join(texts), states * places, block)


def _sequence(
    program: Program, name: str, parts_of_it: list[str], layout: Layout, needs: set[str]
) -> str:
    """The function that runs the parts one after the other, block by block."""
    w, most = Writer(1, needs), BLOCK_TILES * layout.tile // layout.width

    def block(g: str, begin: dict[str, str]) -> None:
        left = w.set(f"sub i64 %groups, {g}")
        few = w.set(f"icmp slt i64 {left}, {most}")
        now = w.set(f"select i1 {few}, i64 {left}, i64 {most}")
        for part in parts_of_it:
            w.line(f"call void @{part}({typed([*begin.values(), '%scratch'])}, i64 {now})")

    return over_groups(w, program, name, layout, block, step=most)
