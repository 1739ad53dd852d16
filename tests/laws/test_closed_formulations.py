"""Every formulation gives the same motion and forces: multipliers, absolute, minimal, reduced."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from law_counts import seeds
from loaded_linkages import KINDS, heavy, loaded
from numpy.testing import assert_allclose
from test_closed_dynamics import FREE

import korba as kb
from korba.dynamics import absolute, composite_body, minimal, multipliers, newton_euler
from korba.dynamics.multipliers import Constraints, shortest_metric
from korba.kinematics.couplings import all_motion
from korba.kinematics.rates import moved
from korba.structure.mobility import mobility
from korba.system.system import any_system
from korba.verbs.loops import governing_coordinates
from korba.verbs.states import drawn_coordinates
from korba.verbs.systems import under

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "book"), str(TESTS / "dynamics")]
from random_planar import GROUPS, random_mechanism  # noqa: E402
from random_trees import CASES, numbers, random_state, random_tree  # noqa: E402

from korba.system.system import System  # noqa: E402

GRAVITY = np.array([0.3, -1.0, -9.81])


def state(m, rng, away=0.02):
    """A system, coordinates near its drawing with loops closed, velocities that loops allow."""
    s = under(any_system(m), t=0.3)
    tree, metric = s.tree, shortest_metric(s)
    q = tree.normalised(drawn_coordinates(tree) + away * rng.normal(size=tree.nq))
    for _ in range(8 if away else 0):
        loops = Constraints(s, q, driven=False)
        gap = loops.stacked("residual")
        step = loops.nearest(metric, [-x for x in gap], np.zeros(tree.nv))[0]
        q = numbers(moved(tree, q, numbers(step)))
    loops = Constraints(s, q, driven=False)
    v = loops.nearest(metric, [0.0] * len(loops.lines), metric @ rng.normal(size=tree.nv))[0]
    return s, q, numbers(v)


def assert_same(found, reference, tolerance=1e-10):
    top = 1 + np.abs(reference).max(initial=0.0)
    assert_allclose(numbers(found), reference, rtol=0, atol=tolerance * top)


def assert_formulations_agree(m, rng, away=0.02):
    """Accelerations of all, and forces where drives move everything."""
    s, q, v = state(m, rng, away)
    tau = rng.normal(size=s.tree.nv)
    a = numbers(multipliers.forward_dynamics(s, q, v, tau))
    for each in (absolute, minimal):
        assert_same(each.forward_dynamics(s, q, v, tau), a)
    report = mobility(m)
    if not report.undriven:
        efforts = numbers(multipliers.inverse_dynamics(s, q, v, a))
        for each in (absolute, minimal):
            assert_same(each.inverse_dynamics(s, q, v, a), efforts)
    if not m.drives and not report.local:
        names = governing_coordinates(m, q)
        places = [s.tree.free_v.index(s.tree.velocity_of(name)) for name in names]
        if names:
            few = multipliers.reduced_forward_dynamics(s, q, v, tau, names)
            assert_same(few, a[places])


@pytest.mark.parametrize("kind", FREE)
@pytest.mark.parametrize("seed", seeds(0.05))
def test_accelerations_of_linkages_with_loops(kind, seed):
    """Free, partly driven, over-constrained, with idle freedoms, couplings, bodies without mass."""
    rng = np.random.default_rng(seed)
    assert_formulations_agree(FREE[kind](rng), rng)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(0.05))
def test_forces_of_driven_linkages(kind, seed):
    """Efforts of the drives, under springs, dampers, forces and weight."""
    assert_formulations_agree(loaded(kind, seed), np.random.default_rng(seed))


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("driven", [True, False])
def test_every_planar_pair(group, driven):
    """Pins, guides, yokes, cams (whose contact parameter has no mass), gears, welds."""
    seed = GROUPS.index(group)
    rng = np.random.default_rng(seed)
    m = random_mechanism(seed, [group], "crank")
    bodies = [replace(heavy(body.name, rng, "xy"), frame=body.frame) for body in m.bodies]
    m = replace(m, bodies=bodies, drives=m.drives if driven else ())
    assert_formulations_agree(m, rng, away=0.0)


@pytest.mark.parametrize("drive", ["angle", "x", "point", "length", "difference"])
def test_every_kind_of_drive(drive):
    """Drives of bodies, points and lengths are rows over the bodies' own motion."""
    rng = np.random.default_rng(1)
    m = random_mechanism(3, ["rrr", "rrt"], drive)
    bodies = [replace(heavy(body.name, rng, "xy"), frame=body.frame) for body in m.bodies]
    assert_formulations_agree(replace(m, bodies=bodies), rng, away=0.0)


