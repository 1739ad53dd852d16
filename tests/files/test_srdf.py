"""Group states of an SRDF file beside a URDF are named poses."""

import pytest

import korba as kb

URDF = """<robot name="arm">
  <link name="base"/> <link name="upper"/> <link name="lower"/> <link name="finger"/>
  <joint name="pan" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="lift" type="prismatic"><parent link="upper"/><child link="lower"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="grip" type="revolute"><parent link="lower"/><child link="finger"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="pan"/></joint>
</robot>"""
STATES = """<robot name="arm">
  <virtual_joint name="to_world" type="fixed" parent_frame="world" child_link="base"/>
  <group name="arm"><joint name="pan"/></group>
  <group_state name="home" group="arm">
    <joint name="pan" value="0.5"/><joint name="to_world" value="0"/>
  </group_state>
  <group_state name="home" group="hand"><joint name="lift" value="0.1"/></group_state>
  <group_state name="folded" group="arm">
    <joint name="pan" value="-1"/><joint name="grip" value="-1"/>
  </group_state>
</robot>"""


@pytest.fixture
def read(tmp_path):
    def reading(states, urdf=URDF, **options):
        (tmp_path / "arm.urdf").write_text(urdf, "utf-8")
        (tmp_path / "arm.srdf").write_text(states, "utf-8")
        return kb.read_urdf(tmp_path / "arm.urdf", srdf=tmp_path / "arm.srdf", **options)

    return reading


def test_states_are_poses(read):
    """States of several groups are one pose; joints that follow others are left out and said."""
    m = read(STATES)
    assert [pose.name for pose in m.poses] == ["home", "folded"]
    assert dict(m.pose("home").q) == {"pan": 0.5, "lift": 0.1}
    assert dict(m.pose("folded").q) == {"pan": -1.0}
    assert any("follow others" in note and "grip" in note for note in m.notes)
    assert kb.assemble(m, "home")["lift"] == 0.1
    assert kb.gravity_forces(m, "home").shape == (2,)


def test_a_floating_joint_has_its_quaternion_last_in_the_file(read):
    """MoveIt writes x y z w; Korba's q has w first."""
    urdf = URDF.replace('type="prismatic"', 'type="floating"')
    values = "1 2 3 0 0 0.6 0.8"
    state = f'<group_state name="up" group="g"><joint name="lift" value="{values}"/></group_state>'
    m = read(f"<robot>{state}</robot>", urdf)
    assert dict(m.pose("up").q) == {"lift": (1, 2, 3, 0.8, 0, 0, 0.6)}


@pytest.mark.parametrize(
    ("name", "declared"),
    [("to_world", "floating"), ("root_joint", "floating"), ("root_joint", None)],
)
def test_a_floating_virtual_joint_places_the_base(read, name, declared):
    """The virtual joint of a legged robot is the free joint of its base; held, it is left out."""
    said = f'<virtual_joint name="{name}" type="{declared}" child_link="base"/>' if declared else ""
    values = f'<joint name="{name}" value="0 0 0.3 0 0 0.6 0.8"/><joint name="pan" value="1"/>'
    file = f'<robot>{said}<group_state name="up" group="g">{values}</group_state></robot>'
    assert dict(read(file, floating=True).pose("up").q) == {
        "root": (0, 0, 0.3, 0.8, 0, 0, 0.6),
        "pan": 1.0,
    }
    held = read(file)
    assert dict(held.pose("up").q) == {"pan": 1.0}
    assert any("virtual" in note and name in note for note in held.notes)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"lift" value', '"lfit" value', "there is no joint 'lfit'; did you mean 'lift'"),
        ('value="0.5"', 'value="half"', "'half'"),
        ('value="0.5"', 'value="1 2"', "expected 1 number, got 2"),
        ('value="0.5"', "", "is missing; give 1 number"),
        ('name="folded" ', "", "has no name; give one"),
        ('name="lift"', 'name="pan"', "joint 'pan' has another value in a state of the same name"),
        ("group_state", "state", "there is no <group_state>"),
        ("robot", "sdf", "expected <robot> of an SRDF file, got <sdf>"),
    ],
)
def test_faults_are_sentences_with_lines(read, old, new, message):
    """What is wrong with an SRDF file is a FileError that names the element and the way out."""
    with pytest.raises(kb.FileError, match=r"arm\.srdf") as error:
        read(STATES.replace(old, new))
    assert message in str(error.value)
    assert error.value.faults[0].line


def test_a_file_that_is_not_there_is_said(read, tmp_path):
    """No SRDF file, or none that is XML, is a FileError as of any other file."""
    read(STATES)
    with pytest.raises(kb.FileError, match="no such file"):
        kb.read_urdf(tmp_path / "arm.urdf", srdf=tmp_path / "none.srdf")
    with pytest.raises(kb.FileError, match="not well-formed"):
        read("<robot")
