"""Names and frames of an SDF model: where links, frames, joints and nested models stand.

Everything has a pose in a frame that it names (`relative_to`), or in its usual one:

    link, nested model     the frame of the model they are in, `__model__`
    frame                  what it is attached to, else `__model__`
    joint                  its child

Names in a nested model are seen from outside as `model::name`. A frame moves with the link that it
is attached to, whatever its pose is relative to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..errors import unknown
from ..model.body import GROUND
from ..spatial.pose import Pose, identity
from ..spatial.rotation import rotation_of_quaternion, rotation_of_rpy
from .urdf_parts import Findings, Part
from .xml_tree import XmlElement

MODEL, WORLD = "__model__", "world"
SEPARATOR = "::"
KINDS = ("link", "frame", "joint", "model")


class Entry(NamedTuple):
    """A link, frame, joint or model with the scope in which its names are looked up."""

    part: Part
    scope: str

    @property
    def kind(self) -> str:
        """Its tag."""
        return self.part.element.tag


@dataclass
class Frames:
    """Everything in a model that has a name, by its full name, and poses that are known."""

    found: Findings
    entries: dict[str, Entry] = field(default_factory=dict)
    models: dict[str, XmlElement] = field(default_factory=dict)
    """Models by their scope."""
    poses: dict[str, Pose] = field(default_factory=lambda: {MODEL: identity()})

    def pose(self, name: str) -> Pose:
        """X_MN: where something stands in the frame of the whole model."""
        chain: list[str] = []
        here: str | None = name
        while here is not None and here not in self.poses:
            if here in chain:
                self._entry(here).part.fault(
                    f"poses are relative to each other in a circle: {' -> '.join(chain[-6:])}; let "
                    "one of them be relative to a link",
                    "pose",
                )
                self.poses[here] = identity()
                break
            chain.append(here)
            here = self._base(here)
        for each in reversed(chain):
            if each not in self.poses:
                base = self.poses.get(self._base(each) or "", identity())
                self.poses[each] = base @ read_pose(self._entry(each).part)
        return self.poses[name]

    def body(self, name: str) -> str:
        """The link that a frame is attached to; GROUND for the world."""
        seen: set[str] = set()
        while name not in seen:
            seen.add(name)
            if name == WORLD:
                return GROUND
            entry = self._entry(name)
            if entry.kind == "link":
                return name
            if entry.kind == "joint":
                name = self.looked_up(entry, text_of(entry.part, "child"), "child")
            elif entry.kind == "frame" and entry.part.text("attached_to"):
                name = self.looked_up(entry, entry.part.text("attached_to"), "attached_to")
            else:
                name = self.canonical(self._inside(name, entry))
        self._entry(name).part.fault("frames are attached to each other in a circle")
        return GROUND

    def canonical(self, scope: str) -> str:
        """The link that stands for a model: the one that it names, or the first."""
        named = self.models[scope].attributes.get("canonical_link", "")
        links = [name for name, entry in self.entries.items() if entry.kind == "link"]
        own = [name for name in links if name.startswith(scope)]
        return scope + named if scope + named in own else (own or [WORLD])[0]

    def looked_up(self, entry: Entry, name: str, key: str) -> str:
        """The full name of what is named inside a scope; a fault where there is none."""
        if name == WORLD or (full := entry.scope + name) in self.entries:
            return WORLD if name == WORLD else full
        inner = name.removesuffix(MODEL).removesuffix(SEPARATOR)
        if name == MODEL or entry.scope + inner in self.entries:
            return entry.scope.removesuffix(SEPARATOR) or MODEL if name == MODEL else full
        known = [each.removeprefix(entry.scope) for each in self.entries]
        message = unknown("", name, known, cutoff=0.5)
        entry.part.fault(message if name.strip() else "is missing; name a link", key)
        return WORLD

    def _entry(self, name: str) -> Entry:
        return self.entries[name.removesuffix(MODEL).removesuffix(SEPARATOR)]

    def _inside(self, name: str, entry: Entry) -> str:
        """The scope of the model that a frame belongs to."""
        return f"{name}{SEPARATOR}" if entry.kind == "model" else entry.scope

    def _base(self, name: str) -> str | None:
        """What a pose is relative to; None is the whole model."""
        if name in (MODEL, WORLD):
            return None
        entry = self._entry(name)
        pose = entry.part.first("pose")
        words = {"relative_to": pose.text("relative_to") if pose else ""}
        if not words["relative_to"] and pose is not None and pose.text("frame"):
            words = {"frame": pose.text("frame")}  # SDFormat 1.5 and 1.6
        elif not words["relative_to"] and entry.kind == "frame":
            words = {"attached_to": entry.part.text("attached_to")}
        elif not words["relative_to"] and entry.kind == "joint":
            words = {"child": text_of(entry.part, "child")}
        ((key, given),) = words.items()
        return self.looked_up(entry, given, key) if given else self._of_scope(entry.scope)

    def _of_scope(self, scope: str) -> str | None:
        return scope.removesuffix(SEPARATOR) or None


def frames_of(model: XmlElement, found: Findings) -> Frames:
    """All names of a model and of the models in it."""
    frames = Frames(found, models={"": model})
    open_: list[tuple[XmlElement, str]] = [(model, "")]
    while open_:
        element, scope = open_.pop(0)
        for child in element.all(*KINDS):
            name = child.attributes.get("name", "")
            part = Part(child, (child.tag, scope + name), found)
            if not name.strip():
                part.fault("has no name; give one")
            elif scope + name in frames.entries:
                line = frames.entries[scope + name].part.element.line
                part.fault(f"the name is used on line {line} already; rename one of them")
            else:
                frames.entries[scope + name] = Entry(part, scope)
                if child.tag == "model":
                    if "placement_frame" in child.attributes:
                        part.fault("is read of the outermost model only", "placement_frame")
                    frames.models[f"{scope}{name}{SEPARATOR}"] = child
                    open_.append((child, f"{scope}{name}{SEPARATOR}"))
    return frames


def of_kind(frames: Frames, kind: str) -> Iterator[tuple[str, Entry]]:
    """The entries of a kind with their full names, in the order of the file."""
    return ((name, entry) for name, entry in frames.entries.items() if entry.kind == kind)


def text_of(part: Part, tag: str) -> str:
    """The text of a child element; nothing where there is none."""
    child = part.first(tag)
    return child.element.text.strip() if child else ""


def read_pose(part: Part) -> Pose:
    """The pose of a `<pose>`: x y z roll pitch yaw, or x y z and a quaternion x y z w."""
    pose = part.first("pose")
    if pose is None or not pose.element.text.strip():
        return identity()
    if pose.text("rotation_format") == "quat_xyzw":
        x, y, z, *quaternion = pose.inner(7)
        return Pose(rotation_of_quaternion(np.roll(quaternion, 1)), np.array([x, y, z]))
    x, y, z, *angles = pose.inner(6)
    turn = np.radians(angles) if pose.text("degrees") == "true" else angles
    return Pose(np.asarray(rotation_of_rpy(*turn)), np.array([x, y, z]))
