"""Bounds in pyproject.toml can be pinned to their lowest, and constraints.txt to what was green."""

from __future__ import annotations

import re

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from requirements import ROOT, SUITE, lowest, wanted, whole_project

EXTRAS = list(whole_project()["project"]["optional-dependencies"])
GROUPS = tuple(whole_project()["dependency-groups"])
NEEDS = wanted(EXTRAS, GROUPS)
LINES = [
    line
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize("need", NEEDS)
def test_every_bound_names_a_lowest_version(need):
    """The lowest version is one that the requirement itself allows."""
    pinned = Requirement(lowest(need))
    assert pinned.name == Requirement(need).name
    (exact,) = pinned.specifier
    assert exact.operator == "=="
    assert Requirement(need).specifier.contains(exact.version)


def test_a_library_has_one_bound():
    """Where several extras ask for a library, they ask for the same versions."""
    bounds = {}
    for need in NEEDS:
        bounds.setdefault(canonicalize_name(Requirement(need).name), set()).add(need)
    assert not {name: needs for name, needs in bounds.items() if len(needs) > 1}


@pytest.mark.parametrize("wrong", ["numpy", "numpy<3", "numpy==2.0", "numpy>2", "a @ file:b"])
def test_what_has_no_lowest_version_is_refused(wrong):
    """Without `name>=version` nothing can be pinned."""
    with pytest.raises(ValueError, match="expected name>=version"):
        lowest(wrong)
    assert lowest("a-b>=1.2,<3") == "a-b==1.2"


def test_constraints_are_versions_and_nothing_else():
    """No address, no path, no option: each line is name==version, and each name stands once."""
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line) for line in LINES)
    names = [canonicalize_name(line.partition("==")[0]) for line in LINES]
    assert len(set(names)) == len(names)
    assert "korba" not in names


def test_constraints_hold_what_the_tests_need():
    """Every library of `make test` is named, at a version that its bound allows."""
    versions = {canonicalize_name(a): b for a, _, b in (line.partition("==") for line in LINES)}
    for need in map(Requirement, wanted([], SUITE)):
        version = versions.get(canonicalize_name(need.name))
        assert version is not None, f"{need.name} is not in constraints.txt"
        assert need.specifier.contains(version, prereleases=True), f"{need}: {version}"
