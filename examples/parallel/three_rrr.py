"""Planar 3-RRR robot: three driven cranks place and turn a platform."""

import numpy as np

import korba as kb

BASE, CRANK, ROD, PLATFORM = 0.5, 0.3, 0.3, 0.15
SPOKES = np.deg2rad([90, 210, 330])
PIVOTS = BASE * np.stack([np.cos(SPOKES), np.sin(SPOKES)], axis=1)
CORNERS = PLATFORM * np.stack([np.cos(SPOKES), np.sin(SPOKES)], axis=1)


def elbows(x, y, angle):
    """Crank pins for a pose of the platform, all bent the same way: the
    closed form.
    """
    c, s = np.cos(angle), np.sin(angle)
    tips = CORNERS @ np.array([[c, s], [-s, c]]) + (x, y)
    reach = tips - PIVOTS
    d = np.linalg.norm(reach, axis=1)
    along = np.arctan2(reach[:, 1], reach[:, 0])
    bend = np.arccos((CRANK**2 + d**2 - ROD**2) / (2 * CRANK * d))
    theta = along + bend
    return (
        theta,
        PIVOTS + CRANK * np.stack([np.cos(theta), np.sin(theta)], axis=1),
        tips,
    )


def three_rrr():
    """The robot, drawn with its platform in the middle."""
    _, pins, tips = elbows(0.0, 0.0, 0.0)
    bodies, joints = [kb.Body("platform")], []
    for i in range(3):
        crank, rod = f"crank {i + 1}", f"rod {i + 1}"
        bodies += [kb.Body(crank), kb.Body(rod)]
        joints += [
            kb.Revolute(f"A{i + 1}", "ground", crank, at=PIVOTS[i]),
            kb.Revolute(f"B{i + 1}", crank, rod, at=pins[i]),
            kb.Revolute(f"C{i + 1}", rod, "platform", at=tips[i]),
        ]
    return kb.Mechanism("3-RRR", bodies, joints, plane="xy")


m = three_rrr()
rng = np.random.default_rng(0)
pose = rng.uniform(-1, 1, size=(200, 3)) * (0.06, 0.06, 0.4)
drawn = elbows(0.0, 0.0, 0.0)[0]
expected = np.array([elbows(*each)[0] for each in pose]) - drawn

# inverse: the platform where it should be
found = kb.inverse_kinematics(
    m, "platform", pose[:20, :2], pose[:20, 2], follow=False
)
cranks = np.stack([found[f"A{i}"] for i in (1, 2, 3)], axis=1)
assert np.allclose(cranks, expected[:20], rtol=0, atol=1e-12)

# forward: where three crank angles put the platform
X = kb.assemble(m, {f"A{i + 1}": expected[:, i] for i in range(3)}).pose(
    "platform"
)
reached = np.stack(
    [X[:, 0, 3], X[:, 1, 3], np.arctan2(X[:, 1, 0], X[:, 0, 0])], axis=1
)
assert np.allclose(reached, pose, rtol=0, atol=1e-12)
print("platform poses found to", f"{np.abs(reached - pose).max():.1g}")
