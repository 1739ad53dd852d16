"""`kb.equations` beside what the book and a paper print: the same terms, grouped alike.

Gronowicz (2003), Examples 4.8 and 4.9; Meghdari & Fahimi (1997), (25)-(28) as corrected, and (51).
"""

import pytest

import korba as kb

sympy = pytest.importorskip("sympy")

STIRRER = """
name = "stirrer"
plane = "xy"
gravity = [0, 0]
parameters = {I_S = 2e-4, I_1 = 0.08, m_2 = 4, R = 0.25, r = 0.1, i_H = 0.02, PARAMETERS}
body = [
  {name = "rotor", inertia = "I_S"},
  {name = "carrier", inertia = "I_1"},
  {name = "planet", mass = "m_2", com = ["R + r", 0], inertia = "m_2*r^2/2"},
]
joint = [
  {name = "Theta", type = "revolute", parent = "ground", child = "rotor", at = [0, 0]},
  {name = "arm", type = "revolute", parent = "ground", child = "carrier", at = [0, 0]},
  {name = "wheel", type = "revolute", parent = "carrier", child = "planet", at = ["R + r", 0]},
]
coupling = [
  {name = "drive", coordinate = "arm", law = "i_H*Theta"},
  {name = "mesh", coordinate = "wheel", law = "i_H*R/r*Theta"},
]
force = [
  {name = "motor", type = "joint", joint = "Theta", damping = "k", law = "M_0"},
  {name = "drag", type = "point", body = "carrier", at = ["R + r", 0], DRAG},
  {name = "stirring", type = "moment", body = "planet", moment = [0, 0, "-M"]},
]
""".replace("PARAMETERS", "M_0 = 1.2, k = 0.004, M = 3, F = 20").replace(
    "DRAG", 'axes = "body", force = [0, "-F"]'
)
TWO_LINKS = """
name = "manipulator"
plane = "xy"
parameters = {m_1 = 2, m_2 = 1.5, I_1 = 0.02, I_2 = 0.015, a_1 = 0.25, b_1 = 0.5, a_2 = 0.2}
body = [
  {name = "1", mass = "m_1", com = ["a_1", 0], inertia = "I_1"},
  {name = "2", mass = "m_2", com = ["b_1 + a_2", 0], inertia = "I_2"},
]
joint = [
  {name = "Theta_1", type = "revolute", parent = "ground", child = "1", at = [0, 0]},
  {name = "Theta_2", type = "revolute", parent = "1", child = "2", at = ["b_1", 0]},
]
"""
ELASTIC = """
name = "elastic arm"
plane = "xy"
parameters = {m_1 = 5, m_2 = 5, I_1 = 0.05, I_2 = 0.1, l = 0.5, k = 825}
body = [
  {name = "rotor 1", inertia = "I_1"},
  {name = "link 1", mass = "m_2", com = ["l/2", 0], inertia = "I_2"},
  {name = "dial"},
  {name = "rotor 2", mass = "m_1", com = ["l", 0], inertia = "I_1"},
  {name = "link 2", mass = "m_2", com = ["3*l/2", 0], inertia = "I_2"},
]
joint = [
  {name = "q_1", type = "revolute", parent = "ground", child = "rotor 1", at = [0, 0]},
  {name = "q_2", type = "revolute", parent = "rotor 1", child = "link 1", at = [0, 0]},
  {name = "q_3", type = "revolute", parent = "ground", child = "dial", at = [0, 0]},
  {name = "elbow", type = "revolute", parent = "link 1", child = "rotor 2", at = ["l", 0]},
  {name = "q_4", type = "revolute", parent = "rotor 2", child = "link 2", at = ["l", 0]},
]
coupling = [{name = "linkage", coordinate = "elbow", law = "q_3 - q_1 - q_2"}]
force = [
  {name = "spring 1", type = "joint", joint = "q_2", stiffness = "k"},
  {name = "spring 2", type = "joint", joint = "q_4", stiffness = "k"},
]
"""


def names(text):
    """Symbols by name."""
    return sympy.symbols(text)


def moving(text):
    """Coordinates as functions of time, and their rates."""
    t = sympy.Symbol("t")
    q = [sympy.Function(name)(t) for name in text.split()]
    return q, [sympy.Derivative(x, t) for x in q]


def agree(ours, book):
    """Symbolically the same, and term by term once both are multiplied out."""
    ours, book = sympy.Matrix(ours), sympy.Matrix(book)
    assert sympy.expand(ours - book, trig=True).applyfunc(sympy.simplify).is_zero_matrix
    for one, two in zip(ours, book, strict=True):
        terms = [set(sympy.Add.make_args(sympy.expand(each))) for each in (one, two)]
        assert terms[0] == terms[1]


def printed(m):
    """Left and right side of every line that is printed."""
    lines = [line.strip() for line in kb.equations(m).text().splitlines() if " = " in line]
    return dict(line.split(" = ", 1) for line in lines)


