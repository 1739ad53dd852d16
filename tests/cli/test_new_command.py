"""`korba new`: a file that explains itself, loads, moves, and has a report."""

from __future__ import annotations

import math
import shlex

import pytest
from typer.testing import CliRunner

import korba as kb
from korba.cli.commands import HOMES, app
from korba.cli.starting_files import ALIASES, every_example, starting_file
from korba.expr import evaluate
from korba.show.pages.moving import some_motion
from korba.solve.cycle import period

KINDS = ["four-bar", "slider-crank", "six-bar", "cam", "gears", "robot-arm", "spatial"]


@pytest.fixture
def korba(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *args: CliRunner().invoke(app, list(args), prog_name="korba")


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_file_loads_and_moves(korba, kind, tmp_path):
    """Every kind: comments on all sections, units, parameters, a drive, and what to try next."""
    result = korba("new", kind)
    assert result.exit_code == 0, result.output
    (file,) = tmp_path.glob("*.toml")
    text = file.read_text("utf-8")
    m = kb.loads(text)
    assert m.parameters and m.drives
    for said in (f"korba watch {file.name}", f"korba report {file.name}", "# Sizes", "# Drives"):
        assert said in text
    assert '"40 mm"' in text or '"400 mm"' in text or '"30 mm"' in text
    assert max(len(line) for line in text.splitlines() if line.startswith("#")) <= 100
    moved = some_motion(m, 25)
    assert moved.status == "finished"
    assert abs(moved.q - moved.q[0]).max() > 1e-3
    assert "is there already" in korba("new", kind).stderr


@pytest.mark.parametrize(
    "line", ["mobility", "draw", "motion --plot --degrees", "forces", "report"]
)
def test_what_it_says_to_try_next_works(korba, line, tmp_path):
    """The commands of the head of the file, one after the other."""
    korba("new", "cam", "-o", "mine.toml")
    word, *more = line.split()
    if word == "report":
        text = kb.report(kb.load(tmp_path / "mine.toml"))
        assert text.count("<h2") >= 8
        return
    result = korba(word, "mine.toml", *more)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("kind", every_example())
def test_the_motion_to_try_next_has_an_end(kind):
    """Of all that have drives: the words are those of a command, and the drives repeat."""
    text = starting_file(kind, "mine.toml")
    m = kb.loads(text)
    tries = [line.removeprefix("#   korba ") for line in text.splitlines() if "#   korba" in line]
    for line in (line.split("  ")[0] for line in tries):
        name, *words = shlex.split(line)
        assert name in HOMES
        assert words[0] == "mine.toml"
        if "--over" in words:
            assert words[words.index("--over") + 1] in m.coordinates
            assert len(words) <= 5
    if m.drives:
        law, end = m.drives[0].laws[0], period(m)
        turned = evaluate(law, {"t": end}) - evaluate(law, {"t": 0.0})
        assert end > 0
        assert min(abs(turned), abs(abs(turned) - 2 * math.pi)) < 1e-9


def test_pictures_of_one_file_have_names_of_their_own(korba, tmp_path):
    """The drawing, the plot and the live page of a file stand beside each other."""
    korba("new", "slider-crank", "-o", "mine.toml")
    for line in ("draw mine.toml", "motion mine.toml --plot --cycle 20", "live mine.toml"):
        assert korba(*line.split()).exit_code == 0
    made = {path.name for path in tmp_path.iterdir()}
    assert made == {"mine.toml", "mine.svg", "mine-motion.svg", "mine-live.html"}


def test_lengths_are_explained_by_their_points():
    """From where to where, as the points of bodies say."""
    text = starting_file("four-bar", "x.toml")
    assert "# coupler, from B to C" in text
    assert "# ground, from A to D" in text


def test_other_names_lead_to_kinds_that_there_are():
    """Every alias is an example, and hides none."""
    assert set(ALIASES.values()) <= every_example().keys()
    assert not ALIASES.keys() & every_example().keys()


@pytest.mark.parametrize(
    "name",
    ["my bar.toml", "it's.toml", 'a "b".toml', "a;b.toml", "$HOME.toml", "-x.toml", "zażółć.toml"],
)
def test_a_file_of_any_name_is_written_and_its_commands_can_be_copied(korba, tmp_path, name):
    """`korba new four-bar NAME` writes it; every command in it, as a shell reads it, finds it."""
    given = f"./{name}" if name.startswith("-") else name
    result = korba("new", "four-bar", given)
    assert result.exit_code == 0, result.output
    text = (tmp_path / name).read_text("utf-8")
    lines = [line.removeprefix("#   korba ") for line in text.splitlines() if "#   korba" in line]
    told = [line.partition("  ")[0] for line in lines] + [result.output.partition("korba ")[2]]
    assert len(told) > 5
    for line in told:
        command, file = shlex.split(line)[:2]
        assert command in HOMES
        assert (tmp_path / file).samefile(tmp_path / name)
    assert korba("check", given).exit_code == 0


def test_what_cannot_be_printed_reaches_no_terminal_and_no_file(korba, tmp_path):
    """Neither an escape sequence nor a new line of a name; the file is one that loads."""
    result = korba("new", "four-bar", "a\x1b[2J\nb = 1.toml")
    assert result.exit_code == 0
    (file,) = tmp_path.iterdir()
    text = file.read_text("utf-8")
    assert "korba check 'a?[2J?b = 1.toml'" in text
    assert kb.loads(text).bodies


def test_a_new_file_has_one_name(korba, tmp_path):
    """A second one, or another ending, is wrong usage."""
    assert korba("new", "cam", "a.toml", "-o", "b.toml").exit_code == 2
    assert "the file is a.toml already" in korba("new", "cam", "a.toml", "-o", "b.toml").stderr
    assert "must be one of .toml" in korba("new", "cam", "a.txt").stderr
    assert not [*tmp_path.iterdir()]
