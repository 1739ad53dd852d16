"""Ways to the best design: from one start, from many in one batch, and by evolution.

Least squares of many starts at once take steps of Levenberg and Marquardt in lanes, each start with
its own damping,

    (J'J + mu diag J'J) s = -J'r,    x <- x + s within the box                              (1)

accepted where the cost falls. Everything else is SciPy's: `least_squares`, SLSQP, `trust-constr`
and differential evolution, which gets whole generations evaluated as one batch.

Source of (1): Marquardt (1963), An algorithm for least-squares estimation of nonlinear parameters.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..libraries import undisturbed
from ..spatial.rotation import Array
from .designs import spread
from .problem import Problem

FAR = 1e12
"""The cost of designs without a motion, for solvers that need a number."""
POLISHED = 5
"""Starts that are followed to the end one by one."""
EXACT = 1e-20
"""A sum of squares at which points are met to rounding."""
ROUNDS = 60
"""Of steps in lanes."""

Told = Callable[[float], None]


def local(problem: Problem, x: Array, solver: str | None, told: Told) -> None:
    """From one start by SciPy; the problem remembers the best."""
    with undisturbed():
        from scipy import optimize

    told(problem.best[0])
    if problem.squares and solver in (None, "least_squares"):
        box = (np.zeros(len(x)), np.ones(len(x)))
        inside = np.clip(x, 1e-9, 1 - 1e-9)
        last: dict[bytes, tuple[Array, Array]] = {}

        def at(y: Array) -> tuple[Array, Array]:
            """Residuals and slopes, which are asked for one after the other."""
            if (key := y.tobytes()) not in last:
                last.clear()
                last[key] = problem.residuals(y[None])
            return last[key]

        optimize.least_squares(
            lambda y: _finite(at(y)[0][0]),
            inside,
            lambda y: at(y)[1][0],
            box,
            xtol=1e-15,
            ftol=1e-15,
            gtol=1e-15,
            max_nfev=400,
        )
        return
    more: dict[str, Any] = {}
    if any(problem.constraints):
        more["constraints"] = {
            "type": "ineq",
            "fun": lambda y: np.clip(problem.rests(y[None])[0], -FAR, FAR),
            "jac": problem.rest_slopes,
        }
    options = {"ftol": 1e-12, "maxiter": 200} if solver in (None, "SLSQP") else {"maxiter": 500}
    with warnings.catch_warnings():  # a solver may say how it fares; what counts is remembered
        warnings.simplefilter("ignore")
        optimize.minimize(
            lambda y: min(float(problem.costs(y[None])[0]), FAR),
            x,
            jac=problem.cost_slopes,
            bounds=[(0.0, 1.0)] * len(x),
            method=solver or "SLSQP",
            options=options,
            **more,
        )


def many_starts(problem: Problem, count: int, seed: int, solver: str | None, told: Told) -> None:
    """Starts spread over the box, judged in one batch; the best are followed."""
    n = len(problem.names)
    x = spread(np.zeros(n), np.ones(n), count, seed)
    cost = _with_constraints(problem, x)
    order = np.argsort(cost)
    x = x[order[np.isfinite(cost[order])]]
    if problem.squares and len(x):
        x = x[: max(POLISHED, len(x) // 4)]
        x, cost = _marquardt(problem, x, told)
        x = x[np.argsort(cost)]
    for start in x[:POLISHED]:
        if not problem.squares or problem.best[0] > EXACT:
            local(problem, start, solver, told)


def evolution(problem: Problem, count: int, seed: int, solver: str | None, told: Told) -> None:
    """SciPy's differential evolution, a generation at once; then the best is followed."""
    with undisturbed():
        from scipy import optimize

    def cost(X: Array) -> Array:
        return np.minimum(_with_constraints(problem, X.T), FAR)

    n = len(problem.names)
    optimize.differential_evolution(
        cost,
        [(0.0, 1.0)] * n,
        vectorized=True,
        updating="deferred",
        polish=False,
        rng=np.random.default_rng(seed),
        popsize=15,
        maxiter=max(1, count // (15 * n)),
        callback=lambda *_, **__: told(problem.best[0]),
    )
    if problem.best[1] is not None:
        local(problem, problem.best[1], solver, told)


def _with_constraints(problem: Problem, x: Array) -> Array:
    """Costs, with those of designs that break a constraint behind all others."""
    cost = problem.costs(x)
    if not any(problem.constraints):
        return cost
    broken = np.sum(np.clip(-problem.rests(x), 0.0, FAR), axis=1)
    worst = np.max(cost, where=np.isfinite(cost), initial=0.0)
    return np.where(broken > 0, np.where(np.isfinite(cost), abs(worst), FAR) + broken, cost)


def _marquardt(problem: Problem, x: Array, told: Told) -> tuple[Array, Array]:
    """(1) for many starts at once."""
    r, J = problem.residuals(x)
    cost, mu = np.sum(r**2, axis=1), np.full(len(x), 1e-2)
    for _ in range(ROUNDS):
        fixed = ((x <= 0) & (_gradient(r, J) > 0)) | ((x >= 1) & (_gradient(r, J) < 0))
        free = np.where(fixed[:, None], 0.0, J)
        H = np.swapaxes(free, 1, 2) @ free
        largest = np.max(H, axis=(1, 2), initial=1e-300)[:, None]
        scale = np.maximum(np.einsum("nii->ni", H), 1e-12 * largest)
        H = H + (mu[:, None] * scale)[:, :, None] * np.eye(x.shape[1])
        step = -np.linalg.solve(H, _gradient(r, free)[..., None])[..., 0]
        trial = np.clip(x + step, 0.0, 1.0)
        r_new, J_new = problem.residuals(trial)
        new = np.sum(r_new**2, axis=1)
        better = new < cost
        x = np.where(better[:, None], trial, x)
        r, J = np.where(better[:, None], r_new, r), np.where(better[:, None, None], J_new, J)
        done = np.where(better, 1 - new / np.maximum(cost, 1e-300), 0.0)
        cost = np.where(better, new, cost)
        mu = np.clip(np.where(better, mu / 3, mu * 4), 1e-15, 1e12)
        told(problem.best[0])
        if np.all((done < 1e-9) & (better | (mu > 1e8))):
            break
    return x, cost


def _gradient(r: Array, J: Array) -> Array:
    return np.asarray(np.einsum("nr,nri->ni", np.where(np.isfinite(r), r, 0.0), J))


def _finite(r: Array) -> Array:
    return np.where(np.isfinite(r), r, np.sqrt(FAR))
