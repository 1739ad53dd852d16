"""A routine as a C function: numbers and arrays are local variables, control of flow is C's own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from korba.codegen.routine.ir import (
    AnyProgram,
    Array,
    Block,
    Choose,
    Each,
    Get,
    Put,
    Repeat,
    Routine,
    Run,
    defined_numbers,
    walked,
)
from korba.codegen.targets.c.function import CFunction, head, number
from korba.expr import Expr

_NOTHING = {"add": "0.0", "maximum": "-1.7976931348623157e308"}
_Pairs = list[tuple[Any, Expr]]


class RoutineFunction(CFunction):
    """The statements of a routine; `names` are those of the programs that it runs."""

    def __init__(self, routine: Routine, names: dict[AnyProgram, str]) -> None:
        super().__init__()
        self.routine, self.names = routine, names

    def written(self, name: str, linkage: str) -> str:
        """The function."""
        r = self.routine
        for array in r.arrays.values():
            if array.values is None:
                self.line(f"double {array.name}[{max(1, array.size)}];")
            else:
                values = ", ".join(map(number, array.values))
                self.line(f"static const double {array.name}[] = {{{values}}};")
        own = [str(x.value) for s in walked(r.body) for x in defined_numbers(s)]
        if own:
            self.line(f"double {', '.join(own)};")
        for k, array in enumerate(r.arguments):
            self._copy(array.name, f"in{k}", array.size)
        self.block(r.body)
        for k, array in enumerate(r.results):
            self._copy(f"out{k}", array.name, array.size)
        return self.text(head(name, r, r.streams, linkage))

    def _copy(self, to: str, source: str, size: int) -> None:
        self.line(f"for (int i = 0; i < {size}; i++) {to}[i] = {source}[i];")

    def block(self, block: Block) -> None:
        """Statements one after the other."""
        for s in block:
            getattr(self, f"_{type(s).__name__.lower()}")(s)

    def _each(self, s: Each) -> None:
        for fold in s.folds:
            self.line(f"{fold.own.value} = {_NOTHING[fold.op]};")
        with self.inside(f"for (int i = 0; i < {s.size}; i++)"):
            for array, x in s.writes:
                self.line(f"{array.name}[i] = {self.value(x)};")
            for fold in s.folds:
                own, value = fold.own.value, self.value(fold.x)
                total = f"{own} + {value}" if fold.op == "add" else f"maximum_of({own}, {value})"
                self.line(f"{own} = {total};")

    def _run(self, s: Run) -> None:
        places = ", ".join(array.name for array in (*s.reads, *s.writes))
        self.line(f"{self.names[s.program]}({places});")

    def _get(self, s: Get) -> None:
        index = f"(long)({self.value(s.index)})"
        source = s.source.name if isinstance(s.source, Array) else self._stream(s.source)
        self.line(f"{s.number.value} = {source}[{index}];")

    def _put(self, s: Put) -> None:
        with self.inside(f"if ({self.value(s.when)} != 0.0)"):
            length = sum(array.size for array in s.row)
            index = f"(long)({self.value(s.index)})"
            self.line(f"double *row = {self._stream(s.stream)} + {length} * {index};")
            done = 0
            for array in s.row:
                self._copy(f"(row + {done})", array.name, array.size)
                done += array.size

    def _stream(self, name: str) -> str:
        return f"stream{self.routine.streams.index(name)}"

    def _assign(self, pairs: Iterable[tuple[Any, Expr]]) -> None:
        """Numbers and arrays = expressions of the values before, all at once."""
        by_size: dict[int, _Pairs] = {}
        new = []
        for own, x in pairs:
            if isinstance(own, Array):
                by_size.setdefault(own.size, []).append((own, x))
            elif own is not x:
                new.append((own.value, self.value(x)))
        with self.inside(""):
            for k, (_, value) in enumerate(new):
                self.line(f"const double new{k} = {value};")
            for size, writes in by_size.items():
                with self.inside(f"for (int i = 0; i < {size}; i++)"):
                    values = [self.value(x) for _, x in writes]
                    for k, value in enumerate(values):
                        self.line(f"const double next{k} = {value};")
                    for k, (own, _) in enumerate(writes):
                        self.line(f"{own.name}[i] = next{k};")
            for k, (name, _) in enumerate(new):
                self.line(f"{name} = new{k};")

    def _repeat(self, s: Repeat) -> None:
        self._assign((carry.own, carry.first) for carry in s.carries)
        with self.inside("for (;;)"):
            self.block(s.test)
            self.line(f"if (!({self.value(s.condition)} != 0.0)) break;")
            self.block(s.body)
            self._assign((carry.own, carry.second) for carry in s.carries)

    def _choose(self, s: Choose) -> None:
        with self.inside(f"if ({self.value(s.condition)} != 0.0)"):
            self.block(s.yes)
            self._assign((carry.own, carry.first) for carry in s.carries)
        with self.inside("else"):
            self.block(s.no)
            self._assign((carry.own, carry.second) for carry in s.carries)
