"""A thousand starts at once: where a double pendulum forgets how it began."""

import numpy as np

import korba as kb

m = kb.loads("""
name = "double pendulum"
plane = "xy"
body = [
  {name="upper", mass=1, com=[0, -0.5], inertia=0.0833},
  {name="lower", mass=1, com=[0, -1.5], inertia=0.0833},
]
joint = [
  {name="A", type="revolute", parent="ground", child="upper", at=[0, 0]},
  {name="B", type="revolute", parent="upper", child="lower", at=[0, -1]},
]
""")

# 500 angles of release, each twice: exactly, and a millionth of a radian
# beside it.
angles = np.radians(np.linspace(5, 175, 500))
starts = {"A": np.stack([angles, angles + 1e-6])}
runs = kb.simulate(m, "8 s", q=starts, times=81)
print(runs)

# q has the starts in front, then the times: (2, 500, 81, 2).
apart = np.abs(runs["A"][0] - runs["A"][1])
small, large = apart[angles < 1.0], apart[angles > 2.5]
print(
    f"released below 57 deg, two runs are {small[:, -1].max():.1e} rad apart "
    "after 8 s;"
)
print(f"released above 143 deg, {np.median(large[:, -1]):.1e} rad")

# Each run has its own steps and its own audit, and is the run that it is
# alone.
alone = kb.simulate(m, "8 s", q={"A": float(angles[100])}, times=81)
assert runs[0, 100].effort.steps == alone.effort.steps
assert np.abs(runs["A"][0, 100] - alone["A"]).max() < 1e-6
assert runs.audit.energy.max() < 1e-6
assert small[:, -1].max() < 1e-3 < np.median(large[:, -1])
