"""Loops that drift: nothing done, Baumgarte's stabilisation, and
projection, side by side.
"""

import numpy as np

import korba as kb

# Gronowicz, example 4.11, task 2, with a moment of 3 - 5 t on the crank. As
# in the book every body has its own x, y and angle, so that all pairs are
# constraints.
a, b, c, d, w = 0.07, 0.11, 0.37, 0.25, 0.2
crank, start = np.pi / 4, np.array([0.0, w])
rod = np.pi - np.arcsin((w + (a + b) * np.sin(crank)) / (c + d))
along = [np.array([np.cos(angle), np.sin(angle)]) for angle in (crank, rod)]
B = start + (a + b) * along[0]
C = B - (c + d) * along[1]
C1, C2 = start + a * along[0], C + d * along[1]
bodies = [
    kb.Body("crank", 0.6, com=C1, inertia=0.004),
    kb.Body("rod", 1.45, com=C2, inertia=0.01),
]
joints = [
    kb.Planar("C1", "ground", "crank", at=C1),
    kb.Planar("C2", "ground", "rod", at=C2),
    kb.Revolute("A", "ground", "crank", at=start),
    kb.Revolute("B", "crank", "rod", at=B),
    kb.PinInSlot("C", "ground", "rod", at=C, axis=(1, 0)),
]
moment = kb.JointForce("moment", "A", law="3 - 5*t")
m = kb.Mechanism("crank and rod", bodies, joints, forces=[moment], plane="xy")


def residual(run):
    """The largest of the book's constraints (3.67) over the run, in m."""
    x1, y1, turn1, x2, y2, turn2 = (run.q[:, :6] + [*C1, crank, *C2, rod]).T
    rows = [
        (x1 - a * np.cos(turn1), y1 - w - a * np.sin(turn1)),
        (x1 + b * np.cos(turn1) - x2 - c * np.cos(turn2),),
        (
            y1 + b * np.sin(turn1) - y2 - c * np.sin(turn2),
            y2 - d * np.sin(turn2),
        ),
    ]
    return max(np.abs(row).max() for row in rows)


ways = (
    "none",
    {"alpha": 20, "beta": 20},
    {"alpha": 50, "beta": 50},
    "projection",
)
table = []
for step in (5e-3, 2e-3, 1e-3):
    methods = [kb.Method("rk4", step, stabilisation=way) for way in ways]
    table.append(
        [
            residual(kb.simulate(m, 0.6, v={"A": 10.0}, method=method))
            for method in methods
        ]
    )
    print(
        f"{1000 * step:.0f} ms  " + "  ".join(f"{x:.1e}" for x in table[-1])
    )

# RK4: a fifth of the step leaves a five-hundredth of the residual; projection
# leaves rounding alone.
none, weak, strong, projected = np.transpose(table)
assert none[0] / none[2] > 500
assert np.all(weak < 0.25 * none)
assert np.all(strong < 0.5 * weak)
assert np.all(projected < 1e-14)
