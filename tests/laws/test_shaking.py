"""What a mechanism does to its frame is its inertia, and counterweights stop it for any motion."""

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose
from test_forces_balance import loaded

import korba as kb

TIMES = np.linspace(0.0, 0.4, 5)


@pytest.mark.parametrize("kind", ["slider-crank", "rsur"])
@pytest.mark.parametrize("seed", seeds(0.05))
def test_joints_hand_the_inertia_to_the_frame(kind, seed):
    """Without weight and loads, all joints on the ground carry shaking force and moment."""
    m = replace(loaded(kind, seed), forces=())
    motion = kb.motion(m, TIMES)
    shaking, forces = kb.shaking_forces(m, motion, about=(0.3, -0.2)), kb.reactions(
        m, motion, gravity=(0, 0, 0)
    )  # fmt: skip
    ground = [joint.name for joint in m.joints if joint.parent == "ground"]
    carried = [(-forces[name]).about((0.3, -0.2, 0)) for name in ground]
    top = np.abs(forces.force).max() + np.abs(forces.moment).max()
    assert_allclose(sum(each.force for each in carried), shaking.force, atol=1e-10 * top)
    assert_allclose(sum(each.moment for each in carried), shaking.moment, atol=1e-10 * top)


@pytest.mark.parametrize("seed", seeds(0.1))
def test_a_balanced_linkage_keeps_its_momentum(seed):
    """The centre of mass of a four-bar with counterweights stands still in any other motion."""
    m = replace(loaded("four-bar", seed), forces=())
    result = kb.balance(m, motion=kb.motion(m, np.linspace(0.0, 0.8, 21)))
    assert result.full
    balanced = replace(result.mechanism, drives=[kb.JointDrive("d", "A", "-0.5*sin(2*t)")])
    c = kb.centre_of_mass(balanced, kb.motion(balanced, TIMES).q)
    assert_allclose(c, c[:1] + 0 * c, atol=1e-9)
