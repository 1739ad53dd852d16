"""Runs with loops and drives: starts that are made consistent, drives in time, many at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from closed_references import free_four_bar, rod, three_cranks
from numpy.testing import assert_allclose

import korba as kb

TIGHT = {"method": kb.Method(rtol=1e-11, atol=1e-12)}


def yoke(law):
    """Example 4.11 of Gronowicz (2003): two links, the second with a pin in a slot of the base."""
    theta, psi, w = np.pi / 4, 2.585502, 0.2
    x, y = np.array([np.cos(theta), np.sin(theta)]), np.array([np.cos(psi), np.sin(psi)])
    A = np.array([0.0, w])
    S1, B = A + 0.07 * x, A + 0.18 * x
    S2, C = B - 0.37 * y, B - 0.62 * y
    bodies = [
        kb.Body("one", 0.6, tuple(S1), 0.004),
        kb.Body("two", 1.45, tuple(S2), 0.01),
    ]
    joints = [
        kb.Revolute("A", "ground", "one", at=tuple(A)),
        kb.Revolute("B", "one", "two", at=tuple(B)),
        kb.PinInSlot("C", "ground", "two", at=tuple(C), axis=(1, 0)),
    ]
    forces = [kb.Moment("motor", "one", (0, 0, law))]
    return kb.Mechanism("example 4.11", bodies, joints, forces=forces, plane="xy")


@pytest.mark.parametrize(
    ("law", "angle", "speed"),
    [("3 N*m - 65 N*m/s*t", 1.778499, 9.837683), ("3 N*m - 5 N*m/s*t", 1.989809, 18.420785)],
)
def test_example_4_11_by_both_readings_of_its_moment(law, angle, speed):
    """Task 2: crank angle and speed at 0.1 s, with 65 t and with 5 t as printed."""
    run = kb.simulate(yoke(law), 0.1, v={"A": 10.0}, times=2, **TIGHT)
    assert_allclose(np.pi / 4 + run["A"][-1], angle, rtol=0, atol=2e-6)
    assert_allclose(run["v_A"][-1], speed, rtol=0, atol=2e-5)
    assert run.audit.energy < 1e-9


def test_rough_starts_are_made_consistent():
    """Printed digits are closed by small changes; what is named stays as it is given."""
    m = free_four_bar()
    exact = kb.assemble(m, {"A": 0.4}).q
    rough = kb.simulate(m, 0.1, q=np.round(exact, 2), v=[10.0, -13.3, 0.0, -3.3], times=2)
    assert np.abs(rough.q[0] - exact).max() < 0.02
    assert rough.audit.residual < 1e-12
    named = kb.simulate(m, 0.1, q={"A": 0.4}, v={"A": 10.0}, times=2)
    assert_allclose(named.q[0], exact, rtol=0, atol=1e-12)
    assert_allclose(named["v_A"][0], 10.0, rtol=1e-14)
    with pytest.raises(kb.StructureError, match="do not go together"):
        kb.simulate(m, 0.1, v={"A": 10.0, "D": 7.0})
    with pytest.raises(kb.StructureError, match="too far to be closed"):
        kb.simulate(m, 0.1, q=[0.0, 2.0, 2.0, 0.0])


def test_drives_are_followed_while_other_joints_move_freely():
    """A driven crank of a five-bar keeps its law; its work is part of the balance."""
    at = np.array([(0, 0), (0.3, 0.4), (0.8, 1.0), (1.3, 0.5), (1.2, 0)])
    ends = ["ground", "a", "b", "c", "d"]
    joints = [
        kb.Revolute(n, ends[i], ends[(i + 1) % 5], at=tuple(at[i])) for i, n in enumerate("ABCDE")
    ]
    bodies = [rod(ends[i], at[i - 1], at[i]) for i in range(1, 5)]
    motor = kb.JointDrive("motor", "A", "0.5*sin(3*t)")
    m = kb.Mechanism("five-bar", bodies, joints, drives=[motor], plane="xy")
    run = kb.simulate(m, 0.3, times=7, **TIGHT)
    assert_allclose(run["A"], 0.5 * np.sin(3 * run.t), rtol=0, atol=1e-12)
    assert_allclose(run["v_A"], 1.5 * np.cos(3 * run.t), rtol=0, atol=1e-11)
    assert_allclose(run["a_A"], -4.5 * np.sin(3 * run.t), rtol=0, atol=1e-9)
    assert run.audit.residual < 1e-12
    assert run.audit.energy < 1e-9
    assert abs(run["work"][-1]) > 0.1


def test_a_tree_follows_its_drives():
    """A pendulum on a slide that is shaken: the same as in its accelerating frame."""
    g, amplitude, rate, length = 9.81, 0.05, 7.0, 0.4
    slide = kb.Prismatic("S", "ground", "cart", at=(0, 0), axis=(1, 0))
    pin = kb.Revolute("P", "cart", "bob", at=(0, 0))
    bob = kb.Body("bob", 1.0, (0, -length), 0.0)
    shake = kb.JointDrive("shake", "S", f"{amplitude} m*cos({rate}*t)")
    m = kb.Mechanism(
        "shaken", [kb.Body("cart", 2.0), bob], [slide, pin], drives=[shake], plane="xy"
    )
    run = kb.simulate(m, 1.0, q={"P": 0.3}, times=5, **TIGHT)
    pushed = amplitude * rate**2 * np.cos(rate * run.t)
    alone = -(g * np.sin(run["P"]) - pushed * np.cos(run["P"])) / length
    assert_allclose(run["a_P"], alone, rtol=0, atol=1e-9)
    assert run.audit.energy < 1e-9


@pytest.mark.parametrize("method", [kb.Method(rtol=1e-10), kb.Method("rk4", step=1e-3)], ids=repr)
def test_many_starts_run_like_each_alone(method):
    """Starts by name and speeds in lanes, each with its loops closed."""
    m = free_four_bar()
    angles, speeds = np.linspace(-0.5, 0.9, 11), np.linspace(5, 12, 11)
    runs = kb.simulate(m, 0.5, q={"A": angles}, v={"A": speeds}, times=3, method=method)
    assert runs.audit.residual.max() < 1e-12
    assert runs.audit.energy.max() < 1e-7
    for k in (0, 7):
        one = kb.simulate(m, 0.5, q={"A": angles[k]}, v={"A": speeds[k]}, times=3, method=method)
        assert_allclose(runs.q[k], one.q, rtol=0, atol=1e-9)


def test_many_steps_stay_closed():
    """Steps of one length: the residual stays, with spare rows and flat positions or not."""
    for m, name, lost in ((free_four_bar(), "A", 1e-5), (three_cranks(), "A0", 1e-3)):
        run = kb.simulate(m, 20.0, v={name: 10.0}, times=3, method=kb.Method("rk4", step=1e-3))
        assert run.audit.residual < 1e-12
        assert run.audit.energy < lost


def test_what_has_no_mass_is_named():
    """A freedom that moves no mass is refused; joints without inertia in loops are not."""
    m = free_four_bar()
    light = replace(m, bodies=[kb.Body(body.name) for body in m.bodies])
    with pytest.raises(kb.StructureError, match="A, B, D can move without moving any mass"):
        kb.simulate(light, 1.0)
    rocker = [kb.Body("coupler") if body.name == "coupler" else body for body in m.bodies]
    assert kb.simulate(replace(m, bodies=rocker), 0.5, times=2).audit.energy < 1e-6


def test_stops_events_and_the_stiff_method_take_loops():
    """A crank rebounds from its limit with all its energy; stiff steps give the same motion."""
    m = free_four_bar()
    bound = replace(m, joints=[replace(m.joints[0], upper=(2.0,)), *m.joints[1:]])
    run = kb.simulate(bound, 0.5, v={"A": 10.0}, events=kb.Stops(1.0), times=6, **TIGHT)
    assert run["A"].max() < 2.0
    assert run["v_A"][-1] < 0
    assert run.audit.energy < 1e-9
    assert run.audit.residual < 1e-12
    stiff = kb.simulate(
        m, 0.2, v={"A": 10.0}, times=2, method=kb.Method("stiff", rtol=1e-9, atol=1e-11)
    )
    free = kb.simulate(m, 0.2, v={"A": 10.0}, times=2, **TIGHT)
    assert_allclose(stiff.q, free.q, rtol=0, atol=1e-7)


@pytest.mark.parametrize("until", [1.0, 3.0])
def test_what_drives_move_altogether_stays_on_its_branch(until):
    """With no freedom left steps are as long as loops can be closed: the motion is `kb.motion`."""
    m = kb.linkages.slider_crank(0.05, 0.2)
    times = np.linspace(0, until, 7)
    moved, expected = kb.simulate(m, until, times=times), kb.motion(m, times)
    assert_allclose(moved.q, expected.q, rtol=0, atol=1e-12)
    assert_allclose(moved.a, expected.a, rtol=0, atol=1e-11)


@pytest.mark.usefixtures("optimised")  # the instant of a flat position, to the last digit
def test_a_lost_rank_is_told_whatever_times_are_asked_for():
    """Flat cranks between two rows are found as in the run that keeps every step."""
    m = three_cranks()
    upright = {m.coordinates[0]: 0.0}
    runs = [kb.simulate(m, 1.5, q=upright, v={m.velocities[0]: 3.0}, times=n) for n in (None, 2)]
    every, few = ([x for x in run.notes if "lose rank" in x] for run in runs)
    assert len(every) == 1
    assert few == every
    speeds = {m.velocities[0]: [3.0, 2.5, 3.0]}
    many = [x for x in kb.simulate(m, 1.5, q=upright, v=speeds).notes if "lose rank" in x]
    assert [many[0], many[2]] == [f"run {k}: {every[0]}" for k in (0, 2)]


def test_a_run_that_cannot_start_leaves_the_others_alone():
    """Of designs and of starts: nan and a reason for it, and for the others what they are alone."""
    m = replace(kb.linkages.four_bar(0.1, 0.3, 0.25, 0.3), drives=())
    rods = {"b": np.array([0.3, 0.01, 0.31])}
    runs = kb.simulate(m, 0.1, v={"A": 1.0}, parameters=rods, raise_on_failure=False)
    assert runs.status.tolist() == ["finished", "failed", "finished"]
    assert "cannot start at t = 0 s with b = 0.01: its loops or drives stay open" in runs.endings[1]
    assert np.isnan(runs.q[1]).all()
    good = kb.simulate(m, 0.1, v={"A": 1.0}, parameters={"b": rods["b"][[0, 2]]})
    assert_allclose(runs.q[[0, 2]], good.q, rtol=0, atol=1e-12)
    with pytest.raises(kb.SimulationError, match="1 of 3 runs failed, the first, 1") as failed:
        kb.simulate(m, 0.1, v={"A": 1.0}, parameters=rods)
    assert_allclose(failed.value.trajectory.q, runs.q, rtol=0, atol=0)
    rockers = {"D": [1.75, 0.1, 1.8]}
    assert kb.simulate(m, 0.1, q=rockers, raise_on_failure=False).status.tolist() == [
        *("finished", "failed", "finished")
    ]
    with pytest.raises(kb.StructureError, match="none of 2 runs can start; the first cannot start"):
        kb.simulate(m, 0.1, q={"D": [0.1, 0.2]}, raise_on_failure=False)


def fourbar1(crosses):
    """Fourbar1 of the Modelica Standard Library: seven joints of one freedom in a loop, the ball of
    three pins and the cross of two between links `crosses` that have no mass; or ball and cross.
    """
    A, P, Q, S = (0, 0, 0), (0, 0.5, 0.1), (1, 0.2, 0), (1, 0, 0)
    bodies = []
    for name, one, two in (("b1", A, P), ("b2", S, Q), ("b3", Q, P)):
        way, radius = np.subtract(two, one), 0.025
        length = np.linalg.norm(way)
        mass, x = 7700 * np.pi * radius**2 * length, way / length
        across = mass * (length**2 + 3 * radius**2) / 12
        tensor = across * np.eye(3) + (mass * radius**2 / 2 - across) * np.outer(x, x)
        bodies.append(kb.Body(name, mass, tuple(np.add(one, two) / 2), tensor))
    joints = [
        kb.Revolute("j1", "ground", "b1", at=A, axis=(1, 0, 0)),
        kb.Prismatic("j2", "ground", "b2", at=S, axis=(1, 0, 0)),
    ]
    pins = [("rev", "b2", "c3", Q, 1), ("rev1", "c3", "b3", Q, 2)]
    pins += [("j3", "b1", "c1", P, 0), ("j4", "c1", "c2", P, 1), ("j5", "c2", "b3", P, 2)]
    if crosses:
        bodies += [kb.Body(name) for name in ("c1", "c2", "c3")]
        joints += [
            kb.Revolute(name, parent, child, at=at, axis=tuple(np.eye(3)[k]))
            for name, parent, child, at, k in pins
        ]
    else:
        axes = {"axis": (0, 1, 0), "x_axis": (0, 0, 1)}
        joints += [kb.Universal("U", "b2", "b3", at=Q, **axes), kb.Spherical("S", "b1", "b3", at=P)]
    return kb.Mechanism("Fourbar1", bodies, joints, gravity=(0, -9.81, 0))


def test_crosses_without_mass_move_as_the_joints_that_they_stand_for():
    """Fourbar1 for five seconds and some six turns, from 300 degrees a second."""
    runs = [
        kb.simulate(fourbar1(crosses), 5.0, v={"j1": np.radians(300)}, times=6, **TIGHT)
        for crosses in (True, False)
    ]
    one, other = ([run["j1"], run["j2"], run["v_j1"]] for run in runs)
    assert one[0][-1] > 40.0
    assert_allclose(one, other, rtol=0, atol=1e-7)
    assert not any(run.notes for run in runs)
