"""`korba doctor` says what an installation is made of, and the way that calls take."""

from __future__ import annotations

import json
from importlib.metadata import requires

import pytest
from typer.testing import CliRunner

from korba.cli import doctor
from korba.cli.commands import app
from korba.codegen.targets.llvm.fast_way import plain_reason


@pytest.fixture
def korba():
    """Run the command."""
    return lambda *args: CliRunner().invoke(app, ["doctor", *args], prog_name="korba")


def test_it_tells_versions_calls_extras_and_a_test(korba):
    """All of it as text and as data, and the test of all together passes."""
    plain, data = korba(), json.loads(korba("--json").stdout)
    assert plain.exit_code == 0
    assert data["self_test"]["passed"]
    assert data["calls"] == {"straight": not plain_reason(), "reason": plain_reason()}
    assert data["libraries"]["numpy"] and data["libraries"]["numpy"] in plain.stdout
    assert {"plot", "mujoco", "sundials"} <= data["extras"].keys()
    assert max(map(len, data["extras"])) <= 10


def test_the_plain_way_is_told_with_its_reason(korba, monkeypatch):
    """Where calls do not go straight the reason stands beside it; that is no fault."""
    monkeypatch.setattr(doctor, "plain_reason", lambda: "this Python is from the future")
    assert "the plain way, slower: this Python is from the future" in korba().stdout
    assert korba().exit_code == 0


def test_a_failed_test_is_status_1(korba, monkeypatch):
    """A wrong acceleration is told with its size."""
    right = doctor.forward_dynamics
    monkeypatch.setattr(doctor, "forward_dynamics", lambda *state: right(*state) * 1.01)
    result = korba()
    assert result.exit_code == 1
    assert "self-test  failed: the acceleration of a rod is off by 0.147" in result.stdout


def test_a_missing_extra_comes_with_its_line(monkeypatch):
    """One that lacks a library names the extra; one that is there names the versions."""
    there = {"matplotlib": "3.9"}
    monkeypatch.setattr(doctor, "_version", there.get)
    text = doctor.told(doctor.findings())
    assert "pip install 'korba[mujoco]'" in text
    assert "matplotlib 3.9" not in text  # plotly is missing beside it
    there |= {"plotly": "5.24"}
    assert "plot       matplotlib 3.9, plotly 5.24" in doctor.told(doctor.findings())


def test_needs_are_read_as_the_project_writes_them():
    """Every library of every extra is known, with bounds, markers and quotes of any kind."""
    given = ["a-b>=1", "c[x]>=2 ; extra == 'one'", 'd>1,<2; python_version<"4" and extra == "two"']
    assert doctor.libraries(given) == {"": ["a-b"], "one": ["c"], "two": ["d"]}
    whole = doctor.libraries(requires("korba"))
    assert {"numpy", "scipy"} <= {*whole[""]}
    assert whole["plot"] == ["matplotlib", "plotly"]
