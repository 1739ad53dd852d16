"""A four-bar whose lengths are parameters, drawn with its crank along the base; a slider-crank."""

import korba as kb

FOUR_BAR = """
name = "four-bar"
plane = "xy"
parameters.a = "200 mm"
parameters.b = "600 mm"
parameters.c = "600 mm"
parameters.d = "800 mm"
parameters.u = "300 mm"
parameters.w = "200 mm"
parameters.x = "((d - a)^2 + b^2 - c^2)/(2*(d - a))"
parameters.y = "sqrt(b^2 - x^2)"
parameters.tip_x = "a + (u*x - w*y)/b"
parameters.tip_y = "(u*y + w*x)/b"
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "crank", at = [0, 0]},
  {name = "B", type = "revolute", parent = "crank", child = "coupler", at = ["a", 0]},
  {name = "C", type = "revolute", parent = "coupler", child = "rocker", at = ["a + x", "y"]},
  {name = "D", type = "revolute", parent = "ground", child = "rocker", at = ["d", 0]},
]
drive = [{name = "motor", joint = "A", position = "t"}]
body = [
  {name = "crank", mass = "1 kg", com = ["a/2", 0], inertia = 0.01},
  {name = "coupler", mass = "2 kg", com = ["a + x/2", "y/2"], inertia = 0.05, points = {tip = [
    "tip_x", "tip_y"]}},
  {name = "rocker", mass = "3 kg", com = ["(a + x + d)/2", "y/2"], inertia = 0.1},
]
"""
SLIDER_CRANK = """
name = "slider-crank"
plane = "xy"
parameters.r = "50 mm"
parameters.l = "150 mm"
parameters.heavy = "2 kg"
body = [{name = "crank"}, {name = "rod"}, {name = "slider", mass = "heavy"}]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "crank", at = [0, 0]},
  {name = "B", type = "revolute", parent = "crank", child = "rod", at = ["r", 0]},
  {name = "C", type = "revolute", parent = "rod", child = "slider", at = ["r + l", 0]},
  {name = "D", type = "prismatic", parent = "ground", child = "slider", at = [0, 0], axis = [1, 0]},
]
drive = [{name = "motor", joint = "A", position = "2*t + 0.3"}]
gravity = [0, 0]
"""


def four_bar():
    return kb.loads(FOUR_BAR)


def slider_crank():
    return kb.loads(SLIDER_CRANK)
