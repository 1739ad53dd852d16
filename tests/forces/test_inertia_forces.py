"""Inertia forces, lines of action and shaking, against the book's numbers and closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb


def slider_crank():
    """The slider-crank of the constructed example 3.1, with the coupler of 4.4."""
    m = kb.linkages.slider_crank(0.1, 0.3, at="60 deg", speed="20 rad/s")
    rod = kb.Body("rod", 1.2, (0.15, 0), 0.009, points=dict(m.body("rod").points))
    others = [body for body in m.bodies if body.name != "rod"]
    return kb.Mechanism(
        m.name, [others[0], rod, others[1]], m.joints, drives=m.drives, points=m.points, plane="xy"
    )


def test_a_coupler_of_the_book():
    """Force, moment, h and the line of action (constructed numbers of section 4.4)."""
    m = slider_crank()
    motion = kb.motion(m, [0.0, 0.001])
    one = kb.inertia_forces(m, motion)["rod"]
    assert_allclose(one.force[0], [20.012039, 20.784610, 0], atol=5e-7)
    assert_allclose(one.moment[0], [0, 0, -1.052549], atol=5e-7)
    line = one.line
    assert_allclose(line.distance[0], 0.036480, atol=5e-7)
    assert_allclose(line.moment[0], 0.0, atol=1e-15)
    delta = line.point[0] - one.point[0]
    expected = one.moment[0, 2] / (one.force[0] @ one.force[0]) * one.force[0, [1, 0]] * [1, -1]
    assert_allclose(delta[:2], expected, atol=1e-12)
    assert_allclose(one.about(line.point).moment[0], 0.0, atol=1e-12)


def test_the_order_of_an_engine_rod():
    """Section 4.1: 0.2 m, 0.2 kg and 500 rad/s give 10 kN."""
    bodies = [kb.Body("crank"), kb.Body("rod", 0.2, inertia=0.01)]
    joints = [
        kb.Revolute("A", "ground", "crank", at=(-0.2, 0)),
        kb.Revolute("B", "crank", "rod", at=(0, 0)),
    ]
    m = kb.Mechanism("rod", bodies, joints, plane="xy")
    forces = kb.inertia_forces(m, [0.0, 0.0], [500.0, -500.0], [0.0, 0.0])
    assert_allclose(np.linalg.norm(forces["rod"].force), 10_000.0)


def test_a_blow_at_the_centre_of_percussion_spares_the_pivot():
    """The inertia force of a pendulum at rest that starts to turn acts through that point."""
    hammer = kb.Body("hammer", 2.0, (0.3, 0), 0.06)
    pin = kb.Revolute("B", "ground", "hammer", at=(0, 0))
    m = kb.Mechanism("hammer", [hammer], [pin], plane="xy")
    line = kb.inertia_forces(m, [0.0], [0.0], [7.0])["hammer"].line
    assert_allclose(line.point, kb.mass_properties(hammer).percussion((0, 0)), atol=1e-15)


def test_a_screw_axis_in_space():
    """The central axis keeps the wrench: the force along it, and a moment along the force."""
    rng = np.random.default_rng(1)
    wrench = kb.results.Wrench(*rng.normal(size=(3, 5, 3)))
    line = wrench.line
    assert_allclose(np.cross(line.moment, line.direction), 0.0, atol=1e-12)
    assert_allclose(wrench.about(line.point).moment, line.moment, atol=1e-12)
    assert_allclose(np.sum((line.point - wrench.point) * wrench.force, axis=-1), 0, atol=1e-12)
    assert np.isnan(kb.results.Wrench(np.zeros(3), np.ones(3), np.zeros(3)).line.distance)


def test_harmonics_are_those_of_the_force():
    """Orders of a turn add up to it, and what turns with and against the drive is the force."""
    x = np.linspace(0, 2 * np.pi, 73)
    force = np.stack([3 * np.cos(2 * x + 0.3), np.sin(2 * x) + np.cos(x), 0 * x], axis=-1)
    shaking = kb.results.ShakingForces(force, 0 * force, np.zeros(3))
    first, second = shaking.harmonic(1), shaking.harmonic(2)
    sums = sum(np.real(h.force * np.exp(1j * h.order * x)[:, None]) for h in (first, second))
    assert_allclose(sums, force, atol=1e-13)
    turned = second.forward * np.exp(2j * x) + second.backward * np.exp(-2j * x)
    alone = force - np.real(first.force * np.exp(1j * x)[:, None])
    assert_allclose(turned, alone[:, 0] + 1j * alone[:, 1], atol=1e-13)
    fine = np.linspace(0, np.pi, 100_001)
    values = np.abs(second.forward * np.exp(2j * fine) + second.backward * np.exp(-2j * fine))
    assert_allclose(second.largest, values.max(), rtol=1e-8)
    with pytest.raises(kb.StructureError, match="rows of one turn"):
        kb.results.ShakingForces(force[:-5], 0 * force[:-5], np.zeros(3)).harmonic(1)


def test_names_and_reports():
    """A body that is not there is told; results show themselves."""
    m = slider_crank()
    motion = kb.motion(m, [0.0, 0.001])
    forces = kb.inertia_forces(m, motion)
    with pytest.raises(kb.StructureError, match="there is no body 'road' here; did you mean 'rod'"):
        forces["road"]
    assert "rod" in str(forces)
    assert "moment about (0.1, 0, 0)" in str(kb.shaking_forces(m, motion, about=(0.1, 0)))
