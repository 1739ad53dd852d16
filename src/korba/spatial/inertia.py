"""Mass distributions: centre of mass and central tensor, and the 4 x 4 pseudo-inertia.

The pseudo-inertia is `B = integral r r' dm` with `r = (x, y, z, 1)` (Maryniak & Malecki 3.14):

    B = [[ integral rho rho' dm,  m c ],          integral rho rho' dm = tr(I)/2 E - I + m c c'
         [ m c',                  m   ]]

where `c` is the centre of mass and `I` the tensor about it, both in the body's frame.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .rotation import Array, cross
from .turns import Turns


def pseudo_inertia(mass: float, com: ArrayLike, inertia: ArrayLike) -> Array:
    """The 4 x 4 matrix B of a body."""
    c, I_c = np.asarray(com), np.asarray(inertia)
    block = 0.5 * np.trace(I_c) * np.eye(3) - I_c + mass * np.outer(c, c)
    column = np.reshape(mass * c, (3, 1))
    return np.block([[block, column], [column.T, np.array([[mass]])]])


def of_pseudo_inertia(B: ArrayLike) -> tuple[float, Array, Array]:
    """Mass, centre of mass and central tensor of a 4 x 4 matrix B with a positive mass."""
    B = np.asarray(B)
    mass = B[3, 3] if B.dtype == object else float(B[3, 3])
    c = B[:3, 3] / mass
    block = B[:3, :3] - mass * np.outer(c, c)
    return mass, c, np.trace(block) * np.eye(3) - block


def enclosed_moments(triangles: ArrayLike) -> Array:
    """Integral of r r' dV, r = (x, y, z, 1), over what a closed surface of triangles encloses.

    Each triangle with corners a, b, c makes a tetrahedron with the origin, of the determinant
    d = a . (b x c), positive where it is seen anticlockwise from outside (s = a + b + c):

        integral dV = d/6,   integral r dV = d s/24
        integral r r' dV = d (a a' + b b' + c c' + s s')/120

    They are taken about the middle of all corners, where least is lost by rounding. A surface that
    faces inwards all over gives the same.
    """
    T = np.asarray(triangles, dtype=float)
    middle = T.reshape(-1, 3).mean(axis=0)
    T = T - middle
    d = np.einsum("ti,ti->t", T[:, 0], cross(T[:, 1], T[:, 2]))
    s = T.sum(axis=1)
    second = np.einsum("t,tki,tkj->ij", d, T, T) + np.einsum("t,ti,tj->ij", d, s, s)
    B = np.zeros((4, 4))
    B[:3, :3], B[3, 3] = second / 120, d.sum() / 6
    B[:3, 3] = B[3, :3] = d @ s / 24
    X = np.eye(4)
    X[:3, 3] = middle
    return X @ (B if B[3, 3] >= 0 else -B) @ X.T


def moved_tensor(mass: float, inertia: ArrayLike, offset: ArrayLike) -> Array:
    """Tensor about a point `offset` away from the centre of mass (Steiner)."""
    d = np.asarray(offset)
    return np.asarray(inertia) + mass * ((d @ d) * np.eye(3) - np.outer(d, d))


def congruent(X: Array | Turns, A: Array) -> Array:
    """X A X' of a symmetric A, with every entry above the diagonal made once."""
    if isinstance(X, Turns):
        return X.congruent(A)
    XA = X @ A
    rows = [[XA[i] @ X[j] for j in range(i + 1)] for i in range(len(X))]
    return np.array([[rows[max(i, j)][min(i, j)] for j in range(len(X))] for i in range(len(X))])


def turned(R: Array | Turns, A: Array) -> Array:
    """R A R' of any 3 x 3 matrix A."""
    return R.congruent(A) if isinstance(R, Turns) else R @ A @ R.T


def physical_fault(mass: float, inertia: ArrayLike) -> str | None:
    """What makes (mass, central tensor) impossible for a real body, or None.

    A body needs mass >= 0 and principal moments I1 <= I2 <= I3 with I1 >= 0 and I1 + I2 >= I3.
    Rounding of the last printed digit (1e-6 relative) is forgiven.
    """
    if mass < 0:
        return f"mass is negative (found {mass:g} kg)"
    tensor = np.asarray(inertia, dtype=float)
    scale = np.abs(tensor).max(initial=0.0)
    if np.abs(tensor - tensor.T).max(initial=0.0) > 1e-9 * scale:
        return "inertia is not symmetric"
    low, middle, high = np.linalg.eigvalsh(0.5 * tensor + 0.5 * tensor.T)
    moments = f"principal moments {low:.6g}, {middle:.6g}, {high:.6g} kg m^2"
    if low < -1e-6 * scale:
        return f"inertia has a negative principal moment ({moments})"
    if low + middle < high * (1 - 1e-6):
        return (
            f"inertia violates the triangle inequality ({moments}; the two smaller must add up "
            "to at least the largest)"
        )
    return None
