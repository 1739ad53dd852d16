"""Equations as people read them: the textbook's lines, and the numbers of every other verb."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from formula_values import value
from law_counts import seeds
from numpy.testing import assert_allclose
from random_trees import random_tree

import korba as kb
from korba.verbs.designs import sizes_of

FORMULATIONS = ("newton-euler", "block-matrix", "hamilton", "kane-congruence", "lagrange-dh")
CART = """
name = "cart and pole"
plane = "xy"
parameters = {M = 2, m = 0.3, l = 0.5, I = 0.01, c = 0.2}
body = [
  {name = "cart", mass = "M"},
  {name = "pole", mass = "m", com = [0, "l"], inertia = "I"},
]

[[joint]]
name = "x"
type = "prismatic"
parent = "ground"
child = "cart"
at = [0, 0]
axis = [1, 0]
damping = "c"

[[joint]]
name = "theta"
type = "revolute"
parent = "cart"
child = "pole"
at = [0, 0]
"""


def random_chain(seed):
    """A chain of rods with named sizes, turning or sliding in a plane, some with damping."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 4))
    sizes, bodies, joints, x = {}, [], [], "0"
    for i in range(count):
        sizes |= dict(
            zip((f"m{i}", f"l{i}", f"I{i}"), rng.uniform(0.5, 2, 3).tolist(), strict=True)
        )
        middle = (f"{x} + l{i}/2", 0)
        bodies.append({"name": f"rod {i}", "mass": f"m{i}", "com": middle, "inertia": f"I{i}"})
        ends = {"parent": f"rod {i - 1}" if i else "ground", "child": f"rod {i}", "at": (x, 0)}
        kind = (
            {"type": "prismatic", "axis": (0.6, 0.8)}
            if rng.random() < 0.3
            else {"type": "revolute"}
        )
        joints.append({"name": f"j{i}", **ends, **kind, "damping": rng.integers(0, 2) * 0.5})
        x += f" + l{i}"
    whole = {"name": "random", "plane": "xy", "parameters": sizes, "body": bodies, "joint": joints}
    return kb.loads("\n".join(f"{key} = {toml(item)}" for key, item in whole.items()))


def toml(item):
    """A value as TOML."""
    if isinstance(item, dict):
        return "{" + ", ".join(f"{key} = {toml(x)}" for key, x in item.items()) + "}"
    if isinstance(item, list | tuple):
        return "[" + ", ".join(map(toml, item)) + "]"
    return f'"{item}"' if isinstance(item, str) else str(float(item))


def numbers(m, q, v, a):
    """Values of all symbols of a mechanism at a state."""
    at = {(name, 0): float(x) for name, x in m.parameters} | {("g", 0): 9.81}
    for i, name in enumerate(m.coordinates):
        at |= {(name, 0): q[i], (name, 1): v[i], (name, 2): a[i]}
    return at


