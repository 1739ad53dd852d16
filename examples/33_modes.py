"""Rest and small motions: a pendulum with a spring, where it hangs and how
it swings.
"""

import numpy as np

import korba as kb

m = kb.loads("""
name = "arm on a spring"
plane = "xy"
body = [{name = "arm", mass = 3, com = [0.5, 0], inertia = 0.25}]
[[joint]]
name = "A"
type = "revolute"
parent = "ground"
child = "arm"
at = [0, 0]
damping = 0.5
[[force]]
name = "spring"
type = "joint"
joint = "A"
stiffness = 20
""")

# Where the spring carries the arm: 20 A = -m g l cos A.
rest = kb.equilibrium(m)
print(rest)
assert abs(20 * rest["A"] + 3 * 9.81 * 0.5 * np.cos(rest["A"])) < 1e-12

# How it swings about it: J = 1 kg m^2, stiffness 20 - m g l sin A, damping
# 0.5.
small = rest.system
print(small)
w = np.sqrt(20 - 3 * 9.81 * 0.5 * np.sin(rest["A"]))
(mode,) = small.modes
assert abs(mode.damping - 0.5 / (2 * w)) < 1e-12

# A simulation that is let go beside it swings with that period.
run = kb.simulate(
    m,
    "3 s",
    q={"A": rest["A"] + 1e-4},
    events=["v_A"],
    method=kb.Method(rtol=1e-11, atol=1e-14),
)
period = 2 * np.diff(run.events.t).mean()
print(f"period {period:.6f} s, linear {1 / mode.frequency:.6f} s")
assert abs(period * mode.frequency - 1) < 1e-6
