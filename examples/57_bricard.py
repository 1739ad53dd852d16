"""Bricard's mechanism falls (IFToMM A04): six pins in space with one row
of their loop to spare.
"""

import numpy as np

import korba as kb

# Five rods on the edges of a cube; the axes of the pins are along y, z, x, y,
# z, x.
P = np.array(
    [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)],
    dtype=float,
)
rods = []
for k in range(5):
    moments = np.where(np.abs(P[k + 1] - P[k]) > 0, 1 / 600, 1.01 / 12)
    rods.append(
        kb.Body(
            f"rod{k}", 1.0, tuple((P[k] + P[k + 1]) / 2), np.diag(moments)
        )
    )
ends = ["ground", *(rod.name for rod in rods), "ground"]
joints = [
    kb.Revolute(
        f"P{i}",
        ends[i],
        ends[i + 1],
        at=tuple(P[i]),
        axis=tuple(np.eye(3)[(i + 1) % 3]),
    )
    for i in range(6)
]
m = kb.Mechanism("Bricard", rods, joints, gravity=(0, -9.81, 0))
assert (kb.mobility(m).theoretical, kb.mobility(m).actual) == (0, 1)

run = kb.simulate(
    m, until=10.0, times=11, method=kb.Method(rtol=1e-10, atol=1e-12)
)

# Absolute coordinates at two tolerances and exudyn agree on these digits of
# P3.
told = (0.999999963806349, -1.0002690126962, 0.999730951119888)
end = run.point("rod2", P[3]).position[-1]
print(f"P3 at 10 s: {end}, reference {told}")
assert np.abs(end - told).max() < 1e-8
assert run.audit.residual < 1e-10
