"""Sine and cosine together, for languages whose library has no quick pair of them.

    x = n pi/2 + r,  |r| <= pi/4:    sin r = r + r z S(z),  cos r = (1 - z/2) + z z C(z),  z = r r

with fdlibm's polynomials S and C, and pi/2 in three parts of which the first two have 33 bits: for
|x| < 1e5 their products with n are exact, whether products are contracted or not. Beyond that the
library's own are taken. The quadrant n mod 4 swaps the two and sets their signs,
by products with 0, 1 and -1: a branch there would be guessed wrong.
"""

from __future__ import annotations

LARGEST_ANGLE = 1e5
"""Above it sines and cosines are the library's."""
TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")
ROUND = 6755399441055744.0
"""1.5 * 2^52: adding it rounds to a whole number in the low bits."""
SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
"""Coefficients of S and C, the lowest first."""
_HALF_PI = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21)


def _polynomial(coefficients: tuple[float, ...]) -> str:
    """In Horner's form."""
    text = repr(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        text = f"({coefficient!r} + z * {text})"
    return text


def body(number: str, whole: str) -> str:
    """Statements for x; `number` and `whole` declare constants. Then `s` and `c` are there."""
    first, second, third = map(repr, _HALF_PI)
    return f"""  {number} n = x * {TWO_OVER_PI!r} + {ROUND!r} - {ROUND!r};
  {number} r = x - n * {first} - n * {second} - n * {third}, z = r * r;
  {number} sine = r + r * z * {_polynomial(SINE)};
  {number} cosine = 1.0 - 0.5 * z + z * z * {_polynomial(COSINE)};
  {whole} & 3;
  {number} odd = turns & 1, even = 1.0 - odd;
  {number} s = (1.0 - (turns & 2)) * (even * sine + odd * cosine);
  {number} c = (1.0 - ((turns + 1) & 2)) * (even * cosine + odd * sine);"""
