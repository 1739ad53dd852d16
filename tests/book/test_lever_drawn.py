"""Zhukovsky's lever drawn: its forces balance with what the drive does (Gronowicz 4.3.4)."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from law_counts import some
from numpy.testing import assert_allclose
from random_planar import DRIVES, GROUPS, random_mechanism

import korba as kb

BOOK = Path(__file__).resolve().parents[2] / "examples" / "book"


def test_example_4_5():
    """(4.58) with the constructed data of Example 4.4: cs, h_1, h_2 and M, and moments by arms."""
    motion = kb.motion(kb.load(BOOK / "ex_4_4_yoke.toml"), [0.0])
    lever = kb.course.lever(motion)
    assert_allclose(lever.effort, 0.690265, atol=5e-7)
    theta, rate, r = np.radians(25.827355), 0.235170, 0.25
    tip = rate * r * np.array([np.cos(theta), np.sin(theta)])  # cs = r Theta_2' / Theta_1'
    assert_allclose(lever["F^b_yoke"].tip, tip, atol=5e-7)
    assert_allclose(lever["F^b_yoke"].force, [0.646970, 5.010565], atol=5e-7)
    assert_allclose(lever["M^b_yoke"].moment, 0.422820 * rate, atol=5e-7)
    assert_allclose(lever["G_yoke"].arm, -rate * r * np.cos(theta), atol=5e-7)
    text = str(lever)
    assert "drive 'motor' balances it with 0.690265 N m" in text
    picture = kb.draw(lever)
    assert "Zhukovsky" in picture and "motor balances it with 0.690265 N m" in picture


@pytest.mark.parametrize("seed", some(9, 200))
def test_every_lever_is_in_balance(seed):
    """Forces at the tips, and moments, balance what each drive does, whatever the mechanism."""
    rng = np.random.default_rng([11, seed])
    names = [str(name) for name in rng.choice(GROUPS, 2)]
    m = random_mechanism(3000 + seed, names, DRIVES[seed % len(DRIVES)], cranks=1 + seed % 2)
    bodies = [
        replace(body, mass=rng.uniform(0.5, 2.0), com=(*rng.uniform(-0.3, 0.3, 2), 0), inertia=0.1)
        for body in m.bodies
    ]
    last = bodies[-1].name
    forces = [
        kb.PointForce("push", last, (3.0, 2.0, 0), (0.2, 0.1, 0)),
        kb.Moment("turn", last, (0, 0, 1.5)),
        kb.Spring("spring", "ground", (0.2, 0.7, 0), last, (0.5, 0.4, 0), stiffness=30, damping=2),
    ]
    joints = [replace(joint, damping=0.3) for joint in m.joints]
    m = replace(m, bodies=bodies, joints=joints, forces=forces, gravity=(0, -9.81, 0))
    motion = kb.motion(m, [0.0])
    wanted = kb.driving_forces(m, motion, method="virtual-work")
    for drive in wanted.drives:
        lever = kb.course.lever(motion, 0, drive)
        size = max(1.0, *(abs(each.moment) for each in lever.forces))
        assert_allclose(lever.effort, wanted[drive][0], rtol=0, atol=1e-9 * size)
        for each in lever.forces:
            if np.any(each.force):
                turning = each.tip[0] * each.force[1] - each.tip[1] * each.force[0]
                assert_allclose(each.moment, turning, atol=1e-12 * size)
        assert "nan" not in kb.draw(lever)


def test_tips_are_turned_velocities_for_a_unit_of_the_drive():
    """The lever is the velocity plan over the drive's speed, turned by -90 deg."""
    m = kb.linkages.slider_crank(0.1, 0.3, at="60 deg", speed="20 rad/s", density=7800)
    motion = kb.motion(m, [0.0])
    plan, lever = kb.course.velocity_plan(motion), kb.course.lever(motion)
    for name in "BC":
        x, y = plan[f"v_{name}"] / 20
        assert_allclose(lever.images[name], [y, -x], atol=1e-12)
    assert_allclose(lever.images["A"], 0)


def test_levers_that_there_are_not():
    """Drives are named; without one nothing balances."""
    m = kb.load(BOOK / "ex_2_9_generator.toml")
    motion = kb.motion(m, [0.0])
    with pytest.raises(kb.StructureError, match="expected one of the drives"):
        kb.course.lever(motion)
    lever = kb.course.lever(motion, 0, m.drives[0].name)
    with pytest.raises(kb.StructureError, match="has no force 'X'"):
        lever["X"]
