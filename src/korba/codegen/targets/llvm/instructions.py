"""Operations as LLVM instructions on vectors of states: text, one writer for every width.

Products and sums may be contracted to fused multiply-adds; no other liberty is given to the
compiler. Sine and cosine are computed together (Cody & Waite's reduction by pi/2 in three parts,
fdlibm's polynomials on [-pi/4, pi/4]) for |x| < 1e5, and by the C library beyond.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

LIBRARY = {
    "tan": "tan",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "exp": "exp",
    "log": "log",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "pow": "pow",
    "sin": "sin",
    "cos": "cos",
}
"""Functions that are called in the C library, with their names there."""

_INTRINSIC = {
    "sqrt": "sqrt",
    "abs": "fabs",
    "floor": "floor",
    "minimum": "minimum",
    "maximum": "maximum",
}
_FLOPS = {"add": "fadd contract", "sub": "fsub contract", "mul": "fmul contract", "div": "fdiv"}
_COMPARISONS = {"less": "olt", "less_equal": "ole"}

_TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")
_HALF_PI = tuple(
    map(
        float.fromhex,
        ("0x1.921fb54442d18p+0", "0x1.1a62633145c07p-54", "-0x1.f1976b7ed8fbcp-110"),
    )
)
_ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to a whole number in the low bits
LARGEST_ANGLE = 1e5
"""Above it sines and cosines are the C library's."""
_SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
_COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
_RARE = "!prof !0"
RARE_METADATA = (
    '!0 = !{!"branch_weights", i32 1, i32 1000000}\n!1 = !{!"branch_weights", i32 1000000, i32 1}'
)
"""What `!prof !0` (the branch is rare) and `!prof !1` (it is not) refer to."""


@dataclass
class Writer:
    """The body of one function being written, for vectors of `width` states."""

    width: int
    lines: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)  # helper functions of this width to define
    block: str = "entry"
    prefix: str = "v"
    _count: int = 0

    @property
    def vector(self) -> str:
        """The type of a value."""
        return vector_type(self.width)

    def new(self, prefix: str = "") -> str:
        """A fresh name."""
        self._count += 1
        return f"%{prefix or self.prefix}{self._count}"

    def set(self, text: str) -> str:
        """Write `name = text`; return the name."""
        name = self.new()
        self.lines.append(f"{name} = {text}")
        return name

    def start_block(self, label: str) -> None:
        """Begin a basic block."""
        self.lines.append(f"{label}:")
        self.block = label

    def number(self, x: float) -> str:
        """A number in every lane."""
        return splat(x, self.width)

    def call(self, intrinsic: str, *values: str) -> str:
        """An LLVM intrinsic of whole vectors."""
        suffix = "f64" if self.width == 1 else f"v{self.width}f64"
        arguments = ", ".join(f"{self.vector} {value}" for value in values)
        self.used.add(
            f"declare {self.vector} @llvm.{intrinsic}.{suffix}"
            f"({', '.join([self.vector] * len(values))})"
        )
        return self.set(f"call {self.vector} @llvm.{intrinsic}.{suffix}({arguments})")

    def binary(self, instruction: str, a: str, b: str) -> str:
        """An instruction of two vectors of doubles."""
        return self.set(f"{instruction} {self.vector} {a}, {b}")

    def fma(self, a: str, b: str, c: str) -> str:
        """A * b + c, rounded once."""
        return self.call("fma", a, b, c)

    def operation(self, op: str, *args: str) -> str:
        """The value of an operation of the graph (not sin, cos or a whole power)."""
        if op in _FLOPS:
            return self.binary(_FLOPS[op], *args)
        if op in _INTRINSIC:
            return self.call(_INTRINSIC[op], *args)
        if op in _CHOICES:
            return _CHOICES[op](self, *args)
        return self.library_call(op, *args)

    def library_call(self, op: str, *args: str) -> str:
        """The function of the C library, lane by lane."""
        name = f"lanes_{LIBRARY[op]}_{self.width}"
        self.used.add(_lanes(name, LIBRARY[op], len(args), self.width))
        self.used.add(declaration(LIBRARY[op], len(args)))
        arguments = ", ".join(f"{self.vector} {arg}" for arg in args)
        return self.set(f"call {self.vector} @{name}({arguments})")

    def mask(self, op: str, a: str, b: str) -> str:
        """A comparison as a vector of bits."""
        return self.set(f"fcmp {_COMPARISONS[op]} {self.vector} {a}, {b}")

    def chosen(self, mask: str, a: str, b: str) -> str:
        """A where the bit is set, else b."""
        bits = vector_type(self.width, "i1")
        return self.set(f"select {bits} {mask}, {self.vector} {a}, {self.vector} {b}")

    def truth(self, mask: str) -> str:
        """1 where the bit is set, else 0."""
        return self.chosen(mask, self.number(1.0), self.number(0.0))

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

    def sincos(self, x: str, wanted: tuple[str, ...]) -> dict[str, str]:
        """Sine and cosine of x, those `wanted`; large angles leave the straight path."""
        size = self.call("fabs", x)
        bits = vector_type(self.width, "i1")
        small = self.set(f"fcmp ult {self.vector} {size}, {self.number(LARGEST_ANGLE)}")
        near = dict(zip(("sin", "cos"), small_sincos(self, [x])[0], strict=True))
        if self.width > 1:
            self.used.add(f"declare i1 @llvm.vector.reduce.and.v{self.width}i1({bits})")
            small = self.set(f"call i1 @llvm.vector.reduce.and.v{self.width}i1({bits} {small})")
        large = self.set(f"xor i1 {small}, true")
        label = self.new(f"{self.prefix}b")[1:]
        self.lines.append(f"br i1 {large}, label %{label}far, label %{label}, {_RARE}")
        straight = self.block
        self.start_block(f"{label}far")
        far = {name: self.library_call(name, x) for name in wanted}
        self.lines.append(f"br label %{label}")
        self.start_block(label)
        return {
            name: self.set(
                f"phi {self.vector} [ {near[name]}, %{straight} ], [ {far[name]}, %{label}far ]"
            )
            for name in wanted
        }


