"""Newton-Raphson for one unknown or many, with its log, minimisation, and ways to a good start.

    x(i+1) = x(i) + dx,   dF/dx dx = -F(x(i)),   until |F(x(i+1))| <= epsilon    (2.124)-(2.133)

The root found is not always the one nearest to the start (Example 2.10 from 0.3), so a start must
be near enough: from a drawing, refined by the iteration itself (2.142), by minimisation
(2.143)-(2.146), or predicted from the step before (2.147).

Minimisation after Davidon, Fletcher and Powell takes gradients by differences (Gronowicz 2.4.2):

    p = -H G,   x <- x + t p,   s = t p,   y = G_new - G
    H <- H + s s'/(s'y) - H y y' H/(y'H y)                                                 (1)

H starts as the identity. The step t comes from a search along the line p; where p does not go down,
H is the identity again. Source of (1): Fletcher & Powell (1963), The Computer Journal 6, 163-168.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Displayed
from ..door import public
from ..errors import StructureError
from ..libraries import undisturbed
from ..spatial.rotation import Array

Function = Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class NewtonStep(Displayed):
    """A line of the log: F and its derivative at x, the step, and where it leads."""

    x: Any
    f: Any
    derivative: Any
    dx: Any
    x_next: Any


@dataclass(frozen=True, eq=False)
class NewtonRun(Displayed):
    """The root, and every step on the way to it."""

    x: Any
    steps: tuple[NewtonStep, ...]
    converged: bool
    residual: float
    """Largest |F| at x."""

    @property
    def determinants(self) -> Array:
        """Determinant of the Jacobian at every step; zero is a singular configuration."""
        return np.array([np.linalg.det(np.atleast_2d(step.derivative)) for step in self.steps])

    def __str__(self) -> str:
        """The log as a table: i, x, f, f', dx, x (Table 1 of the book for one unknown)."""
        rows = [f"{'i':>3} {'x':>24} {'f':>24} {'dx':>24}"]
        for i, step in enumerate(self.steps, start=1):
            values = " ".join(f"{_text(each):>24}" for each in (step.x, step.f, step.dx))
            rows.append(f"{i:>3} {values}")
        return "\n".join([*rows, f"x = {_text(self.x)}, |F| = {self.residual:.3g}"])


@public
def newton(
    f: Function,
    derivative: Function | None,
    start: Any,
    *,
    tolerance: float = 1e-12,
    most: int = 50,
    strict: bool = True,
) -> NewtonRun:
    """A root of f by Newton-Raphson from a start: a number, or an array of unknowns.

    `derivative` is f' or the Jacobian; without it central differences are taken. The iteration ends
    with |F| <= tolerance, or where steps are at rounding level. A singular Jacobian is an error
    that says where; so is a run that does not end, unless `strict` is off.
    """
    x = float(start) if np.ndim(start) == 0 else np.array(start, dtype=float)
    slope = derivative or (lambda at: difference_jacobian(f, at))
    steps: list[NewtonStep] = []
    value = f(x)
    while _largest(value) > tolerance and len(steps) < most:
        matrix = slope(x)
        dx = _step(matrix, value, x, len(steps) + 1)
        steps.append(NewtonStep(x, value, matrix, dx, x + dx))
        x = x + dx
        value = f(x)
        if _largest(dx) <= 4e-16 * (1 + _largest(x)):
            break
    residual = _largest(value)
    settled = bool(steps) and _largest(steps[-1].dx) <= 1e-12 * (1 + _largest(x))
    run = NewtonRun(x, tuple(steps), residual <= tolerance or settled, residual)
    if strict and not run.converged:
        raise StructureError(
            f"Newton's method did not converge in {most} steps from {_text(start)}: |F| is still "
            f"{residual:.3g}; start nearer to the root"
        )
    return run


def _step(matrix: Any, value: Any, x: Any, i: int) -> Any:
    """dx by elimination; a singular matrix is reported."""
    J = np.atleast_2d(np.asarray(matrix, dtype=float))
    if J.shape[0] != J.shape[1] or not np.all(np.isfinite(J)):
        raise StructureError(
            f"step {i}, x = {_text(x)}: expected a finite square Jacobian, got shape {J.shape}"
        )
    if singular(J):
        raise StructureError(
            f"singular configuration at step {i}, x = {_text(x)}: the determinant of the "
            "Jacobian is zero; start elsewhere or move past the dead point"
        )
    dx = np.linalg.solve(J, -np.atleast_1d(np.asarray(value, dtype=float)))
    return float(dx[0]) if np.ndim(x) == 0 else dx


def singular(J: Array) -> bool:
    """Whether the determinant is zero, every row measured in its largest entry."""
    scale = np.abs(J).max(axis=1, initial=0.0)
    return bool(abs(np.linalg.det(J / np.where(scale > 0, scale, 1.0)[:, None])) <= 1e-15)


def difference_jacobian(f: Function, x: Any) -> Any:
    """f' by central differences."""
    steps = 6e-6 * np.maximum(1.0, np.abs(x))
    if np.ndim(x) == 0:
        return (f(x + steps) - f(x - steps)) / (2 * steps)
    rows = [np.subtract(f(x + h), f(x - h)) for h in np.diag(steps)]
    return np.stack(rows, axis=-1) / (2 * steps)


@public
def predicted(q: Any, v: Any, a: Any, dt: float) -> Array:
    """Start of the next step by Taylor's formula, q + dt v + dt^2 a / 2 (2.147)."""
    return np.asarray(q) + dt * np.asarray(v) + 0.5 * dt * dt * np.asarray(a)


