"""The loop equation of Denavit-Hartenberg rows element by element, in symbols (Gronowicz 2.4.2).

Some factors are moved to the right, so that unknowns part,

    A_12 A_23 ... A_n0 = (A_01)^-1                                                        (2.158)

and equal matrices have equal elements: twelve equations, of which one looks for those with few
unknowns, as (2.159)-(2.161) of the Cardan joint. Rotations by numbers that are quarter turns have
exact zeros and ones, and what is multiplied by them disappears.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from ...display import Displayed
from ...door import public
from ...errors import StructureError
from ...expr import Expr, evaluate, to_text, variables
from ...expr.node import as_expr
from ...spatial.rotation import Array, tidy
from .chain import DHLink, coordinate_count, spatial_inverse, written
from .pairs import Motion

LONGEST = 200
"""Letters of an equation that `print` shows."""


@dataclass(frozen=True, eq=False)
class LoopEquations(Displayed):
    """Both sides of a loop equation as matrices of expressions; `print` lists the elements."""

    left: Array
    right: Array

    def element(self, row: int, column: int) -> tuple[Expr, Expr]:
        """Both sides of one element, counted from 1 as in the book."""
        if not (1 <= row <= 3 and 1 <= column <= 4):
            raise StructureError(f"element: expected rows 1-3, columns 1-4, got ({row}, {column})")
        return self.left[row - 1, column - 1], self.right[row - 1, column - 1]

    def text(self, row: int, column: int) -> str:
        """One element as a text that Korba reads back: `left = right`."""
        return " = ".join(to_text(side) for side in self.element(row, column))

    @property
    def symbols(self) -> tuple[str, ...]:
        """Names of all symbols, in alphabetical order."""
        sides = np.concatenate([self.left.ravel(), self.right.ravel()])
        return tuple(sorted(set().union(*(variables(side) for side in sides))))

    def rest(self, values: Mapping[str, float]) -> Array:
        """Left less right of the twelve elements with numbers for the symbols, shape (3, 4)."""
        if missing := [name for name in self.symbols if name not in values]:
            raise StructureError(f"values: expected a number for {', '.join(missing)} too")
        rows = (self.left - self.right)[:3].ravel()
        return np.reshape(evaluate([as_expr(row) for row in rows], dict(values)), (3, 4))

    def __str__(self) -> str:
        places = [(i, j) for i in (1, 2, 3) for j in (1, 2, 3, 4)]
        texts = {place: self.text(*place) for place in places}
        cut = {p: t if len(t) <= LONGEST else t[: LONGEST - 4] + " ..." for p, t in texts.items()}
        return "\n".join(f"({i}, {j})  {cut[i, j]}" for i, j in places)


@public
def loop_equations(links: Sequence[DHLink], q: Sequence[Any], *, moved: int = 1) -> LoopEquations:
    """The twelve element equations of a loop, with the first `moved` matrices on the right.

    Sizes of the links and the coordinates `q`, one for each freedom of the pairs, are names of
    symbols, other expressions of them as texts, or numbers.

        >>> names = ["theta_1", "theta_2", "theta_3", "theta_0"]
        >>> rows = [kb.course.DHLink(0, "beta"), *kb.course.cardan_rows(0.5)[1:]]
        >>> kb.course.loop_equations(rows, names).text(1, 3)
        'cos(theta_2)*sin(theta_3) = sin(theta_1)*sin(beta)'
    """
    if len(q) != coordinate_count(links) or not links:
        raise StructureError(
            f"q: expected {coordinate_count(links)} names, one for each coordinate, got {len(q)}"
        )
    if not 0 <= moved <= len(links):
        raise StructureError(f"moved: expected 0 to {len(links)} matrices, got {moved}")
    names = iter(map(written, q))
    factors = [_matrix(link, [next(names) for _ in link.motions]) for link in links]
    unit = np.eye(4).astype(object)
    left = reduce(np.matmul, factors[moved:], unit)
    right = spatial_inverse(reduce(np.matmul, factors[:moved], unit))
    sides = (np.array([[as_expr(x) for x in row] for row in side]) for side in (left, right))
    return LoopEquations(*sides)


def _matrix(link: DHLink, q: Sequence[Any]) -> Array:
    """A_jk with exact zeros and ones where numbers are quarter turns."""
    turn, slide = (q[0], 0.0) if link.motions[0].turns else (0.0, q[0])
    steps = [
        (Motion("x", turns=False), link.a),
        (Motion("x"), link.alpha),
        (Motion("z", turns=False), link.d + slide),
        (Motion("z"), link.theta + turn),
        *zip(link.motions[1:], q[1:], strict=True),
    ]
    return reduce(np.matmul, (_step(motion, size) for motion, size in steps))


def _step(motion: Motion, size: Any) -> Array:
    """One elementary motion, in symbols or exact numbers."""
    E = motion.matrix(size)
    return E if E.dtype == object else tidy(E).astype(object)
