"""A machine from rest: how it runs up, where it stops, and the same from
the work of its loads.
"""

import numpy as np

import korba as kb

yoke = kb.loads("""
name = "Scotch yoke"
plane = "xy"
body = [
  {name="crank", mass=1.0, com=[0.1, 0], inertia=0.1},
  {name="bar", mass=5.0, com=[0.3, 0]},
]
joint = [
{name="A", type="revolute", parent="ground", child="crank", at=[0, 0]},
{name="S",type="prismatic",parent="ground",child="bar",at=[0.3,0],axis=[1,0]},
{name="P",type="pin-in-slot",parent="bar",child="crank",at=[0.3,0],axis=[0,1]}
]
force = [
  {name="motor", type="joint", joint="A", law="4"},
  {name="load", type="joint", joint="S", law="-2*sign(v)"},
]
""")

run = kb.run_up(yoke, "A", np.linspace(0.0, 2.0, 201))  # from rest, as drawn
print(run)
# by the work of motor, load and weight
turns = kb.speeds(yoke, "A", 2 * np.pi * np.arange(1, 4))
print(turns)

# The motion in time passes each turn at that moment, with that speed.
again = kb.run_up(yoke, "A", [0.0, *turns.t])
assert np.allclose(again["v_A"][1:], turns.speed, rtol=1e-8)
# Energy: 4 N m over a turn, less 2 N over four strokes of 0.3 m.
assert np.isclose(turns.work[0], 4 * 2 * np.pi - 2 * 4 * 0.3)

# With a weak motor it does not get over the top: the work of the loads does
# not suffice.
weak = kb.loads(kb.dumps(yoke).replace('law="4"', 'law="0.1"'))
print(
    f"stops at A = {kb.speeds(weak, 'A', [np.pi], speed=3.0).stops:.6f} rad"
)
