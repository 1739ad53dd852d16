"""A method that does not apply is refused by its name, with the way out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference_mechanisms import engine, three_cranks

import korba as kb
from korba.dynamics.catalogue import FORCE_METHODS, JOINT_FORCES


def hinge(**more):
    """One hinge in space, driven."""
    body = kb.Body("rod", 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1))
    joint = kb.Revolute("A", "ground", "rod", at=(0, 0, 0), axis=(0, 1, 0))
    return kb.Mechanism("hinge", [body], [joint], drives=[kb.JointDrive("turn", "A", "t")], **more)


@pytest.mark.parametrize("method", ["groups", "lever"])
def test_methods_of_the_plane_refuse_space(method):
    """Groups and the lever are planar."""
    with pytest.raises(kb.StructureError, match=f"method '{method}' is for the plane.*'hinge'"):
        kb.driving_forces(hinge(), [0.1], [0.2], [0.3], method=method)


@pytest.mark.parametrize("method", ["virtual-work", "lever"])
def test_virtual_work_gives_no_reactions(method):
    """Virtual work and the lever give driving forces only."""
    with pytest.raises(kb.StructureError, match=f"'{method}' gives driving forces only"):
        kb.reactions(hinge(), [0.1], [0.2], [0.3], method=method)


def test_friction_needs_the_whole_system():
    """Friction depends on the forces in the joints."""
    m = engine(friction=True)
    with pytest.raises(kb.StructureError, match="'groups' leaves friction out"):
        kb.reactions(m, kb.motion(m, [0.0]), friction=True, method="groups")


def test_open_reactions_are_refused_but_not_the_drive():
    """Three cranks have a passive constraint: their torque is unique, their reactions are not."""
    m = three_cranks(0.4, 2.0, 1.0)
    q, v, a = (np.array([x, x, x, -x, -x, -x]) for x in (0.0, 2.0, 1.0))
    whole = kb.reactions(m, q, v, a).driving["drive"]
    for method in ("multipliers", "virtual-work", "lever"):
        one = kb.driving_forces(m, q, v, a, method=method)["drive"]
        assert one == pytest.approx(float(whole), rel=1e-12)
    for method in ("multipliers", "groups"):
        with pytest.raises(kb.StructureError, match=f"'{method}' needs a determinate.*1 passive"):
            kb.reactions(m, q, v, a, method=method)


def test_drives_and_freedoms_are_as_many():
    """Too few drives are refused, too many only by methods that have no rule to share."""
    m = engine()
    motion = kb.motion(m, [0.001])
    more = replace(m, drives=[*m.drives, kb.JointDrive("press", "guide", "0*t")])
    shared = kb.driving_forces(more, motion.q, motion.v, motion.a)
    assert shared.drives == ("drive", "press")
    with pytest.raises(kb.StructureError, match="'lever' needs as many drives as freedoms"):
        kb.driving_forces(more, motion.q, motion.v, motion.a, method="lever")
    none = replace(hinge(), drives=())
    with pytest.raises(kb.StructureError, match="drives for 0 of its 1 freedoms"):
        kb.driving_forces(none, [0.1], [0.2], [0.3])
    with pytest.raises(kb.StructureError, match="'groups' needs drives for all freedoms"):
        kb.reactions(replace(m, drives=()), motion.q, motion.v, motion.a, method="groups")


def test_names_of_methods_and_drives():
    """Unknown ones are told with those there are; the result shows itself."""
    m = engine()
    motion = kb.motion(m, [0.0, 0.001])
    forces = kb.driving_forces(m, motion)
    assert "drive" in str(forces)
    with pytest.raises(kb.StructureError, match="no drive 'motor' here; there are drive"):
        forces["motor"]
    with pytest.raises(kb.StructureError, match="expected one of 'newton-euler', 'multipliers'"):
        kb.driving_forces(m, motion, method="magic")


def test_idle_pins_in_their_groups():
    """Two pins that may spin in their slots: groups find their accelerations on the way."""
    A, B, C = (0.4, 0.1), (0.475, 0.23), (0.8, 0.5)
    joints = [
        kb.Revolute("A", "ground", "crank", at=A),
        kb.Revolute("R", "crank", "pin", at=B, damping=0.3),
        kb.PinInSlot("B", "yoke", "pin", at=B, axis=B),
        kb.Revolute("O", "ground", "yoke", at=(0, 0)),
        kb.Revolute("S", "yoke", "roll", at=C, damping=0.2),
        kb.PinInSlot("C", "bar", "roll", at=C, axis=(1, 0.2)),
        kb.Revolute("D", "ground", "bar", at=(0.2, 0.6)),
    ]
    names = ("crank", "pin", "yoke", "roll", "bar")
    bodies = [kb.Body(name, 1.0, (0.3, 0.2), 0.05) for name in names]
    bodies[1], bodies[3] = kb.Body("pin", 0.3, B, 0.01), kb.Body("roll", 0.2, C, 0.02)
    drive = kb.JointDrive("turn", "A", "3*t + t^2")
    m = kb.Mechanism("pins", bodies, joints, drives=[drive], plane="xy")
    motion = kb.motion(m, [0.0, 0.02])
    whole, by = kb.reactions(m, motion), kb.reactions(m, motion, method="groups")
    np.testing.assert_allclose(by.force, whole.force, rtol=0, atol=1e-11)
    np.testing.assert_allclose(by.moment, whole.moment, rtol=0, atol=1e-11)


def test_drives_with_friction_are_those_of_the_reactions():
    """Friction takes the forces in all joints, so that it has one method."""
    m = engine(friction=True)
    motion = kb.motion(m, [0.001, 0.002])
    whole = kb.reactions(m, motion, friction=True).driving["drive"]
    np.testing.assert_allclose(kb.driving_forces(m, motion, friction=True)["drive"], whole)
    with pytest.raises(kb.StructureError, match="'lever' leaves friction out"):
        kb.driving_forces(m, motion, friction=True, method="lever")


def test_a_way_to_forces_is_a_line_in_the_catalogue():
    """A method that joins the catalogue answers and agrees; one for drives alone gives no more."""
    for name, way in FORCE_METHODS.items():
        assert (name, bool(way.source)) == (way.name, True)
        assert (name in JOINT_FORCES) == (way.joints is not None)
    m = engine()
    motion = kb.motion(m, [0.0, 0.01])
    least = kb.driving_forces(m, motion, method="newton-euler").efforts
    for name in FORCE_METHODS:
        found = kb.driving_forces(m, motion, method=name).efforts
        assert_allclose(found, least, rtol=1e-9)


def test_programs_of_forces_name_their_results():
    """What a program gives is told by names: forces, efforts, what is open, what friction does."""
    m, free = engine(friction=True), engine()
    first = ("force", "moment", "point")
    assert kb.compile(kb.reactions, free).signature.named == (*first, "efforts")
    assert kb.compile(kb.reactions, replace(free, drives=())).signature.named[3:] == ("undriven",)
    open_ = kb.compile(kb.reactions, three_cranks(0.7, 6.0, 4.0)).signature.named
    assert open_ == (*first, "efforts", "open", "open_drives")
    assert kb.compile(kb.driving_forces, m).signature.named == ("efforts",)
    rough = kb.compile(kb.reactions, m, friction=True).signature.named
    assert {"row", "smooth", "friction", "solved"} < set(rough)
    text = kb.generate(kb.reactions, free, "c")
    assert "out1: 4 x 3: moment" in text
