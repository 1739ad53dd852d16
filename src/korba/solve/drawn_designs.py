"""Where designs stand when nobody says it: in the drawing that `redimension` would make of each.

Coordinates that are drawn, and those that drives move, are held; from where the mechanism itself is
drawn the others move by steps of least size until the loops are closed (model/assembly.py,
model/least_steps.py). Here all designs make these steps at once: the same rows, in the same units,

    (J J' + mu 1) y = -Phi,   x = J' y                                                  (1)

and each design has its own mu. What is held may leave nothing free: then designs are placed in the
assembly mode of the drawing (batch_positions.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..errors import StructureError
from ..kinematics.couplings import all_coordinates
from ..kinematics.rates import moved
from ..kinematics.rows import Moving, independent
from ..model.drawing import drawing
from ..model.drive import Columns
from ..model.given import as_given
from ..model.least_steps import LONGEST, MOST_STEPS
from ..model.mechanism import Mechanism
from ..model.skeleton import CLOSED, LEAST_GAIN
from ..spatial.pose import in_axes
from ..spatial.rotation import Array, skew, vee
from ..system.system import System, Tie
from ..verbs.systems import any_system
from ..verbs.verb import verb
from .batch_positions import assemble_many


class Rows(NamedTuple):
    """Positions of designs, residuals and columns there, in typical lengths of each design."""

    q: Array
    phi: Array
    J: Array
    units: Array
    """Of the velocities."""


def drawn_designs(m: Mechanism, names: tuple[str, ...], p: Array, q: Array) -> Array:
    """Coordinates (designs, nq) in which designs are drawn, from where the mechanism itself is.

    Where a design cannot be closed they are nan, or as near as it gets.
    """
    sizes = dict(zip(names, p.T, strict=True))
    held = said(m)
    if held:
        columns = [m.coordinates.index(name) for name in held]
        try:
            values = dict(zip(held, q[:, columns].T, strict=True))
            return assemble_many(m, values, parameters=sizes, refuse=False).q
        except StructureError:  # more is free than what is held
            pass
    tree = any_system(m).tree
    stay = np.array([tree.velocities[i] in held for i in tree.free_v])

    def rows(q: Array, v: Array, lanes: Array) -> Rows:
        return _rows(m, q, v, {name: p[lanes, i] for i, name in enumerate(names)})

    return least_steps_of_designs(rows, q, tree.nv, stay)


def said(m: Mechanism) -> tuple[str, ...]:
    """Independent coordinates that the user has drawn, or that a drive moves."""
    tree = any_system(m).tree
    drawn = {joint.name for joint in m.joints if as_given(joint).drawn is not None}
    driven = {drive.coordinate for drive in m.drives}
    own = {
        name
        for joint in m.joints
        if joint.rates_are_velocities
        for name in joint.coordinates()
        if joint.name in drawn or name in driven
    }
    return tuple(tree.coordinates[i] for i in tree.free_q if tree.coordinates[i] in own)


@verb(closed=True)
def sketch_rows(system: System, q: Any, v: Any) -> tuple[Array, ...]:
    """Coordinates after a step v, residuals of loops there, J row by row, and a typical length."""
    new = moved(system.tree, q, v)
    at = Moving(system.tree, all_coordinates(system.tree, new))
    residuals, J = [], []
    for tie in system.ties:
        residual, columns = _open(at, tie)
        dense = np.zeros((len(residual), system.tree.nv), dtype=object)
        for k, column in independent(system.tree, at.q_all, columns).items():
            dense[:, k] = column
        residuals.append(residual)
        J.append(dense.ravel())
    scale = np.array([_scale(system)], dtype=object)
    return new, np.concatenate(residuals), np.concatenate(J), scale


def _open(at: Moving, tie: Tie) -> tuple[Array, Columns]:
    """By how much a joint outside the tree is open, in world axes, and its columns.

    They are those of kinematics/rows.py where it is closed; elsewhere the joint moves its child
    about the frame that it asks for.
    """
    X, asked = at.pose(tie.child) @ tie.X_LM, at.pose(tie.parent) @ tie.X_LF
    asked = asked @ tie.joint.pose(at.tie_coordinates(tie))
    turn = X.R @ asked.R.T
    residual = np.concatenate([0.5 * (vee(turn) - vee(turn.T)), X.p - asked.p])
    child, parent = at.twist_columns(tie.child, X.p), at.twist_columns(tie.parent, X.p)
    columns = {i: V for i, V in child.items() if i not in parent}
    columns |= {i: -V for i, V in parent.items() if i not in child}
    own = in_axes(asked.R, tie.joint.motion_subspace(at.tie_coordinates(tie)))
    own = np.concatenate([own[:3], own[3:] + skew(asked.p - X.p) @ own[:3]])
    columns |= at.tie_columns(tie, -own)
    keep = list(at.space)
    return residual[keep], {i: V[keep] for i, V in columns.items()}


def _scale(system: System) -> Any:
    """The mean distance of two joints on a body, as in model/skeleton.py."""
    placed, own = drawing(system.m), drawing(system.in_numbers)
    points: dict[str, list[tuple[Array, Array]]] = {}
    for joint, same in zip(system.m.joints, system.in_numbers.joints, strict=True):
        pairs = (placed.X_PF(joint), own.X_PF(same)), (placed.X_BM(joint), own.X_BM(same))
        for body, (X, X_own) in zip((joint.parent, joint.child), pairs, strict=True):
            points.setdefault(body, []).append((X.p, X_own.p))
    lengths = [
        np.sqrt(sum((b - a) ** 2))
        for ends in points.values()
        for (a, own_a), (b, own_b) in pairwise(ends)
        if np.linalg.norm(own_b - own_a) > 1e-150
    ]
    return sum(lengths) / float(len(lengths)) if lengths else 1.0


def _rows(m: Mechanism, q: Array, v: Array, design: Mapping[str, Array]) -> Rows:
    """The rows of designs after a step from q; angles instead of their sines."""
    kinds = any_system(m).tree.velocity_kinds
    at, phi, J, scale = sketch_rows(m, q, v, parameters=design)
    turns, height = (1, 3) if m.plane else (3, 6)
    loops = phi.reshape(len(q), -1, height)
    sine = np.linalg.norm(loops[..., :turns], axis=-1, keepdims=True)
    angle = np.arcsin(np.minimum(sine, 1.0)) / np.where(sine > 0, sine, 1.0)
    angles = np.where(sine > 0, angle, 1.0)
    row_units = np.ones((len(q), *loops.shape[1:]))
    row_units[..., turns:] = scale[:, :, None]
    phi = loops / row_units
    phi[..., :turns] *= angles
    units = np.where([kind == "length" for kind in kinds], scale, 1.0)
    columns = J.reshape(len(q), phi[0].size, len(kinds)) / row_units.reshape(len(q), -1, 1)
    return Rows(at, phi.reshape(len(q), -1), columns * units[:, None], units)


def least_steps_of_designs(rows: Callable[..., Rows], q: Array, nv: int, held: Array) -> Array:
    """Coordinates after steps (1); as near to closed as it gets.

    `rows(q, v, lanes)` are those of some designs, a step v further. Velocities `held` stay zero.
    """
    now = rows(q, np.zeros((len(q), nv)), np.arange(len(q)))
    mu = np.full(len(q), 1e-2)
    going = np.abs(now.phi).max(axis=1) > CLOSED
    for _ in range(MOST_STEPS):
        lanes = np.flatnonzero(going)
        if not len(lanes):
            break
        here = Rows(*(x[lanes] for x in now))
        x = _least_step(here, mu[lanes], held)
        longest = np.abs(x).max(axis=1, initial=0.0)
        x *= np.minimum(1.0, LONGEST / np.maximum(longest, 1e-300))[:, None]
        then = rows(here.q, x * here.units, lanes)
        gain = 1.0 - np.sum(then.phi**2, axis=1) / np.sum(here.phi**2, axis=1)
        better = gain > 0.0
        for old, new in zip(now, then, strict=True):
            old[lanes[better]] = new[better]
        mu[lanes] = np.where(
            better, np.maximum(mu[lanes] * 0.1, 1e-16), np.maximum(mu[lanes] * 10, 1e-14)
        )
        stuck = (longest < 1e-14) | (mu[lanes] > 1e12) | ((gain > 0.0) & (gain < LEAST_GAIN))
        going[lanes] = ~stuck & (np.abs(now.phi[lanes]).max(axis=1) > CLOSED)
    return now.q


def _least_step(at: Rows, mu: Array, held: Array) -> Array:
    """(1), in units."""
    J = np.where(held, 0.0, at.J)
    square = J @ np.swapaxes(J, 1, 2) + mu[:, None, None] * np.eye(J.shape[1])
    inverse = np.linalg.pinv(square, rcond=1e-13, hermitian=True)
    return -np.einsum("dij,dik,dk->dj", J, inverse, at.phi)
