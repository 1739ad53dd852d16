"""A tree of turning and sliding joints by block matrices: every joint's force
and moment.

The seven-link tree of the file carries loads on two of its links. Kovalchuk,
Kulakov & Semenov.
"""

from pathlib import Path

import numpy as np

import korba as kb

tree = kb.load(Path(__file__).with_name("kovalchuk_tree.toml"))
q = [-0.01, -0.02, -0.48, 0.27, 0.13, 0.36, -0.61]
v = [0.85, -0.29, -0.52, -0.79, 0.11, -0.36, 0.26]
a = [-0.63, 1.45, 0.86, 1.02, -1.02, 0.25, -0.79]


def load(force, couple, point):
    """Moment about the world's origin and force, of a force at a point
    with a couple.
    """
    return np.concatenate([np.add(couple, np.cross(point, force)), force])


loads = {
    "link3": load(
        [-20, 7.8, 21.3], [-2.57, -1.35, 2.15], [-0.31, -0.4, 0.21]
    ),
    "link7": load(
        [-23.7, 39, -18.1], [0.76, -0.73, -1.77], [0.86, 0.71, 0.27]
    ),
}
wrenches = kb.reactions(tree, q, v, a, external=loads, at="parent")
for joint, force, moment in zip(
    wrenches.joints, wrenches.force, wrenches.moment, strict=True
):
    print(joint, "force", force.round(3), "N, moment", moment.round(3), "N m")
assert np.allclose(
    wrenches["q7"].force, [24.00371632762, -36.68898255839, 36.92868416357]
)
assert np.allclose(
    wrenches["q7"].moment, [3.43553789535, -14.54524265171, -33.61903643301]
)

terms = kb.papers.block_terms(tree, q, v, a)
print("who hangs on whom:", *terms.reachability, sep="\n")
tau = (
    terms.A @ a
    + terms.B @ v
    - terms.C @ terms.f_e.ravel()
    - terms.D @ terms.n_e.ravel()
)
assert np.allclose(
    tau, kb.inverse_dynamics(tree, q, v, a, formulation="block-matrix")
)
assert np.allclose(tau, kb.inverse_dynamics(tree, q, v, a), rtol=1e-12)
