"""One part of a program as an LLVM function over groups of states.

Values of earlier parts are loaded from the scratch memory, and those of later ones stored there.
"""

from __future__ import annotations

from collections import Counter

from korba.codegen.parts import Part, wanted_angles
from korba.codegen.program import Program
from korba.codegen.targets.llvm.groups import BLOCK_TILES, Layout, over_groups
from korba.codegen.targets.llvm.instructions import Writer
from korba.codegen.targets.llvm.sincos import sincos
from korba.codegen.targets.llvm.values import Scope
from korba.expr import Expr


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
