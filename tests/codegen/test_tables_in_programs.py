"""Tables of numbers in programs: what stands at a place, the same in every language."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest
from node_program import node
from numpy.testing import assert_array_equal
from test_c_target import compiled

from korba.codegen import compile_program, evaluate_program, trace
from korba.codegen.catalogue.targets import TARGETS
from korba.codegen.targets.javascript import JAVASCRIPT
from korba.codegen.targets.text import program_text
from korba.expr import constant, derivative, evaluate, variable
from korba.expr.node import build

NUMBERS = (0.5, -1.25, 3.0, 7.75, -2.0)
PLACES = np.array([-np.inf, -1e300, -1.0, 0.0, 0.999, 1.0, 2.5, 4.0, 4.7, 1e300, np.inf, np.nan])
EXPECTED = np.array([0.5, 0.5, 0.5, 0.5, 0.5, -1.25, 3.0, -2.0, -2.0, -2.0, -2.0, 0.5])


def looked_up(x):
    """Two tables, one entry of which stands elsewhere in the program too."""
    return np.array([x[0].lookup(*NUMBERS), 7.75 * x[0].lookup(*NUMBERS[::-1])])


PROGRAM = trace(looked_up, {"x": 1})
BOTH = np.stack([EXPECTED, 7.75 * EXPECTED], axis=1)
BOTH[:, 1] = 7.75 * np.array(NUMBERS[::-1])[np.clip(np.nan_to_num(PLACES), 0, 4).astype(int)]


def test_numpy():
    """Outside of a table the first or last number is taken; nan has the first."""
    assert_array_equal(evaluate_program(PROGRAM, PLACES[:, None], check_finite=False), BOTH)


def test_machine_code():
    """One state, and rows in lanes."""
    f = compile_program(PROGRAM)
    assert_array_equal(f(PLACES[:, None], check_finite=False), BOTH)
    single = [f(x, check_finite=False) for x in PLACES[:, None]]
    assert_array_equal(single, BOTH)


def test_c(tmp_path):
    """A table of the function."""
    f = compiled(PROGRAM, tmp_path)
    assert_array_equal([f([x])[0] for x in PLACES], BOTH)


def test_javascript(tmp_path):
    """A table made once."""
    (tmp_path / "f.mjs").write_text(program_text(JAVASCRIPT, PROGRAM))
    given = json.dumps([[float(x)] for x in PLACES[np.isfinite(PLACES)]])
    (tmp_path / "main.mjs").write_text(
        f'import {{f}} from "./f.mjs"; const all = [];'
        f"for (const x of {given}) {{ const y = [0, 0]; f(x, y); all.push(y); }}"
        "console.log(JSON.stringify(all));"
    )
    ran = subprocess.run([*node(), "main.mjs"], cwd=tmp_path, capture_output=True, check=True)
    assert_array_equal(json.loads(ran.stdout), BOTH[np.isfinite(PLACES)])


def test_python():
    """A file of NumPy."""
    target = next(each for each in TARGETS.values() if each.name == "numpy")
    names: dict = {}
    exec(target.text(PROGRAM, "f"), names)  # noqa: S102  (our own text)
    assert_array_equal(names["f"](PLACES[:, None]), BOTH)


def test_text_does_not_grow_with_entries():
    """Of a long table only the numbers are more."""
    lines = []
    for count in (8, 800):
        own = trace(lambda x, n=count: np.array([x[0].lookup(*np.arange(n) ** 2.0)]), {"x": 1})
        lines.append(program_text(JAVASCRIPT, own).count("\n"))
    assert lines[0] == lines[1]


def test_what_are_no_numbers_is_chosen():
    """A table of other expressions is a tree of choices, and of equal ones nothing."""
    x, y = variable("x"), variable("y")
    chosen = build("lookup", x, y, 2.0 * y, constant(5.0))
    found = evaluate(chosen, {"x": PLACES[3:9], "y": 10.0})
    assert_array_equal(found, [10, 10, 20, 5, 5, 5])
    assert build("lookup", x, y, y) is y


def test_a_table_is_flat():
    """Between its jumps it does not change; what is multiplied with it does."""
    x = variable("x")
    assert derivative(x.lookup(*NUMBERS), "x").value == 0.0
    assert derivative(x * x.lookup(*NUMBERS), "x") is x.lookup(*NUMBERS)


@pytest.mark.parametrize("name", ["text", "sympy"])
def test_formulas(name):
    """Printed by its name; for SymPy it is pieces."""
    from korba.codegen.targets.formula import sympy as for_sympy
    from korba.expr.formula import Call, Number, Symbol

    call = Call("lookup", (Symbol("k"), Number(1.0), Number(4.0)))
    if name == "sympy":
        made = for_sympy.sympy(call, frozenset())
        assert [float(made.subs("k", k)) for k in (-1, 0.5, 1, 3)] == [1, 1, 4, 4]
    else:
        from korba.codegen.targets.formula.text import text

        assert text(call).startswith("lookup(k, ")
