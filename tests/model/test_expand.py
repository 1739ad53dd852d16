"""Rotors and elastic joints written out: what is inserted, what is renamed, what stays."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import korba as kb
from korba.errors import ModelError
from korba.expr import evaluate
from korba.model.body import Body
from korba.model.coupling import Coupling
from korba.model.drawing import drawing
from korba.model.drives.joint_drive import JointDrive
from korba.model.forces.joint_force import JointForce
from korba.model.forces.motor import Motor
from korba.model.frame import Frame
from korba.model.joint import Elastic, Friction, Rotor
from korba.model.joints import JOINT_TYPES
from korba.model.mechanism import Mechanism
from korba.system.expand import expanded

EPS = np.finfo(float).eps
R, T, C = (JOINT_TYPES[name] for name in ("revolute", "prismatic", "cylindrical"))
DIRECT, GEARED = Rotor(1.0, 0.5, 0.01), Rotor(50.0, 0.5, 0.01)
SPRING = Elastic(200.0, 3.0)

# switches on joint A, and what they insert: bodies, joints in place of A, couplings, forces, q of A
CASES = {
    "plain": ({}, (), ("A",), (), (), ("A",)),
    "rotor": ({"rotor": DIRECT}, ("A.rotor",), ("A", "A.shaft"), ("A.gear",), (), ("A",)),
    "geared": ({"rotor": GEARED}, ("A.rotor",), ("A", "A.shaft"), ("A.gear",), (), ("A",)),
    "elastic": (
        {"rotor": DIRECT, "elastic": SPRING},
        ("A.hub",),
        ("A.rotor", "A.twist"),
        (),
        ("A.spring",),
        ("A.rotor", "A.twist"),
    ),
    "elastic geared": (
        {"rotor": GEARED, "elastic": SPRING},
        ("A.hub", "A.spin"),
        ("A.rotor", "A.twist", "A.shaft"),
        ("A.gear",),
        ("A.spring",),
        ("A.rotor", "A.twist"),
    ),
}
every_case = pytest.mark.parametrize("case", CASES)


def arm(case, **changes):
    """Two links; joint A carries the switches and is drawn away from zero."""
    given = {
        "at": (0, 0, 1),
        "axis": (0, 1, 0),
        "drawn": 0.3,
        "lower": -2,
        "upper": 2,
        "damping": 0.1,
        "friction": Friction(0.1),
    }
    A = R("A", "ground", "a", **given, **CASES[case][0])
    B = R("B", "a", "b", on_parent=Frame((1, 0, 0), [0.1, 0.2, 0.3]), drawn=-0.4)
    bodies = [Body("a", 1.0, frame=Frame((0.1, 0, 1), [0, 0.3, 0])), Body("b", 2.0)]
    return Mechanism("arm", bodies=bodies, joints=[A, B], **changes)


@every_case
def test_counts_and_names(case):
    """Bodies, joints, couplings and springs are inserted under the joint's name."""
    _, bodies, joints, couplings, forces, _ = CASES[case]
    m = expanded(arm(case))
    assert tuple(b.name for b in m.bodies) == ("a", "b", *bodies)
    assert tuple(j.name for j in m.joints) == (*joints, "B")
    assert tuple(c.name for c in m.couplings) == couplings
    assert tuple(f.name for f in m.forces) == forces
    assert all(j.rotor is None and j.elastic is None for j in m.joints)


@every_case
def test_coordinates_are_those_of_the_description(case):
    """q and v of the expanded mechanism are named as the description names them."""
    m = arm(case)
    assert m.coordinates == (*CASES[case][5], "B")
    assert expanded(m).coordinates == m.coordinates
    assert expanded(m).velocities == m.velocities == m.coordinates
    assert expanded(m).nq == m.nq == m.nv


@every_case
def test_bodies_stay_where_they_are(case):
    """Every body of the description stands as before; nothing gapes."""
    m = arm(case)
    before, after = drawing(m), drawing(expanded(m))
    for body in m.bodies:
        expected = before.X_WB[body.name].matrix()
        assert_allclose(after.X_WB[body.name].matrix(), expected, rtol=0, atol=50 * EPS)
    for joint in expanded(m).joints:
        assert after.gap(joint) < 100 * EPS
    axis = before.X_WM["A"].R[:, 2]
    for name in CASES[case][1]:
        assert_allclose(after.X_WB[name].p, before.X_WM["A"].p, rtol=0, atol=50 * EPS)
        assert_allclose(after.X_WB[name].R[:, 2], axis, rtol=0, atol=50 * EPS)


@every_case
def test_expanding_twice_changes_nothing(case):
    """The expanded mechanism has nothing left to expand."""
    m = expanded(arm(case))
    assert expanded(m) is m
    if case == "plain":
        assert m == arm(case)


def test_a_geared_rotor_turns_by_its_ratio():
    """The shaft's coordinate is ratio times the joint's, or the motor side's if elastic."""
    for case, side in (("geared", "A"), ("elastic geared", "A.rotor")):
        m = expanded(arm(case))
        (gear,) = m.couplings
        assert gear.coordinate == "A.shaft"
        assert evaluate(gear.law, {side: 0.2}) == 10.0
        assert_allclose(drawing(m).q["A.shaft"], [50 * 0.3], rtol=4 * EPS)


