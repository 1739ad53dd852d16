"""What every joint has: two bodies, a place, coordinates, limits, friction, a rotor, elasticity.

A joint type is one final class in its own file under `joints/`. It says, as plain NumPy formulas
for numbers and symbols alike, where frame M (on the child) stands in frame F (on the parent):

    pose(q)             X_FM
    motion_subspace(q)  S with V_FM = S v      (6 x nv, angular first, in M about Mo)
    bias(q, v)          Sdot v
    qdot(q, v)          rate of q

No other module ever asks which joint it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import Fault
from ..spatial.pose import Pose, identity
from ..spatial.rotation import Array
from .fields import Element, Vector3, field, unit_faults
from .frame import Frame
from .given import as_drawn
from .joint_parts import Elastic, Friction, Rotor
from .profiles import Profiles
from .specs import Coordinates, Direction, Number, Part, Text, Vector

if TYPE_CHECKING:
    from .rubbing import Law

QUATERNION = ("w", "x", "y", "z")


@dataclass(frozen=True)
class Joint(Element):
    """A kinematic pair between two bodies; the ones that close loops are like all others."""

    section = "joint"

    type: ClassVar[str] = ""
    symbol: ClassVar[str] = ""
    shifts_then_turns: ClassVar[bool] = False
    """Whether it first shifts along axes of F, then turns about one of M."""
    lower_pair: ClassVar[bool] = True
    planar: ClassVar[bool] = False
    """Whether it may stand in a planar mechanism."""
    spatial: ClassVar[bool] = True
    """Whether it may stand in a spatial mechanism."""
    coordinate_names: ClassVar[tuple[str, ...]] = ()
    coordinate_kinds: ClassVar[tuple[str, ...]] = ()
    velocity_names: ClassVar[tuple[str, ...]] = ()
    rest: ClassVar[tuple[float, ...]] = ()
    """Coordinates in the drawing position unless `drawn` says otherwise: zeros, and no turn."""
    axis_in_plane: ClassVar[bool] = False
    """In a planar mechanism: whether the axis lies in the plane, or is its normal."""
    needs_place: ClassVar[bool] = True
    axial: ClassVar[bool] = False
    """Whether it moves about and along its axis z only: then pose(p + q) = pose(p) @ pose(q)."""
    turns: ClassVar[bool | None] = None
    """Whether all its coordinates are angles, or all lengths; None where it has both."""
    picture: ClassVar[str] = ""
    """The mark that stands for it in a drawing, if it has one in its place: "pin", "ball", ..."""
    rubs: ClassVar[Law | None] = None
    """The law of its friction (rubbing.py), if anything can rub in it."""
    slotted: ClassVar[bool] = False
    """Whether a pin of the child runs along a slot of the parent, in a plane."""
    ball_on_child: ClassVar[bool] = False
    """Whether a ball of the child touches what its picture shows on the parent."""
    centred: ClassVar[bool] = False
    """Whether both bodies turn about one point of theirs, so that its force goes through it."""
    periodic: ClassVar[tuple[str, ...]] = ()
    """Angles that may go round: a whole turn more gives the same pose."""
    profile_coordinates: ClassVar[tuple[str, ...]] = ()
    """Coordinates that tell where on a profile it touches (Gronowicz 2.85)."""
    where_it_pulls: ClassVar[str] = "contact of joint {joint} lifts off"
    """What happens where one that pushes only (`one_way`) would have to pull."""
    one_sided: ClassVar[tuple[str, ...]] = ()
    """Coordinates that never pass through 0: on the other side it would be another joint."""
    proposed: ClassVar[bool] = True
    """Whether it is proposed for a pair of more freedoms: no wheel, nothing that rolls."""
    between_points: ClassVar[bool] = False
    """Whether it lies between a point of the parent and one of the child, apart from each other."""
    wheels: ClassVar[tuple[str, ...]] = ()
    """Sides ("parent", "child") with a wheel: the z axis of the joint's frame there is its axis."""
    shaped: ClassVar[bool] = False
    """Whether its outlines are what its bodies look like, and no pitch circles."""
    algebraic: ClassVar[bool] = False
    """Whether its pose in the plane is one turn and a shift by its lengths along its own axes."""
    velocity_kinds: ClassVar[tuple[str, ...]] = ()
    """Those of the coordinates, unless the joint says otherwise."""
    places: ClassVar[tuple[tuple[str, str], ...]] = (
        ("parent", "on_parent"),
        ("child", "on_child"),
    )
    """Fields that name a body or a point of one, and the fields of the place on it."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "velocity_kinds" not in vars(cls):
            cls.velocity_kinds = cls.coordinate_kinds
        numbers = cls.coordinate_kinds.count("number")
        plain = len(cls.coordinate_kinds) - numbers
        cls.rest = (*(0.0,) * plain, *(1.0, 0.0, 0.0, 0.0) * (numbers // 4))
        kinds = {kind == "length" for kind in cls.coordinate_kinds}
        cls.turns = None if len(kinds) != 1 else kinds == {False}

    name: str = field(Text(), doc="name of the joint")
    parent: str = field(
        Text(), doc="body on one side ('ground' is the base), or a point of it: 'crank.B'"
    )
    child: str = field(
        Text(), doc="body, or point of one, on the other side; the coordinate is its motion"
    )
    at: Vector3 | None = field(
        Vector("length"),
        default=None,
        doc="a point of the joint in the drawing position (world); a sketch if it joins points",
    )
    axis: Vector3 | None = field(
        Direction(),
        default=None,
        doc="direction of the joint's axis: in its frames, or in the world if only `at` places it; "
        "of a joint by points also from point to point of the parent, 'D to E'",
    )
    x_axis: Vector3 | None = field(
        Vector(), default=None, doc="direction from which angles count, and second axis"
    )
    on_parent: Frame | None = field(
        Part(Frame), default=None, doc="frame of the joint on the parent, instead of `at`"
    )
    on_child: Frame | None = field(
        Part(Frame), default=None, doc="frame of the joint on the child, instead of `at`"
    )
    drawn: tuple[float, ...] | None = field(
        Coordinates(),
        default=None,
        doc="coordinates of the joint in the drawing position; kept where the drawing closes",
    )
    lower: tuple[float, ...] | None = field(
        Coordinates(), default=None, doc="least value of each coordinate"
    )
    upper: tuple[float, ...] | None = field(
        Coordinates(), default=None, doc="greatest value of each coordinate"
    )
    restitution: float = field(
        Number("number", minimum=0),
        default=0.0,
        doc="of impacts at the limits in a simulation with stops: 0 none, 1 elastic",
    )
    max_velocity: float | None = field(
        Number(("angular velocity", "velocity"), minimum=0), default=None, doc="speed limit"
    )
    max_effort: float | None = field(
        Number(("moment", "force"), minimum=0), default=None, doc="force or moment limit"
    )
    bearing_stiffness: float | None = field(
        Number("stiffness", positive=True),
        default=None,
        doc="of its bearing against shifts: shares forces that passive constraints leave open",
    )
    bearing_turning_stiffness: float | None = field(
        Number("angular stiffness", positive=True),
        default=None,
        doc="of its bearing against turns across its freedoms",
    )
    damping: float = field(
        Number(("angular damping", "damping"), minimum=0), default=0.0, doc="viscous damping"
    )
    armature: float = field(
        Number(("inertia", "mass"), minimum=0),
        default=0.0,
        doc="inertia of the drive felt at the joint: adds exactly armature * a to its equation",
    )
    friction: Friction | None = field(Part(Friction), default=None, doc="dry friction")
    rotor: Rotor | None = field(Part(Rotor), default=None, doc="rotor of the joint's motor")
    elastic: Elastic | None = field(
        Part(Elastic), default=None, doc="elasticity between the motor and the child"
    )

    @classmethod
    def kind_in(cls, planar: bool) -> Callable[..., Joint]:
        """Its kind in a plane, or in space, where these have other coordinates: a rod."""
        return cls

    def in_space(self, planar: bool) -> Joint:
        """The joint in a plane, or in space."""
        kind = self.kind_in(planar)
        if type(self) is kind:
            return self
        made = kind(**{each.name: getattr(self, each.name) for each in fields(self)})
        object.__setattr__(made, "units", self.units)
        return made

    @property
    def on_floor(self) -> bool:
        """Whether it is drawn on a floor, as wheels and balls on a plane are."""
        return self.picture == "plane"

    @property
    def sized(self) -> Joint:
        """The joint with sizes of its own in the place of those that its drawing gives."""
        return self

    @property
    def drawn_ends(self) -> tuple[Any, Any]:
        """Where it is on its parent and on its child in the drawing, in the world."""
        return self.at, self.at

    @property
    def drawn_axes(self) -> tuple[Any, Any]:
        """Directions of z and x of its frames in the drawing."""
        return self.axis, self.x_axis

    @property
    def described(self) -> Joint:
        """The joint as the user describes it: itself."""
        return self

    @property
    def nq(self) -> int:
        """Count of coordinates."""
        return len(self.coordinate_names)

    @property
    def nv(self) -> int:
        """Count of freedoms: the class of the pair in the book's numbering."""
        return len(self.velocity_names)

    @property
    def ball_radius(self) -> float:
        """Of the ball that a joint of a ball and a plane has on its child; of others none."""
        return 0.0

    @property
    def choices(self) -> tuple[Any, ...]:
        """What its numbers decide about its formulas: it stays when they become symbols."""
        return ()

    @property
    def turns_only(self) -> bool:
        """Whether it turns about its axis and does nothing else: a pin."""
        return self.centred and self.nv == 1

    @property
    def shifts_only(self) -> bool:
        """Whether it shifts along its axis and does nothing else: a slide."""
        return self.axial and self.nv == 1 and self.turns is False

    @property
    def turns_all_ways(self) -> bool:
        """Whether it turns about a point in every way: a ball in its socket."""
        return self.centred and self.nv == 3

    @property
    def pivots(self) -> bool:
        """Whether it is a pivot: a pin or a ball."""
        return self.turns_only or self.turns_all_ways

    @property
    def contact_distance(self) -> Any:
        """Distance of its two contacts along its axis; None where it has none or none is known."""
        return None

    @property
    def quaternions(self) -> tuple[range, ...]:
        """Places of unit quaternions among its coordinates, the last ones; one, two or none."""
        count = self.coordinate_kinds.count("number")
        return tuple(range(k, k + 4) for k in range(self.nq - count, self.nq, 4))

    @property
    def rates_are_velocities(self) -> bool:
        """Whether every coordinate is its own velocity: no quaternion, and nothing rolls."""
        return self.nq == self.nv

    @property
    def own_rates(self) -> dict[str, str]:
        """The velocity of every coordinate that is its own velocity, by names in the mechanism."""
        pairs = zip(self.coordinates(), self.velocities(), strict=True)
        return dict(pairs) if self.rates_are_velocities else {}

    @property
    def slipping(self) -> Joint:
        """The pair of the same coordinates whose positions are its own, if it rolls; else itself.

        A pair that rolls has fewer velocities than that one: they are bound, and positions not.
        """
        return self

    @property
    def rolls(self) -> bool:
        """Whether its velocities are bound further than its positions."""
        return type(self).slipping is not Joint.slipping

    @property
    def limits(self) -> tuple[Array, Array]:
        """Least and greatest value of every coordinate; a quaternion has none."""
        lower, upper = np.full((2, self.nq), [[-np.inf], [np.inf]])
        if self.rates_are_velocities:
            lower = lower if self.lower is None else np.array(self.lower)
            upper = upper if self.upper is None else np.array(self.upper)
        return lower, upper

    @property
    def placed_by_frames(self) -> bool:
        """Whether frames on the two bodies say where it is, not the drawing."""
        return self.on_parent is not None or self.on_child is not None

    @property
    def joins_points(self) -> bool:
        """Whether it names a point of a body; where it is in the world is then a sketch."""
        return any(key in ("parent", "child") for key, _, _ in self.written)

    def drawn_at(self, q: Array) -> Joint:
        """The joint where it is drawn; the points that it joins are still known by their names."""
        if not self.written:
            return self
        keep = [key for pair in self.places for key in pair] if self.joins_points else []
        return as_drawn(self, *keep, drawn=tuple(map(float, q)))

    @staticmethod
    def at_point(p: Vector3, frame: Frame | None) -> Frame:
        """The frame at a named point of a body."""
        return Frame(p) if frame is None else Frame(p, frame.rotation)

    @property
    def drawn_coordinates(self) -> Array:
        """Coordinates in the drawing position; quaternions are made unit."""
        values = np.array(self.rest if self.drawn is None else self.drawn)
        return self.normalised(values if values.dtype == object else values.astype(float))

    def normalised(self, q: Any) -> Array:
        """Coordinates with quaternions made unit, shape (..., nq); numbers or symbols."""
        q = np.array(q)
        for places in self.quaternions:
            part = q[..., places]
            q[..., places] = part / np.sqrt(np.sum(part * part, axis=-1, keepdims=True))
        return q

    def joins(self, body: str) -> bool:
        """Whether the body is one of its two."""
        return body in (self.parent, self.child)

    def other(self, body: str) -> str:
        """The body on the other side."""
        return self.parent if body == self.child else self.child

    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates in the mechanism; one alone has the joint's name."""
        return self._named(self.coordinate_names)

    def velocities(self) -> tuple[str, ...]:
        """Names of the velocities in the mechanism."""
        return self._named(self.velocity_names)

    @property
    def round_coordinates(self) -> tuple[str, ...]:
        """Names, in the mechanism, of the angles that may go round."""
        pairs = zip(self.coordinate_names, self.coordinates(), strict=True)
        return tuple(name for own, name in pairs if own in self.periodic)

    def _named(self, own: Sequence[str]) -> tuple[str, ...]:
        return (self.name,) if len(own) == 1 else tuple(f"{self.name}.{part}" for part in own)

    def parent_anchor(self) -> Pose:
        """Where F stands in the frame given by `at` and the axes."""
        return identity()

    def pose(self, q: Any) -> Pose:
        """X_FM at the coordinates `q`."""
        raise NotImplementedError(f"{type(self).__name__}.pose")

    def motion_subspace(self, q: Any) -> Array:
        """S with V_FM = S v, 6 x nv, in M about Mo."""
        raise NotImplementedError(f"{type(self).__name__}.motion_subspace")

    def bias(self, q: Any, v: Any) -> Array:
        """Sdot v: zero where the subspace is constant in M."""
        return np.zeros(6)

    def qdot(self, q: Any, v: Any) -> Array:
        """Rate of the coordinates."""
        return np.asarray(v)

    def coordinates_near(self, X_FM: Pose, q: Array) -> Array:
        """Coordinates from which a pose of M in F is looked for; a pair finds it from any."""
        return q

    def parting(self, q: Array) -> Array | None:
        """Metres between bodies that should touch, at `q` of shape (..., nq); None if they do."""
        return None

    def profiles(self, q: Any, scale: float) -> Profiles | None:
        """Both profiles of a higher pair of the plane, to second order; None if not known.

        A curvature far below 1 / scale counts as none.
        """
        return None

    def outlines(self) -> tuple[tuple[str, Array], ...]:
        """Curves, (n, 3), that its bodies show: of the "parent" in F, of the "child" in M."""
        return ()

    def friction_vectors(self, q: Any) -> tuple[Array, ...]:
        """What friction needs to know besides the motion, in M; which vectors is said by the law.

        CONTACT, ROLLING: the place of contact, and the normal from the parent to the child;
        TEETH: the spin of the child's wheel about its axis in a unit of rolling;
        BALL_ON_LINE: the direction of the line;  BALL_ON_PLANE, PLANE: the normal.
        """
        return ()

    @property
    def one_way(self) -> bool:
        """Whether it can push and not pull: whether `pushes` has a direction."""
        return type(self).pushes is not Joint.pushes

    def pulls(self, q: Any) -> Array | None:
        """Direction, in M, in which it pulls the child where it carries one force along itself."""
        return None

    def pushes(self, q: Any) -> Array | None:
        """Direction, in M, in which the parent can push the child and not pull; None: both."""
        return None

    def faults(self) -> Iterator[Fault]:
        """Axes without direction, limits that exclude each other, a quaternion of length 0."""
        yield from super().faults()
        if isinstance(self.restitution, float) and self.restitution > 1:
            yield self.fault("is at most 1", "restitution")
        for key in ("axis", "x_axis"):
            value = getattr(self, key)
            if isinstance(value, tuple) and (size := _without_direction(value, 1e-12)):
                way_out = "give a direction such as [0, 0, 1]"
                yield self.fault(f"has {size}; {way_out} (found {list(value)})", key)
        counted = {}
        for key in ("drawn", "lower", "upper"):
            values = getattr(self, key)
            if isinstance(values, tuple) and len(values) != self.nq:
                yield self.fault(f"expected {self.nq} values, got {len(values)}", key)
            elif isinstance(values, tuple):
                counted[key] = values
        if np.any(np.array(counted.get("lower", -np.inf)) > counted.get("upper", np.inf)):
            lower, upper = list(counted["lower"]), list(counted["upper"])
            yield self.fault(f"{lower} lies above upper {upper}", "lower")
        drawn = counted.get("drawn", self.rest)
        for places in self.quaternions:
            if size := _without_direction([drawn[i] for i in places]):
                yield self.fault(f"the quaternion has {size}; [1, 0, 0, 0] turns nothing", "drawn")
        for key in ("armature", "rotor", "elastic"):
            if self.nv != 1 and getattr(self, key):
                yield self.fault(f"is for joints with one freedom, not {self.type}", key)
        for key in ("friction", "elastic"):
            part = getattr(self, key)
            if isinstance(part, Element) and self.turns is not None:
                for fault in unit_faults(part, self.name, self.turns):
                    yield self.fault(fault.message, key, *fault.where[2:])
        if self.elastic is not None and self.rotor is None:
            message = "needs the rotor on its other side: give rotor as well (its inertia, mass)"
            yield self.fault(message, "elastic")


def _without_direction(vector: Sequence[float], least: float = 0.0) -> str | None:
    """What is wrong with the length of a vector, or nothing."""
    length = float(np.linalg.norm(vector))
    if least < length < np.inf:
        return None
    return "length 0" if length <= least else "no finite length"


def coordinate_names(joint: Joint) -> tuple[str, ...]:
    """Names of a joint's coordinates, counting what an elastic joint inserts."""
    if joint.elastic is not None:
        return (f"{joint.name}.rotor", f"{joint.name}.twist")
    return joint.coordinates()


def velocity_names(joint: Joint) -> tuple[str, ...]:
    """Names of a joint's velocities, counting what an elastic joint inserts."""
    return joint.velocities() if joint.elastic is None else coordinate_names(joint)
