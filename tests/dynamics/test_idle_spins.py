"""Spins of bodies without mass are nobody's business: rods between balls, balls without size."""

from __future__ import annotations

import numpy as np
import pytest
from element_references import EXACT
from numpy.testing import assert_allclose

import korba as kb

A, B = (0, 0, 0), (0.3, 0.2, -0.7)
L = float(np.linalg.norm(B))


def legged(inertia=0.0, **more):
    """A ball on a leg without mass, with a ball joint at either end."""
    joints = [
        kb.Spherical("A", "ground", "leg", at=A, **more),
        kb.Spherical("B", "leg", "ball", at=B),
    ]
    bodies = [kb.Body("leg"), kb.Body("ball", 1.2, B, (inertia,) * 3)]
    return kb.Mechanism("legged", bodies, joints)


def slider_crank(rod):
    """A crank and a slider in space; the rod is a body with two balls, or a `kb.Rod`."""
    C, D = (0, 0.1, 0.2), (0.3, 0, 0)
    bodies = [kb.Body("crank", 0.3, C, (1e-3,) * 3), kb.Body("slider", 1.0, D, (0.1,) * 3)]
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0.1, 0.12), axis=(1, 0, 0)),
        kb.Prismatic("S", "ground", "slider", at=D, axis=(1, 0, 0)),
    ]
    if rod:
        joints.append(kb.Rod("R", "crank", "slider", at=C, to=D))
    else:
        bodies.append(kb.Body("rod"))
        joints += [
            kb.Spherical("B", "crank", "rod", at=C),
            kb.Spherical("C", "rod", "slider", at=D),
        ]
    return kb.Mechanism("slider-crank", bodies, joints)


def test_a_leg_without_mass_swings_as_a_rod():
    """Free swing in space: the same path, and the same pull, as on a `kb.Rod`."""
    m = legged()
    rod = kb.Mechanism("rod", [m.body("ball")], [kb.Rod("R", "ground", "ball", at=A, to=B)])
    one, two = (kb.simulate(each, 0.8, times=5, method=EXACT) for each in (m, rod))
    assert_allclose(*(run.point("ball", B).position for run in (one, two)), atol=1e-8)
    force = np.linalg.norm(kb.reactions(m, one)["A"].force, axis=-1)
    assert_allclose(force, np.abs(kb.reactions(rod, two).pulls["R"]), rtol=1e-6)
    found = np.asarray(kb.linearise(m, _hanging(m)).eigenvalues)
    assert_allclose(np.sort(found.imag)[-2:], np.sqrt(9.81 / L), rtol=1e-6)


def _hanging(m):
    """The leg turned to hang down."""
    d = np.array(B) / L
    w = np.cross(d, [0, 0, -1.0])
    q = np.array([1 + d @ [0, 0, -1.0], *w, 1, 0, 0, 0])
    q[:4] /= np.linalg.norm(q[:4])
    return q


def test_a_rod_without_mass_closes_a_loop():
    """A crank and a slider joined by a body without mass move as joined by a distance."""
    both = [slider_crank(rod) for rod in (True, False)]
    runs = [kb.simulate(m, 1.0, v={"A": 6.0}, times=5, method=EXACT) for m in both]
    assert_allclose(*(run["S"] for run in runs), atol=1e-8)
    one, two = (kb.reactions(m, run) for m, run in zip(both, runs, strict=True))
    assert_allclose(one["S"].force, two["S"].force, atol=1e-5)
    for m in both:
        assert kb.mobility(m).actual == 1
        kb.crosscheck(m)


@pytest.mark.parametrize(
    "m",
    [
        lambda: legged(damping=0.1),
        lambda: kb.Mechanism(
            "pin",
            [kb.Body("ball", 1.0, (1, 0))],
            [kb.Revolute("A", "ground", "ball", at=(1, 0))],
            plane="xy",
        ),
    ],
)
def test_a_spin_that_somebody_asks_about_is_refused(m):
    """Damped, or all that a joint does: no force determines it, and the joint is named."""
    with pytest.raises(kb.StructureError, match="without moving any mass"):
        kb.simulate(m(), 0.1)
