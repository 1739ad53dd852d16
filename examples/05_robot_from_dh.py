"""A robot arm from its Denavit-Hartenberg table."""

import korba as kb

# The first three axes of a Puma 560, modified (Craig's) convention: row i
# leads from frame i-1 to frame i, and the joint's coordinate is added to
# theta.
rows = [
    {"a": 0, "alpha": 0, "d": 0, "name": "waist", "link": "trunk"},
    {
        "a": 0,
        "alpha": "-90 deg",
        "d": "149 mm",
        "name": "shoulder",
        "link": "upper arm",
    },
    {"a": "432 mm", "alpha": 0, "d": 0, "name": "elbow", "link": "forearm"},
]
arm = kb.from_dh(rows, convention="modified", name="Puma 560, three axes")
print(arm.coordinates)

# An open chain has as many freedoms as joints, and no loops.
mobility = kb.mobility(arm)
print(mobility)

# Shoulder and elbow are parallel and alone would move the forearm in a plane;
# with the waist, which crosses them, the motion is a general one in space.
assert mobility.actual == mobility.theoretical == 3
assert mobility.motion_size == 6
assert kb.loads(kb.dumps(arm)) == arm
