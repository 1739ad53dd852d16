"""`korba forces` and `korba flywheel`: a cycle of a machine, its files, and where it stops."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import korba as kb
from korba.cli import flywheel_command, forces_command  # noqa: F401  (add their commands)
from korba.cli.commands import app

ROUGH = 'friction = {coefficient = 0.08, radius = "20 mm"}'
ENGINE = f"""
name = "engine"
plane = "xy"
body = [
  {{name = "crank", mass = 2.0, com = [0.01, 0], inertia = 0.004}},
  {{name = "rod", mass = 0.8, com = [0.11, 0], inertia = 0.0042}},
  {{name = "piston", mass = 0.6, com = [0.23, 0], inertia = 0.0006}},
]
[[joint]]
name = "A"
type = "revolute"
parent = "ground"
child = "crank"
at = [0, 0]
{ROUGH}
[[joint]]
name = "B"
type = "revolute"
parent = "crank"
child = "rod"
at = [0.05, 0]
{ROUGH}
[[joint]]
name = "C"
type = "revolute"
parent = "rod"
child = "piston"
at = [0.23, 0]
[[joint]]
name = "G"
type = "prismatic"
parent = "ground"
child = "piston"
at = [0.23, 0]
axis = [1, 0]
[[drive]]
name = "shaft"
type = "joint"
joint = "A"
position = "150*t + 0.1"
[[force]]
name = "gas"
type = "point"
body = "piston"
at = [0.23, 0]
force = ["-6000 N*exp(4*(cos(A - 0.35) - 1))", 0]
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command on the engine with more arguments."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "engine.toml").write_text(ENGINE)
    return lambda name, *more: CliRunner().invoke(app, [name, "engine.toml", *map(str, more)])


def test_forces_over_a_cycle_are_those_of_reactions(run, tmp_path):
    """Largest forces, drive and CSV file are what kb.reactions says of the motion."""
    result = run("forces", "--cycle", 60, "--csv", "out.csv", "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    m = kb.loads(ENGINE)
    motion = kb.motion(m, np.linspace(0.0, 2 * np.pi / 150, 61))
    forces = kb.reactions(m, motion)
    largest = np.linalg.norm(forces["B"].force, axis=1).max()
    assert answer["joints"]["B"]["force"] == pytest.approx(largest)
    assert answer["drives"]["shaft"]["most"] == pytest.approx(forces.driving["shaft"].max())
    assert "losses" not in answer
    lines = (tmp_path / "out.csv").read_text().splitlines()
    table = np.loadtxt(lines[1:], delimiter=",")
    names = lines[0].split(",")
    assert np.allclose(table[:, names.index("drive.shaft")], forces.driving["shaft"])
    assert np.allclose(table[:, names.index("F_y.G")], forces["G"].force[:, 1])


def test_friction_is_told_beside_its_absence(run):
    """Losses by joint are the difference of the mean powers of the drive."""
    answer = json.loads(run("forces", "--cycle", 720, "--friction", "--json").stdout)
    ways = answer["drives"], answer["drives_without_friction"]
    rough, plain = (way["shaft"]["mean"] for way in ways)
    assert set(answer["losses"]) == {"A", "B"}
    assert 150 * (rough - plain) == pytest.approx(sum(answer["losses"].values()), rel=1e-4)
    assert not any("not used" in note for note in answer["notes"])
    text = run("forces", "--cycle", 60, "--friction").stdout
    assert "mean loss" in text and "efficiency" in text
    assert "drive shaft" in text and "(without friction " in text


def test_a_motion_that_is_not_finished_says_so(tmp_path):
    """Driven by its rocker a four-bar comes to a dead point: forces up to there, and status 1."""
    path = tmp_path / "four_bar.toml"
    kb.save(kb.linkages.four_bar(0.1, 0.3, 0.25, 0.3), path)
    result = CliRunner().invoke(app, ["forces", str(path), "--drive", "D", "--cycle", "50"])
    assert result.exit_code == 1
    assert "comes to a dead point" in result.output
    assert "largest of " in result.output


def test_how_evenly_it_runs_and_its_flywheel(run, tmp_path):
    """The answers of kb.steady_cycle and kb.flywheel at the speed of the drive."""
    answer = json.loads(run("flywheel", "--inertia", 0.3, "--json").stdout)
    m = kb.loads(ENGINE)
    turn = kb.steady_cycle(m, "A", speed=150.0, flywheel=0.3)
    assert answer["exact"]["delta"] == pytest.approx(turn.irregularity.delta)
    result = run("flywheel", "--irregularity", 0.02, "--json", "--csv", "turn.csv")
    answer = json.loads(result.stdout)
    assert answer["with_it"]["delta"] == pytest.approx(0.02)
    assert answer["flywheel"]["exact"] == pytest.approx(
        kb.flywheel(m, "A", 0.02, speed=150.0).inertia
    )
    assert (tmp_path / "turn.csv").read_text().startswith("t,A,B,C,G")
    text = run("flywheel", "--coordinate", "A", "--speed", 100, "--irregularity", 0.05).stdout
    assert "flywheel on A for irregularity 0.05" in text


def test_pictures_are_drawn(run, tmp_path):
    """Of forces and of turns, as .svg files without another library."""
    for name, more in (("forces", ["--cycle", 24]), ("flywheel", ["--irregularity", 0.02])):
        result = run(name, *more, "--picture", f"{name}.svg")
        assert result.exit_code == 0, result.output
        assert "N m</text>" in (tmp_path / f"{name}.svg").read_text()
    with pytest.raises(kb.KorbaError, match="the ending must be one of"):
        kb.plot(kb.reduce(kb.loads(ENGINE), "A"), "reduced.txt")


def test_speeds_have_units(run):
    """The drive's speed, or that of a coordinate that is named, in rpm or rad/s."""
    slow, same, other = (
        json.loads(run(*more, "--cycle", 12, "--json").stdout)
        for more in (
            ("forces", "--speed", "600 rpm"),
            ("forces", "--drive", "A", "--speed", 20 * np.pi),
            ("motion", "--speed", "600 rpm"),
        )
    )
    assert slow["time"] == same["time"] == pytest.approx(0.1)
    assert slow["joints"] == same["joints"]
    assert other["ranges"]["v_A"] == pytest.approx([20 * np.pi] * 2)
    wheel = run("flywheel", "--speed", "1000 rpm", "--irregularity", 0.05)
    assert wheel.exit_code == 0, wheel.output
    for wrong in ("3 mm", "nan"):
        result = run("forces", "--speed", wrong)
        assert result.exit_code == 1
        assert "--speed: expected" in result.output


def test_ranges_leave_out_what_has_no_answer():
    """Positions that jam have none; their neighbours do."""
    t, x = np.linspace(0, 1, 3), np.array([1.0, np.nan, 3.0])
    assert forces_command._range(t, x)["most"] == 3.0
    assert np.isnan(forces_command._range(t, np.full(3, np.nan))["least"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--coordinate", "Z"], "cannot be reduced to 'Z'"),
        (["--irregularity", 3], "expected a number between 0 and 2"),
    ],
)
def test_wrong_questions_end_with_a_sentence(run, arguments, message):
    """Status 1, and what to do instead."""
    result = run("flywheel", *arguments)
    assert result.exit_code == 1
    assert message in result.output
