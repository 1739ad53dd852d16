"""One arm through every formulation: the same numbers, at different
prices.
"""

import korba as kb

# Three axes of a Puma 560, with masses.
link = {
    "mass": 17.4,
    "com": ("-70 mm", "6 mm", "-16 mm"),
    "inertia": (0.13, 0.52, 0.54),
}
rows = [
    {
        "a": 0,
        "alpha": 0,
        "d": 0,
        "name": "waist",
        "mass": 13,
        "inertia": (0.3, 0.3, 0.35),
    },
    {"a": 0, "alpha": "-90 deg", "d": "149 mm", "name": "shoulder", **link},
    {
        "a": "432 mm",
        "alpha": 0,
        "d": 0,
        "name": "elbow",
        "mass": 4.8,
        "inertia": (0.07, 0.09, 0.1),
    },
]
arm = kb.from_dh(rows, convention="modified", name="three axes of a Puma")
answer = kb.crosscheck(arm)
print(answer)

# A row for every formulation: newton-euler, composite-body, articulated-body,
# and the four papers'.
names = {check.formulation for check in answer.checks}
assert {"lagrange-dh", "hamilton", "block-matrix", "kane-congruence"} < names
assert answer.agree
assert answer.worst < 1e-12
