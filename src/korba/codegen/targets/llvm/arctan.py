"""The angle of a point, arctan2(y, x), as LLVM instructions in all lanes.

With m = min(|x|, |y|) and n = max(|x|, |y|) the angle in the first octant is, by one division,

    atan(m/n) = atan t,                t = m/n                 up to tan(pi/8)                (1)
              = pi/4 + atan t,         t = (m - n)/(m + n)     beyond

and |t| <= tan(pi/8), where atan t = t + t z P(z), z = t t, with a polynomial P of least error.
The other octants are k pi/4 +- atan t, where k pi/4 is added with all its bits. Points of an
extraordinary size, and what is not a number, are left to the C library.
"""

from __future__ import annotations

from korba.codegen.targets.llvm.instructions import LIKELY, Writer
from korba.codegen.targets.llvm.sincos import polynomial

_TAN_PI_8 = float.fromhex("0x1.a827999fcef32p-2")
_QUARTER = float.fromhex("0x1.921fb54442d18p-1"), float.fromhex("0x1.1a62633145c07p-55")
_SMALLEST, _LARGEST = 1e-290, 1e290
COEFFICIENTS = (
    -0.3333333333333333,
    0.19999999999999804,
    -0.14285714285659828,
    0.11111111105155441,
    -0.09090908753500636,
    0.07692296375025154,
    -0.06666424885612743,
    0.058789289963916344,
    -0.05230454260021369,
    0.04551593172142479,
    -0.03457056073451243,
    0.016285755473349803,
)


def arctan2(w: Writer, y: str, x: str) -> str:
    """The angle of the point (x, y) from the x axis, from -pi to pi."""
    a, b = w.intrinsic("fabs", x), w.intrinsic("fabs", y)
    small, large = w.intrinsic("minnum", a, b), w.intrinsic("maxnum", a, b)
    within = w.set(f"fcmp olt {w.vector} {large}, {w.number(_LARGEST)}")
    beyond = w.set(f"fcmp ogt {w.vector} {large}, {w.number(_SMALLEST)}")
    ordered = w.set(f"fcmp ord {w.vector} {x}, {y}")
    plain = w.set(f"and {w.bits} {within}, {beyond}")
    plain = w.set(f"and {w.bits} {plain}, {ordered}")
    near = _near(w, (x, y), (a, b), (small, large))
    far_away, after, before = w.label(), w.label(), w.text.block
    w.go(after, w.reduced("and", plain), far_away, LIKELY)
    w.start(far_away)
    far = w.library_call("arctan2", y, x)
    w.go(after)
    w.start(after)
    return w.phi((near, before), (far, far_away))


def _near(w: Writer, point: tuple[str, str], sizes: tuple[str, str], ends: tuple[str, str]) -> str:
    """(1) in its octant."""
    (x, y), (a, b), (small, large) = point, sizes, ends
    limit = w.binary("fmul", large, w.number(_TAN_PI_8))
    steep = w.set(f"fcmp ogt {w.vector} {small}, {limit}")
    above = w.chosen(steep, w.binary("fsub", small, large), small)
    below = w.chosen(steep, w.binary("fadd", small, large), large)
    t = w.binary("fdiv", above, below)
    z = w.binary("fmul", t, t)
    cube = w.binary("fmul", z, t)
    angle = w.fma(cube, polynomial(w, [z], COEFFICIENTS)[0], t)
    count = w.chosen(steep, w.number(1.0), w.number(0.0))
    high = w.set(f"fcmp ogt {w.vector} {b}, {a}")
    left = w.set(f"fcmp olt {w.vector} {x}, {w.number(0.0)}")
    for condition, whole in ((high, 2.0), (left, 4.0)):
        turned = w.binary("fsub", w.number(whole), count)
        count = w.chosen(condition, turned, count)
        angle = w.chosen(condition, w.set(f"fneg {w.vector} {angle}"), angle)
    rest = w.fma(count, w.number(_QUARTER[1]), angle)
    return w.intrinsic("copysign", w.fma(count, w.number(_QUARTER[0]), rest), y)
