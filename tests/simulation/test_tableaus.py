"""Explicit integrators: a tableau and a line in the list is all that one more takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from simulated_trees import double_pendulum

import korba as kb
from korba.simulation import schemes
from korba.simulation.explicit import explicit
from korba.simulation.tableau import EULER, RK4, Tableau
from korba.simulation.tableau_dop853 import DOP853

BOGACKI = Tableau(
    "bogacki-shampine",
    3,
    ({}, {0: 1 / 2}, {1: 3 / 4}),
    {0: 2 / 9, 1: 1 / 3, 2: 4 / 9},
    (0.0, 1 / 2, 3 / 4),
    error=({0: 5 / 72, 1: -1 / 12, 2: -1 / 9, 3: 1 / 8},),
)
HEUN = Tableau("heun", 2, ({}, {0: 1.0}), {0: 0.5, 1: 0.5}, (0.0, 1.0))
MINE = (BOGACKI, HEUN, EULER)


@pytest.fixture
def more(monkeypatch):
    """The list with a line for each of them."""
    for tableau in MINE:
        monkeypatch.setitem(schemes.METHODS, tableau.name, explicit(tableau))


@pytest.mark.parametrize("tableau", [*MINE, RK4, DOP853], ids=lambda tableau: tableau.name)
def test_a_tableau_is_consistent(tableau):
    """Rows of A add up to c, weights to 1, and weights of errors to 0."""
    for c, row in [*zip(tableau.c, tableau.A, strict=True), *tableau.added]:
        assert sum(row.values()) == pytest.approx(c, abs=1e-13)
    assert sum(tableau.b.values()) == pytest.approx(1, abs=1e-13)
    for row in tableau.error:
        assert sum(row.values()) == pytest.approx(0, abs=1e-13)


def test_one_more_pair_takes_the_steps_of_scipy(more):
    """Bogacki and Shampine's pair, in a line: number, length and rows of SciPy's RK23."""
    m = double_pendulum()

    def slope(_, y):
        return np.concatenate([y[2:], kb.forward_dynamics(m, y[:2], y[2:], np.zeros(2))])

    times = np.linspace(0, 2, 9)
    theirs = solve_ivp(slope, (0, 2), [0.3, 0.2, 0, 0], "RK23", rtol=1e-6, atol=1e-8)
    inside = solve_ivp(slope, (0, 2), [0.3, 0.2, 0, 0], "RK23", rtol=1e-6, atol=1e-8, t_eval=times)
    asked = {"q": [0.3, 0.2], "method": kb.Method(BOGACKI.name, rtol=1e-6, atol=1e-8)}
    ours = kb.simulate(m, 2, **asked)
    assert ours.effort.steps == len(theirs.t) - 1
    assert_allclose(ours.t, theirs.t, rtol=1e-6)
    assert_allclose(ours.q, theirs.y[:2].T, atol=1e-8)
    assert_allclose(kb.simulate(m, 2, times=times, **asked).q, inside.y[:2].T, atol=1e-8)


@pytest.mark.parametrize(("tableau", "order"), [(EULER, 1), (HEUN, 2)])
def test_one_more_scheme_has_its_order(tableau, order, more):
    """Half the step has 2^-order of the error, with loops too."""
    m = kb.linkages.four_bar(0.1, 0.4, 0.3, 0.35)
    heavy = [replace(body, mass=1.0, inertia=0.01 * np.eye(3)) for body in m.bodies]
    m = replace(m, bodies=heavy, drives=())
    exact = kb.simulate(m, 0.5, method=kb.Method(rtol=1e-12, atol=1e-13)).q[-1]

    def error(step):
        found = kb.simulate(m, 0.5, method=kb.Method(tableau.name, step=step))
        return np.abs(found.q[-1] - exact).max()

    assert error(5e-4) / error(2.5e-4) == pytest.approx(2**order, rel=0.1)


def test_one_more_runs_in_lanes_and_finds_events(more):
    """Starts of a batch are as each alone, and events are where they are."""
    m = double_pendulum()
    starts = np.array([[0.3, 0.2], [0.4, -0.2], [1.0, 0.5]])
    how = {"method": kb.Method(BOGACKI.name, rtol=1e-9, atol=1e-10), "times": 5}
    many = kb.simulate(m, 1, q=starts, events=["A"], **how)
    exact = kb.simulate(
        m, 1, q=starts, events=["A"], method=kb.Method(rtol=1e-12, atol=1e-13), times=5
    )
    for k, start in enumerate(starts):
        assert_allclose(kb.simulate(m, 1, q=start, **how).q, many.q[k], atol=1e-12)
    assert_allclose([e.t for e in many.events], [e.t for e in exact.events], atol=1e-6)
    assert len(many.events) > 0
