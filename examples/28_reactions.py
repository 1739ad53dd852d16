"""A slider-crank at speed: what goes through its pins, and what its motor
has to do.
"""

import numpy as np

import korba as kb

m = kb.loads("""
name = "slider-crank"
plane = "xy"
body = [
  {name="crank", mass=1.0, com=[0.05, 0], inertia=0.001},
  {name="rod", mass=0.8, com=[0.22, 0], inertia=0.007},
  {name="box", mass=0.6, com=[0.4, 0], inertia=0.001},
]
joint = [
{name="A", type="revolute", parent="ground", child="crank", at=[0, 0]},
{name="B", type="revolute", parent="crank", child="rod", at=[0.1, 0]},
{name="C", type="revolute", parent="rod", child="box", at=[0.4, 0]},
{name="G",type="prismatic",parent="ground",child="box",at=[0.4,0],axis=[1,0]}
]
drive = [{name="motor", type="joint", joint="A", position="300 rpm * t"}]
""")

motion = kb.motion(m, np.linspace(0.0, 0.2, 361))  # one turn
forces = kb.reactions(m, motion)
print(forces)

torque, side = forces.driving["motor"], forces["G"].force[:, 1]
print(
    f"torque from {torque.min():.2f} to {torque.max():.2f} N m, mean "
    f"{torque[:-1].mean():.1e} N m"
)
print(
    "largest force in B "
    f"{np.linalg.norm(forces['B'].force, axis=1).max():.1f} N"
)

# Nothing is lost without friction: over a turn at constant speed the motor
# gives no work.
assert abs(torque[:-1].mean()) < 1e-9
# Equilibrium of the box: the guide takes the side force of the rod and the
# weight.
assert np.allclose(side, 0.6 * 9.81 - forces["C"].force[:, 1], atol=1e-9)
