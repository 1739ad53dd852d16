"""LLVM text with structure: loops, choices and vectors of the state, for the drivers.

A driver works in one array of doubles (`%m`) and one of whole numbers (`%c`). Vectors of the state
are padded with zeros to blocks of four elements, so that loops run over whole blocks; scalars and
vectors have names, which `Memory` turns into places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ..codegen.targets.llvm.instructions import hexadecimal, vector_type

BLOCK = 4
VECTOR = vector_type(BLOCK)


@dataclass(frozen=True)
class Memory:
    """Places in the two arrays: of named scalars and vectors, and of named counters."""

    size: int
    """Elements of the state."""
    places: Mapping[str, int]
    counters: Mapping[str, int]
    total: int

    @property
    def padded(self) -> int:
        """Elements of a vector with its padding."""
        return padded(self.size)


def padded(size: int) -> int:
    """`size` rounded up to whole blocks; at least one."""
    return max(1, -(-size // BLOCK)) * BLOCK


def memory(
    size: int, scalars: Sequence[str], vectors: Mapping[str, int], counters: Sequence[str]
) -> Memory:
    """Places for scalars, for vectors (name -> elements, in whole blocks) and for counters."""
    places = {name: i for i, name in enumerate(scalars)}
    total = padded(len(scalars))
    for name, length in vectors.items():
        places[name] = total
        total += padded(length)
    return Memory(size, places, {name: i for i, name in enumerate(counters)}, total)


class Code:
    """The body of one driver being written."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.lines: list[str] = []
        self.cells: list[str] = []
        self.needs: set[str] = set()
        self.block = "start"
        self._count = 0

    def new(self, prefix: str) -> str:
        """A fresh name."""
        self._count += 1
        return f"{prefix}{self._count}"

    def set(self, text: str) -> str:
        """Write `name = text`; return the name."""
        name = f"%{self.new('v')}"
        self.lines.append(f"{name} = {text}")
        return name

    def begin(self, label: str) -> None:
        """Begin a basic block."""
        self.lines.append(f"{label}:")
        self.block = label

    def go(self, label: str) -> None:
        """Go on at a label."""
        self.lines.append(f"br label %{label}")

    # numbers

    def op(self, instruction: str, a: str, b: str) -> str:
        """An instruction of two doubles."""
        return self.set(f"{instruction} double {a}, {b}")

    def add(self, a: str, b: str) -> str:
        """A + b."""
        return self.op("fadd", a, b)

    def mul(self, a: str, b: str) -> str:
        """A * b."""
        return self.op("fmul", a, b)

    def call(self, intrinsic: str, *values: str) -> str:
        """An intrinsic of doubles."""
        kinds = ", ".join(["double"] * len(values))
        self.needs.add(f"declare double @llvm.{intrinsic}.f64({kinds})")
        arguments = ", ".join(f"double {value}" for value in values)
        return self.set(f"call double @llvm.{intrinsic}.f64({arguments})")

    def least(self, a: str, b: str) -> str:
        """The smaller one; a number where one is not."""
        return self.call("minnum", a, b)

    def greatest(self, a: str, b: str) -> str:
        """The larger one; a number where one is not."""
        return self.call("maxnum", a, b)

    def compare(self, predicate: str, a: str, b: str) -> str:
        """A comparison of doubles; false where one is not a number, for ordered ones."""
        return self.set(f"fcmp {predicate} double {a}, {b}")

    # memory

    def place(self, name: str, offset: int = 0) -> str:
        """Where a scalar or a vector lies."""
        at = self.memory.places[name] + offset
        return self.set(f"getelementptr double, ptr %m, i64 {at}")

    def get(self, name: str) -> str:
        """The value of a scalar."""
        return self.set(f"load double, ptr {self.place(name)}")

    def put(self, name: str, value: str) -> None:
        """Store a scalar."""
        self.lines.append(f"store double {value}, ptr {self.place(name)}")

    def counter(self, name: str) -> str:
        """The value of a counter."""
        return self.set(f"load i64, ptr {self._counter(name)}")

    def set_counter(self, name: str, value: str) -> None:
        """Store a counter."""
        self.lines.append(f"store i64 {value}, ptr {self._counter(name)}")

    def count(self, name: str, by: int = 1) -> str:
        """Count on; the new value."""
        value = self.set(f"add i64 {self.counter(name)}, {by}")
        self.set_counter(name, value)
        return value

    def _counter(self, name: str) -> str:
        return self.set(f"getelementptr i64, ptr %c, i64 {self.memory.counters[name]}")

    def cell(self, kind: str) -> str:
        """Memory of the call itself for one value."""
        name = f"%{self.new('cell')}"
        self.cells.append(f"{name} = alloca {kind}")
        return name

    # vectors

    def blocks(self) -> _Loop:
        """A loop over the blocks of the state: `with code.blocks() as i`."""
        return _Loop(self, str(self.memory.padded), BLOCK)

    def vector(self, name: str, i: str, offset: int = 0) -> str:
        """Block `i` of a vector."""
        at = self.set(f"getelementptr double, ptr {self.place(name, offset)}, i64 {i}")
        return self.set(f"load {VECTOR}, ptr {at}, align 8")

    def store(self, name: str, i: str, value: str, offset: int = 0) -> None:
        """Store block `i` of a vector."""
        at = self.set(f"getelementptr double, ptr {self.place(name, offset)}, i64 {i}")
        self.lines.append(f"store {VECTOR} {value}, ptr {at}, align 8")

    def vop(self, instruction: str, a: str, b: str) -> str:
        """An instruction of two blocks."""
        return self.set(f"{instruction} {VECTOR} {a}, {b}")

    def vcall(self, intrinsic: str, *values: str) -> str:
        """An intrinsic of blocks."""
        kinds = ", ".join([VECTOR] * len(values))
        self.needs.add(f"declare {VECTOR} @llvm.{intrinsic}.v{BLOCK}f64({kinds})")
        arguments = ", ".join(f"{VECTOR} {value}" for value in values)
        return self.set(f"call {VECTOR} @llvm.{intrinsic}.v{BLOCK}f64({arguments})")

    def spread(self, value: str) -> str:
        """A double in every element of a block."""
        one = self.set(f"insertelement {VECTOR} poison, double {value}, i32 0")
        zeros = f"<{BLOCK} x i32> zeroinitializer"
        return self.set(f"shufflevector {VECTOR} {one}, {VECTOR} poison, {zeros}")

    def weighted(self, name: str, i: str, weights: Mapping[int, float]) -> str:
        """Block `i` of  sum_j weights[j] K_j,  where row j of `name` is K_j."""
        total = ""
        for row, weight in weights.items():
            k = self.vector(name, i, row * self.memory.padded)
            share = self.vop("fmul contract", k, splat(weight))
            total = self.vop("fadd contract", total, share) if total else share
        return total or splat(0.0)

    def total(self, value: str, combine: str = "fadd") -> str:
        """The sum of the elements of a block."""
        parts = [self.set(f"extractelement {VECTOR} {value}, i32 {k}") for k in range(BLOCK)]
        first = self.op(combine, parts[0], parts[1])
        return self.op(combine, first, self.op(combine, parts[2], parts[3]))

    # structure

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        """What is written inside is done where the condition holds."""
        inside, after = self.new("when"), self.new("after")
        self.lines.append(f"br i1 {condition}, label %{inside}, label %{after}")
        self.begin(inside)
        yield
        self.go(after)
        self.begin(after)

    def leave_when(self, condition: str, status: int) -> None:
        """Return `status` where the condition holds."""
        leave, stay = self.new("leave"), self.new("stay")
        self.lines.append(f"br i1 {condition}, label %{leave}, label %{stay}")
        self.begin(leave)
        self.lines.append(f"ret i64 {status}")
        self.begin(stay)

    def function(self, head: str) -> str:
        """The whole function."""
        lines = [f"define {head} nounwind {{", "entry:", *self.cells, "br label %start", "start:"]
        return "\n".join([*lines, *self.lines, "}"])


class _Loop:
    """A loop with a counter from 0 in even steps, run at least once."""

    def __init__(self, code: Code, stop: str, step: int) -> None:
        self.code, self.stop, self.step = code, stop, step

    def __enter__(self) -> str:
        code = self.code
        self.head, self.before, self.i = code.new("loop"), code.block, f"%{code.new('i')}"
        code.go(self.head)
        code.begin(self.head)
        self.place = len(code.lines)
        code.lines.append("")
        return self.i

    def __exit__(self, *_: object) -> None:
        code, after = self.code, self.code.new("after")
        following = code.set(f"add i64 {self.i}, {self.step}")
        more = code.set(f"icmp slt i64 {following}, {self.stop}")
        code.lines[self.place] = (
            f"{self.i} = phi i64 [ 0, %{self.before} ], [ {following}, %{code.block} ]"
        )
        code.lines.append(f"br i1 {more}, label %{self.head}, label %{after}")
        code.begin(after)


def number(x: float) -> str:
    """A double, to the last bit."""
    return hexadecimal(x)


def splat(x: float) -> str:
    """A double in every element of a block."""
    return f"splat (double {hexadecimal(x)})"
