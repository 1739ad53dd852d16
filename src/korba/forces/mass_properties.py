"""Mass properties: centre of mass, tensors about other points and axes, and point masses.

A tensor is that of the book, products with their minus sign: I_xy = - integral x y dm.

    I_P = I_S + m (p'p 1 - p p')           about a point at p from S (Steiner)        (4.4)
    sum m_i = m,  sum m_i r_i = m r_S      point masses that stand for a body, statically (4.2a-c)
    sum m_i r_i^2 = m r_S^2 + I_S          and dynamically, in the plane             (4.2d)
    sum m_i r_i r_i' = integral r r' dm    and dynamically, in space

Numbers of equations are those of Gronowicz, Podstawy analizy ukladow kinematycznych, section 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..display import Displayed
from ..door import public, real_array
from ..errors import StructureError
from ..model.body import Body
from ..model.fields import Invalid, read_or_invalid
from ..model.frame import Rotation
from ..model.solid import Solid, Solids
from ..spatial.inertia import moved_tensor, of_pseudo_inertia, pseudo_inertia
from ..spatial.rotation import Array

ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class MassProperties(Displayed):
    """Mass, centre of mass and the tensor about it, in one frame.

    >>> link = kb.mass_properties(kb.Body("link", 3, inertia=(0.02, 0.03, 0.04)))
    >>> round(float(link.about((0.1, -0.2, 0.3))[0, 0]), 9)
    0.41
    """

    mass: float
    com: Array
    """Centre of mass, (3,)."""
    inertia: Array
    """Tensor about the centre of mass, (3, 3)."""

    def about(self, point: Sequence[float] = ORIGIN) -> Array:
        """The tensor about another point, in the same axes (4.4)."""
        return moved_tensor(self.mass, self.inertia, self.com - _point(point))

    def turned(self, rotation: Any) -> MassProperties:
        """The same body turned about the origin: R c and R I R'.

        `rotation` is an angle about z, [roll, pitch, yaw], a quaternion or a 3 x 3 matrix.
        """
        R = read_or_invalid(Rotation(), rotation, {}, Body)
        if isinstance(R, Invalid):
            raise StructureError(f"turned: {R.message}")
        R = np.array(R)
        return MassProperties(self.mass, R @ self.com, R @ self.inertia @ R.T)

    def moved(self, by: Sequence[float]) -> MassProperties:
        """The same body elsewhere."""
        return MassProperties(self.mass, self.com + _point(by), self.inertia)

    @property
    def principal(self) -> tuple[Array, Array]:
        """Principal moments about the centre of mass, ascending, and the axes as columns."""
        moments, axes = np.linalg.eigh(self.inertia)
        axes[:, 2] *= np.sign(np.linalg.det(axes))  # right-handed
        return moments, axes

    def percussion(self, pivot: Sequence[float]) -> Array:
        """The centre of percussion for an axis along z through `pivot`.

        A blow there, across the line from the pivot through S, leaves the pivot without force. It
        is r_S + I_S / (m r_S) from the pivot, and the pivot is the centre of percussion for it.
        """
        r = (self.com - _point(pivot))[:2]
        if not r @ r > 0:
            raise StructureError("percussion: the pivot is the centre of mass; give another point")
        ahead = self.inertia[2, 2] / (self.mass * (r @ r)) * r
        return self.com + np.array([*ahead, 0.0])

    def point_masses(
        self, points: Any, *, dynamic: bool = False, plane: str | None = "xy"
    ) -> PointMasses:
        """Masses at points that stand for the body: (4.2a-c), or with `dynamic` also (4.2d).

        Of a single point the second mass of a dynamic model is found too, at the centre of
        percussion. Where points leave a choice, the masses with the least sum of squares are taken.

        >>> link = kb.mass_properties(kb.Body("link", 2, (0.3, 0), 0.06))
        >>> link.point_masses([(0, 0)], dynamic=True).masses
        array([0.5, 1.5])
        """
        p = np.array([_point(point) for point in real_array("point_masses: points", points)])
        if plane not in ("xy", None) or not len(p):
            raise StructureError(
                f"point_masses: expected points and plane='xy' or None, got {len(p)} and {plane!r}"
            )
        if dynamic and plane and len(p) == 1:
            p = np.array([*p, self.percussion(p[0])])
        r = p - self.com
        size = float(np.abs(r).max()) or 1.0
        A, b = self._conditions(r / size, size, plane, dynamic)
        masses = np.linalg.lstsq(A, b, rcond=None)[0]
        if np.abs(A @ masses - b).max() > 1e-9 * self.mass:
            raise StructureError(
                f"point_masses: no {len(p)} masses at these points have mass"
                f"{', moments of inertia' * dynamic} and centre of mass of the body; give other "
                "points, or more of them"
            )
        return PointMasses(masses, p)

    def _conditions(
        self, r: Array, size: float, plane: str | None, dynamic: bool
    ) -> tuple[Array, Array]:
        """The equations (4.2) for masses at r from S, in units of `size`."""
        axes = 2 if plane else 3
        rows, wanted = [np.ones(len(r)), *r.T[:axes]], [self.mass, *[0.0] * axes]
        if dynamic and plane:
            rows.append(np.sum(r[:, :2] ** 2, axis=1))
            wanted.append(self.inertia[2, 2] / size**2)
        elif dynamic:
            K = (np.trace(self.inertia) / 2 * np.eye(3) - self.inertia) / size**2
            pairs = [(i, j) for i in range(3) for j in range(i + 1)]
            rows += [r[:, i] * r[:, j] for i, j in pairs]
            wanted += [K[i, j] for i, j in pairs]
        return np.array(rows), np.array(wanted)

    def __add__(self, other: MassProperties) -> MassProperties:
        """Both bodies as one."""
        return _of_matrix(_matrix(self) + _matrix(other))

    def __sub__(self, other: MassProperties) -> MassProperties:
        """The first without the other, which is part of it."""
        return _of_matrix(_matrix(self) - _matrix(other))


@dataclass(frozen=True, eq=False)
class PointMasses(Displayed):
    """Masses at points that stand for a body."""

    masses: Array
    """(n,)"""
    points: Array
    """(n, 3)"""

    @property
    def properties(self) -> MassProperties:
        """What they are together."""
        r = np.concatenate([self.points, np.ones((len(self.points), 1))], axis=1)
        return _of_matrix(np.einsum("k,ki,kj->ij", self.masses, r, r))


@public
def mass_properties(of: Body | Solid | Solids) -> MassProperties:
    """Mass, centre of mass and central tensor of a body or a solid, and what follows from them.

    >>> plate = kb.solids.Box(0.3, 0.2, 0.01, density=7850)
    >>> round(float(kb.mass_properties(plate).about((0.15, 0, 0))[2, 2]), 9)
    0.157
    """
    if isinstance(of, Body):
        values: tuple[Any, ...] = (of.mass, of.com, of.inertia)
        if any(isinstance(x, Invalid) for x in values):
            fault = next(x for x in values if isinstance(x, Invalid))
            raise StructureError(f"mass_properties: body {of.name!r}: {fault.message}")
        return MassProperties(float(of.mass), np.array(of.com), np.array(of.inertia))
    return MassProperties(of.mass, of.com, np.array(of.inertia))


def _point(given: Any) -> Array:
    p = real_array("point", given, "two or three lengths in metres")
    if p.shape not in ((2,), (3,)):
        raise StructureError(f"point: expected two or three components, got shape {p.shape}")
    return np.array([*p, 0.0][:3])


def _matrix(one: MassProperties) -> Array:
    return pseudo_inertia(one.mass, one.com, one.inertia)


def _of_matrix(B: Array) -> MassProperties:
    if not B[3, 3] > 0:
        raise StructureError(f"mass properties: the mass is {B[3, 3]:.6g} kg; expected one above 0")
    return MassProperties(*of_pseudo_inertia(B))
