"""Solids: shapes with a density, their sums and differences, and what they weigh.

A solid is the 4 x 4 matrix of its mass moments, with r = (x, y, z, 1) in the body's frame,

    B = integral r r' dm = density X V X',      V = integral r r' dV                  (1)

where V is a closed form of its own sizes in its own frame, and X places that frame on the body.
Matrices of parts add, those of holes are taken away, and mass, centre of mass and central tensor
are read off the sum (spatial/inertia.py). Sizes may be symbols: no formula asks for numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..display import Displayed, brief
from ..errors import ExpressionError, Fault, ModelError
from ..spatial.inertia import of_pseudo_inertia
from ..spatial.pose import Pose
from ..spatial.rotation import Array
from .fields import Element, Invalid, Matrix3, Vector3, field, specs_of
from .frame import IDENTITY, Frame, Rotation
from .specs import Flag, Number, Vector

if TYPE_CHECKING:
    from .body import Body


class Weighed(Displayed):
    """What solids and their sums have: parts, and what these weigh together."""

    parts: tuple[Solid, ...]

    @property
    def volume(self) -> float:
        """Volume, without that of holes."""
        with np.errstate(all="ignore"), told_in_a_sentence():
            return float(sum(part.sign * part.moments()[3, 3] for part in self._checked()))

    @property
    def mass(self) -> float:
        """Mass."""
        return float(self._weighed()[0])

    @property
    def com(self) -> Array:
        """Centre of mass, in the frame of the body."""
        return np.array(self._weighed()[1])

    @property
    def inertia(self) -> Array:
        """Tensor about the centre of mass, 3 x 3, in the axes of the body."""
        return np.array(self._weighed()[2])

    def __add__(self, other: Weighed) -> Solids:
        """Both together."""
        if not isinstance(other, Weighed):
            return NotImplemented
        return Solids((*self.parts, *other.parts))

    def __radd__(self, other: int) -> Solids:
        """So that `sum` can begin with 0."""
        return Solids(self.parts) if other == 0 else NotImplemented

    def __sub__(self, other: Weighed) -> Solids:
        """The first with the other cut out; holes of the other are filled."""
        if not isinstance(other, Weighed):
            return NotImplemented
        return Solids((*self.parts, *(replace(part, hole=not part.hole) for part in other.parts)))

    def moved(self, at: Any = (0.0, 0.0, 0.0), rotation: Any = 0.0) -> Solids:
        """The same elsewhere: turned about the body's origin, then shifted by `at`."""
        frame = Frame(at, rotation)
        if faults := [*frame.faults()]:
            raise ModelError.of_faults("solid, moved", faults)
        return Solids(tuple(part.placed(frame.pose()) for part in self.parts))

    def body(self, name: str, at: Any = (0.0, 0.0, 0.0), rotation: Any = 0.0, **more: Any) -> Body:
        """A body made of it, moved there on it; `more` are further fields of `kb.Body`."""
        from .body import Body

        return Body(name, solid=self.moved(at, rotation), **more)

    def _checked(self) -> tuple[Solid, ...]:
        if faults := [fault for part in self.parts for fault in part.faults()]:
            raise ModelError.of_faults("solid", faults)
        return self.parts

    def _weighed(self) -> tuple[Any, Array, Array]:
        return weighed(self._checked())


