"""What a URDF file says is what the mechanism says."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from urdf_cases import SMALL, read_text, world_poses

from korba.errors import FileError
from korba.files.urdf_read import read_urdf
from korba.model.joint import Friction
from korba.model.joints import JOINT_TYPES
from korba.spatial.rotation import rotation_about, rotation_of_rpy


def test_an_arm_is_read_as_it_stands(tmp_path):
    """Masses, frames, limits, friction and the mimic joint arrive where they belong."""
    m = read_text(tmp_path, SMALL[0])
    assert m.name == "arm"
    assert [(j.name, j.type) for j in m.joints] == [
        ("root", "fixed"),
        ("shoulder", "revolute"),
        ("elbow", "revolute"),
    ]
    upper, shoulder = m.body("upper"), m.joint("shoulder")
    assert (upper.mass, upper.com) == (2.0, (0.0, 0.0, 0.1))
    R = rotation_of_rpy(0.1, 0.2, 0.3)
    own = np.array([[0.02, 0.001, 0], [0.001, 0.03, 0], [0, 0, 0.025]])
    assert_allclose(upper.inertia, R @ own @ R.T, rtol=0, atol=1e-17)
    assert upper.shapes[0].color == (0.5, 0.5, 0.5, 1.0)
    assert (shoulder.lower, shoulder.upper) == ((-1.0,), (2.0,))
    assert (shoulder.max_effort, shoulder.max_velocity) == (50.0, 3.0)
    assert (shoulder.damping, shoulder.friction) == (0.1, Friction(effort=0.2))
    assert m.joint("elbow").lower is None
    assert m.coordinates == ("shoulder",)
    assert m.notes == ("collision geometry is not carried over (1: upper)",)


def test_poses_follow_the_formula_of_urdf(tmp_path):
    """A link stands at origin times the rotation about the axis; a mimic joint follows."""
    m = read_text(tmp_path, SMALL[0])
    q = 0.7
    X = world_poses(m, {"shoulder": [q], "elbow": [-2 * q + 0.5]})
    R1 = rotation_of_rpy(0, np.pi / 2, 0) @ rotation_about([0, 1, 0], q)
    R2 = R1 @ rotation_about(np.array([1, 1, 0]) / np.sqrt(2), -2 * q + 0.5)
    assert_allclose(X["upper"].R, R1, atol=1e-15)
    assert_allclose(X["lower"].R, R2, atol=1e-15)
    assert_allclose(X["lower"].p, [0, 0, 0.3] + R1 @ [0, 0, 0.2], atol=1e-15)


@pytest.mark.parametrize(
    ("kind", "type_"),
    [
        ("revolute", "revolute"),
        ("continuous", "revolute"),
        ("prismatic", "prismatic"),
        ("fixed", "fixed"),
        ("floating", "free"),
        ("planar", "planar"),
    ],
)
def test_every_joint_type_is_read(tmp_path, kind, type_):
    """Each joint type of URDF has its joint; the axis of a planar one is its normal."""
    text = SMALL[1].replace('type="prismatic"', f'type="{kind}"')
    joint = read_text(tmp_path, text).joint("slide")
    assert type(joint) is JOINT_TYPES[type_]
    if kind == "planar":
        X = world_poses(read_text(tmp_path, text), {"slide": [1.0, 2.0, 0.3]})
        assert X["cart"].p[0] == 0
        assert_allclose(X["cart"].R @ [1, 0, 0], [1, 0, 0], atol=1e-15)


def test_a_massless_world_is_the_ground(tmp_path):
    """A root called world without mass is the base; with mass it is a body."""
    assert [b.name for b in read_text(tmp_path, SMALL[1]).bodies] == ["cart", "tool"]
    inertial = SMALL[1][SMALL[1].index("<inertial>") : SMALL[1].index('</link><link name="tool"')]
    heavy = SMALL[1].replace('<link name="world"/>', f'<link name="world">{inertial}</link>')
    m = read_text(tmp_path, heavy)
    assert m.joint("root").child == "world"
    assert read_text(tmp_path, SMALL[1], floating=True).joint("root").child == "world"


def test_a_link_called_ground_gets_another_name(tmp_path):
    """`ground` is the base of every mechanism, so a link of that name is renamed, with a note."""
    m = read_text(tmp_path, SMALL[1].replace('"cart"', '"ground"'))
    assert [b.name for b in m.bodies] == ["ground_link", "tool"]
    assert m.joint("mount").parent == "ground_link"
    assert any("renamed" in note for note in m.notes)


def test_the_root_joint_has_a_name_of_its_own(tmp_path):
    """A file with a joint called root gets another name for the added joint."""
    m = read_text(tmp_path, SMALL[0].replace('"elbow"', '"root"'))
    assert m.joints[0].name == "root_1"


def test_flying_world_is_not_made_to_fly_twice(tmp_path):
    """A file whose world holds a floating joint has its freedom already."""
    assert read_text(tmp_path, SMALL[2], floating=True) == read_text(tmp_path, SMALL[2])


def test_impossible_inertia_is_kept_to_the_last_digit(tmp_path):
    """An inertia that violates the triangle inequality is kept as given, with a note."""
    m = read_text(tmp_path, SMALL[1].replace('ixx="1"', 'ixx="7.123456789"'))
    assert m.body("cart").inertia[0][0] == 7.123456789
    assert m.body("cart").as_given
    assert "no real body" in m.notes[0]


def test_merged_bodies_add_up(tmp_path):
    """A merged body has mass, centre of mass and tensor of both, and the lost origin."""
    tool = '<link name="tool"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="2"'
    text = SMALL[1].replace('<link name="tool">', f'{tool} iyz="0" izz="2.5"/></inertial>')
    m = read_text(tmp_path, text, merge_fixed=True)
    (cart,) = m.bodies
    R = rotation_about([0, 0, 1], 1.0)
    assert cart.mass == 4
    assert_allclose(cart.com, [0.025, 0, 0], atol=1e-16)
    steiner = 3 * 0.025**2 + 0.075**2
    expected = np.eye(3) + R @ np.diag([1, 2, 2.5]) @ R.T + steiner * np.diag([0, 1, 1])
    assert_allclose(cart.inertia, expected, atol=1e-15)
    assert dict(cart.points) == {"tool": (0.1, 0.0, 0.0)}
    assert_allclose(cart.shapes[0].frame.rotation, R, atol=1e-16)


def test_geometry_is_read_with_its_colours(tmp_path):
    """Box, sphere, capsule and mesh keep their sizes; inline and global colours are found."""
    visuals = (
        '<visual><geometry><box size="1 2 3"/></geometry><material name="m"/></visual>'
        '<visual><geometry><sphere radius="4"/></geometry><material name="n"/></visual>'
        '<visual><geometry><capsule radius="1" length="2"/></geometry>'
        '<material name="n"><color rgba="0 1 0 1"/><texture filename="t.png"/></material></visual>'
        '<visual><geometry><mesh filename="a.dae" scale="1 2 3"/></geometry>'
        '<material name="lost"/></visual>'
    )
    top = '<material name="m"><color rgba="1 0 0 0.5"/></material>'
    m = read_text(tmp_path, f'<robot name="r">{top}<link name="a">{visuals}</link></robot>')
    box, sphere, capsule, mesh = m.body("a").shapes
    assert (box.kind, box.size, box.color) == ("box", (1, 2, 3), (1, 0, 0, 0.5))
    assert (sphere.size, sphere.color) == ((4,), (0, 1, 0, 1))
    assert (capsule.kind, capsule.size) == ("capsule", (1, 2))
    assert (mesh.file, mesh.scale, mesh.color) == ("a.dae", (1, 2, 3), ())
    assert [note.split(" (")[0] for note in m.notes] == [
        "textures are not carried over",
        "shapes name a material that is nowhere given a colour",
        "files of meshes that are not there; their bodies are drawn as bars",
    ]


def test_notes_say_what_was_left_out(tmp_path):
    """Extensions are counted and named, known ones in words and others by their tags."""
    extra = '<sensor name="s"/><strange/><strange/><x:y/>'
    text = SMALL[2].replace("</robot>", f"{extra}</robot>")
    text = text.replace("<robot", '<robot xmlns:x="http://x"')
    assert read_text(tmp_path, text).notes == (
        "transmissions are not carried over (1: t)",
        "extensions for Gazebo are not carried over (1: ball)",
        "sensors are not carried over (1: s)",
        "elements that are not read (3: strange, x:y)",
    )


def test_a_robot_without_links_is_empty(tmp_path):
    """A file without links is an empty mechanism with a note."""
    m = read_text(tmp_path, "<robot/>")
    assert (m.name, m.bodies, m.joints) == ("robot", (), ())
    assert len(m.notes) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<robot xmlns:xacro="x" name="r"><xacro:include filename="a"/></robot>', "xacro"),
        ('<robot name="r"><link name="${prefix}base"/></robot>', "xacro"),
        ("<mujoco/>", "read_mjcf"),
        ("<html/>", "<robot>"),
    ],
)
def test_other_files_are_refused_with_the_way_out(tmp_path, text, words):
    """A xacro file, an MJCF file and any other XML say what they are."""
    with pytest.raises(FileError, match=words):
        read_text(tmp_path, text)


def test_long_chains_are_read(tmp_path):
    """A chain of a thousand links, each mimicking the one before, meets no recursion limit."""
    links = "".join(f'<link name="l{i}"/>' for i in range(1001))
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/>'
        + (f'<mimic joint="j{i - 1}"/>' if i else "")
        + "</joint>"
        for i in range(1000)
    )
    path = tmp_path / "chain.urdf"
    path.write_text(f'<robot name="c">{links}{joints}</robot>')
    assert read_urdf(path).coordinates == ("j0",)