@pytest.mark.parametrize("seed", seeds())
def test_formulas_have_the_values_of_inverse_dynamics(seed):
    """M a + h + G + R, from what is printed, is tau; in layers too."""
    m = random_chain(seed)
    q, v, a = np.random.default_rng(seed).normal(size=(3, m.nv))
    tau = kb.inverse_dynamics(m, q, v, a)
    at, written = numbers(m, q, v, a), kb.equations(m)
    rest = (written.velocity_terms, written.gravity_terms, written.load_terms)
    for i in range(m.nv):
        total = sum(value(M, at) * a[j] for j, M in enumerate(written.mass_matrix[i]))
        total += sum(value(column[i], at) for column in rest)
        assert_allclose(total, tau[i], rtol=1e-10, atol=1e-10)
    for _, lines in kb.equations(m, layered=True).layers:
        at |= {(left.name, 0): value(right, at) for left, right in lines}
    assert_allclose([at[f"tau_{i + 1}", 0] for i in range(m.nv)], tau, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("seed", seeds(0.2, least=2))
def test_layers_of_joints_in_space_have_the_values_of_inverse_dynamics(seed):
    """Balls, universal joints, couplings and rotors; every line is short, its turns are named."""
    options = ({"coupled": True}, {"rotors": True})[seed % 2]
    kinds = ["revolute", "spherical", "prismatic", "revolute", "universal"]
    m = random_tree(seed, kinds=kinds, **options).m
    rng = np.random.default_rng(seed)
    q, v, a = rng.normal(size=m.nq), rng.normal(size=m.nv), rng.normal(size=m.nv)
    at = {("g", 0): 9.81} | {(name, 0): x for name, x in zip(m.coordinates, q, strict=True)}
    for name, rate, change in zip(m.velocities, v, a, strict=True):
        dots = int(name in m.coordinates)
        at |= {(name, dots): rate, (name, dots + 1): change}
    written = kb.equations(m, layered=True)
    for _, lines in written.layers:
        at |= {(left.name, left.dots): value(right, at) for left, right in lines}
    tau = kb.inverse_dynamics(m, q, v, a)
    found = [at[f"tau_{i + 1}", 0] for i in range(m.nv)]
    assert_allclose(found, tau, rtol=0, atol=1e-12 * np.abs(tau).max())
    assert max(map(len, written.text().splitlines())) < 1500


@pytest.mark.parametrize("seed", seeds(0.5))
def test_all_formulations_write_the_same_words(seed):
    """The canonical form is unique: formulations agree for all states and sizes at once."""
    m = random_chain(seed)
    texts = {kb.equations(m, formulation=name).text() for name in FORMULATIONS}
    assert len(texts) == 1


def test_a_cart_with_a_pole():
    """The lines of every textbook."""
    assert kb.equations(kb.loads(CART)).text().splitlines() == [
        "equations of motion of 'cart and pole'",
        "  M₁₁ ẍ + M₁₂ θ̈ + h₁ + R₁ = τ₁",
        "  M₁₂ ẍ + M₂₂ θ̈ + G₂ = τ₂",
        "with",
        "  M₁₁ = M + m",
        "  M₁₂ = -m l cos θ",
        "  M₂₂ = m l² + I",
        "  h₁ = m l θ̇² sin θ",
        "  G₂ = -m l g sin θ",
        "  R₁ = c ẋ",
        "  note: g = 9.81 m/s²",
    ]


def test_a_four_bar_closes_by_two_lines():
    """Loops of a four-bar given by its lengths."""
    text = kb.equations(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)).text()
    assert text[text.index("loops") :].splitlines()[1:4] == [
        "  A - D + B + C = 0",
        "  d - a cos A - b cos(A + B) + c cos D = 0",
        "  c sin D - a sin A - b sin(A + B) = 0",
    ]


def test_other_printers():
    """LaTeX has its braces, MathML is XML, SymPy has the same values."""
    sympy = pytest.importorskip("sympy")
    m = kb.loads(CART)
    written = kb.equations(m)
    latex = written.latex()
    assert r"M_{12} &= -m \, l \, \cos \theta" in latex
    assert latex.count("{") == latex.count("}")
    ElementTree.fromstring(f"<body>{written.mathml()}</body>")
    q, v, a = np.random.default_rng(0).normal(size=(3, 2))
    at = numbers(m, q, v, a)
    t = sympy.Symbol("t")
    theta = sympy.Function("theta")(t)
    parts = written.sympy()
    assert (
        sympy.simplify(parts["M"][0, 1] + sympy.Symbol("m") * sympy.Symbol("l") * sympy.cos(theta))
        == 0
    )
    numeric = {sympy.Symbol(n): x for (n, dots), x in at.items() if not dots}
    M = parts["M"].subs(theta, q[1]).subs(numeric)
    assert_allclose(np.array(M, dtype=float), kb.mass_matrix(m, q), atol=1e-12)
    assert parts["h"][0].has(sympy.Derivative(theta, t))


def test_long_ones_come_in_layers():
    """A six-joint arm fits on two pages; asked for as one formula it is refused in a sentence."""
    arm = kb.load(Path(sys.modules["korba"].__file__).parent / "cli" / "arm.toml")
    written = kb.equations(arm)
    assert isinstance(written, kb.results.LayeredEquations)
    assert len(written.text().splitlines()) < 120
    with pytest.raises(kb.StructureError, match="layered=True"):
        kb.equations(arm, layered=False)


def test_a_coordinate_named_like_a_size_is_told_apart():
    """A joint and a parameter of the same name are different symbols."""
    m = kb.loads(CART.replace('"theta"', '"l"'))
    assert "cos q_l" in kb.equations(m).text()


