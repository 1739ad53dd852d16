"""States by name: a pose kept with the arm, gravity torques, and a file
that keeps its comments.
"""

from dataclasses import replace

import numpy as np

import korba as kb

TEXT = """# Two links in a vertical plane
name = "arm"
plane = "xy"

[[body]]
name = "upper"
mass = 2              # weighed, with the motor
com = [0.25, 0]
inertia = 0.02

[[body]]
name = "lower"
mass = 1.5
com = [0.7, 0]
inertia = 0.015
points = { tip = [0.9, 0] }

[[joint]]
name = "shoulder"
type = "revolute"
parent = "ground"
child = "upper"
at = [0, 0]
armature = 0.01       # rotor, seen through the gear

[[joint]]
name = "elbow"
type = "revolute"
parent = "upper"
child = "lower"
at = [0.5, 0]
damping = 0.2

[[pose]]
name = "home"
q = { shoulder = "90 deg" }
"""
arm = kb.loads(TEXT)
print(arm)

print(kb.pose(arm, "home", "lower").round(3))
assert np.allclose(kb.gravity_forces(arm, "home"), 0)  # it stands upright
held = kb.gravity_forces(arm, {"shoulder": "30 deg", "elbow": "-30 deg"})
moving = kb.bias_forces(arm, "home", {"elbow": "60 rpm"}, damping=False)
print(held, moving)
assert np.isclose(held[1], 1.5 * 9.81 * 0.2)  # the lower link lies flat

upper, lower = arm.bodies
heavier = replace(arm, bodies=[replace(upper, mass=2.5), lower])
# comments stay
assert kb.dumps(heavier) == TEXT.replace("mass = 2 ", "mass = 2.5 ")
