"""A bicycle that rides by itself: at which speeds it stays upright.

Sizes of the benchmark of Meijaard, Papadopoulos, Ruina and Schwab (2007).
"""

import numpy as np

import korba as kb

w, rear, front, tilt = 1.02, 0.3, 0.35, np.pi / 10
frame_inertia = [[9.2, 0, -2.4], [0, 11, 0], [-2.4, 0, 2.8]]
fork_inertia = [[0.05892, 0, 0.00756], [0, 0.06, 0], [0.00756, 0, 0.00708]]
axis = (np.sin(tilt), 0, -np.cos(tilt))
wheel = {"axis": (0, 0, 1), "x_axis": (1, 0, 0)}
m = kb.Mechanism(
    "bicycle",
    [
        kb.Body("rear", 2, (0, 0, rear), np.diag([0.0603, 0.12, 0.0603])),
        kb.Body("frame", 85, (0.3, 0, 0.9), frame_inertia),
        kb.Body("fork", 4, (0.9, 0, 0.7), fork_inertia),
        kb.Body("front", 3, (w, 0, front), np.diag([0.1405, 0.28, 0.1405])),
    ],
    [
        kb.RollingWheel(
            "R", "ground", "rear", at=(0, 0, 0), radius=rear, **wheel
        ),
        kb.Revolute(
            "rear axle", "rear", "frame", at=(0, 0, rear), axis=(0, -1, 0)
        ),
        kb.Revolute("steer", "frame", "fork", at=(w + 0.08, 0, 0), axis=axis),
        kb.Revolute(
            "front axle", "fork", "front", at=(w, 0, front), axis=(0, 1, 0)
        ),
        kb.RollingWheel(
            "F", "ground", "front", at=(w, 0, 0), radius=front, **wheel
        ),
    ],
)
print(kb.mobility(m))

# Small motions about riding straight ahead: what grows, at which speed?
for speed in (2, 4, 4.5, 5, 6, 6.5, 8):
    ahead = {"R.spin": speed / rear, "R.lean": 0, "steer": 0}
    small = kb.linearise(m, v=ahead)
    print(f"{speed:4} m/s: {'stays up' if small.stable else 'falls'}")

# Pushed aside at 5 m/s it steers into its fall and rights itself.
pushed = {"R.spin": 5 / rear, "R.lean": "30 deg/s", "R.yaw": 0}
ride = kb.simulate(m, 5.0, v=pushed)
print(f"lean at the end {np.degrees(ride['R.lean'][-1]):.3f} deg")

# The published weave mode at 5 m/s: -0.775 +- 4.465i 1/s.
ahead = {"R.spin": 5 / rear, "R.lean": 0, "steer": 0}
modes = kb.linearise(m, v=ahead).eigenvalues
assert np.abs(modes - (-0.775341882196 + 4.464867713788j)).min() < 1e-9
