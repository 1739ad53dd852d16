"""An interrupt at any place of a first answer breaks nothing: asked again, it is answered."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from interrupted_answer import QUESTIONS
from law_counts import some

import korba.libraries
from korba import KorbaError
from korba.libraries import library

SCRIPT = Path(__file__).with_name("interrupted_answer.py")
PACKAGE = Path(korba.libraries.__file__).parent
FREE = {"codegen/targets/llvm/helper.py", "files/mjcf_helper.py"}
"""Processes of their own, which nobody asks twice."""
PLACES = 16


def said(question, place):
    run = subprocess.run(
        [sys.executable, str(SCRIPT), question, str(place)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "KORBA_CACHE": "off"},
    )
    return run.stdout.splitlines()


@cache
def undisturbed(question):
    """Calls and returns of the first answer, and the answer."""
    (line,) = said(question, 0)
    count, answer = line.split(" ", 1)
    return int(count), answer


@pytest.mark.parametrize("seed", some(1, PLACES))
@pytest.mark.parametrize("question", QUESTIONS)
def test_what_was_interrupted_is_answered_again(question, seed):
    """Wherever it happens, while modules and libraries are loaded too."""
    count, answer = undisturbed(question)
    place = count * (5 * (2 * seed + 1) % (2 * PLACES)) // (2 * PLACES)
    interrupted, again = said(question, place)
    assert (interrupted, again.split(" ", 1)[1]) == ("interrupted", answer)


def lazy_imports(tree):
    """Lines of functions that import libraries of others outside of `with undisturbed()`.

    NumPy is there already: all modules begin with it.
    """
    quiet = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.With) and "undisturbed()" in ast.unparse(node.items[0])
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    names = [node.module or ""]
                else:
                    continue
                own = {name.partition(".")[0] for name in names} - sys.stdlib_module_names
                if own - {"korba", "numpy"} and node.lineno not in quiet:
                    yield node.lineno


def test_libraries_are_loaded_undisturbed():
    """Whoever imports one when it is first needed says so."""
    paths = {path: path.relative_to(PACKAGE).as_posix() for path in sorted(PACKAGE.rglob("*.py"))}
    lines = [
        f"{name}:{line}"
        for path, name in paths.items()
        if name not in FREE
        for line in lazy_imports(ast.parse(path.read_text("utf-8")))
    ]
    assert not lines


def test_lazy_imports_are_found():
    """In functions and methods; those of the module, of Korba and of Python are none of them."""
    loud = "class C:\n def f(self):\n  import scipy.linalg\n  from networkx import Graph"
    assert [*lazy_imports(ast.parse(loud))] == [3, 4]
    quiet = (
        "import numpy\ndef f():\n import json\n from .a import b\n with undisturbed():\n  import a"
    )
    assert not [*lazy_imports(ast.parse(quiet))]


def test_a_library_that_is_missing_is_a_sentence():
    """What was asked for says what it needs."""
    assert library("json", "none") is sys.modules["json"]
    with pytest.raises(KorbaError, match="films need no_such_library"):
        library("no_such_library", "films need no_such_library")
