"""The drive of a car (Fig. 1.1): piston, rod, crankshaft, gearbox,
differential and wheels are one mechanism of two freedoms.
"""

from dataclasses import replace

import numpy as np

import korba as kb

# The book has no sizes: crank 40 mm, rod 130 mm, 1 : 12 to the cage.
X, Y, Z = np.eye(3)
a, b, ratio = 0.04, 0.13, 12.0
B = np.array([a * np.sin(0.5), 0, a * np.cos(0.5)])
C = np.array([0, 0, B[2] + np.sqrt(b**2 - B[0] ** 2)])
apex = np.array([0, 1.0, 0])  # of the bevel wheels, on the shafts' axis
bevel = {"parent_radius": 0.03, "child_radius": 0.03, "at": apex}
names = "crank", "rod", "piston", "cage", "pinion", "left", "right"
car = kb.Mechanism(
    "power train",
    [kb.Body(name) for name in names],
    [
        kb.Revolute("crank", "ground", "crank", at=(0, 0, 0), axis=Y),
        kb.Revolute("B", "crank", "rod", at=B, axis=Y),
        kb.Revolute("C", "rod", "piston", at=C, axis=Y),
        kb.Prismatic("piston", "ground", "piston", at=C, axis=Z),
        kb.Revolute("cage", "ground", "cage", at=apex, axis=Y),
        kb.Revolute("pinion", "cage", "pinion", at=apex, axis=X),
        kb.Revolute("left", "ground", "left", at=apex, axis=Y),
        kb.Revolute("right", "ground", "right", at=apex, axis=-Y),
        kb.GearBevel("Z1", "left", "pinion", axis=Y, x_axis=X, **bevel),
        kb.GearBevel("Z2", "right", "pinion", axis=-Y, x_axis=X, **bevel),
    ],
    couplings=[kb.Coupling("gearbox", "cage", f"crank/{ratio}")],
)
found = kb.mobility(car)
print(f"{found.actual} freedoms, {found.passive} passive constraints")
assert found.actual == 2  # the engine, and one wheel against the other


def driven(engine, right):
    """Speeds of the wheels, for rates of crank and right wheel."""
    rates = {"crank": engine, "right": right}
    drives = [kb.JointDrive(j, j, f"{w} rad/s*t") for j, w in rates.items()]
    run = kb.motion(replace(car, drives=drives), np.linspace(0, 0.1, 6))
    assert np.ptp(run["v_left"]) < 1e-9
    return run["v_left"][0], -run["v_right"][0]  # both about Y


for right in (0.0, -25.0, -40.0):  # held, straight on, in a bend
    left, other = driven(300.0, right)
    print(f"wheels at {left:.3f} and {other:.3f} rad/s")
    assert abs(left + other - 2 * 300.0 / ratio) < 1e-9
