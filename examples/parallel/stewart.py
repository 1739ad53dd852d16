"""Stewart platform: six legs place and turn a platform in space."""

import numpy as np
from scipy.spatial.transform import Rotation

import korba as kb

HOME = np.array([0.0, 0.0, 1.0])
SPOKES = np.deg2rad([0, 120, 240])


def ring(radius, spread):
    """Six points on a circle, in pairs."""
    angles = (SPOKES[:, None] + [-spread, spread]).ravel()
    return radius * np.stack(
        [np.cos(angles), np.sin(angles), 0 * angles], axis=1
    )


FEET, HEADS = ring(1.0, 0.15), ring(0.5, 0.9)


def lengths(p, R):
    """Lengths of the legs at a pose of the platform: the closed form."""
    return np.linalg.norm(p + HEADS @ R.T - FEET, axis=1)


def stewart():
    """Legs of a universal, a prismatic and a spherical joint; the strokes
    are 0 as drawn.
    """
    bodies, joints = [kb.Body("platform", frame=kb.Frame(HOME))], []
    for i, (foot, head) in enumerate(zip(FEET, HEADS + HOME, strict=True), 1):
        along = (head - foot) / np.linalg.norm(head - foot)
        side = np.cross(along, [0, 0, 1])
        bodies += [kb.Body(f"cylinder {i}"), kb.Body(f"piston {i}")]
        cross = {"axis": np.cross(side, along), "x_axis": side}
        joints += [
            kb.Universal(
                f"U{i}", "ground", f"cylinder {i}", at=foot, **cross
            ),
            kb.Prismatic(
                f"leg {i}",
                f"cylinder {i}",
                f"piston {i}",
                at=foot,
                axis=along,
            ),
            kb.Spherical(f"S{i}", f"piston {i}", "platform", at=head),
        ]
    return kb.Mechanism("Stewart platform", bodies, joints)


m = stewart()
rng = np.random.default_rng(0)
p = rng.uniform(-0.2, 0.2, size=(500, 3)) + HOME
R = Rotation.from_rotvec(rng.uniform(-0.3, 0.3, size=(500, 3))).as_matrix()
home = lengths(HOME, np.eye(3))
strokes = {
    f"leg {i + 1}": x
    for i, x in enumerate((np.array([*map(lengths, p, R)]) - home).T)
}

found = kb.inverse_kinematics(m, "platform", p[:20], R[:20], follow=False)
for name, stroke in strokes.items():
    assert np.allclose(found[name], stroke[:20], rtol=0, atol=1e-12)
X = kb.assemble(m, strokes).pose("platform")
assert np.allclose(X[:, :3, 3], p, rtol=0, atol=1e-12)
assert np.allclose(X[:, :3, :3], R, rtol=0, atol=1e-12)
