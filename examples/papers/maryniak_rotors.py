"""Maryniak & Małecki: a six-joint arm with two motor rotors as accompanying
elements.

A rotor is reached by a lead-in chain of Denavit-Hartenberg steps whose
coordinates are functions of the arm's: those before the carrier follow the
arm, the last one turns at the gear's ratio.
"""

from dataclasses import replace

import numpy as np

import korba as kb

# a, alpha, d; mass, centre of mass; tensor xx, yy, zz, xy, xz, yz: all in the
# link's frame
table = [
    (0, -90, 0.66, 13, (0, 0.31, 0.02)),
    (0.43, 0, 0.15, 17.4, (-0.3638, 0.006, 0.2275)),
    (-0.02, 90, 0, 4.8, (-0.0203, -0.0141, 0.07)),
    (0, -90, 0.43, 0.82, (0, 0.19, 0)),
    (0, 90, 0, 0.34, (0, 0, 0.013)),
    (0, 0, 0.06, 0.09, (0.001, -0.002, 0.032)),
]
tensors = [
    (1.084733, 0.926013, 0.969603, -0.06426, 0.019528, 0.101044),
    (0.433369, 0.509969, 0.510727, 0.030794, 0.052808, -0.056692),
    (0.062046, 0.077097, 0.075727, -0.004725, -0.008176, 0.008363),
    (0.001296, 0.001657, 0.001752, -0.000152, 0.000165, -0.000125),
    (0.000318, 0.000365, 0.000331, 3e-6, -2e-5, 3e-5),
    (0.000166, 0.000181, 0.000145, 0, 2e-5, -4e-6),
]
rows = [
    dict(zip(("a", "alpha", "d", "mass", "com"), row, strict=True))
    for row in table
]
for row, tensor in zip(rows, tensors, strict=True):
    row |= {"alpha": np.radians(row["alpha"]), "inertia": tensor}
robot = kb.from_dh(rows, name="arm with rotors")

chains = [  # name of the coordinate, its function, and the step
    [
        (
            "u1",
            "q1",
            {"a": 0.12, "alpha": "-90 deg", "theta": "15 deg", "d": 0.4},
        ),
        ("motor2", "62.5*q2", {"d": 0.05, "mass": 1.6, "com": (0, 0, 0.03)}),
    ],
    [
        ("w1", "q1", {"alpha": "-90 deg", "d": 0.66}),
        (
            "w2",
            "q2",
            {"a": 0.1, "alpha": "90 deg", "theta": "-20 deg", "d": 0.08},
        ),
        (
            "motor3",
            "-53.7*q3",
            {"d": 0.04, "mass": 1.1, "com": (0.0004, 0, 0.02)},
        ),
    ],
]
for steps, tensor in zip(
    chains, [(21e-4, 21e-4, 9e-4), (12e-4, 12e-4, 5e-4)], strict=True
):
    steps[-1][2]["inertia"] = tensor
    lead = kb.from_dh(
        [step | {"name": p, "link": f"at {p}"} for p, _, step in steps]
    )
    joints, bodies = robot.joints + lead.joints, robot.bodies + lead.bodies
    laws = [
        *robot.couplings,
        *(kb.Coupling(f"law of {p}", p, law) for p, law, _ in steps),
    ]
    robot = replace(robot, bodies=bodies, joints=joints, couplings=laws)

q, v = (
    [-0.84, 0.77, 1.23, -0.68, 0.39, -0.34],
    [1.1, -0.54, -0.01, -1.09, -0.73, -0.95],
)
# (3.66)
tau = kb.generalised_forces(robot, q, {"motor2": 0.36, "motor3": 0.28})
tau += [3.06, 0.86, 7.65, 6.82, 6.31, 5.75]
a = kb.forward_dynamics(robot, q, v, tau, formulation="lagrange-dh")
print("torques", tau, "accelerations", a)
assert np.allclose(tau[:3], [3.06, 23.36, -7.386], rtol=1e-12)
assert np.allclose(
    a[:3],
    [4.919066054953336, 2.241407288819478, -15.000151694029158],
    rtol=1e-9,
)
