"""The parts of a URDF file, one by one: numbers, frames, inertias, shapes, joints.

Nothing raises here. What is wrong goes to `Findings.faults` with its line, what Korba does not
carry over goes to `Findings.notes`, and reading goes on, so that one error can list all faults.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..errors import Fault
from ..model.body import NO_INERTIA, Body, Shape
from ..model.fields import Matrix3, Vector3
from ..model.frame import IDENTITY, Frame, as_tuples
from ..spatial.inertia import physical_fault
from ..spatial.rotation import rotation_of_rpy
from .xml_tree import XmlElement

LARGEST = 1e50
"""Sizes and masses beyond this are slips of the pen; their squares must stay finite."""
UNLIMITED = 1e30
"""Limits from here on are none. URDF demands limits, so the writer needs a word for "without"."""

DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)

XACRO = {"${": "which readers of URDF take for xacro"}
"""What xacro fills in begins so; in a name it is refused, with this reason."""
SHOWN = 4
"""Names that a note lists before it stops."""

COLLISION = "collision geometry is not carried over"
TEXTURE = "textures are not carried over"
UNKNOWN_TAG = "elements that are not read"
UNKNOWN_ATTRIBUTE = "attributes that the format does not have are not read"
NO_MATERIAL = "shapes name a material that is nowhere given a colour"
NOT_PHYSICAL = "mass or inertia that no real body can have is kept as given"

LEFT_OUT = {
    "collision": COLLISION,
    "texture": TEXTURE,
    "verbose": COLLISION,
    "collision_checking": COLLISION,
    "gazebo": "extensions for Gazebo are not carried over",
    "transmission": "transmissions are not carried over",
    "ros2_control": "extensions for ros2_control are not carried over",
    "sensor": "sensors are not carried over",
    "safety_controller": "safety controllers are not carried over",
    "calibration": "calibration of joints is not carried over",
    "contact": "contact parameters are not carried over",
    "surface": "contact parameters are not carried over",
}
CHILDREN = {
    "robot": ("link", "joint", "material"),
    "link": ("inertial", "visual"),
    "inertial": ("origin", "mass", "inertia"),
    "visual": ("origin", "geometry", "material"),
    "geometry": ("box", "cylinder", "sphere", "capsule", "mesh"),
    "material": ("color",),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
}
ATTRIBUTES = {
    "limit": ("lower", "upper", "effort", "velocity"),
    "dynamics": ("damping", "friction"),
    "mimic": ("joint", "multiplier", "offset"),
    "mass": ("value",),
    "axis": ("xyz",),
    "origin": ("xyz", "rpy"),
}


class Vocabulary(NamedTuple):
    """What a format has: elements that are read, attributes, and elements that are left out."""

    children: Mapping[str, tuple[str, ...]]
    attributes: Mapping[str, tuple[str, ...]]
    left_out: Mapping[str, str]
    owners: tuple[str, ...]
    """Elements whose children have names that notes tell."""


URDF = Vocabulary(CHILDREN, ATTRIBUTES, LEFT_OUT, ("robot",))
Where = tuple[str, ...]
Colors = dict[str, tuple[float, ...]]


@dataclass
class Findings:
    """What a reader meets on its way: faults, and notes with the elements they are about."""

    faults: list[Fault] = field(default_factory=list)
    doubts: list[tuple[Fault, str]] = field(default_factory=list)
    """Faults of elements that carry nothing: with other faults they count, alone they are notes.

    Each with its note; the mechanism can be read without the element.
    """
    notes: dict[str, list[str]] = field(default_factory=dict)

    def note(self, sentence: str, name: str) -> None:
        """Something is not carried over, or is worth knowing."""
        self.notes.setdefault(sentence, []).append(name)

    def sentences(self) -> tuple[str, ...]:
        """The notes in words: `transmissions are not carried over (7: t1, t2, t3, t4, ...)`."""
        found = []
        for sentence, names in self.notes.items():
            known = [name for name in dict.fromkeys(names) if name]
            shown = ", ".join([*known[:SHOWN], *(["..."] if len(known) > SHOWN else [])])
            found.append(f"{sentence} ({len(names)}{': ' if shown else ''}{shown})")
        return tuple(found)


@dataclass(frozen=True)
class Part:
    """An element of the file, the link or joint that it belongs to, and where findings go."""

    element: XmlElement
    where: Where
    found: Findings

    def text(self, key: str) -> str:
        """An attribute; nothing where it is missing."""
        return self.element.attributes.get(key, "")

    def all(self, *tags: str) -> Iterator[Part]:
        """The children with one of those tags."""
        return (Part(child, self.where, self.found) for child in self.element.all(*tags))

    def first(self, tag: str) -> Part | None:
        """The first child with that tag, or None."""
        return next(self.all(tag), None)

    def fault(self, message: str, *keys: str) -> None:
        """Something is wrong with the element."""
        self.found.faults.append(Fault((*self.where, *keys), message, self.element.line))

    def numbers(
        self,
        key: str,
        count: int = 1,
        default: tuple[float, ...] | None = None,
        largest: float = LARGEST,
    ) -> tuple[float, ...]:
        """The `count` numbers of an attribute; zeros where there is a fault."""
        raw, place = self.element.attributes.get(key), f"{self.element.tag} {key}"
        return self._read(raw, place, count, default, largest)

    def inner(
        self,
        count: int = 1,
        default: tuple[float, ...] | None = None,
        largest: float = LARGEST,
    ) -> tuple[float, ...]:
        """The `count` numbers between the tags; zeros where there is a fault."""
        return self._read(self.element.text, self.element.tag, count, default, largest)

    def _read(
        self,
        raw: str | None,
        place: str,
        count: int,
        default: tuple[float, ...] | None,
        largest: float,
    ) -> tuple[float, ...]:
        wanted = f"{count} number{'s' * (count > 1)}"
        if raw is None or (not raw.strip() and default is not None):
            if default is None:
                self.fault(f"is missing; give {wanted}", place)
            return default or (0.0,) * count
        words = raw.split()
        if len(words) != count:
            self.fault(f"expected {wanted}, got {len(words)} in {raw[:60]!r}", place)
            return default or (0.0,) * count
        values = [_number(word, largest) for word in words]
        for problem in (value for value in values if isinstance(value, str)):
            self.fault(problem, place)
        return tuple(value if isinstance(value, float) else 0.0 for value in values)

    def number(self, key: str, default: float | None = None) -> float:
        """One number."""
        return self.numbers(key, default=None if default is None else (default,))[0]

    def vector(self, key: str, default: Vector3 | None = None) -> Vector3:
        """Three numbers."""
        x, y, z = self.numbers(key, 3, default)
        return (x, y, z)

    def frame(self) -> Frame:
        """The frame of the child `<origin>`, which is the identity where it is missing."""
        origin = self.first("origin")
        if origin is None:
            return Frame()
        xyz, rpy = (origin.vector(key, (0.0, 0.0, 0.0)) for key in ("xyz", "rpy"))
        return Frame(xyz, as_tuples(rotation_of_rpy(*rpy)) if any(rpy) else IDENTITY)


def note_extras(element: XmlElement, owner: str, found: Findings, words: Vocabulary = URDF) -> None:
    """Note children and attributes that are not read; children that are read are looked into."""
    queue = deque([(element, owner)])
    while queue:
        parent, owner = queue.popleft()
        known = words.attributes.get(parent.tag, tuple(parent.attributes))
        for key in sorted(set(parent.attributes) - set(known)):
            found.note(UNKNOWN_ATTRIBUTE, f"{parent.tag} {key}")
        for child in parent.children:
            name = child.attributes.get("name", "") if parent.tag in words.owners else owner
            if not child.prefix and child.tag in words.children.get(parent.tag, ()):
                queue.append((child, name))
            elif not child.prefix and child.tag in words.left_out:
                found.note(words.left_out[child.tag], name or child.attributes.get("reference", ""))
            else:
                found.note(UNKNOWN_TAG, f"{child.prefix}{':' * bool(child.prefix)}{child.tag}")


def _number(word: str, largest: float) -> float | str:
    """The number of a decimal text, or what is wrong with it."""
    if not DECIMAL.fullmatch(word[:400]) or len(word) > 400:
        hint = "; write decimals with a point" if "," in word else ""
        unfilled = any(text in word for text in XACRO)
        hint = "; expand the file by the program xacro first" if unfilled else hint
        return f"expected a number such as 0.5 or -1e-3, got {word[:60]!r}{hint}"
    value = float(word)
    if not math.isfinite(value) or abs(value) > largest:
        return f"{word[:60]!r} is too large; the largest number here is {largest:.3g}"
    return value


def read_body(link: Part, colors: Colors) -> Body:
    """The body of a `<link>`."""
    name = link.where[1]
    mass, com, inertia = _inertial(link)
    shapes = [read_shape(visual, colors) for visual in link.all("visual")]
    impossible = physical_fault(mass, inertia) is not None
    if mass < 0:
        link.fault(f"is negative (found {mass:g} kg)", "mass")
    elif impossible:
        link.found.note(NOT_PHYSICAL, name)
    solid = tuple(shape for shape in shapes if shape)
    return Body(name, mass, com, inertia, shapes=solid, as_given=impossible)


def _inertial(link: Part) -> tuple[float, Vector3, Matrix3]:
    """Mass, centre of mass and tensor about it in the axes of the link."""
    inertial = link.first("inertial")
    if inertial is None:
        return 0.0, (0.0, 0.0, 0.0), NO_INERTIA
    frame = inertial.frame()
    mass, inertia = inertial.first("mass"), inertial.first("inertia")
    for tag, child in (("mass", mass), ("inertia", inertia)):
        if child is None:
            inertial.fault(f"<{tag}> is missing; give it", "inertial")
    if mass is None or inertia is None:
        return 0.0, frame.origin, NO_INERTIA
    kilograms = mass.number("value")
    keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    xx, yy, zz, xy, xz, yz = (inertia.number(key) for key in keys)
    tensor: Matrix3 = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    if frame.rotation != IDENTITY:
        turned = np.array(frame.rotation) @ np.array(tensor) @ np.array(frame.rotation).T
        tensor = as_tuples(0.5 * (turned + turned.T))
    return kilograms, frame.origin, tensor


def read_shape(visual: Part, colors: Colors) -> Shape | None:
    """The shape of a `<visual>`."""
    geometry, frame = visual.first("geometry"), visual.frame()
    solid = next(geometry.all(*SIZES), None) if geometry else None
    if solid is None:
        visual.fault(f"has no geometry; give one of {', '.join(SIZES)}", "visual")
        return None
    kind = solid.element.tag
    size = [x for key, count in SIZES[kind] for x in solid.numbers(key, count)]
    file, scale = "", (1.0, 1.0, 1.0)
    if kind == "mesh":
        file = "".join(c for c in solid.text("filename") if ord(c) >= 32)
        scale = solid.vector("scale", scale)
        if not file:
            solid.fault("is missing; name the file", "mesh filename")
    return Shape(kind, tuple(size), frame, file, scale, _color(visual, colors))


SIZES: dict[str, tuple[tuple[str, int], ...]] = {
    "box": (("size", 3),),
    "cylinder": (("radius", 1), ("length", 1)),
    "sphere": (("radius", 1),),
    "capsule": (("radius", 1), ("length", 1)),
    "mesh": (),
}


def _color(visual: Part, colors: Colors) -> tuple[float, ...]:
    material = visual.first("material")
    if material is None:
        return ()
    own, name = material.first("color"), material.text("name")
    if own is not None:
        return own.numbers("rgba", 4)
    if name not in colors:
        visual.found.note(NO_MATERIAL, name)
    return colors.get(name, ())


def material_colors(materials: Iterable[XmlElement], found: Findings) -> Colors:
    """Colours by the name of their material; the first that gives one counts."""
    colors: Colors = {}
    for material in materials:
        name, color = material.attributes.get("name", ""), material.first("color")
        if name and color is not None and name not in colors:
            colors[name] = Part(color, ("material", name), found).numbers("rgba", 4)
    return colors
