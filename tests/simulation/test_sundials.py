"""CVODE of SUNDIALS as a method: an independent integrator on the same equations."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from simulated_trees import pendulum, slider

import korba as kb


def test_it_agrees_with_the_stiff_method():
    """A hard damper on a spring: CVODE and the closed form."""
    pytest.importorskip("sksundae")
    c, k, mass = 2e6, 2e3, 2.0
    m = slider(kb.JointForce("hard", "x", stiffness=k, damping=c))
    fast, slow = np.roots([mass, c, k])
    times = np.array([0.0, 1.0, 400.0, 1000.0])
    exact = 0.1 * (fast * np.exp(slow * times) - slow * np.exp(fast * times)) / (fast - slow)
    tight = {"method": kb.Method("sundials", rtol=1e-10, atol=1e-12)}
    run = kb.simulate(m, 1000.0, q={"x": 0.1}, times=times, **tight)
    assert_allclose(run["x"], exact, atol=1e-8)
    every = kb.simulate(m, 10.0, q={"x": 0.1}, **tight)
    assert every.t[-1] == 10.0
    assert every.status == "finished"


def test_what_it_does_not_take_is_said(monkeypatch):
    """Events, batches, and the missing library: a sentence each, with the way out."""
    for options in ({"events": ["A"]}, {"q": {"A": [0.1, 0.2]}}, {"events": ["stops", "A"]}):
        with pytest.raises(kb.KorbaError, match="'sundials' makes one run at a time"):
            kb.simulate(pendulum(), 1.0, method="sundials", **options)
    monkeypatch.setitem(sys.modules, "sksundae.cvode", None)
    with pytest.raises(kb.KorbaError, match=r"pip install 'korba\[sundials\]'"):
        kb.simulate(pendulum(), 1.0, method="sundials")