@pytest.mark.parametrize("options", CASES)
@pytest.mark.parametrize("seed", seeds(0.05))
def test_absolute_coordinates_of_trees(options, seed):
    """Trees with every joint type in space, couplings, rotors: forces and accelerations."""
    tree = random_tree(seed, **options)
    s, (q, v, a) = System(tree, GRAVITY), random_state(tree, seed)
    assert_same(
        absolute.inverse_dynamics(s, q, v, a), numbers(newton_euler.inverse_dynamics(s, q, v, a))
    )
    reference = numbers(composite_body.forward_dynamics(s, q, v, a))
    condition = np.linalg.cond(numbers(composite_body.mass_matrix(s, q)))
    tolerance = max(1e-10, 100 * np.finfo(float).eps * condition)
    assert_same(absolute.forward_dynamics(s, q, v, a), reference, tolerance)


@pytest.mark.parametrize("kind", ["four-bar", "slider-crank", "rsur"])
@pytest.mark.parametrize("seed", seeds(0.05))
def test_multipliers_of_joints_are_their_reactions(kind, seed):
    """lambda of a joint is its wrench about M, of the parent on the child (4.208)."""
    m = loaded(kind, seed)
    s, q, v = state(m, np.random.default_rng(seed))
    a = numbers(multipliers.forward_dynamics(s, q, v, 0 * v))
    bodies = absolute.Bodies(s, all_motion(s.tree, q, v, a))
    size = len(s.space)
    found = numbers(absolute.multipliers(bodies))
    reactions = kb.reactions(m, q, v, a, t=0.3)
    for n, tie in enumerate(bodies.joints):
        force, moment = reactions[tie.joint.name].force, reactions[tie.joint.name].moment
        own = found[size * n : size * (n + 1)]
        world = numbers((bodies.at.pose(tie.child) @ tie.X_LM).R)
        if size == 3:  # axes of the child's frame
            world = numbers((bodies.at.pose(tie.child) @ bodies.at.centre(tie.child)).R)
            assert_same(world[:2, :2] @ own[1:], force[:2])
            assert_same(own[:1], moment[2:])
        else:
            assert_same(world @ own[3:], force)
            assert_same(world @ own[:3], moment)


def thin_rod(rng):
    """A rod without moment about itself, between a ball and a universal joint."""
    joints, _, _ = KINDS["rsur"](rng)
    B, C = (np.array(joint.at) for joint in joints[1:3])
    length = np.linalg.norm(C - B)
    along = np.outer(C - B, C - B) / length**2
    rod = kb.Body("rod", 1.0, tuple((B + C) / 2), (length**2 / 12 * (np.eye(3) - along)).tolist())
    bodies = [heavy("crank", rng, None), rod, heavy("rocker", rng, None)]
    return kb.Mechanism("thin rod", bodies, joints)


def point_mass(rng):
    """Seven bars in a loop, two without mass, then one that is a point mass: M has rank 5 of 6."""
    at = [(0, 0), (0, 1), (0.4, 1.8), (1, 2.3), (1.9, 2.2), (2.4, 1.5), (2.6, 0.7)]
    ends = ["ground", *"abcdef", "ground"]
    joints = [kb.Revolute(f"J{i}", ends[i], ends[i + 1], at=at[i]) for i in range(7)]
    bodies = [kb.Body("a"), kb.Body("b"), kb.Body("c", 1.0, (0.8, 2.1))]
    return kb.Mechanism(
        "point mass", bodies + [heavy(name, rng, "xy") for name in "def"], joints, plane="xy"
    )


