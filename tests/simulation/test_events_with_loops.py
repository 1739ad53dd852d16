"""Events and stops of mechanisms with loops: a four-bar of uniform rods, whose turn is known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb

TIGHT = {"method": kb.Method(rtol=1e-11, atol=1e-13)}
TURN = 0.63160139189612
"""Time of the first turn of the crank, by quadrature of the energy, in 40 digits."""


def four_bar(**rocker):
    """Crank 0.2 m, coupler 0.7 m, rocker 0.5 m, base 0.8 m, 1 kg/m."""
    angle = 1.77215424758523
    A, B, D = np.zeros(2), np.array([0.2, 0.0]), np.array([0.8, 0.0])
    C = D + 0.5 * np.array([np.cos(angle), np.sin(angle)])

    def rod(name, a, b):
        length = np.linalg.norm(b - a)
        return kb.Body(name, length, com=tuple((a + b) / 2), inertia=length**3 / 12)

    joints = [
        kb.Revolute("A", "ground", "crank", at=tuple(A)),
        kb.Revolute("B", "crank", "coupler", at=tuple(B)),
        kb.Revolute("C", "coupler", "rocker", at=tuple(C)),
        kb.Revolute("D", "ground", "rocker", at=tuple(D), **rocker),
    ]
    bodies = [rod("crank", A, B), rod("coupler", B, C), rod("rocker", D, C)]
    return kb.Mechanism("four-bar", bodies, joints, plane="xy")


def test_a_turn_of_the_crank_is_found():
    """The crank has turned once when the energy integral says so."""
    m = four_bar()
    run = kb.simulate(m, 0.7, v={"A": 10.0}, events=["A - 360 deg"], times=2, **TIGHT)
    assert_allclose(run.events.t, TURN, atol=1e-9)
    assert run.audit.residual < 1e-10


def test_an_elastic_stop_of_the_rocker_keeps_the_energy():
    """The impulse acts through the loop: no work is done, and the loop stays closed."""
    m = four_bar(upper=0.4)
    run = kb.simulate(m, 1.0, v={"A": 10.0}, events=kb.Stops(1.0), **TIGHT)
    assert len(run.events) == 2
    assert_allclose(run["work"], 0.0, atol=1e-11)
    assert run["D"].max() < 0.4 + 1e-10
    assert run.audit.residual < 1e-10
    assert run.audit.energy < 1e-9


@pytest.mark.parametrize("part", [0.5, 0.01])
def test_bounces_that_come_ever_sooner_end_with_a_sentence(part):
    """Rounding keeps them up at some ns: they are known by how far they go, and nothing crawls."""
    bounce = kb.Event("stop", "A - 1 rad", change={"v_A": f"-{part}*v_A"})
    with pytest.raises(kb.SimulationError, match="'stop' happens again and again") as caught:
        kb.simulate(four_bar(), 2.0, v={"A": 5.0}, tau={"A": 30.0}, events=[bounce])
    run = caught.value.trajectory
    assert run.effort.steps < 1000
    assert run["A"].max() < 1 + 1e-9
    assert run.audit.energy < 1e-7
