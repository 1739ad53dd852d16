"""A four-bar built in Python: its mobility and its structural groups."""

import korba as kb

A, B, C, D = (0, 0), (0.03, 0.05), (0.16, 0.10), (0.20, 0)

bodies = [
    kb.Body("crank", mass=0.2, com=(0.015, 0.025), inertia=1e-4),
    kb.Body("coupler", mass=0.5, com=(0.095, 0.075), inertia=9e-4),
    kb.Body("rocker", mass=0.4, com=(0.18, 0.05), inertia=5e-4),
]
joints = [
    kb.Revolute("A", "ground", "crank", at=A),
    kb.Revolute("B", "crank", "coupler", at=B),
    kb.Revolute("C", "coupler", "rocker", at=C),
    kb.Revolute("D", "ground", "rocker", at=D),
]
motor = kb.JointDrive("motor", joint="A", position="300 rpm * t")
four_bar = kb.Mechanism(
    "four-bar", bodies, joints, drives=[motor], plane="xy"
)

# Everything is given in the drawing position, so the loop closes by
# construction, and no joint has to be called the one that closes it.
mobility = kb.mobility(four_bar)
print(mobility)

# With the crank driven, coupler and rocker are one group, a dyad of three
# revolute pairs.
groups = kb.groups(four_bar)
print()
print(groups)

assert mobility.theoretical == mobility.actual == 1
assert [group.signature for group in groups.groups][1:] == ["RRR"]
