"""Friction by a formula of speed and load: stick-slip on a belt, the built-in laws written out."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb

FALLING = "0.3 + 0.3*exp(-u/0.1) + 0.05*u"


def on_a_belt(friction):
    """A block of 1 kg, pressed with 20 N on a belt that runs at 0.2 m/s, on a spring to a wall."""
    return kb.Mechanism(
        "belt",
        [kb.Body("belt", 1.0, (0, 0), 1.0), kb.Body("block", 1.0, (0, 0), 1e-3)],
        [
            kb.Prismatic("B", "ground", "belt", at=(0, 0), axis=(1, 0)),
            kb.Prismatic("S", "belt", "block", at=(0, 0), axis=(1, 0), friction=friction),
        ],
        plane="xy",
        gravity=(0, -20.0, 0),
        drives=[kb.JointDrive("run", "B", "0.2*t")],
        forces=[kb.Spring("k", "block", (0, 0), "ground", (-10, 0), 100.0, 10.0)],
    )


@pytest.mark.parametrize(
    "friction", [kb.Friction(law=FALLING), kb.Friction(effort_law=f"20*({FALLING})")]
)
def test_stick_slip_on_a_belt_has_its_period(friction):
    """Slip and stick times, the largest deflection and the fastest return of a reference run."""
    m = on_a_belt(friction)
    tight = kb.Method("dop853", rtol=1e-11, atol=1e-12)
    start = {"q": {"B": 0.0, "S": 0.1199}, "v": {"B": 0.2, "S": 0.0}}
    found = kb.simulate(m, 1.2, **start, events="friction", method=tight, times=4801)
    slips, halts, again = (each.t for each in found.events[:3])
    assert_allclose(halts - slips, 0.414485229894961, rtol=1e-8)
    assert_allclose(again - halts, 0.57067832278863, rtol=1e-8)
    x, v = found["B"] + found["S"], found["v_B"] + found["v_S"]
    assert_allclose(x.max(), 0.130839860757416, rtol=1e-6)
    assert_allclose(v.min(), -0.636012996401533, rtol=1e-6)


def pushed(friction):
    """A block in a guide, pressed by 10 N and driven along it."""
    slide = kb.Prismatic("S", "ground", "block", at=(0, 0), axis=(1, 0), friction=friction)
    drive = kb.JointDrive("run", "S", "0.3*t^2")
    block = kb.Body("block", 2.0, (0, 0), 1e-3)
    return kb.Mechanism("guide", [block], [slide], plane="xy", gravity=(0, -5.0, 0), drives=[drive])


def test_a_law_of_the_load_is_that_law():
    """mu = 0.2 (N / 10 N)^(-1/3) under N = 10 N and 80 N."""
    for load, times in ((10.0, 1.0), (80.0, 8.0)):
        m = replace(pushed(kb.Friction(law="0.2*(N/10)^(-1/3)")), gravity=(0, -load / 2, 0))
        effort = kb.driving_forces(m, kb.motion(m, [1.0]), friction=True)["run"][0]
        assert_allclose(effort, 2 * 0.6 + 0.2 * times ** (-1 / 3) * load, rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_laws_that_are_built_in_written_out(seed):
    """Statics and motion of a slider-crank with Stribeck's curve by fields, and as a formula."""
    rng = np.random.default_rng(seed)
    low, high, v = rng.uniform(0.05, 0.15), rng.uniform(0.2, 0.3), rng.uniform(0.05, 0.3)
    fields = kb.Friction(coefficient=low, static=high, stribeck_velocity=v, radius=0.01)
    law = kb.Friction(law=f"{low} + {high - low}*exp(-(u/{v})^2)", radius=0.01)
    found = []
    for friction in (fields, law):
        m = kb.linkages.slider_crank(0.1, 0.3)
        rough = [replace(j, friction=friction) if j.name in "AB" else j for j in m.joints]
        m = replace(m, joints=rough)
        motion = kb.motion(m, np.linspace(0, 0.9, 7))
        found.append(kb.reactions(m, motion, friction=True).friction["A"].ravel())
    assert_allclose(found[1], found[0], rtol=1e-9)
    assert np.abs(found[0]).max() > 1e-4


def test_what_a_law_does_not_go_with_is_said():
    """Beside what it stands for, with the load in a tilting guide, and in a joint of teeth."""
    with pytest.raises(kb.ModelError, match="law: stands for 'coefficient'"):
        pushed(kb.Friction(law="0.2", coefficient=0.1))
    with pytest.raises(kb.ModelError, match="effort_law: stands for 'effort'"):
        pushed(kb.Friction(effort_law="2", effort=1))
    with pytest.raises(kb.ModelError, match="unknown name 'v'"):
        pushed(kb.Friction(law="0.2*v"))
    m = pushed(kb.Friction(law="0.2*N", half_height=0.1))
    m = replace(m, joints=[replace(m.joints[0], guide_length=0.2)])
    with pytest.raises(kb.StructureError, match="law may not use N where friction tilts the guide"):
        kb.reactions(m, kb.motion(m, [1.0]), friction=True)
