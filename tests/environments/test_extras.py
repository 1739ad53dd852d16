"""Every extra has an example that works, and a sentence with its line where it is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from extra_examples import EXAMPLES, OF_THE_USER, is_there, refusal
from requirements import extras

ONE = "import sys, pathlib, extra_examples as e; e.EXAMPLES[sys.argv[1]][1](pathlib.Path())"


def test_every_extra_has_an_example():
    """None is named in pyproject.toml that the table does not know, or the other way round."""
    assert EXAMPLES.keys() == extras().keys()


@pytest.mark.parametrize("extra", EXAMPLES)
def test_the_example_of_an_extra_works(extra, tmp_path, monkeypatch):
    """Where it is installed; in a process of its own, in which no other extra was loaded."""
    if not is_there(extra):
        pytest.skip(f"the extra {extra} is not installed")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)
    command = [sys.executable, "-c", ONE, extra]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize(
    ("extra", "module"),
    [(e, module) for e, (modules, _) in EXAMPLES.items() for module in modules],
)
def test_a_missing_module_is_answered_with_the_line_that_installs_it(
    extra, module, tmp_path, monkeypatch
):
    """Whichever module of an extra is not there."""
    if extra in OF_THE_USER:
        pytest.skip("it is imported by the user, who learns from Python that it is missing")
    for name in [name for name in sys.modules if name.split(".")[0] == module.split(".")[0]]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, module.split(".")[0], None)
    assert f"pip install 'korba[{extra}]'" in refusal(extra, tmp_path)
