"""Generated code computes what the verb does: C, JavaScript and NumPy at the same state."""

import ctypes
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from importlib import import_module

import numpy as np
import pytest
from node_program import node
from numpy.testing import assert_allclose
from random_programs import chain_program
from test_c_target import compiler
from test_repetition_kernels import chain

import korba as kb
from korba.cli import main
from korba.codegen.catalogue import targets
from korba.codegen.targets import javascript
from korba.verbs.generate import identifier

FLAGS = ("-std=c99", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror", "-DKORBA_MAIN")


@cache
def four_bar():
    """A driven four-bar with masses, pins with friction, and named lengths."""
    return kb.loads("""
        name = "four-bar (no. 1)"
        plane = "xy"
        parameters = {a = 0.2, b = 0.6, c = 0.5, d = 0.7}
        body = [
          {name = "crank", mass = 1, inertia = 0.1, points = {O = [0, 0], A = ["a", 0]}},
          {name = "coupler", mass = 2, inertia = 0.1, points = {A = [0, 0], B = ["b", 0]}},
          {name = "rocker", mass = 1, inertia = 0.1, points = {C = [0, 0], B = ["c", 0]}},
        ]
        drive = [{name = "motor", type = "joint", joint = "O", position = "0.4 + t"}]
        [[joint]]
        name = "O"
        type = "revolute"
        parent = "ground"
        child = "crank.O"
        at = [0, 0]
        friction = {coefficient = 0.1, radius = 0.01}
        [[joint]]
        name = "A"
        type = "revolute"
        parent = "crank.A"
        child = "coupler.A"
        [[joint]]
        name = "B"
        type = "revolute"
        parent = "coupler.B"
        child = "rocker.B"
        [[joint]]
        name = "C"
        type = "revolute"
        parent = "ground"
        child = "rocker.C"
        at = ["d", 0]
    """)


CASES = {
    "pose of designs": lambda: (kb.pose, four_bar(), {"body": "coupler", "parameters": ("a", "b")}),
    "reactions with friction": lambda: (kb.reactions, four_bar(), {"friction": True}),
    "forward dynamics of a long chain": lambda: (kb.forward_dynamics, chain(70), {}),
    "a derivative": lambda: (
        kb.derivative(kb.pose, four_bar(), "q", body="rocker"),
        four_bar(),
        {},
    ),
}


def asked(case):
    """Program, inputs 0.1, 0.2, ... and the results there, one after the other."""
    verb, m, options = CASES[case]()
    program = kb.compile(verb, m, **options) if hasattr(verb, "formula") else kb.compile(verb)
    inputs = [0.1 * np.arange(1, size + 1) for _, size in program.signature.inputs]
    results = program(*inputs, check_finite=False)
    parts = results if isinstance(results, tuple) else (results,)
    return verb, m, options, inputs, np.concatenate([np.ravel(part) for part in parts])


@pytest.mark.parametrize("case", CASES)
def test_c_prints_the_results(case, tmp_path):
    """C99 without a warning, with its own main."""
    verb, m, options, _, expected = asked(case)
    (tmp_path / "f.c").write_text(kb.generate(verb, m, "c", **options), encoding="utf-8")
    subprocess.run([compiler(), *FLAGS, "f.c", "-o", "f", "-lm"], cwd=tmp_path, check=True)
    out = subprocess.run([tmp_path / "f"], capture_output=True, check=True, text=True).stdout
    assert_allclose(np.array(out.split(), dtype=float), expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(
    ("language", "case"), [("c", "reactions with friction"), ("c-float", "pose of designs")]
)
def test_c_is_cpp_too(language, case, tmp_path):
    """The same file compiles as C++ without a warning, and its header names it for both."""
    found = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
    if found is None:
        pytest.skip("no C++ compiler (c++, g++ or clang++)")
    verb, m, options, _, expected = asked(case)
    text = kb.generate(verb, m, language, name="f", **options)
    (tmp_path / "f.cpp").write_text(text)
    (tmp_path / "f.h").write_text(kb.generate(verb, m, f"{language}-header", name="f", **options))
    flags = ["-std=c++14", *FLAGS[1:-1]]
    subprocess.run([found, *flags, "-DKORBA_MAIN", "f.cpp", "-o", "f"], cwd=tmp_path, check=True)
    out = subprocess.run([tmp_path / "f"], capture_output=True, check=True, text=True).stdout
    exact = 1e-9 if language == "c" else 1e-3
    scale = np.abs(expected).max()
    assert_allclose(np.array(out.split(), dtype=float), expected, rtol=exact, atol=exact * scale)
    assert [x.split("(")[0] for x in text.split("KORBA_C void ")[1:]] == ["f"]
    (tmp_path / "user.cpp").write_text('#include "f.h"\nvoid (*used)() = (void (*)())f;\n')
    subprocess.run([found, *flags, "-c", "user.cpp"], cwd=tmp_path, check=True)


@pytest.mark.parametrize("case", CASES)
def test_javascript_gives_the_results(case, tmp_path):
    """An ES module under node."""
    assert_node_agrees(case, tmp_path)


@pytest.mark.parametrize("case", ["pose of designs", "reactions with friction"])
def test_javascript_in_pieces_gives_the_results(case, tmp_path, monkeypatch):
    """Cut into functions of at most 7 operations, as long programs are."""
    monkeypatch.setattr(javascript, "JAVASCRIPT", replace(javascript.JAVASCRIPT, longest=7))
    assert "_part1" in assert_node_agrees(case, tmp_path)


def assert_node_agrees(case, tmp_path):
    """Generates JavaScript, runs it and compares; the text."""
    verb, m, options, inputs, expected = asked(case)
    text = kb.generate(verb, m, "javascript", name="f", **options)
    program = kb.compile(verb, m, **options) if hasattr(verb, "formula") else kb.compile(verb)
    given = ", ".join(f"Float64Array.of({', '.join(map(repr, x.tolist()))})" for x in inputs)
    sizes = ", ".join(f"new Float64Array({size})" for size in program.signature.sizes)
    tail = f"const outs = [{sizes}]; f({given}, ...outs);"
    tail += "\nfor (const out of outs) for (const x of out) console.log(x);"
    (tmp_path / "f.mjs").write_text(f"{text}\n{tail}\n", encoding="utf-8")
    done = subprocess.run(
        [*node(), "f.mjs"], cwd=tmp_path, capture_output=True, check=True, text=True
    )
    assert_allclose(np.array(done.stdout.split(), dtype=float), expected, rtol=1e-9, atol=1e-10)
    return text


def test_numpy_source_takes_batches(tmp_path, monkeypatch):
    """The module's function of arrays with batch axes."""
    verb, m, options = CASES["pose of designs"]()
    (tmp_path / "generated_pose.py").write_text(kb.generate(verb, m, "numpy", name="f", **options))
    monkeypatch.syspath_prepend(tmp_path)
    f = import_module("generated_pose").f
    q, p = np.random.default_rng(0).normal(size=(5, 4)), np.array([0.3, 0.4])
    assert_allclose(f(q, p), kb.compile(verb, m, **options)(q, p), atol=1e-14)


def test_single_precision(tmp_path):
    """Floats all through: no double is left in the text."""
    verb, m, options = CASES["pose of designs"]()
    text = kb.generate(verb, m, "c-float", **options)
    assert "double" not in text.partition("#include")[2].partition("#ifdef KORBA_MAIN")[0]
    (tmp_path / "f.c").write_text(text)
    flags = [flag for flag in FLAGS if "MAIN" not in flag] + ["-Wdouble-promotion", "-c"]
    subprocess.run([compiler(), *flags, "f.c", "-o", "f.o"], cwd=tmp_path, check=True)
    subprocess.run([compiler(), *FLAGS, "f.c", "-o", "f", "-lm"], cwd=tmp_path, check=True)
    out = subprocess.run([tmp_path / "f"], capture_output=True, check=True, text=True).stdout
    expected = asked("pose of designs")[-1]
    assert_allclose(np.array(out.split(), dtype=float), expected, rtol=0, atol=1e-6)
    header = kb.generate(verb, m, "c-float-header", **options)
    (tmp_path / "f.c").write_text(f'#include "f.h"\n{text}')
    (tmp_path / "f.h").write_text(header)
    subprocess.run([compiler(), *flags, "f.c", "-o", "f.o"], cwd=tmp_path, check=True)


def test_formulas_of_a_verb():
    """A pose as a person writes it."""
    text = kb.generate(kb.pose, four_bar(), "text", body="coupler", parameters=("a",))
    assert "y₁,₄ = a cos O" in text.splitlines()
    assert kb.generate(kb.pose, four_bar(), "llvm", body="rocker", name="f").count("@f(") == 1


@pytest.mark.parametrize("name", ["four-bar (no. 1)", "1st", "Łódź", "", "ramię"])
def test_names_are_identifiers(name):
    """Any name of a mechanism makes a name of a function."""
    assert identifier(name).isidentifier()


def test_names_that_languages_do_not_take_are_changed_and_said():
    """Words of the languages too; a good name is kept as it is."""
    for asked, own in (("double", "f_double"), ("1st", "f_1st"), ("armStep", "armStep")):
        text = kb.generate(kb.pose, four_bar(), "c", body="rocker", name=asked)
        assert f"void {own}(" in text
        assert (f"called {own}, because {asked!r}" in text) == (asked != own)


def test_unknown_targets_and_steps_in_single_precision_are_refused():
    """Sentences with the way out."""
    with pytest.raises(kb.StructureError, match="javascript"):
        kb.generate(kb.pose, four_bar(), "java", body="rocker")
    with pytest.raises(kb.StructureError, match="take 'c'"):
        kb.generate(kb.reactions, four_bar(), "c-float", friction=True)
    with pytest.raises(kb.StructureError, match="expected a mechanism, and a verb"):
        kb.generate(kb.mobility, four_bar(), "c")
    with pytest.raises(kb.StructureError, match="'events' is not written into code"):
        kb.generate(kb.simulate, four_bar(), "c", events="A")


def test_the_command_takes_the_language_from_the_file(tmp_path, monkeypatch, capsys):
    """A whole run as CUDA by the ending of the file; nothing is overwritten unasked."""
    kb.save(four_bar(), tmp_path / "m.toml")
    run = str(tmp_path / "run.cu")
    asked = ["korba", "generate", str(tmp_path / "m.toml"), "--what", "simulate", "-o", run]
    monkeypatch.setattr(sys, "argv", [*asked, "--method", "rk4", "--parameter", "a"])
    for code in (0, 1):
        with pytest.raises(SystemExit) as done:
            main()
        assert int(done.value.code or 0) == code
    assert "__global__" in (tmp_path / "run.cu").read_text()
    assert "--force" in "".join(capsys.readouterr())


def test_a_chaotic_run_in_c_follows_ours_over_its_first_tenth(tmp_path):
    """A double pendulum, 1 s of 10: the same steps, and the same numbers to 1e-12."""
    m = kb.loads("""
        name = "double pendulum"
        plane = "xy"
        body = [
          {name = "a", mass = 1, com = [0.5, 0], inertia = 0.0833},
          {name = "b", mass = 1, com = [1.5, 0], inertia = 0.0833},
        ]
        joint = [
          {name = "A", type = "revolute", parent = "ground", child = "a", at = [0, 0]},
          {name = "B", type = "revolute", parent = "a", child = "b", at = [1, 0]},
        ]
    """)
    text = kb.generate(kb.simulate, m, "c", name="f", method="dop853")
    (tmp_path / "f.c").write_text(text, encoding="utf-8")
    flags = [*FLAGS[:-1], "-shared", "-fPIC", "-O2"]
    subprocess.run([compiler(), *flags, "f.c", "-o", "f.so", "-lm"], cwd=tmp_path, check=True)
    run = kb.simulate(m, 1.0, q=[1.5, 0.0])
    given = [np.array(x) for x in ([1.5, 0.0], [0.0, 0.0], [0.0], [1.0], [1e-8], [1e-10], [1.0])]
    q, v, end = np.zeros(2), np.zeros(2), np.zeros(4)
    function = ctypes.CDLL(str(tmp_path / "f.so")).f
    function(*(ctypes.c_void_p(x.ctypes.data) for x in (*given, q, v, end)))
    assert end[1] == 1 and end[2] == len(run.t) - 1
    assert_allclose(np.concatenate([q, v]), [*run.q[-1], *run.v[-1]], rtol=0, atol=1e-12)


def test_a_written_run_feels_a_short_load_with_steps_as_long_as_it_lasts():
    """A free mass and a pulse of 0.28 s: `longest` bounds the steps; without it they pass over."""
    law = "where(abs(t - 0.5) < 0.14, 1, 0)"
    m = kb.Mechanism(
        "mass",
        [kb.Body("b", 1, (0, 0), 1e-3)],
        [kb.Prismatic("S", "ground", "b", at=(0, 0), axis=(1, 0))],
        plane="xy",
        gravity=(0, 0, 0),
        forces=[kb.JointForce("f", "S", law=law)],
    )
    run = kb.compile(kb.simulate, m, method="dop853")
    _, v, _ = run(*([x] for x in (0, 0, 0, 1, 1e-8, 1e-10, 0.02)))
    assert_allclose(v, [0.28], atol=1e-6)
    text = kb.generate(kb.simulate, m, "c", method="dop853")
    assert "what acts for a short time wants it shorter" in text


@pytest.mark.parametrize("name", ["step", "rtol", "atol", "max_step", "threads"])
def test_numbers_of_a_method_are_no_part_of_what_is_written(name):
    """They are inputs of a written run; given beside it they would be dropped without a word."""
    value = 2 if name == "threads" else 1e-3
    how = kb.Method("rk4" if name == "step" else "dop853", **{name: value})
    with pytest.raises(kb.StructureError, match=f"{name!r} of the method is not written into code"):
        kb.generate(kb.simulate, kb.linkages.four_bar(1, 3, 2, 2.5), "c", method=how)


def test_every_target_is_in_the_catalogue_under_its_name():
    """What a printer's file ends with is found by its name, writes programs or formulas, once."""
    assert all(name == target.name for name, target in targets.TARGETS.items())
    for target in targets.TARGETS.values():
        assert (target.text is None) != (target.formula is None)
        assert target.extension.startswith(".")
        assert set(target.beside) <= targets.TARGETS.keys()
    program = chain_program(2)
    for target in targets.TARGETS.values():
        if target.text and not target.single:
            written = target.program_text(program, "torques", ["two links"])
            assert "torques" in written and "two links" in written
