"""The equations of a mechanism as a person reads them.

A formulation called with symbols writes M(q) a + h(q, v) = tau; in canonical form
(expr/waves.py) its terms sort themselves by what they contain:

    M q'' + h + G + R = tau                                                                   (1)

h are the products of velocities, G is gravity, R has damping, springs and other loads. Sizes are
written by the names of the mechanism's parameters; where it has none they are numbers. Since the
canonical form is unique, every formulation that writes the same equations writes them in the same
words. With loops there are the lines that close them, Phi(q) = 0, and (1) has J' lambda besides
tau, with J = dPhi/dq; of joints with quaternions the rows J of the loops (kinematics/rows.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..codegen import symbols
from ..door import public
from ..errors import StructureError, refuse_unknown
from ..expr import Expr, variable
from ..expr.canonical import canonical
from ..expr.formula import ZERO, Formula, Symbol, collected
from ..expr.node import as_expr
from ..expr.waves import TooLongError, Waves, linear
from ..kinematics.rows import Row, entries
from ..kinematics.rows import equations as rows_of_loops
from ..model.mechanism import Mechanism
from ..model.parameters import names_in
from ..spatial.rotation import Array
from ..system.system import System, any_system, no_loads
from ..wording import given, named
from .designs import DESIGN, sizes_of
from .dynamics import chosen, formula_of
from .layers import layers_of
from .reduced_equations import reduced
from .symbol_names import GRAVITY, READABLE, TIME, Parts, defined, symbol_names
from .systems import undamped, under
from .written import Equations, LayeredEquations, Letters, Line, ReducedEquations

NOTHING = Waves({})
ONE = Fraction(1)
LONG = 150
"""Terms (of exponentials) from which on a value is hard to read."""


@public
def equations(
    m: Mechanism,
    *,
    formulation: str | None = None,
    parameters: Sequence[str] | None = None,
    layered: bool | None = None,
    coordinate: str | None = None,
) -> Equations | LayeredEquations | ReducedEquations:
    """The equations of motion in symbols: entries of M, velocity terms, gravity, loads, loops.

    Sizes stand there by the names of the mechanism's parameters (of all, or of those given);
    everything else as numbers. `print` shows them as text, a notebook as formulas; `.latex()`,
    `.mathml()` and `.sympy()` give them to other programs. Where an entry is longer than anybody
    reads, or with layered=True, they are in layers: named quantities, link by link. With a
    `coordinate` of a mechanism of one freedom there is one equation, I q'' + I'/2 q'^2 = Q: the
    ratios of all velocities to that one, the inertia reduced to it, and the reduced effort.

        >>> m = kb.loads('''
        ... plane = "xy"
        ... parameters = {m = 2, s = 0.5, I = 0.1}
        ... body = [{name = "rod", mass = "m", com = [0, "-s"], inertia = "I"}]
        ... joint = [{name = "q", type = "revolute", parent = "ground", child = "rod", at = [0, 0]}]
        ... ''')
        >>> print(kb.equations(m).text().splitlines()[1])
          (m s² + I) q̈ + m s g sin q = τ
    """
    names = own_parameters(m) if parameters is None else tuple(parameters)
    system = any_system(m, names)
    if coordinate is not None:
        refuse_unknown("", coordinate, system.tree.rates, "coordinate")
        _refuse_coupled(system, coordinate)
    if layered and system.ties:
        raise StructureError(
            f"equations: layers go out along a tree and back, and mechanism {m.name!r} has loops; "
            f"leave {given('equations', layered=True)} out"
        )
    if not layered:
        try:
            parts = _parts(system, formulation)
            return _written(parts) if coordinate is None else reduced(parts, coordinate)
        except TooLongError as error:
            if system.ties or coordinate or layered is not None:
                raise StructureError(
                    f"equations: those of mechanism {m.name!r} have {error}, which nobody reads; "
                    + (
                        f"give numbers for some sizes ({given('equations', parameters=...)})"
                        if system.ties or coordinate
                        else f"ask for them in layers ({given('equations', layered=True)})"
                    )
                ) from error
    return _in_layers(m, system)


def _refuse_coupled(system: System, coordinate: str) -> None:
    """An error if a coordinate follows from others by a coupling."""
    tree = system.tree
    free = [name for name, place in tree.rates.items() if place in tree.free_v]
    if coordinate not in free:
        raise StructureError(
            f"equations: coordinate {coordinate!r} follows from others by a coupling; take one of "
            f"{', '.join(free)}"
        )


def own_parameters(m: Mechanism) -> tuple[str, ...]:
    """The parameters that are numbers, not formulas of others."""
    own = {name for name, _ in m.parameters}
    return tuple(name for name, raw in m.parameters if not names_in(raw) & own)


def _parts(system: System, formulation: str | None) -> Parts:
    """All that stands in (1), in canonical form."""
    tree, n = system.tree, system.tree.nv
    q, v, a = symbols("q", tree.nq), symbols("v", n), symbols("a", n)
    if formulation is not None and chosen("inverse_dynamics", formulation).closed:
        raise StructureError(
            f"equations: formulation {formulation!r} solves for forces of loops; those that write "
            "the equations are for trees, such as 'newton-euler' (loops are added to any of them)"
        )
    g, notes = _gravity(system) if n else (system.gravity, ("nothing moves: no coordinates",))
    still = undamped(replace(system, gravity=np.zeros(3), loads=no_loads))
    falling, whole = replace(still, gravity=g), replace(under(system, t=variable(TIME)), gravity=g)
    formula = formula_of("inverse_dynamics", formulation)
    efforts = [formula(each, q, v, a) for each in (still, falling, whole)]
    loops = _loops(system, q)
    gaps = [gap for row in loops for gap in row.residual]
    lines = [] if tree.nq == n else [[row.get(j, 0.0) for j in range(n)] for row in entries(loops)]
    sizes = sizes_by_symbol(system.m, system)
    known = canonical([as_expr(x) for row in (*efforts, gaps, *lines) for x in row], sizes)
    longest = max((len(value.terms) for value in known.values), default=0)
    if longest > READABLE:
        raise TooLongError(f"entries of more than {READABLE} terms")
    if longest > LONG:
        numbers = f"numbers for sizes, {given('equations', parameters=())},"
        layers = f"layers, {given('equations', layered=True)},"
        shorter = numbers if system.ties else layers
        notes = (*notes, f"these are long; {shorter} may be easier to read")
    first = 3 * n + len(gaps)
    tau_0, tau_1, tau_2 = (known.values[k * n : (k + 1) * n] for k in range(3))
    closing = [_angle(gap) or gap for gap in known.values[3 * n : first] if gap.terms]
    rows = [known.values[first + k * n : first + k * n + n] for k in range(len(lines))]
    parts = [row.parts([f"a[{j}]" for j in range(n)]) for row in tau_0]
    if n and not any(row.terms for row in tau_0):
        notes = (*notes, "no body has mass or inertia")
    return Parts(
        system,
        known,
        [[part.get(((f"a[{j}]", ONE),), NOTHING) for j in range(n)] for part in parts],
        [part.get((), NOTHING) for part in parts],
        [y - x for x, y in zip(tau_0, tau_1, strict=True)],
        [y - x for x, y in zip(tau_1, tau_2, strict=True)],
        closing,
        rows or [[gap.derivative(f"q[{j}]") for j in range(n)] for gap in closing],
        notes,
    )


def _written(parts: Parts) -> Equations:
    tree, names = parts.system.tree, symbol_names(parts.system, parts.known)

    def column(values: Sequence[Waves]) -> tuple[Formula, ...]:
        return tuple(collected(value, names) for value in values)

    return Equations(
        parts.system.m.name,
        tuple(names.symbol(f"q[{i}]") for i in range(tree.nq)),
        tuple(names.symbol(f"a[{j}]") for j in range(tree.nv)),
        tuple(map(column, parts.M)),
        column(parts.h),
        column(parts.G),
        column(parts.R),
        tuple(Line(collected(gap, names), ZERO) for gap in parts.loops),
        tuple(map(column, parts.J)),
        defined(parts.known, names),
        parts.notes,
        Letters.beside(names, tree.nv),
    )


def _in_layers(m: Mechanism, system: System) -> LayeredEquations:
    tree = system.tree
    q, v, a = symbols("q", tree.nq), symbols("v", tree.nv), symbols("a", tree.nv)
    g, notes = _gravity(system)
    whole = replace(under(system, t=variable(TIME)), gravity=g)
    layers = list(layers_of(whole, q, v, a))
    lines = [e for layer in layers for _, e in layer.lines]
    try:
        known = canonical(lines, sizes_by_symbol(m, system))
    except TooLongError as error:
        raise StructureError(
            f"equations: those of mechanism {m.name!r} have, in layers too, {error}, which nobody "
            f"reads; give numbers for some sizes ({given('equations', parameters=...)}), or write "
            f"the program ({named('generate')})"
        ) from error
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


def _angle(gap: Waves) -> Waves | None:
    """The angle of a gap that is a single sine: a turn."""
    terms = list(gap.real_terms())
    if len(terms) != 1 or terms[0][1] or terms[0][2] != "sin":
        return None
    return linear(terms[0][3])