def test_example_4_8_planetary_stirrer():
    """(4.149), (4.155), (4.156): I_Z Theta'' = A - k Theta'."""
    m = kb.loads(STIRRER)
    parts = kb.equations(m).sympy()
    I_S, I_1, m_2, R, r, i, M_0, k, M, F = names("I_S I_1 m_2 R r i_H M_0 k M F")
    _, (rate,) = moving("Theta")
    agree(parts["M"], [I_S + I_1 * i**2 + sympy.Rational(3, 2) * m_2 * (R + r) ** 2 * i**2])
    A = M_0 - M * (R + r) / r * i - F * (R + r) * i
    agree(parts["h"] + parts["G"] + parts["R"], [k * rate - A])
    (line,) = printed(m)
    assert line.startswith("(I_S + i_H² (I₁ + 3 m₂ (R + r)²/2)) Θ̈ + ")
    assert line.endswith("k Θ̇")


def test_example_4_9_two_links():
    """The book's two equations; M₁₁ in its own brackets."""
    m = kb.loads(TWO_LINKS)
    parts = kb.equations(m).sympy()
    m_1, m_2, I_1, I_2, a_1, b_1, a_2, g = names("m_1 m_2 I_1 I_2 a_1 b_1 a_2 g")
    (q_1, q_2), (v_1, v_2) = moving("Theta_1 Theta_2")
    C_1, C_2, S_2, C_12 = sympy.cos(q_1), sympy.cos(q_2), sympy.sin(q_2), sympy.cos(q_1 + q_2)
    M_12 = m_2 * (a_2**2 + a_2 * b_1 * C_2) + I_2
    M_11 = m_1 * a_1**2 + I_1 + m_2 * (b_1**2 + a_2**2 + 2 * a_2 * b_1 * C_2) + I_2
    agree(parts["M"], [[M_11, M_12], [M_12, m_2 * a_2**2 + I_2]])
    swift = m_2 * a_2 * b_1 * S_2
    agree(parts["h"], [-swift * v_2**2 - 2 * swift * v_1 * v_2, swift * v_1**2])
    weight = m_2 * g * a_2 * C_12
    agree(parts["G"], [m_1 * g * a_1 * C_1 + m_2 * g * b_1 * C_1 + weight, weight])
    lines = printed(m)
    assert lines["M₁₁"] == "m₁ a₁² + I₁ + I₂ + m₂ (b₁² + a₂² + 2 b₁ a₂ cos Θ₂)"
    assert lines["M₁₂"] == "m₂ a₂ (a₂ + b₁ cos Θ₂) + I₂"
    assert lines["M₂₂"] == "m₂ a₂² + I₂"
    assert lines["h₂"] == "m₂ b₁ a₂ Θ̇₁² sin Θ₂"
    assert lines["G₂"] == "m₂ a₂ g cos(Θ₁ + Θ₂)"


def test_two_links_with_elastic_joints():
    """(25)-(28) and the matrix (51), with a, d, eta, G_1 and G_2 written out, in their brackets."""
    m = kb.loads(ELASTIC)
    parts = kb.equations(m).sympy()
    m_1, m_2, I_1, I_2, length, k, g = names("m_1 m_2 I_1 I_2 l k g")
    (q_1, q_2, q_3, q_4), (v_1, v_2, v_3, v_4) = moving("q_1 q_2 q_3 q_4")
    a = I_2 + (m_1 + sympy.Rational(5, 4) * m_2) * length**2
    d, eta = I_2 + m_2 * length**2 / 4, m_2 * length**2 / 2
    Q_1, Q_2, q = q_1 + q_2, q_3 + q_4, q_1 + q_2 - q_3 - q_4
    c, s = eta * sympy.cos(q), eta * sympy.sin(q)
    minus_A = [[I_1 + a, a, c, c], [a, a, c, c], [c, c, I_1 + d, d], [c, c, d, d]]
    agree(parts["M"], minus_A)
    out, back = s * (v_3 + v_4) ** 2, -s * (v_1 + v_2) ** 2
    agree(parts["h"], [out, out, back, back])
    G_1 = (m_1 + sympy.Rational(3, 2) * m_2) * g * length * sympy.cos(Q_1)
    G_2 = m_2 * g * length * sympy.cos(Q_2) / 2
    agree(parts["G"], [G_1, G_1, G_2, G_2])
    agree(parts["R"], [0, k * q_2, 0, k * q_4])
    lines = printed(m)
    assert lines["M₂₂"] == "l² (m₁ + 5 m₂/4) + I₂"
    assert lines["M₄₄"] == "m₂ l²/4 + I₂"
    assert lines["M₁₃"] == "m₂ l² cos(q₁ + q₂ - q₃ - q₄)/2"
    assert lines["h₁"] == "m₂ l² (q̇₃ + q̇₄)² sin(q₁ + q₂ - q₃ - q₄)/2"
    assert lines["G₁"] == "l g (m₁ + 3 m₂/2) cos(q₁ + q₂)"


def test_squares_of_sums_are_written_as_such():
    """(x + y + z)² is found among its terms; what lacks one of them stays multiplied out."""
    from korba.codegen.targets.formula.text import text
    from korba.expr.canonical import canonical
    from korba.expr.formula import Names, Symbol, collected
    from korba.expr.node import variable

    x, y, z, m = map(variable, "xyzm")
    names = Names({name: Symbol(name) for name in "mxyz"})

    def told(e):
        return text(collected(canonical([e]).values[0], names))

    assert told(3 * m * (x - 2 * y + z) ** 2) == "3 m (x - 2 y + z)²"
    assert told(m * (x + y) ** 2 + x * z) == "m (x + y)² + x z"
    assert told((x + y) ** 2 - x * y) == "x (x + y) + y²"
