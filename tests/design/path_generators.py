"""The four-bar of path generation problems, and three of the problems.

Sizes are named as in Cabrera, Simon & Prado (2002), Optimal synthesis of mechanisms with genetic
algorithms, Mechanism and Machine Theory 37, 1165-1177: base r1 at the angle th from (x0, y0),
crank r2, coupler r3 with the point (rx, ry), rocker r4; the crank begins at the angle `phase` to
the base.
"""

import numpy as np

import korba as kb

TEXT = """
name = "path generator"
plane = "xy"
points = {A = ["x0", "y0"], D = ["x0 + r1*cos(th)", "y0 + r1*sin(th)"]}
assembly = {C = "left"}
parameters.r1 = 30
parameters.r2 = 10
parameters.r3 = 30
parameters.r4 = 30
parameters.rx = 10
parameters.ry = 10
parameters.x0 = 0
parameters.y0 = 0
parameters.th = 0
parameters.phase = 0
body = [
  {name = "crank", points = {A = [0, 0], B = ["r2", 0]}},
  {name = "coupler", points = {B = [0, 0], C = ["r3", 0], P = ["rx", "ry"]}},
  {name = "rocker", points = {D = [0, 0], C = ["r4", 0]}},
]
joint = [
  {name = "A", type = "revolute", parent = "ground.A", child = "crank.A", drawn = "th + phase"},
  {name = "B", type = "revolute", parent = "crank.B", child = "coupler.B"},
  {name = "C", type = "revolute", parent = "coupler.C", child = "rocker.C"},
  {name = "D", type = "revolute", parent = "ground.D", child = "rocker.D"},
]
drive = [{name = "motor", joint = "A", position = "th + phase + t"}]
"""
LINE = [(20, 20), (20, 25), (20, 30), (20, 35), (20, 40), (20, 45)]
FIVE = [(3, 3), (2.759, 3.363), (2.372, 3.663), (1.890, 3.862), (1.355, 3.943)]
EIGHTEEN = [
    (0.5, 1.1), (0.4, 1.1), (0.3, 1.1), (0.2, 1.0), (0.1, 0.9), (0.05, 0.75), (0.02, 0.6), (0, 0.5),
    (0, 0.4), (0.03, 0.3), (0.1, 0.25), (0.15, 0.2), (0.2, 0.3), (0.3, 0.4), (0.4, 0.5), (0.5, 0.7),
    (0.6, 0.9), (0.6, 1.0),
]  # fmt: skip
TURN = (0.0, 2 * np.pi)


def path_generator(mode="left"):
    return kb.loads(TEXT.replace('"left"', f'"{mode}"'))


def bounds(low, high, wide, *angles):
    """Bounds of links, of lengths that may be negative, and of angles."""
    links = {f"r{i}": (low, high) for i in (1, 2, 3, 4)}
    return links | dict.fromkeys(wide, (-high, high)) | dict.fromkeys(angles, TURN)


def six_points(m):
    """Without timing: the line x = 20 in six points."""
    return kb.path_goal(m, "coupler.P", LINE), bounds(5, 60, ("rx", "ry", "x0", "y0"), "th")


def five_points(m):
    """With timing: crank angles 30, 45, 60, 75 and 90 deg."""
    times = np.radians([30, 45, 60, 75, 90])
    return kb.path_goal(m, "coupler.P", FIVE, times), bounds(0.01, 50, ("rx", "ry"))


def eighteen_points(m):
    """With timing: 20 deg from point to point, from any angle on."""
    times = np.radians(20 * np.arange(18))
    free = bounds(0.01, 50, ("rx", "ry", "x0", "y0"), "th", "phase")
    return kb.path_goal(m, "coupler.P", EIGHTEEN, times), free


def curve(sizes, angles, side=1):
    """Places of P at angles of the crank to the base, by two circles: no Korba in it."""
    s = {"x0": 0.0, "y0": 0.0, "th": 0.0, "phase": 0.0} | dict(sizes)
    A, base = s["x0"] + 1j * s["y0"], np.exp(1j * s["th"])
    B = A + s["r2"] * base * np.exp(1j * (angles + s["phase"]))
    d = A + s["r1"] * base - B
    along = (s["r3"] ** 2 - s["r4"] ** 2 + np.abs(d) ** 2) / (2 * np.abs(d))
    across = np.sqrt(s["r3"] ** 2 - along**2)
    coupler = (along + side * 1j * across) * d / np.abs(d) / s["r3"]
    P = B + (s["rx"] + 1j * s["ry"]) * coupler
    return np.stack([P.real, P.imag], axis=-1)
