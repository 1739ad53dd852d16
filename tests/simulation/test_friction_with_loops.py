"""Dry friction in mechanisms with loops: it slips, halts and sticks as one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.testing import assert_allclose

import korba as kb

TIGHT = {"method": kb.Method(rtol=1e-11, atol=1e-13)}


def slider_crank(**more):
    """A crank, a rod and a slide with a guide of some length, which rubs as its first pin does."""
    pin, guide = kb.Friction(coefficient=0.2, radius="15 mm"), kb.Friction(coefficient=0.15)
    guide = replace(guide, half_height="20 mm")
    way = {"axis": (1, 0), "guide_length": "0.1 m", "friction": guide}
    joints = [
        kb.Revolute("A", "ground", "crank", at=(0, 0), friction=pin),
        kb.Revolute("B", "crank", "rod", at=(0.1, 0.05)),
        kb.Revolute("C", "rod", "slide", at=(0.5, 0)),
        kb.Prismatic("D", "ground", "slide", at=(0.5, 0), **way),
    ]
    bodies = [
        kb.Body("crank", 1, com=(0.02, 0.01), inertia=0.01),
        kb.Body("rod", 2, com=(0.3, 0.02), inertia=0.02),
        kb.Body("slide", 1.5, com=(0.52, 0.01), inertia=0.01),
    ]
    return kb.Mechanism("slider-crank", bodies, joints, plane="xy", **more)


def test_a_slider_crank_runs_down():
    """Its energy goes into friction, its slide turns back at dead points, then all of it rests."""
    m = slider_crank()
    run = kb.simulate(m, 3.0, v={"A": 10.0}, events="friction", **TIGHT)
    assert run.audit.energy < 1e-9
    assert run.audit.residual < 1e-10
    assert run.events[-1].name == "A halts"
    assert run["sticks_A"][-1] == 1
    assert_allclose(run.v[-1], 0.0, atol=1e-12)
    turned = run.events["D turns"]
    assert len(turned) >= 1
    assert_allclose(turned.v[:, 3], 0.0, atol=1e-9)
    assert run["work"][-1] < -0.5


def test_all_friction_holds_together():
    """A four-bar at rest moves when the torque on its crank exceeds sum M_i |v_i / v_A|."""
    at = {"A": (0, 0), "B": (0.2, 0.1), "C": (0.8, 0.5), "D": (1.0, 0.0)}
    ends = [("ground", "one"), ("one", "two"), ("two", "three"), ("ground", "three")]
    moments = dict(zip("ABCD", (0.1, 0.2, 0.05, 0.4), strict=True))
    joints = [
        kb.Revolute(n, *e, at=at[n], friction=kb.Friction(effort=moments[n]))
        for n, e in zip("ABCD", ends, strict=True)
    ]
    bodies = [kb.Body(n, 1, com=(0.3, 0.2), inertia=0.1) for n in ("one", "two", "three")]
    m = kb.Mechanism("four-bar", bodies, joints, plane="xy", gravity=(0, 0))
    driven = replace(m, drives=[kb.JointDrive("drive", "A", "t")])
    ratios = kb.motion(driven, [0.0, 1e-3]).v[0]
    most = float(np.abs(ratios) @ list(moments.values()))
    push = {"A": f"{most} * (1 + 2*(t - 1))"}  # at t = 1 s it is enough
    run = kb.simulate(m, 1.2, tau=push, events="friction", times=3, **TIGHT)
    assert [each.name for each in run.events] == ["A slips"]
    assert_allclose(run.events.t, 1.0, atol=1e-10)
    assert run["A"][-1] > 1e-3
    assert run.audit.energy < 1e-9


def test_a_drive_does_the_work_of_friction():
    """What a drive gives less what friction takes is the work of the run."""
    m = slider_crank(drives=[kb.JointDrive("drive", "A", "5*t + 2*t^2")])
    times = np.linspace(0.0, 1.0, 401)
    run = kb.simulate(m, 1.0, events="friction", times=times, **TIGHT)
    assert run.audit.energy < 1e-9
    assert [name for name in run.events.names if name.startswith("D")] == ["D turns"]
    given = kb.reactions(m, run.q, run.v, run.a, t=run.t, friction=True)
    lost = sum(given.losses.values())
    power = given.efforts[:, 0] * run["v_A"] - lost
    steps = np.diff(run.t) * (power[1:] + power[:-1]) / 2
    assert_allclose(np.sum(steps), run["work"][-1], rtol=1e-3)
    assert np.sum(lost) > 0


def test_a_gear_that_breaks_free_slips_from_the_first_row():
    """A motor starts a planetary gear whose meshes lose power: its first rows are of that motion,
    and so are the forces in all joints.
    """
    m = kb.linkages.planetary("30 mm", "20 mm", 1)
    lossy = {"S1", "R1"}
    joints = [
        replace(joint, friction=kb.Friction(efficiency=0.97)) if joint.name in lossy else joint
        for joint in m.joints
    ]
    forces = [kb.JointForce("motor", "A", law="2"), kb.JointForce("load", "C", law="-1")]
    m = replace(m, joints=joints, drives=(), forces=forces)
    run = kb.simulate(m, 1e-3, events="friction")
    assert not len(run.events)
    assert_allclose(run.a[0], run.a[1], rtol=1e-6, atol=1e-6 * np.abs(run.a).max())
    assert run["a_A"][0] > 0
    force = kb.reactions(m, run, friction=True)["C"].force
    assert_allclose(force[0], force[1], rtol=0, atol=1e-6 * np.abs(force).max())


def lossy_gear():
    """LossyGearDemo1 of the Modelica Standard Library, its ratio 2 by wheels of 1 m and 2 m.

    Wheels in mesh turn against each other, so the load has the other sign.
    """
    bodies = [kb.Body("one", 1, (0, 0), 1.0), kb.Body("two", 1, (3, 0), 1.5)]
    wheels = {"parent_radius": 1, "child_radius": 2, "friction": kb.Friction(efficiency=0.5)}
    joints = [
        kb.Revolute("A", "ground", "one", at=(0, 0)),
        kb.Revolute("B", "ground", "two", at=(3, 0)),
        kb.GearMesh("G", "one", "two", at=(1, 0), **wheels),
    ]
    drive = kb.JointForce("drive", "A", law="10*sin(2*pi*t)")
    load = kb.JointForce("load", "B", law="10 - 2.5*min(t, 2)")
    given = {"forces": [drive, load], "gravity": (0, 0, 0)}
    return kb.Mechanism("lossy gear", bodies, joints, plane="xy", **given)


def lossy_reference(until, h):
    """Speed of the second wheel and the times at which it halts and slips, by short steps.

    2 J_1 a = T_1 - x and J_2 a = T_2 + 2 e x with x the moment into the gear: e = 1/2 where it
    drives (x w > 0), 2 where it is driven; at rest it stays unless one sign of w agrees.
    """
    w, sign, changes = 0.0, 0, []

    def rate(t, sign):
        drive, load = 10 * np.sin(2 * np.pi * t), 2.5 * t - 10
        for e, way in ((0.5, 1), (2.0, -1)):
            a = (load + 2 * e * drive) / (1.5 + 4 * e)
            if (drive - 2 * a) * sign * way >= 0:
                return a
        raise AssertionError

    for t in np.arange(0, until, h):
        if not sign:
            sign = 1 if rate(t, 1) > 0 else -1 if rate(t, -1) < 0 else 0
            changes += [t] if sign else []
        if sign:
            w += h * rate(t + h / 2, sign)
            if w * sign <= 0 and t - changes[-1] > 10 * h:
                w, sign = 0.0, 0
                changes.append(t)
    return w, changes[1:]


def test_a_lossy_gear_sticks_and_lets_go_under_loads_in_time():
    """It rolls back, sticks, rolls forward, sticks and rolls back, where its moments say so."""
    run = kb.simulate(lossy_gear(), 1.0, events="friction", times=2)
    speed, changes = lossy_reference(1.0, 2e-5)
    names = [each.name for each in run.events]
    assert names == ["G.rolling halts", "G.rolling slips"] * 2
    assert_allclose(run.events.t, changes, atol=5e-5)
    assert_allclose(run["v_B"][-1], -speed, atol=5e-5)
