"""Every example runs, here or on a page of the handbook, is short and checks a number."""

import ast
import runpy
import subprocess
import sys

import pytest
from sources import ROOT, found_in, parsed

FOLDER = ROOT / "examples"
EXAMPLES = sorted(FOLDER.rglob("*.py"))

PAGES = "".join(page.read_text("utf-8") for page in (FOLDER.parent / "docs").glob("*.md"))
"""Of the handbook; an example that one of them loads is run, and its numbers checked, there."""


def imported(path):
    """Names of the libraries that an example imports."""
    tree = ast.parse(path.read_text("utf-8"))
    plain = [
        alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names
    ]
    return [name for name in plain if name in {"casadi", "fmpy", "jax", "torch"}]


@pytest.mark.parametrize(
    "path",
    [path for path in EXAMPLES if f":load: ../{path.relative_to(FOLDER.parent)}\n" not in PAGES],
    ids=lambda p: p.relative_to(FOLDER).as_posix(),
)
def test_example_runs(path, tmp_path, monkeypatch):
    """An example finishes without an error or a warning, whatever the current folder is.

    One that starts processes of its own (it says `__main__`) is a process here as well.
    """
    for name in imported(path):
        pytest.importorskip(name, reason=f"{path.name} shows {name}, which is not installed")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    if "__main__" not in path.read_text("utf-8"):
        runpy.run_path(str(path))
        return
    run = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def wrong(path):
    """What is to be mended in an example."""
    source = path.read_text("utf-8")
    tree = parsed(source)
    wanted = {
        "a page long: 3,500 characters": len(source) < 3500,
        "narrow: the handbook shows 78 columns": max(map(len, source.splitlines())) <= 78,
        "with a docstring of one line: its heading in the docs": ast.get_docstring(tree),
        "with an assertion": any(isinstance(node, ast.Assert) for node in ast.walk(tree)),
    }
    return [rule for rule, met in wanted.items() if not met]


def test_examples_are_short_and_check_a_number():
    """An example is a page long, narrow, says what it shows, and asserts something."""
    assert not found_in(EXAMPLES, wrong)


def test_numbers_of_examples_are_their_own():
    """No two examples of the first folder have the same number."""
    numbers = [path.name.split("_")[0] for path in FOLDER.glob("*.py")]
    assert len(set(numbers)) == len(numbers)
