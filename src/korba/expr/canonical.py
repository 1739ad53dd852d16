"""Expressions as trigonometric polynomials: the form in which a person reads them.

The graph of an expression is computed once more, with the numbers of waves.py in place of floats.
Whatever is no polynomial of sines and cosines becomes a symbol with a definition of its own: a
quotient by a sum of terms, a root, a choice, an angle n q by a gear of ratio n. A choice between
sizes is none where the sizes have values: it is made, once for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan

from korba.expr.functions import FUNCTIONS
from korba.expr.node import Expr, postorder
from korba.expr.waves import Waves, number, rational, symbol, wave

LARGEST_POWER = 12
DEFINITION = "definition"
"""Symbols `definition[0]`, ... stand for what is no polynomial; a printer finds them a letter."""
ANGLE = "angle"
"""The operation of a definition that is its argument: an angle that is no sum of coordinates."""


@dataclass(frozen=True)
class Definition:
    """A function of values in canonical form that has a name."""

    name: str
    op: str
    arguments: tuple[Waves, ...]


@dataclass
class Canonical:
    """Values of expressions, and the definitions that they need."""

    values: list[Waves]
    definitions: list[Definition]


@dataclass
class _Reader:
    sizes: Mapping[str, float]
    """Numbers by which choices are made."""
    numbers: dict[Expr, float] = field(default_factory=dict)
    """Values of what depends on sizes alone."""
    definitions: list[Definition] = field(default_factory=list)
    known: dict[tuple[str, tuple[Waves, ...]], Waves] = field(default_factory=dict)

    def value(self, node: Expr, args: tuple[Waves, ...]) -> Waves:
        self.count(node)
        if isinstance(node.value, float):
            return number(node.value)
        if isinstance(node.value, str):
            return symbol(node.value)
        rule, choice = _RULES.get(node.op), _CHOICES.get(node.op)
        known = rule(*args) if rule else None
        if known is None and node.op in ("sin", "cos"):
            known = wave(self.angle(args[0]), node.op)
        if choice and node.args[0] in self.numbers:
            known = choice(args, [self.numbers.get(arg, nan) for arg in node.args])
        return self.defined(node.op, args) if known is None else known

    def count(self, node: Expr) -> None:
        """The number of a node, if it is one or depends on sizes alone."""
        if isinstance(node.value, float):
            self.numbers[node] = node.value
        elif node.value in self.sizes:
            self.numbers[node] = self.sizes[str(node.value)]
        elif node.args and all(arg in self.numbers for arg in node.args):
            values = [self.numbers[arg] for arg in node.args]
            self.numbers[node] = float(FUNCTIONS[node.op].numeric(*values))

    def angle(self, turn: Waves) -> Waves:
        """A combination of angles, with a symbol for each term that is none, such as n q.

        Then its sines and cosines meet like those of any angle.
        """
        total = number(0.0)
        for term, c in turn.terms.items():
            often = rational(c.real)
            part = Waves({term: 1.0 + 0j if often else c if c.real > 0 else -c})
            factor = number(c.real if often else 1.0 if c.real > 0 else -1.0)
            plain = part.linear() is not None
            total = total + factor * (part if plain else self.defined(ANGLE, (part,)))
        return total

    def defined(self, op: str, args: tuple[Waves, ...]) -> Waves:
        """A symbol for an operation that is no polynomial; a quotient is one by an inverse."""
        if op == "div" and args[0] != number(1.0):
            return args[0] * self.defined("div", (number(1.0), args[1]))
        if (op, args) not in self.known:
            name = f"{DEFINITION}[{len(self.definitions)}]"
            self.definitions.append(Definition(name, op, args))
            self.known[op, args] = symbol(name)
        return self.known[op, args]


def canonical(expressions: Sequence[Expr], sizes: Mapping[str, float] | None = None) -> Canonical:
    """Expressions in canonical form; choices are made by the numbers of `sizes`."""
    reader = _Reader(sizes or {})
    values: dict[Expr, Waves] = {}
    for node in postorder(expressions):
        values[node] = reader.value(node, tuple(values[arg] for arg in node.args))
    wanted = [values[e] for e in expressions]
    return Canonical(wanted, _used(wanted, reader.definitions))


def _used(values: Sequence[Waves], definitions: Sequence[Definition]) -> list[Definition]:
    """The definitions that values name, and those that these name."""
    names = {name for value in values for name in value.names}
    used = []
    for each in reversed(definitions):
        if each.name in names:
            names |= {name for value in each.arguments for name in value.names}
            used.append(each)
    return used[::-1]


def _power(base: Waves, exponent: Waves) -> Waves | None:
    n = exponent.number
    if n is None or not n.is_integer() or abs(n) > LARGEST_POWER:
        return None
    whole: Waves | None = base if n > 0 else base.inverse()
    if whole is None:
        return None
    result = number(1.0)
    for _ in range(abs(int(n))):
        result = result * whole
    return result


def _quotient(over: Waves, under: Waves) -> Waves | None:
    inverse = under.inverse()
    return None if inverse is None else over * inverse


_RULES: dict[str, Callable[..., Waves | None]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "neg": lambda x: -x,
    "div": _quotient,
    "pow": _power,
    "sin": lambda x: wave(x, "sin"),
    "cos": lambda x: wave(x, "cos"),
}


def _larger(args: Sequence[Waves], values: Sequence[float]) -> Waves | None:
    return None if isnan(sum(values)) else args[0] if values[0] >= values[1] else args[1]


def _smaller(args: Sequence[Waves], values: Sequence[float]) -> Waves | None:
    return None if isnan(sum(values)) else args[0] if values[0] <= values[1] else args[1]


_CHOICES: dict[str, Callable[[Sequence[Waves], Sequence[float]], Waves | None]] = {
    "where": lambda args, values: args[1] if values[0] else args[2],
    "abs": lambda args, values: args[0] if values[0] >= 0 else -args[0],
    "sign": lambda args, values: number((values[0] > 0) - (values[0] < 0)),
    "maximum": _larger,
    "minimum": _smaller,
}
"""What is chosen, by the values of sizes."""
