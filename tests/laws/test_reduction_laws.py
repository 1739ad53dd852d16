"""A reduced model moves, and takes, what the whole mechanism does: random ones of one freedom."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose
from test_forces_balance import KINDS, TIMES, loaded

import korba as kb

ALL = [kind for kind in KINDS if kind != "rssr"]  # its rod, not round, spins as it likes
DIFFERENCE = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
"""Of the eighth order."""


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("seed", seeds(0.2))
def test_drives_take_what_reduced_models_say(kind, seed):
    """I x'' + I' x'^2 / 2 - Q is the effort of the drive that kb.reactions finds."""
    m = loaded(kind, seed)
    motion = kb.motion(m, TIMES)
    model = kb.reduce(m, "A").along(motion)
    v, a = motion["v_A"], motion["a_A"]
    takes = model.inertia * a + 0.5 * model.slope * v**2 - model.force
    effort = kb.reactions(m, motion).driving["drive"]
    scale = np.abs(effort).max() + np.abs(model.force).max()
    assert_allclose(takes, effort, rtol=0, atol=1e-10 * scale)
    assert_allclose(model.ratios * v[:, None], motion.v, atol=1e-10 * np.abs(motion.v).max())
    assert_allclose(model.driving - model.resisting, model.force, atol=1e-12 * scale)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("seed", seeds(0.2))
def test_the_slope_of_the_inertia_is_its_derivative(kind, seed):
    """Differences of the eighth order of I over the crank, relative to I to 1e-9."""
    m = loaded(kind, seed)
    step, x = 4e-3, np.linspace(-0.1, 0.2, 4)
    near = x[:, None] + step * np.arange(-4, 5)
    q = kb.assemble(m, {"A": near}).q
    model = kb.reduce(m, "A").at(q, np.zeros(q.shape[:-1]))
    slope = model.inertia @ DIFFERENCE / step
    top = np.abs(model.slope).max() + model.inertia.max()
    assert_allclose(model.slope[:, 4], slope, rtol=0, atol=1e-9 * top)


@pytest.mark.parametrize("kind", ["four-bar", "rsur"])
@pytest.mark.parametrize("seed", seeds(0.2))
def test_a_run_up_keeps_the_balance_of_energy(kind, seed):
    """Kinetic energy of all bodies is the work of the loads, and the loops stay closed."""
    m = replace(loaded(kind, seed), drives=())
    run = kb.run_up(m, "A", np.linspace(0, 0.3, 7), speed=0.5)
    kinetic = np.zeros(len(run))
    for body in m.bodies:
        u, R = run.point(body.name, body.com).velocity, run.body(body.name).rotation
        w = np.einsum("tji,tj->ti", R, run.body(body.name).angular_velocity)
        spin = np.einsum("ti,ij,tj->t", w, np.array(body.inertia), w)
        kinetic += 0.5 * body.mass * np.sum(u * u, axis=1) + 0.5 * spin
    assert_allclose(run["kinetic"], kinetic, rtol=1e-10)
    assert_allclose(run["kinetic"] - run["kinetic"][0], run["work"], atol=1e-8 * kinetic.max())
    x = kb.assemble(m, {"A": run["A"]})
    assert_allclose(run.q, x.q, atol=1e-9)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("seed", seeds(0.5))
def test_the_time_from_rest_is_that_of_the_whole_mechanism(kind, seed):
    """Simulated for the time that the work of the loads takes from rest, it is where that says."""
    m, rng = at_rest(loaded(kind, seed)), np.random.default_rng(seed)
    model = kb.reduce(m, "A")
    low, high = (rng.uniform(0.1, 0.9) * end for end in model.range.ends)
    start = rng.uniform(low, high)
    way = np.sign(model(start).force)
    x = start + way * rng.uniform(0.2, 1.0) * abs((high if way > 0 else low) - start)
    passed = kb.speeds(m, "A", [x], q=start)
    if passed.stops is not None:
        x = start + 0.7 * (passed.stops - start)
        passed = kb.speeds(m, "A", [x], q=start)
    run = kb.simulate(m, float(passed.t[0]), q=model.q(start), method=kb.Method(rtol=1e-11))
    assert run["A"][-1] == pytest.approx(x, abs=1e-7 * max(1.0, abs(x)))
    assert run["v_A"][-1] == pytest.approx(passed.speed[0], rel=1e-6)


def at_rest(m):
    """The mechanism without its drives, under loads of the position alone."""
    forces = [
        replace(force, damping=0.0)
        if hasattr(force, "damping")
        else replace(force, force=(3, -4, 0))
        for force in m.forces
    ]
    joints = [replace(joint, damping=0.0) for joint in m.joints]
    return replace(m, joints=joints, forces=forces, drives=())
