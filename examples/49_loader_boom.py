"""A loader's boom has two freedoms (section 2.1): two cylinders lead the
bucket, and carry its load.
"""

import numpy as np

import korba as kb

# The book has no sizes. O: boom on the chassis, B: bucket on the boom.
C, D, E, F = (0.3, -0.5), (1.1, 0.05), (1.2, 0.55), (2.35, 0.35)
loader = kb.Mechanism(
    "loader boom",
    [
        kb.Body("boom", 400, (1.2, 0.1), 250),
        kb.Body("bucket", 900, (2.9, -0.2), 180, points={"edge": (3.4, 0)}),
    ],
    [
        kb.Revolute("O", "ground", "boom", at=(0, 0)),
        kb.Revolute("B", "boom", "bucket", at=(2.4, -0.2)),
    ],
    drives=[
        kb.LengthDrive("lift", "ground", C, "boom", D,
                       f"{np.hypot(0.8, 0.55)} + 4e-4*t"),
        kb.LengthDrive("tilt", "boom", E, "bucket", F,
                       f"{np.hypot(1.15, 0.2)} - 1.5e-4*t"),
    ],
    plane="xy",
)  # fmt: skip
found = kb.mobility(loader)
print(f"W = {found.actual}, {found.drives} drives; without one cylinder 1")
assert (found.actual, found.drives, found.undriven) == (2, 2, 0)

way = kb.motion(loader, np.linspace(0, 800, 161))
edge = way.point("bucket", "edge").position
print(f"the edge goes up by {np.ptp(edge[:, 1]):.3f} m")

# By hand: triangles O C D and B E F, two sides of each fixed.
boom, bucket = way["O"], way["B"]
for angle, (p, q, r), length in (
    (boom, (np.zeros(2), C, D), np.hypot(0.8, 0.55) + 4e-4 * way.t),
    (bucket, ((2.4, -0.2), E, F), np.hypot(1.15, 0.2) - 1.5e-4 * way.t),
):
    u, w = np.subtract(q, p), np.subtract(r, p)
    a, b = np.linalg.norm(u), np.linalg.norm(w)
    corner = np.arccos((a**2 + b**2 - length**2) / (2 * a * b))
    assert np.allclose(abs(angle), abs(corner - corner[0]), atol=1e-9)

# Slowly, the forces of the cylinders are the slopes of the weight's energy.
forces = kb.driving_forces(loader, way)
height = [way.point(b.name, b.com).position[:, 1] for b in loader.bodies]
energy = 9.81 * (400 * height[0] + 900 * height[1])
power = 4e-4 * forces["lift"] - 1.5e-4 * forces["tilt"]
middle = slice(1, -1)
print(f"lift {forces['lift'][0]:.0f} N, tilt {forces['tilt'][0]:.0f} N")
slopes = np.gradient(energy, way.t)
error = np.abs(power[middle] - slopes[middle]).max()
assert error < 1e-3 * np.abs(slopes).max()
