"""A slider-crank runs down: friction in its pin and its guide slips, turns
back, and sticks.
"""

from dataclasses import replace

import numpy as np

import korba as kb

pin = kb.Friction(coefficient=0.2, radius="20 mm")
faces = kb.Friction(coefficient=0.1, half_height="20 mm")
guide = {"axis": (1, 0), "guide_length": "0.1 m", "friction": faces}
m = kb.Mechanism(
    "slider-crank",
    [
        kb.Body("crank", 2, com=(0, 0), inertia=0.02),
        kb.Body("rod", 1, com=(0.3, 0.025), inertia=0.01),
        kb.Body("slide", 1, com=(0.5, 0), inertia=0.01),
    ],
    [
        kb.Revolute("A", "ground", "crank", at=(0, 0), friction=pin),
        kb.Revolute("B", "crank", "rod", at=(0.1, 0.05)),
        kb.Revolute("C", "rod", "slide", at=(0.5, 0)),
        kb.Prismatic("D", "ground", "slide", at=(0.5, 0), **guide),
    ],
    plane="xy",
)
run = kb.simulate(
    m,
    "8 s",
    v={"A": "20 rad/s"},
    events="friction",
    method=kb.Method(rtol=1e-10, atol=1e-12),
)
print(run)
print(f"the slide turned back {len(run.events['D turns'])} times")

# All of the energy went into friction, and the whole mechanism sticks, loops
# closed.
assert run.events[-1].name == "A halts"
assert np.allclose(run.v[-1], 0, atol=1e-12)
lost = run["kinetic"][0] + run["potential"][0] - run["potential"][-1]
assert abs(run["work"][-1] + lost) < 1e-9 * lost
assert run.audit.residual < 1e-10

# The same law as in the reactions of a driven motion: at each moment no drive
# is missing.
driven = replace(m, drives=[kb.JointDrive("drive", "A", "t")])
row = np.argmax(np.abs(run["v_D"]))
needed = kb.reactions(
    driven, run.q[row], run.v[row], run.a[row], friction=True
)
print(f"friction at {run.t[row]:.3f} s: {needed.friction}")
assert abs(needed.efforts[0]) < 1e-9
