"""Idle freedoms with inertia: models without them are right, or all refuse, by one rule."""

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb


def linkage(rng, felt):
    """An RSSR whose coupler is a solid of revolution about the line of its balls, or is not."""
    a, b, c, d = 0.1, rng.uniform(0.35, 0.45), 0.3, 0.35
    m = kb.linkages.rssr(a, b, c, d, at=f"{rng.uniform(20, 60)} deg", offset=0.0)
    I_along, I_across, com = rng.uniform(1e-4, 1e-3), rng.uniform(2e-3, 6e-3), (0.2, 0.0, 0.0)
    inertia = np.diag([I_along, I_across, I_across])
    if felt == "off":
        com = (0.2, *rng.uniform(0.01, 0.03, 2))
    elif felt == "flat":
        inertia[2, 2] += 0.5 * I_along
    elif felt == "turned":
        inertia[0, 1] = inertia[1, 0] = 1e-4
    bodies = [
        replace(body, com=com, inertia=inertia) if body.name == "coupler" else body
        for body in m.bodies
    ]
    push = kb.JointForce("push", "A", law=f"{rng.uniform(0.2, 0.4)}")
    return replace(m, bodies=bodies, drives=(), forces=[push])


@pytest.mark.parametrize("seed", seeds(share=0.2))
def test_a_round_rod_is_left_out_rightly(seed):
    """From rest the reduced model moves as all freedoms together do."""
    m = linkage(np.random.default_rng(seed), "")
    run = kb.simulate(m, 0.15, method=kb.Method(rtol=1e-10))
    q, v, none = run.q[-1], run.v[-1], np.zeros(m.nv)
    M = kb.mass_matrix(m, q, coordinates=("A",))
    assert_allclose(M[0, 0], kb.reduce(m, "A")(q[0]).inertia, rtol=1e-9)
    whole = kb.forward_dynamics(m, q, v, none)
    few = kb.forward_dynamics(m, q, v, none, coordinates=("A",))
    assert_allclose(few[0], whole[0], rtol=1e-7)
    up = kb.run_up(m, "A", [0.0, 0.15])
    assert_allclose(up["A"][-1], run["A"][-1], rtol=1e-6)


@pytest.mark.parametrize("felt", ["off", "flat", "turned"])
def test_a_rod_that_is_felt_is_refused_by_all_models_without_it(felt):
    """A mass off the line, unequal moments across it, or products: one sentence."""
    m = linkage(np.random.default_rng(1), felt)
    q = kb.assemble(m, {"A": "40 deg"}).q
    v = np.zeros(m.nv)
    asked = [
        lambda: kb.reduce(m, "A"),
        lambda: kb.run_up(m, "A", [0.0, 0.1]),
        lambda: kb.speeds(m, "A", [0.7, 0.8]),
        lambda: kb.mass_matrix(m, q, coordinates=("A",)),
        lambda: kb.bias_forces(m, q, v, coordinates=("A",)),
        lambda: kb.forward_dynamics(m, q, v, v, coordinates=("A",)),
    ]
    for ask in asked:
        with pytest.raises(kb.StructureError, match="body 'coupler' moves idly, and its mass"):
            ask()
    assert kb.simulate(m, 0.05).status == "finished"
