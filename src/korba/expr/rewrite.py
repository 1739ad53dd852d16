"""The rewriting rules: one per operation, each looking no deeper than the arguments' own arguments.

What comes out is canonical: arguments that commute stand in the order of their content, a
number stands first in a sum or product, minus signs move outwards, numbers that meet are
joined, a difference exists in one direction (the other is minus that), and like terms are one
multiple, also across one sum:

    x - (-y) = x + y    (-x)(-y) = x y    2 (3 x) = 6 x    2 x + 3 x = 5 x    sin(-x) = -sin(x)
    (2 x + y) + 3 x = 5 x + y    (x + y) - x = y    x/x = 1    (x/y) y = x

Products of numbers are joined only while they stay finite and not zero. A division by a number
is kept (x/3 is not 0.333 x to the last bit) unless the number is a power of two.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from korba.errors import ExpressionError
from korba.expr.functions import FUNCTIONS
from korba.expr.node import RULES, Expr, build, constant, node

_FLIPPED = {"add": "sub", "sub": "add"}
ZERO, ONE = constant(0.0), constant(1.0)


def _add(a: Expr, b: Expr) -> Expr:
    if b.order < a.order:
        a, b = b, a
    if a.value == 0.0:
        return b
    if (joined := _joined_terms(a, b, 1.0)) is not None:
        return joined
    if (minus_b := _without_minus(b)) is not None:
        return build("sub", a, minus_b)
    if (minus_a := _without_minus(a)) is not None:
        return build("sub", b, minus_a)
    return node("add", a, b)


def _sub(a: Expr, b: Expr) -> Expr:
    if a is b:
        return ZERO
    if b.op == "constant":
        return build("add", -b, a)
    if a.value == 0.0:
        return -b
    if (joined := _joined_terms(a, b, -1.0)) is not None:
        return joined
    if (minus_b := _without_minus(b)) is not None:
        return build("add", a, minus_b)
    if (minus_a := _without_minus(a)) is not None:
        return -build("add", minus_a, b)
    if a.op != "constant" and b.order < a.order:
        return node("neg", node("sub", b, a))
    return node("sub", a, b)


def _neg(x: Expr) -> Expr:
    if x.op == "neg":
        return x.args[0]
    if x.op in ("add", "sub", "mul", "div") and x.args[0].op == "constant":
        return build(_FLIPPED.get(x.op, x.op), -x.args[0], x.args[1])
    return node("neg", x)


def _mul(a: Expr, b: Expr) -> Expr:
    if b.order < a.order:
        a, b = b, a
    if a.op == "constant":
        return _scaled(_number(a), b)
    if (outside := _minus_outside("mul", a, b)) is not None:
        return outside
    if a.op == "div" and a.args[1] is b:
        return a.args[0]
    if b.op == "div" and b.args[1] is a:
        return b.args[0]
    return node("mul", a, b)


def _minus_outside(op: str, a: Expr, b: Expr) -> Expr | None:
    """A product or quotient with the minus signs of its arguments in front of it, if any."""
    minus_a, minus_b = _without_minus(a), _without_minus(b)
    if minus_a is not None and minus_b is not None:
        return build(op, minus_a, minus_b)
    if a.op == "neg":
        return -build(op, a.args[0], b)
    return -build(op, a, b.args[0]) if b.op == "neg" else None


def _scaled(factor: float, x: Expr) -> Expr:
    if factor == 0.0:
        return ZERO
    if factor == 1.0:
        return x
    if factor == -1.0:
        return -x
    if x.op == "neg":
        return build("mul", constant(-factor), x.args[0])
    if x.op in ("mul", "div") and x.args[0].op == "constant":
        product = factor * _number(x.args[0])
        if _is_safe(product):
            return build(x.op, constant(product), x.args[1])
    if factor < 0.0 and x.op == "sub" and x.args[0].op == "constant":
        return build("mul", constant(-factor), -x)
    return node("mul", constant(factor), x)


def _div(a: Expr, b: Expr) -> Expr:
    if b.value == 0.0:
        raise ExpressionError(f"division by zero: ({a})/0")
    if a.value == 0.0:
        return ZERO
    if a is b:
        return ONE
    if b.op == "constant":
        return _divided(a, _number(b))
    if a.op == "constant" and b.op == "mul" and b.args[0].op == "constant":
        quotient = _number(a) / _number(b.args[0])
        if _is_safe(quotient):
            return build("div", constant(quotient), b.args[1])
    outside = _minus_outside("div", a, b)
    return node("div", a, b) if outside is None else outside


def _divided(x: Expr, divisor: float) -> Expr:
    if divisor < 0.0:
        return -build("div", x, constant(-divisor))
    if x.op == "neg":
        return -build("div", x.args[0], constant(divisor))
    if x.op == "mul" and x.args[0].op == "constant":
        quotient = _number(x.args[0]) / divisor
        if _is_safe(quotient):
            return build("mul", constant(quotient), x.args[1])
    if math.frexp(divisor)[0] == 0.5 and _is_safe(1.0 / divisor):
        return build("mul", constant(1.0 / divisor), x)
    return node("div", x, constant(divisor))


def _pow(base: Expr, exponent: Expr) -> Expr:
    if base.value == 1.0 or exponent.value == 0.0:
        return ONE
    if exponent.value == 1.0:
        return base
    if exponent.value == -1.0:
        return build("div", ONE, base)
    if exponent.value == 0.5:
        return build("sqrt", base)
    if exponent.op == "constant" and _number(exponent).is_integer():
        minus = _opposite(base)
        if minus is not None:
            power = build("pow", minus, exponent)
            return power if _number(exponent) % 2.0 == 0.0 else -power
    return node("pow", base, exponent)


def _where(condition: Expr, a: Expr, b: Expr) -> Expr:
    if a is b:
        return a
    if condition.op == "constant":
        return a if condition.value != 0.0 else b
    return node("where", condition, a, b)


def _lookup(index: Expr, *entries: Expr) -> Expr:
    """A table of numbers; of anything else a tree of choices."""
    if all(entry is entries[0] for entry in entries):
        return entries[0]
    if all(entry.op == "constant" for entry in entries):
        return node("lookup", index, *entries)
    half = len(entries) // 2
    ahead = _lookup(build("sub", index, constant(float(half))), *entries[half:])
    return build(
        "where", build("less", index, constant(float(half))), _lookup(index, *entries[:half]), ahead
    )


def _comparison(op: str, of_equals: Expr) -> Callable[..., Expr]:
    return lambda a, b: of_equals if a is b else node(op, a, b)


def _choice(op: str) -> Callable[..., Expr]:
    def rule(a: Expr, b: Expr) -> Expr:
        if a is b:
            return a
        return node(op, b, a) if b.order < a.order else node(op, a, b)

    return rule


def _function(op: str) -> Callable[..., Expr]:
    parity = FUNCTIONS[op].parity

    def rule(*args: Expr) -> Expr:
        minus = _opposite(args[0]) if parity else None
        if minus is None:
            return node(op, *args)
        return -build(op, minus) if parity == "odd" else build(op, minus)

    return rule


def _number(x: Expr) -> float:
    return x.value  # type: ignore[return-value]


def _is_safe(x: float) -> bool:
    return 0.0 < abs(x) < math.inf


def _coefficient(x: Expr) -> tuple[float, Expr]:
    """X as (number, rest)."""
    if x.op == "neg":
        return -1.0, x.args[0]
    if x.op == "mul" and x.args[0].op == "constant":
        return _number(x.args[0]), x.args[1]
    return 1.0, x


def _joined_terms(a: Expr, b: Expr, sign: float) -> Expr | None:
    """A + sign b with numbers and like terms joined, if there are any."""
    joined = _joined_numbers(a, b, sign) if a.op == "constant" else _like_terms(a, b, sign)
    return _regrouped(a, b, sign) if joined is None else joined


def _like_terms(a: Expr, b: Expr, sign: float) -> Expr | None:
    """A + sign b as one multiple, where both are multiples of one node."""
    (m, x), (n, y) = _coefficient(a), _coefficient(b)
    if x is not y or not math.isfinite(m + sign * n):
        return None
    return build("mul", constant(m + sign * n), x)


def _regrouped(a: Expr, b: Expr, sign: float) -> Expr | None:
    """A + sign b, where one is a sum that holds a multiple of what the other is a multiple of.

    (2 x + y) + 3 x is 5 x + y. A sum with plain x is left alone, unless x drops out: it may be
    needed elsewhere, and then 2 x + y would be more work than (x + y) + x.
    """
    for total, outer, other, inner in ((a, 1.0, b, sign), (b, sign, a, 1.0)):
        if total.op not in ("add", "sub"):
            continue
        n, y = _coefficient(other)
        second = outer if total.op == "add" else -outer
        parts = (total.args[0], outer), (total.args[1], second)
        for (term, own), (rest, its) in (parts, parts[::-1]):
            m, x = _coefficient(term)
            if x is not y:
                continue
            factor = own * m + inner * n
            if factor == 0.0 or (abs(m) != 1.0 and abs(n) != 1.0 and math.isfinite(factor)):
                multiple = build("mul", constant(factor), x)
                return build("add" if its > 0.0 else "sub", multiple, rest)
    return None


def _joined_numbers(a: Expr, b: Expr, sign: float) -> Expr | None:
    """A + sign b where a is a number and b the sum or difference of a number and something."""
    if b.op not in ("add", "sub") or b.args[0].op != "constant":
        return None
    total = _number(a) + sign * _number(b.args[0])
    if not math.isfinite(total):
        return None
    return build("add" if (b.op == "add") == (sign > 0.0) else "sub", constant(total), b.args[1])


def _without_minus(x: Expr) -> Expr | None:
    """-x, if x is written with a minus in front."""
    if x.op == "neg":
        return x.args[0]
    if x.op in ("mul", "div") and x.args[0].op == "constant" and _number(x.args[0]) < 0.0:
        return build(x.op, -x.args[0], x.args[1])
    return None


def _opposite(x: Expr) -> Expr | None:
    """-x, if -x is the one of the two under which functions of x and -x are shared."""
    if x.op == "sub" and (x.args[0].op == "constant" or x.args[1].order < x.args[0].order):
        return -x
    return _without_minus(x)


RULES.update({name: _function(name) for name in FUNCTIONS})
RULES.update({name: _choice(name) for name in ("minimum", "maximum")})
RULES.update(
    {
        "add": _add,
        "sub": _sub,
        "neg": _neg,
        "mul": _mul,
        "div": _div,
        "pow": _pow,
        "where": _where,
        "lookup": _lookup,
        "less": _comparison("less", ZERO),
        "less_equal": _comparison("less_equal", ONE),
    }
)
