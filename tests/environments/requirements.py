"""What pyproject.toml asks for, as lists of requirements: as named, and at their lowest."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOR_WORK = ("test", "docs", "bench")
"""Extras for those who change Korba."""
HEAVY = ("torch", "gpu")
"""Extras of gigabytes, or for machines of their own: tried only where asked for by name."""
LOWER = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)\s*>=\s*(?P<version>[A-Za-z0-9.]+)\s*(,[^;]*)?$")


def project() -> dict[str, object]:
    """The table [project]."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def extras() -> dict[str, list[str]]:
    """Requirements of every extra."""
    return project()["optional-dependencies"]


def wanted(names: list[str]) -> list[str]:
    """Requirements of Korba and of some extras, each once."""
    listed = [*project()["dependencies"], *(need for name in names for need in extras()[name])]
    return [*dict.fromkeys(listed)]


def for_tests() -> list[str]:
    """Extras that the whole suite runs with."""
    return [name for name in extras() if name not in ("bench", *HEAVY)]


def lowest(requirement: str) -> str:
    """`name==version` of the lowest version that a requirement `name>=version` names."""
    found = LOWER.match(requirement)
    if found is None:
        raise ValueError(
            f"{requirement!r}: expected name>=version, with nothing but an upper bound"
        )
    return f"{found['name']}=={found['version']}"
