"""Where designs stand when nobody says it: in the drawing that `redimension` would make of each.

Coordinates that are drawn, and those that drives move, are held; from where the mechanism itself is
drawn the others move by steps of least size until the loops are closed (positions/sketch.py). Here
all designs make these steps side by side: the same rows, in the same units. What is held may leave
nothing free: then designs are placed in the assembly mode of the drawing (batch_positions.py).
"""

from __future__ import annotations

from collections.abc import Mapping
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
from ..model.mechanism import Mechanism
from ..positions.least_steps import least_steps_of_lanes
from ..positions.skeleton import CLOSED, LEAST_GAIN
from ..spatial.pose import in_axes
from ..spatial.rotation import Array, skew, vee
from ..system.system import System, Tie, any_system
from ..verbs.verb import verb
from .batch_positions import many_positions


class Rows(NamedTuple):
    """Residuals and columns at positions of designs, in typical lengths of each design."""

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
            return many_positions(m, values, parameters=sizes, refuse=False).q
        except StructureError:  # more is free than what is held
            pass
    tree = any_system(m).tree
    stay = np.array([tree.velocities[i] in held for i in tree.free_v])

    units = _rows(m, q, sizes).units

    def some(lanes: Array) -> dict[str, Array]:
        return {name: p[lanes, i] for i, name in enumerate(names)}

    def rows(q: Array, lanes: Array) -> tuple[Array, Array]:
        at = _rows(m, q, some(lanes))
        return at.phi, np.where(stay, 0.0, at.J)

    def stepped(q: Array, x: Array, lanes: Array) -> Array:
        return np.asarray(after(m, q, x * units[lanes], parameters=some(lanes)))

    return least_steps_of_lanes(rows, stepped, q, CLOSED, LEAST_GAIN)[0]


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
def after(system: System, q: Any, v: Any) -> Array:
    """Coordinates after a small motion v, shape (..., nq); quaternions stay unit."""
    return moved(system.tree, q, v)


@verb(closed=True)
def sketch_rows(system: System, q: Any) -> tuple[Array, ...]:
    """Residuals of loops, J row by row, and a typical length."""
    at = Moving(system.tree, all_coordinates(system.tree, q))
    residuals, J = [], []
    for tie in system.ties:
        residual, columns = _open(at, tie)
        dense = np.zeros((len(residual), system.tree.nv), dtype=object)
        for k, column in independent(system.tree, at.q_all, columns).items():
            dense[:, k] = column
        residuals.append(residual)
        J.append(dense.ravel())
    scale = np.array([_scale(system)], dtype=object)
    return np.concatenate(residuals), np.concatenate(J), scale


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
    """The mean distance of two joints on a body, as in positions/skeleton.py."""
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


def _rows(m: Mechanism, q: Array, design: Mapping[str, Array]) -> Rows:
    """The rows of designs; angles instead of their sines."""
    kinds = any_system(m).tree.velocity_kinds
    phi, J, scale = sketch_rows(m, q, parameters=design)
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
    return Rows(phi.reshape(len(q), -1), columns * units[:, None], units)
