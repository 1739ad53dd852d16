"""The equations of motion in absolute coordinates, as arrays: mass matrix, loads, multipliers.

    M~ q'' + Phi_q' lambda = Q^Z,        Phi_q q'' = a                        (4.198), (4.199)

Forces in joints count through the joint's own coordinates u, which follow the links by u' = U q':
with (M, h) of all coordinates, bodies and joints alike,

    M~ = B' M B,        Q^Z = -B' h,        B = [1; U]                                       (1)

Where the origins of the bodies are their mass centres M~ is the book's diagonal matrix and Q^Z what
acts; elsewhere Q^Z has the centrifugal terms of the mass centres too. With as many drivers as there
are freedoms the same equations are the inverse problem (4.200). Constraints to spare leave lambda
open: then it is the one of least size. Source: Gronowicz (2003), section 4.4.4.3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...display import Displayed
from ...door import public, real_array
from ...errors import StructureError
from ...model.mechanism import Mechanism
from ...positions.rank import least_solution
from ...spatial.rotation import Array
from ...system.expand import expanded
from ...verbs.dynamics import bias_forces, mass_matrix
from .system import AbsoluteSystem, absolute_system

OPEN = 1e-6
"""What accelerations may leave open of the equations, beside what these ask for."""


@dataclass(frozen=True, eq=False)
class AbsoluteDynamics(Displayed):
    """(4.199) of a mechanism at one state, with its solution."""

    M: Array
    """M~: the masses and moments of inertia of the bodies."""
    Q: Array
    """Q^Z: what acts on them."""
    phi_q: Array
    a: Array
    """The right side of the accelerations (3.57)."""
    owners: tuple[str, ...]
    """Whose equation each row of phi_q is: of a joint, a coupling or a driver."""
    accelerations: Array
    """q''."""
    multipliers: Array
    """lambda, one for each row."""

    @property
    def matrix(self) -> Array:
        """The matrix of (4.199)."""
        rows = len(self.phi_q)
        return np.block([[self.M, self.phi_q.T], [self.phi_q, np.zeros((rows, rows))]])

    @property
    def right(self) -> Array:
        """The right side of (4.199)."""
        return np.concatenate([self.Q, self.a])

    def of(self, owner: str) -> Array:
        """Q^P = -Phi_q' lambda of one joint or driver: what it does to all coordinates (4.208)."""
        if owner not in self.owners:
            names = ", ".join(dict.fromkeys(self.owners))
            raise StructureError(f"no equation is of {owner!r}; there are those of {names}")
        own = np.array(self.owners) == owner
        return np.asarray(-self.phi_q[own].T @ self.multipliers[own])


@public
def absolute_dynamics(
    m: Mechanism | AbsoluteSystem, q: Any = None, v: Any = None, t: float = 0.0
) -> AbsoluteDynamics:
    """Mass matrix, loads, accelerations and multipliers in absolute coordinates at a state.

    `q` are the unknowns of `absolute_system(m)`, in the plane x, y and the angle of every body;
    without it the drawing is taken, without `v` it is at rest.

    >>> rod = kb.Body("rod", 2, inertia=0.1)
    >>> pin = kb.Revolute("A", "ground", "rod", at=(-0.5, 0))
    >>> pendulum = kb.Mechanism("pendulum", [rod], [pin], plane="xy")
    >>> kb.course.absolute_dynamics(pendulum).multipliers.round(6)
    array([ 0.  , -3.27])
    """
    system = m if isinstance(m, AbsoluteSystem) else absolute_system(m)
    x = system.completed(_given("q", system.start if q is None else q, len(system.places)))
    rates = _given("v", np.zeros(len(system.kept)) if v is None else v, len(system.kept))
    v_all = (still := system.reduced(x, None, t)).whole(rates, -still.full.phi_t)
    at, loaded = system.reduced(x, v_all, t), _loaded(system)
    B = np.array([at.whole(unit, np.zeros(len(at.E_inverse.T))) for unit in np.eye(len(rates))]).T
    M = B.T @ mass_matrix(loaded, x) @ B
    Q = -B.T @ bias_forces(loaded, x, v_all, t=t)
    found = AbsoluteDynamics(M, Q, at.rows.phi_q, at.rows.gamma, _owners(system), rates, rates)
    unknowns = _solved(found.matrix, found.right)
    return replace(found, accelerations=unknowns[: len(rates)], multipliers=unknowns[len(rates) :])


def _loaded(system: AbsoluteSystem) -> Mechanism:
    """The loosened mechanism with the loads of the given one."""
    return replace(system.system.m, forces=expanded(system.m).forces)


def _owners(system: AbsoluteSystem) -> tuple[str, ...]:
    """Of the rows of the book."""
    ties, every = system.system.ties, system.equations.owners
    counts = [
        system.freedoms - int(np.isin(np.arange(t.v.start, t.v.stop), system.own).sum())
        for t in ties
    ]
    of_joints = [t.joint.name for t, n in zip(ties, counts, strict=True) for _ in range(n)]
    return (*of_joints, *every[system.freedoms * len(ties) :])


def _given(name: str, given: Any, size: int) -> Array:
    x = real_array(name, given)
    if x.shape != (size,):
        raise StructureError(
            f"{name}: expected the {size} numbers of all bodies, as in kb.course.absolute_system("
            f"m).start, got the shape {x.shape}"
        )
    return x


def _solved(K: Array, right: Array) -> Array:
    """K x = right of a symmetric matrix, balanced first; of many x the least."""
    scale = np.ones(len(K))
    for _ in range(3):
        sizes = np.sqrt(np.abs(K * scale[:, None] * scale).max(axis=1, initial=0.0))
        scale = scale / np.where(sizes > 0, sizes, 1.0)
    balanced = K * scale[:, None] * scale
    x = scale * least_solution(balanced, scale * right)
    rest = np.abs(scale * (K @ x - right)).max(initial=0.0)
    if not rest <= OPEN * np.abs(scale * right).max(initial=1e-300):
        raise StructureError(
            "no accelerations and multipliers meet the equations: drivers contradict each other, "
            "or a mass that can move is zero; print(kb.course.absolute_system(m).balance()) tells"
        )
    return x
