"""Trees follow their drives wherever forces move them: one rule in all verbs."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from driven_trees import driven_tree
from law_counts import seeds
from numpy.testing import assert_allclose

import korba as kb

UNTIL = 0.3


def drawn(m):
    """Coordinates as it is drawn, and velocities of all but the driven joints."""
    q = kb.assemble(m, t=0.0).q
    return q, np.random.default_rng(len(m.drives)).normal(size=m.nv)


@pytest.mark.parametrize("seed", seeds())
def test_accelerations_are_those_of_the_run(seed):
    """Forward dynamics by every formulation with rows is what kb.simulate does, at every row."""
    m = driven_tree(seed)
    q, v = drawn(m)
    run = kb.simulate(m, UNTIL, q=q, v=v, times=5)
    scale = np.abs(run.a).max() + 1.0
    for formulation in (None, "multipliers", "absolute", "minimal"):
        a = kb.forward_dynamics(m, run.q, run.v, 0 * run.v, t=run.t, formulation=formulation)
        assert_allclose(a, run.a, atol=1e-8 * scale)


@pytest.mark.parametrize("seed", [48, 148, *seeds()])
def test_a_distance_is_followed_or_said_to_be_out_of_reach(seed):
    """From any point: its value is kept, or no position has it, or it ends at a dead point, where
    what is free does not change the distance.
    """
    m = driven_tree(seed, anywhere=True)
    drives = [drive for drive in m.drives if isinstance(drive, kb.LengthDrive)]
    free = [
        k for k, name in enumerate(m.velocities) if name not in {d.coordinate for d in m.drives}
    ]
    try:
        q, v = drawn(m)
    except kb.AssemblyError as e:
        assert re.search("'.*' misses its value by", str(e))
        assert all(missed(m, drive) for drive in drives)
        return
    try:
        run = kb.simulate(m, UNTIL, q=q, v=v)
    except kb.SimulationError as e:
        assert "'length' may ask for what no position gives, beyond a dead point" in str(e)
        ends = [slope(m, e.trajectory.q[k], drives[0])[free] for k in (0, -1)]
        assert np.linalg.norm(ends[1]) < 1e-3 * np.linalg.norm(ends[0])
        return
    for drive in drives:
        asked = np.array([drive.motion(t)[0, 0] for t in run.t])
        assert_allclose([distance(m, q, drive) for q in run.q], asked, rtol=1e-7)


def distance(m, q, drive):
    """Of a point from one of the ground."""
    place = kb.pose(m, q, drive.body_a) @ [*drive.at_a, 1.0]
    return float(np.linalg.norm(place[:3] - drive.at_b))


def slope(m, q, drive):
    """Its rates by all velocities."""
    there = (kb.pose(m, q, drive.body_a) @ [*drive.at_a, 1.0])[:3] - drive.at_b
    rates = [kb.velocity(m, q, one, drive.body_a, drive.at_a)[3:] for one in np.eye(m.nv)]
    return np.array(rates) @ there / np.linalg.norm(there)


def missed(m, drive):
    """Whether random positions with the driven joints where they are all lie on one side of it."""
    rng, bare = np.random.default_rng(7), replace(m, drives=())
    tree = kb.assemble(bare).q
    known = {d.coordinate: d.motion(0.0)[0, 0] for d in m.drives if d is not drive}
    places = [i for i, name in enumerate(bare.coordinates) if name in bare.velocities]
    q = np.tile(tree, (2000, 1))
    q[:, places] = rng.uniform(-6, 6, (2000, len(places)))
    for name, value in known.items():
        q[:, bare.coordinates.index(name)] = value
    there = kb.pose(bare, q, drive.body_a) @ [*drive.at_a, 1.0]
    far = np.linalg.norm(there[:, :3] - drive.at_b, axis=1) - drive.motion(0.0)[0, 0]
    return bool(np.all(far > 0) or np.all(far < 0))


@pytest.mark.parametrize("seed", seeds())
def test_driven_joints_accelerate_as_their_drives_and_the_others_as_forces_say(seed):
    """a_d = f'', and M a + h = tau in all joints that nothing drives."""
    m, t = driven_tree(seed, by_coordinate=True), 0.7
    rng = np.random.default_rng(seed)
    q, v, tau = kb.assemble(m, t=t).q, rng.normal(size=m.nv), rng.normal(size=m.nv)
    a = kb.forward_dynamics(m, q, v, tau, t=t)
    driven = [m.velocities.index(drive.joint) for drive in m.drives]
    asked = [float(drive.motion(t)[0, 2]) for drive in m.drives]
    assert_allclose(a[driven], asked, rtol=1e-12, atol=1e-12)
    needed = kb.inverse_dynamics(m, q, v, a, t=t)
    free = np.setdiff1d(np.arange(m.nv), driven)
    assert_allclose(needed[free], tau[free], atol=1e-9 * (1 + np.abs(needed).max()))
    assert_allclose(kb.forward_dynamics(m, q, v, needed, t=t), a, atol=1e-9 * (1 + np.abs(a).max()))


@pytest.mark.parametrize("seed", seeds())
def test_semi_canonical_motions_follow_drives(seed):
    """In coordinates and momenta it is the motion that kb.simulate finds, momenta are A z."""
    m = driven_tree(seed, by_coordinate=True)
    q, v = drawn(m)
    run = kb.simulate(m, UNTIL, q=q, v=v, method=kb.Method(rtol=1e-11))
    how = {"step": 2e-3, "scheme": "dop853"}
    how |= {"solver": kb.papers.VelocitySolver(tolerance=1e-13)}
    same = kb.papers.semi_canonical(m, UNTIL, q=q, v=v, **how)
    scale = np.abs(run.q).max() + np.abs(run.v).max() + 1.0
    assert_allclose(same.q[-1], run.q[-1], atol=1e-7 * scale)
    assert_allclose(same.v[-1], run.v[-1], atol=1e-7 * scale)
    p = np.array([same[f"p_{name}"][-1] for name in m.velocities])
    assert_allclose(p, kb.mass_matrix(m, same.q[-1]) @ same.v[-1], atol=1e-9 * np.abs(p).max())


@pytest.mark.parametrize("seed", seeds(0.4))
def test_derivatives_and_batches_follow_drives(seed):
    """Of driven accelerations by q, v and tau those of differences; a batch is its states."""
    m, t = driven_tree(seed), 0.4
    rng = np.random.default_rng(seed)
    q, v = drawn(m)
    tau, h = rng.normal(size=m.nv), 1e-6
    slopes = kb.compile(kb.derivative(kb.forward_dynamics, m, ("v", "tau")))(q, v, tau, [t])
    for J, k in zip(slopes, (1, 2), strict=True):
        for j in range(m.nv):
            ends = []
            for way in (h, -h):
                state = [q, v, tau]
                state[k] = state[k] + way * np.eye(m.nv)[j]
                ends.append(kb.forward_dynamics(m, *state, t=t))
            slope = (ends[0] - ends[1]) / (2 * h)
            assert_allclose(J[:, j], slope, atol=1e-6 * (1 + np.abs(slope).max()))
    many = v + rng.normal(size=(5, m.nv))
    single = [kb.forward_dynamics(m, q, one, tau, t=t) for one in many]
    assert_allclose(kb.forward_dynamics(m, q, many, tau, t=t), single, rtol=1e-10, atol=1e-10)


def turntable(law="5 rad/s*t", **more):
    """A table that turns, and a rod that swings on it."""
    bodies = [
        kb.Body("table", 2, (0, 0, 0), np.diag([0.1, 0.1, 0.2])),
        kb.Body("rod", 1, (0.5, 0, -0.3), np.diag([0.02, 0.02, 0.01])),
    ]
    joints = [
        kb.Revolute("T", "ground", "table", at=(0, 0, 0), axis=(0, 0, 1)),
        kb.Revolute("P", "table", "rod", at=(0.5, 0, 0), axis=(0, 1, 0)),
    ]
    return kb.Mechanism("turntable", bodies, joints, drives=[kb.JointDrive("d", "T", law)], **more)


@pytest.mark.parametrize("scheme", ["euler", "rk4", "dop853"])
@pytest.mark.parametrize("solver", ["conjugate", "minimal-residual"])
def test_a_turntable_turns_as_it_is_driven(scheme, solver):
    """T = 5 rad after a second, in machine code and with forces by a function of Python."""
    m = turntable()
    how = {"step": 0.01, "q": [0, 0.2], "scheme": scheme, "solver": solver}
    for tau in (None, lambda t, q, v: np.zeros(2)):
        moved = kb.papers.semi_canonical(m, 1.0, v=[5, 0.1], tau=tau, **how)
        assert moved["T"][-1] == pytest.approx(5.0, abs=1e-14)
        assert_allclose(moved["v_T"], 5.0)
        assert_allclose(moved["a_T"], 0.0, atol=1e-12)
    again = kb.papers.semi_canonical(m, 1.0, p=[0.0, moved["p_P"][0]], **how)
    assert_allclose(again.q, moved.q, atol=1e-6)


def test_a_semi_canonical_state_has_what_drives_do():
    """p_rate is the slope of p over time, of the driven momentum too; velocities follow from p."""
    m, h = turntable("5*t + sin(3*t)"), 1e-3
    run = kb.papers.semi_canonical(m, 0.5, step=h, q=[0, 0.2], v=[8, 0.1], scheme="dop853")
    state = kb.papers.semi_canonical_state(m, run.q[100], v=run.v[100], t=run.t[100])
    p = np.array([run["p_T"], run["p_P"]])
    assert_allclose(state.p_rate, (p[:, 101] - p[:, 99]) / (2 * h), rtol=1e-4)
    other = kb.papers.semi_canonical_state(m, run.q[100], p=[0.0, state.p[1]], t=run.t[100])
    assert_allclose(other.v, state.v, atol=1e-10)
    assert_allclose(other.p, state.p, atol=1e-10)


def test_what_cannot_follow_drives_refuses_them():
    """Formulations of free trees, Kane's congruency, momenta with a length driven: by name."""
    m, state = turntable(), ([0, 0.2], [5, 0.1], [0, 0])
    for formulation in kb.formulations()["forward_dynamics"]:
        if formulation in ("multipliers", "absolute", "minimal"):
            assert_allclose(kb.forward_dynamics(m, *state, formulation=formulation)[0], 0.0)
            continue
        with pytest.raises(kb.StructureError, match="do not follow drives, and there are d"):
            kb.forward_dynamics(m, *state, formulation=formulation)
        kb.forward_dynamics(replace(m, drives=()), *state, formulation=formulation)
    with pytest.raises(kb.StructureError, match="do not follow drives, and mechanism 'turntable'"):
        kb.papers.congruency(m, *state)
    length = kb.LengthDrive("l", "rod", (0.5, 0, -0.6), "ground", (1, 0, -0.6), "0.5 m")
    with pytest.raises(kb.StructureError, match="drive 'l' of mechanism 'turntable' does not give"):
        kb.papers.semi_canonical(replace(m, drives=[length]), 1.0, step=0.1, q=[0, 0.2])


