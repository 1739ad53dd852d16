"""Programs of a structure, with numbers as inputs, against those with the numbers folded in.

Which of the two is asked must not be seen in any answer, whatever joints, loops and drives there
are. Mechanisms of one kind are asked one after the other, so that later ones use programs that were
written for the first.
"""

from dataclasses import replace

import numpy as np
import pytest
from driven_trees import driven_tree
from law_counts import seeds
from numpy.testing import assert_allclose
from rough_mechanisms import KINDS, mechanism

import korba as kb
from korba.codegen.callable import numbered
from korba.codegen.targets.llvm import machine
from korba.positions.loop_system import loop_system

T = np.linspace(0.0, 0.4, 9)


def folded(monkeypatch, ask):
    """The answer of programs with all numbers folded in."""
    with monkeypatch.context() as patch:
        patch.setattr(numbered, "PAYS", -1)
        return ask()


def answers(m):
    """What positions and their programs say of a mechanism that nobody has asked before."""
    m = replace(m)
    motion = kb.motion(m, T)
    loops = loop_system(m)
    J = [loops.matrix(q) for q in motion.q]
    return [motion.q, motion.v, motion.a, motion.extra["singularity"].values, np.array(J)]


def agree(m, monkeypatch):
    """Both ways say the same, to what rounding leaves of the worst conditioned velocities."""
    shared, alone = answers(m), folded(monkeypatch, lambda: answers(m))
    worst = 1e-13 / max(1e-4, float(np.min(alone[3], initial=1.0)))
    for x, y in zip(shared, alone, strict=True):
        assert_allclose(x, y, rtol=0, atol=worst * max(1.0, np.abs(y).max(initial=0.0)))


@pytest.mark.parametrize("kind", KINDS)
def test_motion_is_the_same_with_numbers_as_inputs(kind, monkeypatch):
    """Positions, velocities, accelerations and J of every kind of loop."""
    for seed in seeds(0.5, 2):
        agree(mechanism(kind, seed), monkeypatch)


@pytest.mark.parametrize("seed", seeds())
def test_trees_move_the_same_with_numbers_as_inputs(seed, monkeypatch):
    """Trees of all joints, drives of coordinates and of distances, what is left over held."""
    m = driven_tree(seed)
    loose = [joint for joint in m.joints if joint.nv == 1 and joint.name not in driven(m)]
    held = [kb.JointDrive(f"h{j.name}", j.name, "0.1*sin(2*t)") for j in loose]
    m = replace(m, drives=(*m.drives, *held), forces=())
    if all(joint.nv == 1 for joint in m.joints):
        agree(m, monkeypatch)


def driven(m):
    """Coordinates that drives prescribe."""
    return {drive.coordinate for drive in m.drives}


@pytest.mark.parametrize("kind", KINDS)
def test_other_numbers_compile_nothing(kind, monkeypatch):
    """Once one of a kind has moved, and another, a third with other numbers is not compiled."""
    for seed in (11, 12):
        kb.motion(mechanism(kind, seed), T)
    made = []
    compiled = machine._compiled
    monkeypatch.setattr(machine, "_compiled", lambda *x: made.append(x[0]) or compiled(*x))
    kb.motion(mechanism(kind, 13), T)
    assert not made


def test_what_is_asked_often_is_folded(monkeypatch):
    """After so much work that it pays, the numbers are folded in, and nobody sees it."""
    m = mechanism("four-bar", 1)
    loops = loop_system(m)
    q, wanted, clock = loops.drawn, np.zeros(1), np.zeros(2)
    before = loops.residuals(q, wanted, clock)
    assert "folded" not in vars(loops.residuals)
    monkeypatch.setattr(loops.residuals, "left", -1)
    assert_allclose(loops.residuals(q, wanted, clock), before, rtol=0, atol=1e-15)
    assert "folded" in vars(loops.residuals)
    count = loops.residuals.folded.operations.total
    assert count <= loops.residuals.shared.operations.total


@pytest.mark.parametrize("order", [1, -1])
def test_what_numbers_decide_of_a_joint_is_part_of_the_structure(order):
    """Of two wheels in each other the larger is the ring, whichever of both comes first."""
    for a, b in [(0.5, 0.2), (0.2, 0.5)][::order]:
        teeth = {"parent_radius": a, "child_radius": b, "inner": True, "pressure_angle": "20 deg"}
        pitch, centre = (a, a - b) if a > b else (-a, b - a)
        joints = [
            kb.Revolute("A", "ground", "a", at=(0, 0)),
            kb.Revolute("B", "ground", "b", at=(centre, 0)),
            kb.GearMesh("Z", "a", "b", at=(pitch, 0), x_axis=(1, 0), **teeth),
        ]
        bodies = [kb.Body("a"), kb.Body("b", 1.0, (centre, 0), 2.0)]
        drives = [kb.JointDrive("motor", "A", "0.1*sin(t)")]
        m = kb.Mechanism("ring", bodies, joints, drives=drives, plane="xy", gravity=(0, 0, 0))
        motion = kb.motion(m, np.linspace(0.1, 6, 7))
        assert_allclose(motion["B"], a / b * motion["A"], rtol=1e-12, atol=1e-14)
        found = kb.reactions(m, motion)
        size = 2.0 * np.abs(motion["a_B"]) / (b * np.cos(np.radians(20)))
        assert_allclose(np.abs(found.pressing["Z"]), size, rtol=1e-9, atol=1e-12)
