"""Coupler curve, range and transmission angle of a four-bar."""

import numpy as np

import korba as kb

# a crank-rocker: a = 0.2 (crank), b = 0.6 (coupler), c = 0.6 (rocker), d =
# 0.8 (base)
a, b, c, d = 0.2, 0.6, 0.6, 0.8
B, D = np.array([0.0, a]), np.array([d, 0.0])
half = np.hypot(a, d) / 2
C = (B + D) / 2 + np.sqrt(b * b - half * half) * np.array([a, d]) / (2 * half)
m = kb.Mechanism(
    "four-bar",
    [kb.Body(name) for name in ("crank", "coupler", "rocker")],
    [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "coupler", at=B),
        kb.Revolute("C", "coupler", "rocker", at=C),
        kb.Revolute("D", "ground", "rocker", at=D),
    ],
    drives=[kb.JointDrive("motor", "A", "60 rpm * t")],
    plane="xy",
)

print(kb.input_range(m, "A"))  # the crank turns fully
swing = kb.input_range(m, "D")  # the rocker swings between two dead points
print(swing)

# a point of the coupler, in the coupler's frame, over a turn of the crank:
# both ways to assemble
curve = kb.coupler_curve(
    m, "coupler", (0.3, 0.7), coordinate="A", branches="all"
)
print([f"{branch.length:.4f} m" for branch in curve.branches])

# one turn in time: where the rocker turns back, and how well it is moved
turn = kb.motion(m, np.linspace(0, 1, 361))
print(kb.singularities(turn))
mu = kb.transmission_angle(turn)
print(
    f"transmission angle {np.degrees(mu.minimum):.1f} deg or more at joint "
    f"{mu.joint}"
)

# dead points by the law of cosines: crank and coupler in line
reach = [
    np.arccos((c * c + d * d - (b + sign * a) ** 2) / (2 * c * d))
    for sign in (-1, 1)
]
assert abs((swing.ends[1] - swing.ends[0]) - (reach[1] - reach[0])) < 1e-12
assert (
    abs(mu.minimum - np.arccos((b * b + c * c - (d - a) ** 2) / (2 * b * c)))
    < 1e-9
)
assert len(curve.branches) == 2
