"""Events: a balance wheel that its escapement keeps going, tick by tick."""

import numpy as np

import korba as kb

m = kb.loads("""
name = "balance"
plane = "xy"
gravity = [0, 0, 0]
body = [{name = "wheel", mass = 0.01, inertia = 1e-6}]
joint=[{name="A", type="revolute", parent="ground", child="wheel", at=[0, 0]}]
[[force]]
name = "hairspring"
type = "joint"
joint = "A"
stiffness = 1.579e-4
damping = 2.5e-7
""")

# Each time the wheel comes through the middle it gets a push; the function
# ends it after 60.
ticks = []
push = kb.Event("push", "A", "rising", change={"v_A": "v_A + 1 rad/s"})
count = kb.Event(
    "count",
    "A",
    "rising",
    call=lambda t, q, v: ticks.append(t) or len(ticks) == 60,
)
run = kb.simulate(
    m,
    "60 s",
    v={"A": "0.1 rad/s"},
    events=[push, count],
    method=kb.Method(rtol=1e-11, atol=1e-13),
)
print(run)

# Between pushes it is a damped swing: the ticks are a period apart, and the
# speed before a push comes to where a push makes up for what a period loses.
decay, stiffness = 2.5e-7 / 2e-6, 1.579e-4 / 1e-6
period = 2 * np.pi / np.sqrt(stiffness - decay**2)
kept = np.exp(-decay * period)
print(
    f"ticks {np.diff(run.events['push'].t)[-1]:.9f} s apart, {period:.9f} s "
    "in closed form"
)
assert np.allclose(np.diff(run.events["push"].t), period, rtol=0, atol=1e-10)
assert run.events[-1].name == "count"
assert len(ticks) == 60
speeds = run.events["push"].v[:, 0]
assert np.allclose(speeds[1:], kept * (speeds[:-1] + 1.0), rtol=1e-9)
assert abs(run.audit.energy) < 1e-9
