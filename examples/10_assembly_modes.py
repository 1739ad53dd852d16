"""All ways to assemble a planar platform on three legs."""

import numpy as np

import korba as kb

# Three feet on the ground, the corners of the platform, and legs of fixed
# length between them.
feet = np.array([[0, 0], [1, 0], [0.4, 0.9]])
corners = np.array([[0, 0], [0.66, 0], [0.36, 0.96]])


def platform_at(x, y, angle):
    """The corners of the platform when its first corner is at (x, y)."""
    c, s = np.cos(angle), np.sin(angle)
    return corners @ np.array([[c, s], [-s, c]]) + (x, y)


drawn = platform_at(-0.09927723, -0.79381612, -0.15319623)
bodies = [
    kb.Body("leg 1"),
    kb.Body("leg 2"),
    kb.Body("leg 3"),
    kb.Body("platform"),
]
joints = []
for i in range(3):
    joints += [
        kb.Revolute(f"foot {i + 1}", "ground", f"leg {i + 1}", at=feet[i]),
        kb.Revolute(f"ball {i + 1}", f"leg {i + 1}", "platform", at=drawn[i]),
    ]
m = kb.Mechanism("platform", bodies, joints, plane="xy")

# Nothing is left to move, so there is nothing to hold. The legs and the
# platform are a group of class III: no dyad can be solved before the others,
# so paths of a homotopy lead to all modes.
found = kb.configurations(m)
print(found)
assert found.complete
assert found.paths == len(found) == 6

# A four-bar is a crank and a dyad: two modes in closed form, or one, or none.
A, B, C, D = (0, 0), (0, 0.2), (0.505719, 0.522875), (0.8, 0)
joints = [
    kb.Revolute("A", "ground", "crank", at=A),
    kb.Revolute("B", "crank", "coupler", at=B),
    kb.Revolute("C", "coupler", "rocker", at=C),
    kb.Revolute("D", "ground", "rocker", at=D),
]
bodies = [kb.Body("crank"), kb.Body("coupler"), kb.Body("rocker")]
four_bar = kb.Mechanism("four-bar", bodies, joints, plane="xy")
print()
print(kb.configurations(four_bar, {"A": 0.3}))
none = kb.configurations(four_bar, {"D": 1.5})
print()
print(none)
assert len(kb.configurations(four_bar, {"A": 0.3})) == 2
assert not none
