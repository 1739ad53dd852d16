"""A pin in a curved slot moves, to second order and here for good, as on a
rod from the slot's centre of curvature: a yoke that is a four-bar.
"""

import numpy as np

import korba as kb

# The slot of (2.84) is straight. This one, in a rocker, is an arc of 0.3 m;
# the crank's pin B slides in it. Sizes are ours: the book draws it only as
# the guide of Fig. 3.9.
a, rho, c, d = 0.1, 0.3, 0.25, 0.4
start = np.radians(50)
bar = kb.course.four_bar(a, rho, c, d, start, omega=8.0)
B, M = bar.B, bar.C  # the pin, and the centre of the arc on the rocker
to_pin = np.arctan2(*(B - M)[::-1])

slotted = kb.Mechanism(
    "curved slot",
    [kb.Body("crank"), kb.Body("rocker")],
    [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("D", "ground", "rocker", at=(d, 0)),
        kb.CamRoller(
            "slot", "rocker", "crank", at=M, x_axis=(1, 0),
            profile=str(rho), drawn=(to_pin, 0),
        ),
    ],
    drives=[kb.JointDrive("motor", "A", "8*t")],
    plane="xy",
)  # fmt: skip
found = kb.mobility(slotted)
print(found)
assert (found.theoretical, found.actual) == (1, 1)  # 3*2 - 2*2 - 1

turn = kb.motion(slotted, np.linspace(0, 2 * np.pi / 8, 181))
rocker = turn.body("rocker")
bar = kb.course.four_bar(a, rho, c, d, start + 8 * turn.t, omega=8.0)
parts = {
    "angle": (turn["D"], np.unwrap(bar.theta3) - bar.theta3[0]),
    "speed": (rocker.angular_velocity[:, 2], bar.omega[:, 1]),
    "acceleration": (rocker.angular_acceleration[:, 2], bar.epsilon[:, 1]),
}
for name, (ours, theirs) in parts.items():
    error = np.abs(ours - theirs).max()
    print(f"{name:>12} of the rocker, and of a four-bar: apart {error:.0e}")
    assert error < 1e-9

link = kb.course.equivalent_linkage(turn, 40)
print(link.notes or "the equivalent linkage is a four-bar")
assert len(link.bodies) == 3
