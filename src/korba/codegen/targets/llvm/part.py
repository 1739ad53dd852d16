"""One part of a program as an LLVM function that loops over groups of states.

    void name(double *input, ..., double *output, ..., double *scratch, int64 groups)

Values of earlier parts are loaded from the scratch memory, and those of later ones stored there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from korba.codegen.angles import wanted_angles
from korba.codegen.parts import Part
from korba.codegen.program import Formed, Program, whole_power
from korba.codegen.routine.ir import Routine
from korba.codegen.targets.llvm.instructions import Writer
from korba.expr import Expr

BLOCK_TILES = 4
"""Tiles that a long program works on together."""


def pointers(program: Formed) -> list[str]:
    """Names of the kernel's pointers to inputs, outputs and streams."""
    counts = len(program.inputs), len(program.shapes), len(streams(program))
    kinds = zip(("in", "out", "stream"), counts, strict=True)
    return [f"%{kind}{i}" for kind, count in kinds for i in range(count)]


def row_sizes(program: Formed) -> list[int]:
    """Doubles of one state behind each of these pointers; streams are the same for all states."""
    sizes = [size for _, size in program.inputs] + list(program.sizes)
    return sizes + [0] * len(streams(program))


def streams(program: Formed) -> tuple[str, ...]:
    """Names of the streams of a routine; other programs have none."""
    return program.streams if isinstance(program, Routine) else ()


@dataclass(frozen=True)
class Layout:
    """Lanes of a vector, states of a tile and places of the scratch memory."""

    width: int
    tile: int
    places: int


def loop_head(program: Formed, name: str) -> list[str]:
    """The first lines of a function over groups, which does nothing where there are none."""
    head = ", ".join(f"ptr noalias {base}" for base in [*pointers(program), "%scratch"])
    return [
        f"define internal void @{name}({head}, i64 %groups) nounwind {{",
        "entry:",
        "%empty = icmp sle i64 %groups, 0",
        "br i1 %empty, label %exit, label %loop",
        "loop:",
    ]


def over_groups(program: Formed, name: str, body: Iterable[str], block: str = "loop") -> str:
    """A function that runs `body`, which ends in `block`, for every group g."""
    lines = [
        *loop_head(program, name),
        f"%g = phi i64 [ 0, %entry ], [ %next, %{block} ]",
        *body,
        "%next = add i64 %g, 1",
        "%more = icmp slt i64 %next, %groups",
        "br i1 %more, label %loop, label %exit",
        "exit:",
        "ret void",
        "}",
    ]
    return "\n".join(lines)


def group_pointers(program: Formed, width: int, tile: int) -> Iterable[str]:
    """Where group g starts behind each pointer."""
    vectors = tile // width
    yield f"%tile = lshr i64 %g, {vectors.bit_length() - 1}"
    yield f"%half = and i64 %g, {vectors - 1}"
    yield f"%lane = mul i64 %half, {width}"
    for name, size in zip(pointers(program), row_sizes(program), strict=True):
        yield f"{name}o = mul i64 %tile, {size * tile}"
        yield f"{name}p = add i64 {name}o, %lane"
        yield f"{name}g = getelementptr double, ptr {name}, i64 {name}p"


class PartWriter:
    """One part of a program as a function that loops over groups."""

    def __init__(
        self, program: Program, part: Part, layout: Layout, fetched: set[Expr] | None
    ) -> None:
        self.program, self.part, self.fetched = program, part, fetched
        self.width, self.tile, self.places = layout.width, layout.tile, layout.places
        self.out = Writer(layout.width, block="loop")
        self.values: dict[Expr, str] = {}
        self.masks: dict[Expr, str] = {}
        self.sine_pairs = wanted_angles(part.nodes)
        divisors = Counter(node.args[1] for node in part.nodes if node.op == "div")
        self.shared_divisors = {node for node, count in divisors.items() if count > 1}
        self.reciprocals: dict[Expr, str] = {}
        self.output_places = [(k, j) for k, size in enumerate(program.sizes) for j in range(size)]

    def text(self, name: str, needs: set[str]) -> str:
        """The function; `needs` gains what it wants declared."""
        self._body()
        needs |= self.out.used
        scratch = [
            f"%scratcho = mul i64 %g, {self.places * self.width}",
            "%scratchg = getelementptr double, ptr %scratch, i64 %scratcho",
        ]
        begin = group_pointers(self.program, self.width, self.tile)
        body = [*begin, *scratch, *self.out.lines]
        return over_groups(self.program, name, body, self.out.block)

    def _body(self) -> None:
        for node, places in self.part.outputs.items():
            if not node.args or node in self.part.loads:
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
        if node.op == "div" and node.args[1] in self.shared_divisors:
            return out.operation("mul", args[0], self._reciprocal(node.args[1]))
        if node.op in ("less", "less_equal"):
            self.masks[node] = out.mask(node.op, *args)
            return out.truth(self.masks[node])
        if node.op == "where" and node.args[0] in self.masks:
            return out.chosen(self.masks[node.args[0]], args[1], args[2])
        return out.operation(node.op, *args)

    def _reciprocal(self, divisor: Expr) -> str:
        """1/x of a divisor of several quotients: a division takes as long as ten products."""
        if divisor not in self.reciprocals:
            one = self.out.number(1.0)
            self.reciprocals[divisor] = self.out.operation("div", one, self._value(divisor))
        return self.reciprocals[divisor]

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
