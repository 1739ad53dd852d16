"""Freedoms that move nothing else, in models of few coordinates: one rule for all of them.

Such a freedom, the spin of a rod on two balls, moves a link along a screw xi that is fixed in it. A
model in other coordinates leaves it out. That is exact where the link is the same however far it
has moved along xi = (w, u), in mass, first moment h and second moment K:

    w x h + m u = 0,        W K + K W' + u h' + h u' = 0,       W = skew(w)                    (1)

Then nothing but its own momentum feels it, which begins at none and stays:  xi' I V = 0  (2) is one
row more for the velocities. Elsewhere (a mass off the line, a flat rod) it takes part in the motion
like any other freedom, and no model without it is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import StructureError
from ..expr.node import present
from ..kinematics.couplings import all_coordinates, all_velocities
from ..kinematics.orthogonal import Line, matched
from ..kinematics.rows import Moving, entries, equations, independent
from ..kinematics.velocity import link_twists
from ..model.drawing import drawing
from ..positions.allowed import allowed
from ..positions.loops import Loops
from ..spatial.pose import in_axes
from ..spatial.rotation import Array, cross, skew
from ..system.system import System
from ..system.tree import Link, Tree
from ..wording import named
from .newton_euler import body_wrench

ROUNDING = 1e-9
"""Part of a link's inertia that rounding may change in (1)."""


def idle_lines(system: System, q: Any, coordinates: Sequence[str]) -> list[Line]:
    """(2) for each idle freedom that coordinates leave; an error where it is felt."""
    tree = system.tree
    lines = entries(equations(tree, q, 0.0, dict.fromkeys(coordinates, 0.0), ()))
    owned = matched(
        {i: {j: x for j, x in line.items() if present(x)} for i, line in enumerate(lines)}
    )
    if len(owned) == tree.nv:
        return []
    if system.parameters:
        raise StructureError(
            f"mechanism {system.m.name!r} has a freedom that moves nothing else, and what keeps it "
            f"still is made for one design; take the designs one by one with {named('redimension')}"
        )
    screws = idle_twists(tree, coordinates)
    refuse_felt(system, screws)
    at = Moving(tree, all_coordinates(tree, q))
    return [_momentum_line(at, xi) for xi in screws]


def idle_twists(tree: Tree, coordinates: Sequence[str]) -> list[Array]:
    """Motions of the drawing that are left with coordinates held: twists of links (links, 6)."""
    whole = np.concatenate([*drawing(tree.m).q.values()]).astype(float)
    q = whole[list(tree.free_q)]
    free = allowed(Loops(tree, tuple(coordinates), ()), q).N.T
    q_all = np.asarray(all_coordinates(tree, q), dtype=float)
    motions = [np.asarray(all_velocities(tree, q_all, v), dtype=float) for v in free]
    twists = [np.array(link_twists(tree, q_all, v), dtype=float) for v in motions]
    return [np.where(np.abs(V) < 1e-12 * np.abs(V).max(), 0.0, V) for V in twists]


def refuse_felt(system: System, screws: Sequence[Array]) -> None:
    """An error where an idle freedom is felt by the others: (1) does not hold."""
    links, scale = system.tree.links, system.scale
    moved = [(link, xi) for each in screws for link, xi in zip(links, each, strict=True)]
    names = dict.fromkeys(link.name for link, xi in moved if _changes(link, xi, scale))
    if names:
        each = ", ".join(map(repr, names))
        raise StructureError(
            f"mechanism {system.m.name!r}: body {each} moves idly, and its mass is not the same "
            "all round the line of that freedom, so it takes part in the motion and no model "
            f"without it is right; {named('simulate')} moves it too. Put its mass on the line, "
            "with equal moments of inertia across it, or fix that freedom"
        )


def _changes(link: Link, xi: Array, scale: float) -> bool:
    """Whether the inertia of a link changes along a screw: (1)."""
    w, u, h = xi[:3], xi[3:], np.asarray(link.h, dtype=float)
    K, half = np.asarray(link.K, dtype=float), skew(w) @ np.asarray(link.K, dtype=float)
    half = half + np.outer(u, h)
    change = [cross(w, h) + float(link.mass) * u, (half + half.T).ravel() / scale]
    size = float(np.linalg.norm(w)) * scale + float(np.linalg.norm(u))
    most = max(float(link.mass) * scale, float(np.abs(K).max()) / scale, float(np.abs(h).max()))
    return float(np.abs(np.concatenate(change)).max()) > ROUNDING * most * size / scale


def _momentum_line(at: Moving, xi: Array) -> Line:
    """Momentum along a motion that has the twists xi of the links, in the links' own frames."""
    links = zip(at.tree.links, xi, strict=True)
    wrenches = [body_wrench(link, skew(V[:3]), V[3:]) for link, V in links]
    momenta = np.array([[*n, *f] for f, n in wrenches], dtype=float)
    momenta = momenta if np.any(momenta) else xi
    columns: dict[int, Any] = {}
    for number in np.flatnonzero(np.any(momenta, axis=1)):
        X = at.X_WL[number]
        share = in_axes(X.R, momenta[number] / np.abs(momenta).max())
        for i, column in at.twist_columns(int(number), X.p).items():
            columns[i] = columns.get(i, 0.0) + np.array([share @ column], dtype=object)
    return {i: entry[0] for i, entry in independent(at.tree, at.q_all, columns).items()}
