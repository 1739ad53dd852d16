"""Andrews' squeezing mechanism: seven links and three loops, beside the
published angles.
"""

import numpy as np

import korba as kb

# Start of the benchmark, rad (Hairer & Wanner, Solving Ordinary Differential
# Equations II, VII.7).
ORDER = {
    "O": "beta",
    "F": "Theta",
    "B": "gamma",
    "G": "Phi",
    "A5": "delta",
    "H": "Omega",
}
ORDER |= {"A7": "epsilon"}
START = (
    -0.0617138900142764,
    0,
    0.45527981916307,
    0.222668390165886,
    0.487364979543843,
)
START = np.array([*START, -0.222668390165886, 1.23054744454982])
beta, theta, gamma, phi, delta, omega, epsilon = START


def turned(angle, x, y):
    """A vector turned by an angle."""
    return np.array(
        [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    ) @ (x, y)


A, B = np.array([-0.06934, -0.00227]), np.array([-0.03635, 0.03273])
F = turned(beta, 0.007, 0)
E = F + turned(beta + theta, -0.028, 0)
G, H = A + turned(delta, 0.04, 0), A + turned(epsilon, 0, -0.04)
# mass, moment of inertia, centre of mass, origin and angle of the link's
# frame
links = [
    ("K1", 0.04325, 2.194e-6, (0.00092, 0), (0, 0), beta),
    ("K2", 0.00365, 4.41e-7, (-0.0115, 0), F, beta + theta),
    ("K3", 0.02373, 5.255e-6, (0.01043, -0.01874), B, gamma),
    ("K4", 0.00706, 5.667e-7, (0, -0.00579), G, phi + delta),
    ("K5", 0.0705, 1.169e-5, (0.02308, 0.00916), A, delta),
    ("K6", 0.00706, 5.667e-7, (0.00579, 0), H, omega + epsilon),
    ("K7", 0.05498, 1.912e-5, (-0.00449, -0.01228), A, epsilon),
]
pins = [
    ("O", "ground", "K1", (0, 0)),
    ("F", "K1", "K2", F),
    ("B", "ground", "K3", B),
]
pins += [
    ("A5", "ground", "K5", A),
    ("A7", "ground", "K7", A),
    ("G", "K5", "K4", G),
]
pins += [
    ("H", "K7", "K6", H),
    *((f"E{k}", "K2", f"K{k}", E) for k in (3, 4, 6)),
]
spring = kb.Spring(
    *("spring", "ground", (0.014, 0.072, 0), "K3", (0.02, -0.018, 0)),
    stiffness=4530,
    free_length=0.07785,
)
m = kb.Mechanism(
    "squeezer",
    [
        kb.Body(n, mass, com, own, frame=kb.Frame((*p, 0), x))
        for n, mass, own, com, p, x in links
    ],
    [
        kb.Revolute(name, parent, child, at=tuple(p))
        for name, parent, child, p in pins
    ],
    forces=[spring, kb.Moment("torque", "K1", (0, 0, 0.033))],
    plane="xy",
    gravity=(0, 0, 0),
)

run = kb.simulate(
    m, until=0.03, times=2, method=kb.Method(rtol=1e-11, atol=1e-13)
)
PUBLISHED = (
    15.810771196299,
    -15.756371059843,
    0.040822240130731,
    -0.534730116322695,
)
PUBLISHED = np.array(
    [*PUBLISHED, 0.52440996588053, 0.534730116322695, 1.04808074104226]
)
angles = START + [run[name][-1] for name in ORDER]
for name, own, told in zip(ORDER.values(), angles, PUBLISHED, strict=True):
    print(f"{name:8} {own:16.9f} rad at 0.03 s, published {told:16.9f}")
assert np.abs(angles - PUBLISHED).max() < 1e-8
assert run.audit.residual < 1e-10
