"""A four-bar runs freely for ten seconds: its loop stays closed, its
energy stays what it was.
"""

import numpy as np

import korba as kb

RODS = {"crank": 0.2, "coupler": 0.7, "rocker": 0.5}
A, B, C, D = np.array([(0, 0), (0.2, 0), (0.7, 0.489897948556636), (0.8, 0)])


def rod(name, P, Q):
    """A uniform thin rod of 1 kg/m."""
    mass = RODS[name]
    return kb.Body(
        name, mass, tuple((P + Q) / 2), mass * RODS[name] ** 2 / 12
    )


m = kb.Mechanism(
    "four-bar",
    [rod("crank", A, B), rod("coupler", B, C), rod("rocker", D, C)],
    [
        kb.Revolute("A", "ground", "crank", at=tuple(A)),
        kb.Revolute("B", "crank", "coupler", at=tuple(B)),
        kb.Revolute("C", "coupler", "rocker", at=tuple(C)),
        kb.Revolute("D", "ground", "rocker", at=tuple(D)),
    ],
    plane="xy",
)

# The crank is given 10 rad/s, all other joints follow.
run = kb.simulate(
    m,
    until=10.0,
    v={"A": 10.0},
    times=11,
    method=kb.Method(rtol=1e-12, atol=1e-13),
)
print(run)

# Case P10 of the reference solutions, found by quadrature in 40 digits.
EXACT = [
    0,
    8.94331041014257,
    19.8753709584761,
    29.5791783306842,
    39.2977373346563,
]
print(f"crank after 4 s: {run['A'][4]:.9f} rad, exact {EXACT[4]:.9f} rad")
assert np.allclose(run["A"][:5], EXACT, rtol=0, atol=1e-8)
assert run.audit.residual < 1e-12
assert run.audit.energy < 1e-10

# What the motor of a driven crank would have to move: the reduced inertia at
# the start.
inertia = kb.mass_matrix(m, run.q[0], coordinates=("A",))[0, 0]
assert np.isclose(0.5 * inertia * 10.0**2, run["kinetic"][0])
