"""`korba motion`: a cycle of a driven mechanism, its files, and where it stops."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import korba as kb
from korba.cli import motion_command  # noqa: F401  (adds its command)
from korba.cli.commands import app

FOUR_BAR = """
name = "four-bar"
plane = "xy"
body = [
  {name = "crank"},
  {name = "coupler", points = {tip = [0.3, 0.5]}},
  {name = "rocker"},
]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "crank", at = [0, 0]},
  {name = "B", type = "revolute", parent = "crank", child = "coupler", at = [0, 0.2]},
  {name = "C", type = "revolute", parent = "coupler", child = "rocker", at = [0.5, 0.5]},
  {name = "D", type = "revolute", parent = "ground", child = "rocker", at = [0.8, 0]},
]
drive = [{name = "motor", type = "joint", joint = "A", position = "10*t"}]
"""


@pytest.fixture
def run(tmp_path):
    """Run `korba motion` on the four-bar with more arguments."""
    path = tmp_path / "four_bar.toml"
    path.write_text(FOUR_BAR)
    return lambda *more: CliRunner().invoke(app, ["motion", str(path), *map(str, more)])


def test_a_cycle_is_one_turn_of_the_drive(run):
    """360 steps over 2 pi / 10 s, loops closed, in JSON."""
    result = run("--cycle", "360", "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert answer["positions"] == 361
    assert answer["ranges"]["t"][1] == pytest.approx(0.2 * np.pi)
    assert answer["residual"] < 1e-12


def test_points_by_name_and_by_place_are_written(run, tmp_path):
    """The CSV file has the point's path, and both ways to name it agree with kb.motion."""
    out = tmp_path / "out.csv"
    result = run(
        "--cycle", 40, "--point", "coupler:tip", "--point", "coupler:0.3,0.5", "--csv", out
    )
    assert result.exit_code == 0, result.output
    lines = out.read_text().splitlines()
    names = [name.strip('"') for name in lines[0].replace('"coupler:0.3,0.5', '"place').split(",")]
    table = np.loadtxt(lines[1:], delimiter=",")
    tip = table[:, names.index("coupler:tip.x")]
    m = kb.loads(FOUR_BAR)
    path = kb.motion(m, table[:, 0]).point("coupler", "tip")
    assert np.allclose(tip, path.position[:, 0], atol=1e-13)
    assert np.allclose(table[:, names.index("place.x")], tip)


def test_a_dead_point_ends_with_status_1_and_what_was_reached(run):
    """Driven by the rocker the four-bar stops; the table shows how far it came."""
    result = run("--drive", "D", "--cycle", "50")
    assert result.exit_code == 1
    assert "comes to a dead point" in result.stdout
    assert "positions from t = 0 s" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--drive", "E"], "there is no coordinate 'E' to drive"),
        (["--point", "coupler:nose"], "has no point 'nose'; there are tip"),
        (["--point", "tip"], "expected BODY.POINT"),
        (["--picture", "x.gif"], "the ending must be one of .svg, .png, .pdf"),
    ],
)
def test_wrong_arguments_are_explained(run, arguments, message):
    """Each wrong argument is named with what was expected."""
    result = run(*arguments)
    assert result.exit_code in (1, 2)
    assert message in " ".join(result.output.split())
