"""What the verbs of positions take: units, trees, couplings inside loops; and what they refuse."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sample_mechanisms import pendulum

import korba as kb


def five_bar(law):
    """Two freedoms, one of which a coupling takes: E follows A."""
    points = {"A": (0, 0), "B": (0, 0.5), "C": (0.5, 1.0), "D": (1.0, 0.5), "E": (1.0, 0)}
    links = ["ground", "a", "b", "c", "d", "ground"]
    joints = [
        kb.Revolute(name, links[k], links[k + 1], at=at)
        for k, (name, at) in enumerate(points.items())
    ]
    bodies = [kb.Body(name) for name in "abcd"]
    return kb.Mechanism("five-bar", bodies, joints, [kb.Coupling("cam", "E", law)], plane="xy")


@pytest.mark.parametrize("seed", range(5))
def test_couplings_inside_loops_move_with_their_rates(seed):
    """A law of any form holds at every position; v and a are the derivatives of q."""
    b, c = np.random.default_rng(seed).uniform(-0.4, 0.4, 2)
    m = five_bar(f"{b}*A + {c}*A^2")
    at = kb.assemble(m, {"A": 0.2})
    assert_allclose(at["E"], b * 0.2 + c * 0.04, rtol=0, atol=1e-14)
    assert at.residual < 1e-12
    h, driven = 1e-4, replace(m, drives=[kb.JointDrive("motor", "A", "0.3*t")])
    moved = kb.motion(driven, 0.5 + h * np.arange(-1, 2))
    assert_allclose((moved.q[2] - moved.q[0]) / (2 * h), moved.v[1], rtol=0, atol=1e-7)
    assert_allclose((moved.v[2] - moved.v[0]) / (2 * h), moved.a[1], rtol=0, atol=1e-7)
    assert len(kb.configurations(m, {"A": "0.2 rad"})) == 2


def test_values_may_have_units():
    """Degrees are radians, and what is no angle is refused by name."""
    m = five_bar("0.1*A")
    found = [kb.assemble(m, {"A": value}).q for value in ("10 deg", np.radians(10))]
    assert_allclose(*found, rtol=0, atol=1e-14)
    with pytest.raises(kb.StructureError, match="value of 'A': expected an angle"):
        kb.assemble(m, {"A": "10 mm"})


def test_a_floating_robot_stands_where_it_is_put():
    """Joints with a quaternion are named whole or by parts, as wherever else q goes."""
    joints = [
        kb.Free("base", "ground", "trunk"),
        kb.Revolute("hip", "trunk", "leg", at=(0.1, 0, 0), axis=(0, 1, 0)),
    ]
    m = kb.Mechanism("robot", [kb.Body("trunk"), kb.Body("leg")], joints)
    there = {"hip": "30 deg", "base": [0, 0, "50 cm", 0, 0, 0, 1]}
    at = kb.assemble(m, there)
    assert_allclose(at.pose("leg"), kb.pose(m, there, "leg"), rtol=0, atol=1e-15)
    assert_allclose(at.pose("trunk")[:3, 3], (0, 0, 0.5), rtol=0, atol=1e-15)
    assert kb.assemble(m, {"base.x": "20 cm"}).pose("trunk")[0, 3] == 0.2
    with pytest.raises(kb.StructureError, match=r"no 'base\.w'; did you mean 'base\.qw'"):
        kb.assemble(m, {"base.w": 1.0})


def test_a_mechanism_without_loops_stands_as_drawn():
    """With nothing held or driven it is free; a turning joint turns fully."""
    at = kb.assemble(pendulum())
    assert (at["A"], at.free, at.residual) == (0.0, 1, 0.0)
    assert kb.input_range(pendulum(), "A").full_turn


def test_a_plan_of_something_that_does_not_move_is_explained():
    """A plan is that of something driven, and says how to get that."""
    with pytest.raises(kb.StructureError, match=r"has no drive.* such as kb\.JointDrive"):
        kb.course.velocity_plan(pendulum())


def test_steps_without_number_are_refused():
    """A step so short that the run would never end is an error with the count."""
    with pytest.raises(kb.KorbaError, match=r"would make 1e\+300 steps"):
        kb.simulate(pendulum(), until=1.0, method=kb.Method("rk4", step=1e-300))


def test_a_way_without_end_is_refused(monkeypatch):
    """A drive that turns too often for the time asked for is an error that says how far it got."""
    monkeypatch.setattr("korba.positions.follow.MOST_NODES", 50)
    m = replace(five_bar("0"), drives=[kb.JointDrive("motor", "A", "0.3*sin(t)")])
    with pytest.raises(kb.StructureError, match=r"50 steps of .* ask for a shorter one"):
        kb.motion(m, [0.0, 1e10])


def test_ways_that_would_take_ages_are_refused_soon():
    """A crank driven at 1e9 rad/s is, after some thousand steps; asked for 1e9 rad, at once."""
    m = pendulum()
    with pytest.raises(kb.StructureError, match="a number whose last digit is 1e-07 rad"):
        kb.assemble(m, {"A": 1e9})
    with pytest.raises(kb.StructureError, match="or for slower drives"):
        kb.motion(replace(m, drives=[kb.JointDrive("motor", "A", "1e9*t")]), [0.0, 1.0])


@pytest.mark.parametrize("huge", [1e160, 1e200, 1e300])
def test_ways_beyond_all_numbers_are_refused_in_words(huge):
    """Values and speeds whose squares are no numbers are refused as ways, by no inner name."""
    m = five_bar("0")
    m = replace(m, drives=[kb.JointDrive("motor", "A", f"{huge}*t")])
    with pytest.raises(kb.StructureError, match="the way that is asked for"):
        kb.motion(m, [0.0, 1.0])
    with pytest.raises(kb.StructureError, match="a number whose last digit is"):
        kb.configurations(replace(m, drives=()), {"A": huge})
