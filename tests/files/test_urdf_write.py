"""A written URDF file says the same as the mechanism, or says why it cannot."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from urdf_cases import SMALL, random_coordinates, random_tree, read_text, world_poses

from korba.errors import FileError
from korba.expr import evaluate
from korba.files.urdf_read import read_urdf
from korba.files.urdf_write import exact_rpy, urdf_text, write_urdf
from korba.model.body import Body
from korba.model.coupling import Coupling
from korba.model.joint import Elastic, Rotor
from korba.model.joints.prismatic import Prismatic
from korba.model.joints.revolute import Revolute
from korba.model.joints.spherical import Spherical
from korba.model.mechanism import Mechanism
from korba.spatial.rotation import rotation_of_rpy


def full_coordinates(m, rng):
    """Random coordinates of every joint; couplings give the dependent ones."""
    q = {joint.name: random_coordinates(type(joint), rng) for joint in m.joints}
    for coupling in m.couplings:
        values = {name: value[0] for name, value in q.items() if len(value) == 1}
        q[coupling.coordinate] = (float(evaluate(coupling.law, values)),)
    return q


@pytest.mark.parametrize("seed", range(30))
def test_bodies_stand_and_weigh_the_same_at_the_same_coordinates(seed, tmp_path):
    """At any q every body's shapes, centre of mass and tensor in the world are the same again."""
    m = random_tree(seed)
    write_urdf(m, tmp_path / "tree.urdf")
    again = read_urdf(tmp_path / "tree.urdf")
    assert again.coordinates == m.coordinates
    rng = np.random.default_rng(seed)
    for _ in range(3):
        q = full_coordinates(m, rng)
        X, Y = world_poses(m, q), world_poses(again, q)
        for a in m.bodies:
            b = again.body(a.name)
            A, B = X[a.name], Y[a.name]
            assert b.mass == a.mass
            assert_allclose(A.point(a.com), B.point(b.com), atol=1e-12)
            assert_allclose(A.R @ a.inertia @ A.R.T, B.R @ b.inertia @ B.R.T, atol=1e-12)
            for s, t in zip(a.shapes, b.shapes, strict=True):
                F, G = A @ s.frame.pose(), B @ t.frame.pose()
                assert_allclose(F.matrix(), G.matrix(), atol=1e-12)
                assert (s.size, s.file, s.scale, s.color) == (t.size, t.file, t.scale, t.color)
    for j in m.joints:
        k = again.joint(j.name)
        for key in ("lower", "upper", "max_effort", "max_velocity", "damping", "friction"):
            assert getattr(j, key) == getattr(k, key)


@pytest.mark.parametrize("text", SMALL)
@pytest.mark.parametrize("floating", [False, True])
def test_small_files_come_back(text, floating, tmp_path):
    """read(write(m)) is m for files whose numbers are short."""
    m = read_text(tmp_path, text, floating=floating)
    again = read_text(tmp_path, urdf_text(m))
    assert [b.name for b in again.bodies] == [b.name for b in m.bodies]
    assert [(j.name, j.type, j.parent, j.child) for j in again.joints] == [
        (j.name, j.type, j.parent, j.child) for j in m.joints
    ]
    assert again.bodies == m.bodies


def test_a_drawn_arm_is_written_with_frames_at_its_joints(tmp_path):
    """An arm given in the drawing position, drawn at 30 deg, stands the same at every angle."""
    body = Body("arm", 2.0, (1.0, 0.5, 0.0), (1, 1, 1))
    joint = Revolute("A", "ground", "arm", at=(1, 0, 0), axis=(0, 0, 2), drawn=(np.pi / 6,))
    m = Mechanism("m", [body], [joint])
    text = urdf_text(m)
    again = read_text(tmp_path, text)
    assert 'type="continuous"' in text
    assert "coordinates of the drawing position (1)" in text
    assert_allclose(again.body("arm").com, (0, 0.5, 0), atol=1e-16)
    at_drawing = world_poses(again, {"A": [np.pi / 6]})["arm"].point(again.body("arm").com)
    assert_allclose(at_drawing, (1.0, 0.5, 0.0), atol=1e-15)


def test_everything_that_urdf_lacks_is_told_together():
    """Loops, joint types, rotors, elasticity and couplings that are not mimic joints."""
    bodies = [Body(name, 1.0, (0, 0, 0), (1, 1, 1)) for name in "abc"]
    rotor, elastic = Rotor(inertia=0.1), Elastic(stiffness=10.0)
    joints = [
        Revolute("A", "ground", "a", at=(0, 0, 0)),
        Revolute("B", "a", "b", at=(1, 0, 0), rotor=rotor, elastic=elastic),
        Spherical("S", "b", "c", at=(2, 0, 0)),
        Revolute("C", "c", "ground", at=(3, 0, 0)),
        Prismatic("D", "c", "ground", at=(3, 0, 0), axis=(1, 0, 0)),
    ]
    m = Mechanism("m", bodies, joints, [Coupling("k", "D", "A^2")])
    with pytest.raises(FileError) as caught:
        urdf_text(m)
    text = str(caught.value)
    for words in ("closes a loop", "no spherical", "rotor", "elastic", "is not linear"):
        assert words in text
    assert len(caught.value.faults) == 6


@pytest.mark.parametrize("law", ["t", "A + B", "3.5", "sin(A)"])
def test_other_couplings_are_refused(law):
    """A mimic joint follows one joint in proportion; a law of anything else is a fault."""
    bodies = [Body(name, 1.0, (0, 0, 0), (1, 1, 1)) for name in "abc"]
    joints = [Revolute(n, "ground", n.lower(), at=(0, 0, 0)) for n in "ABC"]
    with pytest.raises(FileError, match="mimic joints"):
        urdf_text(Mechanism("m", bodies, joints, [Coupling("k", "C", law)]))


def test_names_are_escaped(tmp_path):
    """Names with quotes, angles and other letters come back."""
    name = "a<b>&\"'ł"
    m = Mechanism(name, [Body(name)], [Revolute(name, "ground", name, at=(0, 0, 0))])
    again = read_text(tmp_path, urdf_text(m))
    assert (again.name, again.bodies[0].name, again.joints[0].name) == (name, name, name)
    bad = replace(m, bodies=[Body("\ud800")], joints=[Revolute("j", "ground", "\ud800", at=(0, 0))])
    with pytest.raises(FileError, match="XML"):
        urdf_text(bad)


def test_a_file_that_cannot_be_written_is_a_file_error(tmp_path):
    """A folder that does not exist is told."""
    with pytest.raises(FileError, match="cannot be written"):
        write_urdf(Mechanism("m"), tmp_path / "none" / "a.urdf")


def test_angles_give_their_rotation_back():
    """Roll, pitch and yaw are exact to rounding, close to pitch = 90 deg as well."""
    rng = np.random.default_rng(0)
    for tilt in (1e-3, 1e-6, 1e-8, 1e-9, 1e-12, 0, 1, 2):
        for sign in (-1, 1):
            R = rotation_of_rpy(rng.normal(), sign * (np.pi / 2 - tilt), rng.normal())
            R = R @ rotation_of_rpy(*(1e-17 * rng.normal(size=3)))
            assert_allclose(rotation_of_rpy(*exact_rpy(R)), R, rtol=0, atol=2e-15)
