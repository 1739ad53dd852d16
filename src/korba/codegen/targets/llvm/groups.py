"""Functions over groups of states held in tiles: what they are given, and where a group begins.

    void name(double *input, ..., double *output, ..., double *stream, ...,
              double *scratch, int64 groups)

is a kernel. It works on one or more `groups`, vectors of `width` states that lie in tiles of
`tile` states: variable j of group g is at `[g / k][j][g % k]` of an array with the axes tile,
variable, vector (k vectors to a tile). With width and tile 1 an input is one plain vector: that is
the scalar kernel. Streams are the same for all states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from korba.codegen.program import Formed
from korba.codegen.targets.llvm.instructions import Writer, hexadecimal

BLOCK_TILES = 4
"""Tiles that a long program works on together."""


@dataclass(frozen=True)
class Layout:
    """Lanes of a vector, states of a tile, and places of a state in the scratch memory.

    `inside` says that a routine calls the kernel, with arrays that lie one group after the other
    and have room for whole blocks of elements.
    """

    width: int
    tile: int
    places: int = 0
    inside: bool = False


@dataclass(frozen=True)
class Kernel:
    """LLVM text of a kernel, and its scratch memory in doubles.

    `block` is the number of tiles that it is best given together: the more the longer it is.
    """

    name: str
    text: str
    scratch: int
    block: int = 1


class Module(set[str]):
    """What a module declares, and the kernels in it that its routines call, by content and layout.

    A program that several routines run is one function.
    """

    def __init__(self) -> None:
        super().__init__()
        self.kernels: dict[tuple[str, Layout], Kernel] = {}

    def called(self, digest: str, layout: Layout, make: Callable[[], Kernel]) -> Kernel:
        """The kernel of a program with that digest; one that is written already has no text."""
        key = digest, layout
        if key in self.kernels:
            return self.kernels[key]
        made = make()
        self.kernels[key] = replace(made, text="")
        return made


def pointers(program: Formed) -> list[str]:
    """Names of the kernel's pointers to inputs, outputs and streams."""
    counts = len(program.inputs), len(program.shapes), len(program.streams)
    kinds = zip(("in", "out", "stream"), counts, strict=True)
    return [f"%{kind}{i}" for kind, count in kinds for i in range(count)]


def row_sizes(program: Formed) -> list[int]:
    """Doubles of one state behind each of these pointers but streams."""
    return [*(size for _, size in program.inputs), *program.sizes]


def typed(values: list[str], kind: str = "ptr") -> str:
    """Arguments or parameters of one type."""
    return ", ".join(f"{kind} {value}" for value in values)


def table(name: str, numbers: Sequence[float]) -> str:
    """Constants in memory: whole numbers, or doubles."""
    items = [f"i32 {x}" if isinstance(x, int) else f"double {hexadecimal(x)}" for x in numbers]
    kind = "i32" if numbers and isinstance(numbers[0], int) else "double"
    return f"@{name} = internal constant [{len(items)} x {kind}] [{', '.join(items)}]"


def over_groups(
    w: Writer,
    program: Formed,
    name: str,
    layout: Layout,
    body: Callable[[str, dict[str, str]], None],
    *,
    step: int = 1,
) -> str:
    """The kernel that `body(g, where it begins behind each pointer)` writes for a group g."""
    vectors = layout.tile // layout.width
    bases, sizes = pointers(program), row_sizes(program)

    def turn(g: str, nothing: list[str]) -> list[str]:
        tile = w.set(f"lshr i64 {g}, {vectors.bit_length() - 1}")
        half = w.set(f"and i64 {g}, {vectors - 1}")
        lane = w.set(f"mul i64 {half}, {layout.width}")
        begin = {base: base for base in bases}
        for base, size in zip(bases, sizes, strict=False):
            offset = w.set(f"mul i64 {tile}, {size * layout.tile}")
            begin[base] = w.at(base, w.set(f"add i64 {offset}, {lane}"))
        body(g, begin)
        return nothing

    w.repeated(turn, "%groups", step)
    head = typed([*bases, "%scratch"], "ptr noalias")
    return w.function(f"internal void @{name}({head}, i64 %groups) nounwind")