@public
def start_by_minimisation(f: Function, start: Any, *, weight: float | None = None) -> Minimum:
    """A start for Newton's method, `.x`: the minimum of F'F (2.143), (2.145), `.value`.

    With a weight w the minimum of |q - q(1)|^2 + w F'F, which stays near the wanted q(1) (2.146;
    the print subtracts the second term, which would reward open loops). It does not close the loops
    exactly: finish with Newton's method. `values` are those at the start and at the end.
    """
    with undisturbed():
        from scipy.optimize import least_squares

    first = np.array(start, dtype=float)

    def terms(q: Array) -> Array:
        gaps = np.atleast_1d(np.asarray(f(q), dtype=float))
        return gaps if weight is None else np.concatenate([q - first, np.sqrt(weight) * gaps])

    best = least_squares(terms, first, xtol=1e-12, ftol=1e-12, gtol=1e-12)
    value, before = 2 * float(best.cost), float(np.sum(terms(first) ** 2))
    return Minimum(np.asarray(best.x), value, 2 * np.asarray(best.grad), (before, value))


@public
def refined_start(lengths: Any, theta: float, start: Any, *, rounds: int = 1) -> NewtonRun:
    """Angles (theta_2, theta_3) of a four-bar, `.x`, after rounds of corrections (2.134)-(2.142).

    A step of the log has the deviations (delta_x, delta_y) of (2.137) and the corrections of
    (2.142). Here c runs from C to D, so theta_3 differs by pi from that of `four_bar`. It is
    Newton's method, derived from small angles.

    >>> run = kb.course.refined_start((0.2, 0.6, 0.6, 0.8), np.pi / 2, (1.05, 5.24), rounds=3)
    >>> run.x.round(4)
    array([0.5682, 5.225 ])
    """
    a, b, c, d = lengths

    def vectors(x: Array) -> tuple[complex, complex]:
        return b * np.exp(1j * x[0]), c * np.exp(1j * x[1])

    def deviations(x: Array) -> Array:
        gap = a * np.exp(1j * theta) + sum(vectors(x)) - d
        return np.array([gap.real, gap.imag])

    def slopes(x: Array) -> Array:
        BC, CD = vectors(x)
        return np.array([[-BC.imag, -CD.imag], [BC.real, CD.real]])

    return newton(deviations, slopes, start, most=rounds, strict=False)


def _largest(x: Any) -> float:
    return float(np.max(np.abs(x), initial=0.0))


def _text(x: Any) -> str:
    if np.ndim(x) == 0:
        return f"{float(x):.9g}"
    return "[" + ", ".join(f"{value:.6g}" for value in np.ravel(x)) + "]"


Scalar = Callable[[Array], float]


@dataclass(frozen=True, eq=False)
class Minimum(Displayed):
    """The lowest place found, its value, the gradient there, and the values on the way."""

    x: Array
    value: float
    gradient: Array
    values: tuple[float, ...]

    @property
    def iterations(self) -> int:
        """Count of steps."""
        return len(self.values) - 1


@public
def difference_gradient(f: Scalar, x: Array, step: float = 1e-6, *, central: bool = True) -> Array:
    """Gradient by central or forward differences."""
    moves = step * np.eye(len(x))
    if central:
        return np.array([f(x + h) - f(x - h) for h in moves]) / (2 * step)
    here = f(x)
    return np.array([f(x + h) - here for h in moves]) / step


@public
def minimise_dfp(
    f: Scalar,
    start: Any,
    *,
    step: float = 1e-6,
    central: bool = True,
    tolerance: float = 1e-12,
    most: int = 200,
) -> Minimum:
    """A minimum of f near the start; ends with a small gradient or where f goes down no more."""
    x = np.array(start, dtype=float)
    H = np.eye(len(x))
    value, G = f(x), difference_gradient(f, x, step, central=central)
    values = [value]
    while len(values) <= most and np.abs(G).max(initial=0.0) > tolerance:
        p = -H @ G
        if not p @ G < 0:
            H, p = np.eye(len(x)), -G
        t, new = _line_search(f, x, p, (value, float(p @ G)))
        if t == 0.0:
            if np.array_equal(H, np.eye(len(x))):
                break
            H = np.eye(len(x))
            continue
        G_new = difference_gradient(f, x + t * p, step, central=central)
        H = _updated(H, t * p, G_new - G)
        x, value, G = x + t * p, new, G_new
        values.append(value)
    return Minimum(x, value, G, tuple(values))


def _updated(H: Array, s: Array, y: Array) -> Array:
    """(1); where the curvature along s is not positive, H stays."""
    Hy = H @ y
    if not (s @ y > 0 and y @ Hy > 0):
        return H
    return np.asarray(H + np.outer(s, s) / (s @ y) - np.outer(Hy, Hy) / (y @ Hy))


def _line_search(f: Scalar, x: Array, p: Array, start: tuple[float, float]) -> tuple[float, float]:
    """The step to the lowest place of f along p, and f there; zero if nothing is lower."""
    with undisturbed():
        from scipy.optimize import minimize_scalar

    value, slope = start
    limit = 1.0 / max(1.0, float(np.abs(p).max()))
    near = min(limit, max(1e-8, -2 * value / slope)) if value > 0 else limit
    best = minimize_scalar(lambda t: f(x + t * p), bracket=(0.0, near), tol=1e-4)
    t, lowest = float(best.x), float(best.fun)
    return (t, lowest) if t > 0 and lowest < value else (0.0, value)
