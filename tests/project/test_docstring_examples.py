"""Examples in docstrings give what they say.

They may use the names that the reference's first page makes (a four-bar `m`, its `motion` over a
turn, a robot `arm`), and PyTorch, JAX and CasADi; what they write lands in a folder of their own.
"""

import doctest
import inspect
from contextlib import suppress
from importlib import import_module
from io import StringIO
from pathlib import Path
from types import ModuleType

import numpy as np
from robot_files import ROBOTS
from sources import MODULES, ROOT, dotted_name

import korba as kb

ROOMS = (kb, kb.course, kb.linkages, kb.papers, kb.results, kb.solids)
LIBRARIES = ("casadi", "jax", "torch")
ROBOTS_BY_NAME = "robots"
"""The example that needs files of robots."""
WITHOUT = 5
"""Examples that need what not every machine has: a file, a graphics card."""
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PRINTED = {"precision": 8, "threshold": 1000, "linewidth": 75, "suppress": False}


def samples(runner):
    """The names that an example may use, besides those it makes."""
    page = (ROOT / "docs" / "_ext" / "grouped_reference.py").read_text("utf-8")
    code = page.partition("```python\n")[2].partition("```")[0].split("\n")
    lines = "".join(f">>> {line}\n" for line in code if line)
    test = doctest.DocTestParser().get_doctest(lines, {}, "samples", None, None)
    runner.run(test, clear_globs=False)
    for library in LIBRARIES:
        with suppress(ImportError):
            test.globs[library] = import_module(library)
    if isinstance(ROBOTS, Path):
        test.globs[ROBOTS_BY_NAME] = kb.robots
    return test.globs


def things():
    """What Korba shows, without the wrapping of its door, then all modules with examples."""
    shown = [getattr(room, name) for room in ROOMS for name in room.__all__]
    yield from (inspect.unwrap(each) for each in shown if not isinstance(each, ModuleType))
    for path in MODULES:
        if ">>>" in path.read_text("utf-8"):
            yield import_module(".".join(dotted_name(path)).removesuffix(".__init__"))


def examples(names):
    """Every docstring with an example, once."""
    finder, seen = doctest.DocTestFinder(), set()
    for thing in things():
        name = getattr(thing, "__name__", None) or type(thing).__name__
        own = vars(thing) if isinstance(thing, ModuleType) else {}
        for test in finder.find(thing, name, globs=own | names):
            if test.examples and test.docstring not in seen:
                seen.add(test.docstring)
                yield test


def skipped(test):
    return [each for each in test.examples if each.options.get(doctest.SKIP)]


def test_examples_in_docstrings_hold(tmp_path, monkeypatch):
    """Each is run, with what it says besides; few need what is not there."""
    monkeypatch.chdir(tmp_path)
    runner, told = doctest.DocTestRunner(optionflags=OPTIONS), StringIO()
    names = samples(runner)
    tests = [test for test in examples(names) if names.keys() >= needed(test)]
    with np.printoptions(**PRINTED):
        for test in tests:
            runner.run(test, out=told.write)
    assert not runner.failures, told.getvalue()
    assert runner.tries > 240
    left = [each.source for test in tests for each in skipped(test)]
    assert len(left) <= WITHOUT, left


def needed(test):
    """Libraries without which an example says nothing."""
    return {test.name.rpartition(".")[2]} & {*LIBRARIES, ROBOTS_BY_NAME}
