"""Whole turns need no way: a mechanism is where it is however often its crank has turned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from loaded_linkages import KINDS, loaded
from numpy.testing import assert_allclose

import korba as kb
from korba.positions import follow
from korba.solve import configuration as assembling

TURN = 2 * np.pi


def places(c):
    """Where all bodies stand."""
    return np.array([c.pose(body.name) for body in c.m.bodies])


def asked(m, value):
    """The places of bodies at a value of the first coordinate, or what is said instead."""
    try:
        return places(kb.assemble(m, {m.coordinates[0]: value}))
    except kb.AssemblyError:
        return None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(0.3))
def test_assembled_after_any_number_of_turns(kind, seed):
    """Of cranks and rockers: the same places, or refused in both cases, without a long way."""
    rng, m = np.random.default_rng([31, seed]), replace(loaded(kind, seed), drives=())
    value = rng.uniform(-1, 1)
    turns = int(rng.choice([-1, 1]) * 10 ** rng.uniform(1, 7))
    near, far = asked(m, value), asked(m, value + turns * TURN)
    assert (near is None) == (far is None)
    if near is not None:
        assert_allclose(far, near, rtol=0, atol=1e-8 + 1e-13 * abs(turns))


def test_a_million_radians_take_less_steps_than_ten_turns(monkeypatch):
    """The way that is followed is one turn, and the rest of another."""
    m, count = kb.linkages.four_bar(0.3, 0.9, 0.8, 1.0), []
    step = follow._step
    monkeypatch.setattr(
        follow, "_step", lambda *given, **how: (count.append(0), step(*given, **how))[1]
    )
    whole = kb.assemble(m, {"A": 1e6})
    assert whole.followed
    assert whole["A"] == 1e6
    assert whole.residual < 1e-9
    assert len(count) < 500


def geared_five_bar():
    """Two cranks on wheels of which one turns half as often: all is back after two turns."""
    joints = [
        kb.Revolute("A", "ground", "one", at=(0, 0)),
        kb.Revolute("B", "one", "rod", at=(0.0, 0.2)),
        kb.Revolute("C", "rod", "bar", at=(0.5, 0.8)),
        kb.Revolute("D", "two", "bar", at=(1.2, 0.1)),
        kb.Revolute("E", "ground", "two", at=(1.0, 0)),
        kb.GearMesh(
            *("G", "one", "two"),
            at=(1 / 3, 0),
            x_axis=(1, 0),
            parent_radius=1 / 3,
            child_radius=2 / 3,
        ),
    ]
    bodies = [kb.Body(name) for name in ("one", "rod", "bar", "two")]
    return kb.Mechanism("geared five-bar", bodies, joints, plane="xy")


def test_what_is_back_after_two_turns_only(monkeypatch):
    """Turns are skipped by twos, and the answer is that of the whole way."""
    m, value = geared_five_bar(), 0.3 + 41 * TURN
    found = kb.assemble(m, {"A": value})
    monkeypatch.setattr(assembling, "whole_turns", lambda *_: None)
    followed = kb.assemble(replace(m, name="again"), {"A": value})
    assert found.followed
    assert followed.followed
    assert_allclose(found.q, followed.q, rtol=0, atol=1e-9)
    once = kb.assemble(m, {"A": 0.3})
    assert abs(places(found) - places(once)).max() > 0.1
    assert_allclose(places(kb.assemble(m, {"A": 0.3 + 42 * TURN})), places(once), atol=1e-9)


def test_a_motion_that_starts_after_many_turns():
    """Drives lead as held angles do: the first time needs no way."""
    m = kb.linkages.four_bar(0.3, 0.9, 0.8, 1.0)
    one, two = (kb.motion(m, [t, t + 0.1]) for t in (0.0, 1e5))
    turned = (two.q - one.q) / TURN
    assert_allclose(turned, np.round(turned), rtol=0, atol=1e-8)
    assert_allclose(two.v, one.v, rtol=0, atol=1e-7)


def test_an_angle_whose_last_digit_is_too_coarse():
    """It is refused at once, with the digit and the way out."""
    m = kb.linkages.four_bar(0.3, 0.9, 0.8, 1.0)
    words = r"A = 1e\+12 rad is a number whose last digit is 0\.0001 rad; ask for the angle less"
    with pytest.raises(kb.StructureError, match=words):
        kb.assemble(m, {"A": 1e12})


def test_a_way_that_is_too_long_is_refused_soon():
    """A slide many lengths away is judged after the first steps, not after half a million."""
    slide = kb.Prismatic("S", "ground", "b", at=(0, 0), axis=(1, 0))
    m = kb.Mechanism("slide", [kb.Body("b")], [slide], plane="xy")
    with pytest.raises(kb.StructureError, match=r"10000 steps of .* ask for a shorter one"):
        kb.assemble(m, {"S": 1e7})
