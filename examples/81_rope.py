"""A ball on a rope: a circle while the rope is taut, a parabola while it
is slack.
"""

import numpy as np

import korba as kb

L, g = 1.0, 9.81
m = kb.Mechanism(
    "ball on a rope",
    [kb.Body("ball", 1.5, inertia=0.01)],
    [kb.Planar("P", "ground", "ball", at=(0, 0))],
    forces=[kb.Rope("r", "ground", (0, 0), "ball", (0, 0), L)],
    plane="xy",
)
fast = 3.5 * g * L  # squared; from 2 to 5 the ball does not go all round
run = kb.simulate(
    m,
    until=2.0,
    q={"P.y": -L},
    v={"P.x": np.sqrt(fast)},
    method=kb.Method("dop853", rtol=1e-11, atol=1e-12),
)

print(run.events)
print(f"largest pull: {run['pull_r'].max():.3f} N")

# It leaves the circle where sin = (v0^2 / (g L) - 2) / 3, and the parabola
# meets the circle again after 4 v cos / g.
height = L * (fast / (g * L) - 2) / 3
slack, taut = run.events["r slack"], run.events["r taut"]
v, cos = np.sqrt(g * height), np.sqrt(1 - (height / L) ** 2)
assert abs(slack.q[0][1] - height) < 1e-8
assert abs(taut.t[-1] - slack.t[0] - 4 * v * cos / g) < 1e-8
