"""Balls on rods without mass: a chain of three swings between two
bearings, and every rod tells its pull.
"""

import korba as kb

B, C = (
    (0.144943101790669, 0.372815634386891),
    (0.912042945455306, 0.59987912737881),
)
balls = [
    kb.Body("B", 1.5, com=B, inertia=1e-3),
    kb.Body("C", 2.0, com=C, inertia=1e-3),
]
rods = [
    kb.Rod("AB", "ground", "B", at=(0, 0), to=B),
    kb.Rod("BC", "B", "C", at=B, to=C),
    kb.Rod("CD", "ground", "C", at=(0.9, 0), to=C),
]
m = kb.Mechanism("balls on rods", balls, rods, plane="xy")
run = kb.simulate(
    m,
    until=2.0,
    v={"AB.swing": -1.0},
    method=kb.Method("dop853", rtol=1e-11, atol=1e-12),
)
forces = kb.reactions(m, run)

print(run)
print(forces)

# Case E1 of the reference solutions: Lagrange's equations in one angle.
pull = forces.pulls["BC"][-1]
print(f"pull of BC at 2 s: {pull:.6f} N, reference -1.441467 N")
assert abs(pull + 1.44146732928689) < 1e-7