def vector_type(width: int, element: str = "double") -> str:
    """`<4 x double>`, or `double` for one lane."""
    return element if width == 1 else f"<{width} x {element}>"


def hexadecimal(x: float) -> str:
    """A double as LLVM reads it to the last bit."""
    return f"0x{struct.unpack('>Q', struct.pack('>d', x))[0]:016X}"


def splat(x: float, width: int) -> str:
    """A number in every lane."""
    return hexadecimal(x) if width == 1 else f"splat (double {hexadecimal(x)})"


def declaration(name: str, arity: int) -> str:
    """The declaration of a function of the C library."""
    return f"declare double @{name}({', '.join(['double'] * arity)})"


def small_sincos(w: Writer, angles: Sequence[str]) -> list[tuple[str, str]]:
    """Sine and cosine for |x| < 1e5, of all the angles side by side.

    x = n pi/2 + r with |r| <= pi/4; the first product subtracted is exact, so r keeps its last
    bits next to multiples of pi/2 too. The quadrant n mod 4 swaps the two and sets their signs.

        sin r = r + r z S(z),    cos r = (1 - z/2) + z z C(z),    z = r r
    """
    shifted = [w.fma(x, w.number(_TWO_OVER_PI), w.number(_ROUND)) for x in angles]
    n = [w.binary("fsub", s, w.number(_ROUND)) for s in shifted]
    r = list(angles)
    for part in _HALF_PI:
        r = [w.fma(turns, w.number(-part), rest) for turns, rest in zip(n, r, strict=True)]
    z = [w.binary("fmul", x, x) for x in r]
    sine = _polynomial(w, z, _SINE)
    cube = [w.binary("fmul", a, b) for a, b in zip(z, r, strict=True)]
    sine = [w.fma(*abc) for abc in zip(cube, sine, r, strict=True)]
    cosine = _polynomial(w, z, _COSINE)
    rest = [w.fma(x, w.number(-0.5), w.number(1.0)) for x in z]
    square = [w.binary("fmul", x, x) for x in z]
    cosine = [w.fma(*abc) for abc in zip(square, cosine, rest, strict=True)]
    return [_turned(w, *found) for found in zip(shifted, sine, cosine, strict=True)]


