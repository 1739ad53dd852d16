"""What a formulation is: a name, a source, and one plain function for every verb it answers.

A verb's function takes the system and the inputs of the verb, as numbers or symbols:

    inverse_dynamics(system, q, v, a)      forward_dynamics(system, q, v, tau)
    bias_forces(system, q, v)              mass_matrix(system, q)
    energy(system, q, v) -> (T, V)         momentum(system, q, v)

Inverse dynamics alone is enough: `completed` gives what follows from it. A new formulation is one
file with a `FORMULATION` and its line in `catalogue.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..kinematics.sweep import Sweep
from ..spatial.rotation import Array
from ..system.system import System, no_loads
from ..system.tree import Tree
from .factored import solve_symmetric

ACCELERATIONS = "forward_dynamics"
"""The one verb whose answer depends on drives: M and h, and the forces of a given motion, do not.
"""


@dataclass(frozen=True, eq=False)
class Formulation:
    """One way to the equations of motion."""

    name: str
    source: str
    verbs: Mapping[str, Callable[..., Any]]
    refuses: Callable[[Tree], str | None] = lambda _: None
    """Why a tree cannot be taken, as a sentence with the way out; None when it can."""
    sweeps: Mapping[str, Callable[[Array], Sequence[Sweep]]] = field(default_factory=dict)
    """For verbs that are recursions: their sweeps under a gravity, to be repeated over links."""
    repeats: Callable[[Tree], bool] = lambda _: True
    """Whether these sweeps alone answer for a tree."""
    everyday: bool = False
    """Whether it is among those tried when the user names none."""
    pays: Callable[[Tree], bool] = lambda _: True
    """Whether it may be the one with least work; where others may, it is not tried if not."""
    closed: bool = False
    """Whether it takes mechanisms with loops, and gives accelerations that follow drives; where
    there are none, others are tried first."""

    def refusal(self, tree: Tree, verb: str = "") -> str | None:
        """Why a tree, with the joints that close its loops, cannot be taken; None when it can."""
        if tree.closing and not self.closed:
            names = ", ".join(joint.name for joint in tree.closing)
            return f"it is for trees, and joints {names} close loops; leave the formulation out"
        if tree.m.drives and verb == ACCELERATIONS and not self.closed:
            names = ", ".join(drive.name for drive in tree.m.drives)
            return (
                f"its accelerations do not follow drives, and there are {names}; leave the "
                "formulation out, or the drives: dataclasses.replace(m, drives=())"
            )
        return self.refuses(tree)


def completed(inverse: Callable[..., Array], **verbs: Callable[..., Any]) -> dict[str, Any]:
    """Verbs of a formulation, those that it does not have made from its inverse dynamics.

    h(q, v) = tau at a = 0,   M e_j = tau at a = e_j from rest with no loads,   M a = tau - h
    """

    def bias_forces(s: System, q: Any, v: Any) -> Array:
        return inverse(s, q, v, np.zeros(s.tree.nv))

    def mass_matrix(s: System, q: Any) -> Array:
        n, alone = s.tree.nv, replace(s, gravity=np.zeros(3), loads=no_loads)
        columns = [inverse(alone, q, np.zeros(n), e) for e in np.eye(n)]
        return np.reshape(columns, (n, n)).T

    def forward_dynamics(s: System, q: Any, v: Any, tau: Any) -> Array:
        h = every["bias_forces"](s, q, v)
        return solve_symmetric(every["mass_matrix"](s, q), np.asarray(tau) - h)

    made = (bias_forces, mass_matrix, forward_dynamics)
    every: dict[str, Any] = {"inverse_dynamics": inverse, **{f.__name__: f for f in made}, **verbs}
    return every
