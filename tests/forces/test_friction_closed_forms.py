"""Friction in closed form: Example 4.6, screws, wedges, teeth; what locks itself and what jams."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb


def actuator():
    """Example 4.6: an actuator 2-3 pulls slider 1 in its guide against a force."""
    P, Q = (0.30, 0.08), (0.05, 0.40)
    way = np.subtract(P, Q) / np.hypot(*np.subtract(P, Q))
    pin = {"friction": kb.Friction(coefficient=0.2, radius=0.02)}
    rough = kb.Friction(coefficient=0.15, half_height=0.03)
    along = {"at": (0.1, 0), "axis": (1, 0), "guide_length": 0.2}
    joints = [
        kb.Prismatic("0-1", "ground", "1", **along, friction=rough),
        kb.Revolute("2-1", "2", "1", at=P, **pin),
        kb.Prismatic("3-2", "3", "2", at=P, axis=way),
        kb.Revolute("0-3", "ground", "3", at=Q, **pin),
    ]
    push = kb.PointForce("F", "1", (500, 0, 0), (-0.10, -0.06, 0))
    drive = kb.JointDrive("actuator", "3-2", "-0.1*t")
    bodies = [kb.Body(name) for name in "123"]
    return kb.Mechanism("Example 4.6", bodies, joints, drives=[drive], forces=[push], plane="xy")


def test_example_4_6():
    """Section 5.5 of the specification: by the equations, and by lines that touch the circles."""
    m = actuator()
    found = kb.reactions(m, kb.motion(m, [0.0]), friction=True)
    assert_allclose(found.frictionless["2-1"].force[0, :2], (-500, 640), rtol=1e-9)
    assert_allclose(found["2-1"].force[0, :2], (-1091.9385, 1454.7580), rtol=0, atol=1e-4)
    N = found.contacts["0-1"][0, :, 1]
    assert_allclose(N, (1245.7494, -2700.5074), rtol=0, atol=1e-4)
    assert_allclose(found.friction["0-1"][0, 0], 591.9385, rtol=0, atol=1e-4)
    assert_allclose(found.friction["2-1"][0, 0], -7.134586, rtol=0, atol=1e-6)
    assert found.balance.audit < 1e-12
    h = kb.course.friction_circle(0.02, 0.2)
    line = kb.course.friction_line((0.30, 0.08), (0.05, 0.40), (h, h), (-1, -1), pulls=True)
    assert_allclose(np.degrees(np.arctan2(*line.direction[::-1])), 126.891822, rtol=0, atol=1e-6)
    assert_allclose(1818.9697 * line.direction, (-1091.9385, 1454.7580), rtol=0, atol=1e-4)
    drawing = kb.draw(kb.motion(m, [0.0]), friction=True)
    assert drawing.count("class='ring friction-circle'") == 2 and "times as large" in drawing
    sizes = {"half_height": 0.03, "length": 0.2}
    own = kb.course.guide_friction(tuple(N), 1.0, 0.15, **sizes)
    assert_allclose(own.T, 591.9385, rtol=0, atol=1e-4)
    back = kb.course.guide_normals((own.first, own.second), 1.0, 0.15, **sizes)
    assert_allclose(back, N, rtol=1e-12)


@pytest.mark.parametrize("mu", [0.1, 0.3])
def test_a_screw_lifts_and_locks_itself(mu):
    """M = Q r tan(lead angle +- rho); going down the load drives it only where rho is less."""
    r, lead, Q, flank = 0.01, 0.01, 1000.0, np.radians(15)
    rough = kb.Friction(coefficient=mu, radius=r, flank_angle=flank)
    screw = {"at": (0, 0, 0), "axis": (0, 0, 1), "lead": lead, "friction": rough}
    m = kb.Mechanism(
        "jack",
        [kb.Body("nut")],
        [kb.Screw("H", "ground", "nut", **screw)],
        drives=[kb.JointDrive("motor", "H", "t")],
        forces=[kb.PointForce("Q", "nut", (0, 0, -Q))],
    )
    slope, rho = np.arctan(lead / (2 * np.pi * r)), np.arctan(mu / np.cos(flank))
    up, down = (kb.reactions(m, [0.0], [way], [0.0], friction=True) for way in (1.0, -1.0))
    assert_allclose(up.driving["motor"], Q * r * np.tan(slope + rho), rtol=1e-12)
    assert_allclose(down.driving["motor"], Q * r * np.tan(slope - rho), rtol=1e-12)
    assert_allclose(up.efficiency, np.tan(slope) / np.tan(slope + rho), rtol=1e-12)
    assert bool(down.self_locking) == (rho > slope) == (mu == 0.3)
    assert ("self-locking" in str(down)) == (mu == 0.3)


def wedge(mu, driven):
    """A wedge of 20 degrees under a block, friction between them; 100 N on the other one."""
    slope = np.radians(20)
    rough = kb.Friction(coefficient=mu)
    joints = [
        kb.Prismatic("x", "ground", "wedge", at=(0, 0), axis=(1, 0)),
        kb.Prismatic("slope", "wedge", "block", at=(0, 0), axis=(-np.cos(slope), np.sin(slope)),
                     friction=rough),
        kb.Prismatic("y", "ground", "block", at=(0, 0), axis=(0, 1)),
    ]  # fmt: skip
    law, load = "0.1*t", ("block", (0, -100, 0))
    if driven == "y":
        law, load = "-0.1*t", ("wedge", (100, 0, 0))
    return kb.Mechanism(
        "wedge",
        [kb.Body("wedge"), kb.Body("block")],
        joints,
        drives=[kb.JointDrive("drive", driven, law)],
        forces=[kb.PointForce("load", *load)],
        plane="xy",
    )


def test_a_wedge_lifts_and_jams():
    """F = Q tan(slope + rho) lifts; pushed down, P = 100 / tan(slope - rho) until rho is slope."""
    slope = np.radians(20)
    m = wedge(0.2, "x")
    motion = kb.motion(m, [0.0, 1.0])
    found = kb.reactions(m, motion, friction=True)
    assert_allclose(found.driving["drive"], 100 * np.tan(slope + np.arctan(0.2)), rtol=1e-12)
    back = wedge(0.2, "y")
    motion = kb.motion(back, [0.0, 1.0])
    found = kb.reactions(back, motion, friction=True)
    assert_allclose(found.driving["drive"], -100 / np.tan(slope - np.arctan(0.2)), rtol=1e-12)
    found = kb.reactions(wedge(0.5, "y"), motion, friction=True)
    (jam,) = found.jams
    assert (jam.joint, jam.rows, jam.t_start, jam.t_end) == ("slope", slice(0, 2), 0.0, 1.0)
    assert_allclose(jam.reached * 0.5, np.tan(slope), rtol=1e-3)
    assert "in joint slope from t = 0 s to 1 s (y from 0 to -0.1)" in str(found)


def test_teeth_have_their_efficiency_whoever_drives():
    """Power out is eta times power in, from either wheel and for either sense of the load."""
    sizes = {"parent_radius": 0.1, "child_radius": 0.3, "pressure_angle": "20 deg"}
    teeth = {"at": (0.1, 0), "x_axis": (1, 0), "friction": kb.Friction(efficiency=0.9)}
    m = kb.Mechanism(
        "wheels",
        [kb.Body("one"), kb.Body("two")],
        [
            kb.Revolute("A", "ground", "one", at=(0, 0)),
            kb.Revolute("B", "ground", "two", at=(0.4, 0)),
            kb.GearMesh("Z", "one", "two", **teeth, **sizes),
        ],
        drives=[kb.JointDrive("drive", "A", "t")],
        forces=[kb.Moment("load", "two", (0, 0, "30*cos(10*t)"))],
        plane="xy",
    )
    found = kb.reactions(m, kb.motion(m, [0.0, 0.3]), friction=True)
    drive, load = found.balance.drives["drive"], found.balance.loads["load"]
    assert_allclose(drive, np.where(drive > 0, -load / 0.9, -load * 0.9), rtol=1e-12)


def test_what_begins_to_move_takes_the_coefficient_at_rest():
    """At v = 0 friction is that of rest, against the motion that begins."""
    rough = kb.Friction(coefficient=0.2, static=0.3)
    guide = kb.Prismatic("G", "ground", "box", at=(0, 0), axis=(1, 0), friction=rough)
    drive = kb.JointDrive("push", "G", "0.5*t^2")
    m = kb.Mechanism("box", [kb.Body("box", 2.0)], [guide], drives=[drive], plane="xy")
    found = kb.reactions(m, kb.motion(m, [0.0, 1.0]), friction=True)
    weight = 2.0 * 9.81
    assert_allclose(found.driving["push"], [2.0 + 0.3 * weight, 2.0 + 0.2 * weight], rtol=1e-12)


def test_all_that_friction_lacks_is_said_at_once():
    """Every joint without data that its law needs, each in a sentence of its own."""
    sizes = {"parent_radius": 0.1, "child_radius": 0.3}
    m = kb.Mechanism(
        "wheels",
        [kb.Body("one"), kb.Body("two"), kb.Body("three")],
        [
            kb.Revolute("A", "ground", "one", at=(0, 0), friction=kb.Friction(0.1)),
            kb.Revolute("B", "ground", "two", at=(0.4, 0),
                        friction=kb.Friction(stribeck_velocity=0.1)),
            kb.GearMesh("Z", "one", "two", at=(0.1, 0), x_axis=(1, 0), friction=kb.Friction(0.1),
                        **sizes),
            kb.Prismatic("T", "ground", "three", at=(1, 0), axis=(1, 0),
                         friction=kb.Friction(0.1, half_height=0.01)),
        ],
        drives=[kb.JointDrive("drive", "A", "t"), kb.JointDrive("push", "T", "t")],
        plane="xy",
    )  # fmt: skip
    with pytest.raises(kb.StructureError) as refused:
        kb.reactions(m, kb.motion(m, [0.0]), friction=True)
    for said in (
        "'A': friction of a pin needs its radius",
        "'B': stribeck_velocity needs the coefficient at rest, static",
        "'Z': friction of teeth needs the efficiency of the mesh",
        "'T': half_height needs the joint's guide_length, too",
    ):
        assert said in str(refused.value)


def test_a_crank_has_a_dead_zone_when_its_slider_drives():
    """The rod's line touches its circles; within the circle of the crank's pin it moves nothing."""
    r, rod, M, h = 0.1, 0.3, 20.0, kb.course.friction_circle(0.03, 0.3)
    start, end = np.radians(40), np.radians(3)
    x = [r * np.cos(a) + np.sqrt(rod**2 - (r * np.sin(a)) ** 2) for a in (start, end)]
    B = (r * np.cos(start), r * np.sin(start))
    pin = {"friction": kb.Friction(coefficient=0.3, radius=0.03)}
    m = kb.Mechanism(
        "driven by the slider",
        [kb.Body("crank"), kb.Body("rod"), kb.Body("slider")],
        [
            kb.Revolute("A", "ground", "crank", at=(0, 0), **pin),
            kb.Revolute("B", "crank", "rod", at=B, **pin),
            kb.Revolute("C", "rod", "slider", at=(x[0], 0), **pin),
            kb.Prismatic("G", "ground", "slider", at=(x[0], 0), axis=(1, 0)),
        ],
        drives=[kb.JointDrive("push", "G", f"{float(x[1] - x[0])!r}*t")],
        forces=[kb.Moment("load", "crank", (0, 0, M))],
        plane="xy",
    )
    motion = kb.motion(m, np.linspace(0, 1, 60))
    found = kb.reactions(m, motion, friction=True)
    crank, coupler = (motion.body(name).angular_velocity[:, 2] for name in ("crank", "rod"))
    force = []
    for k in range(len(motion.t)):
        places = [motion.point("rod", (*p, 0)).position[k, :2] for p in (B, (x[0], 0))]
        turning = (coupler[k] - crank[k], coupler[k])
        line = kb.course.friction_line(*places, (h, h), turning, pulls=True)
        (px, py), (ux, uy) = line
        force.append(M / (py * ux - px * uy - h))
    moves = np.array(force) > 0
    assert 0 < moves.sum() < len(moves)
    assert np.array_equal(found.jammed, ~moves)
    (jam,) = found.jams
    assert jam.joint in found.losses and jam.rows == slice(moves.sum(), len(moves))
    assert_allclose(
        np.linalg.norm(found["B"].force, axis=1)[moves], np.array(force)[moves], rtol=1e-9
    )


def test_coefficients_are_inputs_of_a_batch():
    """One program for many coefficients gives what each mechanism gives alone."""
    m = kb.loads("""
    name = "box"
    plane = "xy"
    parameters = {mu = 0.1, l = "80 mm"}
    body = [{name = "box", mass = 2.0, com = [0, 0.1]}]
    drive = [{name = "push", type = "joint", joint = "G", position = "0.1*t + 0.2*t^2"}]
    [[joint]]
    name = "G"
    type = "prismatic"
    parent = "ground"
    child = "box"
    at = [0, 0]
    axis = [1, 0.5]
    guide_length = "l"
    friction = {coefficient = "mu", half_height = "10 mm"}
    """)
    motion = kb.motion(m, [0.0, 0.5, 1.0])
    mus = np.array([[0.05], [0.2]])
    arrays = (x[None] for x in (motion.q, motion.v, motion.a))
    found = kb.reactions(m, *arrays, t=motion.t, friction=True, parameters={"mu": mus, "l": 0.1})
    assert found.balance.audit < 1e-12
    for mu, effort, efficiency in zip(
        mus[:, 0], found.driving["push"], found.efficiency, strict=True
    ):
        alone = kb.reactions(kb.redimension(m, mu=float(mu), l=0.1), motion, friction=True)
        assert_allclose(effort, alone.driving["push"], rtol=1e-12)
        assert_allclose(efficiency, alone.efficiency, rtol=1e-12)
