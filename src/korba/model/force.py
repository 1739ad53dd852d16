"""What acts on a mechanism besides gravity, and what every load has.

A kind of load is one final class in its own file under `forces/`. It says, as plain NumPy formulas
for numbers and symbols alike, what it does at a state:

    acts(at)   efforts in joints, pushes on bodies
    rates(at)  rates of the states of its own, where it has some
    told(at)   values that laws of loads after it may use, by the names that it `tells`

Laws may use the time `t`, the coordinates by their names and their velocities as `v_<name>`, what
loads before them tell (controllers, sensors), and what `law_names` adds. No other module ever asks
which load it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from ..errors import Fault, StructureError
from ..expr import Expr, constant, maximum, minimum, to_text, variables
from ..spatial.rotation import Array
from ..wording import named
from .curve import Curve
from .fields import Element, Vector3, field, laws_of, specs_of
from .specs import Choice, Text

ZERO = constant(0.0)
AXES = Choice(("world", "body"))


class State(Protocol):
    """The state of a mechanism, as a load may see it."""

    @property
    def t(self) -> Any:
        """The time."""

    def coordinate(self, name: str) -> tuple[Any, Any]:
        """Value and rate of a coordinate that is its own velocity."""

    def point(self, body: str, at: Any) -> tuple[Array, Array]:
        """Position and velocity, in the world, of a point of a body."""

    def turn(self, body: str) -> tuple[Array, Array]:
        """Rotation of a body in the world, and its angular velocity in the world's axes."""

    def value(self, law: Expr, **own: Any) -> Any:
        """Value of a law; `own` are names that only this load knows."""

    def own(self, name: str) -> Sequence[Any] | None:
        """The states of the load of that name; None at a state that has none."""


@dataclass(frozen=True, eq=False)
class Effort:
    """A force or moment in a joint, along its coordinate."""

    coordinate: str
    tau: Any


@dataclass(frozen=True, eq=False)
class Push:
    """A force at a point of a body, and a moment on it, in the axes of the world or the body."""

    body: str
    force: Array
    moment: Array
    at: Vector3 = (0.0, 0.0, 0.0)
    axes: str = "world"


@dataclass(frozen=True)
class Force(Element):
    """Base of all loads; `law_names` are names that its laws may use besides the common ones."""

    section = "force"
    type: ClassVar[str] = ""
    bodies: ClassVar[tuple[str, ...]] = ()
    """Fields that name a body."""
    places: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Those that may name a point of one instead, and the fields of the place on it."""
    joints: ClassVar[tuple[str, ...]] = ()
    """Fields that name a joint of one freedom, or one coordinate."""
    law_names: ClassVar[frozenset[str]] = frozenset()
    twists: ClassVar[bool] = False
    """Whether it turns a body that it takes hold of in one place."""

    name: str = field(Text(), doc="name of the load")

    @property
    def timed(self) -> bool:
        """Whether a law of it uses the time."""
        specs = specs_of(type(self))
        return any(
            getattr(specs[key], "variable", "t") == "t"
            if isinstance(law, Curve)
            else "t" in variables(law)
            for key, law in laws_of(self)
        )

    @property
    def own_states(self) -> tuple[str, ...]:
        """Symbols of the states that it has besides coordinates and velocities."""
        return ()

    @property
    def start_values(self) -> tuple[float, ...]:
        """Where they start."""
        return (0.0,) * len(self.own_states)

    @property
    def state_unit(self) -> str:
        """What they are measured in; nothing where that is not known."""
        return ""

    @property
    def tells(self) -> tuple[str, ...]:
        """Names that laws of loads after it may use."""
        return ()

    @property
    def ends(self) -> tuple[tuple[str, Vector3], ...] | None:
        """Two points between which it acts."""
        return None

    @property
    def longest(self) -> float | None:
        """How far its ends may be apart, where it keeps them from being farther: a rope."""
        return None

    @property
    def needs_distance(self) -> bool:
        """Whether its two points have to be apart, for it to have a direction."""
        return self.ends is not None

    @property
    def picture(self) -> str:
        """What a picture shows between its ends."""
        return "actuator"

    @staticmethod
    def at_point(p: Vector3, _: Any) -> Vector3:
        """The place of a named point of a body."""
        return p

    def acts(self, at: State) -> Iterator[Effort | Push]:
        """What it does at a state; nothing where it only tells."""
        return iter(())

    def rates(self, at: State) -> tuple[Any, ...]:
        """Rates of its own states."""
        return ()

    def told(self, at: State) -> tuple[Any, ...]:
        """Values of the names that it tells."""
        return ()

    def states_at(self, at: State) -> Sequence[Any]:
        """Its own states; an error at a state of the mechanism that does not have them."""
        if not self.own_states:
            return ()
        own = at.own(self.name)
        if own is None:
            refuse_own_states([self])
        return own or ()

    def faults_in(self, planar: bool) -> Iterator[Fault]:
        """What is wrong with it in a planar, or in a spatial mechanism."""
        return iter(())

    def _leaves_plane(self, key: str, out: tuple[int, ...], form: str) -> Iterator[Fault]:
        """A fault where one of the components `out` of the vector `key` is not 0."""
        components = getattr(self, key)
        if isinstance(components, tuple) and any(components[i].value != 0 for i in out):
            listed = ", ".join(map(to_text, components))
            message = f"leaves the plane; a planar mechanism has {form} (found [{listed}])"
            yield self.fault(message, key)


def refuse_own_states(forces: Iterable[Force]) -> None:
    """An error for loads with states of their own, where these are not known."""
    for force in forces:
        if force.own_states:
            raise StructureError(
                f"force {force.name!r}: a {force.type} with {', '.join(force.own_states)} as a "
                f"state of its own acts only where that is known; {named('simulate')} knows it"
            )


def limited(x: Any, low: float | None, high: float | None) -> Any:
    """A value between two limits, where there are any."""
    x = x if low is None else maximum(x, low)
    return x if high is None else minimum(x, high)
