"""The equations of a mechanism as a person reads them.

A formulation called with symbols writes M(q) a + h(q, v) = tau; in canonical form
(expr/waves.py) its terms sort themselves by what they contain:

    M q'' + h + G + R = tau                                                                   (1)

h are the products of velocities, G is gravity, R has damping, springs and other loads. Sizes are
written by the names of the mechanism's parameters; where it has none they are numbers. Since the
canonical form is unique, every formulation that writes the same equations writes them in the same
words. With loops there are the lines that close them, Phi(q) = 0, and (1) has J' lambda besides
tau, with the rows J of the loops (kinematics/rows.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..codegen import symbols
from ..door import public
from ..errors import StructureError
from ..expr import Expr, variable
from ..expr.canonical import Canonical, canonical
from ..expr.formula import ZERO, Call, Formula, Names, Product, Symbol, collected
from ..expr.node import as_expr
from ..expr.waves import TooLongError, Waves, linear
from ..kinematics.rows import Row, entries
from ..kinematics.rows import equations as rows_of_loops
from ..model.mechanism import Mechanism
from ..model.parameters import names_in
from ..spatial.rotation import Array
from ..system.system import System, no_loads
from .designs import DESIGN, sizes_of
from .dynamics import chosen, formula_of
from .layers import layers_of
from .systems import any_system, undamped, under
from .written import Equations, LayeredEquations, Letters, Line

READABLE = 400
"""Terms (of exponentials) of an effort above which nobody reads it."""
NOTHING = Waves({})
ONE = Fraction(1)
GRAVITY = "g"
"""The amount of gravity, where it is a number in the model."""
TIME = "t"


@public
def equations(
    m: Mechanism,
    *,
    formulation: str | None = None,
    parameters: Sequence[str] | None = None,
    layered: bool | None = None,
) -> Equations | LayeredEquations:
    """The equations of motion in symbols: entries of M, velocity terms, gravity, loads, loops.

    Sizes stand there by the names of the mechanism's parameters (of all, or of those given);
    everything else as numbers. `print` shows them as text, a notebook as formulas; `.latex()`,
    `.mathml()` and `.sympy()` give them to other programs. Where an entry is longer than anybody
    reads, or with layered=True, they are in layers: named quantities, link by link.

        >>> m = kb.loads('''
        ... plane = "xy"
        ... parameters = {m = 2, s = 0.5, I = 0.1}
        ... body = [{name = "rod", mass = "m", com = [0, "-s"], inertia = "I"}]
        ... joint = [{name = "q", type = "revolute", parent = "ground", child = "rod", at = [0, 0]}]
        ... ''')
        >>> print(kb.equations(m).text().splitlines()[1])
          (m s² + I) q̈ + m s g sin q = τ
    """
    names = _parameters(m) if parameters is None else tuple(parameters)
    system = any_system(m, names)
    if layered and system.ties:
        raise StructureError(
            f"equations: layers go out along a tree and back, and mechanism {m.name!r} has loops; "
            "leave layered=True out"
        )
    if not layered:
        try:
            return _written(m, system, formulation)
        except TooLongError as error:
            if system.ties or layered is not None:
                raise StructureError(
                    f"equations: those of mechanism {m.name!r} have {error}, which nobody reads; "
                    + (
                        "give numbers for some sizes (parameters=...)"
                        if system.ties
                        else "ask for them in layers (layered=True)"
                    )
                ) from error
    return _in_layers(m, system)


def _parameters(m: Mechanism) -> tuple[str, ...]:
    """The parameters that are numbers, not formulas of others."""
    own = {name for name, _ in m.parameters}
    return tuple(name for name, raw in m.parameters if not names_in(raw) & own)


def _written(m: Mechanism, system: System, formulation: str | None) -> Equations:
    tree, n = system.tree, system.tree.nv
    q, v, a = symbols("q", tree.nq), symbols("v", n), symbols("a", n)
    if formulation is not None and chosen("inverse_dynamics", formulation).closed:
        raise StructureError(
            f"equations: formulation {formulation!r} solves for forces of loops; those that write "
            "the equations are for trees, such as 'newton-euler' (loops are added to any of them)"
        )
    g, notes = _gravity(system)
    still = undamped(replace(system, gravity=np.zeros(3), loads=no_loads))
    falling, whole = replace(still, gravity=g), replace(under(system, t=variable(TIME)), gravity=g)
    formula = formula_of("inverse_dynamics", formulation)
    efforts = [formula(each, q, v, a) for each in (still, falling, whole)]
    loops = _loops(system, q)
    gaps = [gap for row in loops for gap in row.residual]
    lines = [[line.get(j, 0.0) for j in range(n)] for line in entries(loops)]
    sizes = sizes_by_symbol(m, system)
    known = canonical([as_expr(x) for row in (*efforts, gaps, *lines) for x in row], sizes)
    first = 3 * n + len(gaps)
    tau_0, tau_1, tau_2 = (known.values[k * n : (k + 1) * n] for k in range(3))
    if max((len(value.terms) for value in known.values), default=0) > READABLE:
        raise TooLongError(f"entries of more than {READABLE} terms")
    names = symbol_names(system, known)
    parts = [row.parts([f"a[{j}]" for j in range(n)]) for row in tau_0]
    M = [[part.get(((f"a[{j}]", ONE),), NOTHING) for j in range(n)] for part in parts]

    def column(values: Sequence[Waves]) -> tuple[Formula, ...]:
        return tuple(collected(value, names) for value in values)

    return Equations(
        system.m.name,
        tuple(names.symbol(f"q[{i}]") for i in range(tree.nq)),
        tuple(names.symbol(f"a[{j}]") for j in range(n)),
        tuple(map(column, M)),
        column([part.get((), NOTHING) for part in parts]),
        column([y - x for x, y in zip(tau_0, tau_1, strict=True)]),
        column([y - x for x, y in zip(tau_1, tau_2, strict=True)]),
        tuple(_closed(known.values[3 * n : first], names)),
        tuple(column(known.values[first + k * n : first + k * n + n]) for k in range(len(lines))),
        defined(known, names),
        notes,
        Letters.beside(names, n),
    )


def _in_layers(m: Mechanism, system: System) -> LayeredEquations:
    tree = system.tree
    q, v, a = symbols("q", tree.nq), symbols("v", tree.nv), symbols("a", tree.nv)
    g, notes = _gravity(system)
    whole = replace(under(system, t=variable(TIME)), gravity=g)
    layers = list(layers_of(whole, q, v, a))
    known = canonical([e for layer in layers for _, e in layer.lines], sizes_by_symbol(m, system))
    names, values = symbol_names(system, known), iter(known.values)
    written = [
        (
            layer.meaning,
            tuple(Line(Symbol(name), collected(next(values), names)) for name, _ in layer.lines),
        )
        for layer in layers
    ]
    if known.definitions:
        written.insert(0, ("with", defined(known, names)))
    return LayeredEquations(m.name, tuple(written), notes)


def sizes_by_symbol(m: Mechanism, system: System) -> dict[str, float]:
    """The values of the sizes that are symbols."""
    own = sizes_of(m, system.parameters)
    return {f"{DESIGN}[{i}]": float(size) for i, size in enumerate(own)}


def _loops(system: System, q: Array) -> list[Row]:
    return rows_of_loops(system.tree, q, 0.0, {}, ()) if system.ties else []


def _gravity(system: System) -> tuple[Array, tuple[str, ...]]:
    """Gravity with a symbol for its amount, if it is a number, and what the symbol stands for."""
    g = np.asarray(system.gravity, dtype=object)
    if any(isinstance(x, Expr) and x.op != "constant" for x in g):
        return g, ()
    plain = g.astype(float)
    amount = float(np.linalg.norm(plain))
    if not amount or any(name == GRAVITY for name, _ in system.m.parameters):
        return plain, ()
    return np.array([x / amount * variable(GRAVITY) for x in plain]), (f"g = {amount:g} m/s²",)


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


def _closed(gaps: Sequence[Waves], names: Names) -> Iterator[Line]:
    """The lines that close loops: Phi = 0; of a turn its angle."""
    for gap in gaps:
        if gap.terms:
            angle = _angle(gap)
            yield Line(collected(gap if angle is None else angle, names), ZERO)


def _angle(gap: Waves) -> Waves | None:
    """The angle of a single sine."""
    terms = list(gap.real_terms())
    if len(terms) != 1 or terms[0][1] or terms[0][2] != "sin":
        return None
    return linear(terms[0][3])


def defined(known: Canonical, names: Names) -> tuple[Line, ...]:
    """The lines of symbols that stand for no polynomials."""
    lines = []
    for each in known.definitions:
        parts = tuple(collected(x, names) for x in each.arguments)
        whole = Product(parts[:1], parts[1:]) if each.op == "div" else Call(each.op, parts)
        lines.append(Line(names.symbol(each.name), whole))
    return tuple(lines)
