"""What pyproject.toml asks for, as lists of requirements: as named, and at their lowest."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:  # started as a script
    sys.path.insert(0, str(ROOT))

from jobs.environment import project as whole_project  # noqa: E402
from jobs.environment import requirements  # noqa: E402

SUITE = ("lint", "test", "peers", "browser", "docs")
"""Groups that the whole suite runs with."""
HEAVY = ("torch", "gpu")
"""Extras of gigabytes, or for machines of their own: tried only where asked for by name."""
LOWER = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)\s*>=\s*(?P<version>[A-Za-z0-9.]+)\s*(,[^;]*)?$")


def project() -> dict[str, Any]:
    """The table [project]."""
    return whole_project()["project"]


def extras() -> dict[str, list[str]]:
    """Requirements of every extra."""
    return project()["optional-dependencies"]


def wanted(names: list[str] | None = None, groups: tuple[str, ...] = ()) -> list[str]:
    """Requirements of Korba, of extras (all that are not heavy) and of groups, each once."""
    asked = [name for name in extras() if name not in HEAVY] if names is None else names
    own = [*project()["dependencies"], *(need for name in asked for need in extras()[name])]
    return [*dict.fromkeys([*own, *(need for group in groups for need in requirements(group))])]


def lowest(requirement: str) -> str:
    """`name==version` of the lowest version that a requirement `name>=version` names."""
    found = LOWER.match(requirement)
    if found is None:
        raise ValueError(
            f"{requirement!r}: expected name>=version, with nothing but an upper bound"
        )
    return f"{found['name']}=={found['version']}"
