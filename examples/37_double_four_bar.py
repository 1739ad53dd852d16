"""A double four-bar goes round through positions where its loops lose two
ranks (IFToMM A02).
"""

import numpy as np

import korba as kb


def rod(name, P, Q):
    """A uniform thin rod of 1 kg and 1 m."""
    return kb.Body(name, 1.0, tuple((np.array(P) + np.array(Q)) / 2), 1 / 12)


feet, tips = [(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 1), (2, 1)]
cranks = [rod(f"crank{i}", feet[i], tips[i]) for i in range(3)]
couplers = [rod(f"coupler{i}", tips[i], tips[i + 1]) for i in range(2)]
joints = [
    kb.Revolute(f"A{i}", "ground", f"crank{i}", at=feet[i]) for i in range(3)
]
joints += [
    kb.Revolute("B0", "crank0", "coupler0", at=tips[0]),
    kb.Revolute("B1", "crank1", "coupler0", at=tips[1]),
    kb.Revolute("C1", "crank1", "coupler1", at=tips[1]),
    kb.Revolute("C2", "crank2", "coupler1", at=tips[2]),
]
m = kb.Mechanism("double four-bar", [*cranks, *couplers], joints, plane="xy")

run = kb.simulate(
    m,
    until=10.0,
    v={"A0": -1.0},
    times=11,
    method=kb.Method(rtol=1e-12, atol=1e-13),
)
print(run)

# Published for 10 s (Richardson's extrapolation of an exudyn run), and the
# exact elliptic integral.
end = run.point("crank0", (0, 1))
print(f"B0 at 10 s: {end.position[-1, :2]}, published (0.328458, 0.944519)")
assert np.allclose(
    end.position[-1, :2], (0.328458, 0.944519), rtol=0, atol=1e-5
)
assert np.allclose(
    end.velocity[-1, :2], (1.423051, -0.494869), rtol=0, atol=1e-5
)
assert np.allclose(
    end.position[1, :2],
    (-0.195020301949435, -0.980799205662174),
    rtol=0,
    atol=1e-8,
)
assert run.audit.residual < 1e-12

# Where loops lose rank is told: first where the cranks lie flat, after a
# quarter of a turn.
steps = kb.simulate(m, until=1.0, v={"A0": -1.0})
print(steps.notes[0])
assert "loops lose rank at t = 0.71435" in steps.notes[0]
