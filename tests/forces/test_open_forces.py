"""Unique forces by name, frames of forces, missing drives, and what is said of bad input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference_mechanisms import driven, engine, pins, reference, three_cranks

import korba as kb

ANGLE = np.deg2rad(52.5)


def aligned(m):
    """The three cranks with joint frames whose x axes lie along the cranks."""
    along = (float(np.cos(ANGLE)), float(np.sin(ANGLE)), 0.0)
    return replace(m, joints=[replace(joint, x_axis=along) for joint in m.joints])


@pytest.fixture(scope="module")
def cranks():
    """Case P8 at 52.5 degrees, moving."""
    m = aligned(three_cranks(ANGLE, 6.0, 4.0))
    motion = kb.motion(m, [0.0, 0.02])
    return m, motion, kb.reactions(m, motion)


def test_p8_what_is_unique_is_named(cranks):
    """Across the crank a pin's force is unique, along it not; in world axes both components are."""
    m, motion, forces = cranks
    _, _, results = reference("p8_three_cranks")
    assert results["redundant"] == 1
    assert forces.unique == ("drive", *(f"{end}{i}.mz" for end in "AB" for i in (1, 2, 3)))
    assert forces.not_unique[:3] == ("A1.fx", "A1.fy", "A2.fx")
    own = kb.reactions(m, motion, at="child").in_joint().not_unique
    assert own[:3] == ("A1.fx", "A2.fx", "A3.fx")  # pins B turn with the coupler
    parent = kb.reactions(m, motion, at="parent").in_joint()
    assert [name for name in parent.not_unique if name[0] == "B"] == ["B1.fx", "B2.fx", "B3.fx"]
    assert "not unique: A1.fx, fy" in str(forces)


def test_p8_the_null_vector_is_that_of_the_reference(cranks):
    """What may be added is (4, -7, 3) along the cranks, up to a factor."""
    _, _, forces = cranks
    _, _, results = reference("p8_three_cranks")
    null = results["null_vector_at_52_5_deg"]
    expected = np.array(null["force_xy"])
    expected = expected / np.linalg.norm(expected)
    for name, own in zip(null["order"], expected, strict=True):
        i = forces.joints.index(name)
        assert_allclose(forces.open[0, i, 3:5, 3:5], np.outer(own, own), rtol=0, atol=1e-12)


def test_forces_of_a_joint_in_its_own_axes(cranks):
    """Turned by the joint's frame; moments about any point are the same in both axes."""
    m, motion, forces = cranks
    wrench, own = forces["B2"], kb.reactions(m, motion).in_joint()["B2"]
    R = motion.body("coupler").rotation @ np.array(
        [[np.cos(ANGLE), -np.sin(ANGLE), 0], [np.sin(ANGLE), np.cos(ANGLE), 0], [0, 0, 1]]
    )
    assert_allclose(own.force, np.einsum("tji,tj->ti", R, wrench.force), rtol=0, atol=1e-11)
    assert_allclose(wrench.in_joint().force, own.force, rtol=0, atol=1e-11)
    assert_allclose(own.in_world().force, wrench.force, rtol=0, atol=1e-11)
    about = own.about((0.3, -0.2, 0)).in_world()
    assert_allclose(about.moment, wrench.about((0.3, -0.2, 0)).moment, rtol=0, atol=1e-11)
    assert own.in_joint() is own
    assert wrench.in_world() is wrench
    force, _, _ = wrench
    assert force is wrench.force


def test_all_that_holds_a_body(cranks):
    """On a crank: its lower pin as it is, its upper pin reversed; they carry its motion."""
    m, motion, forces = cranks
    on = forces.on("crank2")
    assert list(on) == ["A2", "B2"]
    assert_allclose(on["B2"].force, -forces["B2"].force)
    body = m.body("crank2")
    at = motion.point("crank2", body.com)
    held = sum(wrench.force for wrench in on.values())
    assert_allclose(held, body.mass * (at.acceleration - np.array(m.gravity)), rtol=0, atol=1e-10)
    with pytest.raises(kb.StructureError, match="no joint holds a body 'wheel'"):
        forces.on("wheel")


