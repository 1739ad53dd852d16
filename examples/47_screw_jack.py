"""A screw jack under a car (Fig. 1.9): does it move, how far in a turn of
its screw, and what does the hand have to do?
"""

import numpy as np

import korba as kb

# The book has no sizes. An arm on the post lifts the car by its end K; the
# screw turns in a trunnion on the post and in a nut on the arm.
lead, Q = 0.004, 4000.0  # advance of one turn [m], weight [N]
T, N, K = np.array([(0, 0, 0.25), (0.2, 0, 0.05), (0.45, 0, 0.12)])
along = N - T

pin = {"axis": (0, 1, 0)}
jack = kb.Mechanism(
    "screw jack",
    [
        kb.Body("arm", points={"K": tuple(K)}),
        kb.Body("trunnion"),
        kb.Body("screw"),
        kb.Body("nut"),
    ],
    [
        kb.Revolute("arm", "ground", "arm", at=(0, 0, 0), **pin),
        kb.Revolute("T", "ground", "trunnion", at=T, **pin),
        kb.Revolute("turn", "trunnion", "screw", at=T, axis=along),
        kb.Revolute("N", "arm", "nut", at=N, **pin),
        kb.Screw("thread", "screw", "nut", at=N, axis=along, lead=lead),
    ],
    forces=[kb.PointForce("car", "arm", (0, 0, -Q), "K")],
    drives=[kb.JointDrive("hand", "turn", "1 rev/s*t")],
    gravity=(0, 0, 0),
)
found = kb.mobility(jack)
print(found)
assert (found.theoretical, found.passive, found.actual) == (-1, 2, 1)

lift = kb.motion(jack, np.linspace(0, 10, 11))
z = lift.point("arm", "K").position[:, 2]
print(f"10 turns lift the car by {1000 * (z[-1] - z[0]):.1f} mm")

# By hand: the screw draws the sides of the triangle O T N together.
a, b = np.linalg.norm(T), np.linalg.norm(N)
side = np.linalg.norm(along) - lead * lift.t
angle = np.arccos((a**2 + b**2 - side**2) / (2 * a * b))  # of T and N at O
turned = angle[0] - angle
wanted = K[2] * np.cos(turned) + K[0] * np.sin(turned)
assert np.allclose(z, wanted, atol=1e-9)

# Q dz = F ds, and F lead = 2 pi M in a turn (without friction).
M = np.abs(kb.driving_forces(jack, lift)["hand"])
slope = K[0] * np.cos(turned) - K[2] * np.sin(turned)
slope *= side / (a * b * np.sin(angle))  # dz/ds
print(f"the hand turns with {M.min():.3f} to {M.max():.3f} N m")
assert np.allclose(M, Q * slope * lead / (2 * np.pi), rtol=1e-9)
