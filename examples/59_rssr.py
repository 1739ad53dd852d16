"""A spatial four-bar with two balls: a torque speeds it up, its rod may
spin as it likes.
"""

import numpy as np

import korba as kb

F, P = 0.2, -0.657514191181337  # angles of crank and rocker at the start
u, w = (
    np.array([np.cos(F), np.sin(F), 0]),
    np.array([np.sin(P), 0, np.cos(P)]),
)
D = np.array([0.35, 0.1, 0.2])
B, C = 0.1 * u, D + 0.3 * w
n = (C - B) / 0.45


def inertia(own, x, z):
    """Moments about x along the link, y and z along its pin, in the
    world's axes.
    """
    R = np.array([x, np.cross(z, x), z]).T
    return R @ np.diag(own) @ R.T


crank = inertia((4e-4, 4e-3, 4e-3), u, (0, 0, 1))
rocker = inertia((6e-4, 0.012, 0.012), w, (0, 1, 0))
rod = 0.0151875 * np.eye(3) + (2e-5 - 0.0151875) * np.outer(n, n)
bodies = [
    kb.Body("crank", 1.0, tuple(0.04 * u), crank),
    kb.Body("rod", 0.9, tuple((B + C) / 2), rod),
    kb.Body("rocker", 1.4, tuple(D + 0.15 * w), rocker),
]
joints = [
    kb.Revolute("A", "ground", "crank", at=(0, 0, 0), axis=(0, 0, 1)),
    kb.Spherical("B", "crank", "rod", at=tuple(B)),
    kb.Spherical("C", "rod", "rocker", at=tuple(C)),
    kb.Revolute("D", "ground", "rocker", at=tuple(D), axis=(0, 1, 0)),
]
torque = kb.Moment("torque", "crank", (0, 0, 0.25))
m = kb.Mechanism(
    "RSSR", bodies, joints, forces=[torque], gravity=(0, 0, -9.81)
)

# The crank is given 9 rad/s; the spin of the rod between its balls begins at
# rest.
run = kb.simulate(
    m,
    until=3.0,
    v={"A": 9.0},
    times=13,
    method=kb.Method(rtol=1e-10, atol=1e-12),
)
print(run)

# Case P11 of the reference solutions, on which two formulations agree to
# 2e-11.
told = {
    "A": 149.739579240328,
    "D": -0.833756504727407,
    "v_A": 83.0953035051262,
}
for name, first in (("A", F), ("D", P), ("v_A", 0.0)):
    own = first + run[name][-1]
    print(f"{name} at 3 s: {own:.9f}, reference {told[name]:.9f}")
    assert abs(own - told[name]) < 1e-7
assert run.audit.residual < 1e-10
assert run.audit.energy < 1e-9
