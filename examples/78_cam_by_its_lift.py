"""A cam by what its follower does: the disc, the force on it, and the
speed at which the follower leaves it.
"""

import numpy as np

import korba as kb

# 15 mm up over 100 degrees, a dwell of 50, down over 110, and a dwell.
rise = "poly345(phi/(100 deg)) - poly345((phi - 150 deg)/(110 deg))"
m = kb.Mechanism(
    "cam by its lift",
    [kb.Body("cam", 1, inertia=1e-3), kb.Body("follower", 0.6)],
    [
        kb.Revolute("A", "ground", "cam", at=(0, 0)),
        kb.Prismatic("y", "ground", "follower", at=(0, "40 mm"), axis=(0, 1)),
        kb.CamRoller(
            "K", "cam", "follower", at=(0, 0), x_axis=(0, 1),
            lift=f"15 mm*({rise})", base="40 mm", radius="10 mm",
        ),
    ],
    drives=[kb.JointDrive("motor", "A", "speed*t")],
    forces=[kb.JointForce("spring", "y", law="-6000 N/m*y - 40 N")],
    parameters={"speed": "45 rad/s"},
    plane="xy",
)  # fmt: skip

disc = kb.cam_profile(m, "K")
steepest = np.degrees(disc.largest_pressure_angle)
print(f"pressure angles to {steepest:.2f} deg")
sharpest = disc.curvature_radius[disc.curvature_radius > 0].min()
print(f"sharpest bend: a radius of {sharpest * 1e3:.2f} mm")

# The force on the cam falls with the square of the speed.
angles = np.radians(np.linspace(0, 360, 721))
pressed = []
for speed in (30.0, 60.0):
    turn = kb.motion(kb.redimension(m, speed=speed), angles / speed)
    pressed.append(kb.reactions(turn.mechanism, turn).pressing["K"])
falls = (pressed[0] - pressed[1]) / (60.0**2 - 30.0**2)
at_rest = pressed[0] + falls * 30.0**2
limit = np.sqrt(np.min(at_rest[falls > 0] / falls[falls > 0]))
print(f"it leaves the cam from {limit:.2f} rad/s on")

for speed, leaves in ((0.99 * limit, False), (1.01 * limit, True)):
    turn = kb.motion(kb.redimension(m, speed=speed), angles / speed)
    forces = kb.reactions(turn.mechanism, turn)
    assert bool(forces.lift_offs) == leaves

# Nothing was approximated: the follower stands where its law says.
x = (200 - 150) / 110
lift = 0.015 * (1 - x**3 * (10 - 15 * x + 6 * x**2))
assert abs(turn["y"][400] - lift) < 1e-15
