"""Limits that stop a joint, and dry friction that holds it."""

import numpy as np

import korba as kb

m = kb.loads("""
name = "drawer"
plane = "xy"
body = [{name = "drawer", mass = 2, inertia = 1}]
[[joint]]
name = "x"
type = "prismatic"
parent = "ground"
child = "drawer"
at = [0, 0]
axis = [1, 0]
lower = 0
upper = "0.4 m"
friction = {effort = "3 N"}
""")

# Pushed to its end: it bounces with half its speed, and friction brings it to
# rest.
run = kb.simulate(
    m,
    "3 s",
    v={"x": "2 m/s"},
    events=[kb.Stops(0.5), "friction"],
    method=kb.Method(rtol=1e-11, atol=1e-13),
)
print(run)

# By hand: a = 1.5 m/s^2 against the motion.
speed = np.sqrt(4 - 2 * 1.5 * 0.4)  # at the stop
met = (2 - speed) / 1.5
back = 0.5 * speed
halt = met + back / 1.5
assert np.allclose(run.events.t, [met, halt], rtol=0, atol=1e-10)
assert [each.name for each in run.events] == ["x upper", "x halts"]
assert abs(run["x"][-1] - (0.4 - back**2 / 3)) < 1e-10
print(
    f"it stands {1000 * (0.4 - run['x'][-1]):.3f} mm from the stop since t = "
    f"{halt:.6f} s"
)
