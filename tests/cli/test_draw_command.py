"""`korba draw`, `live` and `watch`: what they refuse, and how."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from korba.cli.commands import app

STUCK = {'a = "40 mm"': 'a = "100 mm"'}
"""A crank that comes to a dead point after 0.85 s."""


@pytest.fixture
def korba(tmp_path, monkeypatch):
    """Run the command beside a four-bar's file, four.toml."""
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    runner.invoke(app, ["new", "four-bar", "-o", "four.toml"])
    return lambda line: runner.invoke(app, line.split(), prog_name="korba")


def changed(tmp_path, changes):
    """four.toml with other lines."""
    text = (tmp_path / "four.toml").read_text("utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "four.toml").write_text(text, "utf-8")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("draw four.toml -o x.png", "--out: the ending must be one of .svg, got .png"),
        ("draw four.toml -o x", "the ending must be one of .svg, got none"),
        ("live four.toml -o x.pdf", "the ending must be one of .html, got .pdf"),
        ("report four.toml -o x.svg", "the ending must be one of .html, .pdf, got .svg"),
        ("watch four.toml -o x.pdf", "the ending must be one of .html, got .pdf"),
        ("draw four.toml --theme purple", "--theme: expected one of light, dark, got 'purple'"),
        ("motion four.toml --theme drak", "did you mean 'dark'?"),
        ("report four.toml --theme purple", "expected one of auto, light, dark"),
        ("draw four.toml --time nan", "--time: expected a number of seconds, got nan"),
    ],
)
def test_wrong_usage_is_said_before_any_work(korba, tmp_path, line, said):
    """Status 2, nothing printed, nothing written."""
    result = korba(line)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in " ".join(result.stderr.split())
    assert [path.name for path in tmp_path.iterdir()] == ["four.toml"]


def test_a_time_after_a_dead_point_is_refused_by_its_reason(korba, tmp_path):
    """The picture of a moment that the motion does not reach is not drawn; why is said."""
    changed(tmp_path, STUCK)
    result = korba("draw four.toml --time 0.9")
    assert result.exit_code == 1
    assert result.stderr.startswith("--time 0.9: mechanism 'four-bar' comes to a dead point")
    assert korba("draw four.toml --time 0.8").exit_code == 0


def test_what_has_no_drive_is_drawn_in_motion_by_one(korba, tmp_path):
    """The way out that is named, --drive, is there."""
    text = (tmp_path / "four.toml").read_text("utf-8").partition("[[drive]]")[0]
    (tmp_path / "four.toml").write_text(text, "utf-8")
    refused = korba("draw four.toml --show velocities")
    assert refused.exit_code == 1
    assert "--drive A" in refused.stderr
    assert korba("draw four.toml --show velocities --drive A").exit_code == 0


def test_a_drive_that_does_not_repeat_is_drawn_until_a_time(korba, tmp_path):
    """A swing is a cycle; without one the motion goes to --time, and that is the way out."""
    turning, swinging = 'position = "at + speed*t"', 'position = "at + sin(t)/5"'
    changed(tmp_path, {turning: swinging})
    assert korba("draw four.toml --ghosts 2 -o swing.svg").exit_code == 0
    changed(tmp_path, {swinging: 'position = "at + sin(t)/5 + sin(2.5*t)/9"'})
    assert "--time" in korba("draw four.toml --ghosts 2").stderr
    assert korba("draw four.toml --ghosts 2 --time 0.5").exit_code == 0
