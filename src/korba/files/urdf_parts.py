"""The parts of a URDF file, one by one: numbers, frames, inertias, shapes, joints.

Nothing raises here. What is wrong goes to `Findings.faults` with its line, what Korba does not
carry over goes to `Findings.notes`, and reading goes on, so that one error can list all faults.
"""

from __future__ import annotations

import difflib
import math
import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

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

SHOWN = 4
"""Names that a note lists before it stops."""

COLLISION = "collision geometry is not carried over"
TEXTURE = "textures are not carried over"
UNKNOWN_TAG = "elements that are not read"
UNKNOWN_ATTRIBUTE = "attributes that URDF does not have are not read"
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

Where = tuple[str, ...]


@dataclass
class Findings:
    """What a reader meets on its way: faults, and notes with the elements they are about."""

    faults: list[Fault] = field(default_factory=list)
    doubts: list[tuple[Fault, str]] = field(default_factory=list)
    """Faults of elements that carry nothing: with other faults they count, alone they are notes."""
    notes: dict[str, list[str]] = field(default_factory=dict)

    def fault(self, where: Where, message: str, line: int) -> None:
        """Something is wrong."""
        self.faults.append(Fault(where, message, line))

    def doubt(self, where: Where, message: str, line: int, note: str) -> None:
        """Something is wrong, but the mechanism can be read without it."""
        self.doubts.append((Fault(where, message, line), note))

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


def nearest(sentence: str, name: str, known: Iterable[str]) -> str:
    """The sentence about an unknown name, with the nearest known one or some that there are."""
    names = list(known)[:500]
    near = difflib.get_close_matches(name[:100], names, n=1, cutoff=0.5)
    few = ", ".join([*names[:6], *(["..."] if len(names) > 6 else [])])
    hint = f"did you mean {near[0]!r}?" if near else f"there are {few or 'none'}"
    return f"{sentence}; {hint}"


def note_extras(element: XmlElement, owner: str, found: Findings) -> None:
    """Note children and attributes that are not read; children that are read are looked into."""
    queue = deque([(element, owner)])
    while queue:
        parent, owner = queue.popleft()
        known = ATTRIBUTES.get(parent.tag, tuple(parent.attributes))
        for key in sorted(set(parent.attributes) - set(known)):
            found.note(UNKNOWN_ATTRIBUTE, f"{parent.tag} {key}")
        for child in parent.children:
            name = child.attributes.get("name", "") if parent.tag == "robot" else owner
            if not child.prefix and child.tag in CHILDREN.get(parent.tag, ()):
                queue.append((child, name))
            elif not child.prefix and child.tag in LEFT_OUT:
                found.note(LEFT_OUT[child.tag], name or child.attributes.get("reference", ""))
            else:
                found.note(UNKNOWN_TAG, f"{child.prefix}{':' * bool(child.prefix)}{child.tag}")


def numbers(
    element: XmlElement,
    key: str,
    where: Where,
    found: Findings,
    count: int = 1,
    *,
    default: tuple[float, ...] | None = None,
    largest: float = LARGEST,
) -> tuple[float, ...]:
    """The `count` numbers of an attribute; zeros where there is a fault."""
    raw = element.attributes.get(key)
    place = (*where, f"{element.tag} {key}")
    if raw is None or (not raw.strip() and default is not None):
        if default is None:
            found.fault(place, f"is missing; give {count} number{'s' * (count > 1)}", element.line)
        return default or (0.0,) * count
    words = raw.split()
    if len(words) != count:
        message = f"expected {count} number{'s' * (count > 1)}, got {len(words)} in {raw[:60]!r}"
        found.fault(place, message, element.line)
        return default or (0.0,) * count
    values = [_number(word, largest) for word in words]
    for problem in (value for value in values if isinstance(value, str)):
        found.fault(place, problem, element.line)
    return tuple(value if isinstance(value, float) else 0.0 for value in values)


def _number(word: str, largest: float) -> float | str:
    """The number of a decimal text, or what is wrong with it."""
    if not DECIMAL.fullmatch(word[:400]) or len(word) > 400:
        hint = "; write decimals with a point" if "," in word else ""
        hint = "; expand the file by the program xacro first" if "${" in word else hint
        return f"expected a number such as 0.5 or -1e-3, got {word[:60]!r}{hint}"
    value = float(word)
    if not math.isfinite(value) or abs(value) > largest:
        return f"{word[:60]!r} is too large; the largest number here is {largest:.3g}"
    return value


def vector(
    element: XmlElement, key: str, where: Where, found: Findings, default: Vector3 | None
) -> Vector3:
    """Three numbers."""
    x, y, z = numbers(element, key, where, found, 3, default=default)
    return (x, y, z)


