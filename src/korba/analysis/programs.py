"""From a verb and a mechanism to a program: which formula, which inputs, kept once it is made.

`FORMULAS` lists the formulations of every verb; adding one is one entry. Programs are kept with the
mechanism they belong to and forgotten with it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..codegen import Compiled, Program, compile_program, trace
from ..dynamics import energy as energies
from ..dynamics import equations
from ..dynamics.equations import Loads
from ..dynamics.regroup import regrouped
from ..errors import StructureError
from ..forces.loads import depends_on_time, loads_at
from ..kinematics.tree import Tree, tree_of
from ..kinematics.velocity import jacobian
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array

Build = Callable[["Engine"], Callable[..., Any]]


@dataclass(frozen=True, eq=False)
class Engine:
    """What formulas need: the tree, its regrouped copy, gravity and the loads at a state."""

    tree: Tree
    lean: Tree
    gravity: Array

    def loads(self, t: Any) -> Callable[[Array, Array], Loads]:
        """The loads as a function of the state of all joints."""
        return lambda q_all, v_all: loads_at(self.tree, q_all, v_all, t[0] if len(t) else 0.0)


@dataclass(frozen=True)
class Formula:
    """One formulation: its inputs by name, and how to build the function of them."""

    inputs: tuple[str, ...]
    build: Build
    couplings: bool = True
    """Whether it takes dependent coordinates."""


def _inverse(e: Engine) -> Callable[..., Any]:
    return lambda q, v, a, t=(): equations.inverse_dynamics(
        e.lean, q, v, a, e.gravity, loads=e.loads(t)
    )


def _bias(e: Engine) -> Callable[..., Any]:
    return lambda q, v, t=(): equations.bias_forces(e.lean, q, v, e.gravity, loads=e.loads(t))


def _forward(e: Engine) -> Callable[..., Any]:
    return lambda q, v, tau, t=(): equations.forward_dynamics(
        e.lean, q, v, tau, e.gravity, loads=e.loads(t)
    )


def _articulated(e: Engine) -> Callable[..., Any]:
    return lambda q, v, tau, t=(): equations.articulated_forward_dynamics(
        e.lean, q, v, tau, e.gravity, loads=e.loads(t)
    )


def _energy(e: Engine) -> Callable[..., Any]:
    return lambda q, v: (
        energies.kinetic_energy(e.tree, q, v),
        energies.potential_energy(e.tree, q, e.gravity),
    )


FORMULAS: dict[str, dict[str, Formula]] = {
    "inverse_dynamics": {"newton-euler": Formula(("q", "v", "a"), _inverse)},
    "bias_forces": {"newton-euler": Formula(("q", "v"), _bias)},
    "mass_matrix": {
        "composite-body": Formula(("q",), lambda e: lambda q: equations.mass_matrix(e.lean, q))
    },
    "forward_dynamics": {
        "composite-body": Formula(("q", "v", "tau"), _forward),
        "articulated-body": Formula(("q", "v", "tau"), _articulated, couplings=False),
    },
    "energy": {"newton-euler": Formula(("q", "v"), _energy)},
    "momentum": {
        "newton-euler": Formula(("q", "v"), lambda e: lambda q, v: energies.momentum(e.tree, q, v))
    },
}

TIMED = ("inverse_dynamics", "bias_forces", "forward_dynamics")
"""Verbs whose formulas take the time where a load depends on it."""


def engine_of(m: Mechanism, gravity: Any = None) -> Engine:
    """The engine of a tree mechanism."""
    tree = tree_of(m)
    if tree.closing:
        names = ", ".join(joint.name for joint in tree.closing)
        raise StructureError(
            f"mechanism {m.name!r} has loops (closed by joints {names}); the dynamics of closed "
            "mechanisms is not part of Korba yet, trees only"
        )
    g = tree.gravity if gravity is None else np.array(gravity, dtype=float)
    if g.shape == (2,):
        g = np.append(g, 0.0)
    if g.shape != (3,) or not np.all(np.isfinite(g)):
        raise StructureError(f"gravity: expected three finite components, got {gravity!r}")
    return Engine(tree, regrouped(tree), g)


def program(
    verb: str, m: Mechanism, formulation: str | None = None, gravity: Any = None
) -> Program:
    """The program of a verb for a mechanism; without a formulation the one with least work."""
    e = engine_of(m, gravity)
    known = FORMULAS[verb]
    if formulation is not None and formulation not in known:
        raise StructureError(
            f"{verb} has no formulation {formulation!r}; there are {', '.join(known)}"
        )
    wanted = known if formulation is None else {formulation: known[formulation]}
    usable = [f for f in wanted.values() if f.couplings or not e.tree.couplings]
    if not usable:
        raise StructureError(f"{formulation} does not take couplings; use another formulation")
    return min((_traced(verb, f, e) for f in usable), key=lambda p: p.operations.total)


def _traced(verb: str, formula: Formula, e: Engine) -> Program:
    sizes = {name: e.tree.nq if name == "q" else e.tree.nv for name in formula.inputs}
    if verb in TIMED and depends_on_time(e.tree):
        sizes["t"] = 1
    return trace(formula.build(e), sizes, e.tree.m.name or "the mechanism")


def jacobian_program(m: Mechanism, body: str, point: tuple[float, ...]) -> Program:
    """The program of a body's Jacobian."""
    tree = engine_of(m).tree
    return trace(lambda q: jacobian(tree, q, body, point), {"q": tree.nq}, m.name)


_kept: dict[int, tuple[Any, dict[Any, Compiled]]] = {}


def kept(m: Mechanism, key: Any, make: Callable[[], Program]) -> Compiled:
    """The compiled program of `key` for a mechanism, made at its first use."""
    number = id(m)
    if number not in _kept:
        _kept[number] = (weakref.ref(m, lambda _: _kept.pop(number, None)), {})
    programs = _kept[number][1]
    if key not in programs:
        programs[key] = compile_program(make())
    return programs[key]
