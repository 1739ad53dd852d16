"""A routine as LLVM text, for one state or for a vector of states side by side.

    void name(double *input, ..., double *output, ..., double *stream, ..., double *scratch,
              int64 groups)

is its kernel. Numbers are values of LLVM, what a repetition carries is a phi, arrays lie in the
scratch memory (routine_elements.py). For `width` states every number has `width` lanes; `active`
says which lanes take part in the block at hand:

    Repeat   goes on while any lane does; what the others carry stays
    Choose   runs a block where any lane wants it, and takes each lane's results from its own
    Get, Put gather and scatter for the lanes that take part
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from korba.codegen.parts import LONGEST_PART
from korba.codegen.repetition import Repetition
from korba.codegen.routine.ir import (
    AnyProgram,
    Array,
    Block,
    Choose,
    Get,
    Put,
    Repeat,
    Routine,
    Run,
    arrays,
    numbers,
    used,
    walked,
)
from korba.codegen.targets.llvm.instructions import vector_type
from korba.codegen.targets.llvm.kernel import Kernel, kernel
from korba.codegen.targets.llvm.part import group_pointers, over_groups, pointers
from korba.codegen.targets.llvm.repetition import repetition_kernel
from korba.codegen.targets.llvm.routine_elements import ElementWriter
from korba.codegen.targets.llvm.routine_values import Scope, bit, is_truth
from korba.expr import Expr
from korba.expr.node import postorder

_Ends = list[tuple[Expr | Array, Expr]]
"""What is carried, each with the value that it gets."""


def any_kernel(
    program: AnyProgram, name: str, width: int, tile: int, longest: int = LONGEST_PART
) -> Kernel:
    """The kernel of a program of any kind for vectors of `width` states in tiles of `tile`."""
    if isinstance(program, Routine):
        return routine_kernel(program, name, width, tile)
    if isinstance(program, Repetition):
        return repetition_kernel(program, name, width, tile)
    return kernel(program, name, width, tile, longest)


def routine_kernel(routine: Routine, name: str, width: int, tile: int) -> Kernel:
    """The kernel of a routine; its memory holds its arrays, then that of the programs it runs."""
    called = {
        program: any_kernel(program, f"{name}_p{k}", width, width)
        for k, program in enumerate(routine.programs)
    }
    writer = RoutineWriter(routine, name, width, called)
    own = writer.text(tile)
    needs = writer.out.used.union(*(each.needs for each in called.values()))
    scratch = writer.size * width + max((each.scratch for each in called.values()), default=0)
    bases, states = pointers(routine), len(pointers(routine)) - len(routine.streams)
    given = [*(f"{base}g" for base in bases[:states]), *bases[states:], "%scratch"]
    body = f"call void @{name}_one({', '.join(f'ptr {base}' for base in given)})"
    all_groups = over_groups(routine, name, [*group_pointers(routine, width, tile), body])
    texts = [*(each.text for each in called.values()), own, all_groups]
    return Kernel(name, "\n".join(texts), frozenset(needs), scratch, 1)


class RoutineWriter(ElementWriter):
    """The statements of a routine being written."""

    def __init__(
        self, routine: Routine, name: str, width: int, called: dict[AnyProgram, Kernel]
    ) -> None:
        super().__init__(routine, name, width)
        self.called = called
        self.active = ""
        """The mask of lanes that take part; empty where all do."""

    def text(self, tile: int) -> str:
        """The function for one group of states, and its tables."""
        routine, out = self.routine, self.out
        for k, array in enumerate(routine.arguments):
            for j in range(array.size):
                value = self.load(f"%in{k}", j * tile)
                self.store(value, "%scratch", (self.places[array.name] + j) * self.width)
        self.block(routine.body)
        for k, array in enumerate(routine.results):
            for j in range(array.size):
                value = self.load("%scratch", (self.places[array.name] + j) * self.width)
                self.store(value, f"%out{k}", j * tile)
        bases = ", ".join(f"ptr {base}" for base in [*pointers(routine), "%scratch"])
        head = f"define internal void @{self.name}_one({bases}) nounwind {{"
        tables = map(self.table, routine.tables)
        return "\n".join([*tables, head, "entry:", *out.lines, "ret void", "}"])

    def block(self, statements: Block) -> None:
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

    def _run(self, s: Run) -> None:
        places = ", ".join(f"ptr {self.place(array)}" for array in (*s.reads, *s.writes))
        rest = self.out.set(f"getelementptr double, ptr %scratch, i64 {self.size * self.width}")
        name = self.called[s.program].name
        self.out.lines.append(f"call void @{name}({places}, ptr {rest}, i64 1)")

    def _get(self, s: Get) -> None:
        if isinstance(s.source, Array):
            at = self.places[s.source.name] + int(s.index.value)  # type: ignore[arg-type]
            self.scope.values[s.number] = self.load("%scratch", at * self.width)
            return
        out = self.out
        place = self._address(s.source, self._whole(self.scope.value(s.index)))
        if self.width == 1:
            value = out.set(f"load double, ptr {place}")
        else:  # lanes that take no part must not read outside
            bits, mask = vector_type(self.width, "i1"), self.active or bit(True, self.width)
            kind, rest = f"<{self.width} x ptr>", out.number(0.0)
            name = f"llvm.masked.gather.v{self.width}f64.v{self.width}p0"
            out.used.add(f"declare {out.vector} @{name}({kind}, i32, {bits}, {out.vector})")
            given = f"{kind} {place}, i32 8, {bits} {mask}, {out.vector} {rest}"
            value = out.set(f"call {out.vector} @{name}({given})")
        self.scope.values[s.number] = value

    def _put(self, s: Put) -> None:
        out, kind = self.out, vector_type(self.width, "i64")
        mask = self._with_active(self.scope.mask(s.when))
        length = sum(array.size for array in s.row)
        count = str(length) if self.width == 1 else f"splat (i64 {length})"
        row = out.set(f"mul {kind} {self._whole(self.scope.value(s.index))}, {count}")
        write, after = self.label(), self.label()
        self.go(write, self._any(mask), after)
        self.start(write)
        first = self._address(s.stream, row)
        places = [self.places[array.name] + j for array in s.row for j in range(array.size)]
        for j, place in enumerate(places):
            self._put_number(self.load("%scratch", place * self.width), first, j, mask)
        self.go(after)
        self.start(after)

    def _put_number(self, value: str, first: str, j: int, mask: str) -> None:
        out, bits = self.out, vector_type(self.width, "i1")
        pointers_type = "ptr" if self.width == 1 else f"<{self.width} x ptr>"
        to = out.set(f"getelementptr double, {pointers_type} {first}, i64 {j}")
        if self.width == 1:
            out.lines.append(f"store double {value}, ptr {to}")
            return
        name = f"llvm.masked.scatter.v{self.width}f64.v{self.width}p0"
        out.used.add(f"declare void @{name}({out.vector}, {pointers_type}, i32, {bits})")
        given = f"{out.vector} {value}, {pointers_type} {to}, i32 8, {bits} {mask}"
        out.lines.append(f"call void @{name}({given})")

    def _address(self, stream: str, index: str) -> str:
        base, kind = self.routine.streams.index(stream), vector_type(self.width, "i64")
        return self.out.set(f"getelementptr double, ptr %stream{base}, {kind} {index}")

    def _whole(self, value: str) -> str:
        """Whole numbers of doubles; of nan 0."""
        out, kind = self.out, vector_type(self.width, "i64")
        lanes = "" if self.width == 1 else f"v{self.width}"
        name = f"llvm.fptosi.sat.{lanes}i64.{lanes}f64"
        out.used.add(f"declare {kind} @{name}({out.vector})")
        return out.set(f"call {kind} @{name}({out.vector} {value})")

    # control of flow

    def _with_active(self, mask: str) -> str:
        if not self.active:
            return mask
        return self.out.set(f"and {vector_type(self.width, 'i1')} {mask}, {self.active}")

    def _any(self, mask: str) -> str:
        """Whether the bit of any lane is set."""
        if self.width == 1:
            return mask
        bits = vector_type(self.width, "i1")
        name = f"llvm.vector.reduce.or.v{self.width}i1"
        self.out.used.add(f"declare i1 @{name}({bits})")
        return self.out.set(f"call i1 @{name}({bits} {mask})")

    def _repeat(self, s: Repeat) -> None:
        out = self.out
        self.assign((carry.own, carry.first) for carry in arrays(s.carries))
        own = numbers(s.carries)
        starts = [self.scope.value(carry.first) for carry in own]
        self._compute_unchanged(s)
        head, body, after, before = self.label(), self.label(), self.label(), out.block
        self.go(head)
        self.start(head)
        place = len(out.lines)
        names = [f"%{head}_{carry.own.value}" for carry in own]
        self.scope.values |= {carry.own: name for carry, name in zip(own, names, strict=True)}
        with self._inside(self.active):
            self.block(s.test)
            mask = self._with_active(self.scope.mask(s.condition))
            self.go(body, self._any(mask), after)
        self.start(body)
        keep = "" if self.width == 1 else mask
        with self._inside(keep):
            self.block(s.body)
            new = [self.scope.value(carry.second) for carry in own]
            if keep:
                new = [out.chosen(keep, x, old) for x, old in zip(new, names, strict=True)]
            self.assign(((carry.own, carry.second) for carry in arrays(s.carries)), keep)
        self.go(head)
        out.lines[place:place] = [
            f"{name} = phi {out.vector} [ {first}, %{before} ], [ {x}, %{out.block} ]"
            for name, first, x in zip(names, starts, new, strict=True)
        ]
        self.start(after)

    def _compute_unchanged(self, s: Repeat) -> None:
        """Numbers that do not change in the repetition are computed before it."""
        inner = [x for each in walked((*s.test, *s.body)) for x in used(each)]
        ready: dict[Expr, bool] = {}
        for node in postorder([*inner, s.condition, *(carry.second for carry in s.carries)]):
            if isinstance(node.value, str):
                ready[node] = self.scope.known(node) is not None
            else:
                ready[node] = all(ready[arg] for arg in node.args)
                if ready[node] and not is_truth(node):
                    self.scope.value(node)

    def _choose(self, s: Choose) -> None:
        if self.width == 1:
            self._branch(self.scope.mask(s.condition), s)
            return
        mask, bits = self.scope.mask(s.condition), vector_type(self.width, "i1")
        yes = self._with_active(mask)
        no = self._with_active(self.out.set(f"xor {bits} {mask}, {bit(True, self.width)}"))
        first = [(carry.own, carry.first) for carry in s.carries]
        second = [(carry.own, carry.second) for carry in s.carries]
        a = self._where_any(yes, s.yes, first, "")
        b = self._where_any(no, s.no, second, no)
        for carry, x, y in zip(numbers(s.carries), a, b, strict=True):
            self.scope.values[carry.own] = self.out.chosen(yes, x, y)

    def _where_any(self, mask: str, block: Block, ends: _Ends, keep: str) -> list[str]:
        """A block where any lane wants it; the numbers it ends with."""
        scalars = [x for own, x in ends if isinstance(own, Expr)]
        vectors = [(own, x) for own, x in ends if isinstance(own, Array)]
        if not block and not vectors:
            return [self.scope.value(x) for x in scalars]
        run, after, before = self.label(), self.label(), self.out.block
        self.go(run, self._any(mask), after)
        self.start(run)
        with self._inside(mask):
            self.block(block)
            values = [self.scope.value(x) for x in scalars]
            self.assign(vectors, keep)
        end = self.out.block
        self.go(after)
        self.start(after)
        zero = self.out.number(0.0)
        return [
            self.out.set(f"phi {self.out.vector} [ {zero}, %{before} ], [ {x}, %{end} ]")
            for x in values
        ]

    def _branch(self, mask: str, s: Choose) -> None:
        """The way of one state."""
        labels, after = (self.label(), self.label()), self.label()
        self.go(labels[0], mask, labels[1])
        ends = [
            self._side(labels[0], s.yes, [(carry.own, carry.first) for carry in s.carries], after),
            self._side(labels[1], s.no, [(carry.own, carry.second) for carry in s.carries], after),
        ]
        self.start(after)
        (first, here), (second, there) = ends
        for carry, a, b in zip(numbers(s.carries), first, second, strict=True):
            self.scope.values[carry.own] = self.out.set(
                f"phi {self.out.vector} [ {a}, %{here} ], [ {b}, %{there} ]"
            )

    def _side(self, label: str, block: Block, ends: _Ends, after: str) -> tuple[list[str], str]:
        self.start(label)
        with self._inside(""):
            self.block(block)
            values = [self.scope.value(x) for own, x in ends if isinstance(own, Expr)]
            self.assign((own, x) for own, x in ends if isinstance(own, Array))
        end = self.out.block
        self.go(after)
        return values, end
