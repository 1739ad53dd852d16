"""Machines: what evens out a turn, and where a mechanism rests, on random crank-rockers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from crank_rockers import crank_rocker
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb


def machine(seed):
    """A crank-rocker with a load on its rocker that goes with its angle, and a steady push."""
    rng = np.random.default_rng([3, seed])
    m = crank_rocker(seed)
    a, b = rng.uniform(-0.3, 0.3, 2)
    loads = [kb.JointForce("load", "D", law=f"{a}*sin(D)"), kb.JointForce("push", "A", law=f"{b}")]
    return replace(m, forces=loads, drives=())


@pytest.mark.parametrize("seed", seeds(0.5))
def test_a_flywheel_makes_a_turn_as_even_as_asked_for(seed):
    """With it the irregularity is that; with less it is more, with more it is less."""
    m, wanted = machine(seed), 0.03
    wheel = kb.flywheel(m, "A", wanted, speed=40.0)
    uneven = [
        kb.steady_cycle(m, "A", speed=40.0, flywheel=share * wheel.inertia).irregularity.delta
        for share in (0.5, 1.0, 2.0)
    ]
    assert uneven[1] == pytest.approx(wanted, rel=1e-8)
    assert uneven[0] > uneven[1] > uneven[2]
    assert wheel.before is None or wheel.before.irregularity.delta > wanted


@pytest.mark.parametrize("seed", seeds(0.5))
def test_a_steady_turn_is_run_through_by_its_loads(seed):
    """From its beginning, at its speed, a run in time comes to the same speeds, and back to it."""
    m = machine(seed)
    wheel = kb.flywheel(m, "A", 0.2, speed=30.0).inertia
    cycle = kb.steady_cycle(m, "A", speed=30.0, flywheel=wheel)
    turn = cycle.motion(24)
    balanced = replace(m, forces=[*m.forces, kb.JointForce("even", "A", law=f"{cycle.balancing}")])
    start = {"q": float(turn["A"][0]), "speed": float(turn["v_A"][0])}
    run = kb.run_up(balanced, "A", turn.t, flywheel=wheel, **start)
    assert_allclose(run["A"], turn["A"], atol=1e-7)
    assert_allclose(run["v_A"], cycle.speed(run["A"]), rtol=1e-7)
    assert run.t[-1] == pytest.approx(cycle.time, rel=1e-12)
    assert run["v_A"][-1] == pytest.approx(run["v_A"][0], rel=1e-7)


@pytest.mark.parametrize("seed", seeds(0.5))
def test_where_it_rests_nothing_moves_it(seed):
    """Left alone there it stays, its weight does no work along its motion, and one rest is low."""
    m = replace(crank_rocker(seed), drives=())
    found = kb.equilibrium(m, every=12)
    heights, h = [], 1e-3
    for rest in found:
        a = kb.forward_dynamics(m, rest.q, np.zeros(m.nv), np.zeros(m.nv))
        assert_allclose(a, 0.0, atol=1e-6)
        modes = kb.configurations(m, {"A": rest["A"]})
        mode = min(modes, key=lambda each: np.abs(np.sin((each.q - rest.q) / 2)).max())
        beside = kb.assemble(m, {"A": rest["A"] + np.array([-h, 0.0, h])}, near=mode)
        assert_allclose(np.sin((beside.q[1] - rest.q) / 2), 0.0, atol=1e-8)
        y = kb.centre_of_mass(m, beside.q)[:, 1]
        assert abs(y[2] - y[0]) < 1e-9
        assert rest.stable == (y[0] + y[2] > 2 * y[1])
        heights.append(y[1])
    stable = [height for rest, height in zip(found, heights, strict=True) if rest.stable]
    assert stable and min(heights) == min(stable)
