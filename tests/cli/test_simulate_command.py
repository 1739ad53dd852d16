"""`korba simulate`: the motion of a file, as text, JSON, CSV and picture."""

from __future__ import annotations

import json
from importlib.util import find_spec

import numpy as np
import pytest
from typer.testing import CliRunner

import korba as kb
from korba.cli.commands import app


@pytest.fixture
def korba():
    runner = CliRunner()
    return lambda *args: runner.invoke(app, [str(arg) for arg in args])


@pytest.fixture
def pendulum_file(tmp_path):
    m = kb.Mechanism(
        "pendulum",
        [kb.Body("rod", 3, com=(0.5, 0), inertia=0.25)],
        [kb.Revolute("A", "ground", "rod", at=(0, 0))],
        plane="xy",
    )
    kb.save(m, tmp_path / "pendulum.toml")
    return tmp_path / "pendulum.toml"


def test_simulate_says_where_it_arrives(korba, pendulum_file):
    """The summary has the status, the effort and the last values."""
    result = korba("simulate", pendulum_file, "--until", 2, "--q", "A=-90 deg")
    assert result.exit_code == 0
    assert "finished at t = 2 s" in result.output
    assert "A        -90 deg at the end" in result.output


def test_simulate_starts_from_a_pose(korba, pendulum_file):
    """`--q` takes the name of a pose; one that is not there is wrong usage."""
    with pendulum_file.open("a") as file:
        file.write('\n[[pose]]\nname = "down"\nq = { A = "-90 deg" }\n')
    result = korba("simulate", pendulum_file, "--until", 2, "--q", "down")
    assert "A        -90 deg at the end" in result.output
    assert korba("simulate", pendulum_file, "--until", 2, "--q", "up").exit_code == 2


def test_simulate_as_json_and_csv(korba, pendulum_file, tmp_path):
    """JSON holds the summary, the CSV file the motion."""
    out = tmp_path / "motion.csv"
    args = ("--until", 1, "--q", "A=0.3", "--v", "A=1", "--times", 11, "--csv", out)
    result = korba("simulate", pendulum_file, *args, "--json")
    expected = kb.simulate(kb.load(pendulum_file), 1, q=[0.3], v=[1], times=11)
    answer = json.loads(result.stdout)
    assert answer["last"]["A"] == pytest.approx(expected["A"][-1], rel=1e-12)
    table = np.genfromtxt(out, delimiter=",", names=True)
    np.testing.assert_allclose(table["v_A"], expected["v_A"], rtol=1e-12)


def test_simulate_draws_or_says_what_is_missing(korba, pendulum_file, tmp_path):
    """An .svg always; a .pdf with matplotlib, and without it a sentence names the extra."""
    picture = tmp_path / "motion.svg"
    result = korba("simulate", pendulum_file, "--until", 1, "--picture", picture)
    assert result.exit_code == 0
    assert "energy, J" in picture.read_text()
    picture = tmp_path / "motion.pdf"
    result = korba("simulate", pendulum_file, "--until", 1, "--picture", picture)
    if find_spec("matplotlib"):
        assert picture.read_bytes().startswith(b"%PDF")
    else:
        assert result.exit_code == 1
        assert "korba[plot]" in result.output


def test_wrong_usage_of_simulate_has_status_two(korba, pendulum_file):
    """Unknown methods, endings and assignments are usage errors; unknown names are faults."""
    assert korba("simulate", pendulum_file, "--method", "euler").exit_code == 2
    assert korba("simulate", pendulum_file, "--picture", "a.doc").exit_code == 2
    assert korba("simulate", pendulum_file, "--q", "A").exit_code == 2
    assert korba("simulate", pendulum_file, "--events", "--plot").exit_code == 2
    assert korba("simulate", pendulum_file, "--q", "Z=1").exit_code == 1


def test_simulate_finds_events_and_writes_any_table(korba, pendulum_file, tmp_path):
    """`--events` are found, `--stops` and `--friction` taken, `--out` goes by its ending."""
    out = tmp_path / "run.npz"
    args = ("--until", 1, "--q", "A=0", "--events", "A + 90 deg", "--stops", 0.5, "--out", out)
    result = korba("simulate", pendulum_file, *args, "--json")
    (event,) = json.loads(result.stdout)["events"]
    assert event["name"] == "A + 90 deg"
    loaded = kb.Trajectory.load(out)
    assert loaded.events.t[0] == event["t"]
    result = korba("simulate", pendulum_file, "--out", tmp_path / "run.pdf")
    assert result.exit_code == 2
