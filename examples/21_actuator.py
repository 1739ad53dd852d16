"""An actuator given by its length becomes cylinder and rod, with their
Coriolis term.
"""

import numpy as np

import korba as kb

# Example 3.2 of Gronowicz's book: link 3 on an actuator and on the rods 4 and
# 5
places = {
    "E": (0.55, 0.30),
    "F": (0.80, 0.50),
    "D": (0.5, -0.1),
    "G": (0.9, 0.1),
}
ends = {
    "E": ("3", "4"),
    "F": ("3", "5"),
    "D": ("ground", "4"),
    "G": ("ground", "5"),
}
m = kb.Mechanism(
    "actuator and triad",
    [kb.Body(name) for name in "345"],
    [kb.Revolute(name, *ends[name], at=places[name]) for name in places],
    drives=[
        kb.LengthDrive(
            "jack",
            "ground",
            (0, 0),
            "3",
            (0.35, 0.35),
            f"{0.35 * np.sqrt(2)} + 0.2*t",
        )
    ],
    plane="xy",
)
linkage = kb.course.equivalent_linkage(m)
print([joint.name for joint in linkage.joints])

motion = kb.motion(m, [0.0, 0.1])
again = kb.motion(linkage, [0.0, 0.1])  # the same at all times
assert np.allclose(
    motion.body("3").velocity, again.body("3").velocity, atol=1e-10
)

print(kb.course.groupwise_motion(motion, 0))
plan = kb.course.acceleration_plan(motion, 0)
print(plan)

# the length grows evenly, so along the cylinder there is nothing but a zero
# vector
slip = "jack on 3,jack on 3(jack cylinder)"
assert np.allclose(plan[f"a^t_{slip}"], 0, atol=1e-12)
assert np.allclose(plan["a_D"], 0)
assert np.isclose(plan.angular["3"], 1.563786, atol=5e-7)