def test_forces_of_a_tree_in_joint_axes():
    """A pendulum: along its rod the centrifugal force and the weight, whatever the angle."""
    rod = kb.Body("rod", 2.0, (0.5, 0, 0), 0.1)
    m = kb.Mechanism("pendulum", [rod], pins(("A", "ground", "rod", (0, 0))), plane="xy")
    found = kb.reactions(m, [0.4], [3.0], [0.0]).in_joint()["A"]
    across = 2 * 9.81 * np.cos(0.4)
    assert_allclose(found.force, (-2 * 0.5 * 9 + 2 * 9.81 * np.sin(0.4), across, 0), atol=1e-12)
    world = kb.reactions(m, [0.4], [3.0], [0.0])["A"]
    assert_allclose(world.in_joint().force, found.force, atol=1e-12)


def test_stiffness_as_a_field_of_the_joints(cranks):
    """The same as given by name; a joint without one is rigid, and carries as stiff ones do."""
    m, motion, least = cranks
    own = replace(m, joints=[replace(joint, bearing_stiffness=2e7) for joint in m.joints])
    found = kb.reactions(own, motion.q, motion.v, motion.a, distribution="elastic")
    assert_allclose(found.force, least.force, rtol=0, atol=1e-9)


def test_a_drive_alone_that_needs_more_than_its_limit_is_noted(cranks):
    """There is no other to help it: the efforts stay, with a note."""
    m, motion, forces = cranks
    found = kb.driving_forces(m, motion, distribution=kb.Distribution(limits={"drive": 0.5}))
    assert_allclose(found["drive"], forces.driving["drive"], rtol=1e-9)
    assert "drive 'drive' needs" in found.notes[0]
    assert "beyond -0.5 to 0.5" in found.notes[0]


def test_with_friction_nothing_is_unique_where_forces_are_open(cranks):
    """Friction follows the forces, and carries what is open to all others."""
    m, motion, _ = cranks
    rough = kb.Friction(coefficient=0.1, radius=0.01)
    m = replace(m, joints=[replace(joint, friction=rough) for joint in m.joints])
    found = kb.reactions(m, motion.q, motion.v, motion.a, friction=True)
    assert found.unique == ()
    assert "none is unique" in found.notes[-1]


def test_missing_drives_are_named():
    """One freedom: any of its pins; two: a set of them; an idle spin is none."""
    m = three_cranks(0.7, 6.0, 4.0)
    zero = [0.0] * m.nv
    with pytest.raises(kb.StructureError, match=r"drive the coordinate 'A1' \(or 'A2', 'A3', 'B1'"):
        kb.reactions(replace(m, drives=()), zero, zero, zero)
    at = [(0, 0), (0.1, 0.4), (0.55, 0.7), (0.9, 0.35), (1, 0)]
    names = ["ground", "1", "2", "3", "4", "ground"]
    joints = pins(
        *((j, *names[i : i + 2], p) for i, (j, p) in enumerate(zip("ABCDE", at, strict=True)))
    )
    bodies = [kb.Body(name, 1.0, inertia=0.1) for name in names[1:5]]
    five = kb.Mechanism("five-bar", bodies, joints, plane="xy")
    with pytest.raises(kb.StructureError, match="drive 2 coordinates, such as 'A' and 'E'"):
        kb.reactions(five, [0.0] * 5, [0.0] * 5, [0.0] * 5)


def test_what_cannot_be_is_said(cranks):
    """Stiffness, weights and limits that are no such thing, each in a sentence."""
    m, motion, _ = cranks
    wrong = [
        ("even", "distribution: expected 'least', 'elastic' or a kb.Distribution"),
        ("elastic", "no joint gives way; give stiffness such as"),
        ({"stiffness": {"Z": 1e7}}, "there is no joint 'Z'"),
        ({"stiffness": {"A1": -1.0}}, "stiffness of 'A1': expected"),
        ({"stiffness": {"A1": (1, 2, 3)}}, "a number against shifts"),
        ({"weights": {"motor": 1.0}}, "weights: there is no drive 'motor'; there are drive"),
        ({"weights": {"drive": 0.0}}, "weight of 'drive': expected a number above 0"),
        ({"limits": {"motor": 1.0}}, "limits: there is no drive 'motor'"),
        ({"limits": {"drive": (2.0, 1.0)}}, "limit of 'drive': expected the largest effort"),
        ({"limits": {"drive": "3 kg"}}, "limit of 'drive'"),
        ({"limits": 3}, "limits: expected"),
    ]
    for given, sentence in wrong:
        asked = given if isinstance(given, str) else kb.Distribution(**given)
        with pytest.raises(kb.StructureError, match=sentence.replace("(", r"\(")):
            kb.reactions(m, motion, distribution=asked)


