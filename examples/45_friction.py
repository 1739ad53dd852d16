"""An actuator pulls a slider with friction: forces, losses, efficiency,
and when it jams.
"""

import numpy as np

import korba as kb


def actuator(mu):
    """Example 4.6 of the book: slider 1 in its guide, rod 2, cylinder 3."""
    pin = kb.Friction(coefficient=0.2, radius="20 mm")
    guide = kb.Friction(coefficient=mu, half_height="30 mm")
    at, axis = (0.1, 0), (1, 0)
    return kb.Mechanism(
        "actuator and slider",
        [kb.Body("slider"), kb.Body("rod"), kb.Body("cylinder")],
        [
            kb.Prismatic(
                *("guide", "ground", "slider", at, axis),
                guide_length="200 mm",
                friction=guide,
            ),
            kb.Revolute("P", "rod", "slider", at=(0.3, 0.08), friction=pin),
            kb.Prismatic(
                "T", "cylinder", "rod", at=(0.3, 0.08), axis=(0.25, -0.32)
            ),
            kb.Revolute(
                "O", "ground", "cylinder", at=(0.05, 0.4), friction=pin
            ),
        ],
        drives=[kb.JointDrive("actuator", "T", "-0.02*t")],
        forces=[
            kb.PointForce("load", "slider", (500, 0, 0), (-0.1, -0.06, 0))
        ],
        plane="xy",
    )


m = actuator(0.15)
motion = kb.motion(m, np.linspace(0.0, 1.0, 21))
forces = kb.reactions(m, motion, friction=True)
print(forces, forces.balance, sep="\n")

# The actuator pulls with 1819 N, with 812 N without friction.
for found, pull in ((forces, 1818.9697), (forces.frictionless, 812.1576)):
    assert abs(np.linalg.norm(found["P"].force[0]) - pull) < 1e-3
assert forces.balance.audit < 1e-9

rough = kb.reactions(actuator(0.4), motion, friction=True)
print(rough.notes[0])
assert rough.jammed.all() and rough.jams[0].joint == "guide"
