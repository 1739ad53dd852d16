"""A four-bar by the five methods of a course, and by the engine: one answer.

The four-bar is Example 3.3 of Gronowicz's book: a = 0.2, b = c = 0.6, d = 0.8
m, the crank turning at 10 rad/s. Every method is a few lines of NumPy that
read like its page in the book.
"""

import numpy as np

import korba as kb
from korba.course import absolute_motion, absolute_system, four_bar

SIZES = 0.2, 0.6, 0.6, 0.8
METHODS = "freudenstein", "vector", "complex", "construction", "newton"

theta = np.radians([90, 180, 270])
answers = {
    name: four_bar(*SIZES, theta, method=name, omega=10.0) for name in METHODS
}
print(f"{'method':>14}   theta_2 [deg]               omega_3 [rad/s]")
for name, at in answers.items():
    print(
        f"{name:>14}  {np.degrees(at.theta2).round(6)}  "
        f"{at.omega[:, 1].round(6)}"
    )

# the same as a mechanism, drawn at 90 deg
drawn = four_bar(*SIZES, np.pi / 2)
m = kb.Mechanism(
    "four-bar",
    bodies=[kb.Body("crank"), kb.Body("coupler"), kb.Body("rocker")],
    joints=[
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "coupler", at=drawn.B),
        kb.Revolute("C", "coupler", "rocker", at=drawn.C),
        kb.Revolute("D", "ground", "rocker", at=(0.8, 0)),
    ],
    drives=[kb.JointDrive("motor", "A", "10*t")],
    plane="xy",
)
times = (theta - theta[0]) / 10
# x, y, Theta of every body, constraint equations
absolute = absolute_motion(m, times)
print(f"{'absolute':>14}  {absolute_system(m).balance(absolute.q[0])}")
# joint coordinates, loops
engine = kb.motion(m, times).body("rocker").angular_velocity[:, 2]

reference = answers["freudenstein"]
for at in answers.values():
    assert np.abs(at.theta2 - reference.theta2).max() < 1e-12
    assert np.abs(at.omega - reference.omega).max() < 1e-11
assert np.abs(absolute["v_rocker.rate"] - reference.omega[:, 1]).max() < 1e-10
assert np.abs(engine - reference.omega[:, 1]).max() < 1e-10
# (3.38)
assert np.allclose(reference.omega[0], [-1.63742, 2.81389], atol=5e-6)
