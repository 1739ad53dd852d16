"""Counterweights that make the frame shake least: least squares over a motion.

A mass m_w at r from a point O of a body enters force and moment of the frame by its moments
m_w, u = m_w r and K = m_w r r' alone, and linearly (a_O acceleration of O, U = [w'x] + [wx][wx],
A the point that the moment is about):

    F = -(m_w a_O + U R u)                                                            (1)
    M = -((O - A) x (m_w a_O + U R u) + (R u) x a_O + sum K_ij (R e_i) x (U R e_j))   (2)

With O a pivot on the frame a_O = 0, and the force depends on the product u of mass and radius
alone: the mass moments of the whole mechanism are a linear function of the products, and those
that make its centre of mass stand still are found by linear least squares over the positions of the
motion. (Berkof and Lowen (1969) find them for the four-bar by linearly independent vectors.) On
other bodies, and for moments, m_w = |u| / radius and K matter too; then it is the method of
Gauss and Newton. Least squares of what is left are the partial balance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..spatial.rotation import Array, cross
from ..trajectory.trajectory import Trajectory

STEPS = 60
"""Most steps of the method of Gauss and Newton."""
HALVES = 20
"""How often a step is halved."""
ROUNDING = 1e-12
"""Part of the largest singular value that counts as none: such products change nothing."""


@dataclass(frozen=True)
class Place:
    """Where a counterweight goes: a body, a point of it, and how far away or how heavy it is."""

    body: str
    pivot: Array
    """O, in the body's frame."""
    radius: float | None
    mass: float | None = None

    def moments(self, u: Array) -> tuple[Array, Array]:
        """m_w, u and the nine entries of K as functions of u, and their slopes by u."""
        E = np.eye(len(u))
        size = float(np.linalg.norm(u))
        unit = u / size if size else 0.0 * u
        heavy = self.mass if self.mass is not None else size / (self.radius or 1.0)
        slope = 0.0 * u if self.mass is not None else unit / (self.radius or 1.0)
        K, slopes = np.zeros((3, 3)), np.zeros((3, 3, len(u)))
        if heavy:
            n = len(u)
            K[:n, :n] = np.outer(u, u) / heavy
            slopes[:n, :n] = (
                np.einsum("ik,j->ijk", E, u) + np.einsum("i,jk->ijk", u, E)
            ) / heavy - np.einsum("ij,k->ijk", K[:n, :n], slope / heavy)
        full = np.zeros((3, len(u)))
        full[: len(u)] = E
        values = np.concatenate([[heavy], full @ u, K.ravel()])
        return values, np.concatenate([slope[None], full, slopes.reshape(9, -1)])

    def at(self, u: Array) -> tuple[float, Array]:
        """Mass and place, in the body's frame, of a counterweight with the product u."""
        mass = float(self.moments(u)[0][0])
        r = np.zeros(3)
        r[: len(u)] = u / mass if mass else 0.0
        return mass, self.pivot + r


def columns(motion: Trajectory, place: Place, about: Array) -> tuple[Array, Array]:
    """Force and moment of (1), (2) for each of the 13 moments: (times, 3, 13) each."""
    body = motion.body(place.body)
    R, w, wd = body.rotation, body.angular_velocity, body.angular_acceleration
    U = _skew(wd) + _skew(w) @ _skew(w)
    o = np.einsum("tij,j->ti", R, place.pivot)
    p = body.position + o - about
    a = body.acceleration + np.einsum("tij,tj->ti", U, o)
    UR = U @ R
    force = np.zeros((len(p), 3, 13))
    moment = np.zeros((len(p), 3, 13))
    force[:, :, 0], force[:, :, 1:4] = -a, -UR
    moment[:, :, 0] = -cross(p, a)
    for k in range(3):
        moment[:, :, 1 + k] = -cross(p, UR[:, :, k]) - cross(R[:, :, k], a)
        for i in range(3):
            moment[:, :, 4 + 3 * i + k] = -cross(R[:, :, i], UR[:, :, k])
    return force, moment


@dataclass(frozen=True, eq=False)
class Problem:
    """What shakes, and what each counterweight adds to it: rows to be made small."""

    rest: Array
    """Force and moment without counterweights, weighted, (rows,)."""
    adds: Sequence[Array]
    """For each place (rows, 13)."""
    places: Sequence[Place]
    size: int
    """Components of each product: two in the plane."""

    def left(self, u: Array) -> tuple[Array, Array]:
        """What is left with products u, and its slopes by them."""
        rows, slopes = self.rest.copy(), []
        for place, adds, own in zip(
            self.places, self.adds, np.split(u, len(self.places)), strict=True
        ):
            values, slope = place.moments(own)
            rows += adds @ values
            slopes.append(adds @ slope)
        return rows, np.concatenate(slopes, axis=1)

    def solved(self) -> Array:
        """Products that leave least: by steps from none, and from the first whole step.

        Without a mass there is no direction in which it grows, so a start from none may stay there.
        """
        none = np.zeros(self.size * len(self.places))
        if not len(none):
            return none
        rows, J = self.left(none)
        starts = none, np.linalg.lstsq(J, -rows, rcond=ROUNDING)[0]
        return min(map(self._stepped, starts), key=lambda u: float(np.sum(self.left(u)[0] ** 2)))

    def _stepped(self, u: Array) -> Array:
        """The end of steps of Gauss and Newton, which are halved until less is left."""
        rows, J = self.left(u)
        top = np.abs(self.rest).max(initial=0.0)
        for _ in range(STEPS):
            step = np.linalg.lstsq(J, -rows, rcond=ROUNDING)[0]
            for _ in range(HALVES):
                new, slopes = self.left(u + step)
                if new @ new <= rows @ rows:
                    break
                step = step / 2
            else:
                return u
            u, before, rows, J = u + step, rows, new, slopes
            if np.abs(rows - before).max() <= 1e-14 * top:
                return u
        return u


def problem(
    shaking: tuple[Array, Array],
    adds: Mapping[str, tuple[Array, Array]],
    places: Sequence[Place],
    weights: tuple[float, float],
    size: int,
) -> Problem:
    """Rows of force and moment with their weights; those without weight are left out."""
    kept = [k for k in (0, 1) if weights[k]]
    rest = [weights[k] * np.ravel(shaking[k]) for k in kept]
    parts = [
        np.concatenate([weights[k] * adds[place.body][k].reshape(-1, 13) for k in kept])
        for place in places
    ]
    return Problem(np.concatenate(rest), parts, places, size)


def _skew(w: Array) -> Array:
    """[w x] of every row."""
    x, y, z = np.moveaxis(w, -1, 0)
    o = 0.0 * x
    rows: Any = [[o, -z, y], [z, o, -x], [-y, x, o]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))
