"""Maryniak & Małecki, section 4: moments that lead a two-link arm along a
straight line.

The end of the second link moves down along y = const with a speed of four
parabolas; the lost data of the figure (top speed 1 m/s, stroke 0.7 m) are
reconstructed. x0 points up.
"""

import numpy as np

import korba as kb

B1 = [
    [225.32, 0, 0, -275.1],
    [0, 4.2575, 0, 0],
    [0, 0, 4.2575, 0],
    [-275.1, 0, 0, 393.0],
]
B2 = [
    [35.9464, 9.6285, 0, -77.028],
    [9.6285, 4.0348, 0, -27.51],
    [0, 0, 2.1091, 0],
    [-77.028, -27.51, 0, 220.08],
]
arm = kb.from_dh(
    [{"a": 1.2, "B": B1}, {"a": 0.7, "B": B2}],
    gravity=(-9.81, 0, 0),
    name="arm",
)

speed = kb.speed_profile("1 m/s", rise="0.1 s", cruise="0.6 s")
times = [0, 0.05, 0.10, 0.40, 0.70, 0.75, 0.80]
motion = kb.programmed_motion(
    arm,
    times,
    body="link2",
    direction=(-1, 0, 0),
    speed=speed,
    q=np.radians([30, 30]),
    formulation="lagrange-dh",
)
moments = motion.all_of("tau")
for t, q, tau in zip(motion.t, np.degrees(motion.q), moments, strict=True):
    print(
        f"{t:.2f} s  {q[0]:9.5f} {q[1]:9.5f} deg  {tau[0]:11.4f} "
        f"{tau[1]:11.4f} N m"
    )

angles = [
    [30, 30],
    [29.61794, 31.53896],
    [28.08160, 38.29585],
    [25.03813, 68.89391],
    [28.87096, 87.56341],
    [29.80284, 89.60586],
    [30, 90],
]
assert np.allclose(np.degrees(motion.q), angles, atol=5e-6)
assert np.allclose(moments[0], [-2778.6943, -519.4709], atol=5e-5)
# the largest ones
assert np.allclose(moments[5], [-8766.0463, -2048.9867], atol=5e-5)
assert np.allclose(moments[6], [-3048.5674, -789.3440], atol=5e-5)
assert motion["path_error"].max() < 1e-12
# all of it goes into potential energy
assert abs(motion["work"][-1] - -755.64468) < 1e-6
