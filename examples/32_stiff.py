"""A stiff system: the flyball governor (IFToMM benchmark A05) by an
implicit method.
"""

import numpy as np

import korba as kb

# Shaft, slider on it, two rods of 1 m hinged at its top with balls of 5 kg at
# their ends, and between slider and rods springs and dampers so hard that
# they are almost rigid.
across, along, mass = 0.0250025, 5e-6, 5.3
com = (0.5 * 0.3 + 5.0) / mass
inertia = across + 0.3 * (com - 0.5) ** 2 + 5.0 * (1 - com) ** 2
bodies = [
    kb.Body("shaft", 0.3, com=(0, 0, 0.5), inertia=(across, across, along)),
    kb.Body("slider", 3.0, com=(0, 0, 0.5), inertia=(0.005,) * 3),
]
joints = [
    kb.Revolute("spin", "ground", "shaft", at=(0, 0, 0), axis=(0, 0, 1)),
    kb.Prismatic("s", "shaft", "slider", at=(0, 0, 0.5), axis=(0, 0, 1)),
]
forces = []
for name, side in (("right", 1.0), ("left", -1.0)):
    out = np.array([side * np.cos(np.pi / 6), 0, -0.5])
    hinge = np.array([side * 0.05, 0, 1.0])
    tensor = inertia * np.eye(3) + (along - inertia) * np.outer(out, out)
    bodies.append(
        kb.Body(
            name, mass, com=tuple(hinge + com * out), inertia=tensor.tolist()
        )
    )
    joints.append(
        kb.Revolute(name, "shaft", name, at=tuple(hinge), axis=(0, 1, 0))
    )
    ends = ("slider", (side * 0.05, 0, 0.5), name, tuple(hinge + 0.5 * out))
    forces.append(
        kb.Spring(
            f"{name} arm", *ends, stiffness=8e5, damping=4e4, free_length=0.5
        )
    )
m = kb.Mechanism("flyball governor", bodies, joints, forces=forces)

start = {"v": {"spin": 2 * np.pi}, "times": 101}
run = kb.simulate(m, "10 s", method="stiff", **start)
print(run)
short = kb.simulate(m, "0.5 s", v=start["v"])
print(
    f"dop853 takes {short.effort.steps / 0.5:.0f} steps a second, stiff "
    f"{run.effort.steps / 10:.0f}"
)

# The published curve ends at 0.62 m; two integrators at 1e-13 agree on more
# digits.
print(f"the slider is at {0.5 + run['s'][-1]:.9f} m after 10 s")
assert abs(0.5 + run["s"][-1] - 0.620) < 5e-3
tight = kb.simulate(
    m, "10 s", method=kb.Method("stiff", rtol=1e-11, atol=1e-13), **start
)
assert np.abs(run["s"] - tight["s"]).max() < 1e-6
