"""Inverse kinematics of a redundant arm with joint limits."""

import numpy as np

import korba as kb

# seven revolute joints, axes alternating between z and y, as in a light robot
# arm
heights, axes = [0.0, 0.34, 0.54, 0.74, 0.94, 1.14, 1.27], "zyzyzyz"
joints = [
    kb.Revolute(
        f"J{i + 1}",
        f"link {i}" if i else "ground",
        f"link {i + 1}",
        at=(0, 0, height),
        axis=(0, 0, 1) if axis == "z" else (0, 1, 0),
        lower=[-2.0],
        upper=[2.0],
    )
    for i, (height, axis) in enumerate(zip(heights, axes, strict=True))
]
m = kb.Mechanism("arm", [kb.Body(f"link {i}") for i in range(1, 8)], joints)
tip = (0, 0, 1.35)

# the tip goes round a circle and keeps looking down
down = np.diag([1.0, -1.0, -1.0])
turn = np.linspace(0, 2 * np.pi, 60)
circle = np.stack(
    [0.5 + 0.1 * np.cos(turn), 0.1 * np.sin(turn), 0 * turn + 0.4], axis=1
)
start = [0.0, 0.6, 0.0, 1.2, 0.0, 1.3, 0.0]
path = kb.inverse_kinematics(m, "link 7", circle, down, point=tip, q=start)
print(
    "largest step between targets "
    f"{np.abs(np.diff(path.q, axis=0)).max():.3f} rad"
)

# a target too far away
try:
    kb.inverse_kinematics(m, "link 7", (2.0, 0.0, 0.34), point=tip, q=start)
except kb.ReachError as error:
    print(error)
    missing = error.distance

reached = kb.pose(m, path.q, "link 7") @ [*tip, 1.0]
assert np.abs(reached[:, :3] - circle).max() < 1e-12
assert np.abs(path.q).max() <= 2.0
# the arm is 1.01 m long from J2 on
assert abs(missing - (2.0 - (1.35 - 0.34))) < 1e-6
