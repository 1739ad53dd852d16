"""A damper behind a spring: the Maxwell element, whose node has no mass,
beside a spring and a constant force (Zener's solid).
"""

import korba as kb

ends = ("ground", (-1, 0), "block", (0, 0))
m = kb.Mechanism(
    "Zener",
    [kb.Body("block", 2.0, inertia=0.1)],
    [kb.Prismatic("x", "ground", "block", at=(0, 0), axis=(1, 0))],
    forces=[
        kb.SeriesSpring("M", *ends, "300 N/m", "25 N*s/m", elongation=0.02),
        kb.Spring("S", *ends, "80 N/m", free_length=1.0),
        kb.PointForce("F", "block", ("6 N", 0)),
    ],
    plane="xy",
)
run = kb.simulate(
    m, until=3.0, v={"x": 0.5}, times=11, method=kb.Method(rtol=1e-10)
)

print(run)
print(f"elongation of the spring at the end: {run['s_M'][-1]:.3e} m")

# It creeps to where the spring alone carries the force: 6 N / 80 N/m.
assert abs(run["x"][-1] - 0.075) < 1e-4
assert abs(run["s_M"][-1]) < 1e-4
