"""Sine and cosine as LLVM instructions, computed together.

For |x| < 1e5 by Cody & Waite's reduction by pi/2 in three parts and fdlibm's polynomials on
[-pi/4, pi/4], and by the C library beyond.
"""

from __future__ import annotations

from collections.abc import Sequence

from korba.codegen.targets.llvm.instructions import LIKELY, Writer
from korba.codegen.targets.sine import COSINE, LARGEST_ANGLE, ROUND, SINE, TWO_OVER_PI

_HALF_PI = tuple(
    map(
        float.fromhex,
        ("0x1.921fb54442d18p+0", "0x1.1a62633145c07p-54", "-0x1.f1976b7ed8fbcp-110"),
    )
)


def is_small(w: Writer, angle: str) -> str:
    """Whether an angle is in the range of the series, as bits; what is not a number is."""
    size = w.intrinsic("fabs", angle)
    return w.set(f"fcmp ult {w.vector} {size}, {w.number(LARGEST_ANGLE)}")


def sincos(w: Writer, x: str, wanted: tuple[str, ...]) -> dict[str, str]:
    """Sine and cosine of x, those `wanted`; large angles leave the straight path."""
    small = is_small(w, x)
    near = dict(zip(("sin", "cos"), small_sincos(w, [x])[0], strict=True))
    far_away, after, before = w.label(), w.label(), w.text.block
    w.go(after, w.reduced("and", small), far_away, LIKELY)
    w.start(far_away)
    far = {name: w.library_call(name, x) for name in wanted}
    w.go(after)
    w.start(after)
    return {op: w.phi((near[op], before), (far[op], far_away)) for op in wanted}


def small_sincos(w: Writer, angles: Sequence[str]) -> list[tuple[str, str]]:
    """Sine and cosine for |x| < 1e5, of all the angles side by side.

    x = n pi/2 + r with |r| <= pi/4; the first product subtracted is exact, so r keeps its last
    bits next to multiples of pi/2 too. The quadrant n mod 4 swaps the two and sets their signs.

        sin r = r + r z S(z),    cos r = (1 - z/2) + z z C(z),    z = r r
    """
    shifted = [w.fma(x, w.number(TWO_OVER_PI), w.number(ROUND)) for x in angles]
    n = [w.binary("fsub", s, w.number(ROUND)) for s in shifted]
    r = list(angles)
    for part in _HALF_PI:
        r = [w.fma(turns, w.number(-part), rest) for turns, rest in zip(n, r, strict=True)]
    z = [w.binary("fmul", x, x) for x in r]
    sine = polynomial(w, z, SINE)
    cube = [w.binary("fmul", a, b) for a, b in zip(z, r, strict=True)]
    sine = [w.fma(*abc) for abc in zip(cube, sine, r, strict=True)]
    cosine = polynomial(w, z, COSINE)
    rest = [w.fma(x, w.number(-0.5), w.number(1.0)) for x in z]
    square = [w.binary("fmul", x, x) for x in z]
    cosine = [w.fma(*abc) for abc in zip(square, cosine, rest, strict=True)]
    return [_turned(w, *found) for found in zip(shifted, sine, cosine, strict=True)]


def polynomial(w: Writer, z: Sequence[str], coefficients: tuple[float, ...]) -> list[str]:
    """A polynomial of all z side by side, the lowest coefficient first."""
    total = [w.number(coefficients[-1]) for _ in z]
    for coefficient in reversed(coefficients[:-1]):
        total = [w.fma(t, x, w.number(coefficient)) for t, x in zip(total, z, strict=True)]
    return total


def _turned(w: Writer, shifted: str, sine: str, cosine: str) -> tuple[str, str]:
    """Sine and cosine after the quarter turns in the low bits of `shifted`."""
    whole = w.whole
    turns = w.set(f"bitcast {w.vector} {shifted} to {whole}")
    odd = w.set(f"shl {whole} {turns}, {w.integer(63)}")
    swap = w.set(f"icmp slt {whole} {odd}, {w.integer(0)}")
    results = []
    for near, other, turn in ((sine, cosine, turns), (cosine, sine, "")):
        counted = turn or w.set(f"add {whole} {turns}, {w.integer(1)}")
        second = w.set(f"and {whole} {counted}, {w.integer(2)}")
        sign = w.set(f"shl {whole} {second}, {w.integer(62)}")
        value = w.chosen(swap, other, near)
        bits = w.set(f"bitcast {w.vector} {value} to {whole}")
        signed = w.set(f"xor {whole} {bits}, {sign}")
        results.append(w.set(f"bitcast {whole} {signed} to {w.vector}"))
    return results[0], results[1]
