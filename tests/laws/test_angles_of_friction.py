"""Where friction leaves no solution the transmission angle is below its limit, and the reverse."""

from dataclasses import replace

import numpy as np
import pytest

import korba as kb


def crank(mu, pins, rod, push=-300.0):
    """A massless slider-crank of 40 mm with a force on its slider."""
    m = kb.linkages.slider_crank("40 mm", rod)
    joints = tuple(
        replace(j, friction=kb.Friction(coefficient=0.2, radius=pins) if pins else None)
        if j.turns_only
        else replace(j, friction=kb.Friction(coefficient=mu))
        for j in m.joints
    )
    bodies = tuple(replace(b, mass=0.0, inertia=0.0) for b in m.bodies)
    forces = (kb.PointForce("gas", "slider", (push, 0)),)
    return replace(m, gravity=(0, 0, 0), joints=joints, bodies=bodies, forces=forces)


@pytest.mark.parametrize("seed", range(4))
def test_a_slider_jams_exactly_below_the_angle_of_friction(seed):
    """With smooth pins: where the crank pushes it against its load at a smaller angle."""
    rng = np.random.default_rng(seed)
    m = crank(rng.uniform(0.5, 0.9), 0.0, rng.uniform(0.042, 0.046))
    motion = kb.motion(m, np.linspace(0.0, 1.0, 181))
    angle, forces = kb.transmission_angle(motion), kb.reactions(m, motion, friction=True)
    assert angle.limit == pytest.approx(np.arctan(m.joint("slide").friction.coefficient))
    work = motion.v[:, [j.name for j in m.joints].index("slide")] * -300.0
    against = work < 0
    clear = np.abs(angle.angle - angle.limit) > 1e-6
    assert np.array_equal(forces.jammed[clear], (angle.held & against)[clear])
    assert forces.jammed.any() and not forces.jammed.all()


@pytest.mark.parametrize("seed", range(4))
def test_what_locks_itself_is_below_a_limit(seed):
    """With rough pins too, at either end of the rod; and at most positions below it locks."""
    rng = np.random.default_rng(seed)
    m = crank(0.15, rng.uniform(0.004, 0.008), rng.uniform(0.08, 0.16))
    motion = kb.motion(m, np.linspace(0.0, 1.0, 361))
    push, forces = kb.transmission_angle(motion), kb.reactions(m, motion, friction=True)
    back = kb.transmission_angle(motion, *push.back)
    assert push.back == ("B", "crank") and back.back == ("C", "slider")
    assert 0 < back.limit < 0.3
    locks = np.asarray(forces.self_locking)
    assert locks.any()
    assert not np.any(locks & ~(push.held | back.held))


def test_without_friction_there_is_no_limit():
    """And on a link that turns it is that of its friction circle and of the coupler's."""
    m = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
    angle = kb.transmission_angle(kb.motion(m, np.linspace(0.0, 1.0, 9)))
    assert angle.limit == 0.0 and not angle.held.any()
    rough = kb.Friction(coefficient=0.3, radius=0.01)
    m = replace(m, joints=tuple(replace(j, friction=rough) for j in m.joints))
    h = 0.01 * 0.3 / np.sqrt(1 + 0.3**2)
    angle = kb.transmission_angle(kb.motion(m, np.linspace(0.0, 1.0, 9)))
    assert angle.limit == pytest.approx(np.arcsin(2 * h / 0.08) + np.arcsin(2 * h / 0.12))