def test_an_unfinished_motion_is_refused(cranks):
    """With why it ended, and how to ask for what there is."""
    m, motion, _ = cranks
    stopped = replace(motion, ended="interrupted", message="interrupted at t = 0.02 s")
    with pytest.raises(kb.StructureError, match=r"was not finished \(interrupted at t = 0.02 s\)"):
        kb.reactions(m, stopped)


def test_a_body_without_mass_is_noted():
    """By its name, where others have mass."""
    m = engine()
    light = replace(m, bodies=[replace(m.bodies[0], mass=0.0), *m.bodies[1:]])
    found = kb.reactions(light, kb.motion(light, [0.0]))
    assert found.notes == ("body 'crank' has no mass: its weight and inertia are left out",)


def test_efforts_of_three_drives_within_the_limits_of_their_joints():
    """One torque by three cranks: shared evenly, or up to max_effort."""
    m = three_cranks(0.7, 6.0, 4.0)
    laws = [kb.JointDrive(f"d{i}", f"A{i}", driven(0.0, 6.0, 4.0)) for i in (1, 2, 3)]
    one = kb.driving_forces(m, motion := kb.motion(m, [0.0, 0.2]))["drive"]
    three = replace(m, drives=laws)
    even = kb.driving_forces(three, motion)
    assert_allclose(even.efforts, one[:, None] / [3, 3, 3], rtol=1e-9)
    weak = replace(three, joints=[replace(m.joints[0], max_effort=1.0), *m.joints[1:]])
    most = np.sign(one)[:, None] * np.stack([0 * one + 1, *[(np.abs(one) - 1) / 2] * 2], axis=1)
    assert_allclose(kb.driving_forces(weak, motion).efforts, most, rtol=1e-8)
    one_way = {"d1": (2.0, 5.0), "d2": 0.0}
    found = kb.driving_forces(
        three, motion.q, 0 * motion.v, 0 * motion.a, distribution=kb.Distribution(limits=one_way)
    )
    still = kb.driving_forces(m, motion.q, 0 * motion.v, 0 * motion.a)["drive"]
    pulled = np.clip(still / 2, 2.0, 5.0)
    assert_allclose(found.efforts, np.stack([pulled, 0 * still, still - pulled], axis=1), atol=1e-8)
    few = kb.driving_forces(
        three,
        motion,
        distribution=kb.Distribution(limits=dict.fromkeys(["d1", "d2", "d3"], "2 N*m")),
    )
    assert np.isnan(few.efforts).all()
    assert "at position 0 these are at their limits: 'd1' at 2" in few.notes[-1]


def test_sizes_as_inputs_give_the_forces_of_every_design():
    """One program for all lengths of a four-bar, the same as each made anew."""
    m = kb.linkages.four_bar(0.2, 0.6, 0.6, 0.8, at="90 deg")
    b = np.array([0.58, 0.63])
    motion = kb.motion(m, [0.1, 0.3], parameters={"b": b})
    arrays, sizes = (motion.q, motion.v, motion.a), motion.parameters
    found = kb.reactions(m, *arrays, parameters=sizes).in_joint()
    driving = kb.driving_forces(m, *arrays, parameters=sizes)
    for k, length in enumerate(b):
        other = kb.redimension(m, b=float(length))
        one = kb.reactions(other, kb.motion(other, [0.1, 0.3])).in_joint()
        assert_allclose(found.force[k], one.force, rtol=0, atol=1e-10)
        assert_allclose(driving.efforts[k], one.efforts, rtol=0, atol=1e-10)
        assert_allclose(found.frames[k], one.frames, rtol=0, atol=1e-10)
