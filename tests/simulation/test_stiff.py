"""The method for stiff systems: closed forms, its order, and the flyball governor (IFToMM A05)."""

from __future__ import annotations

import numpy as np
from closed_references import governor, reference
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from simulated_trees import pendulum, slider

import korba as kb

TIGHT = {"method": kb.Method("stiff", rtol=1e-10, atol=1e-12)}


def test_the_flyball_governor_is_met():
    """P3: slider height and shaft speed, on which two integrators agree."""
    _, states, results = reference("p3_flyball")
    m, times, columns = governor(), states["t"], np.array(results["values"]).T
    run = kb.simulate(m, 10.0, v={"shaft": 2 * np.pi}, times=times, **TIGHT)
    assert_allclose(0.5 + run["s"], columns[0], atol=1e-10)
    assert_allclose(run["v_shaft"], columns[5], atol=1e-9)
    assert run.effort.steps < 20_000
    loose = kb.simulate(
        m, 10.0, v={"shaft": 2 * np.pi}, times=times, method=kb.Method("stiff", rtol=1e-6)
    )
    assert_allclose(loose["s"], run["s"], atol=1e-6)
    assert loose.effort.steps < 2_000


def test_stiff_decay_has_its_closed_form():
    """A hard damper and a soft spring: the slow motion in few steps, where dop853 takes many."""
    c, k, mass = 2e6, 2e3, 2.0
    m = slider(kb.JointForce("hard", "x", stiffness=k, damping=c))
    fast, slow = np.roots([mass, c, k])
    times = np.array([0.0, 1.0, 400.0, 1000.0])
    run = kb.simulate(m, 1000.0, q={"x": 0.1}, times=times, **TIGHT)
    exact = 0.1 * (fast * np.exp(slow * times) - slow * np.exp(fast * times)) / (fast - slow)
    assert_allclose(run["x"], exact, atol=1e-10)
    assert run.effort.steps < 1_000
    starts = kb.simulate(m, 1000.0, q={"x": np.linspace(0, 0.1, 9)}, times=times, **TIGHT)
    assert_allclose(starts["x"][-1], exact, atol=1e-10)
    found = kb.simulate(m, 1000.0, q={"x": 0.1}, events=["x - 50 mm"], **TIGHT)
    assert_allclose(found.events.t, np.log(0.5) / slow, rtol=1e-8)
    explicit = kb.simulate(m, 0.01, q={"x": 0.1}, times=2)
    assert "method 'stiff' takes few steps" in " ".join(explicit.notes)


def test_the_order_is_five():
    """With steps of one length the error falls 32 times where they are halved."""
    exact = kb.simulate(pendulum(), 1.0, method=kb.Method(rtol=1e-13, atol=1e-14), times=2)["A"][-1]
    rough = (kb.Method("stiff", h, rtol=1e3, atol=1e3, max_step=h) for h in (1 / 20, 1 / 40))
    errors = [
        abs(kb.simulate(pendulum(), 1.0, method=method, times=2)["A"][-1] - exact)
        for method in rough
    ]
    assert 4.6 < np.log2(errors[0] / errors[1]) < 6.0


def test_van_der_pol_is_met():
    """A relaxation oscillation with mu = 1000, beside SciPy's Radau."""
    m = slider(mass=1.0)
    law = {"x": "1000*(1 - x^2/1 m^2)*v_x*1 kg/s - x*1 N/m"}
    run = kb.simulate(m, 1000.0, q={"x": 2.0}, tau=law, times=[0, 500.0, 1000.0], **TIGHT)
    theirs = solve_ivp(
        lambda t, y: [y[1], 1000 * (1 - y[0] ** 2) * y[1] - y[0]],
        (0, 1000),
        [2.0, 0.0],
        "Radau",
        t_eval=[0, 500, 1000],
        rtol=1e-9,
        atol=1e-11,
    )
    assert_allclose(run["x"], theirs.y[0], rtol=1e-5)
    assert run.effort.steps < 5_000