def test_what_something_else_leads_says_that_drives_do_not_count():
    """A run-up, speeds by work and a programmed motion have a note with the drive's name."""
    m = turntable(gravity=(0, 0, 0), forces=[kb.JointForce("push", "P", law="1.0")])
    arm = replace(m, joints=[m.joints[0], replace(m.joints[1], axis=(0, 0, 1))])
    wheel = kb.Mechanism("wheel", m.bodies[:1], m.joints[:1], drives=m.drives)
    wheel = replace(wheel, forces=[kb.JointForce("push", "T", law="1.0")])
    led = kb.programmed_motion(
        arm, [0, 0.1], body="rod", point=(0.8, 0, 0), path=("0.7", "0.1 + 0.1*t"), q=[0.1, 0.4]
    )
    for said in (
        kb.run_up(wheel, "T", [0, 1]).notes,
        kb.speeds(wheel, "T", [1.0]).notes,
        led.notes,
    ):
        assert any(note.startswith("drives (d) do not count here") for note in said)


def test_formulations_are_compared_with_and_without_drives():
    """Forces alone move it by all formulations alike, and those with rows follow drives alike."""
    found = kb.crosscheck(turntable("sin(t)"))
    assert found.agree
    names = {check.formulation for check in found.checks if check.verb == "forward_dynamics"}
    assert {"articulated-body", "multipliers", "multipliers, driven", "minimal, driven"} <= names


