"""The memory of a routine and its element-wise work as LLVM text.

Arrays lie in the scratch memory, element by element; of many states every element has its lanes.
For one state element-wise work takes four elements at a time, for many one element of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from korba.codegen.routine.frame import UNIT, frame
from korba.codegen.routine.ir import ELEMENT, Array, Each, Routine, is_element, used
from korba.codegen.targets.llvm.instructions import Writer, hexadecimal, vector_type
from korba.codegen.targets.llvm.routine_values import ElementScope, Scope
from korba.expr import Expr
from korba.expr.node import postorder

UNROLLED = 8
"""Blocks of elements, or elements of many states, that are written out one after the other."""
_NOTHING = {"add": 0.0, "maximum": -1.7976931348623157e308}


class ElementWriter:
    """A routine being written: what lies in memory, and work on elements."""

    def __init__(self, routine: Routine, name: str, width: int) -> None:
        self.routine, self.name, self.width = routine, name, width
        self.out = self.wide = Writer(width, block="entry")
        if width == 1:
            self.wide = Writer(UNIT, self.out.lines, self.out.used, prefix="w")
        self.scope = Scope(self.out)
        self.places, self.size = frame(routine)
        self._elementary: dict[Expr, bool] = {}
        self._labels = 0

    # memory

    def load(self, base: str, offset: int) -> str:
        """A number of every lane."""
        place = self.out.set(f"getelementptr double, ptr {base}, i64 {offset}")
        return self.out.set(f"load {self.out.vector}, ptr {place}, align 8")

    def store(self, value: str, base: str, offset: int) -> None:
        """Write a number of every lane."""
        place = self.out.set(f"getelementptr double, ptr {base}, i64 {offset}")
        self.out.lines.append(f"store {self.out.vector} {value}, ptr {place}, align 8")

    def place(self, array: Array, at: int | str = 0) -> str:
        """The address of an element, given by its number or the name of that."""
        if array.values is not None:
            return self.out.set(f"getelementptr double, ptr @{self.name}_{array.name}, i64 {at}")
        start = self.places[array.name]
        if isinstance(at, int):
            offset = str((start + at) * self.width)
        else:
            along = self.out.set(f"add i64 {at}, {start}")
            offset = self.out.set(f"mul i64 {along}, {self.width}")
        return self.out.set(f"getelementptr double, ptr %scratch, i64 {offset}")

    def _elements(self, array: Array, at: int | str) -> str:
        """The elements at hand."""
        place, out = self.place(array, at), self.wide
        if array.values is not None and self.width > 1:
            return self._everywhere(out.set(f"load double, ptr {place}"))
        return out.set(f"load {out.vector}, ptr {place}, align 8")

    def _everywhere(self, value: str) -> str:
        """A double in every lane of a vector."""
        out = self.wide
        one = out.set(f"insertelement {out.vector} poison, double {value}, i32 0")
        lanes = vector_type(out.width, "i32")
        return out.set(
            f"shufflevector {out.vector} {one}, {out.vector} poison, {lanes} zeroinitializer"
        )

    def _number(self, node: Expr) -> str | None:
        """A number for every element at hand; None of what depends on the element."""
        if self.elementary(node):
            return None
        value = self.scope.value(node)
        if self.width > 1:
            return value
        return (
            self.wide.number(node.value)
            if isinstance(node.value, float)
            else self._everywhere(value)
        )

    def elementary(self, node: Expr) -> bool:
        """Whether a node depends on the element at hand."""
        known = self._elementary
        if node not in known:
            for x in postorder([node]):
                known[x] = is_element(x) or any(known[arg] for arg in x.args)
        return known[node]

    def table(self, array: Array) -> str:
        """A table of constants, filled up to whole blocks."""
        count = -(-array.size // UNIT) * UNIT
        values = [*(array.values or ()), *[0.0] * (count - array.size)]
        numbers = ", ".join(f"double {hexadecimal(x)}" for x in values)
        return f"@{self.name}_{array.name} = internal constant [{count} x double] [{numbers}]"

    # blocks of text

    def label(self) -> str:
        """A fresh label."""
        self._labels += 1
        return f"L{self._labels}"

    def start(self, label: str) -> None:
        """Begin a basic block."""
        self.out.start_block(label)
        self.wide.block = label

    def go(self, label: str, condition: str = "", otherwise: str = "") -> None:
        """End a basic block."""
        way = f"label %{label}"
        self.out.lines.append(
            f"br i1 {condition}, {way}, label %{otherwise}" if condition else f"br {way}"
        )

    # element-wise work

    def assign(self, pairs: Iterable[tuple[Array, Expr]], keep: str = "") -> None:
        """Arrays = expressions of the values before, in the lanes of the mask `keep`."""
        by_size: dict[int, list[tuple[Array, Expr]]] = {}
        for array, x in pairs:
            if x is not array.element:
                by_size.setdefault(array.size, []).append((array, x))
        for size, writes in by_size.items():
            _EachWriter(self, Each(size, tuple(writes)), keep, at_once=True).write()

    def _each(self, s: Each) -> None:
        _EachWriter(self, s).write()


class _EachWriter:
    """One statement of element-wise work."""

    def __init__(self, w: ElementWriter, s: Each, keep: str = "", at_once: bool = False) -> None:
        self.w, self.s, self.keep, self.at_once = w, s, keep, at_once
        self.at: int | str = 0
        single = s.size == 1 and w.width == 1
        self.out = w.out if single else w.wide
        self.step = UNIT if w.width == 1 and not single else 1
        number = w.scope.known if single else w._number
        self.scope: Any = ElementScope(self.out, self._loaded, number)
        if single:
            self.scope.outer = w.scope

    def _loaded(self, name: str) -> str:
        array = self.w.routine.arrays[name.removesuffix(ELEMENT)]
        if self.out is self.w.wide:
            return self.w._elements(array, self.at)
        return self.out.set(f"load double, ptr {self.w.place(array)}")

    def write(self) -> None:
        """All elements."""
        w, s = self.w, self.s
        self._numbers_first()
        full, rest = divmod(s.size, self.step)
        totals = [self.out.number(_NOTHING[fold.op]) for fold in s.folds]
        if full > UNROLLED:
            totals = self._repeated(full * self.step, totals)
        else:
            for k in range(full):
                totals = self._block(k * self.step, totals)
        if rest:
            bits = ", ".join(f"i1 {str(k < rest).lower()}" for k in range(UNIT))
            totals = self._block(full * self.step, totals, f"<{bits}>")
        for fold, total in zip(s.folds, totals, strict=True):
            w.scope.values[fold.own] = self._across(fold.op, total)

    def _numbers_first(self) -> None:
        """Numbers are computed before: they must not be left inside of a block of elements."""
        waiting, seen = used(self.s)[::-1], set()
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            if self.w.elementary(node):
                waiting += node.args[::-1]
            else:
                self.w.scope.value(node)
                self.scope.known(node)

    def _block(self, at: int | str, totals: list[str], part: str = "") -> list[str]:
        """One block of elements; `part` is the mask of those that exist."""
        w, out, scope = self.w, self.out, self.scope
        self.at, values = at, []
        scope.next()
        for array, x in self.s.writes:
            values.append(scope.value(x))
            if not self.at_once:
                scope.values[array.element] = values[-1]
        folded = [scope.value(fold.x) for fold in self.s.folds]
        for (array, _), value in zip(self.s.writes, values, strict=True):
            kept = out.chosen(self.keep, value, w._elements(array, at)) if self.keep else value
            out.lines.append(f"store {out.vector} {kept}, ptr {w.place(array, at)}, align 8")
        new = []
        for fold, value, total in zip(self.s.folds, folded, totals, strict=True):
            nothing = out.number(_NOTHING[fold.op])
            share = out.chosen(part, value, nothing) if part else value
            new.append(out.operation(fold.op, total, share))
        w.out.block = w.wide.block = out.block
        return new

    def _repeated(self, stop: int, totals: list[str]) -> list[str]:
        w, out = self.w, self.w.out
        head, after, before = w.label(), w.label(), out.block
        i, sums = f"%i{head}", [f"%t{head}_{k}" for k in range(len(totals))]
        w.go(head)
        w.start(head)
        place = len(out.lines)
        new = self._block(i, sums)
        following = out.set(f"add i64 {i}, {self.step}")
        more = out.set(f"icmp slt i64 {following}, {stop}")
        phis = [f"{i} = phi i64 [ 0, %{before} ], [ {following}, %{out.block} ]"]
        for name, first, value in zip(sums, totals, new, strict=True):
            ways = f"[ {first}, %{before} ], [ {value}, %{out.block} ]"
            phis.append(f"{name} = phi {self.out.vector} {ways}")
        out.lines[place:place] = phis
        w.go(head, more, after)
        w.start(after)
        return new

    def _across(self, op: str, total: str) -> str:
        """The fold of the lanes of a block of elements of one state."""
        if self.step == 1:
            return total
        out, kind = self.w.out, self.out.vector
        parts = [out.set(f"extractelement {kind} {total}, i32 {k}") for k in range(UNIT)]
        return out.operation(op, out.operation(op, *parts[:2]), out.operation(op, *parts[2:]))
