"""The dynamics of an arm as C99, with a size that stays an input."""

import korba as kb

arm = kb.loads("""
name = "arm"
plane = "xy"
parameters = {l1 = 0.5, l2 = 0.4}
body = [
  {name="upper", mass=2, com=["l1/2", 0], inertia="2*l1^2/12"},
  {name="fore", mass=1, com=["l1 + l2/2", 0], inertia="l2^2/12"},
]
joint = [
  {name="shoulder",type="revolute",parent="ground",child="upper",at=[0,0]},
  {name="elbow", type="revolute", parent="upper", child="fore", at=["l1", 0]},
]
""")
print(kb.generate(kb.forward_dynamics, arm, "c", parameters=("l1",)))

# the same text as Python, so that its numbers can be seen here
source = kb.generate(kb.pose, arm, "numpy", body="fore", parameters=("l1",))
assert "def arm_pose(q, p):" in source
assert "y₁,₄ = l₁ cos shoulder" in kb.generate(
    kb.pose, arm, "text", body="fore", parameters=("l1",)
)
