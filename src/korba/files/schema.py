"""The sections of a mechanism file, and its JSON Schema (draft 2020-12), from the model's fields.

Editors check and complete TOML files with it (Even Better TOML, taplo).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..door import public
from ..model.body import Body
from ..model.coupling import Coupling
from ..model.drives import DRIVE_TYPES
from ..model.fields import Element, table_schema
from ..model.forces import FORCE_TYPES
from ..model.joints import JOINT_TYPES
from ..model.mechanism import Mechanism
from ..model.named_pose import NamedPose

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

    def definition(self, kind: str) -> str:
        """Where the schema says what tables of a type hold."""
        return f"{self.key}-{kind}" if kind else self.key


SECTIONS = (
    Section("body", "bodies", {"": Body}),
    Section("joint", "joints", JOINT_TYPES),
    Section("coupling", "couplings", {"": Coupling}),
    Section("force", "forces", FORCE_TYPES),
    Section("drive", "drives", DRIVE_TYPES, default="joint"),
    Section("pose", "poses", {"": NamedPose}),
)


@public
def schema() -> dict[str, Any]:
    """The schema of a whole file."""
    own = table_schema(Mechanism)["properties"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Korba mechanism",
        "description": (Mechanism.__doc__ or "").split("\n")[0],
        "type": "object",
        "properties": {
            "korba": {"const": VERSION, "description": "version of the format"},
            **own,
            "notes": {
                "type": "array",
                "items": {"type": "string"},
                "description": "what a reader of another format did not carry over",
            },
            "parameters": {
                "type": "object",
                "propertyNames": {"pattern": r"^[^\W\d]\w*$"},
                "additionalProperties": {"type": ["number", "string"]},
                "description": "named sizes; values may be expressions of other parameters",
            },
            **{s.key: {"type": "array", "items": _items(s)} for s in SECTIONS},
        },
        "additionalProperties": False,
        "$defs": {
            s.definition(kind): _table(s, kind, cls)
            for s in SECTIONS
            for kind, cls in s.types.items()
        },
    }


def _items(section: Section) -> dict[str, Any]:
    """One table of a section; its type chooses the definition."""
    if not section.typed:
        return {"$ref": f"#/$defs/{section.key}"}
    return {
        "type": "object",
        "properties": {"type": {"enum": list(section.types)}},
        "required": ["name"] if section.default else ["name", "type"],
        "allOf": [_branch(section, kind) for kind in section.types],
    }


def _branch(section: Section, kind: str) -> dict[str, Any]:
    """If the type is `kind` (or left out, for the default), then its definition holds."""
    said = {"properties": {"type": {"const": kind}}}
    condition = said if kind == section.default else {**said, "required": ["type"]}
    return {"if": condition, "then": {"$ref": f"#/$defs/{section.definition(kind)}"}}


def _table(section: Section, kind: str, cls: type[Element]) -> dict[str, Any]:
    """The fields of a class, and its type."""
    table = table_schema(cls)
    if section.typed:
        table["properties"] = {
            "type": {"const": kind, "description": table["description"]},
            **table["properties"],
        }
    return table
