"""`korba sweep`: sizes from the command line, the best design in a file."""

import json

import pytest
from typer.testing import CliRunner

import korba as kb
from korba.cli import sweep_command  # noqa: F401  (adds its command)
from korba.cli.commands import app
from korba.design.ready import READY

FILE = """
name = "slider-crank"
plane = "xy"
parameters.r = "50 mm"
parameters.l = "150 mm"
parameters.n = 1
body = [{name = "crank", points = {P = ["r", 0]}}, {name = "rod"}, {name = "slider"}]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "crank", at = [0, 0]},
  {name = "B", type = "revolute", parent = "crank", child = "rod", at = ["r", 0]},
  {name = "C", type = "revolute", parent = "rod", child = "slider", at = ["r + l", 0]},
  {name = "D", type = "prismatic", parent = "ground", child = "slider", at = [0, 0], axis = [1, 0]},
]
drive = [{name = "motor", joint = "A", position = "t"}]
"""


@pytest.fixture
def asked(tmp_path):
    """The command with options, on the file above."""
    (tmp_path / "crank.toml").write_text(FILE, "utf-8")
    return lambda *more: CliRunner().invoke(app, ["sweep", str(tmp_path / "crank.toml"), *more])


def test_the_best_design_is_written(asked, tmp_path):
    """Stroke is 2 r: the longest crank has most of it, and is a mechanism file."""
    options = ["--vary", "r=30mm:60mm:4", "--vary", "l=150mm,160mm", "--ask", "stroke"]
    files = ["--out", tmp_path / "best.toml", "--csv", tmp_path / "all.csv"]
    files += ["--picture", tmp_path / "all.svg", "--table", tmp_path / "all.npz"]
    run = asked(*options, *map(str, files))
    assert run.exit_code == 0, run.output
    assert "best stroke: 120 mm with r = 60 mm" in run.stdout
    assert dict(kb.load(tmp_path / "best.toml").parameters)["r"] == "60 mm"
    assert len((tmp_path / "all.csv").read_text("utf-8").splitlines()) == 9
    assert (tmp_path / "all.svg").read_text("utf-8").startswith("<svg")
    again = asked(*options, "--table", str(tmp_path / "all.npz"), "--json")
    answer = json.loads(again.stdout)
    assert answer["answered"] == 8
    assert answer["best"]["parameters"]["r"] == pytest.approx(0.06)


def test_answers_and_sizes_have_units(asked):
    """Of every ready question, and of sizes; a ratio and a plain number have none."""
    units = {
        "stroke": "m", "stroke of A": "rad", "peak of v_D": "m/s", "peak of a_A": "rad/s^2",
        "transmission angle": "rad", "peak torque": "N m", "time ratio": "", "singularity": "",
        "point of crank.P": "m", "size": "m", "r": "m", "n": "",
    }  # fmt: skip
    words = [word for name in units if name not in "rn" for word in ("--ask", name)]
    run = asked("--vary", "r=30mm,40mm", "--vary", "n=1,2", *words, "--json")
    assert run.exit_code == 0, run.output
    assert json.loads(run.stdout)["units"] == units
    assert {name.partition(" of ")[0] for name in units} - {"r", "n"} == READY.keys()
    told = asked("--vary", "r=30mm,40mm", "--ask", "stroke").stdout.splitlines()
    assert [line.split() for line in told if line.startswith("  r")] == [["r", "30", "40", "mm"]]


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--vary", "rod=1mm:2mm:3"], 1, "no parameter 'rod'"),
        (["--vary", "r=1kg:2kg:3"], 1, "'r' is a length, got '1kg'"),
        (["--vary", "r"], 2, "expected NAME=FROM:TO:COUNT"),
        (["--vary", "r=1mm:2mm:many"], 2, "expected NAME=FROM:TO:COUNT"),
        (["--vary", "r=2mm:1mm", "--designs", "random"], 1, "is not below the upper end"),
        (["--vary", "r=1mm,2mm", "--out", "best.txt"], 2, "the ending must be one of"),
    ],
)
def test_wrong_options_are_named(asked, options, status, message):
    """Faults of the mechanism end with status 1, wrong usage with status 2, in a sentence."""
    run = asked(*options, "--ask", "stroke")
    assert run.exit_code == status
    assert message in " ".join(run.output.replace("│", " ").split())
