"""Two circles, a circle and a line, two lines: the positions of a dyad in closed form.

Once its linear equations are solved, a dyad leaves one complex number u and two real equations

    A |u|^2 + 2 Re (b u) + c = 0                                                            (1)

each a circle or a line: what a link of given length, a guide or a slot allows (Gronowicz 2.3.1,
direct method). They are linear in (|u|^2, Re u, Im u), so

    (|u|^2, x, y) = s_0 + tau s_1,       x^2 + y^2 = |u|^2                                  (2)

which is a quadratic equation for tau. It holds for RRR, RRT, RTR, TRT, RTT and dyads with slots.
"""

from __future__ import annotations

import numpy as np

from ..spatial.rotation import Array

ROUNDING = 1e-12
"""Part of its terms below which a discriminant is zero."""
FAR = 1e7
"""Solutions farther off than this many sizes of the mechanism are taken as at infinity."""


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
