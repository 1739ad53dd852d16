"""A spatial arm with geared motors, elastic joints and dampers, in Kane's
decoupled equations.
"""

from dataclasses import replace

import numpy as np

import korba as kb

STIFFNESS = 4000.0  # N m/rad
rows = [
    kb.DHRow(
        a=0.05,
        alpha="90 deg",
        d=0.35,
        mass=6,
        com=(0, -0.1, 0),
        inertia=(0.06, 0.05, 0.06),
    ),
    kb.DHRow(a=0.4, mass=5, com=(-0.2, 0, 0), inertia=(0.02, 0.09, 0.09)),
    kb.DHRow(a=0.3, mass=3, com=(-0.1, 0, 0), inertia=(0.01, 0.04, 0.04)),
]
stiff = kb.from_dh(rows, name="arm")
motor = kb.Rotor(ratio=80, mass=0.5, inertia=(1e-4, 1e-4, 2e-4))
elastic = kb.Elastic(STIFFNESS, damping=12)
arm = replace(
    stiff,
    joints=tuple(
        replace(joint, rotor=motor, elastic=elastic) for joint in stiff.joints
    ),
    # a force on an elastic joint acts on its motor's side: a servo that holds
    # the angle 0
    forces=tuple(
        kb.JointForce(f"servo {j.name}", j.name, 2e4, damping=400)
        for j in stiff.joints
    ),
)
print(arm.coordinates)

motion = kb.simulate(arm, 4, times=401)  # let it sag from rest
motors, twists = motion.q[-1, ::2], motion.q[-1, 1::2]
print(
    "after 4 s: motors",
    np.degrees(motors),
    "deg, twists",
    np.degrees(twists),
    "deg",
)
# servo and spring in series
assert np.allclose(2e4 * motors, STIFFNESS * twists, atol=1e-3)
# at rest
assert np.allclose(
    kb.bias_forces(arm, motion.q[-1], np.zeros(6)), 0, atol=1e-2
)

# all 401 states at once
state = kb.papers.congruency(arm, motion.q, motion.v, np.zeros(6))
product = np.swapaxes(state.Psi, -1, -2) @ state.A @ state.Psi
assert np.allclose(product, state.L[..., None] * np.eye(6), atol=1e-12)
assert np.all(state.L < 0)
plain = kb.forward_dynamics(arm, motion.q, motion.v, np.zeros(6))
assert np.allclose(state.a, plain, rtol=1e-8, atol=1e-8)
