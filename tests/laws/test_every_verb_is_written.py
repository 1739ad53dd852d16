"""Every public verb is written in every language, and computes there what it computes here.

The verbs are read from what the library publishes, so a new one is written here too; whole runs
and the routines that close loops besides. One mechanism with a loop, a drive, a spring and
friction, one tree; all functions of a language are compiled and called together.
"""

import ctypes
import json
import shutil
import subprocess
from functools import cache
from importlib import util

import numpy as np
import pytest
from node_program import node
from numpy.testing import assert_allclose
from test_every_verb_takes_sizes import MORE, NEEDED, TEXT, VERBS

import korba as kb
from korba.codegen import evaluate_program
from korba.codegen.catalogue.targets import TARGETS
from korba.codegen.routine.ir import Routine
from korba.verbs.generated import program_of_verb

FREE = "\n".join(line for line in TEXT.splitlines() if not line.startswith("drive"))
TREE = "\n".join(line for line in FREE.splitlines() if 'name = "D"' not in line)
NUMBERS = {"t": 0.3, "step": 1e-3, "steps": 20.0, "until": 0.32, "rtol": 1e-8, "atol": 1e-10}
NUMBERS |= {"longest": 0.01}
STEPS = {
    "motion": ("driven", {}),
    "motion of designs": ("driven", {"parameters": ("r", "l")}),
    "assemble": ("free", {"values": ("A",), "parameters": ("r", "l")}),
    "simulate": ("free", {"method": "rk4"}),
    "simulate designs": ("free", {"method": "rk4", "parameters": ("r", "heavy")}),
    "simulate by tolerance": ("free", {"method": "dop853"}),
    "simulate a tree": ("tree", {"method": "symplectic", "tau": {"A": "-0.1*v_A"}}),
    "simulate a stiff tree": ("tree", {"method": "stiff"}),
}
"""Functions that routines stand for."""


@cache
def mechanism(kind):
    return kb.loads({"driven": TEXT, "free": FREE, "tree": TREE}[kind])


@cache
def questions():
    """By name: what is asked, of which mechanism, with which options."""
    asked = {}
    for name, verb in VERBS.items():
        for options in MORE.get(name, [{}]):
            needed = {key: NEEDED[key] for key in verb.needed}
            needed |= {key: tuple(NEEDED[key]) for key in verb.named if key in verb.needed}
            kind = "driven" if verb.closed else "tree"
            asked[f"{name} {options or ''}".strip()] = verb, kind, {**options, **needed}
    for name, (kind, options) in STEPS.items():
        asked[name] = getattr(kb, name.split()[0]), kind, options
    slope = kb.derivative(kb.inverse_dynamics, mechanism("tree"), ("q", "v"))
    return asked | {"a derivative": (slope, "tree", {})}


@cache
def program_and_inputs(name):
    """The program of a question, a state for it, and the results there, one after the other."""
    verb, kind, options = questions()[name]
    m = mechanism(kind)
    program = program_of_verb(verb, m, options).program
    motion = kb.motion(mechanism("driven"), [NUMBERS["t"]])
    known = {key: getattr(motion, key)[0] for key in ("q", "v", "a")}
    if kind == "tree":
        known = {key: 0.3 * np.arange(1, 4) for key in ("q", "v", "a")}
    known |= {"tau": np.ones(m.nv), "forces": np.array([3.0, -1.0]), "values": np.array([1.9])}
    known |= {key: np.array([value]) for key, value in NUMBERS.items()}
    sizes = options.get("parameters", ())
    known["p"] = np.array([{"r": 0.05, "l": 0.15, "heavy": 2.0}[key] for key in sizes])
    inputs = [np.asarray(known[key], dtype=float) for key, _ in program.inputs]
    results = evaluate_program(program, *inputs, check_finite=False)
    parts = (results,) if program.single else results
    return program, inputs, np.concatenate([np.ravel(part) for part in parts])


def texts(target):
    """The text of every question, as a function of its own name."""
    for k, (name, (verb, kind, options)) in enumerate(questions().items()):
        yield k, name, kb.generate(verb, mechanism(kind), target, name=f"f{k}", **options)


