"""Dunskaya & Pyatnitsky: a planar chain moved by its momenta, without
accelerations.

The coordinates are the paper's, absolute angles from the downward vertical: a
dial is a body without mass that turns on the ground, and a coupling makes a
joint's angle the difference of two.
"""

import numpy as np

import korba as kb

PLACES = (0.0, 0.5, 0.9)  # of the joints, drawn hanging: x points down
CENTRES, MASSES, INERTIAS = (
    (0.25, 0.7, 1.02),
    (4.0, 3.0, 1.5),
    (0.09, 0.045, 0.012),
)
MOMENTS = (2.0, -1.0, 0.5)

chain = kb.Mechanism(
    "chain",
    bodies=[
        *(
            kb.Body(f"link{i}", MASSES[i], (CENTRES[i], 0), INERTIAS[i])
            for i in range(3)
        ),
        kb.Body("dial 1"),
        kb.Body("dial 2"),
    ],
    joints=[
        kb.Revolute("q0", "ground", "link0", at=(0, 0)),
        kb.Revolute("turn1", "link0", "link1", at=(PLACES[1], 0)),
        kb.Revolute("turn2", "link1", "link2", at=(PLACES[2], 0)),
        kb.Revolute("q1", "ground", "dial 1", at=(0, 0)),
        kb.Revolute("q2", "ground", "dial 2", at=(0, 0)),
    ],
    couplings=[
        kb.Coupling("1", "turn1", "q1 - q0"),
        kb.Coupling("2", "turn2", "q2 - q1"),
    ],
    forces=[
        kb.JointForce(f"drive {i}", joint, law=moment)
        for i, (joint, moment) in enumerate(
            zip(("q0", "turn1", "turn2"), MOMENTS, strict=True)
        )
    ],
    gravity=(9.81, 0),
    plane="xy",
)

start = {"q": (0.6, 1.1, -0.4), "v": (0.5, -1.0, 2.0)}
state = kb.papers.semi_canonical_state(chain, **start)
print("p", state.p, "pdot", state.p_rate, "H", state.hamiltonian)
assert np.allclose(
    state.p, [0.30320487792204154, -0.13153907439273896, 0.08642052524399167]
)

near = kb.papers.VelocitySolver(tolerance=1e-13)
paper = kb.papers.semi_canonical(
    chain, 0.1, step=1e-3, **start, scheme="euler", solver=near
)
assert np.allclose(
    paper.q[-1], [0.6508164795861473, 0.8283590713256236, 0.09195462476689087]
)
assert (
    paper.effort.iterations.max() <= 4
)  # conjugate directions end in n = 3 steps, but for rounding

exact = kb.papers.semi_canonical(
    chain, 1.0, step=0.0025, **start, scheme="dop853", solver=near
)
print(
    "q(1 s)",
    exact.q[-1],
    "T",
    exact["kinetic"][-1],
    "V",
    exact["potential"][-1],
)
flow = [-0.43283927132537564, -0.5755516026503901, -2.2942986756008237]
assert np.abs(exact.q[-1] - flow).max() < 1e-10
