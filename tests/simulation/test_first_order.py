"""Equations of first order of any kind are stepped by the runner of simulations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm

from korba.codegen import compile_program, trace
from korba.simulation.explicit import explicit
from korba.simulation.first_order import FirstOrder
from korba.simulation.runs import DONE
from korba.simulation.tableau import EULER, RK4
from korba.simulation.tableau_dop853 import DOP853

FIXED = {tableau.name: replace(tableau, error=()) for tableau in (EULER, RK4, DOP853)}


def linear(A, *, compiled=True, **more):
    """y' = A y + c with constants c."""
    n = len(A)

    def programs():
        sizes = {"y": n, "t": 1, "tau": n, "base": 0}
        return {"slope": trace(lambda y, t, tau, base: A @ y + tau, sizes)}

    own = (lambda recorded: compile_program(recorded())) if compiled else None
    if not compiled:
        more["constants"] = n
        slope = {"slope": lambda y, t, tau, base: A @ y + tau}
        slope["row"] = lambda y, t, tau, base: np.concatenate([t, y, tau])
        return FirstOrder("linear", n, lambda: slope, own, **more)
    return FirstOrder("linear", n, programs, own, constants=n, **more)


@pytest.mark.parametrize("seed", range(4))
def test_linear_equations_are_solved_at_all_times(seed):
    """Rows at the times asked for are exp(A t) y_0, to the tolerance."""
    r = np.random.default_rng(seed)
    A, y = r.normal(size=(4, 4)), r.normal(size=4)
    t = np.sort(r.uniform(0, 2, 9))
    run = linear(A).followed(y, t, rtol=1e-11, atol=1e-12, constants=np.zeros(4))
    assert run.end.status[0] == DONE
    found = np.array([expm(A * (x - t[0])) @ y for x in t])
    assert_allclose(run.written[:, 0], t)
    assert_allclose(run.written[:, 1:5], found, atol=1e-9)


@pytest.mark.parametrize(("name", "order"), [("euler", 1), ("rk4", 4), ("dop853", 8)])
def test_every_tableau_steps_them_with_its_order(name, order):
    """Steps half as long are 2^order times as good; the last is what is left of the time."""
    A, y, c = np.array([[0.0, 1.0], [-4.0, -0.3]]), np.array([1.0, 0.5]), np.zeros(2)
    exact, errors = expm(A * 1.0) @ y, []
    problem = linear(A, method=explicit(FIXED[name]))
    for step in (0.25, 0.125):
        run = problem.stepped((y, np.zeros(0), c), 1.0, step, np.concatenate([y, c]))
        errors.append(np.abs(run.written[-1, 1:3] - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.6)
    rest = problem.stepped((y, np.zeros(0), c), 1.1, 0.25, np.concatenate([y, c])).written
    assert_allclose(rest[:, 0], [0, 0.25, 0.5, 0.75, 1.0, 1.1])
    assert_allclose(rest[:5], run_of(problem, y, c)[:5])


def run_of(problem, y, c):
    """Rows of whole steps."""
    return problem.stepped((y, np.zeros(0), c), 1.0, 0.25, np.concatenate([y, c])).written


def test_python_gives_the_same_steps():
    """What nothing compiles runs as Python, to the last digits of the compiled one."""
    A, y, c = np.array([[0.0, 1.0], [-4.0, -0.3]]), np.array([1.0, 0.5]), np.array([0.1, 0.2])
    method = explicit(FIXED["rk4"])
    one, other = (run_of(linear(A, compiled=x, method=method), y, c) for x in (True, False))
    assert_allclose(one, other, rtol=1e-14, atol=1e-15)


def test_what_grows_without_bound_ends():
    """y' = y^2 from 1 ends before t = 1, with a status and the rows until then."""
    sizes = {"y": 1, "t": 1, "tau": 0, "base": 0}
    slope = {"slope": trace(lambda y, *_: y * y, sizes)}
    problem = FirstOrder("square", 1, lambda: slope, lambda recorded: compile_program(recorded()))
    run = problem.followed(np.ones(1), np.linspace(0, 1.9, 14), rtol=1e-9, atol=1e-9)
    assert run.end.status[0] > DONE
    assert_allclose(run.end.t[0], 1.0, atol=1e-6)
    assert_allclose(run.written[:, 1], 1 / (1 - run.written[:, 0]), rtol=1e-5)
