"""One four-bar, four ways: all joints, all bodies, as few coordinates as it
has, one of them named.

The crank is stretched along the coupler, where the rocker D turns round: from
D the others do not follow there, and Korba says so. Minimal coordinates
change before that happens.
"""

import numpy as np

import korba as kb

joints = [
    kb.Revolute("A", "ground", "crank", at=(0, 0)),
    kb.Revolute("B", "crank", "coupler", at=(0.3, 0)),
    kb.Revolute("C", "coupler", "rocker", at=(1.2, 0)),
    kb.Revolute("D", "ground", "rocker", at=(0.9, -0.6)),
]
bodies = [
    kb.Body("crank", 1.0, (0.15, 0.0), 0.05),
    kb.Body("coupler", 2.0, (0.7, 0.1), 0.2),
    kb.Body("rocker", 1.5, (1.0, -0.3), 0.1),
]
m = kb.Mechanism("crank-rocker", bodies, joints, plane="xy")

at_rest, no_force = np.zeros(m.nv), np.zeros(m.nv)
names = ("multipliers", "absolute", "minimal")
ways = {
    name: kb.forward_dynamics(m, {}, at_rest, no_force, formulation=name)[0]
    for name in names
}
ways["coordinates=A"] = kb.forward_dynamics(
    m, {}, at_rest, no_force, coordinates="A"
)[0]
for name, a in ways.items():
    print(f"{name:>14}: {a:.12f} rad/s^2")

try:
    kb.forward_dynamics(m, {}, at_rest, no_force, coordinates="D")
except kb.StructureError as error:
    print(error)

answer = kb.crosscheck(m, states=4)
print(answer)
assert answer.agree
assert np.ptp(list(ways.values())) < 1e-11
