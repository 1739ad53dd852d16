"""All formulations, by name. The recursions of `equations.py` stand here; others in their files."""

from __future__ import annotations

from typing import Any

from ..spatial.rotation import Array
from ..system.system import System
from ..system.tree import Tree
from . import block_matrix, energy, equations, hamilton, kane_congruence, lagrange_dh
from .formulation import Formulation


def _inverse(s: System, q: Any, v: Any, a: Any) -> Array:
    return equations.inverse_dynamics(s.lean, q, v, a, s.gravity, loads=s.loads)


def _bias(s: System, q: Any, v: Any) -> Array:
    return equations.bias_forces(s.lean, q, v, s.gravity, loads=s.loads)


def _forward(s: System, q: Any, v: Any, tau: Any) -> Array:
    return equations.forward_dynamics(s.lean, q, v, tau, s.gravity, loads=s.loads)


def _articulated(s: System, q: Any, v: Any, tau: Any) -> Array:
    return equations.articulated_forward_dynamics(s.lean, q, v, tau, s.gravity, loads=s.loads)


def _energy(s: System, q: Any, v: Any) -> tuple[Any, Any]:
    return energy.kinetic_energy(s.tree, q, v), energy.potential_energy(s.tree, q, s.gravity)


def _refuses_couplings(tree: Tree) -> str | None:
    if tree.couplings:
        return "it does not take couplings; use another formulation"
    return None


def _is_shallow(tree: Tree) -> bool:
    """Whether no path from the base is long: a matrix of all freedoms on it grows as its square."""
    depth: list[int] = []
    for link in tree.links:
        own = link.v.stop - link.v.start
        depth.append(own + (depth[link.parent] if link.parent >= 0 else 0))
    return max(depth, default=0) <= DEEPEST


DEEPEST = 16
"""Freedoms in series up to which composite bodies may take less work than articulated ones."""

NEWTON_EULER = Formulation(
    "newton-euler",
    "Luh, Walker & Paul (1980)",
    {
        "inverse_dynamics": _inverse,
        "bias_forces": _bias,
        "energy": _energy,
        "momentum": lambda s, q, v: energy.momentum(s.tree, q, v),
    },
    everyday=True,
)
COMPOSITE_BODY = Formulation(
    "composite-body",
    "Featherstone (2008), sections 6.2 and 6.5",
    {
        "mass_matrix": lambda s, q: equations.mass_matrix(s.lean, q),
        "forward_dynamics": _forward,
    },
    everyday=True,
    pays=_is_shallow,
)
ARTICULATED_BODY = Formulation(
    "articulated-body",
    "Featherstone (2008), section 7.3",
    {"forward_dynamics": _articulated},
    refuses=_refuses_couplings,
    everyday=True,
)

CATALOGUE: dict[str, Formulation] = {
    formulation.name: formulation
    for formulation in (
        NEWTON_EULER,
        COMPOSITE_BODY,
        ARTICULATED_BODY,
        block_matrix.FORMULATION,
        hamilton.FORMULATION,
        kane_congruence.FORMULATION,
        lagrange_dh.FORMULATION,
    )
}
