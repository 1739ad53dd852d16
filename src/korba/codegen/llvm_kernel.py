"""The kernel of a program as LLVM text: functions over groups of states held in tiles.

A kernel has the signature

    void name(double *input, ..., double *output, ..., double *scratch, int64 groups)

and works on `groups` vectors of `width` states that lie in tiles of `tile` states: variable j of
group g is at `[g / k][j][g % k]` of an array with the axes tile, variable, vector (k vectors to a
tile). With width and tile 1 an input is one plain vector: that is the scalar kernel. A long
program becomes several functions, each run over a block of groups before the next.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from korba.codegen.llvm_math import Writer
from korba.codegen.parts import LONGEST_PART, Part, parts
from korba.codegen.program import Program, whole_power
from korba.expr import Expr

BLOCK_TILES = 4


@dataclass(frozen=True)
class Kernel:
    """LLVM text of a kernel, what it needs declared, and its scratch memory in doubles."""

    name: str
    text: str
    needs: frozenset[str]
    scratch: int


def kernel(
    program: Program, name: str, width: int, tile: int, longest: int = LONGEST_PART
) -> Kernel:
    """The kernel of a program for vectors of `width` states in tiles of `tile`."""
    pieces, places = parts(program, longest)
    needs: set[str] = set()
    texts = []
    fetched: set[Expr] | None = set() if len(pieces) > 1 and tile > 1 else None
    for k, part in enumerate(pieces):
        own = name if len(pieces) == 1 else f"{name}_{k}"
        texts.append(
            _PartWriter(program, part, _Layout(width, tile, places), fetched).text(own, needs)
        )
    if len(pieces) > 1:
        texts.append(_sequence(program, name, len(pieces), width, tile))
    states = BLOCK_TILES * tile if tile > 1 else 1
    return Kernel(name, "\n".join(texts), frozenset(needs), states * places)


def pointers(program: Program) -> list[str]:
    """Names of the kernel's pointers to inputs and outputs."""
    inputs = [f"%in{i}" for i in range(len(program.inputs))]
    return inputs + [f"%out{i}" for i in range(len(program.shapes))]


def row_sizes(program: Program) -> list[int]:
    """Doubles of one state behind each of these pointers."""
    return [size for _, size in program.inputs] + list(program.sizes)


@dataclass(frozen=True)
class _Layout:
    """Lanes of a vector, states of a tile and places of the scratch memory."""

    width: int
    tile: int
    places: int


