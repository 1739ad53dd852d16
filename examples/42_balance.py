"""A four-bar that does not shake its frame: counterweights on its crank
and its rocker.
"""

import numpy as np

import korba as kb

m = kb.linkages.four_bar(
    "40 mm", "120 mm", "80 mm", "100 mm", speed="600 rpm", density="3 kg/m"
)
result = kb.balance(m, radius={"crank": "30 mm", "rocker": "50 mm"})
print(result)

# The balanced mechanism is one like any other: its joints say that no force
# is left.
turn = kb.motion(result.mechanism, np.linspace(0.0, 0.1, 181))
forces = kb.reactions(result.mechanism, turn, gravity=(0, 0, 0))
left = np.abs(forces["A"].force + forces["D"].force).max()
print(
    f"force on the frame {left:.1e} N, in pin A up to "
    f"{np.abs(forces['A'].force).max():.1f} N"
)

# The moment has grown. Least of both together is a compromise.
both = kb.balance(m, shaking="both", radius="40 mm")
print(both)

# The classic products (Berkof and Lowen) of uniform rods of 3 kg/m.
crank = result.counterweights["crank"].product
assert np.allclose(crank[0], -3 * (0.04 * 0.02 + 0.12 * 0.04 / 2))
assert result.full and left < 1e-9
