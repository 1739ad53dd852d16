"""Vector equations of a plan: known vectors, vectors of known direction, unknown vectors.

A vector equation in the plane is two scalar equations. A known vector (the book underlines it
twice) has no unknown, a vector of known direction (underlined once) has one, its signed length, and
an unknown vector has two. Equations can be solved together when they have as many unknowns as
scalar equations: two in one equation, four in a pair that shares a vector (Gronowicz 3.2.3, 3.20).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...display import Displayed
from ...door import public
from ...errors import StructureError
from ...spatial.rotation import Array


@dataclass(frozen=True, eq=False)
class PlanTerm(Displayed):
    """A vector of an equation; terms of one name are the same vector."""

    name: str
    vector: Array | None = None
    """The vector, where it is known."""
    direction: Array | None = None
    """Its direction, where that alone is known."""

    @staticmethod
    def known(name: str, vector: Any) -> PlanTerm:
        """A vector that is known."""
        return PlanTerm(name, vector=_planar(name, vector))

    @staticmethod
    def along(name: str, direction: Any) -> PlanTerm:
        """A vector of which the direction is known."""
        u = _planar(name, direction)
        length = float(np.linalg.norm(u))
        if not length > 0:
            raise StructureError(f"vector {name!r}: its direction has length 0")
        return PlanTerm(name, direction=u / length)

    @staticmethod
    def unknown(name: str) -> PlanTerm:
        """A vector of which nothing is known."""
        return PlanTerm(name)

    @property
    def unknowns(self) -> Array:
        """The directions of its unknown parts, in columns."""
        if self.vector is not None:
            return np.zeros((2, 0))
        return np.eye(2) if self.direction is None else self.direction[:, None]


Equation = tuple[Sequence[PlanTerm], Sequence[PlanTerm]]
"""Terms on the left and on the right of the equals sign."""


def _planar(name: str, vector: Any) -> Array:
    found = np.asarray(vector, dtype=float)
    if found.shape != (2,) or not np.all(np.isfinite(found)):
        raise StructureError(f"vector {name!r}: expected two finite numbers, got {vector!r}")
    return found


@public
def solve_vectors(*equations: Equation) -> dict[str, Array]:
    """Every vector of the equations by name, sum of the left terms = sum of the right ones.

        >>> B = kb.course.PlanTerm.known("v_B", (-1.7, 1.0))
        >>> C = kb.course.PlanTerm.along("v_C", (1, 0))
        >>> CB = kb.course.PlanTerm.along("v_CB", (0.3, 1))
        >>> kb.course.solve_vectors(([C], [B, CB]))
        {'v_C': array([-2.,  0.]), 'v_B': array([-1.7,  1. ]), 'v_CB': array([-0.3, -1. ])}

    A `StructureError` says how many unknowns there are where they cannot be solved.
    """
    terms = {term.name: term for sides in equations for side in sides for term in side}
    height = 2 * len(equations)
    columns = {n: np.zeros((height, term.unknowns.shape[1])) for n, term in terms.items()}
    known = np.zeros(height)
    for i, sides in enumerate(equations):
        rows = slice(2 * i, 2 * i + 2)
        for sign, side in zip((1.0, -1.0), sides, strict=True):
            for term in (terms[each.name] for each in side):
                columns[term.name][rows] += sign * term.unknowns
                known[rows] -= sign * (0.0 if term.vector is None else term.vector)
    x = _solved(np.hstack([np.zeros((height, 0)), *columns.values()]), known, terms)
    ends = np.cumsum([each.shape[1] for each in columns.values()])
    parts = dict(zip(terms, np.split(x, ends[:-1]), strict=True))
    return {
        name: np.asarray(term.unknowns @ parts[name]) if term.vector is None else term.vector.copy()
        for name, term in terms.items()
    }


def _solved(A: Array, b: Array, terms: dict[str, PlanTerm]) -> Array:
    """A x = b for the unknown parts of the terms."""
    free = ", ".join(name for name, term in terms.items() if term.vector is None)
    count = A.shape[1]
    if count != len(b):
        raise StructureError(
            f"{len(b) // 2} vector equations determine {len(b)} unknowns, but "
            f"{free or 'nothing'} has {count}; give directions or add an equation"
        )
    s = np.linalg.svd(A, compute_uv=False) if count else np.ones(1)
    if s[-1] <= 1e-12 * s[0]:
        raise StructureError(f"the directions of {free} are parallel: a dead point of the plan")
    return np.asarray(np.linalg.solve(A, b))
