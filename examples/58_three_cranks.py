"""Three parallel cranks carry one coupler: a loop to spare, passed where
it lies flat.
"""

import numpy as np

import korba as kb

START, LENGTH, FEET = 0.3, 0.2, (0.0, 0.3, 0.7)
arm = LENGTH * np.array([np.cos(START), np.sin(START)])
bodies = [
    kb.Body(
        f"crank{i}",
        0.5,
        (0.1, 0.01),
        0.0017,
        frame=kb.Frame((x, 0, 0), START),
    )
    for i, x in enumerate(FEET)
]
bodies.append(
    kb.Body("coupler", 2.0, (0.4, 0.03), 0.08, frame=kb.Frame((*arm, 0)))
)
joints = [
    kb.Revolute(f"A{i}", "ground", f"crank{i}", at=(x, 0))
    for i, x in enumerate(FEET)
]
joints += [
    kb.Revolute(f"B{i}", f"crank{i}", "coupler", at=(x + arm[0], arm[1]))
    for i, x in enumerate(FEET)
]
m = kb.Mechanism("three cranks", bodies, joints, plane="xy")

# The third crank is one too many: it takes nothing from the motion, and is
# told.
report = kb.mobility(m)
print(report)
assert (report.actual, report.theoretical) == (1, 0)

run = kb.simulate(
    m,
    until=2.0,
    v={"A0": 12.0},
    times=9,
    method=kb.Method(rtol=1e-12, atol=1e-13),
)
print(run)

# All links but the cranks only shift: a pendulum of constant inertia, solved
# to 20 digits.
told = np.array(
    [
        0.3,
        2.69460566519527,
        6.45109714584456,
        8.85570459882812,
        12.5960898516352,
        15.0221375791589,
        18.7348713947612,
        21.193495048569,
        24.8674568232939,
    ]
)
angle = START + run["A0"]
print(f"cranks at 2 s: {angle[-1]:.9f} rad, exact {told[-1]:.9f} rad")
assert np.abs(angle - told).max() < 1e-7
assert run.audit.residual < 1e-10
