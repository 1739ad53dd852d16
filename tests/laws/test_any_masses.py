"""No verdict depends on how heavy a mechanism is, or on how much it carries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from heavier import factors, heavier, lighter
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


def universal_joint(mass):
    """The slider-crank in space of example 61, the cross of its universal joint a body."""
    A, B, C = np.array([(0, 0.1, 0.12), (0, 0.1, 0.2), (0.2, 0, 0)])
    x = (C - B) / 0.3
    rod = 4e-3 * np.eye(3) - 3.6e-3 * np.outer(x, x)
    bodies = [
        kb.Body("crank", 0.12, tuple(A), (1e-4, 1e-5, 1e-4)),
        kb.Body("rod", 0.5, tuple((B + C) / 2), rod),
        kb.Body("slider", 2.0, tuple(C)),
        kb.Body("cross", mass, tuple(C), 1e-4 * mass * np.eye(3)),
    ]
    pin = tuple(np.cross((1, 0, 0), x))
    joints = [
        kb.Revolute("A", "ground", "crank", at=tuple(A), axis=(1, 0, 0)),
        kb.Spherical("B", "crank", "rod", at=tuple(B)),
        kb.Revolute("U1", "slider", "cross", at=tuple(C), axis=(1, 0, 0)),
        kb.Revolute("U2", "cross", "rod", at=tuple(C), axis=pin),
        kb.Prismatic("C", "ground", "slider", at=tuple(C), axis=(1, 0, 0)),
    ]
    return kb.Mechanism("slider-crank", bodies, joints, gravity=(0, 0, -9.81))


@pytest.mark.parametrize("mass", [1e-6, 1e-9, 1e-12])
def test_a_light_cross_takes_no_rank(mass):
    """Of a cross that is nearly without mass no note says that loops lose rank."""
    run = kb.simulate(
        universal_joint(mass), 5.0, v={"A": 6.0}, method=kb.Method(rtol=1e-10, atol=1e-12)
    )
    assert run.notes == ()


def parallelogram(rng, balls=False):
    """Two equal cranks and a coupler as long as the base, upright; flat after a quarter turn.

    With `balls` the coupler hangs on two of them, in space.
    """
    arm, base = rng.uniform(0.2, 0.5), rng.uniform(0.6, 1.2)
    at = [(0, 0, 0), (0, arm, 0), (base, arm, 0), (base, 0, 0)]
    ends = [("ground", "crank"), ("crank", "rod"), ("rod", "rocker"), ("ground", "rocker")]
    kinds = [kb.Revolute, *[kb.Spherical if balls else kb.Revolute] * 2, kb.Revolute]
    axis = {kb.Revolute: {"axis": (0, 0, 1)}, kb.Spherical: {}}
    joints = [
        kind(name, *own, at=p, **(axis[kind] if balls else {}))
        for kind, name, own, p in zip(kinds, "ABCD", ends, at, strict=True)
    ]
    tensor = np.diag([1e-2, 2e-2, 3e-2]) if balls else 2e-2
    bodies = [kb.Body("crank", 1, (0, arm / 2, 0), tensor)]
    bodies += [kb.Body("rod", 1, (base / 2, arm, 0), tensor)]
    bodies += [kb.Body("rocker", 1, (base, arm / 2, 0), tensor)]
    plane = None if balls else "xy"
    return kb.Mechanism("parallelogram", bodies, joints, plane=plane, gravity=(0, 0, 0))


@pytest.mark.parametrize("balls", [False, True])
@pytest.mark.parametrize("seed", seeds(0.4))
def test_every_passage_through_a_flat_parallelogram_is_told(balls, seed):
    """Twice in a turn of its cranks, whichever of its bodies is light, however long the steps."""
    rng = np.random.default_rng([13, seed])
    m = lighter(parallelogram(rng, balls), rng)
    speed = rng.uniform(1.0, 5.0)
    run = kb.simulate(m, 6.0 / speed, v={"A": speed})
    (note,) = run.notes
    times = [float(x.split()[0]) for x in note.split("t = ")[1].split(" (")[0].split(", ")]
    np.testing.assert_allclose(times, np.array([0.5, 1.5]) * np.pi / speed, rtol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(0.2))
def test_light_bodies_take_no_rank(kind, seed):
    """A body that is a thousandth, or a million millionth, of the others changes no note."""
    m = replace(loaded(kind, seed), drives=(), forces=())
    light = lighter(m, np.random.default_rng([14, seed]))
    notes = [kb.simulate(x, 1.0, method=kb.Method(rtol=1e-8, atol=1e-10)).notes for x in (m, light)]
    assert notes == [(), ()]
