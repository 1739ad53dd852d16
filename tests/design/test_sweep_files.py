"""Files of sweeps: answers of the question that is asked and no other; columns told apart."""

from __future__ import annotations

import functools
import math
import re
import socket
import subprocess
import sys
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from four_bars import SLIDER_CRANK, four_bar
from numpy.testing import assert_array_equal

import korba as kb
from korba.design import record
from korba.design.content import NoContentError, content

SIZES = {"b": [0.6, 0.65, 0.7]}
TIMES = np.linspace(0.0, 0.1, 5)
FACTOR = 1.0


@pytest.fixture(scope="module")
def m():
    return four_bar()


def of_global(moved):
    """A question that a global decides."""
    return FACTOR * moved.q[:, -1, 0]


def helper(x):
    return 2 * x


def of_helper(moved):
    return helper(moved.q[:, -1, 0])


@pytest.mark.parametrize("ending", ["npz", "parquet"])
def test_another_question_of_the_same_name_is_not_answered_from_a_file(m, tmp_path, ending):
    """Redefined, a question is refused the file, whether the file is full or half full."""
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"s.{ending}"

    def ask(factor):
        def q(moved):
            return factor * moved.q[:, -1, 0]

        return kb.sweep(m, SIZES, q, TIMES, file=path)["q"]

    first = ask(1.0)
    assert_array_equal(ask(1.0), first)
    with pytest.raises(kb.FileError, match=r"holds another sweep.*: question 'q';"):
        ask(10.0)
    path.unlink()
    assert_array_equal(ask(10.0), 10 * first)


def test_the_file_knows_what_a_question_depends_on(m, tmp_path, monkeypatch):
    """Globals, functions it calls, ready questions under one's own name, and Korba's version."""
    path = tmp_path / "s.npz"

    def refused(question, other):
        kb.sweep(m, SIZES, question, TIMES, file=path)
        with pytest.raises(kb.FileError, match="holds another sweep"):
            other()
        path.unlink()

    def again(question):
        return lambda: kb.sweep(m, SIZES, question, TIMES, file=path)

    def with_changed(name, value, question):
        def asked():
            with monkeypatch.context() as patch:
                patch.setattr(sys.modules[__name__], name, value)
                again(question)()

        return asked

    refused(of_global, with_changed("FACTOR", 3.0, of_global))
    refused(of_helper, with_changed("helper", lambda x: 3 * x, of_helper))
    refused({"x": "stroke of D"}, again({"x": "stroke of C"}))
    refused({"x": kb.centre_of_mass}, again({"x": kb.momentum}))
    monkeypatch.setattr(record, "version", lambda _: "1")
    kb.sweep(m, SIZES, of_global, TIMES, file=path)
    monkeypatch.setattr(record, "version", lambda _: "2")
    with pytest.raises(kb.FileError, match="not the same: version of Korba"):
        again(of_global)()


def test_a_question_without_content_is_not_kept(m, tmp_path):
    """A question that holds an open socket is refused a file, by what it holds; else asked."""
    with socket.socket() as held:

        def q(moved):
            return moved.q[:, -1, 0] + 0 * bool(held)

        with pytest.raises(kb.StructureError, match="question 'q' uses 'held', a socket, whose"):
            kb.sweep(m, SIZES, q, TIMES, file=tmp_path / "s.npz")
        assert np.isfinite(kb.sweep(m, SIZES, q, TIMES)["q"]).all()


class Least:
    """A question with a state."""

    def __init__(self, share):
        self.share = share

    def __call__(self, moved):
        return self.share * moved.q.min(axis=(1, 2))


@dataclass(frozen=True)
class Most:
    """The same as a dataclass."""

    share: float

    def __call__(self, moved):
        return self.share * moved.q.max(axis=(1, 2))


@functools.lru_cache
def kept(x):
    return math.sin(x) + helper(x)


def of_default(x=1.0, *, y=(1, 2)):
    return x, y, kept(1.0), np.max, len, sorted({1, 2})


def closing_over(x):
    return lambda: x


def pairs():
    """Values, and others that look alike."""
    one, two = np.arange(3.0), np.nextafter(np.arange(3.0), 9.0)
    yield Least(1.0), Least(2.0)
    yield Most(1.0), Most(2.0)
    yield Least(1.0).__call__, Least(2.0).__call__
    yield functools.partial(helper, 1), functools.partial(helper, 2)
    yield lambda: 1, lambda: 2
    yield lambda x=1: x, lambda x=2: x
    yield lambda: one[0], lambda: (one + 1)[0]
    yield closing_over(one), closing_over(two)
    yield of_default, kept
    yield {"a": 1}, {"a": 1.0}
    yield [1, [2]], [[1], 2]
    yield np.sin, np.cos
    yield math.sin, math.cos
    yield kb.pose, kb.velocity
    yield four_bar(), replace(four_bar(), name="other")
    yield {1, 2}, {1, 3}
    yield "".join, " ".join
    yield True, 1


