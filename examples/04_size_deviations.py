"""The drive of the IRb robot: the force that tolerances cause in an
over-constrained mechanism.
"""

from pathlib import Path

import numpy as np

import korba as kb

FILE = (
    Path(__file__).resolve().parent
    / "structure"
    / "fig_1_25_irb_parallelograms.toml"
)
robot = kb.load(FILE)

# Sizes are a body and two of its joints. Every one is off by half of the
# grade IT8 of ISO 286: 46 um for 60 mm, 97 um for 450 mm.
small, large = 46e-6 / 2, 97e-6 / 2
deviations = {
    ("crank 1", "A", "B"): small,
    ("rod 2", "B", "C"): large,
    ("crank 3", "D", "C"): -small,
    ("ground", "A", "D"): -large,
    ("crank 1", "A", "E"): small,
    ("crank 3", "D", "F"): small,
    ("rod 4", "E", "F"): large,
}

# Link 4 alone gives way: a steel rod of 1 cm^2.
phi = np.radians([8, 30, 60, 90, 120, 152])
effect = kb.size_deviations(
    robot,
    "A",
    phi,
    deviations,
    link=("rod 4", "E", "F"),
    area=1e-4,
    exact=True,
)
print("  phi    misfit    force in rod 4")
for angle, dl, force in zip(phi, effect.dl, effect.force, strict=True):
    print(
        f"{np.degrees(angle):5.0f}  {1e3 * dl:7.3f} mm  {force / 1e3:7.1f} kN"
    )

assert np.allclose(effect.force[[0, -1]] / 1e3, [45.7, -9.5], atol=0.05)
