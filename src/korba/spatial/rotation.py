"""Rotations as 3 x 3 matrices: plain NumPy, so they compute with floats and write with symbols.

`R_AB` turns components in B into components in A: `u_A = R_AB @ u_B`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..expr import less_equal, minimum, where
from ..expr.node import as_expr

Array = NDArray[Any]


def cross(a: ArrayLike, b: ArrayLike, axis: int = -1) -> Array:
    """The cross product a x b of numbers, of symbols or of both, along an axis of length 3.

    The other axes broadcast against each other, as in NumPy's own, which takes symbols since
    version 2.3 only; the operations and their order are the same.
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim == b.ndim == 1:
        return np.array(_crossed(a.tolist(), b.tolist()), dtype=np.result_type(a, b))
    a, b = np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1)
    product = np.empty(np.broadcast_shapes(a.shape, b.shape), dtype=np.result_type(a, b))
    for k, part in enumerate(_crossed(*([x[..., i] for i in range(x.shape[-1])] for x in (a, b)))):
        product[..., k] = part
    return np.moveaxis(product, -1, axis)


def _crossed(a: list[Any], b: list[Any]) -> tuple[Any, Any, Any]:
    """The three parts of a cross product."""
    (ax, ay, az), (bx, by, bz) = a, b
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def cross_in_plane(a: Array, b: Array) -> Any:
    """The component a_x b_y - a_y b_x across the plane of two vectors in it."""
    return a[0] * b[1] - a[1] * b[0]


def skew(u: ArrayLike) -> Array:
    """Matrix of the cross product: `skew(u) @ w == cross(u, w)`."""
    x, y, z = np.asarray(u)
    return np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]])


def vee(U: Array) -> Array:
    """Vector of a skew matrix, `vee(skew(u)) == u`."""
    return np.array([U[2, 1], U[0, 2], U[1, 0]])


