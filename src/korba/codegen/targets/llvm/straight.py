"""The kernel of a straight program as LLVM text.

A long program becomes several functions, each run over a block of groups before the next. Values
of earlier parts are loaded from the scratch memory, and those of later ones stored there. The first
part finds sines and cosines of all early angles: in a batch the lanes of a vector are states, and
four angles go through the series side by side; for one state the lanes are angles. Where one angle
is out of the series' range, all of the group are computed by the C library.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from korba.codegen.parts import LONGEST_PART, Angles, Part, early_angles, parts, wanted_angles
from korba.codegen.program import BESIDE, Program
from korba.codegen.targets.llvm.groups import BLOCK_TILES, Kernel, Layout, over_groups, typed
from korba.codegen.targets.llvm.instructions import LIKELY, Writer
from korba.codegen.targets.llvm.sincos import is_small, sincos, small_sincos
from korba.codegen.targets.llvm.values import Scope
from korba.expr import Expr

_SHORT_BLOCK_TILES = 2  # for programs of one part
_TOGETHER = 4  # angles that go through the series side by side


class PartWriter(Scope):
    """One part of a program being written.

    `fetched` are the inputs that parts before have asked for ahead; None where nobody does.
    """

    def __init__(
        self,
        program: Program,
        part: Part,
        layout: Layout,
        needs: set[str],
        fetched: set[str] | None = None,
    ) -> None:
        super().__init__(Writer(layout.width, needs))
        self.program, self.part, self.fetched = program, part, fetched
        self.layout, self.width, self.tile = layout, layout.width, layout.tile
        self.begin: dict[str, str] = {}
        self.scratch = ""
        self.sine_pairs = wanted_angles(part.nodes)
        divisors = Counter(node.args[1] for node in part.nodes if node.op == "div")
        self.shared_divisors = {node for node, count in divisors.items() if count > 1}
        self.reciprocals: dict[Expr, str] = {}
        self.output_places = [(k, j) for k, size in enumerate(program.sizes) for j in range(size)]

    def function(self, name: str) -> str:
        """The function over groups."""

        def group(g: str, begin: dict[str, str]) -> None:
            offset = self.out.set(f"mul i64 {g}, {self.layout.places * self.width}")
            self.begin, self.scratch = begin, self.out.at("%scratch", offset)
            self.body()

        return over_groups(self.out, self.program, name, self.layout, group)

    def body(self) -> None:
        """All of the part, for one group."""
        for node, places in self.part.outputs.items():
            if not node.args or node in self.part.loads:
                self.store_output(self.value(node), places)
        for node in self.part.nodes:
            value = self.value(node)
            if node in self.part.outputs:
                self.store_output(value, self.part.outputs[node])
            if node in self.part.stores:
                self.out.store(value, self.scratch, self.part.stores[node] * self.width)

    def known(self, node: Expr) -> str | None:
        """The name of a value; that of an earlier part is loaded at first use."""
        found = self.values.get(node)
        if found is None and node in self.part.loads:
            found = self.out.load(self.scratch, self.part.loads[node] * self.width)
            self.values[node] = found
        return found

    def known_mask(self, node: Expr) -> str | None:
        """The bits of a condition; of an earlier part they come as 0.0 and 1.0."""
        if node in self.part.loads and node not in self.masks:
            zero = self.out.number(0.0)
            self.masks[node] = self.out.set(
                f"fcmp une {self.out.vector} {self.value(node)}, {zero}"
            )
        return self.masks.get(node)

    def computed(self, node: Expr) -> str:
        """Sine and cosine are made together, quotients with one divisor by its reciprocal."""
        if node.op in ("sin", "cos"):
            wanted = self.sine_pairs[node.args[0]]
            pair = sincos(self.out, self.value(node.args[0]), tuple(wanted))
            self.values.update((wanted[op], value) for op, value in pair.items())
            return self.values[node]
        if node.op == "div" and node.args[1] in self.shared_divisors:
            above, below = node.args
            if below not in self.reciprocals:
                one = self.out.number(1.0)
                self.reciprocals[below] = self.out.operation("div", one, self.value(below))
            return self.out.operation("mul", self.value(above), self.reciprocals[below])
        return super().computed(node)

    def variable(self, name: str) -> str:
        """An input, loaded.

        The first part that uses it asks for that of the next block too: parts jump between inputs
        in a way that the memory cannot foresee.
        """
        which, element = self.program.places[name]
        if which < 0:
            return self.out.beside(BESIDE, element)
        base = self.begin[f"%in{which}"]
        loaded = self.out.load(base, element * self.tile)
        if self.fetched is not None and name not in self.fetched:
            self.fetched.add(name)
            ahead = BLOCK_TILES * self.program.inputs[which][1] + element
            self.out.fetch(base, ahead * self.tile)
        return loaded

    def store_output(self, value: str, places: tuple[int, ...]) -> None:
        """Write a result to where it is wanted."""
        for place in places:
            which, element = self.output_places[place]
            self.out.store(value, self.begin[f"%out{which}"], element * self.tile)


class AngleWriter(PartWriter):
    """A function that computes the early angles' sines and cosines, group by group."""

    def __init__(
        self,
        program: Program,
        angles: Angles,
        layout: Layout,
        needs: set[str],
        fetched: set[str] | None,
    ) -> None:
        super().__init__(program, Part(angles.nodes, {}, {}, {}), layout, needs, fetched)
        self.angles = angles

    def body(self) -> None:
        """The angles, and one test for all of them."""
        super().body()
        out, values = self.out, [self.value(angle) for angle, _ in self.angles.pairs]
        small = is_small(out, values[0])
        for value in values[1:]:
            small = out.set(f"and {out.bits} {small}, {is_small(out, value)}")
        near, far, done = out.label(), out.label(), out.label()
        out.go(near, out.reduced("and", small), far, LIKELY)
        out.start(near)
        starts = range(0, len(values), _TOGETHER)
        if self.width == 1:
            wide = Writer(_TOGETHER, out.text)
            vectors = [self._across(wide, k, values[k : k + _TOGETHER]) for k in starts]
            for k, pair in zip(starts, small_sincos(wide, vectors), strict=True):
                self._store_pair(wide, k, pair)
        else:
            for start in starts:
                stop = min(start + _TOGETHER, len(values))
                angles = [self._fresh(k, values[k]) for k in range(start, stop)]
                for k, pair in enumerate(small_sincos(out, angles), start):
                    self._store_pair(out, k, pair)
        out.go(done)
        out.start(far)
        for k in range(len(values)):
            value = self._fresh(k, values[k])
            pair = out.library_call("sin", value), out.library_call("cos", value)
            self._store_pair(out, k, pair)
        out.go(done)
        out.start(done)

    def _across(self, wide: Writer, start: int, values: list[str]) -> str:
        """Four angles of one state in a vector: loaded as they lie, if they lie so."""
        angles = [angle for angle, _ in self.angles.pairs[start : start + _TOGETHER]]
        places = [self.program.places.get(str(angle.value), (-1, -1)) for angle in angles]
        which, first = places[0]
        if places == [(which, first + k) for k in range(_TOGETHER)] and which >= 0:
            return wide.load(self.begin[f"%in{which}"], first)
        vector = "zeroinitializer"
        for k, value in enumerate(values):
            vector = wide.set(f"insertelement {wide.vector} {vector}, double {value}, i32 {k}")
        return vector

    def _fresh(self, k: int, value: str) -> str:
        """An input loaded again, rather than held since the test."""
        angle = self.angles.pairs[k][0]
        return self.variable(angle.value) if isinstance(angle.value, str) else value

    def _store_pair(self, out: Writer, k: int, pair: tuple[str, str]) -> None:
        for value, place in zip(pair, (k, self.angles.padded + k), strict=True):
            out.store(value, self.scratch, place * self.width)


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
    if program.beside:
        texts.append(f"@{BESIDE} = global [{program.beside} x double] zeroinitializer")
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
