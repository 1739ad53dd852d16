"""A crank of a bar, a boss and a counterweight with bores: what it weighs,
and as two masses.
"""

import numpy as np

import korba as kb

S = kb.solids
steel = "7850 kg/m^3"
bar = S.Bar(
    (0, 0), ("80 mm", 0), width="30 mm", thickness="8 mm", density=steel
)
# a part without a density has that of the part before
boss = S.Cylinder("20 mm", "20 mm")
weight = S.Plate(
    [(-0.05, -0.03), (-0.01, -0.02), (-0.01, 0.02), (-0.05, 0.03)], "8 mm"
)
crank = (
    bar
    + boss
    + weight
    - S.Cylinder("12 mm", "20 mm")
    - S.Cylinder("6 mm", "8 mm", at=(0.08, 0))
)
print(crank, "centre of mass", crank.com.round(5))

# About A (Steiner), about its principal axes, and as two masses: in A and
# where a blow spares A.
whole = kb.mass_properties(crank)
print(f"inertia about A {1e3 * whole.about((0, 0))[2, 2]:.4f} g m^2")
print("principal moments", whole.principal[0].round(7))
model = whole.point_masses([(0, 0)], dynamic=True)
print(
    "masses",
    model.masses.round(4),
    "kg at x =",
    model.points[:, 0].round(4),
    "m",
)

# In a mechanism, and in a file with sizes as parameters.
m = kb.loads("""
name = "pendulum"
plane = "xy"
parameters = { length = "80 mm", steel = "7850 kg/m^3" }
joint = [
  {name="A", type="revolute", parent="ground", child="rod", at=[0, 0]},
]

[[body]]
name = "rod"
solid = [
  {type="rod", start=[0,0], end=["length",0], radius="6 mm", density="steel"},
  { type="sphere", radius="length/4", at=["length", 0] },
]
""")
longer = kb.redimension(m, length="100 mm")
print(
    f"pendulum {m.body('rod').mass:.4f} kg, longer "
    f"{longer.body('rod').mass:.4f} kg"
)

assert np.isclose(
    model.properties.inertia[2, 2], whole.inertia[2, 2], rtol=1e-12
)
ball = 4 / 3 * np.pi * 0.02**3
assert np.isclose(
    m.body("rod").mass, 7850 * (np.pi * 0.006**2 * 0.08 + ball), rtol=1e-12
)
