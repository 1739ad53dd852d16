"""One trajectory: the same questions to a driven and to a simulated
motion, and a file of it.
"""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import korba as kb

crank = kb.loads("""
name = "crank"
plane = "xy"
body = [
  {name="arm", mass=1, com=[0, -0.5], inertia=0.0833, points={tip=[0, -1]}},
]
joint = [
  {name="A",type="revolute",parent="ground",child="arm",at=[0,0],upper=1},
]
drive = [{name = "motor", type = "joint", joint = "A", position = "sin(2*t)"}]
""")
pendulum = replace(crank, drives=())

times = np.linspace(0, 2, 201)
driven = kb.motion(crank, times)
swinging = kb.simulate(pendulum, 2.0, q={"A": "70 deg"}, times=times)

for moved in (driven, swinging):
    print(moved)  # status, audit, last values, and what was assumed
    tip = moved.point("arm", "tip")
    assert np.allclose(tip.position[:, 0], np.sin(moved["A"]))
    assert np.allclose(
        np.linalg.norm(tip.velocity, axis=1), abs(moved["v_A"])
    )
    assert moved.units["a_A"] == "rad/s^2"

# What was passed over is said: the pendulum starts beyond the limit of its
# joint.
assert "passed its limits" in swinging.notes[0]
assert driven.audit.residual < 1e-14
assert swinging.audit.energy < 1e-7

# A file holds everything, the mechanism too, exactly.
with tempfile.TemporaryDirectory() as folder:
    swinging.save(Path(folder) / "swing.npz")
    again = kb.Trajectory.load(Path(folder) / "swing.npz")
    swinging.save(Path(folder) / "swing.csv", ["t", "A"], degrees=True)
assert again.mechanism == pendulum
assert np.array_equal(again.columns, swinging.columns)