def origin_frame(parent: XmlElement, where: Where, found: Findings) -> Frame:
    """The frame of the child `<origin>`, which is the identity where it is missing."""
    element = parent.first("origin")
    if element is None:
        return Frame()
    xyz = vector(element, "xyz", where, found, (0.0, 0.0, 0.0))
    rpy = vector(element, "rpy", where, found, (0.0, 0.0, 0.0))
    return Frame(xyz, as_tuples(rotation_of_rpy(*rpy)) if any(rpy) else IDENTITY)


def read_body(
    link: XmlElement, name: str, colors: dict[str, tuple[float, ...]], found: Findings
) -> Body:
    """The body of a `<link>`."""
    where = ("link", name)
    mass, com, inertia = _inertial(link, where, found)
    shapes = [read_shape(visual, where, colors, found) for visual in link.all("visual")]
    impossible = physical_fault(mass, inertia) is not None
    if mass < 0:
        found.fault((*where, "mass"), f"is negative (found {mass:g} kg)", link.line)
    elif impossible:
        found.note(NOT_PHYSICAL, name)
    return Body(
        name,
        mass,
        com,
        inertia,
        shapes=tuple(shape for shape in shapes if shape),
        as_given=impossible,
    )


def _inertial(link: XmlElement, where: Where, found: Findings) -> tuple[float, Vector3, Matrix3]:
    """Mass, centre of mass and tensor about it in the axes of the link."""
    element = link.first("inertial")
    if element is None:
        return 0.0, (0.0, 0.0, 0.0), NO_INERTIA
    frame = origin_frame(element, where, found)
    mass, inertia = element.first("mass"), element.first("inertia")
    for tag, child in (("mass", mass), ("inertia", inertia)):
        if child is None:
            found.fault((*where, "inertial"), f"<{tag}> is missing; give it", element.line)
    if mass is None or inertia is None:
        return 0.0, frame.origin, NO_INERTIA
    (kilograms,) = numbers(mass, "value", where, found)
    keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    xx, yy, zz, xy, xz, yz = (numbers(inertia, key, where, found)[0] for key in keys)
    tensor: Matrix3 = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    return kilograms, frame.origin, turned_tensor(tensor, frame.rotation)


def turned_tensor(tensor: Matrix3, R: Matrix3) -> Matrix3:
    """R I R', symmetric to the last bit; the tensor itself where nothing turns."""
    if R == IDENTITY:
        return tensor
    turned = np.array(R) @ np.array(tensor) @ np.array(R).T
    return as_tuples(0.5 * (turned + turned.T))


def read_shape(
    visual: XmlElement, where: Where, colors: dict[str, tuple[float, ...]], found: Findings
) -> Shape | None:
    """The shape of a `<visual>`."""
    geometry = visual.first("geometry")
    solids = [] if geometry is None else [e for e in geometry.children if e.tag in _SIZES]
    frame = origin_frame(visual, where, found)
    if not solids:
        message = f"has no geometry; give one of {', '.join(_SIZES)}"
        found.fault((*where, "visual"), message, visual.line)
        return None
    solid = solids[0]
    size = [
        value
        for key, count in _SIZES[solid.tag]
        for value in numbers(solid, key, where, found, count)
    ]
    file, scale = "", (1.0, 1.0, 1.0)
    if solid.tag == "mesh":
        file = "".join(c for c in solid.attributes.get("filename", "") if ord(c) >= 32)
        scale = vector(solid, "scale", where, found, scale)
        if not file:
            found.fault((*where, "mesh filename"), "is missing; name the file", solid.line)
    color = _color(visual.first("material"), where, colors, found)
    return Shape(solid.tag, tuple(size), frame, file, scale, color)


_SIZES: dict[str, tuple[tuple[str, int], ...]] = {
    "box": (("size", 3),),
    "cylinder": (("radius", 1), ("length", 1)),
    "sphere": (("radius", 1),),
    "capsule": (("radius", 1), ("length", 1)),
    "mesh": (),
}


def _color(
    material: XmlElement | None, where: Where, colors: dict[str, tuple[float, ...]], found: Findings
) -> tuple[float, ...]:
    if material is None:
        return ()
    own = material.first("color")
    if own is not None:
        return numbers(own, "rgba", where, found, 4)
    name = material.attributes.get("name", "")
    if name not in colors:
        found.note(NO_MATERIAL, name)
    return colors.get(name, ())


def material_colors(materials: Iterable[XmlElement], found: Findings) -> dict[str, Any]:
    """Colours by the name of their material; the first that gives one counts."""
    colors: dict[str, tuple[float, ...]] = {}
    for material in materials:
        name, color = material.attributes.get("name", ""), material.first("color")
        if name and color is not None and name not in colors:
            colors[name] = numbers(color, "rgba", ("material", name), found, 4)
    return colors