def test_content_tells_values_apart():
    """Two values have one content only if they do the same; the same value has one, twice."""
    for one, other in pairs():
        assert content(one) == content(one) != content(other), one


def test_content_is_the_same_in_another_process(tmp_path):
    """Functions, classes and their instances of one text, with other seeds of hashes."""
    text = """
        import functools, sys
        import numpy as np
        from dataclasses import dataclass
        from korba.design.content import content

        NAMES = {"some", "names", "in", "a", "set"}

        @dataclass
        class Share:
            of: float

            def __call__(self, moved):
                return [self.of * x for x in moved if str(x) in NAMES]

        def q(moved, scale=np.array([1.0, 2.0])):
            return np.max(scale) * f(moved)

        def f(x):
            return f(x - 1) if x in {"a", "b", "c"} else Share(0.5)

        print(content(q), content(Share(2.0)), content(functools.partial(q, NAMES)))
    """
    path = tmp_path / "questions.py"
    path.write_text(textwrap.dedent(text))

    def told(seed):
        source = str(Path(kb.__file__).parents[1])
        env = {"PYTHONHASHSEED": seed, "PYTHONPATH": source, "PATH": "/usr/bin:/bin"}
        done = subprocess.run([sys.executable, path], env=env, capture_output=True, check=True)
        return done.stdout

    assert told("1") == told("2") != b""


def test_what_cannot_be_told_has_no_content():
    """Generators, open files and functions around them."""
    running = (x for x in range(3))
    with pytest.raises(NoContentError, match="'running', a generator"):
        content(lambda: next(running))
    made = np.frompyfunc(lambda x: x + 1, 1, 1)
    with pytest.raises(NoContentError, match="'made', a ufunc"):
        content(lambda: made(1))


def sized(name):
    """A slider-crank with a length of another name; its stroke is twice that."""
    text = SLIDER_CRANK
    for old in ("parameters.r ", '"r"', '"r + l"'):
        text = text.replace(old, re.sub(r"\br\b", name, old))
    return kb.loads(text)


@pytest.mark.parametrize("name", ["about", "file", "allow_pickle", "status", "key"])
@pytest.mark.parametrize("ending", ["npz", "parquet"])
def test_sizes_of_any_name_are_kept_in_files(name, ending, tmp_path):
    """What the file says of itself has no names that sizes or answers may not have."""
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    path, r = tmp_path / f"s.{ending}", [0.04, 0.05]
    for _ in range(2):
        s = kb.sweep(sized(name), {name: r}, {"format": "stroke", "shapes": "size"}, file=path)
        assert_array_equal(s[name], r)
        np.testing.assert_allclose(s["format"], 2 * np.array(r), rtol=1e-4)


def test_sizes_and_answers_of_one_name_are_refused(m):
    """The size stroke and the answer stroke, numbers of an array, the table's own columns."""
    with pytest.raises(kb.StructureError, match="answer 'stroke' has the name of a size; give the"):
        kb.sweep(sized("stroke"), {"stroke": [0.04, 0.05]}, "stroke")
    named = kb.sweep(sized("stroke"), {"stroke": [0.04, 0.05]}, {"way": "stroke"})
    np.testing.assert_allclose(named["way"], 2 * named["stroke"], rtol=1e-4)
    for name in ("asked", "reason"):
        with pytest.raises(kb.StructureError, match=f"the size '{name}' has the name of a column"):
            kb.sweep(sized(name), {name: [0.04, 0.05]}, "stroke")
        with pytest.raises(
            kb.StructureError, match=f"the answer '{name}' has the name of a column"
        ):
            kb.sweep(m, SIZES, {name: "stroke of D"}, TIMES)
    pairs = {"x": lambda moved: moved.q[:, 0, :2], "x[1]": "stroke of D"}
    with pytest.raises(kb.StructureError, match=r"answer 'x\[1\]' has the name of another answer"):
        kb.sweep(m, SIZES, pairs, TIMES)


def test_questions_of_one_name_are_refused(m):
    """Two lambdas, and two questions that answer by the same names."""
    one, two = (lambda moved: moved.q[:, 0, 0]), (lambda moved: moved.q[:, 0, 1])
    with pytest.raises(kb.StructureError, match="two questions are called '<lambda>'"):
        kb.sweep(m, SIZES, [one, two], TIMES)
    asked = {name: lambda moved: {"x": moved.q[:, 0, 0]} for name in ("one", "two")}
    with pytest.raises(kb.StructureError, match="question 'two' answers with 'x', as another does"):
        kb.sweep(m, SIZES, asked, TIMES)


def test_a_constraint_of_two_meanings_is_refused():
    """A parameter called stroke and the question stroke, in a constraint of an optimisation."""
    m = sized("stroke")
    with pytest.raises(kb.StructureError, match="'stroke' is a question and a parameter"):
        kb.optimise(m, "-size", {"l": (0.1, 0.2)}, constraints=["stroke >= 0.04"])
    kb.optimise(m, "-size", {"l": (0.1, 0.2)}, constraints=["1*stroke >= 0.04"])