def rotation_x(angle: Any) -> Array:
    """Right-handed rotation about x."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def rotation_y(angle: Any) -> Array:
    """Right-handed rotation about y."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def rotation_z(angle: Any) -> Array:
    """Right-handed rotation about z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def rotation_about(axis: ArrayLike, angle: Any) -> Array:
    """Rotation by `angle` about a unit `axis`: R = 1 + sin K + (1 - cos) K K  (Rodrigues)."""
    K = skew(np.asarray(axis))
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


def rotation_vector(R: Array) -> Array:
    """Axis times angle of a rotation, in numbers."""
    w = vee(R - R.T) / 2
    sine, cosine = float(np.linalg.norm(w)), (np.trace(R) - 1) / 2
    if sine > 1e-12:
        return np.asarray(w / sine * np.arctan2(sine, cosine))
    if cosine > 0:
        return w
    half_turn = R + np.eye(3)  # 2 u u' for the axis u
    axis = half_turn[:, np.argmax(np.diag(half_turn))]
    return np.asarray(np.pi * axis / np.linalg.norm(axis))


def rotation_of_quaternion(quaternion: ArrayLike) -> Array:
    """Rotation of a quaternion `(w, x, y, z)` of any length but 0.

    With s = 2 / (w^2 + x^2 + y^2 + z^2), which is 2 for a unit one:  R_xx = 1 - s (y^2 + z^2) ...
    """
    w, x, y, z = np.asarray(quaternion)
    s = 2 / (w * w + x * x + y * y + z * z)
    u, v, n = s * x, s * y, s * z
    return np.array(
        [
            [1 - (v * y + n * z), v * x - n * w, n * x + v * w],
            [v * x + n * w, 1 - (u * x + n * z), n * y - u * w],
            [n * x - v * w, n * y + u * w, 1 - (u * x + v * y)],
        ]
    )


def quaternion_of(R: Array) -> Array:
    """The unit quaternion (w, x, y, z) of a rotation, w not negative; the largest part first."""
    R = tidy(R)
    trace = np.array([np.trace(R), *np.diag(R)])
    k = int(np.argmax(trace))
    q = np.zeros(4)
    q[k] = np.sqrt(max(0.0, 1.0 + 2.0 * trace[k] - trace[0]) if k else 1.0 + trace[0]) / 2
    axial = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    if k == 0:
        q[1:] = axial / (4 * q[0])
    else:
        q[0] = axial[k - 1] / (4 * q[k])
        for j in {1, 2, 3} - {k}:
            q[j] = (R[j - 1, k - 1] + R[k - 1, j - 1]) / (4 * q[k])
    return q / np.linalg.norm(q) * (1.0 if q[0] >= 0 else -1.0)


def rotation_of_rpy(roll: float, pitch: float, yaw: float) -> Array:
    """Rz(yaw) Ry(pitch) Rx(roll), as in URDF; entries within rounding of 0 and 1 are made exact."""
    return tidy(rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll))


def rpy_of_rotation(R: ArrayLike) -> tuple[float, float, float]:
    """Roll, pitch and yaw of a rotation; at pitch = +-90 deg, roll is 0."""
    R = np.asarray(R, dtype=float)
    pitch = float(np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0])))
    if np.hypot(R[0, 0], R[1, 0]) < 1e-9:
        return 0.0, pitch, float(np.arctan2(-R[0, 1], R[1, 1]))
    return float(np.arctan2(R[2, 1], R[2, 2])), pitch, float(np.arctan2(R[1, 0], R[0, 0]))


def rotation_aligning(axis: ArrayLike, x_axis: ArrayLike | None = None) -> Array:
    """Rotation whose z column is the direction of `axis` and whose x column is nearest `x_axis`.

    Without `x_axis` the coordinate direction least aligned with `axis` is taken (of equals z, then
    x), so an axis in the xy plane gets x normal to that plane, and the z axis gets x along x.
    """
    z = _unit(np.asarray(axis))
    if x_axis is None:
        x_axis = _beside(z)
    x = np.asarray(x_axis)
    x = _unit(x - z * (z @ x))
    (a, b, c), (u, v, w) = z, x
    y = np.array([b * w - c * v, c * u - a * w, a * v - b * u])
    return tidy(np.array([x, y, z]).T)


def _unit(x: Array) -> Array:
    """A vector made unit, of numbers or symbols."""
    return np.asarray(x / (np.sqrt(x @ x) if x.dtype == object else np.linalg.norm(x)))


def _beside(z: Array) -> Array:
    """The coordinate direction least aligned with a unit vector; of equals z, then x."""
    if z.dtype != object:
        order = [2, 0, 1]
        return np.eye(3)[min(order, key=lambda i: (round(float(abs(z[i])), 12), order.index(i)))]
    for i in (2, 0, 1):
        if as_expr(z[i]).value == 0.0:
            return np.eye(3)[i]
    a, b, c = (abs(x) - 1e-12 * k for k, x in zip((1, 0, 2), z, strict=True))
    sideways = where(less_equal(a, b), np.eye(3)[0], np.eye(3)[1])
    return np.asarray(where(less_equal(c, minimum(a, b)), np.eye(3)[2], sideways))


def tidy(R: Array) -> Array:
    """`R` with entries within a few roundings of 0 and +-1 made exact; traced code prunes them."""
    if np.asarray(R).dtype == object:
        return np.asarray(R)
    exact = np.round(R)
    return np.where(np.abs(R - exact) < 4e-16, exact, R) + 0.0


def quaternion_rate(quaternion: ArrayLike, w_B: ArrayLike) -> Array:
    """Rate of the quaternion of R_AB when B turns with w_B (in B):  qdot = 1/2 q (0, w_B)."""
    q, w = np.asarray(quaternion), np.asarray(w_B)
    vector = (q[0] * w + cross(q[1:], w)) * 0.5
    return np.concatenate([[-0.5 * (q[1:] @ w)], vector])
