"""All positions of a planar mechanism, structural group by structural group.

The groups come in the order of solution, so each is solved with the bodies before it known: linear
equations are taken out, x = T (1, u), and Hermitian forms of k complex unknowns u remain:

    k = 0   nothing left to choose: the forms hold or they do not
    k = 1   dyads, in closed form: two circles or lines meet
    k > 1   groups of a higher class, by homotopy (homotopy.py)

Every position of a group is a branch on which the next groups are solved. A dyad leaves one complex
number u and two real equations

    A |u|^2 + 2 Re (b u) + c = 0                                                            (1)

each a circle or a line: what a link of given length, a guide or a slot allows (Gronowicz 2.3.1,
direct method). They are linear in (|u|^2, Re u, Im u), so

    (|u|^2, x, y) = s_0 + tau s_1,       x^2 + y^2 = |u|^2                                  (2)

which is a quadratic equation for tau. It holds for RRR, RRT, RTR, TRT, RTT and dyads with slots.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from ..errors import StructureError
from ..progress import Progress
from ..spatial.rotation import Array
from .homotopy import MOST_PATHS, Zeros, path_count, zeros
from .polynomial import BASE, Place, Plane, equations_of

FITS = 1e-8
"""Residual with which equations to spare hold, in sizes of the mechanism."""
ROUNDING = 1e-12
"""Part of its terms below which a discriminant is zero."""
FAR = 1e7
"""Solutions farther off than this many sizes of the mechanism are taken as at infinity."""

Places = dict[str, Place]
Bar = Callable[[float, str], Progress]
"""(span, unit) -> how far work is."""


def no_bar(span: float, unit: str) -> Progress:
    """Work that is not shown."""
    return Progress(False, span, "", unit)


@dataclass
class Tally:
    """What was done on the way."""

    dyads: set[tuple[str, ...]] = field(default_factory=set)
    higher: set[tuple[str, ...]] = field(default_factory=set)
    followed: list[Zeros] = field(default_factory=list)
    """What the paths of homotopies came to."""
    free: set[tuple[str, ...]] = field(default_factory=set)
    """Groups that can move in some position although everything is held."""
    blocked: set[tuple[str, ...]] = field(default_factory=set)
    """Groups that have no position on some branch."""
    large: set[tuple[str, ...]] = field(default_factory=set)
    """Groups with more paths than are followed."""
    bar: Bar = field(default=no_bar)
    """Shows how far paths are: a count, and what is counted."""

    def total(self, what: str) -> int:
        """How many paths there were, or went to infinity, or were lost, ..."""
        return sum(getattr(zeros, what) for zeros in self.followed)


def planar_modes(
    plane: Plane,
    order: list[tuple[str, ...]],
    limit: int,
    bar: Bar,
) -> tuple[list[Places], Tally]:
    """Places of all bodies in every position; more than `limit` are refused."""
    tally = Tally(bar=bar)
    branches: list[Places] = [dict(BASE)]
    for bodies in order:
        branches = [
            {**known, **placed}
            for known in branches
            for placed in _group_modes(plane, known, bodies, tally)
        ]
        if len(branches) > limit:
            raise StructureError(
                f"mechanism {plane.m.name!r} has more than {limit} assembly modes: {len(branches)} "
                f"after group {', '.join(bodies)}; hold more coordinates, or allow them with limit="
            )
    return branches, tally


def _group_modes(
    plane: Plane, known: Mapping[str, Place], bodies: tuple[str, ...], tally: Tally
) -> list[Places]:
    """Places of the bodies of one group."""
    found = equations_of(plane, known, bodies)
    T = without_linear(found.linear, 1 + 2 * len(bodies))
    if T is None:
        tally.blocked.add(bodies)
        return []
    positions = _positions(independent(found.forms, T), T.shape[1] - 1, bodies, tally)
    if not positions:
        tally.blocked.add(bodies)
    places = []
    for u in positions:
        x = T @ np.concatenate([[1.0], u])
        z = x[2::2] / np.abs(x[2::2])
        places.append({b: (complex(x[1 + 2 * i]), complex(z[i])) for i, b in enumerate(bodies)})
    return places


def without_linear(rows: list[Array], width: int) -> Array | None:
    """T with x = T (1, u) for all x that satisfy linear rows; None if there is no such x."""
    if not rows:
        return np.eye(width, dtype=complex)
    A = np.array(rows)
    U, s, V = np.linalg.svd(A[:, 1:])
    rank = int(np.sum(s > 1e-9 * max(1.0, s[0] if len(s) else 0.0)))
    rest = U.conj().T @ -A[:, 0]
    if np.max(np.abs(rest[rank:]), initial=0.0) > FITS:
        return None
    T = np.zeros((width, width - rank), dtype=complex)
    T[0, 0] = 1.0
    T[1:, 0] = V[:rank].conj().T @ (rest[:rank] / s[:rank])
    T[1:, 1:] = V[rank:].conj().T
    return T


def independent(forms: list[Array], T: Array) -> Array:
    """A basis of the forms in u: as many as are independent."""
    size = T.shape[1]
    reduced = [T.conj().T @ H @ T for H in forms]
    flat = np.array([np.concatenate([H.real.ravel(), H.imag.ravel()]) for H in reduced])
    flat = flat.reshape(len(reduced), 2 * size * size)
    _, s, V = np.linalg.svd(flat, full_matrices=False)
    basis = V[: int(np.sum(s > FITS * max(1.0, s[0] if len(s) else 0.0)))]
    half = size * size
    return np.asarray((basis[:, :half] + 1j * basis[:, half:]).reshape(-1, size, size))


def _positions(forms: Array, k: int, bodies: tuple[str, ...], tally: Tally) -> list[Array]:
    """All u at which the forms vanish."""
    if k == 0:
        return [np.zeros(0, dtype=complex)] if not len(forms) else []
    if len(forms) < 2 * k:
        tally.free.add(bodies)
        return []
    if k == 1:
        tally.dyads.add(bodies)
        found = crossings(forms)
        if found is None:
            tally.free.add(bodies)
            return []
        return list(found[:, None])
    if path_count(k) > MOST_PATHS:
        tally.large.add(bodies)
        return []
    tally.higher.add(bodies)
    with closing(tally.bar(path_count(k), "paths")) as shown:
        zeros_found = zeros(forms, told=lambda paths: shown(paths, paths))
    tally.followed.append(zeros_found)
    if zeros_found.curves:
        tally.free.add(bodies)
    return list(zeros_found.u)


def crossings(forms: Array) -> Array | None:
    """All u with  (1, u)' H (1, u) = 0  for every 2 x 2 form H; None if there are infinitely many.

    More than two equations must agree.
    """
    A = np.array([[H[1, 1].real, 2 * H[0, 1].real, -2 * H[0, 1].imag] for H in forms])
    c = np.array([H[0, 0].real for H in forms])
    U, s, V = np.linalg.svd(A)
    rank = int(np.sum(s > 1e-9 * max(s[0], 1e-300))) if len(s) else 0
    rest = U.T @ -c
    if np.max(np.abs(rest[rank:]), initial=0.0) > 1e-8:
        return np.zeros(0, dtype=complex)
    s_0 = V[:rank].T @ (rest[:rank] / s[:rank])
    if rank == 3:
        miss = abs(s_0[1] ** 2 + s_0[2] ** 2 - s_0[0])
        return np.array([complex(s_0[1], s_0[2])] if miss < 1e-8 * (1 + abs(s_0[0])) else [])
    if rank < 2:
        return None
    return _quadratic(s_0, V[2])


def _quadratic(s_0: Array, s_1: Array) -> Array:
    """(2)."""
    a = s_1[1] ** 2 + s_1[2] ** 2
    b = 2 * (s_0[1] * s_1[1] + s_0[2] * s_1[2]) - s_1[0]
    c = s_0[1] ** 2 + s_0[2] ** 2 - s_0[0]
    square = b * b - 4 * a * c
    if abs(square) <= ROUNDING * (b * b + abs(4 * a * c)) + 1e-300:
        tau = np.array([-b / (2 * a)]) if a > 0 else np.zeros(0)
    elif square < 0:
        tau = np.zeros(0)
    else:
        half = -0.5 * (b + np.copysign(np.sqrt(square), b))
        roots = [c / half] + ([half / a] if abs(half) < FAR * a else [])
        tau = np.sort(np.array(roots))
    return np.asarray((s_0[1] + tau * s_1[1]) + 1j * (s_0[2] + tau * s_1[2]))
