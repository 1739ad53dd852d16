"""Your first file by lengths: four lengths and a crank angle, and Korba
assembles the drawing.
"""

import numpy as np

import korba as kb

FILE = """
plane = "xy"
points = { A = [0, 0], D = ["d", 0] }        # of the ground

[parameters]
a = "100 mm"
b = "300 mm"
c = "250 mm"
d = "320 mm"

[[body]]
name = "crank"
points = { A = [0, 0], B = ["a", 0] }

[[body]]
name = "coupler"
points = { B = [0, 0], C = ["b", 0], P = ["b/2", "50 mm"] }

[[body]]
name = "rocker"
points = { D = [0, 0], C = ["c", 0] }
"""
JOINT = """
[[joint]]
name = "{}"
type = "revolute"
parent = "{}"
child = "{}"
"""
FILE += JOINT.format("A", "ground.A", "crank.A") + 'drawn = "30 deg"\n'
FILE += JOINT.format("B", "crank.B", "coupler.B")
FILE += JOINT.format("C", "coupler.C", "rocker.C")
FILE += JOINT.format("D", "ground.D", "rocker.D")

m = kb.loads(FILE)
print(m)  # a note says that C was put left of the line from B to D

# The other way: ask for the side of the inner pin.
crossed = kb.loads('assembly = { C = "right" }\n' + FILE)
assert np.isclose(crossed.joint("C").drawn[0], -m.joint("C").drawn[0])

# Other lengths are assembled on the same branch; the crank stays where it is
# drawn.
longer = kb.redimension(m, b="310 mm")
B = 0.1 * np.exp(1j * np.radians(30))
C = 0.32 + 0.25 * np.exp(1j * longer.joint("D").drawn[0])
assert np.isclose(abs(C - B), 0.31)
