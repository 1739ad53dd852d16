"""The equations of a mechanism, written as a textbook prints them."""

import korba as kb

pendulum = kb.loads("""
name = "double pendulum"
plane = "xy"
parameters = {m1 = 1, m2 = 1, l1 = 1, s1 = 0.5, s2 = 0.5, I1 = 0.1, I2 = 0.1}
body = [
  {name="upper", mass="m1", com=[0, "-s1"], inertia="I1"},
  {name="lower", mass="m2", com=[0, "-l1 - s2"], inertia="I2"},
]
joint = [
  {name="q1", type="revolute", parent="ground", child="upper", at=[0, 0]},
  {name="q2", type="revolute", parent="upper", child="lower", at=[0, "-l1"]},
]
""")
equations = kb.equations(pendulum)
print(equations)
print(equations.latex())

# the canonical form is unique: every formulation writes the same words
for name in (
    "newton-euler",
    "lagrange-dh",
    "kane-congruence",
    "hamilton",
    "block-matrix",
):
    assert kb.equations(pendulum, formulation=name).text() == equations.text()
first = "M₁₁ = m₁ s₁² + I₁ + I₂ + m₂ (l₁² + s₂² + 2 l₁ s₂ cos q₂)"
assert first in equations.text()
