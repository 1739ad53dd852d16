"""No verb hands out a position whose loops or drives are open; those that fight are named."""

from dataclasses import replace

import numpy as np
import pytest
import sample_mechanisms
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb


def four_bar(rng):
    """A random planar four-bar as it is drawn."""
    return sample_mechanisms.four_bar(
        np.array(sample_mechanisms.PLACES) + rng.uniform(-0.15, 0.15, (4, 2))
    )


@pytest.mark.parametrize("seed", seeds(0.5))
def test_held_coordinates_that_do_not_fit_are_refused_by_name(seed):
    """Two coordinates of one freedom are taken where they fit, and refused with both names else."""
    rng = np.random.default_rng(seed)
    m, angle, miss = four_bar(rng), rng.uniform(-0.2, 0.2), rng.uniform(0.01, 0.2)
    alone = kb.assemble(m, {"A": angle})
    both = kb.assemble(m, {"A": angle, "D": alone["D"]})
    assert_allclose(both.q, alone.q, rtol=0, atol=1e-10)
    with pytest.raises(kb.AssemblyError, match="'A' and 'D' fight each other"):
        kb.assemble(m, {"A": angle, "D": alone["D"] + miss})


@pytest.mark.parametrize("seed", seeds(0.4))
def test_drives_that_fight_are_refused_by_name(seed):
    """A motion stops where its drives part; one drive more that agrees does no harm."""
    rng = np.random.default_rng(seed)
    m, speed, miss = four_bar(rng), rng.uniform(0.5, 2), rng.uniform(0.01, 1)
    times = np.linspace(0, 0.1, 5)
    drive = kb.JointDrive("motor", "A", f"{speed}*t")
    alone = kb.motion(replace(m, drives=[drive]), times)
    again = kb.BodyDrive("second", "crank", angle=f"{speed}*t")
    both = kb.motion(replace(m, drives=[drive, again]), times)
    assert_allclose(both.q, alone.q, rtol=0, atol=1e-10)
    assert not alone.notes
    assert any("1 more driven than there are freedoms" in note for note in both.notes)
    other = kb.JointDrive("brake", "D", f"{alone['v_D'][0] + miss}*t")
    with pytest.raises(kb.AssemblyError, match="'motor' and 'brake' fight each other"):
        kb.motion(replace(m, drives=[drive, other]), times)
    at_first = f"{alone['v_D'][0]}*t + {alone['a_D'][0] / 2 + miss}*t**2"
    slowly = kb.JointDrive("brake", "D", at_first)
    with pytest.raises(kb.AssemblyError, match="'motor' and 'brake' fight each other"):
        kb.motion(replace(m, drives=[drive, slowly]), times)
    with pytest.raises(kb.AssemblyError, match="drivers that contradict each other"):
        kb.course.absolute_motion(replace(m, drives=[drive, other]), times)


@pytest.mark.parametrize("seed", seeds(0.5))
def test_a_truss_does_not_move(seed):
    """A drive on a mechanism that its loops hold is refused, with its name."""
    rng = np.random.default_rng(seed)
    m = four_bar(rng)
    pin = kb.Revolute("E", "ground", "coupler", at=tuple(rng.uniform(0.5, 1.0, 2)))
    truss = replace(m, joints=[*m.joints, pin], drives=[kb.JointDrive("motor", "A", "t")])
    with pytest.raises(kb.KorbaError, match="'motor' has no freedom"):
        kb.motion(truss, np.linspace(0, 0.5, 5))


@pytest.mark.parametrize("seed", seeds(0.5))
def test_cranks_that_move_in_their_drawing_only_are_held_by_their_loops(seed):
    """Three parallel cranks, one of another length, have a velocity as drawn and no motion."""
    rng = np.random.default_rng(seed)
    x, length = np.cumsum(rng.uniform(0.5, 1.5, 3)), rng.uniform(1.2, 2)
    feet = [(x[0], 0), (x[1], 0), (x[2], 1 - length)]
    joints = [kb.Revolute(f"A{i}", "ground", f"c{i}", at=feet[i]) for i in range(3)]
    joints += [kb.Revolute(f"B{i}", f"c{i}", "rod", at=(x[i], 1)) for i in range(3)]
    bodies = [kb.Body(name) for name in ("c0", "c1", "c2", "rod")]
    m = kb.Mechanism(
        "cranks", bodies, joints, drives=[kb.JointDrive("motor", "A0", "t")], plane="xy"
    )
    assert kb.mobility(m).actual == 0
    with pytest.raises(kb.AssemblyError, match="its loops hold it where it is drawn"):
        kb.motion(m, np.linspace(0, 0.5, 5))
    with pytest.raises(kb.AssemblyError, match="would close if one of these lengths changed"):
        kb.assemble(m, {"A0": rng.uniform(0.2, 0.4)})
