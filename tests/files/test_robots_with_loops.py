"""Legs and grippers of MJCF files with loops: they rest where MuJoCo's do, fall, and are driven."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb

mujoco = pytest.importorskip("mujoco")

EXAMPLE = Path(__file__).parents[2] / "examples" / "53_leg_with_loops.py"
FINGER = """
<body name="driver{0}" pos="{1} 0 .05"><joint name="driver{0}" axis="0 {2} 0" stiffness=".2"/>
  <geom size=".01" mass=".03" pos="{3} 0 .01"/>
  <body name="coupler{0}" pos="{4} 0 .03"><joint name="coupler{0}" axis="0 {2} 0"/>
    <geom size=".01" mass=".02" pos="0 0 .02"/></body></body>
<body name="link{0}" pos="{5} 0 .06"><joint name="link{0}" axis="0 {2} 0" stiffness=".5"/>
  <geom size=".01" mass=".03" pos="{3} 0 .02"/>
  <body name="pad{0}" pos="{6} 0 .04"><joint name="pad{0}" axis="0 {2} 0"/>
    <geom size=".01" mass=".02" pos="0 0 .03"/></body></body>"""
RIGHT = FINGER.format("R", ".03", "1", ".015", ".03", ".01", ".02")
LEFT = FINGER.format("L", "-.03", "-1", "-.015", "-.03", "-.01", "-.02")
GRIPPER = f"""
<mujoco model="gripper">
<default><geom contype="0" conaffinity="0"/><joint damping=".001"/></default>
<worldbody>{RIGHT}{LEFT}</worldbody>
<equality>
  <connect body1="couplerR" body2="padR" anchor=".0 0 .05"/>
  <connect body1="couplerL" body2="padL" anchor=".0 0 .05"/>
  <joint joint1="driverL" joint2="driverR" polycoef="0 1 0 0 0"/>
</equality></mujoco>"""


def leg_text():
    """The leg of the example."""
    tree = ast.parse(EXAMPLE.read_text("utf-8"))
    return next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "TEXT"
    )


def both(text, folder):
    """The mechanism of a text, and MuJoCo's own model of it with stiff constraints."""
    file = folder / "robot.xml"
    file.write_text(text)
    model = mujoco.MjModel.from_xml_path(str(file))
    model.eq_solref[:] = (2 * model.opt.timestep, 1)
    model.eq_solimp[:] = (0.9999, 0.9999, 0.001, 0.5, 2)
    return kb.read_mjcf(file), model


def qpos(m, model, rest):
    """MuJoCo's coordinates of a position."""
    names = [*m.coordinates]
    found = np.array(model.qpos0)
    values = kb.assemble(m, {names[0]: rest[names[0]]}).values if m.couplings else {}
    for k in range(model.njnt):
        name, place = model.joint(k).name, model.jnt_qposadr[k]
        own = [x for x in names if x == name or x.startswith(f"{name}.")]
        parts = [rest[x] for x in own] or [values[name]]
        found[place : place + len(parts)] = parts
    return found


@pytest.mark.parametrize("text", [leg_text(), GRIPPER], ids=["leg", "gripper"])
def test_robots_rest_where_mujocos_do(text, tmp_path):
    """At Korba's equilibrium MuJoCo's constraints are met and nothing accelerates."""
    m, model = both(text, tmp_path)
    rest = kb.equilibrium(m)
    assert rest.stable
    assert rest.residual < 1e-9
    data = mujoco.MjData(model)
    data.qpos = qpos(m, model, rest)
    mujoco.mj_forward(model, data)
    assert_allclose(data.efc_pos, 0.0, atol=1e-9)
    free = np.abs(data.qacc_smooth).max()  # what it would be without constraints
    assert np.abs(data.qacc).max() < 1e-3 * free


def test_a_driven_gripper_falls(tmp_path):
    """On a free joint the mass centre falls by g t^2 / 2 whatever a drive does with the finger."""
    loose = '<worldbody><body name="hand" pos="0 0 1"><freejoint name="float"/>'
    loose += f'<geom size=".03" mass=".5"/>{RIGHT}</body></worldbody>'
    inside = GRIPPER[GRIPPER.index("<connect") : GRIPPER.index("/>\n  <connect") + 2]
    head = GRIPPER[: GRIPPER.index("<worldbody>")]
    m, _ = both(f"{head}{loose}<equality>{inside}</equality></mujoco>", tmp_path)
    m = replace(m, drives=[kb.JointDrive("motor", "driverR", "-4*t^2")])
    run = kb.simulate(m, 0.2, times=3)
    z = kb.centre_of_mass(m, run.q)[..., 2]
    assert_allclose(z - z[0], -9.81 * run.t**2 / 2, atol=1e-8)
    assert_allclose(run["driverR"][-1], -0.16, atol=1e-9)
    assert run.audit.residual < 1e-10


def test_loops_that_are_open_as_drawn_are_closed(tmp_path):
    """Sites that do not meet in qpos0 are brought together, and a note says what was moved."""
    joint = '<joint name="{0}" axis="0 1 0"/><geom size=".05"/>'
    link = f'<body name="{{0}}" pos="{{1}} 0 {{2}}">{joint}{{3}}</body>'
    tip = '<site name="{0}" pos="0 0 1"/>'
    arm = link.format("a", 0, 0, link.format("b", 0, 1, tip.format("P")))
    text = (
        f"<mujoco><worldbody>{arm}{link.format('c', 0.6, 0, tip.format('Q'))}</worldbody>"
        '<equality><connect name="pin" site1="P" site2="Q"/></equality></mujoco>'
    )
    m, _ = both(text, tmp_path)
    assert any(note.startswith("drawing:") for note in m.notes)
    assert kb.mobility(m).actual == 1
    q = kb.assemble(m, {})
    assert_allclose(q.point("b", "P"), q.point("c", "Q"), atol=1e-9)
