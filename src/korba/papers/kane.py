"""Kane's equations of a mechanism at a state, with the transformation that decouples them."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..codegen import Program, trace
from ..dynamics.kane_congruence import congruency as congruency_of
from ..dynamics.kane_congruence import kane_equations
from ..forces.loads import depends_on_time, loads_at
from ..model.mechanism import Mechanism
from ..spatial.rotation import Array
from ..system.loads import Loads
from ..system.system import System
from ..verbs.massless import refuse_massless
from ..verbs.programs import gravity_key, tree_system, with_time
from ..verbs.store import compiled as kept_program


class Congruency(NamedTuple):
    """A a = h  with  Psi' A Psi = diag(L): then  a = Psi diag(L)^-1 Psi' h."""

    A: Array
    """Minus the mass matrix, (..., nv, nv)."""
    h: Array
    """Velocity terms less all that acts, (..., nv)."""
    Psi: Array
    """Unit upper triangular, (..., nv, nv)."""
    L: Array
    """The diagonal, all negative, (..., nv)."""
    a: Array
    """Accelerations, (..., nv)."""


def congruency(
    m: Mechanism, q: Any, v: Any, tau: Any, *, t: Any = 0.0, gravity: Any = None
) -> Congruency:
    """Kane's equations A a = h of a tree and the congruency transformation that decouples them.

    Source: Meghdari & Fahimi, (12), (53)-(60).
    """
    key = ("congruency", gravity_key(gravity))
    compiled = kept_program(m, key, lambda: _program(tree_system(m, gravity)))
    return Congruency(*compiled(*with_time(compiled, (q, v, tau), t)))


def _program(system: System) -> Program:
    refuse_massless(system)
    tree = system.tree
    sizes = {"q": tree.nq, "v": tree.nv, "tau": tree.nv}
    if depends_on_time(tree):
        sizes["t"] = 1

    def written(q: Array, v: Array, tau: Array, *rest: Array) -> tuple[Array, ...]:
        def acting(q_all: Array, v_all: Array) -> Loads:
            return loads_at(tree, q_all, v_all, rest[0][0] if rest else 0.0)

        A, h = kane_equations(System(tree, system.gravity, acting), q, v, tau)
        found = congruency_of(A)
        return A, h, found.matrix(), found.L, found.solved(h)

    return trace(written, sizes, tree.m.name or "the mechanism")
