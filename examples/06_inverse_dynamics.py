"""Torques of a planar arm for a given motion, for one state and for a hundred
thousand.

The arm is Example 4.9 of Gronowicz's book. The verb compiles itself at the
first call; `kb.compile` gives the compiled function to keep, and
`kb.operations` says how much work one state takes.
"""

import numpy as np

import korba as kb

arm = kb.Mechanism(
    "two links",
    bodies=[
        kb.Body("upper", mass="2 kg", com=("250 mm", 0), inertia=0.02),
        kb.Body("lower", mass="1.5 kg", com=("700 mm", 0), inertia=0.015),
    ],
    joints=[
        kb.Revolute("shoulder", "ground", "upper", at=(0, 0)),
        kb.Revolute("elbow", "upper", "lower", at=("0.5 m", 0)),
    ],
    plane="xy",
)

q, v, a = np.radians([30, 45]), np.array([1.0, -2.0]), np.array([3.0, 4.0])
tau = kb.inverse_dynamics(arm, q, v, a)
print(
    "torques", tau, "accelerations back", kb.forward_dynamics(arm, q, v, tau)
)
assert np.allclose(
    tau, [14.52700114, 1.71096852], atol=5e-9
)  # M_C1 and M_C2 of the book's formulas

f = kb.compile(kb.inverse_dynamics, arm)
states = np.random.default_rng(0).normal(size=(3, 100_000, 2))
torques = f(*states, threads=2)
print(torques.shape, kb.operations(kb.inverse_dynamics, arm))
assert torques.shape == (100_000, 2)

stiffness = kb.compile(kb.derivative(kb.inverse_dynamics, arm, "q"))
assert stiffness(q, v, a).shape == (2, 2)
