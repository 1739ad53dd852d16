"""Maryniak & Małecki: an arm with a differential rotor, a crank-driven piston
and its rod.

Lead-in functions may be curved: then their second derivatives enter, and each
element's share of the equations (gamma of the mass matrix, beta of the rest)
can be looked at.
"""

from dataclasses import replace

import numpy as np

import korba as kb

links = [
    {
        "a": 0.1,
        "alpha": "90 deg",
        "d": 0.4,
        "mass": 9.0,
        "com": (-0.05, -0.12, 0.03),
    },
    {
        "a": 0.35,
        "alpha": "-60 deg",
        "theta": "20 deg",
        "d": 0.05,
        "mass": 6.5,
    },
    {
        "joint": "prismatic",
        "a": 0.04,
        "alpha": "25 deg",
        "theta": "-35 deg",
        "d": 0.25,
    },
]
links[0]["inertia"] = (0.2691, 0.2581, 0.3069, -0.0159, -0.0102, 0.009)
links[1] |= {
    "com": (-0.14, 0.02, 0.01),
    "inertia": (0.1259, 0.1193, 0.1246, -66e-4, -3e-3, 97e-4),
}
links[2] |= {"inertia": (0.0494, 0.0509, 0.0462, -0.0027, -0.0053, -0.0014)}
links[2] |= {"mass": 3.2, "com": (0.01, 0.015, -0.11)}
mount = {"a": -0.15, "theta": "180 deg", "d": 0.3}
chains = {
    "rotor": [
        ("q1", {"a": 0.06, "alpha": "45 deg", "theta": "-30 deg", "d": 0.22}),
        ("35*q1 + 20*q2", {"d": 0.02, "mass": 1.3, "com": (0, 0, 0.015)}),
    ],
    "piston": [
        ("q1", mount),
        (
            "0.08*cos(q2) + sqrt(0.09 - (0.08*sin(q2))^2)",
            {"joint": "prismatic", "a": 0.02},
        ),
    ],
    "rod": [
        ("q1", mount | {"alpha": "90 deg"}),
        ("q2", {"a": 0.08, "theta": "90 deg", "d": 0.01}),
        (
            "-q2 - asin(0.08*sin(q2)/0.3)",
            {"a": 0.3, "mass": 0.7, "com": (-0.16, 0, 0)},
        ),
    ],
}
chains["rotor"][1][1]["inertia"] = (0.0015, 0.0015, 0.0007)
chains["piston"][1][1].update(mass=2.4, com=(0, 0, 0.04))
chains["piston"][1][1]["inertia"] = (
    0.009,
    0.0087,
    0.0119,
    0.0006,
    0.0011,
    -0.001,
)
chains["rod"][2][1]["inertia"] = (
    0.0055,
    0.0043,
    0.0056,
    -0.0007,
    -0.0001,
    0.0006,
)

robot = kb.from_dh(links, name="arm with a crank")
for name, steps in chains.items():
    names = [f"{name}{k}" for k in range(len(steps))]
    rows = [
        step | {"name": p, "link": p}
        for p, (_, step) in zip(names, steps, strict=True)
    ]
    laws = [
        kb.Coupling(p, p, law)
        for p, (law, _) in zip(names, steps, strict=True)
    ]
    lead = kb.from_dh([*rows[:-1], rows[-1] | {"link": name}])
    joints, bodies = robot.joints + lead.joints, robot.bodies + lead.bodies
    robot = replace(
        robot,
        bodies=bodies,
        joints=joints,
        couplings=[*robot.couplings, *laws],
    )

q, v, a = [-0.55, 1.21, 0.39], [-0.03, 1.21, -0.96], [0.43, 1.9, 0.03]
terms = kb.papers.lagrange_terms(robot, q, v)
energies = [terms.elements[name].kinetic for name in chains]
tau = kb.inverse_dynamics(robot, q, v, a, formulation="lagrange-dh")
print("energies", energies, "torques", tau)
assert np.allclose(
    energies,
    [0.18723207435082617, 0.011873351613490908, 0.003309955147547372],
)
assert np.allclose(
    tau,
    [1.7998037505625204, -17.68834487474883, 0.5374190726825919],
    rtol=1e-11,
)
