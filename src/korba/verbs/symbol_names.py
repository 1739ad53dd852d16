"""What the variables of a program are called in formulas, and the parts of the equations."""

from __future__ import annotations

from typing import NamedTuple

from ..expr.canonical import ANGLE, Canonical
from ..expr.formula import Call, Names, Product, Symbol, collected
from ..expr.waves import Waves
from ..system.system import System
from .designs import DESIGN
from .written import Line

READABLE = 400
"""Terms (of exponentials) of a value above which nobody reads it."""
GRAVITY = "g"
"""The amount of gravity, where it is a number in the model."""
TIME = "t"


class Parts(NamedTuple):
    """The equations of motion in canonical form:  M a + h + G + R = tau + J' lambda."""

    system: System
    known: Canonical
    M: list[list[Waves]]
    h: list[Waves]
    G: list[Waves]
    R: list[Waves]
    loops: list[Waves]
    """What is zero where the loops are closed."""
    J: list[list[Waves]]
    notes: tuple[str, ...]


def symbol_names(system: System, written: Canonical) -> Names:
    """How the variables of a program are called: sizes, coordinates, their rates, definitions."""
    tree, own = system.tree, {*system.parameters, GRAVITY, TIME}
    called = {name: f"q_{name}" if name in own else name for name in tree.coordinates}
    known = {f"{DESIGN}[{i}]": Symbol(name) for i, name in enumerate(system.parameters)}
    known[GRAVITY] = Symbol(GRAVITY)
    known |= {f"q[{k}]": Symbol(called[tree.coordinates[i]]) for k, i in enumerate(tree.free_q)}
    for letter, dots in (("v", 0), ("a", 1)):
        for k, i in enumerate(tree.free_v):
            name = tree.velocities[i]
            rate = name in called
            known[f"{letter}[{k}]"] = Symbol(called.get(name, name), dots + rate)
    letter = Names(known).letter("k", "c", "d", "e")
    known |= {each.name: Symbol(f"{letter}_{i + 1}") for i, each in enumerate(written.definitions)}
    return Names(known)


def defined(known: Canonical, names: Names) -> tuple[Line, ...]:
    """The lines of symbols that stand for no polynomials."""
    lines = []
    for each in known.definitions:
        parts = tuple(collected(x, names) for x in each.arguments)
        whole = Product(parts[:1], parts[1:]) if each.op == "div" else Call(each.op, parts)
        lines.append(Line(names.symbol(each.name), parts[0] if each.op == ANGLE else whole))
    return tuple(lines)
