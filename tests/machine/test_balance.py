"""Balancing: closed forms of four-bars, slider-cranks, engines and their shafts."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb

SPEED = 100 * np.pi


def offset(m, **coms):
    """The mechanism with other centres of mass."""
    bodies = [replace(b, com=coms.get(b.name, b.com)) for b in m.bodies]
    return replace(m, bodies=bodies)


@cache
def four_bar():
    """A four-bar with centres of mass beside its links."""
    m = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm", speed=SPEED)
    return offset(m, crank=(0.01, 0.004), coupler=(0.07, 0.03), rocker=(0.05, -0.01))


def test_four_bar_by_linearly_independent_vectors():
    """Products on crank and rocker are those of Berkof and Lowen, and no force is left."""
    m = four_bar()
    a, b, c = 0.04, 0.12, 0.08
    m2, m3, m4 = (body.mass for body in m.bodies)
    c2, c3, c4 = (complex(*body.com[:2]) for body in m.bodies)
    result = kb.balance(m)
    crank, rocker = (complex(*w.product[:2]) for w in result.counterweights.values())
    assert_allclose(crank, -(m2 * c2 + m3 * a * (1 - c3 / b)), rtol=1e-10)
    assert_allclose(rocker, -(m4 * c4 + m3 * c3 * c / b), rtol=1e-10)
    assert result.full
    motion = kb.motion(result.mechanism, np.linspace(0, 0.02, 25))
    forces = kb.reactions(result.mechanism, motion, gravity=(0, 0, 0))
    shaken = forces["A"].force + forces["D"].force
    assert np.abs(shaken).max() < 1e-12 * np.abs(forces["A"].force).max()


def test_radius_and_mass_give_the_same_product():
    """How far out a counterweight sits, or how heavy it is, is free."""
    m = four_bar()
    near = kb.balance(m, radius={"crank": "20 mm", "rocker": 0.03}).counterweights
    heavy = kb.balance(m, ["crank", "rocker"], mass={"crank": "0.5 kg"}).counterweights
    assert_allclose(near["crank"].product, heavy["crank"].product, atol=1e-14)
    assert_allclose(np.linalg.norm(near["crank"].point), 0.02)
    assert heavy["crank"].mass == 0.5


def test_slider_crank_needs_its_rod():
    """Rod and slider are balanced about B, then all about A; the crank alone helps."""
    m = kb.linkages.slider_crank("40 mm", "120 mm", speed=SPEED)
    m2, m3, m4 = (body.mass for body in m.bodies)
    result = kb.balance(m, ["crank", "rod"], radius={"rod": "60 mm"})
    rod, crank = result.counterweights["rod"], result.counterweights["crank"]
    assert_allclose(rod.product, [-(m3 * 0.06 + m4 * 0.12), 0, 0], atol=1e-12)
    assert_allclose(crank.product, [-(m2 * 0.02 + (m3 + m4 + rod.mass) * 0.04), 0, 0], atol=1e-12)
    assert result.full
    partly = kb.balance(m)
    assert not partly.full
    assert partly.after.rms[0] < 0.6 * partly.before.rms[0]
    assert "bodies=['crank', 'rod']" in str(partly)


def test_what_is_left_is_least():
    """No small change of the products leaves a smaller mean square, of force or of moment."""
    m = kb.linkages.slider_crank("40 mm", "120 mm", "10 mm", speed=SPEED)
    for of, k in (("force", 0), ("moment", 1)):
        result = kb.balance(
            m, ["crank", "rod"], shaking=of, mass={"crank": 0.2, "rod": 0.1}, about=(0, 1)
        )
        motion = kb.motion(m, np.linspace(0, 0.02, 181))[:-1]
        least = kb.shaking_forces(result.mechanism, motion, about=(0, 1)).rms[k]
        for body in ("crank", "rod"):
            for step in (1e-4, -1e-4):
                weight = result.counterweights[body]
                moved = shifted(result.mechanism, body, weight, step)
                assert kb.shaking_forces(moved, motion, about=(0, 1)).rms[k] >= least * (1 - 1e-9)


def shifted(m, name, weight, step):
    """The mechanism with a counterweight shifted along x of its body."""
    body = kb.mass_properties(m.body(name))
    here, there = (
        kb.MassProperties(weight.mass, weight.point + s * np.eye(3)[0], np.zeros((3, 3)))
        for s in (0.0, step)
    )
    own = body - here + there
    new = replace(m.body(name), mass=own.mass, com=own.com.tolist(), inertia=own.inertia.tolist())
    return replace(m, bodies=[new if b.name == name else b for b in m.bodies])


def orders_of_a_piston(crank, rod):
    """Orders of the acceleration of a piston over crank w^2, by its closed form."""
    x = 2 * np.pi * np.arange(512) / 512
    place = np.cos(x) + np.sqrt((rod / crank) ** 2 - np.sin(x) ** 2)
    c = 2 * np.fft.rfft(place).real / 512
    return np.arange(257) ** 2 * c


def shaking(m):
    """Of one turn of an engine."""
    return kb.shaking_forces(m, kb.motion(m, np.linspace(0, 2 * np.pi / SPEED, 181)))


def test_an_engine_in_line_with_four_cylinders_has_second_order_only():
    """Throws 0, 180, 180, 0 degrees: orders 1 and 3 vanish, four second orders add up."""
    m = kb.linkages.engine(4, speed=SPEED, throws=(0, "180 deg", "180 deg", 0))
    force, w = shaking(m), orders_of_a_piston(0.04, 0.13)
    reciprocating = 0.13 / 2 + 0.1
    expected = 4 * reciprocating * 0.04 * SPEED**2 * np.abs(w)
    assert force.harmonic(1).largest < 1e-9 * expected[2]
    assert force.harmonic(3).largest < 1e-9 * expected[2]
    for order in (2, 4):
        assert_allclose(force.harmonic(order).largest, expected[order], rtol=1e-9)


def test_an_engine_in_line_with_six_cylinders_has_none():
    """Throws at 120 degrees in pairs: the first order that is left is the sixth."""
    throws = (0, "120 deg", "240 deg", "240 deg", "120 deg", 0)
    force = shaking(kb.linkages.engine(6, speed=SPEED, throws=throws))
    sixth = force.harmonic(6).largest
    assert sixth > 0.1
    assert max(force.harmonic(k).largest for k in range(1, 6)) < 1e-7 * sixth


def test_three_cylinders_rock():
    """Forces balance, and the first order of the couple about x is sqrt(3) m r w^2 a."""
    three = kb.linkages.engine(3, speed=SPEED, spacing="90 mm")
    first = shaking(three).harmonic(1)
    reciprocating, rotating = 0.13 / 2 + 0.1, 0.13 / 2
    couple = np.sqrt(3) * 0.04 * SPEED**2 * 0.09
    assert_allclose(np.abs(first.moment[0]), couple * (reciprocating + rotating), rtol=1e-9)
    assert_allclose(np.abs(first.moment[1]), couple * rotating, rtol=1e-9)
    assert first.largest < 1e-9 * couple
    assert three.body("rod 1").com[2] == 0.09


def test_lanchester_shafts_of_one_cylinder():
    """Against the crank half the reciprocating mass, with it that and the rotating mass."""
    m = kb.linkages.engine(1, speed=SPEED, at="20 deg")
    result = kb.balance(m, orders=(1, 2))
    products = {shaft.order: shaft.product for shaft in result.shafts}
    reciprocating, rotating = 0.13 / 2 + 0.1, 0.13 / 2
    assert_allclose(products[-1], reciprocating * 0.04 / 2, rtol=1e-12)
    assert_allclose(products[1], (reciprocating / 2 + rotating) * 0.04, rtol=1e-12)
    second = reciprocating * 0.04 * orders_of_a_piston(0.04, 0.13)[2] / 4 / 2
    assert_allclose([products[2], products[-2]], second, rtol=1e-10)
    fourth = result.before.harmonic(4).largest
    assert_allclose(result.after.harmonic(4).largest, fourth, rtol=1e-9)
    assert max(result.after.harmonic(k).largest for k in (1, 2)) < 1e-9 * fourth
    motion = kb.motion(result.mechanism, np.linspace(0, 0.02, 73))
    forces = kb.reactions(result.mechanism, motion, gravity=(0, 0, 0))
    joints = ["A", "slide 1", *(shaft.name for shaft in result.shafts)]
    on_frame = -sum(forces[joint].force for joint in joints)
    proof = kb.results.ShakingForces(on_frame, 0 * on_frame, np.zeros(3))
    assert max(proof.harmonic(k).largest for k in (1, 2)) < 1e-9 * fourth
    assert "shaft -1" in str(result)


def test_a_backwards_drive_is_balanced_too():
    """A crank that turns clockwise has the same shafts, turning as it does."""
    m = kb.linkages.engine(1, speed=-SPEED, at="-70 deg")
    result = kb.balance(m, ["crankshaft"], orders=(1,))
    assert result.after.harmonic(1).largest < 1e-9 * result.before.harmonic(1).largest
    assert result.counterweights["crankshaft"].mass > 0


def test_a_body_of_a_solid_stays_one():
    """A counterweight on a body made of a solid is one more part of it, also in a file."""
    bar = kb.solids.Bar((0, 0), ("40 mm", 0), "20 mm", "5 mm", density=7850)
    m = four_bar()
    crank = replace(m.body("crank"), mass=0, com=(0, 0), inertia=0, solid=bar)
    m = replace(m, bodies=[crank, *m.bodies[1:]])
    balanced = kb.balance(m).mechanism
    assert [part.type for part in balanced.body("crank").solid] == ["bar", "lump"]
    assert kb.loads(kb.dumps(balanced)).body("crank") == balanced.body("crank")


def test_in_space():
    """A fly on a slanted axis is balanced by a mass across it."""
    fly = kb.Body("fly", 2.0, (0.3, 0.1, 0.2), (0.1, 0.1, 0.1))
    pin = kb.Revolute("A", "ground", "fly", at=(0, 0, 0), axis=(0, 0.6, 0.8))
    m = kb.Mechanism("fly", [fly], [pin], drives=[kb.JointDrive("d", "A", "300 rpm*t")])
    result = kb.balance(m)
    product = result.counterweights["fly"].product
    z = np.array([0, 0.6, 0.8])
    h = 2.0 * np.array(fly.com)
    assert_allclose(product, -(h - z * (z @ h)), atol=1e-12)
    assert result.full


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m: kb.balance(m, ["crunk"]), "no body 'crunk'; did you mean 'crank'"),
        (lambda m: kb.balance(m, shaking="torque"), "force, moment, both"),
        (lambda m: kb.balance(m, mass={"coupler": 1}), "no counterweight on 'coupler'"),
        (lambda m: kb.balance(m, radius="-3 mm"), "above 0"),
        (lambda m: kb.balance(m, radius="3 kg"), "expected a length"),
        (lambda m: kb.balance(m, orders=(0,)), "whole numbers from 1"),
        (lambda m: kb.balance(m, orders=(1,), motion=kb.motion(m, [0, 1e-3])), "leave the motion"),
        (lambda m: kb.balance(replace(m, drives=())), "has no drive"),
        (lambda m: kb.balance(replace(m, bodies=[replace(b, mass=0) for b in m.bodies])), "a mass"),
        (lambda m: kb.balance(m, motion=kb.motion(other(), [0, 1e-3])), "it is of mechanism"),
        (lambda m: kb.linkages.engine(2, throws=(0,)), "expected 2 angles"),
        (lambda m: kb.linkages.engine(1, throws=("3 kg",)), "engine: throws"),
    ],
)
def test_what_cannot_be_is_told(call, words):
    """A sentence for what makes no sense."""
    with pytest.raises(kb.KorbaError, match=words):
        call(four_bar())


def other():
    """Another mechanism."""
    return kb.linkages.slider_crank("40 mm", "120 mm", speed=SPEED)
