"""Calls straight into machine code: layouts asked of the interpreter, tried once, or not used."""

import subprocess
import sys
from dataclasses import fields, replace
from types import SimpleNamespace

import numpy as np
import pytest
from random_programs import chain_program

from korba.codegen import compile_program, trace
from korba.codegen.callable.compiled import Compiled
from korba.codegen.targets.llvm import compiler, fast_way, layouts, machine

NAMES = [field.name for field in fields(layouts.Places)]
MISSED = ["type_pointer", "ndim", "dimensions", "strides", "descr"]
"""Places at which the machine code finds something else than a vector, without harm."""
CHANGES = (-16, -8, 8, 16, 4096)


@pytest.fixture
def afresh():
    """What is known of the interpreter is asked again, in the test and after it."""
    known = layouts.layout_fault, fast_way.plain_reason
    for answer in known:
        answer.cache_clear()
    yield
    for answer in known:
        answer.cache_clear()


def moved(name, by):
    """The layout of this interpreter with one place changed."""
    return replace(layouts.places(), **{name: getattr(layouts.places(), name) + by})


def test_a_tested_python_goes_straight(afresh):
    """Where the versions are ones that were tested nothing is wrong; elsewhere it is said what."""
    assert fast_way.plain_reason() == fast_way.version_fault()
    doubled = compile_program(trace(lambda x: x + x, {"x": 3}))
    np.testing.assert_array_equal(doubled(np.arange(3.0)), [0, 2, 4])
    straight = type(doubled) is not Compiled
    assert straight == (fast_way.plain_reason() == "")


@pytest.mark.parametrize("by", CHANGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_place_is_noticed_before_anything_is_called(name, by):
    """A layout with any place elsewhere, outside the object too, has a fault; the true one none."""
    assert layouts.fault_of(layouts.places()) == ""
    assert layouts.fault_of(moved(name, by))


@pytest.mark.parametrize("name", MISSED)
def test_the_program_of_one_line_notices_what_is_not_called_straight(name, monkeypatch):
    """Were a place taken for right, the entry would not know a vector: it is told."""
    wrong = moved(name, 8 if name != "strides" else -8)
    monkeypatch.setattr(layouts, "places", lambda: wrong)
    assert fast_way.trial_fault() == "a program of one line was not called straight"


def test_a_program_that_gives_other_numbers_is_noticed(monkeypatch):
    """Machine code that gives x * x in place of x + x is not used."""
    other = trace(lambda x: x * x, {"x": 2})
    monkeypatch.setattr(fast_way, "trace", lambda formula, inputs: other)
    assert fast_way.trial_fault() == "a program of one line gave something else than it should"


@pytest.mark.parametrize("outputs", [lambda x: x + x, lambda x: (x + x, 3.0 * x)])
def test_a_faked_layout_takes_the_plain_way_with_the_same_numbers(afresh, monkeypatch, outputs):
    """With the items of a tuple elsewhere nothing is installed, and calls answer as before."""
    program = trace(outputs, {"x": 4})
    x = np.random.default_rng(0).normal(size=4)
    expected = compile_program(program)(x)
    for answer in (layouts.layout_fault, fast_way.plain_reason):
        answer.cache_clear()
    wrong = moved("items", 8 if layouts.places().items == 24 else -8)
    monkeypatch.setattr(layouts, "places", lambda: wrong)
    assert "the items of a tuple" in fast_way.plain_reason()
    plain = compile_program(program)
    np.testing.assert_array_equal(plain(x), expected)
    np.testing.assert_array_equal(plain(x), expected)
    np.testing.assert_array_equal(plain([*x]), expected)
    assert type(plain) is Compiled
    with pytest.raises(Exception, match="x"):
        plain(np.full(4, np.nan))


FAKED = """
from dataclasses import replace
from korba.codegen.targets.llvm import layouts
true = layouts.places()
wrong = replace(true, {name}=true.{name} + {by})
layouts.places.cache_clear()
layouts.places = lambda: wrong
layouts.layout_fault.cache_clear()
import numpy as np
from korba.codegen import compile_program, trace
from korba.codegen.targets.llvm.fast_way import plain_reason
print(compile_program(trace(lambda x: x + x, {{"x": 2}}))(np.array([1.0, 2.0])), plain_reason())
"""


@pytest.mark.parametrize("name", ["items", "count", "data", "dimensions", "call"])
@pytest.mark.parametrize("by", [-8, 8, 1 << 40])
def test_a_wrong_layout_does_not_end_the_process(name, by):
    """A process with one place wrong, however far, answers the plain way."""
    program = FAKED.format(name=name, by=by)
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("[2. 4.] ")
    assert "is not where it was looked for" in ran.stdout


@pytest.mark.parametrize(
    ("fake", "said"),
    [
        ((fast_way, "PYTHONS", ((3, 8), (3, 9))), "Python 3.8 to 3.9 were tested, and this is"),
        ((fast_way, "PYTHONS", ((4, 0), (4, 1))), "Python 4.0 to 4.1 were tested, and this is"),
        ((sys, "abiflags", "t"), "free-threaded"),
        ((sys, "_is_gil_enabled", lambda: False), "free-threaded"),
        ((sys, "implementation", SimpleNamespace(name="pypy")), "this is pypy"),
        ((np, "__version__", "3.0.0"), "NumPy 2 was tested, and this is 3.0.0"),
    ],
)
def test_other_interpreters_take_the_plain_way(afresh, monkeypatch, fake, said):
    """An unknown version, a free-threaded build, another implementation, another NumPy."""
    monkeypatch.setattr(*fake, raising=False)
    assert said in fast_way.plain_reason()
    plain = compile_program(trace(lambda x: x + x, {"x": 2}))
    np.testing.assert_array_equal(plain(np.array([1.0, 2.0])), [2, 4])
    assert type(plain) is Compiled


@pytest.mark.parametrize("name", NAMES)
def test_the_layout_is_in_the_key_of_what_reads_it(name, monkeypatch):
    """Code whose entry reads Python's objects is kept apart for every layout; other code not."""
    target, program = compiler.host(), chain_program(3).digest
    kinds = ("scalar", "plain", "batch")
    before = [machine.object_key(kind, program, target) for kind in kinds]
    wrong = moved(name, 8)
    monkeypatch.setattr(layouts, "places", lambda: wrong)
    after = [machine.object_key(kind, program, target) for kind in kinds]
    assert [x == y for x, y in zip(before, after, strict=True)] == [False, True, True]
