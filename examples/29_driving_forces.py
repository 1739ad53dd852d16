"""One torque by five methods of the textbook, and the force polygons of a
position.
"""

import tempfile
from pathlib import Path

import numpy as np

import korba as kb

m = kb.loads("""
name = "slider-crank"
plane = "xy"
gravity = [0, 0]
body = [
  {name="crank"},
  {name="rod", mass=1.2, com=[0.25, 0], inertia=0.009},
  {name="box", mass=0.8, com=[0.4, 0]},
]
joint = [
{name="A", type="revolute", parent="ground", child="crank", at=[0, 0]},
{name="B", type="revolute", parent="crank", child="rod", at=[0.1, 0]},
{name="C", type="revolute", parent="rod", child="box", at=[0.4, 0]},
{name="G",type="prismatic",parent="ground",child="box",at=[0.4,0],axis=[1,0]}
]
force = [
  {name="Q", type="point", body="box", force=[-100, 0], at=[0.4, 0.02]},
]
drive = [
  {name="motor", type="joint", joint="A", position="60 deg + 20 rad/s * t"},
]
""")
motion = kb.motion(m, np.linspace(0.0, 0.1, 37))
print(kb.course.static_determinacy(m))

methods = ("multipliers", "newton-euler", "groups", "virtual-work", "lever")
torques = {
    by: kb.driving_forces(m, motion, method=by)["motor"] for by in methods
}
for by, torque in torques.items():
    print(f"{by:>13}: {torque[0]:.9f} N m at 60 deg")

plan = kb.course.force_plan(motion, 0)
print(plan)
(Path(tempfile.mkdtemp()) / "forces.svg").write_text(kb.draw(plan), "utf-8")

contacts = kb.course.guide_contacts(motion, "G", length=0.06)
print(contacts)

assert all(
    np.allclose(torque, torques["lever"], rtol=0, atol=1e-12)
    for torque in torques.values()
)
assert round(float(torques["groups"][0]), 6) == -7.900513
assert round(float(contacts.N1[0]), 6) == 41.926056
# the slider tilts: each end leans on its own face
assert contacts.sides[0].tolist() == [1, -1]
