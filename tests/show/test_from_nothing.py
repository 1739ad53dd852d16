"""From nothing to a four-bar's live report: eight lines of Python, or twelve of a file."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import korba as kb
from korba.cli.commands import app

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "pictures.md").read_text("utf-8")
SHOWN = TEXT.partition("### From nothing")[2]


def block(language):
    """The first block of code in that section of the page."""
    return re.search(rf"```{language}\n(.*?)```", SHOWN, re.S).group(1)


def test_eight_lines_of_python_write_a_live_report(tmp_path, monkeypatch):
    """Those of the page: they run, and the report has the mechanism alive in it."""
    lines = block("python")
    assert len(lines.splitlines()) <= 8
    monkeypatch.chdir(tmp_path)
    exec(compile(lines, "pictures.md", "exec"), {})  # noqa: S102  (our own page)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.count("<h2") == 15 and "data-size" in page


def test_a_file_of_twelve_lines_and_one_command_do_too(tmp_path, monkeypatch):
    """Those of the page; the file is a mechanism of one freedom that turns fully."""
    text, command = block("toml"), block("sh").split()
    assert len(text.splitlines()) <= 12
    monkeypatch.chdir(tmp_path)
    Path(command[2]).write_text(text, "utf-8")
    m = kb.load(command[2])
    assert kb.mobility(m).actual == 1 and kb.input_range(m, "A").full_turn
    assert command[:2] == ["korba", "report"]
    done = CliRunner().invoke(app, command[1:])
    assert done.exit_code == 0, done.output
    page = Path(command[2]).with_suffix(".html").read_text("utf-8")
    assert "data-size" in page and "class='said'" not in page.partition("id='mobility'")[0]


@pytest.mark.parametrize("words", ["korba report", "kb.report"])
def test_the_page_says_both(words):
    """A reader finds the call and the command in one place."""
    assert words in SHOWN.partition("\n## ")[0]
