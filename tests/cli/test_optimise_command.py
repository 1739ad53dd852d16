"""`korba optimise`: bounds and a goal from the command line, the best design in a file."""

import json

import pytest
from test_sweep_command import FILE
from typer.testing import CliRunner

import korba as kb
from korba.cli import optimise_command  # noqa: F401  (adds its command)
from korba.cli.commands import app

TIP = FILE.replace('{name = "rod"}', '{name = "rod", points = {M = ["r + l/2", 0]}}')


@pytest.fixture
def asked(tmp_path):
    """The command with options, on a slider-crank."""
    (tmp_path / "crank.toml").write_text(TIP, "utf-8")
    return lambda *more: CliRunner().invoke(app, ["optimise", str(tmp_path / "crank.toml"), *more])


def test_the_best_design_is_written(asked, tmp_path):
    """Stroke is 2 r, and "stroke <= 80 mm" holds it at r = 40 mm."""
    options = ["--bounds", "r=30mm:60mm", "--goal", "stroke", "--keep", "stroke <= 80 mm"]
    run = asked(*options, "--count", "8", "--out", str(tmp_path / "best.toml"), "--json")
    assert run.exit_code == 0, run.output
    answer = json.loads(run.stdout)
    assert answer["units"] == {"r": "m", "stroke": "m"}
    assert answer["parameters"]["r"] == pytest.approx(0.04, abs=1e-6)
    assert dict(kb.load(tmp_path / "best.toml").parameters)["r"] == "40 mm"


def test_points_of_a_file_are_met(asked, tmp_path):
    """The middle of the rod of another design goes through its own places."""
    m = kb.loads(TIP)
    times = [0.0, 0.4, 0.9, 1.5]
    places = kb.motion(kb.redimension(m, r=0.042, l=0.17), times).point("rod", "M").position
    rows = [f"{x},{y},{t}" for (x, y, _), t in zip(places, times, strict=True)]
    (tmp_path / "path.csv").write_text("\n".join(["x,y,t", *rows]), "utf-8")
    more = ["--bounds", "r=30mm:60mm", "--bounds", "l=140mm:200mm", "--count", "20"]
    run = asked(*more, "--goal", "path of rod.M", "--points", str(tmp_path / "path.csv"))
    assert run.exit_code == 0, run.output
    assert " mm^2 with r = 42 mm, l = 170 mm" in run.stdout


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--bounds", "rod=1mm:2mm"], 1, "no parameter 'rod'"),
        (["--bounds", "r=2mm:1mm"], 1, "is not below the upper end"),
        (["--bounds", "r"], 2, "expected NAME=FROM:TO"),
        (["--bounds", "r=1mm:2mm", "--method", "magic"], 2, "expected one of starts"),
        (["--bounds", "r=1mm:2mm", "--keep", "size 3"], 1, "expected <= or >="),
        (["--bounds", "r=1mm:2mm", "--goal", "path of rod.M"], 2, "belong together"),
    ],
)
def test_wrong_options_are_named(asked, options, status, message):
    """Faults of the problem end with status 1, wrong usage with status 2, in a sentence."""
    run = asked("--goal", "stroke", *options)
    assert run.exit_code == status
    assert message in " ".join(run.output.replace("│", " ").split())


def test_a_file_of_points_that_is_none(asked, tmp_path):
    """What the file lacks is said."""
    (tmp_path / "path.csv").write_text("a,b\n1,2\n", "utf-8")
    options = ["--bounds", "r=1mm:2mm", "--goal", "path of rod.M"]
    run = asked(*options, "--points", str(tmp_path / "path.csv"))
    assert run.exit_code == 1
    assert "expected columns named x and y" in run.output
