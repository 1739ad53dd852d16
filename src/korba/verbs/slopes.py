"""Short ways to the derivatives of inverse and forward dynamics.

Inverse dynamics tau = M(q) a + h(q, v) has

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
from ..dynamics import composite_body, composite_slopes, newton_euler
from ..dynamics.factored import factored
from ..expr import Expr
from ..expr.evaluate import substitute_all
from ..expr.node import as_expr, recorded
from ..spatial.rotation import Array
from ..system.system import System
from .designs import DESIGN
from .options import Options
from .systems import under
from .uses import by_columns, least, symbols
from .verb import Jacobians, Written


class Forces(NamedTuple):
    """Inverse dynamics around a state: its derivatives, h and M, and an order to compute in."""

    by: Jacobians
    h: Array
    M: Array
    order: Sequence[Expr]


def force_slopes(
    system: System, options: Options, value: Program, wanted: Sequence[str]
) -> Written:
    """The derivatives of inverse dynamics."""
    forces = _forces(_loaded(system, options, value), value, wanted)
    return forces.by, forces.order


def acceleration_slopes(
    system: System, options: Options, value: Program, wanted: Sequence[str]
) -> Written:
    """The derivatives of forward dynamics, (2) and (3)."""
    s = _loaded(system, options, value)
    states = [name for name in wanted if name != "tau"]
    inverse = _inverse_program(s, value)
    forces = _forces(s, inverse, states)
    flat = [forces.by[name] for name in states]
    with recorded() as record:
        factors = factored(s.tree, forces.M)
        a = factors.solve(symbols(value, ["tau"]) - forces.h)
        parts = [-factors.solve(J) for J in _at(flat, forces.order, a)]
        by = dict(zip(states, parts, strict=True))
        if "tau" in wanted:
            by["tau"] = factors.inverse()
    return by, [*forces.order, *record]


def _loaded(system: System, options: Options, value: Program) -> System:
    """The system under the gravity that was asked for, its loads at the time as a symbol."""
    t = symbols(value, ["t"])[0] if "t" in dict(value.inputs) else 0.0
    return under(system, options["gravity"], t, damping=options["damping"])


def _inverse_program(s: System, value: Program) -> Program:
    """Inverse dynamics with the inputs of forward dynamics, accelerations for forces."""
    inputs = [("a" if name == "tau" else name, size) for name, size in value.inputs]
    nothing = replace(value, inputs=tuple(inputs))
    q, v, a = (symbols(nothing, [name]) for name in ("q", "v", "a"))
    with recorded() as record:
        tau = newton_euler.inverse_dynamics(s, q, v, a)
    return program_of(inputs, tau, value.name, record)


def _forces(s: System, value: Program, wanted: Sequence[str]) -> Forces:
    """The derivatives of inverse dynamics, by composite bodies where they take the tree."""
    q, v, a = (symbols(value, [name]) for name in ("q", "v", "a"))
    if DESIGN in wanted or composite_slopes.refuses(s.lean) is not None:
        with recorded() as before:
            h, M = newton_euler.bias_forces(s, q, v), composite_body.mass_matrix(s, q)
        by, order = least(value, wanted, {"a": M})  # (1)
        return Forces(by, h, M, [*before, *order])
    with recorded() as record:
        slopes = composite_slopes.inverse_slopes(s.lean, q, v, a, s.gravity)
        rest = _rest(s, value)
        more = by_columns(rest, [name for name in wanted if name != "a"])
        known = {"q": slopes.dq, "v": slopes.dv}
        by = {name: more[name] + known.get(name, 0.0) for name in more} | {"a": slopes.M}
        h = slopes.h + np.array(rest.outputs, dtype=object)
    return Forces(by, h, slopes.M, record)


def _rest(s: System, value: Program) -> Program:
    """What loads and damping add to inverse dynamics: that of the same tree without mass."""
    links = [replace(x, mass=0.0, h=0.0 * x.h, K=0.0 * x.K) for x in s.tree.links]
    weightless = replace(s, tree=replace(s.tree, links=tuple(links)), gravity=np.zeros(3))
    state = (symbols(value, [name]) for name in ("q", "v", "a"))
    return program_of(value.inputs, newton_euler.inverse_dynamics(weightless, *state), value.name)


def _at(slopes: list[Array], order: Sequence[Expr], a: Array) -> list[Any]:
    """Jacobians of inverse dynamics with the accelerations put in."""
    flat = [as_expr(e) for J in slopes for e in J.flat]
    put = {f"a[{i}]": a_i for i, a_i in enumerate(a)}
    new = iter(substitute_all([*order, *flat], put)[len(order) :])
    return [np.array([next(new) for _ in J.flat], dtype=object).reshape(J.shape) for J in slopes]
