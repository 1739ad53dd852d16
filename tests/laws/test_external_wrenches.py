"""Wrenches on bodies besides the loads: the same in all verbs of dynamics, as their efforts are."""

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from numpy.testing import assert_allclose
from random_trees import random_state, random_tree

import korba as kb


def random_mechanism(seed):
    """A random tree at a random state."""
    tree = random_tree(seed)
    q, v, _ = random_state(tree, seed)
    return tree.m, q, v


def efforts(m, q, body, wrench):
    """J'F of a wrench about the world's origin, at the origin of the body."""
    p = kb.pose(m, q, body)[:3, 3]
    moment = wrench[:3] - np.cross(p, wrench[3:])
    return kb.jacobian(m, q, body).T @ np.concatenate([moment, wrench[3:]])


@pytest.mark.parametrize("seed", seeds(share=0.5))
def test_a_wrench_is_worth_its_efforts(seed):
    """J'F in the joints gives the accelerations that F on a body gives, by every formulation."""
    m, q, v = random_mechanism(seed)
    rng = np.random.default_rng(seed)
    tau, wrench = rng.normal(size=m.nv), rng.normal(size=6)
    body = m.bodies[int(rng.integers(len(m.bodies)))].name
    external, more = {body: wrench}, efforts(m, q, body, wrench)
    a = kb.forward_dynamics(m, q, v, tau + more)
    size = 1e-7 * (1 + np.abs(a).max())
    for way in (None, "composite-body", "articulated-body"):
        pushed = kb.forward_dynamics(m, q, v, tau, external=external, formulation=way)
        assert_allclose(pushed, a, atol=size)
    needed = kb.inverse_dynamics(m, q, v, a, external=external)
    assert_allclose(needed, tau, atol=1e-8 * (1 + np.abs(more).max() + np.abs(tau).max()))
    h = kb.bias_forces(m, q, v)
    assert_allclose(kb.bias_forces(m, q, v, external=external), h - more, atol=1e-9)


def test_a_wrench_on_a_closed_mechanism_is_a_load():
    """Of a four-bar's coupler it does what a force of the mechanism does."""
    m = replace(kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm"), drives=())
    q, none = kb.assemble(m, {"A": "50 deg"}).q, np.zeros(m.nv)
    loaded = replace(m, forces=[kb.PointForce("push", "coupler", force=(3.0, -2.0))])
    p = kb.pose(m, q, "coupler")[:3, 3]
    force = np.array([3.0, -2.0, 0.0])
    wrench = np.concatenate([np.cross(p, force), force])
    a = kb.forward_dynamics(loaded, q, none, none)
    assert_allclose(kb.forward_dynamics(m, q, none, none, external={"coupler": wrench}), a)
    few = kb.forward_dynamics(m, q, none, none, external={"coupler": wrench}, coordinates="A")
    assert_allclose(few[0], a[m.coordinates.index("A")])


def test_a_wrench_on_no_body_is_refused():
    """With the names there are."""
    m, q, v = random_mechanism(3)
    with pytest.raises(kb.KorbaError, match="there is no body 'arm'"):
        kb.forward_dynamics(m, q, v, np.zeros(m.nv), external={"arm": np.zeros(6)})
