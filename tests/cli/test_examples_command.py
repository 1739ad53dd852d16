"""`korba examples` lists ready mechanisms and copies them, over nothing that is there."""

import json

import pytest
from typer.testing import CliRunner

import korba as kb
from korba.cli import starting_files
from korba.cli.commands import app


@pytest.fixture
def korba():
    runner = CliRunner()
    return lambda *args: runner.invoke(app, ["examples", *map(str, args)])


def test_the_list_has_every_builder(korba):
    """All of kb.linkages under readable names, each with what it is, and the files."""
    listed = json.loads(korba("--json").output)["examples"]
    assert {name.replace("-", "_") for name in listed} >= set(kb.linkages.__all__)
    assert all(listed.values())
    assert "four-bar" in korba().output
    assert "arm" in listed


@pytest.mark.parametrize("name", ["four-bar", "arm", "Slider_Crank"])
def test_a_copy_loads(korba, tmp_path, name):
    """What is copied is a mechanism file, by its parameters."""
    target = tmp_path / "my.toml"
    assert korba(name, "-o", target).exit_code == 0
    assert kb.load(target).joints
    key = name.lower().replace("_", "-")
    printed = [line.split() for line in korba(name).output.strip().splitlines()]
    copied = target.read_text("utf-8").replace("my.toml", f"{key}.toml")
    assert printed == [line.split() for line in copied.strip().splitlines()]


def test_nothing_is_overwritten(korba, tmp_path):
    """A file that is there stays, unless --force says otherwise."""
    target = tmp_path / "my.toml"
    target.write_text("mine")
    refused = korba("four-bar", "-o", target)
    assert refused.exit_code == 1
    assert "is there already" in refused.output
    assert target.read_text() == "mine"
    assert korba("four-bar", "-o", target, "--force").exit_code == 0
    assert kb.load(target).name == "four-bar"


def test_a_wrong_name_is_told(korba):
    """With the nearest one there is."""
    result = korba("fourbar")
    assert result.exit_code == 2
    assert "four-bar" in result.output


@pytest.mark.parametrize("name", sorted(starting_files.every_example()))
def test_every_example_loads(name):
    """The text of every example is a mechanism without faults."""
    assert kb.loads(starting_files.every_example()[name][1]()).bodies
