"""The linear system of small motions, in as many coordinates as loops and drives leave free.

With g and J of small_motions.py, J N = 0, and N such that the named coordinates are x themselves,

    dq = N x,    dv = N y + D x,    da = N y' + P x + R y                                      (1)

in which D, P and R have zeros for the named coordinates and follow from the equations of loops and
drives, differentiated:

    J D = -(J v)_q N,    J P = -(J a + J' v)_q N - (J' v)_v D,    J R = -(J' v)_v N            (2)
    N'M N y' = N'(dtau - (g_q N + g_v D + M P) x - (g_v N + M R) y)                            (3)

Small motions of the coordinates are counted along velocities, dq = S xi, those of pairs that slip
where pairs roll; with q' = T v and E = S^+ T, which is 1 where nothing rolls,

    xi' = E dv + C xi,    C xi = S^+ ((T v)_q S xi - (S xi)_q T v)                             (4)

Then x are other coordinates than those that y are the rates of, and more: xi = N_c x with J_c N_c =
0 for the rows J_c of the pairs that slip, and N_c takes the place of N beside x.

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
from ..system.system import ties
from .small_motions import Counted, Slopes, SmallMotions, Values

GOOD = 0.3
"""Part of the best that a coordinate may be worth to be taken because it comes first."""


def chosen_coordinates(
    own: SmallMotions, counted_in: Counted, N: Array, names: Sequence[str] | None
) -> list[int]:
    """Places of velocities that stand for all others at every state; named, or the first good ones.

    Each is the first one that adds nearly as much as any to those taken before, where it adds
    least. Joints of the tree come before those that close it.
    """
    tree = counted_in.tree
    if names is not None:
        return _named(own, counted_in, N, names)
    closing = {i for tie in ties(tree) for i in range(tie.v.start, tie.v.stop)}
    able = [k for k, i in enumerate(tree.free_v) if i not in closing]

    def first_good(worth: Array) -> int:
        return next(k for k in able if worth[k] >= GOOD * worth[able].max())

    taken = governing_rows(N / counted_in.units[:, None], first_good)
    if len(taken) < counted_in.free:
        own.refuse_singular()
    return sorted(taken)


def _named(own: SmallMotions, counted_in: Counted, N: Array, names: Sequence[str]) -> list[int]:
    """Places of named velocities, if they determine all others."""
    known, tree = counted_in.names, counted_in.tree
    missing = [name for name in names if tree.rate_name(name) not in known]
    if missing or len({*names}) != counted_in.free:
        raise StructureError(
            f"coordinates: mechanism {own.m.name!r} has {counted(counted_in.free, 'freedom')}, so "
            f"as many names are needed, of {', '.join(known)}; got "
            f"{', '.join(map(repr, names)) or 'none'}"
        )
    places = [known.index(tree.rate_name(name)) for name in names]
    if len(governing_rows(N[..., places, :] / counted_in.units[places][:, None])) < counted_in.free:
        raise StructureError(
            f"coordinates: {', '.join(names)} do not say how mechanism {own.m.name!r} moves at "
            "this position; name others, or leave them out"
        )
    return places


class Linear(NamedTuple):
    """A and B of small motions, the names of x and of y, N_c and the accelerations."""

    A: Array
    B: Array
    coordinates: tuple[str, ...]
    rates: tuple[str, ...]
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
    rolls, N_c = own.system.rolls, own.allowed(q, N)
    places = chosen_coordinates(own, own.velocities, N, None if rolls else names)
    of_q = chosen_coordinates(own, own.motions, N_c, names) if rolls else places
    N, N_c = (each @ np.linalg.inv(each[..., k, :]) for each, k in ((N, places), (N_c, of_q)))
    asked = 0.0 * x.asked if still else x.asked
    a, multipliers = accelerations(x, inverse, N, asked, tau)
    s = own.along(x, (q, v, a, t), multipliers)

    def particular(right: Array) -> Array:
        """X of J X = right with zeros for the named coordinates."""
        X = inverse @ right
        return X - N @ X[..., places, :]

    D = particular(-(s.speed_q @ N_c))  # (2)
    P = particular(-(s.turn_q @ N_c) - s.turn_v @ D)
    R = particular(-(s.turn_v @ N))
    NT = np.swapaxes(N, -1, -2)
    inertia = NT @ x.M @ N
    by_x = -np.linalg.solve(inertia, NT @ (s.g_q @ N_c + s.g_v @ D + x.M @ P))  # (3)
    by_y = -np.linalg.solve(inertia, NT @ (s.g_v @ N + x.M @ R))
    by_tau = np.linalg.solve(inertia, NT)
    turn = (_turned(own, x, s, q, v) @ N_c)[..., of_q, :]  # (4)
    ahead = np.broadcast_to(np.eye(len(places)), by_y.shape)
    if rolls:
        E = pseudo_inverse(x.S) @ x.T
        turn, ahead = turn + (E @ D)[..., of_q, :], (E @ N)[..., of_q, :]
    top, bottom = np.concatenate([turn, ahead], axis=-1), np.concatenate([by_x, by_y], axis=-1)
    A = np.concatenate([top, bottom], axis=-2)
    none = np.zeros((*by_tau.shape[:-2], len(of_q), by_tau.shape[-1]))
    B = np.concatenate([none, by_tau], axis=-2)
    coordinates = tuple(own.motions.names[k] for k in of_q)
    rates = tuple(own.names[k] for k in places)
    return Linear(A, B, coordinates, rates, N_c, a)


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
    """C of (4), shape (..., n, n): zero where all coordinates are their own velocities."""
    tree = own.system.tree
    n = x.S.shape[-1]
    if not (tree.quaternions or own.system.rolls) or not np.any(v):
        return np.zeros((*q.shape[:-1], n, n))
    rates = (x.T @ v[..., None])[..., None, :, :]
    bent = (own.bent(q) @ rates)[..., 0]
    return np.asarray(pseudo_inverse(x.S) @ (s.rates_q - np.swapaxes(bent, -1, -2)))
