"""Centres, velocity plan and acceleration plan of a yoke, with the
Coriolis term.
"""

import tempfile
from pathlib import Path

import numpy as np

import korba as kb

A = np.array([0.4, 0.1])
B = A + 0.15 * np.array([np.cos(np.pi / 3), np.sin(np.pi / 3)])
yoke = kb.Mechanism(
    "yoke",
    [kb.Body("crank"), kb.Body("slider"), kb.Body("rocker")],
    [
        kb.Revolute("A", "ground", "crank", at=A),
        kb.Revolute("B", "crank", "slider", at=B),
        kb.Prismatic("S", "rocker", "slider", at=B, axis=B),
        kb.Revolute("C", "ground", "rocker", at=(0, 0)),
    ],
    drives=[kb.JointDrive("motor", "A", "10*t")],
    plane="xy",
)
motion = kb.motion(yoke, [0.0])

centres = kb.course.instant_centres(motion, 0)
print(centres)
print("rocker over crank:", centres.ratio("rocker", "crank"))

v = kb.course.velocity_plan(motion, 0)
a = kb.course.acceleration_plan(motion, 0, {"M": ("rocker", (0.3, 0.25))})
print(v)
print(a)

folder = Path(tempfile.mkdtemp())
(folder / "centres.svg").write_text(kb.draw(centres), "utf-8")
(folder / "plan.svg").write_text(kb.draw(a), "utf-8")

# B moves with the rocker, slides along it, and feels the Coriolis
# acceleration
parts = a["a_B(rocker)"] + a["a^c_B,B(rocker)"] + a["a^t_B,B(rocker)"]
assert np.allclose(parts, a["a_B"])
assert np.isclose(v.angular["rocker"], 10 * centres.ratio("rocker", "crank"))
assert round(v.angular["rocker"], 6) == 2.351702
