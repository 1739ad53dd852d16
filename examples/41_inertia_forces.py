"""The inertia force of a connecting rod over a turn, and the line that it
acts along.
"""

import numpy as np

import korba as kb

m = kb.linkages.slider_crank(
    "50 mm", "200 mm", speed="1500 rpm", density="3 kg/m", at=0
)
turn = kb.motion(m, np.linspace(0.0, 0.04, 361))
forces = kb.inertia_forces(m, turn)
print(forces)

rod = forces["rod"]
# the force alone along this line is the force and the moment in S
line = rod.line
print(f"farthest from S {1e3 * np.nanmax(line.distance):.2f} mm")
assert np.abs(rod.about(line.point).moment).max() < 1e-9

# All together shake the frame: the same as what its joints hand to it,
# without weight.
shaking = kb.shaking_forces(m, turn)
print(shaking)
for order in (1, 2, 3):
    print(f"order {order}: {shaking.harmonic(order).largest:8.2f} N")
joints = kb.reactions(m, turn, gravity=(0, 0, 0))
carried = -(joints["A"].force + joints["slide"].force)
assert np.allclose(carried, shaking.force, atol=1e-9)
