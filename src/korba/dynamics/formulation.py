"""What a formulation is: a name, a source, and one plain function for every verb it answers.

A verb's function takes the system and the inputs of the verb, as numbers or symbols:

    inverse_dynamics(system, q, v, a)      forward_dynamics(system, q, v, tau)
    bias_forces(system, q, v)              mass_matrix(system, q)
    energy(system, q, v) -> (T, V)         momentum(system, q, v)

A new formulation is one file with a `FORMULATION` and its line in `catalogue.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..kinematics.sweep import Sweep
from ..spatial.rotation import Array
from ..system.tree import Tree


def takes_any(tree: Tree) -> str | None:
    """Nothing is refused."""
    del tree
    return None


def pays_always(tree: Tree) -> bool:
    """Every tree is worth trying."""
    del tree
    return True


@dataclass(frozen=True, eq=False)
class Formulation:
    """One way to the equations of motion."""

    name: str
    source: str
    verbs: Mapping[str, Callable[..., Any]]
    refuses: Callable[[Tree], str | None] = takes_any
    """Why a tree cannot be taken, as a sentence with the way out; None when it can."""
    sweeps: Mapping[str, Callable[[Array], Sequence[Sweep]]] = field(default_factory=dict)
    """For verbs that are recursions: their sweeps under a gravity, to be repeated over links."""
    everyday: bool = False
    """Whether it is among those tried when the user names none."""
    pays: Callable[[Tree], bool] = pays_always
    """Whether it may be the one with least work; where others may, it is not tried if not."""
