"""The biped of Kovalchuk, Kulakov & Semenov: 18 equations, a push at one
foot, free flight.

Six joints of a fictitious chain carry the trunk; in free motion their forces
are zero.
"""

from pathlib import Path

import numpy as np

import korba as kb

biped = kb.load(Path(__file__).with_name("kovalchuk_biped.toml"))
base = [0.1, -0.2, 0.85, 0.3, 0.12, -0.08]
left, right = (
    [0.1, 0.06, -0.35, 0.62, -0.3, 0.05],
    [-0.12, 0.03, 0.25, 0.4, -0.5, -0.07],
)
q = np.array([*base, *left, *right])
v = np.array(
    [0.98, 1, -0.81, -0.82, 1.16, 1.12, -0.93, 0.99, 0.91, 0.77, -0.86, -0.4]
)
v = np.append(v, [-0.73, 0.24, -0.88, 0.12, -0.15, 0.25])

A = kb.mass_matrix(biped, q, formulation="block-matrix")
print("A is", A.shape, "with the mass of the robot in its corner:", A[0, 0])
assert np.allclose(A[0, 0], 55.732)
assert np.allclose(A[0, 4], -11.307486706669)

force, couple, point = [35, -20, 410], [4, -11, 2], [0.15, -0.05, 0]
push = {
    "left_foot": np.concatenate(
        [np.add(couple, np.cross(point, force)), force]
    )
}
wrenches = kb.reactions(biped, q, v, 0 * v, external=push)
for joint in ("left_knee", "left_hip_pitch", "right_hip_pitch"):
    print(
        joint,
        wrenches[joint].force.round(2),
        "N",
        wrenches[joint].moment.round(2),
        "N m",
    )

# free flight with moments in the legs: they cannot change the momentum,
# gravity can
tau = [0.0] * 6 + [
    -1.2,
    -1.2,
    -0.4,
    1.5,
    -1.9,
    -1.3,
    -2.8,
    2.4,
    2.6,
    -1.6,
    -0.3,
    -1.2,
]
flight = kb.simulate(
    biped,
    0.05,
    q=q,
    v=v,
    tau=tau,
    times=[0, 0.02, 0.05],
    method=kb.Method(rtol=1e-11, formulation="block-matrix"),
)
print(
    "trunk at",
    flight.q[-1, :3],
    "m, knees",
    np.degrees(flight.q[-1, [9, 15]]),
    "deg",
)
moved = np.diff(kb.momentum(biped, flight.q, flight.v)[[0, -1], 3:], axis=0)[
    0
]
assert np.allclose(moved, [0, 0, -55.732 * 9.81 * 0.05], atol=1e-8)
assert np.allclose(
    flight.q[-1, [0, 9]], [0.14990082406705, 0.66295177452797], atol=1e-9
)
