"""Five-bar robot: two driven cranks place a point in the plane."""

import numpy as np

import korba as kb

BASE, CRANK, ROD = 0.3, 0.25, 0.35
PIVOTS = np.array([[-BASE / 2, 0.0], [BASE / 2, 0.0]])


def crossing(p, r_p, q, r_q, side):
    """The point at distances r_p from p and r_q from q, on the left of p
    -> q for side = 1.
    """
    d = np.linalg.norm(q - p)
    x = (r_p**2 - r_q**2 + d**2) / (2 * d)
    u = (q - p) / d
    return p + x * u + side * np.sqrt(r_p**2 - x**2) * np.array([-u[1], u[0]])


def cranks(tip):
    """Crank angles that bring the tip to a point, elbows outwards: the
    closed form.
    """
    elbows = [
        crossing(PIVOTS[i], CRANK, tip, ROD, side)
        for i, side in ((0, 1), (1, -1))
    ]
    return [
        np.arctan2(*(e - p)[::-1])
        for e, p in zip(elbows, PIVOTS, strict=True)
    ], elbows


HOME = np.array([0.0, 0.45])


def five_bar():
    """The robot, drawn with its tip at HOME."""
    _, (left, right) = cranks(HOME)
    bodies = [
        kb.Body(name) for name in ("left", "right", "left rod", "right rod")
    ]
    joints = [
        kb.Revolute("A", "ground", "left", at=PIVOTS[0]),
        kb.Revolute("B", "ground", "right", at=PIVOTS[1]),
        kb.Revolute("C", "left", "left rod", at=left),
        kb.Revolute("D", "right", "right rod", at=right),
        kb.Revolute("tip", "left rod", "right rod", at=HOME),
    ]
    return kb.Mechanism("five-bar", bodies, joints, plane="xy")


m = five_bar()
turns = np.linspace(0, 2 * np.pi, 50)
circle = HOME + 0.08 * np.stack([np.cos(turns), np.sin(turns)], axis=1)

# inverse: the tip goes round a circle
drawn = np.array(cranks(HOME)[0])
expected = np.array([cranks(tip)[0] for tip in circle]) - drawn
found = kb.inverse_kinematics(m, "left rod", circle, point=HOME)
assert np.allclose(
    np.stack([found["A"], found["B"]], axis=1), expected, rtol=0, atol=1e-12
)

# forward: crank angles back to points
tips = kb.assemble(m, {"A": expected[:, 0], "B": expected[:, 1]}).pose(
    "left rod"
)
assert np.allclose(
    (tips @ [*HOME, 0.0, 1.0])[:, :2], circle, rtol=0, atol=1e-12
)
print("the tip follows its circle to", f"{found.error:.1g}")
