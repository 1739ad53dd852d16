"""Examples 4.1 to 4.5 of the textbook to the digits of their tests, by every method."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from book_statics import four_bar, parallelogram, slider_crank, slow_lift, yoke
from numpy.testing import assert_allclose

import korba as kb
from korba.codegen import evaluate_program

METHODS = ("newton-euler", "multipliers", "groups", "virtual-work", "lever")
DIGITS = {"rtol": 0, "atol": 6e-7}


@cache
def at_drawing(m):
    """The motion at t = 0."""
    return kb.motion(m, [0.0])


def forces_of(m, method="groups"):
    """Reactions at the drawing, planar components by the name of the joint."""
    found = kb.reactions(m, at_drawing(m), method=method)
    return {name: found[name].force[0, :2] for name in found.joints}, found


def driving(m, method):
    """What the only drive has to do at the drawing."""
    return float(kb.driving_forces(m, at_drawing(m), method=method).efforts[0, 0])


def test_example_4_1_slow_lift():
    """A weight is held by an actuator: two-force bar, three-force links."""
    m = slow_lift()
    F, found = forces_of(m)
    assert_allclose(-F["B"], (720, 1680), atol=1e-9)
    assert_allclose(F["A"], (-720, -680), atol=1e-9)
    assert_allclose(F["D"], (1573.3333, -168.8889), atol=6e-5)
    assert_allclose(found.driving["actuator"], 2036.3123, atol=6e-5)
    pushed = kb.course.force_plan(at_drawing(m))["three"]["P_actuator"]
    assert_allclose(pushed, (-853.3333, 1848.8889), atol=6e-5)


@pytest.mark.parametrize("method", METHODS)
def test_example_4_3_four_bar(method):
    """The 9 x 9 matrix of the four-bar, and every other way."""
    assert_allclose(driving(four_bar(), method), 4.896634, **DIGITS)


def test_example_4_3_reactions_and_4_2_by_its_group():
    """Pair forces, and the split of the group RRR into tangential and normal ones."""
    m = four_bar()
    for method in METHODS[:3]:
        F, _ = forces_of(m, method)
        assert_allclose(F["A"], (-24.483172, -40.574082), **DIGITS)
        assert_allclose(-F["B"], (24.483172, 30.574082), **DIGITS)
        assert_allclose(F["C"], (-16.245982, -0.486531), **DIGITS)
        assert_allclose(F["D"], (10.068089, -7.079132), **DIGITS)
    plan = kb.course.force_plan(at_drawing(m))
    polygon = plan["coupler"]
    sizes = {"B": (-37.088695, -12.594796), "D": (-11.107254, -5.301834)}
    for name, parts in sizes.items():
        for part, size in zip("nt", parts, strict=True):
            assert_allclose(np.linalg.norm(polygon[f"F^{part}_{name}"]), abs(size), **DIGITS)
        assert_allclose(polygon[f"F_{name}"], polygon[f"F^n_{name}"] + polygon[f"F^t_{name}"])
    assert_allclose(polygon["F_C"], (16.245982, 0.486531), **DIGITS)
    assert max(each.residual for each in plan.polygons) < 1e-12
    assert [each.group.signature for each in plan.polygons] == ["RRR", "R"]


def test_group_rrt_of_a_slider_crank():
    """Tangential and normal parts, guide force, inner force and torque."""
    m = slider_crank()
    F, _ = forces_of(m)
    assert_allclose(F["B"], (69.305242, -37.970054), **DIGITS)
    assert_allclose(-F["C"], (-89.317281, 17.185444), **DIGITS)
    assert_allclose(F["guide"], (0, 17.185444), **DIGITS)
    polygon = kb.course.force_plan(at_drawing(m))["rod"]
    assert_allclose(np.linalg.norm(polygon["F^t_B"]), 16.346859, **DIGITS)
    assert_allclose(np.linalg.norm(polygon["F^n_B"]), 77.315728, **DIGITS)
    for method in METHODS:
        assert_allclose(driving(m, method), -7.900513, **DIGITS)


def test_two_contacts_of_a_guide():
    """Of a load beside the slide axis: which contact carries what, on which side."""
    motion = kb.motion(slider_crank(0.02), [0.0])
    contacts = kb.course.guide_contacts(motion, "guide")
    assert_allclose((contacts.N1[0], contacts.N2[0]), (41.926056, -24.740611), **DIGITS)
    assert_allclose(contacts.offset, -0.116378, **DIGITS)
    assert contacts.sides.tolist() == [[1, -1]]
    assert "N2" in str(contacts)
    wider = kb.course.guide_contacts(motion, "guide", 0.6)
    assert_allclose(wider.N1 + wider.N2, contacts.N1 + contacts.N2)
    assert wider.sides.tolist() == [[1, 1]]
    with pytest.raises(kb.StructureError, match="'A' is no prismatic guide, but revolute"):
        kb.course.guide_contacts(motion, "A")


def test_two_contacts_with_friction():
    """The same guide where pins and guide rub: less torque brakes, the contacts change."""
    pin = kb.Friction(coefficient=0.1, radius=0.02)
    guide = kb.Friction(coefficient=0.12, half_height=0.02)
    m = slider_crank(0.02)
    joints = [replace(j, friction=guide if j.name == "guide" else pin) for j in m.joints]
    motion = kb.motion(replace(m, joints=joints), [0.0])
    contacts = kb.course.guide_contacts(motion, "guide", friction=True)
    assert_allclose((contacts.N1[0], contacts.N2[0]), (38.067777, -24.201567), **DIGITS)
    torque = kb.driving_forces(motion.mechanism, motion, friction=True)["motor"]
    assert_allclose(torque, -6.805316, **DIGITS)


def test_parallelogram_by_virtual_work():
    """M = a sin(theta) F_x - a cos(theta) F_y, from (4.42)."""
    theta, expected = 0.9, 0.2 * (np.sin(0.9) * 3.0 + np.cos(0.9) * 7.0)
    for method in METHODS:
        assert_allclose(driving(parallelogram(theta), method), expected, rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_examples_4_4_and_4_5_yoke(method):
    """The book's M counts against the crank's angle: the drive has 0.690265."""
    assert_allclose(driving(yoke(), method), 0.690265, **DIGITS)


def test_contact_force_of_the_yoke():
    """The pin pushes the yoke across its slot."""
    m = yoke()
    F, _ = forces_of(m, "multipliers")
    assert_allclose(np.linalg.norm(F["B"]), 5.562064, **DIGITS)
    assert_allclose(F["B"] @ np.array(m.joint("B").at[:2]), 0.0, atol=1e-12)


def test_example_3_5_with_the_masses_of_4_11():
    """A crank and a coupler whose end slides on the base: forces at t = 0."""
    theta, w = np.pi / 4, np.array([0.0, 0.2])
    u = np.array([np.cos(theta), np.sin(theta)])
    B = w + 0.18 * u
    fall = np.arcsin(B[1] / 0.62)
    C = np.array([B[0] + 0.62 * np.cos(fall), 0.0])
    S = C + 0.25 * (B - C) / 0.62
    joints = [
        kb.Revolute("A", "ground", "crank", at=w),
        kb.Revolute("B", "crank", "rod", at=B),
        kb.PinInSlot("C", "ground", "rod", at=C, axis=(1, 0)),
    ]
    bodies = [kb.Body("crank", 0.6, w + 0.07 * u, 0.004), kb.Body("rod", 1.45, S, 0.01)]
    drive = kb.JointDrive("motor", "A", "10*t")
    m = kb.Mechanism("yoke", bodies, joints, drives=[drive], plane="xy")
    for method in METHODS[:3]:
        F, found = forces_of(m, method)
        assert_allclose(F["A"], (-18.27055, 10.93619), atol=6e-6)
        assert_allclose(F["B"], (-15.30070, 8.02004), atol=6e-6)
        assert_allclose(F["C"], (0, -1.23727), atol=6e-6)
        assert_allclose(found.driving["motor"], 3.25959, atol=6e-6)


def test_force_polygons_are_drawn():
    """Every force that is not zero has an arrow with its name, and its group a title."""
    plan = kb.course.force_plan(at_drawing(four_bar()))
    picture = str(kb.draw(plan))
    for polygon in plan.polygons:
        title = f"{polygon.group.signature}: {', '.join(polygon.group.bodies)}"
        assert title in picture
        for vector in (*polygon.vectors, *polygon.inner):
            assert f"<title>{vector.name}</title>" in picture
    assert picture.count("10 N</text>") == 2
    assert "F^t_D" in str(plan)
    with pytest.raises(kb.StructureError, match="there is no link 'wheel'; there are coupler"):
        plan["wheel"]
    with pytest.raises(kb.StructureError, match="no force 'F_Z'; there are"):
        plan["crank"]["F_Z"]


@pytest.mark.parametrize("method", METHODS)
def test_driving_forces_are_differentiated(method):
    """By every method: slopes by q, v and a are those of finite differences."""
    m = slider_crank()
    motion, h = at_drawing(m), 1e-6
    value = kb.driving_forces.program(m, method=method)
    slopes = evaluate_program(
        kb.derivative(kb.driving_forces, m, ("q", "v", "a"), method=method),
        *(x[0] for x in states(motion)),
    )
    for k, slope in enumerate(slopes):
        for j, step in enumerate(h * np.eye(m.nv)):
            up, down = (
                [x[0] + sign * step * (i == k) for i, x in enumerate(states(motion))]
                for sign in (1, -1)
            )
            change = evaluate_program(value, *up) - evaluate_program(value, *down)
            assert_allclose(slope[..., j], change / (2 * h), rtol=1e-6, atol=1e-5)


def states(motion):
    """q, v and a of a motion."""
    return motion.q, motion.v, motion.a


SIZED = """
plane = "xy"
parameters = {r = 0.1, l = 0.3}
body = [
  {name = "crank", mass = 1.0, com = ["r/2", 0], inertia = 0.01},
  {name = "rod", mass = 2.0, com = ["r + l/2", 0], inertia = 0.02},
  {name = "box", mass = 0.7},
]
joint = [
  {name = "A", type = "revolute", parent = "ground", child = "crank", at = [0, 0]},
  {name = "B", type = "revolute", parent = "crank", child = "rod", at = ["r", 0]},
  {name = "C", type = "revolute", parent = "rod", child = "box", at = ["r + l", 0]},
  {name = "D", type = "prismatic", parent = "ground", child = "box", at = [0, 0], axis = [1, 0]},
]
drive = [{name = "motor", joint = "A", position = "3*t"}]
"""


@pytest.mark.parametrize("method", METHODS)
def test_sizes_are_inputs_of_every_method(method):
    """One program serves every design: it gives what that of the design gives."""
    m = kb.loads(SIZED)
    longer = kb.redimension(m, r=0.13)
    program = kb.driving_forces.program(m, method=method, parameters=("r",))
    q, v, a = np.random.default_rng(3).uniform(-0.5, 0.5, (3, 4))
    expected = evaluate_program(kb.driving_forces.program(longer, method=method), q, v, a)
    assert_allclose(evaluate_program(program, q, v, a, [0.13]), expected, rtol=1e-12)
