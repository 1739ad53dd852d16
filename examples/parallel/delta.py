"""Delta robot: three arms with parallelograms move a platform that never
turns.
"""

import numpy as np

import korba as kb

BASE, ARM, ROD, PLATFORM, WIDTH = 0.2, 0.25, 0.5, 0.06, 0.05
SPOKES = np.deg2rad([0, 120, 240])
OUT = np.stack([np.cos(SPOKES), np.sin(SPOKES), 0 * SPOKES], axis=1)
SIDE = np.stack([-np.sin(SPOKES), np.cos(SPOKES), 0 * SPOKES], axis=1)
UP = np.array([0.0, 0.0, 1.0])
DROOP = 0.4
HOME = -ARM * np.sin(DROOP) - np.sqrt(
    ROD**2 - (BASE - PLATFORM + ARM * np.cos(DROOP)) ** 2
)


def angles(p):
    """Angles of the arms below the base for a place of the platform: the
    closed form.
    """
    found = []
    for u, w in zip(OUT, SIDE, strict=True):
        x, y, z = p @ u + PLATFORM - BASE, p @ w, p[2]
        size, phase = np.hypot(x, z), np.arctan2(-z, x)
        cosine = (x * x + y * y + z * z + ARM**2 - ROD**2) / (2 * ARM * size)
        found.append(phase - np.arccos(cosine))
    return np.array(found)


def delta():
    """The robot; every parallelogram is two rods on universal and
    spherical joints.
    """
    bodies, joints = [kb.Body("platform", frame=kb.Frame((0, 0, HOME)))], []
    for i, (u, w) in enumerate(zip(OUT, SIDE, strict=True), 1):
        elbow = (BASE + ARM * np.cos(DROOP)) * u - ARM * np.sin(DROOP) * UP
        hand = PLATFORM * u + HOME * UP
        rod = (hand - elbow) / ROD
        bodies.append(kb.Body(f"arm {i}"))
        joints.append(
            kb.Revolute(f"A{i}", "ground", f"arm {i}", at=BASE * u, axis=w)
        )
        for k, shift in (("left", WIDTH * w), ("right", -WIDTH * w)):
            name, more = (
                f"{k} rod {i}",
                {"axis": w, "x_axis": np.cross(w, rod)},
            )
            bodies.append(kb.Body(name))
            joints += [
                kb.Universal(
                    f"{k} B{i}", f"arm {i}", name, at=elbow + shift, **more
                ),
                kb.Spherical(f"{k} C{i}", name, "platform", at=hand + shift),
            ]
    return kb.Mechanism("Delta", bodies, joints)


m = delta()
places = HOME * UP + np.random.default_rng(0).uniform(
    -0.12, 0.12, size=(500, 3)
)
expected = np.array([angles(p) for p in places]) - DROOP
found = kb.inverse_kinematics(m, "platform", places[:20], follow=False)
for i in (1, 2, 3):
    assert np.allclose(
        found[f"A{i}"], expected[:20, i - 1], rtol=0, atol=1e-12
    )
X = kb.assemble(m, {f"A{i}": expected[:, i - 1] for i in (1, 2, 3)}).pose(
    "platform"
)
assert np.allclose(X[:, :3, 3], places, rtol=0, atol=1e-12)
assert np.allclose(X[:, :3, :3], np.eye(3), rtol=0, atol=1e-12)
