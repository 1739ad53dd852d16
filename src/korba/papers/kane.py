"""Kane's equations of a mechanism at a state, with the transformation that decouples them."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..display import described
from ..dynamics.kane_congruence import congruency as congruency_of
from ..dynamics.kane_congruence import kane_equations
from ..errors import StructureError
from ..spatial.rotation import Array
from ..system.system import System
from ..verbs.systems import refuse_massless, under
from ..verbs.verb import verb
from ..wording import named


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

    def __repr__(self) -> str:
        return described(self)


def _refuse(system: System) -> None:
    """An error where a = A^-1 h is not how it accelerates: massless freedoms, drives."""
    if system.drives:
        names = ", ".join(drive.name for drive in system.drives)
        raise StructureError(
            f"congruency: Kane's equations A a = h do not follow drives, and mechanism "
            f"{system.m.name!r} has {names}; leave the drives out, dataclasses.replace(m, "
            f"drives=()), or ask {named('forward_dynamics')}"
        )
    refuse_massless(system)


@verb(refuse=_refuse, unpack=lambda _, result, __: Congruency(*result))
def congruency(
    system: System, q: Any, v: Any, tau: Any, *, t: Any = 0.0, gravity: Any = None
) -> Congruency:
    """Kane's equations A a = h of a tree and the congruency transformation that decouples them.

    Source: Meghdari & Fahimi, (12), (53)-(60).
    """
    A, h = kane_equations(under(system, gravity, t), q, v, tau)
    factors = congruency_of(A)
    return Congruency(A, h, factors.matrix(), factors.L, factors.solved(h))
