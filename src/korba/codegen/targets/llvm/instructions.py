"""Operations as LLVM instructions on vectors of states: text, one writer for every width.

Products and sums may be contracted to fused multiply-adds; no other liberty is given to the
compiler.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from korba.expr.functions import FUNCTIONS

_CALLED = "tan arcsin arccos arctan arctan2 exp log sinh cosh tanh pow sin cos"
LIBRARY = {op: FUNCTIONS[op].text or op for op in _CALLED.split()}
"""Functions that are called in the C library, with their names there, which are those of files."""

_INTRINSIC = {
    "sqrt": "sqrt",
    "abs": "fabs",
    "floor": "floor",
    "minimum": "minimum",
    "maximum": "maximum",
}
_FLOPS = {"add": "fadd contract", "sub": "fsub contract", "mul": "fmul contract", "div": "fdiv"}
_COMPARISONS = {"less": "olt", "less_equal": "ole"}

LIKELY = ", !prof !0"
"""Behind a branch whose first way is nearly always taken."""
_METADATA = '!0 = !{!"branch_weights", i32 1000000, i32 1}\n!1 = !{}'
_Turn = Callable[[str, list[str]], list[str]]
_Ways = tuple[tuple[str, str], ...]


@dataclass
class Text:
    """One function being written: its lines, what it needs declared, the basic block at hand."""

    needs: set[str]
    lines: list[str] = field(default_factory=list)
    block: str = "entry"
    count: int = 0


class Writer:
    """The body of one function being written, for vectors of `width` states.

    `text` is that of a writer of another width, or the set that gains what is to be declared.
    """

    def __init__(self, width: int, text: Text | set[str]) -> None:
        self.width = width
        self.text = text if isinstance(text, Text) else Text(text)
        self.vector, self.bits, self.whole = (
            vector_type(width, element) for element in ("double", "i1", "i64")
        )

    # lines, blocks, functions

    def line(self, text: str) -> None:
        """An instruction without a value."""
        self.text.lines.append(text)

    def set(self, text: str) -> str:
        """Write `name = text`; return the name."""
        self.text.count += 1
        name = f"%v{self.text.count}"
        self.text.lines.append(f"{name} = {text}")
        return name

    def label(self) -> str:
        """A fresh label."""
        self.text.count += 1
        return f"L{self.text.count}"

    def start(self, label: str) -> None:
        """Begin a basic block."""
        self.line(f"{label}:")
        self.text.block = label

    def go(self, label: str, condition: str = "", otherwise: str = "", odds: str = "") -> None:
        """End a basic block."""
        way = f"label %{label}"
        self.line(
            f"br i1 {condition}, {way}, label %{otherwise}{odds}" if condition else f"br {way}"
        )

    def repeated(
        self,
        body: _Turn,
        stop: str,
        step: int = 1,
        first: Sequence[str] = (),
        *,
        start: str = "0",
        kind: str = "",
    ) -> list[str]:
        """`carried = body(i, carried)` for i = start, start + step, ... below stop; at least once.

        What is carried is `first` at the beginning; of type `kind`, or vectors of doubles.
        """
        head, after, before = self.label(), self.label(), self.text.block
        i, names = f"%i{head}", [f"%c{head}_{k}" for k in range(len(first))]
        self.go(head)
        self.start(head)
        place = len(self.text.lines)
        new = body(i, names)
        following = self.set(f"add i64 {i}, {step}")
        more = self.set(f"icmp slt i64 {following}, {stop}")
        ways = [((old, before), (x, self.text.block)) for old, x in zip(first, new, strict=True)]
        self.insert_phis(place, names, ways, kind)
        self.insert_phis(place, [i], [((start, before), (following, self.text.block))], "i64")
        self.go(head, more, after)
        self.start(after)
        return new

    def phi(self, *ways: tuple[str, str]) -> str:
        """The value that comes with the way taken: (value, block it comes from)."""
        self.text.count += 1
        name = f"%v{self.text.count}"
        self.insert_phis(len(self.text.lines), [name], [ways])
        return name

    def insert_phis(
        self, place: int, names: list[str], ways: Sequence[_Ways], kind: str = ""
    ) -> None:
        """Such values at the head of a block, by names that were used before they are known."""
        self.text.lines[place:place] = [
            f"{name} = phi {kind or self.vector} {', '.join(f'[ {x}, %{at} ]' for x, at in way)}"
            for name, way in zip(names, ways, strict=True)
        ]

    def function(self, head: str, result: str = "void") -> str:
        """The whole function."""
        return "\n".join([f"define {head} {{", "entry:", *self.text.lines, f"ret {result}", "}"])

    def call(self, result: str, name: str, *given: tuple[str, str]) -> str:
        """A function elsewhere, declared by the types of what it is given: (type, value)."""
        self.text.needs.add(f"declare {result} @{name}({', '.join(kind for kind, _ in given)})")
        text = f"call {result} @{name}({', '.join(map(' '.join, given))})"
        if result != "void":
            return self.set(text)
        self.line(text)
        return ""

    # memory

    def at(self, base: str, offset: int | str) -> str:
        """The address of a double."""
        return self.set(f"getelementptr double, ptr {base}, i64 {offset}")

    def load(self, base: str, offset: int | str = 0) -> str:
        """A vector."""
        return self.set(f"load {self.vector}, ptr {self.at(base, offset)}, align 8")

    def store(self, value: str, base: str, offset: int | str = 0) -> None:
        """Write a vector."""
        self.line(f"store {self.vector} {value}, ptr {self.at(base, offset)}, align 8")

    def fetch(self, base: str, offset: int | str) -> None:
        """Ask for what will be needed soon; outside of an array that does no harm."""
        hints = [("i32", "0"), ("i32", "3"), ("i32", "1")]
        self.call("void", "llvm.prefetch.p0", ("ptr", self.at(base, offset)), *hints)

    # values

    def number(self, x: float) -> str:
        """A number in every lane."""
        return hexadecimal(x) if self.width == 1 else f"splat (double {hexadecimal(x)})"

    def integer(self, x: int) -> str:
        """A whole number in every lane."""
        return str(x) if self.width == 1 else f"splat (i64 {x})"

    def bit(self, x: bool) -> str:
        """A bit in every lane."""
        text = str(x).lower()
        return text if self.width == 1 else f"splat (i1 {text})"

    def everywhere(self, value: str) -> str:
        """The value of a double in every lane."""
        if self.width == 1:
            return value
        one = self.set(f"insertelement {self.vector} poison, double {value}, i32 0")
        lanes = f"{vector_type(self.width, 'i32')} zeroinitializer"
        return self.set(f"shufflevector {self.vector} {one}, {self.vector} poison, {lanes}")

    def beside(self, table: str, place: int) -> str:
        """A number of a table that was filled before, in every lane."""
        address = self.at(f"@{table}", place)
        return self.everywhere(self.set(f"load double, ptr {address}, align 8, !invariant.load !1"))

    def intrinsic(self, name: str, *values: str) -> str:
        """An LLVM intrinsic of whole vectors."""
        own = f"llvm.{name}.{'f64' if self.width == 1 else f'v{self.width}f64'}"
        return self.call(self.vector, own, *((self.vector, value) for value in values))

    def binary(self, instruction: str, a: str, b: str) -> str:
        """An instruction of two vectors of doubles."""
        return self.set(f"{instruction} {self.vector} {a}, {b}")

    def fma(self, a: str, b: str, c: str) -> str:
        """A * b + c, rounded once."""
        return self.intrinsic("fma", a, b, c)

    def operation(self, op: str, *args: str) -> str:
        """The value of an operation of the graph (not sin, cos or a whole power)."""
        if op in _FLOPS:
            return self.binary(_FLOPS[op], *args)
        if op in _INTRINSIC:
            return self.intrinsic(_INTRINSIC[op], *args)
        if op == "neg":
            return self.set(f"fneg {self.vector} {args[0]}")
        if op == "sign":
            return _sign(self, args[0])
        return self.library_call(op, *args)

    def library_call(self, op: str, *args: str) -> str:
        """The function of the C library, lane by lane."""
        if self.width == 1:
            return self.call("double", LIBRARY[op], *(("double", arg) for arg in args))
        name = f"lanes_{LIBRARY[op]}_{self.width}"
        needs = self.text.needs
        needs.add(_lanes(needs, name, LIBRARY[op], len(args), self.width))
        arguments = ", ".join(f"{self.vector} {arg}" for arg in args)
        return self.set(f"call {self.vector} @{name}({arguments})")

    def mask(self, op: str, a: str, b: str) -> str:
        """A comparison as a vector of bits."""
        return self.set(f"fcmp {_COMPARISONS[op]} {self.vector} {a}, {b}")

    def reduced(self, op: str, mask: str) -> str:
        """The bits of all lanes joined by "and" or "or"."""
        if self.width == 1:
            return mask
        return self.call("i1", f"llvm.vector.reduce.{op}.v{self.width}i1", (self.bits, mask))

    def chosen(self, mask: str, a: str, b: str) -> str:
        """A where the bit is set, else b."""
        return self.set(f"select {self.bits} {mask}, {self.vector} {a}, {self.vector} {b}")

    def truth(self, mask: str) -> str:
        """1 where the bit is set, else 0."""
        return self.chosen(mask, self.number(1.0), self.number(0.0))

    def entry(self, index: str, numbers: Sequence[float]) -> str:
        """A number of a table; outside of it the first or the last."""
        name = f"@table_{blake2b(repr(numbers).encode(), digest_size=12).hexdigest()}"
        items = ", ".join(f"double {hexadecimal(x)}" for x in numbers)
        self.text.needs.add(f"{name} = internal constant [{len(numbers)} x double] [{items}]")
        zero, last = self.number(0.0), self.number(len(numbers) - 1.0)
        above = self.chosen(self.set(f"fcmp ogt {self.vector} {index}, {zero}"), index, zero)
        inside = self.chosen(self.set(f"fcmp olt {self.vector} {above}, {last}"), above, last)
        places = self.set(f"fptosi {self.vector} {inside} to {self.whole}")
        if self.width == 1:
            return self.set(f"load double, ptr {self.at(name, places)}, align 8")
        result = "poison"
        for k in range(self.width):
            place = self.set(f"extractelement {self.whole} {places}, i32 {k}")
            one = self.set(f"load double, ptr {self.at(name, place)}, align 8")
            result = self.set(f"insertelement {self.vector} {result}, double {one}, i32 {k}")
        return result

    def whole_power(self, x: str, exponent: int) -> str:
        """X to a whole power, by squaring."""
        result, square, rest = "", x, abs(exponent)
        while rest:
            if rest & 1:
                result = self.binary("fmul contract", result, square) if result else square
            rest >>= 1
            if rest:
                square = self.binary("fmul contract", square, square)
        return self.binary("fdiv", self.number(1.0), result) if exponent < 0 else result


def vector_type(width: int, element: str = "double") -> str:
    """`<4 x double>`, or `double` for one lane."""
    return element if width == 1 else f"<{width} x {element}>"


def hexadecimal(x: float) -> str:
    """A double as LLVM reads it to the last bit."""
    return f"0x{struct.unpack('>Q', struct.pack('>d', x))[0]:016X}"


def module(functions: Iterable[str], needs: set[str]) -> str:
    """A whole module."""
    return "\n".join([*sorted(needs), *functions, _METADATA, ""])


def _lanes(needs: set[str], name: str, function: str, arity: int, width: int) -> str:
    """A vector function that calls a scalar one for each lane."""
    w, result = Writer(width, needs), "poison"
    for k in range(width):
        lanes = [w.set(f"extractelement {w.vector} %x{i}, i32 {k}") for i in range(arity)]
        one = w.call("double", function, *(("double", lane) for lane in lanes))
        result = w.set(f"insertelement {w.vector} {result}, double {one}, i32 {k}")
    given = ", ".join(f"{w.vector} %x{i}" for i in range(arity))
    return w.function(f"internal {w.vector} @{name}({given}) noinline", f"{w.vector} {result}")


def _sign(w: Writer, x: str) -> str:
    """-1, 0 or 1; of nan it is nan."""
    above = w.set(f"fcmp ogt {w.vector} {x}, {w.number(0.0)}")
    below = w.set(f"fcmp olt {w.vector} {x}, {w.number(0.0)}")
    return w.chosen(above, w.number(1.0), w.chosen(below, w.number(-1.0), x))
