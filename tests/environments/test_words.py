"""What `make pythons` and its kin hand on: options and tests in any order."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from interpreters import NoPythonError
from requirements import ROOT
from run import JOBS, asked_for, pythons


@pytest.mark.parametrize("job", JOBS)
def test_options_and_tests_come_in_any_order(job):
    """Versions first, as make writes them, or last."""
    words = [["--quick"], ["--version", "3.13"], ["--version", "3.14"], ["tests/a", "tests/b"]]
    for ordered in (words, words[::-1]):
        asked = asked_for([job, *(word for group in ordered for word in group)])
        assert sorted(asked.version) == ["3.13", "3.14"]
        assert (asked.tests, asked.quick) == (["tests/a", "tests/b"], True)


def test_make_hands_on_all_words():
    """`make -n` shows the line: a job of ours with options and tests."""
    if not shutil.which("make"):
        pytest.skip("needs make; `python -m jobs` does not")
    asked = ["VERSIONS=3.13 3.14", "TESTS=tests/a tests/b", "QUICK=1"]
    asked.append("--no-print-directory")  # said by a make inside of another
    done = subprocess.run(
        ["make", "-n", "pythons", *asked], cwd=ROOT, capture_output=True, text=True, check=True
    )
    words = done.stdout.split(" -m jobs ")[1].split()
    found = asked_for(words)
    assert (found.job, found.version, found.quick) == ("pythons", ["3.13", "3.14"], True)
    assert found.tests == ["tests/a", "tests/b"]


def test_a_python_that_cannot_be_had_is_told(monkeypatch, capsys):
    """Nothing is made for it, and the job ends as one that tested nothing."""

    def none(*_):
        raise NoPythonError("there is no archive")

    monkeypatch.setattr(sys.modules["run"], "interpreter", none)
    assert pythons(asked_for(["pythons", "--version", "3.99"])) == []
    assert "Python 3.99 was not tested: there is no archive" in capsys.readouterr().out
