"""The kinds of solids: closed forms of their volume moments V, the integral of r r' dV.

A flat one lies in the plane xy, half its thickness on either side.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any, final

import numpy as np

from ..spatial.inertia import pseudo_inertia
from ..spatial.rotation import Array
from .fields import Matrix3, Vector3, field, missing
from .frame import IDENTITY, as_tuples
from .polygon import Corner, Corners, PolygonMoments, crossing
from .solid import Solid
from .specs import Number, Tensor, Vector

LENGTH = Number("length", positive=True)
HOLLOW = Number("length", minimum=0.0)
NOTHING: Matrix3 = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@final
@dataclass(frozen=True)
class Box(Solid):
    """A box with its middle in its origin.

    >>> kb.solids.Box("40 mm", "20 mm", "10 mm", density="7850 kg/m^3").mass
    0.0628...
    """

    type = "box"
    length: float = field(LENGTH, doc="size along x")
    width: float = field(LENGTH, doc="size along y")
    height: float = field(LENGTH, doc="size along z")

    def moments(self) -> Array:
        """V l^2 / 12 along each side."""
        a, b, c = self.length, self.width, self.height
        return a * b * c * np.diag([a * a / 12, b * b / 12, c * c / 12, 1.0])


@final
@dataclass(frozen=True)
class Cylinder(Solid):
    """A cylinder, a tube or a disc along z, with its middle in its origin.

    >>> kb.solids.Cylinder("50 mm", "20 mm", "10 mm", density="7850 kg/m^3").mass
    1.1837521118726...
    """

    type = "cylinder"
    radius: float = field(LENGTH, doc="radius")
    length: float = field(LENGTH, doc="size along z")
    inner_radius: float = field(HOLLOW, default=0.0, doc="radius of its bore")

    def moments(self) -> Array:
        """V (R^2 + r^2) / 4 across, V l^2 / 12 along."""
        return _round_bar(self)

    def fault_of_sizes(self) -> str | None:
        """The bore is smaller than the cylinder."""
        return _hollow(self)


@final
@dataclass(frozen=True)
class Sphere(Solid):
    """A ball with its middle in its origin, solid or hollow.

    >>> kb.solids.Sphere("10 mm", density="7850 kg/m^3").mass
    0.0328820031075...
    """

    type = "sphere"
    radius: float = field(LENGTH, doc="radius")
    inner_radius: float = field(HOLLOW, default=0.0, doc="radius of its hollow")

    def moments(self) -> Array:
        """4 pi (R^5 - r^5) / 15 along each axis."""
        R, r = self.radius, self.inner_radius
        second = 4 * pi / 15 * (R**5 - r**5)
        return np.diag([second, second, second, 4 * pi / 3 * (R**3 - r**3)])

    def fault_of_sizes(self) -> str | None:
        """The hollow is smaller than the ball."""
        return _hollow(self)


@final
@dataclass(frozen=True)
class Cone(Solid):
    """A cone, or its lower part: from a circle in its origin along z to a point or a circle.

    >>> kb.solids.Cone("10 mm", "30 mm", density="7850 kg/m^3").com
    array([0.    , 0.    , 0.0075])
    """

    type = "cone"
    radius: float = field(LENGTH, doc="radius in its origin")
    length: float = field(LENGTH, doc="size along z")
    top_radius: float = field(HOLLOW, default=0.0, doc="radius at the other end")

    def moments(self) -> Array:
        """Integrals of pi rho^2 z^k and pi rho^4 / 4 dz, rho linear in z."""
        R, r, length = self.radius, self.top_radius, self.length
        volume = pi * length / 3 * (R * R + R * r + r * r)
        first = pi * length**2 / 12 * (R * R + 2 * R * r + 3 * r * r)
        along = pi * length**3 / 30 * (R * R + 3 * R * r + 6 * r * r)
        across = pi * length / 20 * (R**4 + R**3 * r + R * R * r * r + R * r**3 + r**4)
        V = np.diag(np.array([across, across, along, volume]))
        V[2, 3] = V[3, 2] = first
        return V


@final
@dataclass(frozen=True)
class Rod(Solid):
    """A round rod or tube between two points.

    >>> kb.solids.Rod((0, 0), ("0.3 m", "0.4 m"), "10 mm", density="2700 kg/m^3").com
    array([0.15, 0.2 , 0.  ])
    """

    type = "rod"
    start: Vector3 = field(Vector("length"), doc="middle of one end")
    end: Vector3 = field(Vector("length"), doc="middle of the other end")
    radius: float = field(LENGTH, doc="radius")
    inner_radius: float = field(HOLLOW, default=0.0, doc="radius of its bore")

    @property
    def length(self) -> Any:
        """Distance of its ends."""
        return _distance(self.start, self.end)

    def moments(self) -> Array:
        """Those of a cylinder, along u between the ends: V_zz u u' + V_xx (1 - u u')."""
        V, c = _round_bar(self), _middle(self.start, self.end)
        u = (np.array(self.end) - np.array(self.start)) / self.length
        second = V[0, 0] * np.eye(3) + (V[2, 2] - V[0, 0]) * np.outer(u, u)
        return _about(V[3, 3], c, second)

    def fault_of_sizes(self) -> str | None:
        """It has a length, and the bore is smaller than the rod."""
        return _no_length(self) or _hollow(self)


@final
@dataclass(frozen=True)
class Bar(Solid):
    """A flat link with round ends about two points of the plane xy, with or without bores there.

    >>> kb.solids.Bar((0, 0), ("80 mm", 0), "20 mm", "5 mm", "8 mm", density="7850 kg/m^3").mass
    0.0711849107924...
    """

    type = "bar"
    start: Vector3 = field(Vector("length"), doc="middle of one round end")
    end: Vector3 = field(Vector("length"), doc="middle of the other")
    width: float = field(LENGTH, doc="width, twice the radius of the ends")
    thickness: float = field(LENGTH, doc="size along z")
    bore: float = field(HOLLOW, default=0.0, doc="diameter of the bores in both ends")

    def moments(self) -> Array:
        """A rectangle l x w, two half discs of radius R = w/2, less two discs of radius b.

        Along the bar, with the half discs at distances l/2 + u:  l^3 w/12 + l^2 pi R^2/4 +
        4 l R^3/3 + pi R^4/4;  across it:  l w^3/12 + pi R^4/4.
        """
        a, b = np.array(self.start), np.array(self.end)
        length, R, r = _distance(a, b), self.width / 2, self.bore / 2
        area = 2 * length * R + pi * R * R - 2 * pi * r * r
        along = length**3 * R / 6 + length**2 * pi * R * R / 4 + 4 * length * R**3 / 3
        along = along + pi * R**4 / 4 - 2 * pi * r * r * (length**2 / 4 + r * r / 4)
        across = 2 * length * R**3 / 3 + pi * R**4 / 4 - pi * r**4 / 2
        u = (b - a) / length
        n = np.array([-u[1], u[0], 0 * u[0]])
        t, e = self.thickness, np.array([0.0, 0.0, 1.0])
        plane = along * np.outer(u, u) + across * np.outer(n, n)
        second = t * plane + area * t**3 / 12 * np.outer(e, e)
        return _about(area * t, _middle(a, b), second)

    def fault_of_sizes(self) -> str | None:
        """It lies in the plane, has a length, and bores smaller than its ends."""
        if self.start[2] != self.end[2]:
            return "its ends have different z; a bar lies flat, so turn it by its rotation"
        if self.bore >= self.width:
            return f"its bore ({self.bore:g} m) is not smaller than its width ({self.width:g} m)"
        return _no_length(self)


@final
@dataclass(frozen=True)
class Plate(Solid):
    """A plate or prism: a polygon in the plane xy with a thickness along z.

    >>> kb.solids.Plate([(0, 0), (0.3, 0), (0, 0.3)], 0.01, density=7850).com
    array([0.1, 0.1, 0. ])
    """

    type = "plate"
    corners: tuple[Corner, ...] = field(Corners(), doc="corners [x, y], in order either way round")
    thickness: float = field(LENGTH, doc="size along z")

    def moments(self) -> Array:
        """Moments of the polygon times the thickness."""
        M, t = PolygonMoments(self.corners), self.thickness
        V = np.array(
            [
                [M(2, 0), M(1, 1), 0, M(1, 0)],
                [M(1, 1), M(0, 2), 0, M(0, 1)],
                [0, 0, M(0, 0) * t * t / 12, 0],
                [M(1, 0), M(0, 1), 0, M(0, 0)],
            ]
        )
        return V * t

    def fault_of_sizes(self) -> str | None:
        """Its sides do not cross."""
        return crossing(self.corners)


@final
@dataclass(frozen=True)
class Revolved(Solid):
    """A polygon turned about z: a shaft, a pulley, a flywheel.

    >>> rim = [(0.2, -0.02), (0.25, -0.02), (0.25, 0.02), (0.2, 0.02)]
    >>> kb.solids.Revolved(rim, density="7200 kg/m^3").mass
    20.35752039526...
    """

    type = "revolved"
    corners: tuple[Corner, ...] = field(Corners(), doc="corners [r, z], in order either way round")

    def moments(self) -> Array:
        """2 pi r dA for every ring, half of r^2 along x and along y."""
        M = PolygonMoments(self.corners)
        across, along = pi * M(3, 0), 2 * pi * M(1, 2)
        V = np.diag(np.array([across, across, along, 2 * pi * M(1, 0)]))
        V[2, 3] = V[3, 2] = 2 * pi * M(1, 1)
        return V

    def fault_of_sizes(self) -> str | None:
        """Its sides do not cross, and lie on one side of the axis."""
        if any(r < 0 for r, _ in self.corners):
            return "a corner [r, z] has a negative r; r is the distance from the axis"
        return crossing(self.corners)


@final
@dataclass(frozen=True)
class Measured(Solid):
    """A solid of which volume, centroid and tensor are known, from CAD or from a mesh.

    >>> kb.solids.Measured(1e-3, (0.1, 0), density="2700 kg/m^3").mass
    2.7
    """

    type = "measured"
    volume: float = field(
        Number("any", positive=True), default=missing("its volume"), doc="its volume, in m^3"
    )
    centroid: Vector3 = field(Vector("length"), default=(0.0, 0.0, 0.0), doc="its centroid")
    tensor: Matrix3 = field(
        Tensor(), default=NOTHING, doc="its tensor about the centroid at density 1, in m^5"
    )

    def moments(self) -> Array:
        """Those of a body of density 1."""
        return pseudo_inertia(self.volume, np.array(self.centroid), np.array(self.tensor))


@final
@dataclass(frozen=True)
class Lump(Solid):
    """A mass in its origin, with or without an inertia about it: a bearing, a counterweight.

    >>> (kb.solids.Lump("2 kg") + kb.solids.Lump("1 kg", at=("0.3 m", 0))).com
    array([0.1, 0. , 0. ])
    """

    type = "lump"
    needs_density = False
    mass: float = field(Number("mass", positive=True), default=missing("its mass"), doc="its mass")
    inertia: Any = field(
        Tensor(),
        default=NOTHING,
        doc="inertia about it: about z (plane), 3 principal, 6 or 3 x 3 entries",
    )

    def moments(self) -> Array:
        """It takes up no room."""
        return np.zeros((4, 4))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sound() and self.rotation != IDENTITY:  # its inertia is in the axes of the body
            R = np.array(self.rotation)
            object.__setattr__(self, "inertia", as_tuples(R @ np.array(self.inertia) @ R.T))
            object.__setattr__(self, "rotation", IDENTITY)

    def matrix(self, density: Any, origin: Array) -> Array:
        """Of its own mass, whatever the density."""
        tensor = np.array(self.inertia)
        return self.sign * pseudo_inertia(self.mass, np.array(self.at) - origin, tensor)


KINDS = (Bar, Box, Cone, Cylinder, Lump, Measured, Plate, Revolved, Rod, Sphere)
SOLID_TYPES: dict[str, type[Solid]] = {cls.type: cls for cls in KINDS}


def _round_bar(bar: Any) -> Array:
    """V of a cylinder or tube along z about its middle."""
    R, r, length = bar.radius, bar.inner_radius, bar.length
    volume = pi * (R * R - r * r) * length
    across = volume * (R * R + r * r) / 4
    return np.diag(np.array([across, across, volume * length**2 / 12, volume]))


def _about(volume: Any, c: Array, second: Array) -> Array:
    """V with its middle at c, and second moments about there."""
    block = second + volume * np.outer(c, c)
    first = np.reshape(volume * c, (3, 1))
    return np.block([[block, first], [first.T, np.array([[volume]])]])


def _distance(a: Any, b: Any) -> Any:
    d = np.array(b) - np.array(a)
    return np.sqrt(d @ d)


def _middle(a: Any, b: Any) -> Array:
    return (np.array(a) + np.array(b)) / 2


def _hollow(solid: Any) -> str | None:
    R, r = solid.radius, solid.inner_radius
    return (
        f"its inner radius ({r:g} m) is not smaller than its radius ({R:g} m)" if r >= R else None
    )


def _no_length(solid: Any) -> str | None:
    return "its start and its end are one point" if solid.start == solid.end else None
