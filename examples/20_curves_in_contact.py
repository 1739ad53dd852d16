"""Elliptic wheels that roll, and a cam on a cam: contact of two curves as
a joint.
"""

import numpy as np

import korba as kb


def on_shafts(pair):
    """Two bodies on shafts through the poles of their profiles."""
    pole = pair.pose(pair.drawn_coordinates).p[:2]
    joints = [
        kb.Revolute("A", "ground", "one", at=(0, 0)),
        kb.Revolute("D", "ground", "two", at=pole),
        pair,
    ]
    drives = [kb.JointDrive("motor", "A", "3 rad/s * t")]
    bodies = [kb.Body("one"), kb.Body("two")]
    return kb.Mechanism("curves", bodies, joints, drives=drives, plane="xy")


# equal ellipses about their foci, 2 a apart: rolling, so the arcs that met
# are equal
e, p = 0.5, 0.12
a = p / (1 - e**2)
ellipse = f"{p}/(1 + {e}*cos({{}}))"
profiles = {
    "profile": ellipse.format("beta"),
    "child_profile": ellipse.format("gamma"),
}
wheels = on_shafts(
    kb.CurveRolling("Z", "one", "two", at=(0, 0), phase="180 deg", **profiles)
)
motion = kb.motion(wheels, np.linspace(0, 2, 41))
ratio = motion.body("two").angular_velocity[:, 2] / 3
r = p / (1 + e * np.cos(motion["Z"]))
# the radii at the contact
assert np.abs(ratio + r / (2 * a - r)).max() < 1e-10
print(f"elliptic wheels: ratios from {ratio.min():.6f} to {ratio.max():.6f}")

# two eccentric discs: sliding, so the centres keep their distance, as in a
# four-bar
disc = "{1}*cos({0}) + sqrt({2}^2 - {1}^2*sin({0})^2)"
profiles = {
    "profile": disc.format("beta", 0.01, 0.04),
    "child_profile": disc.format("gamma", 0.03, 0.05),
}
pair = kb.CurveContact(
    "K", "one", "two", at=(0, 0), drawn=(0.9, -1.6), **profiles
)
cams = on_shafts(pair)
motion = kb.motion(cams, np.linspace(0, 2, 41))
linkage = kb.course.equivalent_linkage(motion, 20)
print([joint.type for joint in linkage.joints])
rod = np.subtract(linkage.joint("K on two").at, linkage.joint("K on one").at)
print(kb.course.velocity_plan(motion, 20))

assert abs(np.linalg.norm(rod) - 0.09) < 1e-12
# (1 - e) / (1 + e), backwards
assert np.isclose(ratio.max(), -1 / 3, atol=1e-3)
