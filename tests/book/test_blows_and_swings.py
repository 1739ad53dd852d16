"""The hammer of Fig. 4.6, moments of inertia from measured swings, and the contacts of a slider."""

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb


@pytest.mark.parametrize("seed", seeds(share=0.34))
def test_a_blow_is_the_impact_of_a_simulated_hammer(seed):
    """Impulse on what is struck, in the pin across the hammer, and the speed after."""
    rng = np.random.default_rng(seed)
    mass, inertia, arm, h, e = rng.uniform((1, 0.02, 0.2, 0.2, 0), (3, 0.1, 0.5, 0.8, 1))
    hammer = kb.Body("hammer", mass, com=(arm, 0), inertia=inertia)
    pin = kb.Revolute("B", "ground", "hammer", at=(0, 0))
    m = kb.Mechanism("hammer", [hammer], [pin], plane="xy")
    face = kb.Contact("face", body="hammer", point=(h, 0), line=((0, 0), (0, 1)), restitution=e)
    run = kb.simulate(m, 1.0, q={"B": 0.7}, events=face, times=2, method=kb.Method(rtol=1e-11))
    strike = run.events[0]
    told = kb.course.blow(mass, inertia, arm, h, speed=-strike.v[0], restitution=e)
    assert_allclose(strike.impulses["face"], told.impulse, rtol=1e-8)
    assert_allclose(strike.v_after, -told.speed, atol=1e-8)
    force = strike.joint_impulses["B"].force
    assert_allclose(force, [0, -told.pivot, 0], atol=1e-8 * told.impulse)


def test_a_blow_at_the_centre_of_percussion_spares_the_pin():
    """There the line of the inertia force lies; nearer the pin the blow and its reaction grow."""
    free = kb.course.blow(2.0, 0.06, 0.3, speed=10.0)
    near = kb.course.blow(2.0, 0.06, 0.3, 0.2, speed=10.0)
    assert_allclose(free.pivot, 0.0, atol=1e-15)
    body = kb.Body("hammer", 2.0, com=(0.3, 0), inertia=0.06)
    pin = kb.Revolute("B", "ground", "hammer", at=(0, 0))
    m = kb.Mechanism("hammer", [body], [pin], plane="xy", gravity=(0, 0, 0))
    h = kb.inertia_forces(m, [0.0], [0.0], [7.0])
    line = h["hammer"].line
    assert_allclose(line.point[0], free.percussion, rtol=1e-12)
    assert near.impulse > free.impulse and near.pivot > 0
    with pytest.raises(kb.StructureError, match="mass and arm must be positive"):
        kb.course.blow(2.0, 0.06, 0.0)


@pytest.mark.parametrize("seed", seeds(share=0.5))
def test_a_pendulum_tells_its_moment_of_inertia(seed):
    """The period of simulated swings, of any amplitude, about one axis and about two."""
    rng = np.random.default_rng(seed)
    mass, inertia, arm, other, swing = rng.uniform((1, 0.1, 0.2, 0.5, 0.1), (3, 0.3, 0.4, 0.8, 2.5))
    periods = [period(mass, inertia, r, swing) for r in (arm, other)]
    one = kb.course.pendulum_inertia(mass, periods[0], arm, amplitude=swing)
    assert_allclose(one.inertia, inertia, rtol=1e-6)
    assert_allclose(one.about_axis, inertia + mass * arm**2, rtol=1e-6)
    both = {"other_period": periods[1], "between": arm + other}
    two = kb.course.pendulum_inertia(mass, periods[0], amplitude=swing, **both)
    assert_allclose((two.arm, two.inertia), (arm, inertia), rtol=1e-4)


def period(mass, inertia, arm, swing):
    """Of a pendulum, twice the time from one turn to the next."""
    body = kb.Body("body", mass, com=(0, -arm), inertia=inertia)
    pin = kb.Revolute("A", "ground", "body", at=(0, 0))
    m = kb.Mechanism("pendulum", [body], [pin], plane="xy")
    run = kb.simulate(m, 8.0, q={"A": swing}, events=["A"], method=kb.Method(rtol=1e-11), times=2)
    return 2 * float(np.diff(run.events.t)[0])


def test_a_wire_that_twists_tells_it_too():
    """The difference of the squares of the periods with the body and without."""
    k, I_0, I_S = 0.8, 0.02, 0.05
    with_body, empty = (2 * np.pi * np.sqrt(x / k) for x in (I_0 + I_S, I_0))
    assert_allclose(kb.course.torsion_inertia(k, with_body, empty).inertia, I_S, rtol=1e-12)
    with pytest.raises(kb.StructureError, match="makes the swings of its holder longer"):
        kb.course.torsion_inertia(k, empty, with_body)


def test_measurements_that_no_body_gives_are_refused():
    """A period too short for the arm, no arm at all, two axes that swing alike."""
    with pytest.raises(kb.StructureError, match="no body swings like that"):
        kb.course.pendulum_inertia(1.0, 0.5, 0.5)
    with pytest.raises(kb.StructureError, match="give the arm of the mass centre"):
        kb.course.pendulum_inertia(1.0, 0.5)
    length = 9.81 / (2 * np.pi) ** 2
    with pytest.raises(kb.StructureError, match="so every arm fits"):
        kb.course.pendulum_inertia(1.0, 1.0, other_period=1.0, between=length)


def test_a_slider_carries_at_two_thirds_or_three_quarters_of_its_length():
    """l_o = 2l/3, and with share="3/4" l_o = 3l/4, are the same as that distance by itself."""
    m = kb.linkages.slider_crank("50 mm", "150 mm")
    moved = kb.motion(m, [0.0, 0.1])
    for share, part in (("2/3", 2 / 3), ("3/4", 0.75), (0.5, 0.5)):
        told = kb.course.guide_contacts(moved, "slide", slider=0.06, share=share)
        assert_allclose(told.length, part * 0.06, rtol=1e-15)
        same = kb.course.guide_contacts(moved, "slide", length=part * 0.06)
        assert_allclose((told.N1, told.N2), (same.N1, same.N2))
    with pytest.raises(kb.StructureError, match='share: expected "2/3" or "3/4"'):
        kb.course.guide_contacts(moved, "slide", slider=0.06, share="1/2")
