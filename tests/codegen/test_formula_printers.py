"""Formulas in every language for people: any name, any function, rates told from coordinates."""

import re
import subprocess
import sys
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.testing import assert_allclose
from test_c_target import compiler

import korba as kb
from korba.cli import main
from korba.codegen.targets.formula.mathml import mathml
from korba.codegen.targets.formula.parts import Parts
from korba.codegen.targets.formula.text import LINE, lines, text
from korba.expr.formula import Call, Number, Product, Sum, Symbol

ODD = """
name = "ramię $x_1$ {50%} */ /*"
plane = "xy"
parameters = {m_of_arm_1 = 2, I = 0.1, "α" = 0.3, "długość" = 0.7}
body = [
  {name = "rod & co #1", mass = "m_of_arm_1", com = ["α", 0.1], inertia = "I"},
  {name = "b^2", mass = 1, com = ["długość", 0.2], inertia = "I"},
]
joint = [
  {name = "joint one_%", type = "revolute", parent = "ground", child = "rod & co #1", at = [0, 0]},
  {name = 'a_b_c^2~\\', type = "revolute", parent = "rod & co #1", child = "b^2", at = [0.5, 0]},
]
"""
LAWS = """
name = "laws"
plane = "xy"
parameters = {k = 3, d0 = 0.1}
body = [{name = "rod", mass = 1, com = [0.3, 0], inertia = 0.1}]
joint = [{name = "A", type = "revolute", parent = "ground", child = "rod", at = [0, 0]}]
[[force]]
name = "f"
type = "joint"
joint = "A"
law = '''max(0, k*A) - min(A, v_A) + where(A < d0, 1, 2)*abs(v_A) + where(d0 <= v_A, 3, A)
  + sign(v_A) + exp(-A) + sin(t) + floor(A) + atan2(A, 2) + asin(A/9) + acos(A/9) + sqrt(2 + A)
  + (A + 2)**1.5 + tanh(A) + log(3 + A)'''
"""


@cache
def mechanism(text):
    return kb.loads(text)


def faults_of_latex(text):
    """What LaTeX would stop at: braces, brackets, two indices at once, signs out of place."""
    plain = re.sub(r"\\(text[a-z]+|[_#$%&{} ,])", "~", text).replace("\\\\", "")
    if plain.count("{") != plain.count("}") or text.count(r"\left") != text.count(r"\right"):
        yield "brackets"
    while re.search(r"\{[^{}]*\}", plain):
        inner = re.search(r"\{([^{}]*)\}", plain)
        if re.search(r"_~*[^_]*_", inner[1].replace("_~", "~")):
            yield f"two indices: {inner[1]}"
        plain = plain[: inner.start()] + "~" + plain[inner.end() :]
    yield from re.findall(r"[#$%]|__|\^\^", plain)
    words = re.sub(r"\\text\{[^{}]*\}", "", re.sub(r"\\textascii\w+\{\}", "", text))
    math = re.findall(r"\\\[(.*?)\\\]", words, re.DOTALL)
    yield from (sign for part in math for sign in part if not sign.isascii())


@pytest.mark.parametrize("text", [ODD, LAWS], ids=["odd names", "laws"])
@pytest.mark.parametrize("layered", [False, True])
def test_latex_and_mathml_take_any_name_and_function(text, layered):
    """LaTeX has nothing to stop at, MathML is XML; headings and notes are in both."""
    written = kb.equations(mechanism(text), layered=layered)
    assert not [*faults_of_latex(written.latex())]
    ElementTree.fromstring(f"<body>{written.mathml()}</body>")
    for whole in (written.latex(), written.mathml()):
        assert "equations of motion of" in whole
        assert "note: g = 9.81" in whole
        assert not layered or "less gravity" in whole


def test_long_sums_are_broken_between_terms():
    """No line of LaTeX is longer than a page is wide, unless one term is."""
    m = kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)
    written = kb.equations(m, coordinate="A").latex()
    assert written.count(r"&\quad {}") >= 2
    assert not [*faults_of_latex(written)]


@pytest.mark.parametrize("text", [ODD, LAWS], ids=["odd names", "laws"])
def test_a_program_for_sympy_computes_what_the_verb_does(text):
    """Rates are other symbols than coordinates; names that Python does not take are said."""
    sympy = pytest.importorskip("sympy")
    m = mechanism(text)
    sizes = ("I",) if text is ODD else ("k",)
    program = kb.generate(kb.inverse_dynamics, m, "sympy", parameters=sizes)
    known: dict = {}
    exec(program, known)  # noqa: S102  (what was printed is to run)
    q, v, a = np.random.default_rng(1).uniform(0.2, 0.9, (3, m.nv))
    at = {"t": 0.4, sizes[0]: dict(m.parameters)[sizes[0]]}
    stems = ("joint_one", "a_b_c_2") if text is ODD else ("A",)
    for i, stem in enumerate(stems):
        at |= {stem: q[i], f"{stem}_dot": v[i], f"{stem}_ddot": a[i]}
    given = {sympy.Symbol(name): x for name, x in at.items()}
    found = []
    for name, each in known.items():
        if re.fullmatch(r"y_\d+", name):
            found.append(float(each.subs(given)))
    assert_allclose(found, kb.inverse_dynamics(m, q, v, a, t=0.4), rtol=1e-12)
    assert ("# joint_one: 'joint one_%'" in program) == (text is ODD)


def test_layers_and_the_reduced_equation_are_sympy_too():
    """What they name has the values of inverse dynamics and of the reduced inertia."""
    pytest.importorskip("sympy")
    m = mechanism(LAWS)
    layers = {str(left): right for left, right in kb.equations(m, layered=True).sympy().items()}
    assert {"a_1x", "n_1z", "tau_1"} <= {*layers}
    four_bar = kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)
    reduced = kb.equations(four_bar, coordinate="A").sympy()
    assert [str(left) for left in reduced] == ["u_D", "u_B", "u_C", "I_red", "Q_red"]


