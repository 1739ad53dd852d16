"""Programs of derivatives: d(result)/d(input) of a verb, all that is asked for in one program.

A verb's program is differentiated as a graph: by columns (forward) or by rows (reverse), whichever
takes fewer operations when everything asked for is made together. Shortcuts are taken when the user
names no formulation. Inverse dynamics tau = M(q) a + h(q, v) has

    d tau / d a = M                                                                         (1)

at hand from composite bodies; for trees of joints about fixed axes so are its derivatives by q and
v (dynamics/composite_slopes.py), to which loads and damping add theirs. Forward dynamics needs no
derivative of an elimination: with ID(q, v, FD(q, v, tau)) = tau,

    d FD / d x   = - M^-1 (d ID / d x) at a = FD(q, v, tau),   x = q, v or t                (2)
    d FD / d tau =   M^-1                                                                   (3)

with one factorisation of M for all of it. Source: Carpentier & Mansard (2018), Analytical
Derivatives of Rigid Body Dynamics Algorithms, section III.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..codegen import Program, program_of
from ..dynamics import composite_slopes
from ..dynamics.catalogue import CATALOGUE
from ..dynamics.factored import factored
from ..errors import StructureError
from ..expr import Expr, variable
from ..expr.differentiate import jacobian_columns, jacobian_rows
from ..expr.evaluate import substitute_all
from ..expr.node import as_expr, recorded
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.system import System
from .programs import program, traced, tree_system

Jacobians = dict[str, Array]
"""For each input the derivatives of all results by it."""


def derivative_program(
    verb: str,
    m: Mechanism,
    by: str | Sequence[str],
    *,
    formulation: str | None = None,
    gravity: Any = None,
) -> Program:
    """The program of the derivatives of a verb's results by one input or by several."""
    wanted = (by,) if isinstance(by, str) else tuple(by)
    value = program(verb, m, formulation, gravity)
    _refuse_unknown(wanted, [name for name, _ in value.inputs])
    if verb == "forward_dynamics" and formulation is None:
        written, order = _of_accelerations(m, wanted, gravity)
    elif verb == "inverse_dynamics" and formulation is None:
        forces = _of_forces(m, wanted, gravity)
        written, order = forces.by, forces.order
    else:
        written, order = _least(value, wanted, {})
    results = [part for name in wanted for part in _split(value, written[name])]
    single = isinstance(by, str) and value.single
    return program_of(value.inputs, results[0] if single else tuple(results), value.name, order)


class Forces(NamedTuple):
    """Inverse dynamics around a state: its derivatives, h and M, and an order to compute in."""

    by: Jacobians
    h: Array
    M: Array
    order: Sequence[Expr]


def _of_forces(m: Mechanism, wanted: tuple[str, ...], gravity: Any) -> Forces:
    """The derivatives of inverse dynamics, by composite bodies where they take the tree."""
    system = tree_system(m, gravity)
    value = program("inverse_dynamics", m, None, gravity)
    if composite_slopes.refuses(system.lean) is not None:
        mass, bias = program("mass_matrix", m), program("bias_forces", m, None, gravity)
        M, h = _matrix(mass), np.array(bias.outputs, dtype=object)
        by, order = _least(value, wanted, {"a": M})  # (1)
        return Forces(by, h, M, [*bias.nodes, *mass.nodes, *order])
    with recorded() as record:
        q, v, a = (_symbols(value, (name,)) for name in ("q", "v", "a"))
        slopes = composite_slopes.inverse_slopes(system.lean, q, v, a, system.gravity)
        rest = _rest(system)
        more = _columns(rest, tuple(name for name in wanted if name != "a"))
        known = {"q": slopes.dq, "v": slopes.dv}
        by = {name: more[name] + known.get(name, 0.0) for name in more} | {"a": slopes.M}
        h = slopes.h + np.array(rest.outputs, dtype=object)
    return Forces(by, h, slopes.M, record)


