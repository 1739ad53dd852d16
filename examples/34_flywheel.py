"""A press from its motor to its flywheel: reduced model, steady turn,
irregularity, flywheel.
"""

import numpy as np

import korba as kb

press = kb.loads("""
name = "press"
plane = "xy"
body = [
  {name="crank", mass=20.0, inertia=0.4},
  {name="rod", mass=12.0, com=[0.3, 0], inertia=0.35},
  {name="ram", mass=40.0, com=[0.6, 0]},
]
joint = [
{name="A", type="revolute", parent="ground", child="crank", at=[0, 0]},
{name="B", type="revolute", parent="crank", child="rod", at=[0.1, 0]},
{name="C", type="revolute", parent="rod", child="ram", at=[0.6, 0]},
{name="D",type="prismatic",parent="ground",child="ram",at=[0.6,0],axis=[1,0]}
]
force = [
  {name="motor", type="joint", joint="A", law="900 - 80*v"},
  {name="work", type="joint", joint="D", law="-6000*(1 + tanh(20*v))/2"},
]
""")

# one turning mass with the inertia I(A) and the moment Q(A, speed)
r = kb.reduce(press, "A")
print(r)
print(r(np.deg2rad([30, 90]), speed=10.0).inertia)

print(kb.steady_speed(press, "A", flywheel=20.0))  # of the means over a turn
# the turn that repeats itself
turn = kb.steady_cycle(press, "A", flywheel=20.0)
print(turn)

wheel = kb.flywheel(press, "A", 0.1, flywheel=20.0)
print(wheel)

# With the flywheel the press runs as evenly as was asked for, and its energy
# comes back.
assert abs(wheel.after.irregularity.delta - 0.1) < 1e-9
energy = turn.energy_mass().energy
assert abs(energy[-1] - energy[0]) < 1e-9 * energy[0]
