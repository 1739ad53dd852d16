"""A mechanism is a value: frozen, comparable, changed only by making a new one."""

import dataclasses
import pickle

import pytest

from korba.errors import ModelError
from korba.model.body import Body
from korba.model.coupling import Coupling
from korba.model.drives import DRIVE_TYPES
from korba.model.drives.joint_drive import JointDrive
from korba.model.forces import FORCE_TYPES
from korba.model.forces.joint_force import JointForce
from korba.model.joints import JOINT_TYPES
from korba.model.mechanism import Mechanism

R, FREE = JOINT_TYPES["revolute"], JOINT_TYPES["free"]


def arm():
    return Mechanism(
        "arm",
        bodies=[Body("a", 1.0), Body("b", "2 kg")],
        joints=[R("A", "ground", "a", at=(0, 0)), R("B", "a", "b", at=("1 m", 0))],
        couplings=[Coupling("c", "B", "2*A")],
        forces=[JointForce("f", "A", law="-3*v")],
        drives=[JointDrive("d", "A", "2*pi*t")],
        parameters={"length": 0.3},
    )


def test_equal_descriptions_are_equal_values():
    """Two mechanisms built alike are equal and hash alike, and so are their elements."""
    first, second = arm(), arm()
    assert first == second
    assert hash(first) == hash(second)
    for key in ("bodies", "joints", "couplings", "forces", "drives"):
        assert set(getattr(first, key)) == set(getattr(second, key))
    assert pickle.loads(pickle.dumps(first)) == first  # noqa: S301


def test_nothing_can_be_written():
    """Mechanism and elements are frozen; lists given become tuples."""
    m = arm()
    for element in (m, *m.bodies, *m.joints, *m.couplings, *m.forces, *m.drives):
        with pytest.raises(dataclasses.FrozenInstanceError):
            element.name = "other"
    assert isinstance(m.bodies, tuple)
    assert isinstance(m.joints, tuple)


def test_a_change_is_a_new_value_and_is_checked():
    """`replace` leaves the old one alone, and a bad change is refused."""
    m = arm()
    heavy = dataclasses.replace(m, bodies=[dataclasses.replace(b, mass=5) for b in m.bodies])
    assert [b.mass for b in heavy.bodies] == [5.0, 5.0]
    assert [b.mass for b in m.bodies] == [1.0, 2.0]
    assert heavy != m
    assert dataclasses.replace(m) == m
    with pytest.raises(ModelError, match="not connected"):
        dataclasses.replace(m, joints=[m.joints[0]], couplings=[])


def test_notes_and_formulas_do_not_count_in_comparisons():
    """How a value was written is no part of the value."""
    m = arm()
    other = dataclasses.replace(
        m, notes=["read from x"], formulas=((("body", "b", "mass"), "2 kg"),)
    )
    assert other == m
    assert hash(other) == hash(m)


def test_elements_are_found_by_name():
    """body() and joint() find elements, and say what there is when they do not."""
    m = arm()
    assert m.body("b").mass == 2.0
    assert m.joint("B").at == (1.0, 0.0, 0.0)
    with pytest.raises(ModelError, match="no joint 'C'; there are A, B"):
        m.joint("C")


def test_coordinates_leave_out_dependent_ones():
    """q has the coordinates no coupling gives; a quaternion has four and three velocities."""
    m = arm()
    assert (m.coordinates, m.velocities, m.nq, m.nv) == (("A",), ("A",), 1, 1)
    free = Mechanism(bodies=[Body("a")], joints=[FREE("F", "ground", "a")])
    assert (free.nq, free.nv) == (7, 6)
    assert free.coordinates[:4] == ("F.x", "F.y", "F.z", "F.qw")
    assert free.velocities == tuple(f"F.{v}" for v in ("wx", "wy", "wz", "vx", "vy", "vz"))


def test_gravity_points_down_by_default():
    """-z in space, -y in the plane, anything else when said."""
    assert Mechanism().gravity == (0.0, 0.0, -9.81)
    assert Mechanism(plane="xy").gravity == (0.0, -9.81, 0.0)
    assert Mechanism(gravity=(1, 2)).gravity == (1.0, 2.0, 0.0)


@pytest.mark.parametrize("types", [JOINT_TYPES, FORCE_TYPES, DRIVE_TYPES])
def test_types_are_found_by_their_word(types):
    """Every class is listed under its own word, is final and documented."""
    for word, cls in types.items():
        assert cls.type == word
        assert getattr(cls, "__final__", False) or cls.kind_in(True) is not cls
        assert cls.__doc__
