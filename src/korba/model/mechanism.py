"""The whole mechanism: a frozen value that is checked once, when it is made."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar, final

import numpy as np

from ..door import shown
from ..errors import Fault, ModelError, unknown
from . import summary
from .body import Body
from .collapse import collapsed_faults
from .coupling import Coupling
from .drive import Drive
from .fields import Element, Vector3, field
from .force import Force
from .joint import Joint, coordinate_names, velocity_names
from .named_pose import NamedPose
from .named_sizes import with_named_sizes
from .points import given_elements
from .sketches import NOTE, assembled, closed_before
from .specs import Choice, Points, Text, Vector, Ways
from .validate import CLASSES, drawing_faults, mechanism_faults

T = TypeVar("T", bound=Element)

FAMILY = "_family"
"""The entry of a mechanism's `__dict__` that it shares with its other designs."""
SYMBOLIC = "_symbolic"
"""The entry of one that is only for formulas."""


@final
@dataclass(frozen=True)
class Mechanism(Element):
    """Bodies, joints, couplings, forces and drives; `ground` is the base and always there.

    A value that does not make sense is a `ModelError` that lists every fault. To change something,
    make a new value: `dataclasses.replace(m, joints=...)`.
    """

    section = "mechanism"
    in_words = "a mechanism"

    name: str = field(Text(empty=True), default="", doc="name of the mechanism")
    bodies: tuple[Body, ...] = ()
    joints: tuple[Joint, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    forces: tuple[Force, ...] = ()
    drives: tuple[Drive, ...] = ()
    plane: str | None = field(
        Choice(("xy",)), default=None, doc="'xy' for a planar mechanism; without it a spatial one"
    )
    gravity: Vector3 | None = field(
        Vector("acceleration"), default=None, doc="gravity; 9.81 m/s^2 down (-z; in the plane -y)"
    )
    points: tuple[tuple[str, Vector3], ...] = field(
        Points(), default=(), doc="named points of the ground: 'ground.D'"
    )
    assembly: Any = field(
        Ways(),
        default=None,
        doc="which way the loops are closed: sides of pins, { B = 'left' }, or a number",
    )
    description: str = field(Text(empty=True), default="", doc="what it is, in words")
    parameters: tuple[tuple[str, float | str], ...] = ()
    """Named sizes, as the file gives them, in order."""
    poses: tuple[NamedPose, ...] = ()
    """Named poses, such as `home`; their names stand for q in every verb."""
    formulas: tuple[tuple[tuple[str, ...], Any], ...] = dataclasses.field(default=(), compare=False)
    """How values were written, (section, element, field) -> text, so that saving keeps them."""
    notes: tuple[str, ...] = dataclasses.field(default=(), compare=False)
    """What a reader of another format did not carry over."""
    text: str = dataclasses.field(default="", compare=False, repr=False)
    """The TOML text that it was read from, so that saving keeps comments and layout."""
    folder: str = dataclasses.field(default="", compare=False, repr=False)
    """Where its file was read from: files of meshes are looked for there when it is drawn."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.poses, dict):
            poses = tuple(NamedPose(*pair) for pair in self.poses.items())
            object.__setattr__(self, "poses", poses)
        for key in (*CLASSES, "notes"):
            value = getattr(self, key)
            if value is None or isinstance(value, str) or not isinstance(value, Iterable):
                raise ModelError(f"mechanism: {key} is a list, got {shown(value)}")
            object.__setattr__(self, key, tuple(value))
        if self.gravity is None:
            down = (0.0, -9.81, 0.0) if self.plane else (0.0, 0.0, -9.81)
            object.__setattr__(self, "gravity", down)
        if isinstance(self.parameters, dict):
            object.__setattr__(self, "parameters", tuple(self.parameters.items()))
        with np.errstate(all="ignore"):  # sizes of 1e200 m are judged, not warned of
            faults = self._settled()
        if faults:
            raise ModelError.of_faults(f"mechanism {shown(self.name)}", faults)

    def _settled(self) -> list[Fault]:
        """Put named points into their places and close the drawing; what is wrong with it all."""
        starts = closed_before(self.joints)
        if (sized := with_named_sizes(self, CLASSES)) is not None:
            known = {**dict(self.formulas), **sized.formulas}
            for key, value in {
                **sized.fields,
                **sized.lists,
                "formulas": (*known.items(),),
            }.items():
                object.__setattr__(self, key, value)
            if sized.faults:
                return [*sized.faults]
        for key, elements in given_elements(self).items():
            object.__setattr__(self, key, elements)
        fitted = (j.in_space(bool(self.plane)) if isinstance(j, Joint) else j for j in self.joints)
        object.__setattr__(self, "joints", tuple(fitted))
        faults = list(mechanism_faults(self)) or list(collapsed_faults(self))
        if faults:
            return faults
        result = assembled(self, starts)
        own = tuple(note for note in self.notes if not str(note).startswith(NOTE))
        for key, value in (("joints", result.joints), ("bodies", result.bodies)):
            object.__setattr__(self, key, value)
        object.__setattr__(self, "notes", (*own, *result.notes))
        return [*result.faults] or list(drawing_faults(self))

    def __str__(self) -> str:
        return summary.text(self)

    def body(self, name: str) -> Body:
        """The body of that name."""
        return _named(self.bodies, name, "body")

    def joint(self, name: str) -> Joint:
        """The joint of that name."""
        return _named(self.joints, name, "joint")

    def pose(self, name: str) -> NamedPose:
        """The pose of that name."""
        return _named(self.poses, name, "pose")

    @property
    def stands_as(self) -> str:
        """In plain data of results: its name."""
        return self.name

    @property
    def sides(self) -> tuple[tuple[str, str], ...]:
        """Pins and the sides that `assembly` asks for."""
        return self.assembly if isinstance(self.assembly, tuple) else ()

    @property
    def dependent(self) -> frozenset[str]:
        """Coordinates that a coupling gives as functions of the others."""
        return frozenset(coupling.coordinate for coupling in self.couplings)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names in the order of q: of all joints, loop-closing ones too, without dependent ones.

        An elastic joint has two: `J.rotor` on the motor's side and `J.twist` of its spring.
        """
        dependent = self.dependent
        names = [name for joint in self.joints for name in coordinate_names(joint)]
        return tuple(name for name in names if name not in dependent)

    @property
    def velocities(self) -> tuple[str, ...]:
        """Names in the order of v."""
        dependent, names = self.dependent, list[str]()
        for joint in self.joints:
            own, coordinates = velocity_names(joint), coordinate_names(joint)
            paired = len(own) == len(coordinates)
            names += [
                name for i, name in enumerate(own) if not (paired and coordinates[i] in dependent)
            ]
        return tuple(names)

    @property
    def nq(self) -> int:
        """Count of coordinates."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """Count of velocities; may be less than `nq` (a quaternion has four and three)."""
        return len(self.velocities)


def unchecked(m: Mechanism, **parts: Any) -> Mechanism:
    """A copy with other parts that is not looked at: its sizes may be symbols, for formulas."""
    other = object.__new__(Mechanism)
    own = {f.name: getattr(m, f.name) for f in dataclasses.fields(m)} | parts
    other.__dict__.update(own, **{SYMBOLIC: True})
    return other


class Family(dict[Any, Any]):
    """What designs of one mechanism share; nothing of it is copied or pickled."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Family:
        return Family()

    def __reduce__(self) -> tuple[Any, ...]:
        return Family, ()


def family_of(m: Mechanism, other: Mechanism | None = None) -> Family:
    """What a mechanism shares with its designs; `other` is one of them, and joins."""
    family: Family = m.__dict__.setdefault(FAMILY, Family())
    if other is not None:
        other.__dict__[FAMILY] = family
    return family


def _named(elements: Iterable[T], name: str, kind: str) -> T:
    for element in elements:
        if getattr(element, "name", None) == name:
            return element
    known = [getattr(element, "name", "") for element in elements]
    raise ModelError(unknown(kind, name, known))