@pytest.mark.parametrize("make", [thin_rod, point_mass])
def test_bodies_without_mass_or_moment_inside_chains(make):
    """Where M of the opened tree is singular, the whole system (4.199) still has one answer."""
    rng = np.random.default_rng(4)
    m = make(rng)
    s, q, v = state(m, rng)
    tau = rng.normal(size=s.tree.nv)
    a = numbers(multipliers.forward_dynamics(s, q, v, tau))
    assert_same(absolute.forward_dynamics(s, q, v, tau), a)
    assert_same(minimal.forward_dynamics(s, q, v, tau), a)
    assert np.linalg.cond(numbers(composite_body.mass_matrix(s, q))[:6, :6]) > 1e12


def test_a_freedom_without_mass_is_refused_by_name():
    """A bar without mass at the end of a chain: no force determines how it turns."""
    arms = [kb.Body("a", 1.0, (0.5, 0), 0.1), kb.Body("b")]
    joints = [
        kb.Revolute("A", "ground", "a", at=(0, 0)),
        kb.Revolute("B", "a", "b", at=(1, 0)),
    ]
    m = kb.Mechanism("chain", arms, joints, plane="xy")
    for formulation in kb.formulations()["forward_dynamics"]:
        with pytest.raises(kb.StructureError, match="joints B can move without moving any mass"):
            kb.forward_dynamics(m, [0, 0], [0, 0], [0, 0], formulation=formulation)


def test_a_chain_with_a_light_link_inside():
    """A pendulum on a bar without mass: (1 + cos) ways to write it, one acceleration."""
    bodies = [kb.Body("a"), kb.Body("b", 1.0, (1.5, 0), 0.1)]
    joints = [
        kb.Revolute("A", "ground", "a", at=(0, 0)),
        kb.Revolute("B", "a", "b", at=(1, 0)),
    ]
    m = kb.Mechanism("chain", bodies, joints, plane="xy")
    M = 1.0 * np.array([[1 + 0.25 + np.cos(0.4), 0.25 + 0.5 * np.cos(0.4)], [0, 0.25]])
    M[1, 0] = M[0, 1]
    M += 0.1
    h = [
        -0.5 * np.sin(0.4) * (4 + 4) + 9.81 * (np.cos(0.3) + 0.5 * np.cos(0.7)),
        0.5 * np.sin(0.4) + 9.81 * 0.5 * np.cos(0.7),
    ]
    expected = np.linalg.solve(M, -np.array(h))
    for formulation in kb.formulations()["forward_dynamics"]:
        a = kb.forward_dynamics(m, [0.3, 0.4], [1, 2], [0, 0], formulation=formulation)
        assert_allclose(a, expected, rtol=1e-12)


def test_a_freedom_of_a_loop_without_mass_is_refused_by_name():
    """A five-bar of which only one crank has mass: the other freedom moves none."""
    at = [(0, 0), (0.3, 0.4), (0.8, 1.0), (1.3, 0.5), (1.2, 0)]
    ends = ["ground", *"abcd"]
    joints = [
        kb.Revolute(name, ends[i], ends[(i + 1) % 5], at=at[i]) for i, name in enumerate("ABCDE")
    ]
    bodies = [kb.Body("a", 1.0, (0.1, 0.2), 0.1), *(kb.Body(name) for name in "bcd")]
    m = kb.Mechanism("five-bar", bodies, joints, plane="xy")
    for formulation in ("multipliers", "absolute", "minimal"):
        with pytest.raises(kb.StructureError, match="B, C, D, E can move without moving any mass"):
            kb.forward_dynamics(m, {}, {}, {}, formulation=formulation)


@pytest.mark.parametrize("formulation", ["absolute", "minimal"])
def test_sizes_may_be_inputs(formulation):
    """One program of all designs: accelerations of a slider-crank with another rod."""
    m = replace(kb.linkages.slider_crank("0.1 m", "0.3 m"), drives=())
    other = kb.redimension(m, rod="0.4 m")
    q = kb.assemble(other, {"A": 0.3}).q
    a = kb.forward_dynamics(other, q, 0 * q, 0 * q)
    rod = {"rod": 0.4}
    found = kb.forward_dynamics(m, q, 0 * q, 0 * q, formulation=formulation, parameters=rod)
    assert_same(found, a)