def test_balls_turn_by_their_velocities():
    """The equations of a ball joint hold for rates of its velocities, which SymPy derives."""
    sympy = pytest.importorskip("sympy")
    m = kb.loads("""
    parameters = {m = 2, s = 0.5, h1 = 0.2}
    body = [{name = "top", mass = "m", com = [0, 0, "s"], inertia = [0.1, 0.1, "h1"]}]
    joint = [{name = "S", type = "spherical", parent = "ground", child = "top", at = [0, 0, 0]}]
    """)
    written = kb.equations(m)
    assert [(s.name, s.dots) for s in written.accelerations] == [(f"S.w{c}", 1) for c in "xyz"]
    assert "M₁₁ S.wx' + b₁" in written.text()  # h₁ is a size
    wz = sympy.Function("S.wz")(sympy.Symbol("t"))
    assert written.sympy()["h"][0].has(wz)
    v = np.array([0.3, -0.2, 5.0])
    at = dict(zip([("S.wx", 0), ("S.wy", 0), ("S.wz", 0)], v, strict=True))
    at |= {(name, 0): float(x) for name, x in m.parameters}
    expected = kb.bias_forces(m, [1, 0, 0, 0], v, gravity=(0, 0, 0))
    assert_allclose([value(x, at) for x in written.velocity_terms], expected, atol=1e-14)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"layered": True}, "layers go out along a tree"), ({"formulation": "multipliers"}, "trees")],
)
def test_loops_are_written_by_what_can_write_them(options, words):
    """What is for trees, or for loops alone, says so."""
    with pytest.raises(kb.StructureError, match=words):
        kb.equations(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7), **options)


def test_letters_are_those_that_sizes_leave_free():
    """A time constant tau and a joint g are told from the effort and from gravity."""
    m = kb.loads("""
    plane = "xy"
    parameters = {m = 2, s = 0.5, tau = 1}
    body = [{name = "rod", mass = "m", com = ["s", 0], inertia = "tau"}]
    joint = [{name = "g", type = "revolute", parent = "ground", child = "rod", at = [0, 0]}]
    """)
    assert "(m s² + τ) q̈_g + m s g cos q_g = Q" in kb.equations(m).text()


def test_the_front_page_shows_what_its_code_prints(capsys):
    """The three mechanisms of the documentation's first page."""
    page = (Path(__file__).parents[2] / "docs" / "index.md").read_text(encoding="utf-8")
    code, _, rest = page.partition("```python\n")[2].partition("```")
    exec(code, {})  # noqa: S102  (a page of this project)
    assert rest.partition("```text\n")[2].partition("```")[0] == capsys.readouterr().out


LINKAGES = {
    "four-bar": lambda: kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7),
    "slider-crank": lambda: kb.linkages.slider_crank(0.1, 0.4),
    "quick return": lambda: kb.linkages.quick_return(0.1, 0.25, 0.5, 0.2),
    "engine": kb.linkages.engine,
}


@pytest.mark.parametrize("make", LINKAGES.values(), ids=LINKAGES)
def test_the_reduced_equation_has_the_values_of_the_reduced_verbs(make):
    """u' M u is the mass matrix in one coordinate, u are the velocities for 1 in it."""
    m = make()
    coordinate, (q, *_) = m.coordinates[0], kb.motion(m, [0.0]).q
    written = kb.equations(m, coordinate=coordinate)
    names = [name for name, _ in m.parameters]
    at = {(name, 0): x for name, x in zip(names, sizes_of(m, names), strict=True)}
    at |= {("g", 0): 9.81} | {(name, 0): x for name, x in zip(m.coordinates, q, strict=True)}
    moved = [coordinate, *(left.name.removeprefix("u_") for left, _ in written.ratios)]
    at |= {(f"tau_{name}", 0): 0.0 for name in moved}
    for left, right in (*written.definitions, *written.ratios):
        at[left.name, 0] = value(right, at)
    inertia = kb.mass_matrix(m, q, coordinates=(coordinate,))
    assert_allclose(value(written.inertia, at), inertia[0, 0], rtol=1e-10)
    still = kb.bias_forces(m, q, np.zeros(m.nv), coordinates=(coordinate,))
    assert_allclose(-value(written.effort, at), still[0], rtol=1e-10, atol=1e-12)
    assert written.latex().count("{") == written.latex().count("}")
    ElementTree.fromstring(f"<body>{written.mathml()}</body>")


def test_velocity_ratios_are_the_textbooks():
    """Of a four-bar: the rocker's is a sin B over c sin of the angle between coupler and rocker."""
    text = kb.equations(LINKAGES["four-bar"](), coordinate="A").text()
    assert "u_D = a sin B/(c sin(A - D + B))" in text
    with pytest.raises(kb.StructureError, match="more than one freedom"):
        kb.equations(kb.linkages.five_bar(0.2, 0.3, 0.3, 0.2, 0.3), coordinate="A")
