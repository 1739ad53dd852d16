"""A four-bar driven through a cycle: positions, velocities, accelerations,
a coupler point.
"""

import numpy as np

import korba as kb

m = kb.loads("""
name = "four-bar"
plane = "xy"
body = [
  {name="crank"},
  {name="coupler", points={tip=[0.3, 0.5]}},
  {name="rocker"},
]
joint = [
  {name="A", type="revolute", parent="ground", child="crank", at=[0, 0]},
  {name="B", type="revolute", parent="crank", child="coupler", at=[0, 0.2]},
  {name="C", type="revolute", parent="coupler", child="rocker", at=[0.5,0.5]},
  {name="D", type="revolute", parent="ground", child="rocker", at=[0.8, 0]},
]
drive = [{name = "motor", type = "joint", joint = "A", position = "10*t"}]
""")

# One turn of the crank in 3600 steps. Nobody says which joint closes the
# loop.
t = np.linspace(0, 2 * np.pi / 10, 3601)
motion = kb.motion(m, t)
tip = motion.point("coupler", "tip")
print(
    f"rocker swings between {motion['D'].min():.4f} and "
    f"{motion['D'].max():.4f} rad"
)
print(f"fastest tip {np.linalg.norm(tip.velocity, axis=1).max():.4f} m/s")

# Loops stay closed, the cycle closes, and velocities are the derivatives of
# positions.
assert motion.audit.residual < 1e-12
assert abs(motion["D"][-1] - motion["D"][0]) < 1e-12
speed = np.gradient(tip.position[:, 0], t)
assert np.abs(speed - tip.velocity[:, 0])[1:-1].max() < 1e-4

# One configuration: the rocker where the crank stands at 30 degrees from its
# drawn position.
at_30 = kb.assemble(m, {"A": np.radians(30)})
assert at_30.followed
assert abs(at_30["D"] - np.interp(np.radians(30) / 10, t, motion["D"])) < 1e-6
