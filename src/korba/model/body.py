"""Bodies: the links of a mechanism, with their mass and what they look like."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np

from ..errors import Fault, ModelError
from ..spatial.inertia import physical_fault
from .fields import Element, Invalid, Matrix3, Vector3, default_of, field
from .frame import Frame, as_tuples
from .given import as_given, made_in
from .solid import weighed
from .solid_field import SolidParts
from .specs import Choice, Flag, Number, Numbers, Part, Parts, Points, Tensor, Text, Vector

GROUND = "ground"
"""Name of the base, the link with number 0: it is always there and never moves."""

NO_INERTIA: Matrix3 = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@final
@dataclass(frozen=True)
class Shape(Element):
    """What a body looks like: kept for pictures, never used to compute."""

    section = "shape"

    kind: str = field(Choice(("box", "cylinder", "sphere", "capsule", "mesh")), doc="what it is")
    size: tuple[float, ...] = field(
        Numbers("length"),
        default=(),
        doc="box: sides; cylinder, capsule: radius and length; sphere: radius; mesh: nothing",
    )
    frame: Frame = field(Part(Frame), default=Frame(), doc="where it sits on the body")
    file: str = field(
        Text(empty=True),
        default="",
        doc="file of a mesh, seen from the mechanism's own file, or package://...",
    )
    scale: Vector3 = field(Vector(), default=(1.0, 1.0, 1.0), doc="scale of a mesh")
    color: tuple[float, ...] = field(Numbers("number"), default=(), doc="red, green, blue, opacity")


@final
@dataclass(frozen=True)
class Body(Element):
    """A rigid link.

    Everything is given in the body's own frame. Without `frame` that is the world frame of the
    drawing position, so positions can be read off the drawing as they are.
    """

    section = "body"

    name: str = field(Text(), doc="name of the body")
    mass: float = field(Number("mass"), default=0.0, doc="mass")
    com: Vector3 = field(Vector("length"), default=(0.0, 0.0, 0.0), doc="centre of mass")
    inertia: Matrix3 = field(
        Tensor(),
        default=NO_INERTIA,
        doc="inertia about the centre of mass: about z (plane), 3 principal, 6 or 3 x 3 entries",
    )
    frame: Frame | None = field(
        Part(Frame), default=None, doc="pose of the body's frame in the drawing position"
    )
    points: tuple[tuple[str, Vector3], ...] = field(
        Points(), default=(), doc="named points of the body"
    )
    shapes: tuple[Shape, ...] = field(Parts(Shape), default=(), doc="what it looks like")
    as_given: bool = field(
        Flag(), default=False, doc="keep a mass or inertia that no real body can have"
    )
    solid: Any = field(
        SolidParts(),
        default=(),
        doc="what it is made of; gives mass, com and inertia where these are not given",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._weigh()

    def settled(self) -> Self:
        """The body with what its solid weighs now."""
        other = copy(self)
        other._weigh()
        return other

    def _weigh(self) -> None:
        """Mass, com and inertia of the solid, where they are not given; a given mass scales it."""
        given = as_given(self)
        if not self.solid or isinstance(given.mass, Invalid) or self._solid_fault():
            return
        mass, com, inertia = self._weighed()
        whole = {"mass": mass, "com": tuple(com.tolist()), "inertia": as_tuples(inertia)}
        own = [key for key in whole if getattr(given, key) == default_of(Body, key)]
        made_in(self, {key: whole[key] for key in own})

    def _weighed(self) -> tuple[Any, Any, Any]:
        """What the solid weighs; beside a given mass it needs no density."""
        mass = as_given(self).mass
        return weighed(self.solid, None if mass == 0.0 else mass)

    def _solid_fault(self) -> str | None:
        """Why the solid cannot be weighed, where its parts are right each by itself."""
        if isinstance(self.solid, Invalid) or not all(part.sound() for part in self.solid):
            return "could not be read"
        try:
            self._weighed()
        except ModelError as error:
            return str(error)
        return None

    def faults(self) -> Iterator[Fault]:
        """What is wrong with it, its solid too."""
        own = [*super().faults()]
        yield from own
        told = not self.solid or any(fault.where[2:3] in (("solid",), ("mass",)) for fault in own)
        if not told and (message := self._solid_fault()):
            yield self.fault(message, "solid")

    def point(self, name: str) -> Vector3:
        """The named point, in the body's frame."""
        return dict(self.points)[name]

    def faults_in(self, planar: bool) -> Iterator[Fault]:
        """Faults of the mass distribution; in a plane only the moment about z counts."""
        if isinstance(self.mass, Invalid) or isinstance(self.inertia, Invalid) or self.as_given:
            return
        if planar and self.mass >= 0 and self.inertia[2][2] >= 0:
            return
        tensor = np.diag([0.5, 0.5, 1.0]) * self.inertia[2][2] if planar else self.inertia
        if (fault := physical_fault(self.mass, tensor)) is not None:
            key = "mass" if self.mass < 0 else "inertia"
            yield self.fault(f"{fault}; correct it, or say as_given", key)