def _of_accelerations(
    m: Mechanism, wanted: tuple[str, ...], gravity: Any
) -> tuple[Jacobians, Sequence[Expr]]:
    """(2) and (3)."""
    states = tuple(name for name in wanted if name != "tau")
    forces = _of_forces(m, states, gravity)
    flat = [forces.by[name] for name in states]
    with recorded() as record:
        factors = factored(tree_system(m, gravity).tree, forces.M)
        tau = np.array([variable(f"tau[{i}]") for i in range(len(forces.h))], dtype=object)
        a = factors.solve(tau - forces.h)
        parts = [-factors.solve(J) for J in _at(flat, forces.order, a)]
        found = dict(zip(states, parts, strict=True))
        if "tau" in wanted:
            found["tau"] = factors.inverse()
    return found, [*forces.order, *record]


def _at(slopes: list[Array], order: Sequence[Expr], a: Array) -> list[Array]:
    """Jacobians of inverse dynamics with the accelerations put in."""
    flat = [as_expr(e) for J in slopes for e in J.flat]
    put = {f"a[{i}]": a_i for i, a_i in enumerate(a)}
    new = iter(substitute_all([*order, *flat], put)[len(order) :])
    return [np.array([next(new) for _ in J.flat], dtype=object).reshape(J.shape) for J in slopes]


def _rest(system: System) -> Program:
    """What loads and damping add to inverse dynamics: that of the same tree without mass."""
    links = [replace(x, mass=0.0, h=0.0 * x.h, K=0.0 * x.K) for x in system.tree.links]
    weightless = replace(system.tree, links=tuple(links))
    without = replace(system, tree=weightless, gravity=np.zeros(3))
    return traced("inverse_dynamics", CATALOGUE["newton-euler"], without)


def _least(
    value: Program, wanted: tuple[str, ...], known: Jacobians
) -> tuple[Jacobians, Sequence[Expr]]:
    """The Jacobians by every input wanted, written with least work, and an order to compute in.

    Those in `known` are written already.
    """
    names = tuple(dict.fromkeys(wanted))
    if not names:
        return {}, ()
    given = {name: known[name] for name in names if name in known}
    with recorded() as record:
        columns, rows = _columns(value, names), _rows(value, names)
    choices = [columns, rows, columns | given, rows | given]
    order = [*value.nodes, *record]
    programs = [program_of(value.inputs, tuple(c.values()), value.name, order) for c in choices]
    best = min(range(len(choices)), key=lambda i: programs[i].operations.total)
    return choices[best], programs[best].nodes


def _columns(value: Program, wanted: tuple[str, ...]) -> Jacobians:
    """The Jacobians of all results by the inputs, by forward passes."""
    names = [str(x.value) for x in _symbols(value, wanted)]
    J = np.array(jacobian_columns(value.outputs, names), dtype=object)
    return _parted(value, wanted, J.reshape(len(names), len(value.outputs)).T)


def _rows(value: Program, wanted: tuple[str, ...]) -> Jacobians:
    """The same by reverse passes."""
    names = [str(x.value) for x in _symbols(value, wanted)]
    J = np.array(jacobian_rows(value.outputs, names), dtype=object)
    return _parted(value, wanted, J.reshape(len(value.outputs), len(names)))


def _symbols(value: Program, wanted: tuple[str, ...]) -> Array:
    """The variables of the inputs, one after the other."""
    sizes = dict(value.inputs)
    names = [f"{name}[{i}]" for name in wanted for i in range(sizes[name])]
    return np.array([variable(name) for name in names], dtype=object)


def _parted(value: Program, wanted: tuple[str, ...], J: Array) -> Jacobians:
    """One Jacobian for each input."""
    sizes = dict(value.inputs)
    ends = np.cumsum([sizes[name] for name in wanted], dtype=int)
    return {name: J[:, end - sizes[name] : end] for name, end in zip(wanted, ends, strict=True)}


def _split(value: Program, J: Array) -> list[Array]:
    """The Jacobian of all results as one array for each of them."""
    parts = np.split(J, np.cumsum(value.sizes)[:-1])
    return [
        part.reshape(*shape, J.shape[1]) for part, shape in zip(parts, value.shapes, strict=True)
    ]


def _matrix(value: Program) -> Array:
    return np.array(value.outputs, dtype=object).reshape(value.shapes[0])


def _refuse_unknown(wanted: tuple[str, ...], inputs: list[str]) -> None:
    unknown = [name for name in wanted if name not in inputs]
    if unknown or not wanted:
        found = ", ".join(map(repr, unknown)) or "nothing"
        raise StructureError(f"by: expected one or more of {', '.join(inputs)}, got {found}")