def test_what_is_coupled_unnamed_or_still_is_said():
    """A coordinate that follows from others; no name; nothing that moves."""
    bodies = [kb.Body(name, 1, (1, 0), 0.1) for name in "ab"]
    joints = [kb.Revolute(n.upper(), "ground", n, at=(0, 0)) for n in "ab"]
    m = kb.Mechanism("gear", bodies, joints, [kb.Coupling("g", "B", "-2*A")], plane="xy")
    with pytest.raises(kb.StructureError, match=r"'B' follows from others by a coupling; .* A"):
        kb.equations(m, coordinate="B")
    still = kb.Mechanism("", bodies[:1], [kb.Fixed("F", "ground", "a", at=(0, 0))], plane="xy")
    words = "equations of motion\n  note: nothing moves: no coordinates"
    assert kb.equations(still).text() == words
    light = kb.Mechanism("rod", [kb.Body("b")], joints[1:], plane="xy")
    assert kb.equations(light).notes[-1] == "no body has mass or inertia"
    assert "void mass_matrix(" in kb.generate(kb.mass_matrix, still, "c")


def test_the_unreadable_is_refused_at_once():
    """A product of long values is not worked out."""
    from korba.expr.waves import MOST_PRODUCTS, TooLongError, Waves, symbol

    side = int(MOST_PRODUCTS**0.5) + 1
    long = Waves({term: c for k in range(side) for term, c in symbol(f"s{k}").terms.items()})
    with pytest.raises(TooLongError, match=f"{side} by {side} terms"):
        _ = long * long


@pytest.mark.parametrize("ask", [kb.generate, kb.compile, kb.derivative, kb.operations])
def test_a_verb_given_as_a_text_is_told_from_the_function(ask):
    """The sentence says what to give."""
    more = {kb.generate: ("c",), kb.derivative: ("q",)}.get(ask, ())
    with pytest.raises(kb.StructureError, match=r"itself, such as kb\.mass_matrix"):
        ask("mass_matrix", mechanism(LAWS), *more)


def test_the_command_writes_a_document_and_knows_endings(tmp_path, monkeypatch, capsys):
    """LaTeX as a whole; JavaScript by .js; an ending of no language is refused."""
    file = tmp_path / "m.toml"
    kb.save(mechanism(LAWS), file)

    def said(*command):
        monkeypatch.setattr(sys, "argv", ["korba", command[0], str(file), *command[1:]])
        with pytest.raises(SystemExit) as done:
            main()
        return int(done.value.code or 0), "".join(capsys.readouterr())

    assert said("equations", "--latex", str(tmp_path / "m.tex"))[0] == 0
    code, words = said("equations", "--latex", str(tmp_path / "m.tex"))
    assert code == 1
    assert words.endswith("say --force\n")
    document = (tmp_path / "m.tex").read_text(encoding="utf-8")
    assert document.startswith("\\documentclass")
    assert document.count(r"\begin{") == document.count(r"\end{")
    generate = ("generate", "--what", "mass_matrix", "-o")
    assert said(*generate, str(tmp_path / "m.js"))[0] == 0
    assert "export function" in (tmp_path / "m.js").read_text(encoding="utf-8")
    code, words = said(*generate, str(tmp_path / "m.rs"))
    assert code == 1
    assert "'.rs'" in words
    assert ".cu" in words


@pytest.mark.parametrize("name", ["", "hypot", "sine_and_cosine", "int main() {", "Łódź"])
def test_c_of_odd_names_compiles_without_a_warning(name, tmp_path):
    """Signs of comments in names, and names that C has already."""
    text = kb.generate(kb.mass_matrix, mechanism(ODD), "c", name=name)
    (tmp_path / "f.c").write_text(text, encoding="utf-8")
    flags = ["-std=c99", "-O0", "-Wall", "-Wextra", "-pedantic", "-Werror", "-DKORBA_MAIN"]
    subprocess.run([compiler(), *flags, "f.c", "-o", "f", "-lm"], cwd=tmp_path, check=True)
    assert "(called " in text


def test_long_sums_inside_formulas_have_lines_of_their_own():
    """No piece is longer than a line, and with the parts put back it is the same formula."""
    long = Sum(tuple((k % 3 > 0, Product((Number(k + 0.5), Symbol(f"x_{k}")))) for k in range(20)))
    inner = Product((Symbol("y"), Call("sqrt", (long,))), (Symbol("s_1"),))
    whole = Sum(
        ((True, Product((Sum((*long.terms, (False, inner))),), (Symbol("z"),))), *long.terms)
    )
    (left, right), *parts = Parts([(Symbol("Q"), whole)]).lines(Symbol("Q"), whole)
    assert left == Symbol("Q") and [text(name) for name, _ in parts] == ["c₁", "c₂"], "s is taken"
    for _, formula in ((left, right), *parts):
        assert all(len(text(term)) <= LINE for line in lines(formula) for _, term in line)
    known = dict(parts)

    def back(formula):
        match formula:
            case Sum(terms):
                return Sum(tuple((plus, back(term)) for plus, term in terms))
            case Product(over, under):
                return Product(tuple(map(back, over)), tuple(map(back, under)))
            case Call(function, arguments):
                return Call(function, tuple(map(back, arguments)))
        return back(known[formula]) if formula in known else formula

    assert back(right) == whole


def test_dots_stand_above_capital_letters():
    """No accents: without a font for mathematics browsers lay these on the letter."""
    shown = mathml(Symbol("O", 2))
    assert shown == "<mover><mi>O</mi><mo scriptlevel='0'>¨</mo></mover>"
