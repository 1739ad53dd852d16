"""Any verb compiled, counted and differentiated: kb.pose of an arm and of
a four-bar.
"""

import numpy as np

import korba as kb

# An arm of two links in the plane; its tip has a name.
links = [
    kb.Body("upper", mass=2.0, com=(0.25, 0), inertia=0.02),
    kb.Body(
        "hand",
        mass=1.5,
        com=(0.7, 0),
        inertia=0.015,
        points={"tip": (0.9, 0)},
    ),
]
joints = [
    kb.Revolute("A", "ground", "upper", at=(0, 0)),
    kb.Revolute("B", "upper", "hand", at=(0.5, 0)),
]
arm = kb.Mechanism("arm", links, joints, plane="xy")
q, v = np.array([0.4, -0.9]), np.array([1.5, -0.7])

# A verb is a value: called it answers, and it can be compiled, counted and
# differentiated.
pose = kb.compile(kb.pose, arm, body="hand")
slope = kb.compile(kb.derivative(kb.pose, arm, "q", body="hand"))
count = kb.operations(kb.jacobian, arm, body="hand", point="tip")
print(pose, slope, f"Jacobian of the tip: {count.total} operations", sep="\n")

# The derivative of the tip's place along v is what the verb `velocity` says.
tip = np.array([0.9, 0, 0, 1])
rate = (slope(q) @ v) @ tip
assert np.allclose(pose(q), kb.pose(arm, q, "hand"), atol=0)
assert np.allclose(
    rate[:3], kb.velocity(arm, q, v, "hand", "tip")[3:], atol=1e-15
)

# The same of a mechanism with a loop: q lists all joints, as kb.assemble
# gives them.
ends = ["ground", "crank", "coupler", "rocker", "ground"]
points = [(0, 0), (0, 1), (3, 2), (3, 0)]
pins = [
    kb.Revolute(n, ends[i], ends[i + 1], at=points[i])
    for i, n in enumerate("ABCD")
]
four_bar = kb.Mechanism(
    "four-bar", [kb.Body(n) for n in ends[1:4]], pins, plane="xy"
)
closed = kb.assemble(four_bar, {"A": np.radians(30)})
X = kb.pose(four_bar, closed.q, "rocker")
print("the pin D of the rocker stays at", (X @ [3, 0, 0, 1])[:2].round(12))
assert np.allclose((X @ [3, 0, 0, 1])[:2], (3, 0), atol=1e-12)
