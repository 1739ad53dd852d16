"""The method for stiff systems: Rodas5P, linearly implicit, of order 5, with adaptive steps.

Eight stages share one matrix, with the Jacobian J of the slope f made from the graph,

    (1/(gamma h) - J) k_i = f(t + c_i h, y + sum a_ij k_j) + sum c_ij k_j / h + h d_i df/dt    (1)
    y_new = y + sum a_8j k_j + k_8,      error = k_8

It needs no iteration, and steps are limited by accuracy alone: it is L-stable, and takes stiff
springs and dampers at the pace of the slow motion. Unknowns that do not need each other, x, are
eliminated first: with s = 1/(gamma h), and z the others,

    s x - J_xz z = r_x,     (s - J_zz - J_zx J_xz / s) z = r_z + J_zx r_x / s                  (2)

and z is found by modified Gram-Schmidt: nothing is divided by but the length of a column.
Source: Hairer & Wanner (1996), Solving Ordinary Differential Equations II, section IV.7;
tableau_rodas5p.py has the coefficients.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..codegen import Program, program_of
from ..codegen.program import symbols
from ..codegen.routine import call, held
from ..expr import Expr
from ..expr.differentiate import derivatives, jacobian_columns
from ..expr.node import as_expr, present, recorded
from ..spatial.rotation import Array
from . import adaptive
from .adaptive import NOTHING, Trial, allowed, begun, restarted
from .runs import Inside, Integrator, Problem, Run
from .tableau_rodas5p import GAMMA, RATES, TIMES, A, C, H


def stiff_programs(make: Callable[[], Program]) -> dict[str, Program]:
    """`factors` of (y, t, tau, base, h): what (1) needs, and df/dt; `solve` of them and r: k."""
    slope = make()
    y, n = [f"y[{i}]" for i in range(len(slope.outputs))], len(slope.outputs)
    with recorded() as record:
        J = np.array(jacobian_columns(slope.outputs, y), dtype=object).T
        rate = np.array(derivatives(slope.outputs, "t[0]"), dtype=object)
        x, z = parted(J)
        s = 1.0 / (GAMMA * symbols("h", 1)[0])
        S = s * np.eye(len(z)) - J[np.ix_(z, z)] - J[np.ix_(z, x)] @ J[np.ix_(x, z)] / s  # (2)
        Q, R = gram_schmidt(S.astype(object))
    kept = Kept([*J[np.ix_(x, z)].flat, *J[np.ix_(z, x)].flat, *Q.flat, *R.flat, 1.0 / s])
    inputs = [*slope.inputs, ("h", 1)]
    factors = program_of(inputs, (kept.packed, rate), slope.name, [*slope.nodes, *record])
    with recorded() as order:
        given = kept.unpacked(symbols("factors", len(kept.packed)))
        sizes = [(len(x), len(z)), (len(z), len(x)), (len(z), len(z)), (len(z), len(z))]
        parts, start = [], 0
        for size in sizes:
            parts.append(given[start : start + size[0] * size[1]].reshape(size))
            start += size[0] * size[1]
        r = symbols("r", n)
        k = _solved(parts, given[-1], r[x], r[z])
        whole = np.zeros(n, dtype=object)
        whole[x], whole[z] = k
    solve = program_of([("factors", len(kept.packed)), ("r", n)], whole, slope.name, order)
    return {"factors": factors, "solve": solve}


class Kept:
    """Entries of matrices, of which constants need not be handed on."""

    def __init__(self, entries: list[Any]) -> None:
        self.entries = [as_expr(e) for e in entries]
        self.places = [k for k, e in enumerate(self.entries) if not isinstance(e.value, float)]
        self.packed = np.array([self.entries[k] for k in self.places], dtype=object)

    def unpacked(self, given: Array) -> Array:
        """All entries, those that are no constants given."""
        values = np.array(self.entries, dtype=object)
        values[self.places] = given
        return values


def parted(J: Array) -> tuple[list[int], list[int]]:
    """Unknowns that do not need each other, and the others."""
    x: list[int] = []
    for i in range(len(J)):
        if not any(present(J[i, j]) or present(J[j, i]) for j in [*x, i]):
            x.append(i)
    return x, [i for i in range(len(J)) if i not in x]


def gram_schmidt(A_: Array) -> tuple[Array, Array]:
    """Q and R of a square matrix, column by column; on the diagonal of R is 1/r_kk."""
    n, Q = len(A_), np.array(A_, dtype=object)
    R = np.zeros((n, n), dtype=object)
    for k in range(n):
        R[k, k] = 1.0 / np.sqrt(sum(x * x for x in Q[:, k]))
        Q[:, k] = Q[:, k] * R[k, k]
        for j in range(k + 1, n):
            R[k, j] = Q[:, k] @ Q[:, j]
            Q[:, j] = Q[:, j] - R[k, j] * Q[:, k]
    return Q, R


def _solved(parts: list[Array], inverse: Expr, r_x: Array, r_z: Array) -> tuple[Array, Array]:
    """X and z of (2); `inverse` is 1/s."""
    J_xz, J_zx, Q, R = parts
    right = Q.T @ (r_z + (J_zx @ r_x) * inverse) if len(r_z) else r_z
    z = np.zeros(len(r_z), dtype=object)
    for k in reversed(range(len(z))):
        z[k] = (right[k] - R[k, k + 1 :] @ z[k + 1 :]) * R[k, k]
    return (r_x + J_xz @ z) * inverse, z


class Step(NamedTuple):
    """A step to y_new, by the k of its stages."""

    y_new: Any
    k: list[Any]


def attempt(p: Problem, s: Run) -> Run:
    """One step, taken or refused."""

    def tried(h: Any) -> Trial:
        step = stepped(p, s, h)
        inverse = allowed(p, np.maximum(np.abs(s.y), np.abs(step.y_new)))
        e = inverse * step.k[7]
        error = np.sqrt(e @ e / float(max(1, p.controlled)) + NOTHING)
        slope = p.slope(s, s.t + h, step.y_new)
        inside = partial(interpolant, s, step)
        return Trial(step.y_new, slope, error, error**0.2, 8.0, 0.0, inside)

    return adaptive.attempt(p, s, tried)


def stepped(p: Problem, s: Run, h: Any) -> Step:
    """The stages (1)."""
    factors, rate = call(p.programs["factors"], s.y, s.t, s.tau, s.base, h)
    k: list[Any] = []
    y = s.y
    for a, c, time, share in zip(A, C, TIMES, RATES, strict=True):
        y = s.y + sum(w * x for w, x in zip(a, k, strict=True)) if k else s.y
        f = p.slope(s, s.t + time * h, y) if k else s.memory[0]
        before = sum(w * x for w, x in zip(c, k, strict=True)) / h if k else 0.0
        k.append(call(p.programs["solve"], factors, f + before + h * share * rate))
    return Step(y + k[7], k)


def interpolant(s: Run, step: Step) -> Inside:
    """The state inside a step:  (1 - x) y + x (y_new + (1 - x) (H_1 + x (H_2 + x H_3)))."""
    parts = [held(sum(w * x for w, x in zip(row, step.k, strict=True))) for row in H]

    def curve(x: Any) -> Any:
        bend = parts[0] + x * (parts[1] + x * parts[2])
        return (1 - x) * s.y + x * (step.y_new + (1 - x) * bend)

    return Inside(curve, 0.0)


STIFF = Integrator(
    "stiff", 1, begun, attempt, adaptive=True, restart=restarted, programs=stiff_programs
)
