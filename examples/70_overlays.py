"""A picture with sizes, and one with velocities and the centres they turn
about.
"""

import tempfile
from pathlib import Path

import numpy as np

import korba as kb

four_bar = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
motion = kb.motion(four_bar, np.linspace(0.0, 1.0, 25))
folder = Path(tempfile.mkdtemp())

sizes = kb.draw(four_bar, {"A": "60 deg"}, dimensions=True, names="all")
(folder / "sizes.svg").write_text(sizes, "utf-8")

moving = kb.draw(motion, 1, velocities=True, angular_velocities=True)
(folder / "velocities.svg").write_text(moving, "utf-8")

centres = kb.draw(
    motion, 1, centres=True
)  # the coupler turns about S20 just now
(folder / "centres.svg").write_text(centres, "utf-8")

# What the pictures show, in numbers: velocities of B and C are as their
# distances from S20.
S = kb.course.instant_centres(motion, 1)["coupler", "ground"].point
speed, distance = {}, {}
for name, body in (("B", "crank"), ("C", "rocker")):
    point = motion.point(body, name)
    speed[name] = np.linalg.norm(point.velocity[1])
    distance[name] = np.linalg.norm(point.position[1, :2] - S)
print(
    f"v_B = {speed['B']:.4f} m/s, v_C = {speed['C']:.4f} m/s, pictures in "
    f"{folder}"
)
assert abs(speed["B"] / distance["B"] - speed["C"] / distance["C"]) < 1e-9
assert (
    ">120<" in sizes and moving.count("class='shaft velocity'") == 3
)  # B, C and the scale