def _polynomial(w: Writer, z: Sequence[str], coefficients: tuple[float, ...]) -> list[str]:
    total = [w.number(coefficients[-1]) for _ in z]
    for coefficient in reversed(coefficients[:-1]):
        total = [w.fma(t, x, w.number(coefficient)) for t, x in zip(total, z, strict=True)]
    return total


def _turned(w: Writer, shifted: str, sine: str, cosine: str) -> tuple[str, str]:
    """Sine and cosine after the quarter turns in the low bits of `shifted`."""
    whole, one = vector_type(w.width, "i64"), _integers(1, w.width)
    turns = w.set(f"bitcast {w.vector} {shifted} to {whole}")
    odd = w.set(f"shl {whole} {turns}, {_integers(63, w.width)}")
    swap = w.set(f"icmp slt {whole} {odd}, {_integers(0, w.width)}")
    results = []
    for near, other, turn in ((sine, cosine, turns), (cosine, sine, "")):
        counted = turn or w.set(f"add {whole} {turns}, {one}")
        second = w.set(f"and {whole} {counted}, {_integers(2, w.width)}")
        sign = w.set(f"shl {whole} {second}, {_integers(62, w.width)}")
        value = w.chosen(swap, other, near)
        bits = w.set(f"bitcast {w.vector} {value} to {whole}")
        signed = w.set(f"xor {whole} {bits}, {sign}")
        results.append(w.set(f"bitcast {whole} {signed} to {w.vector}"))
    return results[0], results[1]


def _integers(x: int, width: int) -> str:
    return str(x) if width == 1 else f"splat (i64 {x})"


def _lanes(name: str, function: str, arity: int, width: int) -> str:
    """A vector function that calls a scalar one for each lane."""
    vector = vector_type(width)
    heads = ", ".join(f"{vector} %x{i}" for i in range(arity))
    lines = [f"define internal {vector} @{name}({heads}) noinline {{"]
    if width == 1:
        arguments = ", ".join(f"double %x{i}" for i in range(arity))
        return "\n".join(
            [*lines, f"%r = call double @{function}({arguments})", "ret double %r", "}"]
        )
    result = "poison"
    for k in range(width):
        lines += [f"%a{i}_{k} = extractelement {vector} %x{i}, i32 {k}" for i in range(arity)]
        arguments = ", ".join(f"double %a{i}_{k}" for i in range(arity))
        lines.append(f"%c{k} = call double @{function}({arguments})")
        lines.append(f"%r{k} = insertelement {vector} {result}, double %c{k}, i32 {k}")
        result = f"%r{k}"
    return "\n".join([*lines, f"ret {vector} {result}", "}"])


def _sign(w: Writer, x: str) -> str:
    """-1, 0 or 1; of nan it is nan."""
    above = w.set(f"fcmp ogt {w.vector} {x}, {w.number(0.0)}")
    below = w.set(f"fcmp olt {w.vector} {x}, {w.number(0.0)}")
    return w.chosen(above, w.number(1.0), w.chosen(below, w.number(-1.0), x))


def _where(w: Writer, condition: str, a: str, b: str) -> str:
    mask = w.set(f"fcmp une {w.vector} {condition}, {w.number(0.0)}")
    return w.chosen(mask, a, b)


_CHOICES: dict[str, Callable[..., str]] = {
    "neg": lambda w, x: w.set(f"fneg {w.vector} {x}"),
    "sign": _sign,
    "where": _where,
    "less": lambda w, a, b: w.truth(w.mask("less", a, b)),
    "less_equal": lambda w, a, b: w.truth(w.mask("less_equal", a, b)),
}