@every_case
def test_drives_and_forces_act_on_the_motor_side(case):
    """What acts on joint A acts on A.rotor if A is elastic; B is left alone."""
    m = arm(
        case,
        drives=[JointDrive("d", "A", "t")],
        forces=[JointForce("f", "A", law="-v"), JointForce("g", "B"), Motor("m", "A", 12, 0.1, 1)],
    )
    side = CASES[case][5][0]
    found = expanded(m)
    assert found.drives[0].joint == side
    assert [force.joint for force in found.forces[:3]] == [side, "B", side]


def test_the_spring_is_on_the_twist_alone():
    """The inserted spring has the given stiffness; limits and friction stay on the motor side."""
    m = expanded(arm("elastic"))
    (spring,) = m.forces
    assert (spring.joint, spring.stiffness, spring.damping) == ("A.twist", 200.0, 3.0)
    motor, twist = m.joint("A.rotor"), m.joint("A.twist")
    assert (motor.lower, motor.upper, motor.damping) == ((-2.0,), (2.0,), 0.1)
    assert (twist.lower, twist.upper, twist.damping, twist.friction) == (None, None, 0.0, None)
    assert drawing(m).q["A.twist"] == [0.0]
    assert drawing(m).q["A.rotor"] == [0.3]


def test_mass_goes_to_the_rotor():
    """With ratio 1 the hub is the rotor; with a gear the hub is massless and the rotor spins."""
    for case, heavy in (("elastic", "A.hub"), ("elastic geared", "A.spin"), ("rotor", "A.rotor")):
        masses = {b.name: (b.mass, b.inertia[2][2]) for b in expanded(arm(case)).bodies}
        assert masses.pop(heavy) == (0.5, 0.01)
        assert all(mass == (0, 0) for name, mass in masses.items() if name.startswith("A."))


def test_the_rotor_stands_in_its_own_frame():
    """A rotor's frame on the parent is where it is put."""
    m = arm("geared")
    frame = Frame((0.2, 0.3, 0.4), [0.5, 0, 0])
    joint = replace(m.joints[0], drawn=None, rotor=replace(GEARED, frame=frame))
    found = drawing(expanded(replace(m, joints=[joint, m.joints[1]])))
    assert_allclose(found.X_WB["A.rotor"].matrix(), frame.pose().matrix(), rtol=0, atol=10 * EPS)


def test_laws_name_both_sides_of_an_elastic_joint():
    """Laws use J.rotor, J.twist and their velocities, before and after expanding."""
    law = "'A.rotor' + 'A.twist' - 'v_A.rotor' - 'v_A.twist' + B*v_B"
    m = arm("elastic", forces=[JointForce("f", "B", law=law)])
    assert expanded(m).forces[0].law is m.forces[0].law
    with pytest.raises(ModelError, match="no name 'v_A'"):
        arm("elastic", forces=[JointForce("f", "B", law="v_A")])


@pytest.mark.parametrize("plane", [None, "xy"])
@pytest.mark.parametrize("case", ["elastic", "elastic geared", "geared"])
def test_a_prismatic_joint_may_be_elastic_and_geared(plane, case):
    """The hub slides, the rotor turns; in the plane its frame says about the normal."""
    switches = dict(CASES[case][0])
    if plane:
        switches["rotor"] = replace(switches["rotor"], frame=Frame())
    A = T("A", "ground", "a", at=(1, 2), axis=(1, 1), **switches)
    m = Mechanism(plane=plane, bodies=[Body("a", 1.0)], joints=[A])
    found = expanded(m)
    assert found.coordinates == m.coordinates
    kinds = {j.name: j.type for j in found.joints}
    assert kinds.get("A.shaft", "revolute") == "revolute"
    assert kinds.get("A.twist", "prismatic") == "prismatic"


def test_a_planar_rotor_along_the_slide_is_a_fault():
    """In the plane nothing turns about an axis of the plane: the rotor needs its frame said."""
    A = T("A", "ground", "a", at=(0, 0), axis=(1, 0), rotor=GEARED)
    with pytest.raises(ModelError, match="rotor: turns about an axis in the plane"):
        Mechanism(plane="xy", bodies=[Body("a")], joints=[A])


def test_a_dependent_coordinate_takes_its_velocity_along():
    """Coupling one of two coordinates leaves one q and one v, the matching ones."""
    A = C("A", "ground", "a", at=(0, 0))
    m = Mechanism(
        bodies=[Body("a")], joints=[A], couplings=[Coupling("c", "A.angle", "3*'A.stroke'")]
    )
    assert m.coordinates == ("A.stroke",)
    assert m.velocities == ("A.speed",)


@pytest.mark.parametrize("at", ["40 deg", "200 deg", "320 deg", "400 deg", "-500 deg"])
def test_armature_goes_with_a_crank_drawn_at_any_angle(at):
    """What only places of bodies tell is an angle but for whole turns: no fault of the coupling."""
    m = kb.linkages.four_bar(0.04, 0.12, 0.08, 0.1, at=at)
    heavy = replace(m, joints=[replace(m.joints[0], armature=0.1), *m.joints[1:]])
    q = kb.assemble(m, {"A": 1.0}).q
    more = kb.mass_matrix(heavy, q) - kb.mass_matrix(m, q)
    assert_allclose(more, np.diag([0.1, 0, 0, 0]), rtol=0, atol=1e-15)
