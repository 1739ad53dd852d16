"""The sections of a mechanism file: which tables there are, and which element each one gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..model.body import Body
from ..model.coupling import Coupling
from ..model.drives import DRIVE_TYPES
from ..model.fields import Element
from ..model.forces import FORCE_TYPES
from ..model.joints import JOINT_TYPES

VERSION = 1
"""Version of the format: the key `korba` at the top of a file."""


@dataclass(frozen=True)
class Section:
    """`[[key]]` tables become the mechanism's `attribute`; `types` maps `type = "..."` to a class.

    A section with one class only has the type "" and no key `type`.
    """

    key: str
    attribute: str
    types: Mapping[str, type[Element]]
    default: str | None = None

    @property
    def typed(self) -> bool:
        """Whether its tables say their `type`."""
        return "" not in self.types


SECTIONS = (
    Section("body", "bodies", {"": Body}),
    Section("joint", "joints", JOINT_TYPES),
    Section("coupling", "couplings", {"": Coupling}),
    Section("force", "forces", FORCE_TYPES),
    Section("drive", "drives", DRIVE_TYPES, default="joint"),
)
