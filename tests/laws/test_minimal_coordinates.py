"""Few coordinates for a mechanism with loops: their dead centres, and a choice that changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from test_idle_freedoms import stewart

import korba as kb
from korba.dynamics import minimal, multipliers
from korba.system.system import any_system
from korba.verbs.loops import governing_coordinates
from korba.verbs.states import drawn_coordinates
from korba.verbs.systems import under


def stretched():
    """Crank and coupler in one line: the rocker turns round there."""
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0)),
        kb.Revolute("B", "crank", "coupler", at=(0.3, 0)),
        kb.Revolute("C", "coupler", "rocker", at=(1.2, 0)),
        kb.Revolute("D", "ground", "rocker", at=(0.9, -0.6)),
    ]
    bodies = [
        kb.Body("crank", 1.0, (0.15, 0.0), 0.05),
        kb.Body("coupler", 2.0, (0.7, 0.1), 0.2),
        kb.Body("rocker", 1.5, (1.0, -0.3), 0.1),
    ]
    return kb.Mechanism("crank-rocker", bodies, joints, plane="xy")


def at(m, angle):
    """Coordinates and velocities with the crank at an angle, turning with 2 rad/s."""
    q = kb.assemble(m, {"A": angle}).q
    J = np.zeros((3, 4))
    for i, line in enumerate(multipliers.Constraints(any_system(m), q).lines):
        J[i, list(line)] = [float(x) for x in line.values()]
    rest = np.linalg.solve(J[:, 1:], -J[:, 0] * 2.0)
    return q, np.array([2.0, *rest])


def test_coordinates_at_their_dead_centre_are_refused():
    """The rocker does not govern where it turns round: said, with the coordinate that does."""
    m = stretched()
    q, v = at(m, 0.0)
    for ask in (
        lambda: kb.mass_matrix(m, q, coordinates="D"),
        lambda: kb.forward_dynamics(m, q, v, 0 * v, coordinates=("D",)),
    ):
        with pytest.raises(kb.StructureError, match=r"dead centre of the coordinates \('D',\)"):
            ask()
    a = kb.forward_dynamics(m, q, v, 0 * v)
    few = kb.forward_dynamics(m, q, v, 0 * v, coordinates="A")
    assert_allclose(few, a[[0]], rtol=1e-12)
    M, h = (
        f(m, *x, coordinates="A") for f, x in ((kb.mass_matrix, (q,)), (kb.bias_forces, (q, v)))
    )
    assert_allclose(M @ few + h, 0.0, atol=1e-12)


def test_coordinates_by_name_are_minimal_ones():
    """They go with the formulation "minimal"; others are in other coordinates, which is said."""
    m = stretched()
    q, v = at(m, 0.4)
    a = kb.forward_dynamics(m, q, v, 0 * v, formulation="minimal", coordinates="A")
    assert_allclose(a, kb.forward_dynamics(m, q, v, 0 * v)[[0]], rtol=1e-11)
    for ask in (
        lambda: kb.forward_dynamics(m, q, v, 0 * v, coordinates="A", formulation="absolute"),
        lambda: kb.mass_matrix(m, q, coordinates="A", formulation="multipliers"),
    ):
        with pytest.raises(kb.StructureError, match="give one or the other"):
            ask()


def test_the_choice_of_coordinates_changes_before_it_is_singular():
    """Over a whole turn, through every dead centre, minimal coordinates lose no digits."""
    m = stretched()
    s = under(any_system(m))
    for angle in np.linspace(0.0, 2 * np.pi, 24, endpoint=False):
        q, v = at(m, angle)
        a = np.array(multipliers.forward_dynamics(s, q, v, 0 * v), dtype=float)
        found = np.array(minimal.forward_dynamics(s, q, v, 0 * v), dtype=float)
        assert_allclose(found, a, rtol=0, atol=1e-12 * np.abs(a).max())


def test_formulations_of_loops_are_listed_and_compared():
    """kb.crosscheck takes mechanisms with loops, and says what agrees."""
    answer = kb.crosscheck(stretched(), states=4)
    names = [check.formulation for check in answer.checks]
    assert names == ["multipliers", "absolute", "minimal", "reduced (A)"]
    assert answer.agree
    assert answer.worst < 1e-11
    assert "'crank-rocker': 1 freedom, 4 random states" in str(answer)
    assert {"absolute", "minimal"} <= set(kb.formulations()["forward_dynamics"])


def test_a_run_through_dead_centres_by_every_formulation():
    """More than a turn of the crank, the rocker turning round twice: one motion, loops closed."""
    m = stretched()
    how = {"v": {"A": 9.0}, "times": 3}
    runs = [
        kb.simulate(m, 1.5, method=kb.Method(rtol=1e-9, atol=1e-11, formulation=name), **how)
        for name in ("multipliers", "absolute", "minimal")
    ]
    for run in runs:
        assert_allclose(run.q, runs[0].q, atol=1e-6)
        assert run.audit.residual < 1e-11
        assert run.audit.energy < 1e-8
    assert runs[0].q[-1, 0] > 2 * np.pi
    with pytest.raises(kb.StructureError, match="with loops or drives there are multipliers"):
        kb.simulate(m, 1.0, method=kb.Method(formulation="newton-euler"), **how)


def test_what_governs_is_what_one_would_drive():
    """The six slides of a platform's legs, whatever joints are called and how they are ordered."""
    m = replace(stewart(np.random.default_rng(0), "cross"), drives=())
    order = np.random.default_rng(1).permutation(len(m.joints))
    other = [replace(m.joints[k], name=f"joint {k}") for k in order]
    legs = {joint.name for joint in m.joints if joint.type == "prismatic"}
    known = {f"joint {k}": joint.name for k, joint in enumerate(m.joints)}
    for each in (m, replace(m, joints=other)):
        names = governing_coordinates(each, drawn_coordinates(any_system(each).tree))
        assert {known.get(name, name) for name in names} == legs
