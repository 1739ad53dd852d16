"""The memory of a routine and its element-wise work as LLVM text.

Arrays lie in the scratch memory, element by element; of many states every element has its lanes.
For one state element-wise work takes four elements at a time, for many one element of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable

from korba.codegen.routine import ir
from korba.codegen.targets.llvm.groups import table
from korba.codegen.targets.llvm.instructions import Writer
from korba.codegen.targets.llvm.routine_memory import UNIT, Memory
from korba.codegen.targets.llvm.values import Scope
from korba.expr import Expr
from korba.expr.node import postorder

UNROLLED = 8
"""Blocks of elements, or elements of many states, that are written out one after the other."""
_NOTHING = {"add": 0.0, "maximum": -1.7976931348623157e308}


class ElementWriter:
    """A routine being written: what lies in memory, and work on elements."""

    def __init__(
        self, routine: ir.Routine, name: str, width: int, needs: set[str], inside: bool
    ) -> None:
        self.routine, self.name, self.width = routine, name, width
        self.out = Writer(width, needs)
        self.wide = Writer(UNIT, self.out.text) if width == 1 else self.out
        self.scope = Scope(self.out)
        self.memory = Memory(routine, inside)
        self._elementary: dict[Expr, bool] = {}

    # memory

    def place(self, array: ir.Array, at: int | str = 0) -> tuple[str, int | str]:
        """Base and offset of an element, given by its number or the name of that."""
        if array.values is not None:
            return f"@{self.name}_{array.name}", at
        base, start = self.memory.places[array.name]
        if isinstance(at, int):
            return base, (start + at) * self.width
        along = self.out.set(f"add i64 {at}, {start}")
        return base, self.out.set(f"mul i64 {along}, {self.width}")

    def same(self, array: ir.Array, x: Expr) -> bool:
        """Whether an expression is what lies in an array already."""
        if not ir.is_element(x):
            return False
        source = str(x.value).removesuffix(ir.ELEMENT)
        return self.memory.places.get(source) == self.memory.places[array.name]

    def elements(self, array: ir.Array, at: int | str) -> str:
        """The elements at hand."""
        if array.values is not None and self.width > 1:
            return self.wide.everywhere(Writer(1, self.out.text).load(*self.place(array, at)))
        return self.wide.load(*self.place(array, at))

    def number(self, node: Expr) -> str | None:
        """A number for every element at hand; None of what depends on the element."""
        if self.elementary(node):
            return None
        value = self.scope.value(node)
        if self.width > 1:
            return value
        if isinstance(node.value, float):
            return self.wide.number(node.value)
        return self.wide.everywhere(value)

    def elementary(self, node: Expr) -> bool:
        """Whether a node depends on the element at hand."""
        known = self._elementary
        if node not in known:
            for x in postorder([node]):
                known[x] = ir.is_element(x) or any(known[arg] for arg in x.args)
        return known[node]

    def table(self, array: ir.Array) -> str:
        """A table of constants, filled up to whole blocks."""
        values = [*(array.values or ()), *[0.0] * (-array.size % UNIT)]
        return table(f"{self.name}_{array.name}", values)

    # element-wise work

    def assign(self, pairs: Iterable[tuple[ir.Array, Expr]], keep: str = "") -> None:
        """Arrays = expressions of the values before, in the lanes of the mask `keep`."""
        by_size: dict[int, list[tuple[ir.Array, Expr]]] = {}
        for array, x in pairs:
            if not self.same(array, x):
                by_size.setdefault(array.size, []).append((array, x))
        for size, writes in by_size.items():
            _EachWriter(self, ir.Each(size, tuple(writes)), keep, at_once=True).write()

    def _each(self, s: ir.Each) -> None:
        _EachWriter(self, s).write()


class _EachWriter(Scope):
    """One statement of element-wise work: values of the elements at hand, numbers among them."""

    def __init__(self, w: ElementWriter, s: ir.Each, keep: str = "", at_once: bool = False) -> None:
        self.single = s.size == 1 and w.width == 1
        super().__init__(w.out if self.single else w.wide)
        self.w, self.s, self.keep, self.at_once = w, s, keep, at_once
        self.at: int | str = 0
        self.step = UNIT if w.width == 1 and not self.single else 1
        self.numbers: dict[Expr, str] = {}
        if self.single:
            self.outer = w.scope

    def known(self, node: Expr) -> str | None:
        """The name of an element or of a number."""
        found = self.values.get(node) or self.numbers.get(node)
        if found is None:
            found = self.w.scope.known(node) if self.single else self.w.number(node)
            if found is not None:
                self.numbers[node] = found
        return found

    def variable(self, name: str) -> str:
        """The elements at hand of an array."""
        array = self.w.routine.arrays[name.removesuffix(ir.ELEMENT)]
        return (
            self.out.load(*self.w.place(array)) if self.single else self.w.elements(array, self.at)
        )

    def write(self) -> None:
        """All elements."""
        s = self.s
        self._numbers_first()
        full, rest = divmod(s.size, self.step)
        totals = [self.out.number(_NOTHING[fold.op]) for fold in s.folds]
        if full > UNROLLED:
            totals = self.out.repeated(self._block, str(full * self.step), self.step, totals)
        else:
            for k in range(full):
                totals = self._block(k * self.step, totals)
        if rest:
            bits = ", ".join(f"i1 {str(k < rest).lower()}" for k in range(UNIT))
            totals = self._block(full * self.step, totals, f"<{bits}>")
        for fold, total in zip(s.folds, totals, strict=True):
            self.w.scope.values[fold.own] = self._across(fold.op, total)

    def _numbers_first(self) -> None:
        """Numbers are computed before: they must not be left inside of a block of elements."""
        waiting, seen = ir.used(self.s)[::-1], set()
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            if self.w.elementary(node):
                waiting += node.args[::-1]
            else:
                self.w.scope.value(node)
                self.known(node)

    def _block(self, at: int | str, totals: list[str], part: str = "") -> list[str]:
        """One block of elements; `part` is the mask of those that exist."""
        w, out = self.w, self.out
        self.at, values = at, []
        self.values, self.masks = {}, {}
        for array, x in self.s.writes:
            values.append(self.value(x))
            if not self.at_once:
                self.values[array.element] = values[-1]
        folded = [self.value(fold.x) for fold in self.s.folds]
        for (array, x), value in zip(self.s.writes, values, strict=True):
            if w.same(array, x):
                continue
            kept = out.chosen(self.keep, value, w.elements(array, at)) if self.keep else value
            out.store(kept, *w.place(array, at))
        new = []
        for fold, value, total in zip(self.s.folds, folded, totals, strict=True):
            nothing = out.number(_NOTHING[fold.op])
            share = out.chosen(part, value, nothing) if part else value
            new.append(out.operation(fold.op, total, share))
        return new

    def _across(self, op: str, total: str) -> str:
        """The fold of the lanes of a block of elements of one state."""
        if self.step == 1:
            return total
        out, kind = self.w.out, self.out.vector
        parts = [out.set(f"extractelement {kind} {total}, i32 {k}") for k in range(UNIT)]
        return out.operation(op, out.operation(op, *parts[:2]), out.operation(op, *parts[2:]))
