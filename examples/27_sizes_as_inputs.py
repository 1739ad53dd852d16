"""Sizes as inputs: one program for every design, and how the answer
changes with a size.
"""

import numpy as np

import korba as kb

m = kb.loads("""
name = "slider-crank"
plane = "xy"
parameters = {crank = "50 mm", rod = "150 mm", piston = "0.4 kg"}
body = [
  {name="crank", mass=1, inertia=1e-3},
  {name="rod", mass=0.5, inertia=1e-3, com=["crank + rod/2", 0]},
  {name="piston", mass="piston", com=["crank + rod", 0]},
]
joint = [
{name="A", type="revolute", parent="ground", child="crank", at=[0, 0]},
{name="B", type="revolute", parent="crank", child="rod", at=["crank", 0]},
{name="C",type="revolute",parent="rod",child="piston",at=["crank + rod",0]},
{name="D",type="prismatic",parent="ground",child="piston",at=[0,0],axis=[1,0]}
]
drive = [{name="motor", type="joint", joint="A", position="100 rad/s*t"}]
""")

# Any verb takes sizes by name, in SI or with a unit; arrays broadcast with
# the states.
motion = kb.motion(m, np.linspace(0, 0.06, 121))
rods = np.linspace(0.12, 0.3, 1000)[:, None]
centre = kb.centre_of_mass(
    m, motion.q, parameters={"rod": rods, "piston": "350 g"}
)
print(
    "centres of mass of a thousand rods, at the coordinates of this one:",
    centre.shape,
)

# The same as a function of q and p, compiled once, and its derivative by a
# size.
f = kb.compile(kb.centre_of_mass, m, parameters=("rod", "piston"))
slope = kb.compile(kb.derivative(kb.centre_of_mass, m, "piston"))(motion.q)
step = 1e-4
change = (
    f(motion.q, [0.15, 0.4 + step]) - f(motion.q, [0.15, 0.4 - step])
) / (2 * step)
assert np.abs(slope - change).max() < 1e-8

# Through the loop, along the motion: how the piston's acceleration changes
# with the rod.
s = kb.sensitivity(motion, ("rod", "crank"))
found = s.point("piston")["rod"].acceleration[:, 0]
r, length, w, angle = 0.05, 0.15, 100.0, motion["A"]
print(f"largest d(acceleration)/d(rod): {np.abs(found).max():.1f} 1/s^2")
y, root = r * np.sin(angle), np.sqrt(length**2 - (r * np.sin(angle)) ** 2)
speed, bend = w * r * np.cos(angle), -(w**2) * y
# x = r cos A + root,  x'' = ... - (y' y' + y y'') / root - (y y')^2 / root^3;
# by the length:
closed = length * (
    (speed**2 + y * bend) / root**3 + 3 * (y * speed) ** 2 / root**5
)
assert np.abs(found - closed).max() < 1e-9 * np.abs(closed).max()
