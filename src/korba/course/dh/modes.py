"""Closed spatial loops of four pairs in closed form, with all their assembly modes.

The book does it for the Cardan joint (Gronowicz 2.4.2, Example 2.13). Every loop here comes down to
one equation: a vector u is turned about z until its product with another one is given,

    w . rot(z, -x) u = c       or       A cos x + B sin x + C = 0                           (1)
    A = w_x u_x + w_y u_y      B = w_x u_y - w_y u_x      C = w_z u_z - c

which is a quadratic in tan(x/2) (2.54). Its roots are x = atan2(B, A) -+ acos(-C / |A, B|).

**Spherical four-bar.** With R_k = rot(x, alpha_k) rot(z, theta_k) the loop R_1 R_2 R_3 R_4 = 1 is
taken by its third column, R_2 R_3 rot(x, alpha_4) z = R_1' z, and that by the third row of what
follows theta_3, so that only theta_2 is left:

    w = rot(x, alpha_3) z,     u = rot(x, -alpha_2) R_1' z,     c = cos alpha_4             (2)

Then theta_3 turns rot(x, alpha_4) z to where it has to be, and theta_4 is what is left.

**RCCC.** The rotations of any loop are those of the spherical one with the same twists, and its
slides are the dual parts of its angles (the principle of transference, Kotelnikov): they enter the
sum of all displacements linearly, so three equations give three slides.

**Bennett.** An RCCC that does not slide: a / sin alpha = b / sin beta with opposite links alike. Of
the two modes of its angles those are kept whose displacements add up to zero, as for every loop of
four revolutes, so the spherical four-bar and the Cardan joint need no case of their own.

**RSSR and RSST** (RSSP, with P for a prismatic pair). The balls are at B, which the driven pair
fixes, and at C = rot(z, -x) w on the last link, w = (-a_4, 0, -d_4). The rod between them has a
length l:

    B . rot(z, -x) w = (B^2 + w^2 - l^2) / 2       |C_0 - s z - B|^2 = l^2                   (3)

is (1) for the angle of a revolute, a quadratic for the stroke s of a slide. The spin of the rod is
idle; it is turned there by the shortest way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...door import public
from ...errors import StructureError
from ...spatial.rotation import (
    Array,
    cross,
    rotation_about,
    rotation_x,
    rotation_z,
    rpy_of_rotation,
)
from .chain import DHLink, coordinate_count, dh_frames, spatial_inverse
from .loop import loop_length, loop_residual, polished

FLAT = 1e-12
"""Part of its terms below which a sum of (1) counts as zero, and a root as a double one."""
NEAR = 1e-6
"""What displacements may leave open before a last step, in typical lengths of the loop: a double
root of (1) has half of the digits."""
SAME = 1e-8
"""Radians between two modes that are one."""
CLOSED = 1e-20
"""F of (2.164) of a closed loop."""
Z = np.array([0.0, 0.0, 1.0])


@public
def spherical_rows(twists: Sequence[float]) -> tuple[DHLink, ...]:
    """A spherical loop of revolutes: all axes meet, at these angles from one to the next.

    >>> rows = kb.course.spherical_rows(np.deg2rad([120, 30, 80, 70]))
    >>> len(kb.course.loop_modes(rows, 1.0))
    2
    """
    return tuple(DHLink(0.0, float(twist)) for twist in twists)


@public
def bennett_rows(a: float, alpha: float, beta: float) -> tuple[DHLink, ...]:
    """Bennett's loop of four revolutes: links a, alpha and b = a sin beta / sin alpha, beta.

    >>> rows = kb.course.bennett_rows(0.2, 0.6, 1.1)
    >>> q = kb.course.loop_modes(rows, 0.5)[0]
    >>> kb.course.loop_residual(rows, q) < 1e-24
    True
    """
    if abs(np.sin(alpha)) < FLAT or abs(np.sin(beta)) < FLAT:
        raise StructureError(
            f"Bennett's twists are no multiples of a half turn, got alpha = {alpha:.6g} and "
            f"beta = {beta:.6g}; parallel axes make a planar four-bar"
        )
    long, short = DHLink(a, alpha), DHLink(a * np.sin(beta) / np.sin(alpha), beta)
    return long, short, long, short


@public
def angle_roots(A: float, B: float, C: float) -> Array:
    """The angles with A cos x + B sin x + C = 0, in (-pi, pi]: two, one where they meet, or none.

    >>> np.round(kb.course.angle_roots(1.0, 1.0, -1.0), 6)
    array([0.      , 1.570796])
    """
    size = np.hypot(A, B)
    if size <= FLAT * abs(C):
        if C == 0:
            raise StructureError(
                f"every angle solves {A:.3g} cos x + {B:.3g} sin x + {C:.3g} = 0: the position is "
                "singular, and the loop can move in it although its input stands still"
            )
        return np.zeros(0)
    cosine, middle = -C / size, np.arctan2(B, A)
    if abs(cosine) > 1 + FLAT:
        return np.zeros(0)
    off = np.arctan2(np.sqrt(max(0.0, (1 - cosine) * (1 + cosine))), cosine)
    signs = np.array([-1.0, 1.0] if 0 < off < np.pi else [1.0])
    return np.sort(_principal(middle + signs * off))


@public
def loop_modes(links: Sequence[DHLink], value: float) -> Array:
    """All positions of a loop of four pairs with the first one at a value, one row for each.

    The pairs are R or C all four (RCCC, Bennett, spherical four-bar, Cardan joint), the value the
    angle of the first; or R or T, then S and S, then R or T (RSSR, RSST). Columns are the
    coordinates of all pairs in order. A loop that cannot be closed has no row.

        >>> rows = [kb.course.DHLink(0.3, 1.0), kb.course.DHLink(0.2, 0.4, 0, 0.1, "S"),
        ...         kb.course.DHLink(0.7, 0.0, 0, 0.0, "S"), kb.course.DHLink(0.5, 0.9, 0, 0.2)]
        >>> np.round(kb.course.loop_modes(rows, 0.4)[:, -1], 6)
        array([-1.649051,  1.867663])
    """
    links = [DHLink(float(k.a), float(k.alpha), float(k.theta), float(k.d), k.pair) for k in links]
    pairs = "".join(link.pair for link in links)
    if len(pairs) == 4 and set(pairs) <= {"R", "C"}:
        return _of_turns(links, value)
    if len(pairs) == 4 and pairs[1:3] == "SS" and {pairs[0], pairs[3]} <= {"R", "T"}:
        return _of_rod(links, value)
    raise StructureError(
        f"no closed form of a loop {pairs or 'without pairs'} is known: expected four pairs R or "
        "C, or R or T, S, S, R or T, beginning with the driven one; use closed_loop"
    )


def _of_turns(links: Sequence[DHLink], value: float) -> Array:
    """Modes of four pairs R or C: angles of the spherical four-bar (2), then slides."""
    modes: list[Array] = []
    for angles in _spherical(links, links[0].theta + value):
        turns = _principal(angles - [link.theta for link in links])
        turns[0] = value
        q = _with_slides(links, turns)
        if q is not None and not any(np.abs(_principal(q - mode)).max() < SAME for mode in modes):
            modes.append(q)
    return np.array(modes).reshape(-1, coordinate_count(links))


def _spherical(links: Sequence[DHLink], theta: float) -> list[Array]:
    """theta_1 ... theta_4 of every mode of the rotations."""
    X = [rotation_x(link.alpha) for link in links]
    R_1 = X[0] @ rotation_z(theta)
    u, w = X[1].T @ R_1.T @ Z, X[2] @ Z
    modes = []
    for x_2 in _turns(w, u, float(X[3][2, 2])):
        v, arm = X[2].T @ rotation_z(-x_2) @ u, X[3] @ Z
        x_3 = np.arctan2(v[1], v[0]) - np.arctan2(arm[1], arm[0])
        R = R_1 @ X[1] @ rotation_z(x_2) @ X[2] @ rotation_z(x_3) @ X[3]
        modes.append(np.array([theta, x_2, x_3, np.arctan2(R[0, 1], R[0, 0])]))
    return modes


def _with_slides(links: Sequence[DHLink], turns: Array) -> Array | None:
    """All coordinates, with strokes of the C pairs so that displacements add up to zero.

    Three C pairs can always do that; with fewer the loop is closed by its sizes, or it is not.
    """
    cylinders = [k for k, link in enumerate(links) if link.pair == "C"]
    frames = dh_frames(links, _together(links, turns, np.zeros(len(cylinders))))
    axes = np.array([frames[k][:3, 2] for k in cylinders]).reshape(-1, 3).T
    shift = frames[-1][:3, 3]
    slides = np.linalg.lstsq(axes, -shift, rcond=FLAT)[0]
    if np.abs(axes @ slides + shift).max() > NEAR * loop_length(links):
        return None
    q = _together(links, turns, slides)
    if len(cylinders) == 3:
        return q
    q = polished(links, q, list(range(1, len(q))))
    return q if loop_residual(links, q) < CLOSED else None


def _together(links: Sequence[DHLink], turns: Array, slides: Array) -> Array:
    """Angles of all pairs with the strokes of the C pairs among them."""
    strokes = iter(slides)
    return np.array(
        [
            value
            for link, turn in zip(links, turns, strict=True)
            for value in ((turn, next(strokes)) if link.pair == "C" else (turn,))
        ]
    )


def _of_rod(links: Sequence[DHLink], value: float) -> Array:
    """Modes of a rod between two balls (3)."""
    first, ball, rod, last = links
    A_2 = first.matrix(value) @ ball.matrix([0.0, 0.0, 0.0])
    along = rod.matrix([0.0, 0.0, 0.0])
    B, arm = A_2[:3, 3], along[:3, 3]
    modes = []
    for end in _ends(last, B, float(np.linalg.norm(arm))):
        back = spatial_inverse(last.matrix(end))
        S_1 = _shortest(arm, A_2[:3, :3].T @ (back[:3, 3] - B))
        S_2 = (A_2[:3, :3] @ S_1 @ along[:3, :3]).T @ back[:3, :3]
        balls = [angle for S in (S_1, S_2) for angle in rpy_of_rotation(S)[::-1]]
        modes.append([value, *balls, end])
    return np.array(modes).reshape(-1, 8)


def _ends(last: DHLink, B: Array, reach: float) -> Array:
    """Coordinates of the last pair with which its ball is in reach of the other one at B."""
    w = np.array([-last.a, 0.0, -last.d])
    if last.pair == "R":
        c = (B @ B + w @ w - reach**2) / 2
        return _principal(_turns(B, w, c) - last.theta)
    gap = rotation_z(-last.theta) @ w - B
    room = reach**2 - gap[0] ** 2 - gap[1] ** 2
    return gap[2] + np.sqrt(room) * np.array([-1.0, 1.0]) if room >= 0 else np.zeros(0)


def _turns(w: Array, u: Array, c: float) -> Array:
    """The angles x of (1)."""
    terms = np.array([w[0] * u[0] + w[1] * u[1], w[0] * u[1] - w[1] * u[0], w[2] * u[2] - c])
    rounding = FLAT * (np.linalg.norm(w) * np.linalg.norm(u) + abs(c))
    return angle_roots(*np.where(np.abs(terms) > rounding, terms, 0.0))


def _shortest(u: Array, v: Array) -> Array:
    """The rotation of u into the direction of v about the normal of both."""
    normal = cross(u, v)
    size = np.linalg.norm(normal)
    if size <= FLAT * np.linalg.norm(u) * np.linalg.norm(v):
        if u @ v >= 0:
            return np.eye(3)
        normal = cross(u, np.eye(3)[np.argmin(np.abs(u))])
        return rotation_about(normal / np.linalg.norm(normal), np.pi)
    return rotation_about(normal / size, np.arctan2(size, u @ v))


def _principal(angles: Array) -> Array:
    """Angles in (-pi, pi]."""
    return np.pi - (np.pi - angles) % (2 * np.pi)
