"""C99 text of every kind of program, compiled by the system's compiler, against NumPy."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from random_programs import random_program
from random_routines import LONG, random_function
from test_repetition_kernels import chain
from test_routines import INPUTS, fresh_streams, states

import korba as kb
from korba.codegen import evaluate_program, trace
from korba.codegen.repetition import Repetition
from korba.codegen.routine import routine
from korba.codegen.targets.c import C
from korba.codegen.targets.cuda import CUDA
from korba.codegen.targets.text import program_text
from korba.simulation import arguments
from korba.simulation.right_hand_side import plant_of
from korba.simulation.schemes import scheme_of
from korba.simulation.stepping import runs_of, task_of

FLAGS = ("-std=c99", "-O1", "-Wall", "-Werror", "-Wno-unused-but-set-variable", "-shared", "-fPIC")


def compiler():
    """The C compiler of this system."""
    found = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if found is None:
        pytest.fail("no C compiler (cc, gcc or clang) was found: install one to run these tests")
    return found


def compiled(program, folder, language=C):
    """The program in C as a function of rows of inputs and of streams."""
    source, library = folder / "f.c", folder / "f.so"
    source.write_text(program_text(language, program))
    subprocess.run([compiler(), *FLAGS, source, "-o", library, "-lm"], check=True)
    function = ctypes.CDLL(str(library)).f
    function.restype = None

    def call(*inputs, streams=()):
        given = [np.ascontiguousarray(x, dtype=float) for x in inputs]
        made = [np.empty(max(1, size)) for size in program.sizes]
        function(*(ctypes.c_void_p(x.ctypes.data) for x in (*given, *made, *streams)))
        return [
            x[:n].reshape(s) for x, n, s in zip(made, program.sizes, program.shapes, strict=True)
        ]

    return call


@pytest.mark.parametrize("seed", range(3))
def test_straight_programs(seed, tmp_path):
    """Every operation of the graph gives NumPy's value."""
    program = random_program(seed, 60)
    f = compiled(program, tmp_path)
    for q, v in zip(*np.random.default_rng(seed).normal(size=(2, 20, 3)), strict=True):
        for found, expected in zip(f(q, v[:2]), evaluate_program(program, q, v[:2]), strict=True):
            assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("language", [C, CUDA], ids=["C", "CUDA"])
def test_long_programs_are_cut(language, tmp_path):
    """No function has more operations than compilers take well; parts are not joined again."""
    own = replace(language, longest=50)
    program = random_program(2, 1000)
    text = program_text(own, program)
    functions = [part.count("\n  const double") for part in text.split("\n{\n")]
    assert len(functions) > 5
    assert max(functions) <= 50
    assert text.count(f"{own.cut}void") == text.count("_part") // 2 > 5
    if language is C:
        f = compiled(program, tmp_path, own)
        for q, v in zip(*np.random.default_rng(1).normal(size=(2, 5, 3)), strict=True):
            pairs = zip(f(q, v[:2]), evaluate_program(program, q, v[:2]), strict=True)
            for found, expected in pairs:
                assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_a_repetition_over_links(tmp_path):
    """Forward dynamics of a long chain: a function for each step, and the table of rows."""
    program = kb.compile(kb.forward_dynamics, chain(70)).program
    assert isinstance(program, Repetition)
    given = np.random.default_rng(1).uniform(-1, 1, (3, 70))
    expected = evaluate_program(program, *given)
    found = compiled(program, tmp_path)(*given)[0]
    assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(4))
def test_routines(seed, tmp_path):
    """Repetitions, choices, calls and streams do what NumPy's masks do."""
    own = routine(random_function(seed), INPUTS, "random", ("table", "rows"))
    f, given, streams = compiled(own, tmp_path), states(), [fresh_streams() for _ in range(2)]
    expected = evaluate_program(own, *given, streams=streams[0])
    assert given[2].shape[1] == LONG
    for k, row in enumerate(zip(*given, strict=True)):
        for found, column in zip(f(*row, streams=streams[1]), expected, strict=True):
            assert_allclose(found, column[k], rtol=0, atol=1e-12)
    assert_allclose(streams[1][1], streams[0][1], rtol=0, atol=1e-12)


def test_a_whole_simulation(tmp_path):
    """DOP853 with its equations and its interpolant as one C function: the steps of `simulate`."""
    m = kb.loads("""
        name = "pendulum"
        plane = "xy"
        body = [{name = "rod", mass = 1, com = [0.5, 0], inertia = 0.1}]
        joint = [{name = "A", type = "revolute", parent = "ground", child = "rod", at = [0, 0]}]
    """)
    times = np.linspace(0, 3, 7)
    expected = kb.simulate(m, 3, q=[0.2], times=times)
    scheme = scheme_of(plant_of(m)[0], "dop853")
    task = task_of(arguments.Times(0.0, 3.0, times), rtol=1e-8, atol=1e-10)
    start = np.array([[0.2, 0.0]])
    made = runs_of(scheme, task, times, start, first=start)
    f = compiled(scheme.advance.program, tmp_path)
    made.states[scheme.places.left] = 10**6
    f(
        made.states,
        np.array(task, dtype=float),
        np.ones(2),
        streams=(times, start, made.rows, made.ends),
    )
    assert_allclose(made.written[:, 1], expected["A"], rtol=0, atol=1e-12)
    assert made.end.steps[0] == expected.effort.steps
    assert made.end.evaluations[0] == expected.effort.evaluations


def test_sines_and_cosines_to_the_last_digits(tmp_path):
    """At angles of any size, next to multiples of a quarter turn too, and beyond the series."""
    program = trace(lambda x: np.array([np.sin(x[0]), np.cos(x[0])]), {"x": 1})
    f, rng = compiled(program, tmp_path), np.random.default_rng(0)
    near = np.arange(-40, 40) * np.pi / 2 + rng.normal(0, 1e-9, 80)
    for x in [*near, *rng.uniform(-9e4, 9e4, 300), *rng.normal(0, 3, 300), 1e5, -3e7, 0.0]:
        assert_allclose(f([x])[0], [np.sin(x), np.cos(x)], rtol=4e-16, atol=2e-16)
