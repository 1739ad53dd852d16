"""What an explicit Runge-Kutta method is: a tableau of numbers, of which explicit.py makes steps.

    y_i = y + h sum_j A_ij k_j,    k_i = f(t + c_i h, y_i),    y_new = y + h sum_i b_i k_i     (1)

Rows are sparse, {stage: coefficient}. Behind the stages stands the slope at y_new, and behind it
what is `added` for the state inside a step.
"""

from __future__ import annotations

from dataclasses import dataclass

Row = dict[int, float]


@dataclass(frozen=True, eq=False)
class Tableau:
    """The numbers of (1), and how the error of a step is measured."""

    name: str
    order: int
    A: tuple[Row, ...]
    b: Row
    c: tuple[float, ...]
    error: tuple[Row, ...] = ()
    """Weights of the error; two rows count as explicit.py says. Without, steps have one length."""
    added: tuple[tuple[float, Row], ...] = ()
    """When and where slopes are that only the state inside a step needs."""
    inside: tuple[Row, ...] = ()
    """Of the state inside a step: what comes after Hermite's cubic."""
    stability: float = 0.0
    """|h lambda| from which a step is at the bound of stability, seen between the last stage, which
    is at the end, and the slope there; 0 where nobody knows.
    """


EULER = Tableau("euler", 1, ({},), {0: 1.0}, (0.0,))
RK4 = Tableau(
    "rk4",
    4,
    ({}, {0: 0.5}, {1: 0.5}, {2: 1.0}),
    {0: 1 / 6, 1: 2 / 6, 2: 2 / 6, 3: 1 / 6},
    (0.0, 0.5, 0.5, 1.0),
)
"""The classical scheme."""
