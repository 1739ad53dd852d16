"""The best four-bar: a coupler point on a straight line, and a
transmission angle by gradients.
"""

import numpy as np

import korba as kb

FOUR_BAR = """
name = "four-bar"
plane = "xy"
points = {A = ["x", "y"], D = ["x + d*cos(turn)", "y + d*sin(turn)"]}
assembly = {C = "left"}
body = [
  {name="crank", points={A=[0, 0], B=["a", 0]}},
  {name="coupler", points={B=[0, 0], C=["b", 0], tip=["u", "w"]}},
  {name="rocker", points={D=[0, 0], C=["c", 0]}},
]
joint = [
  {name="A",type="revolute",parent="ground.A",child="crank.A",drawn="turn"},
  {name="B", type="revolute", parent="crank.B", child="coupler.B"},
  {name="C", type="revolute", parent="coupler.C", child="rocker.C"},
  {name="D", type="revolute", parent="ground.D", child="rocker.D"},
]
drive = [{name = "motor", joint = "A", position = "turn + t"}]
[parameters]
a = "200 mm"
b = "600 mm"
c = "600 mm"
d = "800 mm"
u = "300 mm"
w = "200 mm"
x = "0 mm"
y = "0 mm"
turn = "0 deg"
"""
m = kb.loads(FOUR_BAR)

# Rods for the best transmission angle: the textbook says b = c, 2 b^2 = a^2 +
# d^2.
rods = kb.optimise(
    m,
    "transmission angle",
    dict.fromkeys("bc", ("0.4 m", "0.95 m")),
    count=20,
)
print(rods)
assert abs(np.cos(rods.value) - 2 * 0.2 * 0.8 / (0.2**2 + 0.8**2)) < 1e-9

# A tip that goes through six points on a line, whenever it comes there, in
# their order.
line = kb.path_goal(
    m, "coupler.tip", [(0.2, y) for y in np.linspace(0.2, 0.45, 6)]
)
links = dict.fromkeys("abcd", ("50 mm", "600 mm"))
places = dict.fromkeys("uwxy", ("-600 mm", "600 mm"))
best = kb.optimise(
    m, line, {**links, **places, "turn": ("0 deg", "360 deg")}, count=100
)
print(best)
tip = (
    kb.motion(best.mechanism, np.linspace(0, 2 * np.pi, 20001))
    .point("coupler", "tip")
    .position
)
apart = [
    np.linalg.norm(tip - target, axis=1).min() for target in line.targets
]
print(f"the tip passes within {1000 * max(apart):.3f} mm of every point")
assert max(apart) < 2e-4
