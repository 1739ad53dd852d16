"""The equations of absolute coordinates, loads and multipliers, beside those of the joints."""

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from loaded_linkages import KINDS, loaded
from numpy.testing import assert_allclose

import korba as kb


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(share=0.17))
def test_absolute_equations_are_those_of_the_joints(kind, seed):
    """q'' moves every body as the driven motion does; -Phi_q' lambda are the forces in the joints,
    loads of joints and passive constraints included.
    """
    m = loaded(kind, seed)
    last = [joint.name for joint in m.joints if joint.nv == 1][-1]
    m = replace(m, forces=[*m.forces, kb.JointForce("twist", last, law="1 + t", stiffness=2.0)])
    system = kb.course.absolute_system(m)
    moved = kb.motion(m, [0.0, 0.1])
    absolute = kb.course.absolute_motion(system, moved.t)
    q, v = absolute.q[1], absolute.v[1]
    found = kb.course.absolute_dynamics(system, q, v, 0.1)
    size = np.abs(found.accelerations).max()
    assert_allclose(found.phi_q @ found.accelerations, found.a, atol=1e-8 * size)
    if kind != "rssr":  # whose rod spins as its moment tells, there as little as it can
        assert_allclose(found.accelerations, absolute.a[1], atol=1e-8 * size)
    n = system.freedoms
    reactions = kb.reactions(m, moved)
    scale = np.abs(reactions.force[1]).max()
    total = sum(found.of(name) for name in dict.fromkeys(found.owners))
    assert_allclose(found.M @ found.accelerations - found.Q, total, atol=1e-8 * scale)
    drive = m.drives[0].name
    if kind != "rssr":
        power = reactions.driving[drive][1] * moved.v[1, 0]
        assert_allclose(found.of(drive) @ v, power, rtol=1e-7)
    assert len(found.M) == n * len(m.bodies)
