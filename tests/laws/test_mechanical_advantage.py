"""Mechanical advantage: closed forms, and virtual work by the driving forces of static loads."""

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from loaded_linkages import four_bar, loaded, slider_crank
from numpy.testing import assert_allclose

import korba as kb


def test_a_lever_gives_its_arms():
    """Forces at both ends: the arm of the effort over that of the load, whatever its angle."""
    beam = kb.Body("beam", 1, inertia=0.1)
    m = kb.Mechanism("lever", [beam], [kb.Revolute("O", "ground", "beam", at=(0, 0))], plane="xy")
    ends = ("beam", (-0.6, 0.0)), ("beam", (0.2, 0.0))
    assert_allclose(kb.mechanical_advantage(m, *ends).ratio, 3.0, rtol=1e-14)
    down, up = ((*end, (0, way)) for end, way in zip(ends, (-1, 1), strict=True))
    told = kb.mechanical_advantage(kb.assemble(m, {"O": 0.4}), down, up)
    assert_allclose(told.ratio, 3.0, rtol=1e-14)
    assert told.unit == "1"
    assert_allclose(kb.mechanical_advantage(m, "O", ends[1]).ratio, 1 / 0.2, rtol=1e-14)
    assert kb.mechanical_advantage(m, "O", ends[1]).unit == "1/m"


def test_a_slider_crank_in_closed_form():
    """1 over the slope of r cos x + sqrt(l^2 - r^2 sin^2 x): infinite at the dead centre."""
    r, rod = 0.05, 0.15
    m = kb.linkages.slider_crank(r, rod)
    m = replace(m, drives=[kb.JointDrive("turn", "A", "t")])
    motion = kb.motion(m, np.linspace(0.3, 6.0, 58))
    told = kb.mechanical_advantage(motion, "A", "slide")
    x = motion["A"]
    s, c = np.sin(x), np.cos(x)
    slope = -(r * s + r**2 * s * c / np.sqrt(rod**2 - r**2 * s**2))
    assert_allclose(told.ratio, 1 / slope, rtol=1e-9)
    assert_allclose(told.toggles, [np.pi], atol=1e-8)
    assert told.greatest[0] == np.inf
    fine = np.linspace(0.3, 6.0, 200001)
    s, c = np.sin(fine), np.cos(fine)
    steepest = np.max(np.abs(r * s + r**2 * s * c / np.sqrt(rod**2 - r**2 * s**2)))
    assert_allclose(told.least[0], 1 / steepest, rtol=1e-8)


def test_a_toggle_presses_without_bound():
    """Two equal links and a push on their knee: F/P = 1 / (2 tan x), x their angle."""
    x, y, flat = 0.3 * np.cos(0.4), 0.3 * np.sin(0.4), 0.4
    knee, ram = (x, y), (2 * x, 0)
    joints = [
        kb.Revolute("O", "ground", "one", at=(0, 0)),
        kb.Revolute("K", "one", "two", at=knee),
        kb.Revolute("R", "two", "ram", at=ram),
        kb.Prismatic("S", "ground", "ram", at=ram, axis=(1, 0)),
    ]
    bodies = [kb.Body(name, 1, inertia=0.01) for name in ("one", "two", "ram")]
    m = kb.Mechanism("toggle", bodies, joints, plane="xy")
    told = kb.mechanical_advantage(m, ("one", knee, (0, -1)), "S")
    assert_allclose(told.ratio, 1 / (2 * np.tan(flat)), rtol=1e-12)


@pytest.mark.parametrize("make", [four_bar, slider_crank])
@pytest.mark.parametrize("seed", seeds(share=0.5))
def test_the_drive_holds_a_load_by_the_advantage(make, seed):
    """tau / F of a static load on any point, in any direction, is 1 over the advantage."""
    rng = np.random.default_rng(seed)
    joints, names, plane = make(rng)
    bodies = [kb.Body(name, 1.0, inertia=0.1) for name in names]
    m = kb.Mechanism("m", bodies, joints, plane=plane, gravity=(0, 0, 0))
    body, way = rng.choice(names), rng.normal(size=2)
    point, F = tuple(rng.uniform(-0.5, 0.5, 2)), 7.0
    push = kb.PointForce("load", str(body), tuple(-F * way / np.linalg.norm(way)), point)
    driven = replace(m, drives=[kb.JointDrive("d", "A", "0.3*t")], forces=[push])
    motion = kb.motion(driven, [0.0, 0.5, 1.0])
    still = 0 * motion.v
    tau = kb.driving_forces(driven, motion.q, still, still)["d"]
    told = kb.mechanical_advantage(motion, "A", (str(body), point, way))
    assert_allclose(tau * told.ratio, F, rtol=1e-8)


@pytest.mark.parametrize("kind", ["rssr", "rsur", "four-bar in space"])
def test_the_advantage_in_space_is_the_ratio_of_speeds(kind):
    """Of both cranks, whatever the rod's idle spin does and with constraints to spare."""
    motion = kb.motion(loaded(kind, 0), np.linspace(0.1, 0.5, 5))
    told = kb.mechanical_advantage(motion, "A", "D")
    assert_allclose(told.ratio, motion["v_A"] / motion["v_D"], rtol=1e-8)


def test_what_has_no_advantage_is_refused():
    """Two freedoms that go apart, no such coordinate, a direction without length."""
    joints = [
        kb.Revolute("A", "ground", "one", at=(0, 0)),
        kb.Revolute("B", "one", "two", at=(1, 0)),
    ]
    bodies = [kb.Body(name, 1, inertia=0.1) for name in ("one", "two")]
    m = kb.Mechanism("arm", bodies, joints, plane="xy")
    with pytest.raises(kb.StructureError, match="with more than one freedom"):
        kb.mechanical_advantage(m, "A", "B")
    with pytest.raises(kb.StructureError, match="effort: there is no coordinate 'C'"):
        kb.mechanical_advantage(m, "C", "B")
    with pytest.raises(kb.StructureError, match="its direction has length 0"):
        kb.mechanical_advantage(m, "A", ("two", (0, 0), (0, 0)))
