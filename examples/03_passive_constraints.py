"""A planar four-bar in space: why it moves, and how to make it move for
any dimensions.
"""

from dataclasses import replace
from pathlib import Path

import korba as kb

FILE = (
    Path(__file__).resolve().parent
    / "structure"
    / "fig_1_30a_four_bar_in_space.toml"
)
four_bar = kb.load(FILE)

# By counting it is rigid twice over, W_T = -2. It moves because its axes are
# parallel: three constraints are passive. The report says so and proposes
# other pairs.
before = kb.mobility(four_bar)
print(before)

# The proposed edits: a ball at B, a cylindrical pair at C. Then nothing has
# to be parallel.
ball = kb.Spherical("B", "crank", "coupler", at=four_bar.joint("B").at)
sliding_pin = kb.Cylindrical(
    "C", "coupler", "rocker", at=four_bar.joint("C").at, axis=(0.02, 0.01, 1)
)
new = {"B": ball, "C": sliding_pin}
rational = replace(
    four_bar, joints=[new.get(j.name, j) for j in four_bar.joints]
)
after = kb.mobility(rational)

# All solutions, if the pairs A and D on the base are to stay as they are:
variants = kb.rational_variants(four_bar, keep=["A", "D"])
print()
print(variants)

assert (before.theoretical, before.passive, before.actual) == (-2, 3, 1)
assert (after.theoretical, after.passive, after.actual) == (1, 0, 1)
assert [variant.classes for variant in variants] == [(1, 4), (2, 3)]