class _PartWriter:
    """One part of a program as a function that loops over groups."""

    def __init__(
        self, program: Program, part: Part, layout: _Layout, fetched: set[Expr] | None
    ) -> None:
        self.program, self.part, self.fetched = program, part, fetched
        self.width, self.tile, self.places = layout.width, layout.tile, layout.places
        self.out = Writer(layout.width, block="loop")
        self.values: dict[Expr, str] = {}
        self.masks: dict[Expr, str] = {}
        self.sine_pairs = _wanted_angles(part)
        self.output_places = [(k, j) for k, size in enumerate(program.sizes) for j in range(size)]

    def text(self, name: str, needs: set[str]) -> str:
        """The function; `needs` gains what it wants declared."""
        bases = [*pointers(self.program), "%scratch"]
        head = ", ".join(f"ptr noalias {base}" for base in bases)
        lines = [
            f"define internal void @{name}({head}, i64 %groups) nounwind {{",
            "entry:",
            "%empty = icmp sle i64 %groups, 0",
            "br i1 %empty, label %exit, label %loop",
            "loop:",
        ]
        self._body()
        needs |= self.out.used
        steps = [
            "%next = add i64 %g, 1",
            "%more = icmp slt i64 %next, %groups",
            "br i1 %more, label %loop, label %exit",
            "exit:",
            "ret void",
            "}",
        ]
        first = f"%g = phi i64 [ 0, %entry ], [ %next, %{self.out.block} ]"
        return "\n".join([*lines, first, *self._group_pointers(), *self.out.lines, *steps])

    def _group_pointers(self) -> Iterable[str]:
        """Where group g starts behind each pointer."""
        vectors = self.tile // self.width
        yield f"%tile = lshr i64 %g, {vectors.bit_length() - 1}"
        yield f"%half = and i64 %g, {vectors - 1}"
        yield f"%lane = mul i64 %half, {self.width}"
        for name, size in zip(pointers(self.program), row_sizes(self.program), strict=True):
            yield f"{name}o = mul i64 %tile, {size * self.tile}"
            yield f"{name}p = add i64 {name}o, %lane"
            yield f"{name}g = getelementptr double, ptr {name}, i64 {name}p"
        yield f"%scratcho = mul i64 %g, {self.places * self.width}"
        yield "%scratchg = getelementptr double, ptr %scratch, i64 %scratcho"

    def _body(self) -> None:
        for node, places in self.part.outputs.items():
            if not node.args:
                self._store_output(self._value(node), places)
        for node in self.part.nodes:
            value = self._computed(node)
            self.values[node] = value
            if node in self.part.outputs:
                self._store_output(value, self.part.outputs[node])
            if node in self.part.stores:
                self._store(value, "%scratchg", self.part.stores[node] * self.width)

    def _computed(self, node: Expr) -> str:
        out = self.out
        if node.op in ("sin", "cos"):
            self._make_pair(node.args[0])
            return self.values[node]
        if (power := whole_power(node)) is not None:
            return out.whole_power(self._value(node.args[0]), power)
        args = [self._value(arg) for arg in node.args]
        if node.op in ("less", "less_equal"):
            self.masks[node] = out.mask(node.op, *args)
            return out.truth(self.masks[node])
        if node.op == "where" and node.args[0] in self.masks:
            return out.chosen(self.masks[node.args[0]], args[1], args[2])
        return out.operation(node.op, *args)

    def _make_pair(self, angle: Expr) -> None:
        """Sine and cosine of an angle, at the first of them."""
        wanted = self.sine_pairs.pop(angle, {})
        if wanted:
            found = self.out.sincos(self._value(angle), tuple(wanted))
            for op, node in wanted.items():
                self.values[node] = found[op]

    def _value(self, node: Expr) -> str:
        """The name of a value; inputs and values of earlier parts are loaded at first use."""
        known = self.values.get(node)
        if known is not None:
            return known
        if isinstance(node.value, float):
            return self.out.number(node.value)
        if isinstance(node.value, str):
            which, element = self.program.places[node.value]
            loaded = self._load(f"%in{which}g", element * self.tile)
            self._fetch_ahead(node, which, element)
        else:
            loaded = self._load("%scratchg", self.part.loads[node] * self.width)
        self.values[node] = loaded
        return loaded

    def _fetch_ahead(self, node: Expr, which: int, element: int) -> None:
        """Ask for the same input of the next block, in the first part that uses it.

        Parts jump between inputs in a way that the memory cannot foresee.
        """
        if self.fetched is None or node in self.fetched:
            return
        self.fetched.add(node)
        ahead = (BLOCK_TILES * self.program.inputs[which][1] + element) * self.tile
        place = self.out.set(f"getelementptr double, ptr %in{which}g, i64 {ahead}")
        self.out.lines.append(f"call void @llvm.prefetch.p0(ptr {place}, i32 0, i32 3, i32 1)")
        self.out.used.add("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")

    def _load(self, base: str, offset: int) -> str:
        place = self.out.set(f"getelementptr double, ptr {base}, i64 {offset}")
        return self.out.set(f"load {self.out.vector}, ptr {place}, align 8")

    def _store(self, value: str, base: str, offset: int) -> None:
        place = self.out.set(f"getelementptr double, ptr {base}, i64 {offset}")
        self.out.lines.append(f"store {self.out.vector} {value}, ptr {place}, align 8")

    def _store_output(self, value: str, places: tuple[int, ...]) -> None:
        for place in places:
            which, element = self.output_places[place]
            self._store(value, f"%out{which}g", element * self.tile)


def _wanted_angles(part: Part) -> dict[Expr, dict[str, Expr]]:
    """Each angle whose sine or cosine the part computes, with the nodes of these."""
    wanted: dict[Expr, dict[str, Expr]] = {}
    for node in part.nodes:
        if node.op in ("sin", "cos"):
            wanted.setdefault(node.args[0], {})[node.op] = node
    return wanted


def _sequence(program: Program, name: str, count: int, width: int, tile: int) -> str:
    """The function that runs the parts one after the other, block by block."""
    bases = pointers(program)
    head = ", ".join(f"ptr noalias {base}" for base in [*bases, "%scratch"])
    lines = [
        f"define internal void @{name}({head}, i64 %groups) nounwind {{",
        "entry:",
        "%empty = icmp sle i64 %groups, 0",
        "br i1 %empty, label %exit, label %loop",
        "loop:",
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
