"""Three equal cranks under one coupler: which forces are unique, and who
carries the others.
"""

from dataclasses import replace

import numpy as np

import korba as kb

m = kb.loads("""
name = "three cranks"
plane = "xy"
body = [
  {name="crank1", mass=0.5, com=[0.05, 0.1], inertia=0.002},
  {name="crank2", mass=0.5, com=[0.35, 0.1], inertia=0.002},
  {name="crank3", mass=0.5, com=[0.75, 0.1], inertia=0.002},
  {name="coupler", mass=2.0, com=[0.5, 0.2], inertia=0.08},
]
joint = [
  {name="A1", type="revolute", parent="ground", child="crank1", at=[0, 0]},
  {name="A2", type="revolute", parent="ground", child="crank2", at=[0.3, 0]},
  {name="A3", type="revolute", parent="ground", child="crank3", at=[0.7, 0]},
  {name="B1",type="revolute",parent="crank1",child="coupler",at=[0.1,0.2]},
  {name="B2",type="revolute",parent="crank2",child="coupler",at=[0.4,0.2]},
  {name="B3",type="revolute",parent="crank3",child="coupler",at=[0.8,0.2]},
]
drive = [{name = "motor", type = "joint", joint = "A1", position = "6*t"}]
""")
motion = kb.motion(m, np.linspace(0.0, 0.1, 11))

forces = kb.reactions(m, motion)
print(forces)  # names what is unique, and what is not

# A soft bearing carries less; the motor does not feel it.
soft = {"B1": "1e6 N/m", "B2": "1e8 N/m", "B3": "1e8 N/m"}
elastic = kb.reactions(
    m, motion, distribution=kb.Distribution(stiffness=soft)
)
largest = [np.abs(each["B1"].force).max() for each in (forces, elastic)]
print(
    f"largest component in B1: {largest[0]:.1f} N shared evenly, "
    f"{largest[1]:.1f} N if it is soft"
)
assert "motor" in forces.unique and "B2.fx" in forces.not_unique
assert np.allclose(
    elastic.driving["motor"], forces.driving["motor"], atol=1e-9
)

# With a motor on every crank the torque is shared, here with one that cannot
# do much.
motors = [kb.JointDrive(f"motor{i}", f"A{i}", "6*t") for i in (1, 2, 3)]
driven = replace(m, drives=motors)
weak = kb.Distribution(limits={"motor1": "0.5 N*m"})
torques = kb.driving_forces(driven, motion, distribution=weak).efforts
print(f"torques at first: {np.round(torques[0], 3)} N m")
assert np.all(np.abs(torques[:, 0]) <= 0.5 + 1e-9)
assert np.allclose(torques.sum(axis=1), forces.driving["motor"], atol=1e-8)