def refuse_other(name, found):
    expected = program_and_inputs(name)[2]
    size = np.max(np.abs(expected[np.isfinite(expected)]), initial=1.0)
    assert_allclose(found, expected, rtol=0, atol=1e-12 * size, err_msg=name)


def test_c(tmp_path):
    """C99, all of it compiled at once without a warning."""
    for k, _, text in texts("c"):
        (tmp_path / f"f{k}.c").write_text(text, encoding="utf-8")
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))))
    flags = ["-std=c99", "-O0", "-Wall", "-Wextra", "-pedantic", "-Werror", "-shared", "-fPIC"]
    files = sorted(path.name for path in tmp_path.glob("*.c"))
    subprocess.run([compiler, *flags, *files, "-o", "all.so", "-lm"], cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "all.so"))
    for k, name in enumerate(questions()):
        program, inputs, _ = program_and_inputs(name)
        made = [np.full(max(1, size), np.nan) for size in program.sizes]
        function = getattr(library, f"f{k}")
        function(*(ctypes.c_void_p(x.ctypes.data) for x in (*inputs, *made)))
        parts = [x[:n] for x, n in zip(made, program.sizes, strict=True)]
        refuse_other(name, np.concatenate(parts))


def test_javascript(tmp_path):
    """ES modules, all of them imported by one process."""
    calls = []
    for k, name, text in texts("javascript"):
        (tmp_path / f"f{k}.mjs").write_text(text, encoding="utf-8")
        program, inputs, _ = program_and_inputs(name)
        calls.append([k, [x.tolist() for x in inputs], list(program.sizes)])
    (tmp_path / "main.mjs").write_text(f"""
        const said = [];
        for (const [k, inputs, sizes] of {json.dumps(calls)}) {{
          const {{[`f${{k}}`]: f}} = await import(`./f${{k}}.mjs`);
          const outs = sizes.map((n) => new Float64Array(n));
          f(...inputs, ...outs);
          said.push(outs.flatMap((out) => [...out].map((x) => Number.isFinite(x) ? x : null)));
        }}
        console.log(JSON.stringify(said));
    """)
    done = subprocess.run(
        [*node(), "main.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    for name, said in zip(questions(), json.loads(done.stdout), strict=True):
        refuse_other(name, np.array(said, dtype=float))


def test_numpy(tmp_path):
    """Functions of arrays; the same state twice gives the same rows."""
    for k, name, text in texts("numpy"):
        path = tmp_path / f"f{k}.py"
        path.write_text(text, encoding="utf-8")
        spec = util.spec_from_file_location(f"written_{k}", path)
        module = util.module_from_spec(spec)
        spec.loader.exec_module(module)
        program, inputs, _ = program_and_inputs(name)
        results = getattr(module, f"f{k}")(*(np.array([x, x]) for x in inputs))
        parts = (results,) if program.single else results
        for row in range(2):
            refuse_other(name, np.concatenate([np.ravel(part[row]) for part in parts]))


def test_others():
    """CUDA and LLVM have a text of everything; single precision refuses steps by name."""
    for k, name, text in texts("cuda"):
        assert f"f{k}_rows(" in text, name
    for name in ("pose", "simulate", "reactions {'friction': True}"):
        verb, kind, options = questions()[name]
        assert "@f(" in kb.generate(verb, mechanism(kind), "llvm", name="f", **options), name
        program, *_ = program_and_inputs(name)
        for target in ("c-float", "cuda-float"):
            if isinstance(program, Routine):
                with pytest.raises(kb.StructureError, match="double precision; take 'c"):
                    kb.generate(verb, mechanism(kind), target, **options)
            else:
                assert "float" in kb.generate(verb, mechanism(kind), target, **options)


def test_targets_have_a_name_an_ending_and_one_printer():
    """The catalogue: programs or formulas, never both."""
    for name, target in TARGETS.items():
        assert name == target.name
        assert target.extension.startswith(".")
        assert (target.text is None) != (target.formula is None)