def test_a_driven_freedom_needs_no_mass():
    """A drive moves a ring without mass; the rod on it swings as if the ring were there."""
    m = turntable("sin(2*t)")
    bare = replace(m, bodies=[kb.Body("table"), m.bodies[1]])
    state = ([0.1, 0.2], [2.0, 0.3], [0, 0])
    assert_allclose(kb.forward_dynamics(bare, *state, t=0.3), kb.forward_dynamics(m, *state, t=0.3))
    one, other = (kb.simulate(each, 0.5, v={"P": 0.3}, times=2) for each in (bare, m))
    assert_allclose(one.q, other.q, atol=1e-8)


def test_a_long_chain_follows_a_drive():
    """From 64 links on, where free trees are repeated, drives are still followed."""
    names = [f"l{i}" for i in range(66)]
    bodies = [kb.Body(n, 1.0, (i + 0.5, 0), 0.1) for i, n in enumerate(names)]
    ends = zip(["ground", *names], names, strict=False)
    joints = [kb.Revolute(f"j{i}", *pair, at=(i, 0)) for i, pair in enumerate(ends)]
    drive = kb.JointDrive("d", "j0", "sin(t)")
    m = kb.Mechanism("chain", bodies, joints, drives=[drive], plane="xy")
    q = np.linspace(0, 0.1, m.nv)
    a = kb.forward_dynamics(m, q, 0 * q, 0 * q, t=1.0)
    assert a[0] == pytest.approx(-np.sin(1.0))
    assert_allclose(kb.inverse_dynamics(m, q, 0 * q, a, t=1.0)[1:], 0.0, atol=1e-7)
