"""The command `korba`: answers, JSON, exit statuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from typer.testing import CliRunner

import korba as kb
from korba.cli import demo
from korba.cli.commands import app

DEMO = Path(str(files("korba.cli").joinpath("irb_drive.toml")))

BROKEN = """
name = "press"
plane = "xy"
[[body]]
name = "rod"
mass = "5 mm"
[[joint]]
name = "A"
type = "revolut"
parent = "ground"
child = "rod"
at = [0, 0]
"""


@pytest.fixture
def korba():
    """Run the command with some arguments; the result has `exit_code` and `output`."""
    runner = CliRunner()
    return lambda *args: runner.invoke(app, [str(arg) for arg in args])


@pytest.fixture
def broken(tmp_path):
    path = tmp_path / "press.toml"
    path.write_text(BROKEN)
    return path


def test_check_of_a_file_without_bodies_says_so(korba, tmp_path):
    """Nothing is counted as nothing, and not left blank."""
    path = tmp_path / "one.toml"
    path.write_text("korba = 1")
    assert "spatial, no bodies, 0 kg" in korba("check", path).output


def test_check_says_what_a_good_file_holds(korba):
    """A file without faults gives status 0 and its counts."""
    result = korba("check", DEMO)
    assert result.exit_code == 0
    assert "4 bodies, 6 joints" in result.output
    assert "no faults" in result.output


def test_check_lists_every_fault_with_its_line(korba, broken):
    """A file with two faults gives status 1 and both, with lines."""
    result = korba("check", broken)
    assert result.exit_code == 1
    assert "line 6" in result.output
    assert "5 mm" in result.output
    assert "line 9" in result.output
    assert "revolute" in result.output


def test_check_gives_faults_as_json(korba, broken):
    """With --json the faults are data: where, message and line."""
    result = korba("check", broken, "--json")
    answer = json.loads(result.stdout)
    assert result.exit_code == 1
    assert answer["ok"] is False
    assert {fault["line"] for fault in answer["faults"]} == {6, 9}


@pytest.mark.parametrize(
    "args",
    [
        ("check", "missing.toml"),
        ("mobility",),
        ("frobnicate",),
        ("groups", DEMO, "--no-such-option"),
    ],
)
def test_wrong_usage_has_status_two(korba, args):
    """Missing files, arguments, commands and options are usage errors."""
    assert korba(*args).exit_code == 2


def test_mobility_prints_the_report_and_draws_the_graph(korba, tmp_path):
    """The report balances, and the graph is an SVG with every link and joint."""
    picture = tmp_path / "graph.svg"
    result = korba("mobility", DEMO, "--graph", picture)
    assert result.exit_code == 0
    assert "W_R  = 0 - 0 + 1 = 1" in result.output
    text = picture.read_text()
    assert text.startswith("<svg")
    for name in ("ground", "crank", "second coupler", "F (R)"):
        assert name in text


def test_mobility_as_json_is_the_answer_of_the_verb(korba):
    """--json gives exactly the data of kb.mobility."""
    answer = json.loads(korba("mobility", DEMO, "--json").stdout)
    expected = json.loads(json.dumps(kb.mobility(kb.load(DEMO)).to_dict()))
    assert answer == {"ok": True} | expected


def test_mobility_takes_the_space_of_the_count(korba):
    """Counted in space the drive has W_T = 6*4 - 5*6 = -6."""
    answer = json.loads(korba("mobility", DEMO, "--space", "6", "--json").stdout)
    assert answer["theoretical"] == -6
    assert answer["actual"] == 1
    assert korba("mobility", DEMO, "--space", "round").exit_code == 2


def test_graph_that_cannot_be_written_is_an_error(korba, tmp_path):
    """A folder that is not there gives status 1 and a sentence, after the report."""
    result = korba("mobility", DEMO, "--graph", tmp_path / "no" / "graph.svg")
    assert result.exit_code == 1
    assert "W_R" in result.output
    assert "cannot be written" in result.output


def test_groups_follow_the_chosen_input(korba):
    """The drive is the input by default; --input chooses another joint."""
    assert "RRR" in korba("groups", DEMO).output
    answer = json.loads(korba("groups", DEMO, "--input", "D", "--json").stdout)
    assert answer["groups"][0]["bodies"] == ["rocker"]
    assert korba("groups", DEMO, "--input", "Z").exit_code == 1


def test_schema_is_a_schema_that_the_demo_meets(korba):
    """`korba schema` prints a JSON Schema that is valid itself and holds for the demo."""
    schema = json.loads(korba("schema").stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(tomllib.loads(DEMO.read_text()), schema)


def test_convert_writes_what_load_reads(korba, tmp_path):
    """TOML to TOML keeps the mechanism; an unknown ending is refused."""
    out = tmp_path / "copy.toml"
    assert korba("convert", DEMO, out).exit_code == 0
    assert kb.load(out) == kb.load(DEMO)
    assert korba("convert", DEMO, tmp_path / "copy.doc").exit_code == 2
    assert korba("check", Path(__file__)).exit_code == 2


def test_convert_of_a_loop_to_urdf_says_what_is_in_the_way(korba, tmp_path):
    """URDF holds trees only: the joints that close loops are named."""
    result = korba("convert", DEMO, tmp_path / "copy.urdf", "--json")
    assert result.exit_code == 1
    assert "loop" in json.loads(result.stdout)["error"]


def test_demo_tells_a_shaper_and_writes_its_report(korba, tmp_path):
    """Answers are those of the verbs, as JSON too, and every file that it names is there."""
    out = tmp_path / "out"
    result = korba("demo", "--out", out, "--json")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert [Path(file["path"]).name for file in told["files"]] == ["shaper.toml", "report.html"]
    m = kb.load(out / "shaper.toml")
    assert told["mobility"] == kb.mobility(m).actual == 1 and told["full_turn"]
    motion = kb.motion(m, np.linspace(0, 0.6, 361))
    forces = kb.reactions(m, motion, friction=True)
    for word, own in (("with", forces), ("without", forces.frictionless)):
        largest = np.linalg.norm(own.force, axis=-1).max()
        assert told["largest_reaction_N"][word] == pytest.approx(largest, rel=1e-9)
    assert told["irregularity"]["without"] is None and 0.05 < told["irregularity"]["with"] < 0.15
    page = (out / "report.html").read_text("utf-8")
    assert page.count("<h2") == 15 and "with friction" in page and "data-size" in page
    assert "in 0" in demo.told(told | {"seconds": 0.0})


def test_version_is_the_package_version(korba):
    """`korba --version` prints it and ends well."""
    result = korba("--version")
    assert result.exit_code == 0
    assert "0.1.0" in result.output


def run(*args, **options):
    """The command as a process of its own."""
    start = "from korba.cli import main; main()"
    return subprocess.run([sys.executable, "-c", start, *map(str, args)], **options, check=False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("args", [("check", DEMO), ("check", DEMO, "--json"), ("schema",)])
def test_an_answer_that_cannot_be_printed_has_status_one(args):
    """`korba check FILE > /dev/full` ends with status 1 and a sentence, without a traceback."""
    with Path("/dev/full").open("w") as full:
        done = run(*args, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == "korba: the answer cannot be printed: No space left on device\n"


def test_a_terminal_without_a_character_shows_another(tmp_path):
    """Names that the terminal's encoding lacks are no reason to stop, nor are those of faults."""
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text(DEMO.read_text().replace('name = "', 'name = "\N{CIRCLED DIGIT ONE}', 1))
    bad.write_text(BROKEN.replace("rod", "r\N{CIRCLED DIGIT ONE}d"))
    for file, status in ((good, 0), (bad, 1)):
        env = {**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
        done = run("check", file, capture_output=True, env=env)
        assert done.returncode == status, done.stderr
        assert b"Traceback" not in done.stderr


def test_demo_onto_a_file_is_an_error(korba, tmp_path):
    """`korba demo --out FILE` says that it needs a folder, and the file stays."""
    file = tmp_path / "out"
    file.write_text("mine")
    for out in (file, file / "deeper"):
        result = korba("demo", "--out", out)
        assert result.exit_code == 1
        assert "expected a folder, found a file" in result.output
    assert file.read_text() == "mine"


def test_the_package_is_the_command():
    """`python -m korba` does what `korba` does, where programs are not on the path."""
    asked = [sys.executable, "-m", "korba", "--version"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("korba ")
