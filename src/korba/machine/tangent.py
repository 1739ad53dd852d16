"""The linear system of small motions, in as many coordinates as loops and drives leave free.

With g and J of small_motions.py, J N = 0, and N such that the named coordinates are x themselves,

    dq = N x,    dv = N y + D x,    da = N y' + P x + R y                                      (1)

in which D, P and R have zeros for the named coordinates and follow from the equations of loops and
drives, differentiated:

    J D = -(J v)_q N,    J P = -(J a + J' v)_q N - (J' v)_v D,    J R = -(J' v)_v N            (2)
    N'M N y' = N'(dtau - (g_q N + g_v D + M P) x - (g_v N + M R) y)                            (3)

Quaternions are counted along their velocities: dq = T xi, where

    xi' = dv + C xi,    C xi = T^+ ((T v)_q T xi - (T xi)_q T v)                               (4)

Source: de Jalon & Bayo (1994), Kinematic and Dynamic Simulation of Multibody Systems, chapter 5,
for the null space of J.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..errors import StructureError
from ..positions.rank import governing_rows
from ..spatial.rotation import Array
from ..spatial.subspace import pseudo_inverse
from ..structure.reasons import counted
from .small_motions import Slopes, SmallMotions, Values

GOOD = 0.3
"""Part of the best that a coordinate may be worth to be taken because it comes first."""


def chosen_coordinates(own: SmallMotions, N: Array, names: Sequence[str] | None) -> list[int]:
    """Places of velocities that stand for all others at every state; named, or the first good ones.

    Each is the first one that adds nearly as much as any to those taken before, where it adds
    least. Joints of the tree come before those that close it.
    """
    tree = own.system.tree
    if names is not None:
        return _named(own, N, names)
    ties = {i for tie in own.system.ties for i in range(tie.v.start, tie.v.stop)}
    able = [k for k, i in enumerate(tree.free_v) if i not in ties]

    def first_good(worth: Array) -> int:
        return next(k for k in able if worth[k] >= GOOD * worth[able].max())

    taken = governing_rows(N / own.units[:, None], first_good)
    if len(taken) < own.free:
        own.refuse_singular()
    return sorted(taken)


def _named(own: SmallMotions, N: Array, names: Sequence[str]) -> list[int]:
    """Places of named velocities, if they determine all others."""
    known, tree = own.names, own.system.tree
    missing = [name for name in names if tree.rate_name(name) not in known]
    if missing or len({*names}) != own.free:
        raise StructureError(
            f"coordinates: mechanism {own.m.name!r} has {counted(own.free, 'freedom')}, so as many "
            f"names are needed, of {', '.join(known)}; got {', '.join(map(repr, names)) or 'none'}"
        )
    places = [known.index(tree.rate_name(name)) for name in names]
    if len(governing_rows(N[..., places, :] / own.units[places][:, None])) < own.free:
        raise StructureError(
            f"coordinates: {', '.join(names)} do not say how mechanism {own.m.name!r} moves at "
            "this position; name others, or leave them out"
        )
    return places


class Linear(NamedTuple):
    """A and B of small motions, which coordinates they are of, N and the accelerations."""

    A: Array
    B: Array
    places: list[int]
    N: Array
    a: Array


def linear(
    own: SmallMotions,
    state: tuple[Array, Array, Array],
    t: Array,
    names: Sequence[str] | None,
    *,
    still: bool = False,
) -> Linear:
    """The linear system about states (q, v) under forces tau; `still` stops the drives."""
    q, v, tau = state
    x = own.values(q, v, 0.0 * v, t)
    inverse, N = own.parted(x.J)
    places = chosen_coordinates(own, N, names)
    N = N @ np.linalg.inv(N[..., places, :])
    asked = 0.0 * x.asked if still else x.asked
    a, multipliers = accelerations(x, inverse, N, asked, tau)
    s = own.along(x, (q, v, a, t), multipliers)

    def particular(right: Array) -> Array:
        """X of J X = right with zeros for the named coordinates."""
        X = inverse @ right
        return X - N @ X[..., places, :]

    D = particular(-(s.speed_q @ N))  # (2)
    P = particular(-(s.turn_q @ N) - s.turn_v @ D)
    R = particular(-(s.turn_v @ N))
    NT = np.swapaxes(N, -1, -2)
    inertia, n = NT @ x.M @ N, own.free
    by_x = -np.linalg.solve(inertia, NT @ (s.g_q @ N + s.g_v @ D + x.M @ P))  # (3)
    by_y = -np.linalg.solve(inertia, NT @ (s.g_v @ N + x.M @ R))
    by_tau = np.linalg.solve(inertia, NT)
    turn = (_turned(own, x, s, q, v) @ N)[..., places, :]  # (4)
    one = np.broadcast_to(np.eye(n), turn.shape)
    top, bottom = np.concatenate([turn, one], axis=-1), np.concatenate([by_x, by_y], axis=-1)
    A = np.concatenate([top, bottom], axis=-2)
    return Linear(A, np.concatenate([0.0 * by_tau, by_tau], axis=-2), places, N, a)


def accelerations(
    x: Values, inverse: Array, N: Array, asked: Array, tau: Array
) -> tuple[Array, Array]:
    """a and lambda of the equations at a state."""
    a = (inverse @ asked[..., None])[..., 0]
    NT, rest = np.swapaxes(N, -1, -2), x.force - tau + (x.M @ a[..., None])[..., 0]
    free = np.linalg.solve(NT @ x.M @ N, NT @ rest[..., None])
    a = a - (N @ free)[..., 0]
    needed = x.force - tau + (x.M @ a[..., None])[..., 0]
    return a, (np.swapaxes(inverse, -1, -2) @ needed[..., None])[..., 0]


def _turned(own: SmallMotions, x: Values, s: Slopes, q: Array, v: Array) -> Array:
    """C of (4), shape (..., nv, nv): zero without quaternions."""
    tree = own.system.tree
    C = np.zeros((*q.shape[:-1], tree.nv, tree.nv))
    if not tree.quaternions or not np.any(v):
        return C
    still, none = np.zeros(tree.nv), np.zeros(len(own.row_units))
    rates = (x.T @ v[..., None])[..., 0]
    inverse = pseudo_inverse(x.T)
    for k, e in enumerate(np.eye(tree.nv)):
        other = own.slopes(q, np.broadcast_to(e, v.shape), still, none, np.zeros(1))[0]
        other = other[..., -tree.nq :, :]
        C[..., k] = (inverse @ (s.rates_q[..., k] - (other @ rates[..., None])[..., 0])[..., None])[
            ..., 0
        ]
    return C
