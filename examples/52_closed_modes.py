"""Rest and small motions with loops: a four-bar on a spring, beside
published figures.
"""

import numpy as np

import korba as kb

# Case P12 of the reference solutions: AB 0.3, BC 0.5, CD 0.4, AD 0.6 m, rods
# of 2 kg/m, and a spring and damper from D to B.
LENGTHS = {
    "crank": ("A", "B", 0.3),
    "coupler": ("B", "C", 0.5),
    "rocker": ("D", "C", 0.4),
}
rods = [
    kb.Body(name, 2 * x, (x / 2, 0), x**3 / 6, points={P: (0, 0), Q: (x, 0)})
    for name, (P, Q, x) in LENGTHS.items()
]
pins = [
    kb.Revolute("A", "ground.A", "crank.A", drawn="70 deg"),
    kb.Revolute("B", "crank.B", "coupler.B"),
    kb.Revolute("C", "coupler.C", "rocker.C"),
    kb.Revolute("D", "ground.D", "rocker.D"),
]
spring = kb.Spring(
    "spring",
    "ground.D",
    body_b="crank.B",
    stiffness=800,
    free_length=0.62,
    damping=12,
)
feet = {"A": (0, 0), "D": (0.6, 0)}
m = kb.Mechanism(
    "four-bar", rods, pins, forces=[spring], points=feet, plane="xy"
)

# Every position of rest; published are those with C to the left of the way
# from B to D.
PUBLISHED = {  # crank angle: eigenvalue in rad/s
    -1.41270011857738: -6.76688875299846 + 29.906878395505j,
    0.0150004731155418: 33.6407493675561,
    1.38612654000755: -4.04972391028226 + 22.1225377966173j,
    3.02127614636377: 17.0254977020145,
}
for rest in kb.equilibrium(m, every=60):
    B, C = rest.point("crank", "B"), rest.point("coupler", "C")
    if (0.6 - B[0]) * C[1] + B[1] * (C[0] - 0.6) < 0:
        continue
    angle = min(PUBLISHED, key=lambda x: abs(x - rest["A"]))
    s = min(rest.system.eigenvalues, key=lambda s: abs(s - PUBLISHED[angle]))
    print(
        f"{rest['A']:.12f} ({angle:.12f}) rad, s = {s:.9g} "
        f"({PUBLISHED[angle]:.9g}) 1/s"
    )
    assert abs(rest["A"] - angle) < 1e-9
    assert abs(s / PUBLISHED[angle] - 1) < 1e-6

# The mode as a motion, for an animation; and a run let go beside rest swings
# as it says.
rest = kb.equilibrium(m, {"A": "80 deg"})
(mode,) = rest.system.modes
print(mode)
swing = rest.system.swing(amplitude=0.2)
assert np.ptp(swing["A"]) > 0.1
run = kb.simulate(
    m,
    "1 s",
    q={"A": rest["A"] + 1e-5},
    events=["v_A"],
    method=kb.Method(rtol=1e-12, atol=1e-15),
)
assert abs(2 * np.diff(run.events.t).mean() * mode.frequency - 1) < 1e-5
