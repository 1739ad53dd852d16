"""A linkage from its lengths, another size of it, and a file to go on
from.
"""

import numpy as np

import korba as kb

m = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm", at="90 deg")
print(m)
print(kb.mobility(m))

# One turn of the crank, and the swing of the rocker.
turn = kb.motion(m, np.linspace(0, 1, 361))
swing = np.ptp(turn["D"])
print(f"the rocker swings by {np.degrees(swing):.2f} deg")

# The law of cosines says the same at its two ends, where crank and coupler
# are in line.
a, b, c, d = 0.04, 0.12, 0.08, 0.10
ends = [
    np.arccos((c * c + d * d - reach**2) / (2 * c * d))
    for reach in (b + a, b - a)
]
assert abs(swing - abs(ends[0] - ends[1])) < 1e-3

# Any length by its name; the file has the lengths, and no coordinates.
longer = kb.redimension(m, b="130 mm")
assert 'b = "130 mm"' in kb.dumps(longer)
assert abs(longer.body("coupler").point("C")[0] - 0.13) < 1e-12

# A leg that walks.
leg = kb.motion(kb.linkages.jansen(), np.linspace(0, 1, 181))
foot = leg.point("foot", "F").position
print(
    f"stride {np.ptp(foot[:, 0]) * 1000:.1f} mm, lift "
    f"{np.ptp(foot[:, 1]) * 1000:.1f} mm"
)
assert 0.05 < np.ptp(foot[:, 0]) < 0.1
