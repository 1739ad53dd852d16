"""A slider-crank in space (IFToMM): pin, ball, cross and slide run freely
for five seconds.
"""

import numpy as np

import korba as kb

# Pin A, ball B, cross U on the slider, slide C.
A, B, C = np.array([(0, 0.1, 0.12), (0, 0.1, 0.2), (0.2, 0, 0)])
x = (C - B) / 0.3
cross = np.cross((1, 0, 0), x)
bodies = [
    kb.Body("crank", 0.12, tuple(A), (1e-4, 1e-5, 1e-4)),
    kb.Body(
        "rod",
        0.5,
        tuple((B + C) / 2),
        4e-3 * np.eye(3) - 3.6e-3 * np.outer(x, x),
    ),
    kb.Body("slider", 2.0, tuple(C)),
]
joints = [
    kb.Revolute("A", "ground", "crank", at=tuple(A), axis=(1, 0, 0)),
    kb.Spherical("B", "crank", "rod", at=tuple(B)),
    kb.Universal(
        "U", "slider", "rod", at=tuple(C), axis=(1, 0, 0), x_axis=tuple(cross)
    ),
    kb.Prismatic("C", "ground", "slider", at=tuple(C), axis=(1, 0, 0)),
]
m = kb.Mechanism("slider-crank", bodies, joints, gravity=(0, 0, -9.81))
run = kb.simulate(
    m,
    until=5.0,
    v={"A": 6.0},
    times=11,
    method=kb.Method(rtol=1e-10, atol=1e-12),
)

print(run)

# Case P5 of the reference solutions: by quadrature of the energy, 20 digits.
slider, told = 0.2 + run["C"][-1], 0.254650085467319
print(f"slider at 5 s: {slider:.9f} m, reference {told:.9f} m")
assert abs(slider - told) < 1e-8
assert run.audit.residual < 1e-10
