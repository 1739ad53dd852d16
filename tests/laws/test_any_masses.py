"""No verdict depends on how heavy a mechanism is, or on how much it carries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from heavier import factors, heavier
from law_counts import seeds
from loaded_linkages import KINDS, loaded
from random_trees import random_tree

import korba as kb

CLOSED = ("multipliers", "absolute", "minimal")
TREES = ("newton-euler", "articulated-body", "composite-body", "hamilton", "kane-congruence")


def toggle_press():
    """A toggle that presses with 50 kN against a slide, all links of 1 kg/m."""
    m = kb.linkages.toggle(0.03, 0.2, 0.15, 0.15, distance=0.2)
    return replace(m, forces=[kb.JointForce("press", "slide", law="-50 kN")])


def test_formulations_agree_on_a_press():
    """Loads that the drive takes up do not count as differences of accelerations."""
    answer = kb.crosscheck(toggle_press())
    assert answer.agree, str(answer)


def test_a_wrong_load_is_noticed_still(monkeypatch):
    """A formulation that makes the load 1 part in 1e6 too large does not agree."""
    from korba.dynamics import absolute
    from korba.dynamics.catalogue import CATALOGUE

    def wrong(s, *given):
        load = s.loads
        return absolute.forward_dynamics(replace(s, loads=lambda *at: grown(load(*at))), *given)

    def grown(loads):
        return replace(loads, tau=loads.tau * (1 + 1e-6))

    verbs = {**absolute.FORMULATION.verbs, "forward_dynamics": wrong}
    monkeypatch.setitem(CATALOGUE, "absolute", replace(absolute.FORMULATION, verbs=verbs))
    m = replace(toggle_press(), drives=())
    assert not kb.crosscheck(m, formulations=CLOSED).agree


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(0.2))
def test_formulations_agree_on_loops_of_any_masses_and_loads(kind, seed):
    """All of them, driven or not, whatever masses and loads are multiplied by."""
    m = heavier(loaded(kind, seed), *factors(seed))
    m = m if seed % 2 else replace(m, drives=())
    answer = kb.crosscheck(m, states=4, formulations=CLOSED)
    assert answer.agree, str(answer)


@pytest.mark.parametrize("seed", seeds(0.4))
def test_formulations_agree_on_trees_of_any_masses_and_loads(seed):
    """Loads far above what moves the tree cancel in its accelerations, and leave rounding only."""
    rng = np.random.default_rng([12, seed])
    m = random_tree(seed, kinds=["revolute", "prismatic", "cylindrical"]).m
    at, other, force = rng.normal(size=(3, 3))
    forces = [
        kb.PointForce("push", "b2", tuple(force), tuple(at)),
        kb.PointForce("pull", "b2", tuple(-force), tuple(other)),
        kb.Spring("spring", "ground", tuple(at), "b1", tuple(other), stiffness=3, damping=0.2),
    ]
    m = heavier(replace(m, forces=forces), *factors(seed))
    answer = kb.crosscheck(m, states=4, formulations=TREES)
    assert answer.agree, str(answer)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(0.2))
def test_runs_say_the_same_whatever_the_masses(kind, seed):
    """Masses and loads that grow alike leave the motion, its status, its notes and its doubts."""
    m, (factor,) = replace(loaded(kind, seed), drives=()), factors(seed, 1)
    one, two = (kb.simulate(x, 0.3, times=7) for x in (m, heavier(m, factor, factor)))
    assert two.status == one.status
    assert two.notes == one.notes
    assert two.audit.doubts == one.audit.doubts
    np.testing.assert_allclose(two.q, one.q, rtol=0, atol=1e-6)
