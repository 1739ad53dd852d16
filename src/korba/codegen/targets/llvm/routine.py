"""A routine as LLVM text, for one state or for a vector of states side by side.

Numbers are values of LLVM, what a repetition carries is a phi, arrays lie in the scratch memory
(routine_elements.py). For `width` states every number has `width` lanes; `active` says which lanes
take part in the block at hand:

    Repeat   goes on while any lane does; what the others carry stays
    Choose   runs a block where any lane wants it, and takes each lane's results from its own
    Get, Put gather and scatter for the lanes that take part
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from korba.codegen.parts import LONGEST_PART
from korba.codegen.repetition import Repetition
from korba.codegen.routine import ir
from korba.codegen.targets.llvm.groups import (
    Kernel,
    Layout,
    Module,
    over_groups,
    pointers,
    typed,
)
from korba.codegen.targets.llvm.instructions import Writer, vector_type
from korba.codegen.targets.llvm.repetition import repetition_kernel
from korba.codegen.targets.llvm.routine_elements import ElementWriter
from korba.codegen.targets.llvm.straight import kernel
from korba.codegen.targets.llvm.values import Scope, is_truth
from korba.expr import Expr
from korba.expr.node import postorder

_Ends = list[tuple[Expr | ir.Array, Expr]]
"""What is carried, each with the value that it gets."""


def any_kernel(
    program: ir.AnyProgram, name: str, layout: Layout, needs: Module, longest: int = LONGEST_PART
) -> Kernel:
    """The kernel of a program of any kind; `needs` gains what is to be declared."""
    if isinstance(program, ir.Routine):
        return routine_kernel(program, name, layout, needs)
    if isinstance(program, Repetition):
        return repetition_kernel(program, name, layout, needs)
    return kernel(program, name, layout, needs, longest)


def routine_kernel(routine: ir.Routine, name: str, layout: Layout, needs: Module) -> Kernel:
    """The kernel of a routine; its memory holds its arrays, then that of the programs it runs."""
    inner = Layout(layout.width, layout.width, inside=True)
    called = {
        program: needs.called(
            program.digest, inner, partial(any_kernel, program, f"{name}_p{k}", inner, needs)
        )
        for k, program in enumerate(routine.programs)
    }
    writer = RoutineWriter(routine, name, layout, needs, called)
    own, w = writer.written(), Writer(1, needs)

    def group(_: str, begin: dict[str, str]) -> None:
        w.line(f"call void @{name}_one({typed([*begin.values(), '%scratch'])})")

    texts = [*(each.text for each in called.values() if each.text), own]
    texts.append(over_groups(w, routine, name, layout, group))
    scratch = max((each.scratch for each in called.values()), default=0)
    return Kernel(name, "\n".join(texts), writer.memory.size * layout.width + scratch)


class RoutineWriter(ElementWriter):
    """The statements of a routine being written; `called` are the kernels of its programs."""

    def __init__(
        self,
        routine: ir.Routine,
        name: str,
        layout: Layout,
        needs: set[str],
        called: dict[ir.AnyProgram, Kernel],
    ) -> None:
        super().__init__(routine, name, layout.width, needs, layout.inside)
        self.layout, self.called = layout, called
        self.active = ""
        """The mask of lanes that take part; empty where all do."""

    def written(self) -> str:
        """The function for one group of states, and its tables."""
        routine, out = self.routine, self.out
        if not self.layout.inside:
            for base, own in self._ends("%in", routine.arguments):
                out.store(out.load(*base), *own)
        self.block(routine.body)
        if not self.layout.inside:
            for base, own in self._ends("%out", routine.results):
                out.store(out.load(*own), *base)
        bases = typed([*pointers(routine), "%scratch"], "ptr noalias")
        own = out.function(f"internal void @{self.name}_one({bases}) nounwind")
        return "\n".join([*map(self.table, routine.tables), own])

    def _ends(self, base: str, arrays: tuple[ir.Array, ...]) -> Iterator[tuple[Any, Any]]:
        """Elements of inputs or results: where they are outside, and where in the memory."""
        for k, array in enumerate(arrays):
            for j in range(array.size):
                yield (f"{base}{k}", j * self.layout.tile), self.place(array, j)

    def block(self, statements: ir.Block) -> None:
        """Statements one after the other."""
        for s in statements:
            getattr(self, f"_{type(s).__name__.lower()}")(s)

    @contextmanager
    def _inside(self, active: str) -> Iterator[None]:
        """A block that only some lanes take part in."""
        before = self.scope, self.active
        self.scope, self.active = Scope(self.out, self.scope), active
        yield
        self.scope, self.active = before

    # programs and streams

    def _run(self, s: ir.Run) -> None:
        places = [self.out.at(*self.place(array)) for array in (*s.reads, *s.writes)]
        rest = self.out.at("%scratch", self.memory.size * self.width)
        name = self.called[s.program].name
        self.out.line(f"call void @{name}({typed([*places, rest])}, i64 1)")

    def _get(self, s: ir.Get) -> None:
        out = self.out
        if isinstance(s.source, ir.Array):
            at = int(s.index.value)  # type: ignore[arg-type]
            self.scope.values[s.number] = out.load(*self.place(s.source, at))
            return
        place = self._address(s.source, self._whole(self.scope.value(s.index)))
        if self.width == 1:
            value = out.load(place)
        else:  # lanes that take no part must not read outside
            mask, name = self.active or out.bit(True), f"llvm.masked.gather.v{self.width}f64.v"
            given = (self._pointers, place), ("i32", "8"), (out.bits, mask)
            rest = out.vector, out.number(0.0)
            value = out.call(out.vector, f"{name}{self.width}p0", *given, rest)
        self.scope.values[s.number] = value

    def _put(self, s: ir.Put) -> None:
        out = self.out
        mask = self._with_active(self.scope.mask(s.when))
        length = out.integer(sum(array.size for array in s.row))
        row = out.set(f"mul {out.whole} {self._whole(self.scope.value(s.index))}, {length}")
        write, after = out.label(), out.label()
        out.go(write, out.reduced("or", mask), after)
        out.start(write)
        first = self._address(s.stream, row)
        places = [self.place(array, j) for array in s.row for j in range(array.size)]
        for j, place in enumerate(places):
            value = out.load(*place)
            to = out.set(f"getelementptr double, {self._pointers} {first}, i64 {j}")
            if self.width == 1:
                out.store(value, to)
            else:
                name = f"llvm.masked.scatter.v{self.width}f64.v{self.width}p0"
                given = (out.vector, value), (self._pointers, to), ("i32", "8"), (out.bits, mask)
                out.call("void", name, *given)
        out.go(after)
        out.start(after)

    @property
    def _pointers(self) -> str:
        return vector_type(self.width, "ptr")

    def _address(self, stream: str, index: str) -> str:
        base = self.routine.streams.index(stream)
        return self.out.set(f"getelementptr double, ptr %stream{base}, {self.out.whole} {index}")

    def _whole(self, value: str) -> str:
        """Whole numbers of doubles; of nan 0."""
        lanes = "" if self.width == 1 else f"v{self.width}"
        name = f"llvm.fptosi.sat.{lanes}i64.{lanes}f64"
        return self.out.call(self.out.whole, name, (self.out.vector, value))

    # control of flow

    def _with_active(self, mask: str) -> str:
        return self.out.set(f"and {self.out.bits} {mask}, {self.active}") if self.active else mask

    def _repeat(self, s: ir.Repeat) -> None:
        out = self.out
        self.assign((carry.own, carry.first) for carry in ir.arrays(s.carries))
        own = ir.numbers(s.carries)
        starts = [self.scope.value(carry.first) for carry in own]
        self._compute_unchanged(s)
        head, body, after, before = out.label(), out.label(), out.label(), out.text.block
        out.go(head)
        out.start(head)
        place = len(out.text.lines)
        names = [f"%{head}_{carry.own.value}" for carry in own]
        self.scope.values |= {carry.own: name for carry, name in zip(own, names, strict=True)}
        with self._inside(self.active):
            self.block(s.test)
            mask = self._with_active(self.scope.mask(s.condition))
            out.go(body, out.reduced("or", mask), after)
        out.start(body)
        keep = "" if self.width == 1 else mask
        with self._inside(keep):
            self.block(s.body)
            new = [self.scope.value(carry.second) for carry in own]
            if keep:
                new = [out.chosen(keep, x, old) for x, old in zip(new, names, strict=True)]
            self.assign(((carry.own, carry.second) for carry in ir.arrays(s.carries)), keep)
        out.go(head)
        ways = [
            ((first, before), (x, out.text.block)) for first, x in zip(starts, new, strict=True)
        ]
        out.insert_phis(place, names, ways)
        out.start(after)

    def _compute_unchanged(self, s: ir.Repeat) -> None:
        """Numbers that do not change in the repetition are computed before it."""
        inner = [x for each in ir.walked((*s.test, *s.body)) for x in ir.used(each)]
        ready: dict[Expr, bool] = {}
        for node in postorder([*inner, s.condition, *(carry.second for carry in s.carries)]):
            if isinstance(node.value, str):
                ready[node] = self.scope.known(node) is not None
            else:
                ready[node] = all(ready[arg] for arg in node.args)
                if ready[node] and not is_truth(node):
                    self.scope.value(node)

    def _choose(self, s: ir.Choose) -> None:
        out, own = self.out, ir.numbers(s.carries)
        mask = self.scope.mask(s.condition)
        sides = [
            (s.yes, [(carry.own, carry.first) for carry in s.carries]),
            (s.no, [(carry.own, carry.second) for carry in s.carries]),
        ]
        if self.width == 1:
            labels, after = [out.label(), out.label()], out.label()
            out.go(labels[0], mask, labels[1])
            ways = [
                self._side(*side, label, after) for side, label in zip(sides, labels, strict=True)
            ]
            out.start(after)
            self.scope.values |= {
                carry.own: out.phi(*way) for carry, *way in zip(own, *ways, strict=True)
            }
            return
        yes = self._with_active(mask)
        no = self._with_active(out.set(f"xor {out.bits} {mask}, {out.bit(True)}"))
        a, b = self._where_any(yes, *sides[0]), self._where_any(no, *sides[1], keep=no)
        for carry, x, y in zip(own, a, b, strict=True):
            self.scope.values[carry.own] = out.chosen(yes, x, y)

    def _where_any(self, mask: str, block: ir.Block, ends: _Ends, keep: str = "") -> list[str]:
        """A block where any lane wants it; the numbers it ends with.

        Arrays get their values too, in all lanes or those of `keep`.
        """
        if not block and not any(isinstance(own, ir.Array) for own, _ in ends):
            return [self.scope.value(x) for _, x in ends]
        out = self.out
        run, after, before = out.label(), out.label(), out.text.block
        out.go(run, out.reduced("or", mask), after)
        values = self._side(block, ends, run, after, active=mask, keep=keep)
        out.start(after)
        nothing = out.number(0.0), before
        return [out.phi(nothing, way) for way in values]

    def _side(
        self,
        block: ir.Block,
        ends: _Ends,
        label: str,
        after: str,
        *,
        active: str = "",
        keep: str = "",
    ) -> list[tuple[str, str]]:
        """A block under a label; the numbers it ends with, and where."""
        self.out.start(label)
        with self._inside(active):
            self.block(block)
            values = [self.scope.value(x) for own, x in ends if isinstance(own, Expr)]
            self.assign(((own, x) for own, x in ends if isinstance(own, ir.Array)), keep)
        end = self.out.text.block
        self.out.go(after)
        return [(value, end) for value in values]
