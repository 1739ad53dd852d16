"""Forces of motions that loads give: no drive is needed where none has anything to do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from law_counts import seeds
from loaded_linkages import KINDS, heavy, loaded
from numpy.testing import assert_allclose

import korba as kb


def close(one, two, tolerance=1e-9):
    """Forces and moments of all joints, beside the largest force."""
    size = np.abs(two.force).max()
    assert_allclose(one.force, two.force, rtol=0, atol=tolerance * size)
    assert_allclose(one.moment, two.moment, rtol=0, atol=tolerance * size)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(0.05))
def test_a_free_motion_has_the_forces_of_a_drive_that_does_nothing(kind, seed):
    """Simulated without its drive: the same forces as with one, whose effort is 0."""
    m = loaded(kind, seed)
    free = replace(m, drives=())
    run = kb.simulate(free, until=0.3)
    driven = kb.reactions(m, run.q, run.v, run.a, t=run.t)
    close(kb.reactions(free, run), driven)
    assert np.abs(driven.driving["drive"]).max() < 1e-9 * np.abs(driven.force).max()
    if kind != "four-bar in space":
        close(kb.reactions(free, run, method="multipliers"), driven)
    with pytest.raises(kb.StructureError, match=r"1 freedom that no drive moves.*'A'.*JointDrive"):
        kb.reactions(free, run.q, run.v, run.a + 0.01, t=run.t)


@pytest.mark.parametrize("kind", ["four-bar", "slider-crank"])
@pytest.mark.parametrize("seed", seeds(0.05))
def test_with_friction_too(kind, seed):
    """Where the accelerations are such that a drive does nothing, there need be none."""
    m = loaded(kind, seed, mu=0.1)
    motion = kb.motion(m, np.linspace(0.1, 0.5, 5))
    N = motion.v / motion["v_A"][:, None]
    more, step, effort = np.zeros(5), np.full(5, 0.1), None
    for _ in range(12):  # secants
        a = motion.a + N * (more + step)[:, None]
        last, effort = (
            effort,
            kb.reactions(m, motion.q, motion.v, a, t=motion.t, friction=True).driving["drive"],
        )
        more = more + step
        slope = 0.1 if last is None else (effort - last) / np.where(step, step, 1.0)
        step = -effort / np.where(slope, slope, 1.0)
    driven = kb.reactions(m, motion.q, motion.v, a, t=motion.t, friction=True)
    free = kb.reactions(replace(m, drives=()), motion.q, motion.v, a, t=motion.t, friction=True)
    close(free, driven)
    assert free.balance.audit < 1e-9
    assert not free.drives


@pytest.mark.parametrize("plane", ["xy", None])
@pytest.mark.parametrize("seed", seeds(0.05))
def test_of_a_tree_drives_have_their_share_and_joints_the_rest(plane, seed):
    """With drives for some joints these have the efforts of inverse dynamics; a note has others."""
    rng = np.random.default_rng(seed)
    axis = {} if plane else {"axis": (0.1, 0.2, 1)}
    rough = kb.Friction(coefficient=0.1, radius=0.02)
    at = {"A": (0, 0, 0), "B": (1, 0, 0), "C": (1.5, 0.5, 0)}
    ends = [("ground", "a"), ("a", "b"), ("b", "c")]
    joints = [
        kb.Revolute(name, *pair, at=p, friction=rough, **axis)
        for (name, p), pair in zip(at.items(), ends, strict=True)
    ]
    bodies = [heavy(name, rng, plane) for name in "abc"]
    drives = [kb.JointDrive(f"drive {name}", name, "t") for name in "ABC"]
    m = kb.Mechanism("arm", bodies, joints, drives=drives, plane=plane)
    q, v, a = rng.uniform(-1, 1, (3, 4, 3))
    tau = kb.inverse_dynamics(replace(m, drives=()), q, v, a)
    for friction in (False, True):
        whole = kb.reactions(m, q, v, a, friction=friction)
        some = kb.reactions(replace(m, drives=drives[1:]), q, v, a, friction=friction)
        none = kb.reactions(replace(m, drives=()), q, v, a, friction=friction)
        close(some, whole)
        close(none, whole)
        for name in "BC":
            assert_allclose(some.driving[f"drive {name}"], whole.driving[f"drive {name}"])
        (note,) = (note for note in some.notes if "no drive moves" in note)
        worst = np.abs(whole.driving["drive A"]).max()
        assert f"A ({worst:.4g} N m)" in note
        if friction:
            assert none.balance.audit < 1e-9
    assert_allclose(some.frictionless.efforts, tau[:, 1:])


def test_running_machines_have_their_reactions():
    """Run-up and steady turn, with a flywheel in the mechanism of the motion itself."""
    press = kb.linkages.slider_crank(0.1, 0.3)
    motor = kb.JointForce("motor", "A", law="9 - 0.8*v")
    press = replace(press, drives=(), forces=(motor,))
    run = kb.run_up(press, "A", np.linspace(0, 1, 6))
    assert_allclose(kb.reactions(press, run)["A"].moment[0, 2], 9.0)
    heavy_run = kb.run_up(press, "A", np.linspace(0, 1, 6), flywheel=2.0)
    with pytest.raises(kb.StructureError, match=r"with a flywheel: kb.reactions\(motion.mechanism"):
        kb.reactions(press, heavy_run)
    assert "A.armature" in kb.reactions(heavy_run.mechanism, heavy_run).joints
    turn = kb.steady_cycle(press, "A", speed=9.0, flywheel=0.5).motion(12)
    moment = kb.reactions(turn.mechanism, turn)["A.armature"].moment[:, 2]
    assert_allclose(moment, 0.5 * turn["a_A"], rtol=0, atol=1e-9)


def hanging(com):
    """A four-bar with a body that hangs on its coupler."""
    m = kb.linkages.four_bar(0.08, 0.25, 0.2, 0.28)
    joint = kb.Revolute(
        "P", "coupler", "bob", on_parent=kb.Frame((0.1, 0, 0)), on_child=kb.Frame((0, 0, 0))
    )
    bob = kb.Body("bob", 1.0, com, 0.01)
    return replace(m, bodies=[*m.bodies, bob], joints=[*m.joints, joint])


def test_a_mass_off_the_line_of_an_idle_freedom_is_said():
    """A bob that hangs off its pin is noted in a driven motion, not in a simulated one."""
    off, on = hanging((0.1, 0.0)), hanging((0.0, 0.0))
    for verb in (kb.reactions, kb.driving_forces):
        assert any(
            "body 'bob' moves idly" in note for note in verb(off, kb.motion(off, [0.1])).notes
        )
        assert not any("'bob'" in note for note in verb(on, kb.motion(on, [0.1])).notes)
    run = kb.simulate(off, until=0.1)
    assert not any("'bob'" in note for note in kb.reactions(off, run).notes)