@dataclass(frozen=True, kw_only=True)
class Solid(Weighed, Element):
    """Base of all solids; each kind is one class with its sizes and its matrix V."""

    section = "solid"
    type: ClassVar[str] = ""
    in_words: ClassVar[str] = "a solid, such as kb.solids.Box(0.1, 0.02, 0.02, density=7850)"
    needs_density: ClassVar[bool] = True

    density: float | None = field(
        Number("density", positive=True),
        default=None,
        doc="mass per volume; without it that of the part before",
    )
    at: Vector3 = field(
        Vector("length"), default=(0.0, 0.0, 0.0), doc="where its origin is on the body"
    )
    rotation: Matrix3 = field(
        Rotation(),
        default=IDENTITY,
        doc="how it is turned: an angle about z, [roll, pitch, yaw], [w, x, y, z] or 3 x 3",
    )
    hole: bool = field(Flag(), default=False, doc="whether it is cut out, not added")

    @property
    def parts(self) -> tuple[Solid, ...]:  # type: ignore[override]
        """Itself."""
        return (self,)

    @property
    def sign(self) -> float:
        """-1 of a hole."""
        return -1.0 if self.hole else 1.0

    def moments(self) -> Array:
        """V, the integral of r r' dV, in the solid's own frame."""
        raise NotImplementedError(f"{type(self).__name__}.moments")

    def matrix(self, density: Any, origin: Array) -> Array:
        """B of (1) about a point of the body, negative of a hole."""
        X = Pose(np.array(self.rotation), np.array(self.at) - origin).matrix()
        return self.sign * density * (X @ self.moments() @ X.T)

    def placed(self, X: Pose) -> Solid:
        """The same with its frame moved."""
        frame = Frame.of_pose(X @ Pose(np.array(self.rotation), np.array(self.at)))
        return replace(self, at=frame.origin, rotation=frame.rotation)

    def fault(self, message: str, *keys: str) -> Fault:
        """A fault of it, which goes by its type."""
        return Fault((self.section, self.type, *keys), message)

    def sound(self) -> bool:
        """Whether all its fields could be read and fit together; symbols are not judged."""
        if any(isinstance(getattr(self, key), Invalid) for key in specs_of(type(self))):
            return False
        with suppress(ExpressionError), np.errstate(all="ignore"):
            return self.fault_of_sizes() is None
        return True

    def faults(self) -> Iterator[Fault]:
        """What is wrong with it; of its sizes together only where each can be read."""
        own = [*Element.faults(self)]
        yield from own
        with np.errstate(all="ignore"):
            message = None if own else self.fault_of_sizes()
        if message:
            yield self.fault(message)

    def fault_of_sizes(self) -> str | None:
        """What is wrong with sizes that are right each by itself."""
        return None


@dataclass(frozen=True, repr=False)
class Solids(Weighed):
    """A sum of solids, in which some may be holes: `plate + boss - bore`."""

    in_words: ClassVar[str] = Solid.in_words

    parts: tuple[Solid, ...]

    def __repr__(self) -> str:
        signs = ("-" if part.hole else "+" for part in self.parts)
        told = (f"{sign} {part.type}" for sign, part in zip(signs, self.parts, strict=True))
        try:
            weight = f"{brief(self.mass)} kg"
        except ModelError:
            weight = "no mass"
        return f"Solids({' '.join(told).removeprefix('+ ')}: {weight})"


def weighed(parts: Sequence[Solid], mass: Any = None) -> tuple[Any, Array, Array]:
    """Mass, centre of mass and central tensor of all parts; of an impossible one a ModelError.

    A part without a density has that of the part before. A `mass` that is given scales all of them,
    and then none needs a density. Second moments are taken about the centre of mass, so that little
    is lost far from the origin.
    """
    density = None if mass is None else 1.0
    with np.errstate(all="ignore"), told_in_a_sentence():
        B = moment_matrix(parts, density, np.zeros(3))
        if B.dtype != object and B[3, 3] <= 0:
            raise ModelError(
                f"the solid has the mass {B[3, 3]:.6g} kg; what is cut out must be less than what "
                "is there"
            )
        c = np.zeros(3) if B.dtype == object else B[:3, 3] / B[3, 3]
        B = B if B.dtype == object else moment_matrix(parts, density, c)
        own, rest, inertia = of_pseudo_inertia(B)
        scale = 1.0 if mass is None else mass / own
        values = own * scale, c + rest, inertia * scale
        if B.dtype != object and not all(np.all(np.isfinite(np.asarray(x, float))) for x in values):
            raise OverflowError
        return values


@contextmanager
def told_in_a_sentence() -> Iterator[None]:
    """Sizes whose powers no computer can hold are a ModelError."""
    try:
        yield
    except ArithmeticError:
        raise ModelError("the solid is too large or too small to be weighed in numbers") from None


def moment_matrix(parts: Sequence[Solid], density: Any, origin: Array) -> Array:
    """B of all parts about a point."""
    total = np.zeros((4, 4))
    for number, part in enumerate(parts, start=1):
        density = part.density if part.density is not None else density
        if density is None and part.needs_density:
            which = f"part {number} of the solid" if number > 1 else "the solid"
            raise ModelError(
                f"{which} ({part.type}) has no density; give one, such as density = '7850 kg/m^3'"
            )
        total = total + part.matrix(density, origin)
    return total
