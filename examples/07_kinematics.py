"""Where the hand of an arm is, how fast it moves and what it feels, along a
straight path.

The joint velocities that move the hand along a line come from the Jacobian,
the accelerations from its rate: V = J v and A = J a + dJ/dt v. All verbs take
arrays of states.
"""

import numpy as np

import korba as kb

arm = kb.from_dh(
    [
        kb.DHRow(
            d=0.3,
            alpha="90 deg",
            mass=3,
            com=(0, -0.1, 0),
            inertia=(0.03, 0.01, 0.03),
        ),
        kb.DHRow(a=0.4, mass=2, com=(-0.2, 0, 0), inertia=(0.01, 0.03, 0.03)),
        kb.DHRow(
            a=0.3, mass=1, com=(-0.15, 0, 0), inertia=(0.01, 0.01, 0.01)
        ),
    ],
    name="arm",
)
hand = "link3"
q = np.radians([20, 40, -70])

X = kb.pose(arm, q, hand)
print(
    "the hand is at", X[:3, 3], "and all bodies are", list(kb.poses(arm, q))
)

push = np.array([0.0, 0.5, -0.2])  # wanted velocity of the hand, steady
J = kb.jacobian(arm, q, hand)[3:]
v = np.linalg.solve(J, push)
a = np.linalg.solve(J, -kb.jacobian_rate(arm, q, v, hand)[3:] @ v)
print("joint velocities", v, "and accelerations", a)

assert np.allclose(kb.velocity(arm, q, v, hand)[3:], push)
# a straight line
assert np.allclose(kb.acceleration(arm, q, v, a, hand)[3:], 0, atol=1e-14)

c = kb.centre_of_mass(arm, q)
assert np.isclose(kb.energy(arm, q, v).potential, 6 * 9.81 * c[2])

many = kb.velocity(
    arm, np.random.default_rng(0).normal(size=(1000, 3)), v, hand
)
assert many.shape == (1000, 6)
