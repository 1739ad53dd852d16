"""Assembly modes of random linkages: they close, they differ, and each leads to all others."""

from __future__ import annotations

import numpy as np
import pytest
from crank_rockers import crank_rocker
from law_counts import seeds
from numpy.testing import assert_allclose
from test_dyads import random_linkage

import korba as kb


def angles(m, q):
    """Coordinates with angles as points of a circle."""
    kinds = [kind for joint in m.joints for kind in joint.coordinate_kinds]
    turned = np.array([kind == "angle" for kind in kinds])
    q = np.asarray(q)
    return np.concatenate([np.cos(q[turned]), np.sin(q[turned]), q[~turned]])


def found_in(m, modes, q):
    """The number of modes that are the position q."""
    return sum(np.abs(angles(m, mode.q) - angles(m, q)).max() < 1e-6 for mode in modes)


@pytest.mark.parametrize("seed", seeds(0.5))
def test_modes_close_and_differ(seed):
    """Every mode closes the loops, no two are one, and where the drawing stands is the first."""
    m = random_linkage(seed)
    modes = kb.configurations(m, {"A": 0.0})
    assert modes.complete
    for mode in modes:
        assert mode.residual < 1e-9
        assert mode["A"] == pytest.approx(0.0, abs=1e-12)
        assert found_in(m, modes, mode.q) == 1
    assert_allclose(angles(m, modes[0].q), angles(m, kb.assemble(m, {"A": 0.0}).q), atol=1e-7)


@pytest.mark.parametrize("seed", seeds(0.5))
def test_modes_are_met_again_from_themselves(seed):
    """On the branch of a mode, where its input has its value, a mechanism is in that mode."""
    m = random_linkage(seed)
    modes = kb.configurations(m, {"A": 0.0})
    for mode in modes:
        there = kb.assemble(m, {"A": np.array([-1e-6, 0.0, 1e-6])}, near=mode, refuse=False)
        assert_allclose(angles(m, there.q[1]), angles(m, mode.q), atol=1e-9)
        assert there.closed[1]


@pytest.mark.parametrize("seed", seeds())
def test_both_modes_of_a_four_bar_are_mirror_images(seed):
    """Rocker and coupler lie on both sides of the line from the crank's pin to the rocker's."""
    m = crank_rocker(seed)
    modes = kb.configurations(m, {"A": 1.0})
    assert len(modes) == 2 and modes.complete
    B, D = (modes[0].point("crank", "B")[:2], modes[0].point("rocker", "D")[:2])
    C = [mode.point("rocker", "C")[:2] for mode in modes]
    along = (D - B) / np.linalg.norm(D - B)
    across = np.array([-along[1], along[0]])
    assert_allclose((C[0] - B) @ along, (C[1] - B) @ along, atol=1e-12)
    assert_allclose((C[0] - B) @ across, -(C[1] - B) @ across, atol=1e-12)
