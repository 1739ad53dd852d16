"""What MJCF says besides its tree: couplings, meshes, includes, notes; and what is refused."""

import os
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from korba import disk
from korba.errors import FileError
from korba.expr import evaluate
from korba.files import mjcf_model
from korba.files.mjcf_read import read_mjcf
from korba.model.drawing import drawing

mujoco = pytest.importorskip("mujoco")

COUPLED = """
<mujoco>
  <compiler angle="radian"/>
  <option><flag contact="disable"/></option>
  <worldbody>
    <body name="a"><joint name="x" ref=".3"/><geom size=".1"/></body>
    <body name="b"><joint name="y" ref=".7"/><geom size=".1"/></body>
    <body name="c"><joint name="z" type="slide" ref=".2"/><geom size=".1"/></body>
  </worldbody>
  <equality>
    <joint name="gear" joint1="y" joint2="x" polycoef=".1 2 3 -4 5"/>
    <joint joint1="z" polycoef=".5 0 0 0 0"/>
  </equality>
</mujoco>"""

HINGE = '<body name="link"><joint name="hinge"/><geom size=".1"/></body>'


def read(text, folder):
    """The mechanism of a text."""
    file = folder / "model.xml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_mjcf(file)


def world(inside, after=""):
    """A file with one hinged link and more."""
    return f"<mujoco><worldbody>{HINGE}{inside}</worldbody>{after}</mujoco>"


@pytest.mark.parametrize("x", [-1.0, 0.3, 2.0])
def test_an_equality_of_joints_is_a_coupling(x, tmp_path):
    """A coupling's law has no residual in MuJoCo: y - y0 = a0 + a1 (x - x0) + ..."""
    m = read(COUPLED, tmp_path)
    y, z = (float(evaluate([coupling.law], {"x": x})[0]) for coupling in m.couplings)
    model = mujoco.MjModel.from_xml_string(COUPLED)
    data = mujoco.MjData(model)
    data.qpos = [x, y, z]
    mujoco.mj_forward(model, data)
    assert_allclose(data.efc_pos[:2], 0, atol=1e-12)
    assert m.coordinates == ("x",)
    assert [coupling.name for coupling in m.couplings] == ["gear", "joint1"]


def test_coupled_joints_are_drawn_where_their_law_puts_them(tmp_path):
    """The drawing position obeys couplings also where qpos0 does not."""
    placed = drawing(read(COUPLED, tmp_path))
    assert_allclose([*placed.q["x"], *placed.q["y"], *placed.q["z"]], [0.3, 0.8, 0.7])


def test_a_mesh_stands_where_its_file_puts_it(tmp_path):
    """A point of the mesh's file, scaled and placed by the shape, is where MuJoCo draws it."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], dtype=float)
    (tmp_path / "parts").mkdir()
    lines = [f"v {x} {y} {z}" for x, y, z in points]
    lines += ["f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"]
    (tmp_path / "parts" / "wedge.obj").write_text("\n".join(lines))
    asset = (
        '<compiler meshdir="parts"/><asset><mesh file="wedge.obj" scale=".1 .2 .1"/>'
        '<material name="red" rgba="1 0 0 1"/></asset>'
    )
    geom = '<geom type="mesh" mesh="wedge" pos="1 2 3" euler="10 20 30" material="red"/>'
    text = f"<mujoco>{asset}<worldbody><body><joint/>{geom}</body></worldbody></mujoco>"
    (shape,) = read(text, tmp_path).bodies[0].shapes
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "model.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    drawn = model.mesh_vert @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0]
    found = [shape.frame.pose().point(p * shape.scale) for p in points]
    assert_allclose(sorted(map(tuple, found)), sorted(map(tuple, drawn)), atol=1e-6)
    assert (shape.file, shape.color) == ("parts/wedge.obj", (1.0, 0.0, 0.0, 1.0))


def test_includes_are_found_beside_the_file(tmp_path, monkeypatch):
    """An included file is relative to the one that includes it, whatever the current folder."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "link.xml").write_text(f"<mujocoinclude>{HINGE}</mujocoinclude>")
    monkeypatch.chdir(tmp_path / "deep")
    m = read('<mujoco><worldbody><include file="deep/link.xml"/></worldbody></mujoco>', tmp_path)
    assert [(m.name, body.name) for body in m.bodies] == [("model", "link")]


def test_notes_count_what_is_left_out(tmp_path):
    """Every group that Korba does not have is one line with its count."""
    body = (
        '<body name="b"><joint name="ball" type="ball" armature="1" stiffness="2" range="0 30"/>'
        '<geom type="ellipsoid" size=".1 .2 .3"/><site name="s"/></body>'
        '<geom type="plane" size="1 1 1" contype="0" conaffinity="0"/><site name="home"/>'
        '<body name="m" mocap="true"/><light/>'
    )
    rest = (
        '<option density="1"/>'
        '<tendon><fixed name="t"><joint joint="hinge" coef="1"/></fixed></tendon>'
        '<actuator><motor joint="hinge"/><motor joint="hinge"/><position joint="hinge" kp="2"/>'
        '<velocity joint="hinge" kv="1"/></actuator>'
        '<sensor><jointpos joint="hinge"/></sensor><keyframe><key/><key/></keyframe>'
        '<contact><exclude body1="link" body2="b"/></contact>'
        '<equality><tendon tendon1="t"/><connect body1="b" anchor="0 0 0" active="false"/>'
        "</equality>"
    )
    m = read(world(body, rest), tmp_path)
    assert list(m.notes) == [
        "left out: contacts: 2 geoms, 1 exclusions; actuators: 4 (2 motor, 1 position, "
        "1 velocity); tendons: 1; sensors: 1; lights: 1",
        "inactive equalities: 1 (1 connect)",
        "equalities: 1 (1 tendon)",
        "armature of ball and free joints: 1",
        "springs of ball and free joints: 1",
        "range of ball joints: 1",
        "shapes: 1 (1 ellipsoid)",
        "shapes of the world: 1",
        "sites of the world: 1",
        "mocap bodies, kept where they stand: 1",
        "drag of the medium (density, viscosity, wind)",
    ]
    assert m.body("b").point("s") == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("name", ["pid", "sensor.touch_grid"])
def test_files_with_mujocos_own_plugins_are_read(name, tmp_path):
    """A plugin that comes with MuJoCo is known as it is after `import mujoco`; a note counts it."""
    use = {
        "pid": '<actuator><plugin joint="hinge" plugin="mujoco.pid" instance="p"/></actuator>',
        "sensor.touch_grid": '<sensor><plugin plugin="mujoco.sensor.touch_grid" instance="p" '
        'objtype="site" objname="s"/></sensor>',
    }
    keys = {"pid": {"kp": 40}, "sensor.touch_grid": {"size": "7 7", "fov": "45 45"}}[name]
    config = "".join(f'<config key="{key}" value="{value}"/>' for key, value in keys.items())
    instance = f'<plugin plugin="mujoco.{name}"><instance name="p">{config}</instance></plugin>'
    site = '<body name="b"><site name="s"/><geom size="1"/></body>'
    m = read(world(site, f"<extension>{instance}</extension>{use[name]}"), tmp_path)
    assert m.joint("hinge")
    assert "plugins: 1" in m.notes[0]


def test_switched_off_features_stay_off(tmp_path):
    """Option flags that disable gravity, springs, limits and equalities are obeyed."""
    flags = '<flag gravity="disable" spring="disable" limit="disable" equality="disable"/>'
    rest = f'<option>{flags}</option><equality><connect body1="b" anchor="0 0 0"/></equality>'
    body = '<body name="b"><joint name="j" stiffness="2" range="0 30"/><geom size="1"/></body>'
    m = read(world(body, rest), tmp_path)
    assert (m.gravity, m.forces, m.joint("j").lower) == ((0.0, 0.0, 0.0), (), None)
    assert "inactive equalities: 1 (1 connect)" in m.notes


def test_names_that_mean_something_here_are_changed(tmp_path):
    """A body 'ground' and a joint 't' (the time) get other names, and a note says so."""
    text = '<body name="ground"><joint name="t"/><geom size=".1"/></body>'
    m = read(world(text), tmp_path)
    assert [body.name for body in m.bodies] == ["link", "ground.2"]
    assert m.coordinates == ("hinge", "t.2")
    assert m.notes[-1] == "renamed: 't' is now 't.2', 'ground' is now 'ground.2'"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<mujoco><worldbody>", "XML_ERROR"),
        ("<mujoco><wheel/></mujoco>", "wheel"),
        (world("<body><joint/></body>"), "mass and inertia of moving bodies"),
        (world('<include file="none.xml"/>'), "none.xml"),
        (world('<body name="link"/>'), "repeated name 'link'"),
        ('<!DOCTYPE mujoco [<!ENTITY a "b">]><mujoco/>', "DOCTYPE"),
        ('<mujoco><!-- fine --><!entity a "b"></mujoco>', "entities"),
        ('<?xml version="1.0"?><!-- <mujoco> --><robot name="r"/>', "read_urdf"),
        ("", "found nothing"),
        ("<!-- never closed", "found nothing"),
        ("<mujoco/>".encode("utf-16"), "found nothing"),
        (world('<body name="\xff"><joint/><geom size="1"/></body>').encode("latin-1"), "utf-8"),
        (world('<body pos="inf 0 0"><joint/><geom size="1"/></body>'), "inf"),
        (
            world(
                '<site name="w" pos="0 0 1"/><body name="b"><joint/><geom size="1"/>'
                '<site name="s"/></body>',
                '<equality><connect name="tie" site1="s" site2="w"/></equality>',
            ),
            "equality 'tie': its two sides are 1 apart",
        ),
        (
            world(
                '<body name="b"><joint name="b"/><geom size="1"/></body>',
                '<equality><joint joint1="b" joint2="hinge"/><joint joint1="hinge" joint2="b"/>'
                "</equality>",
            ),
            "circle",
        ),
    ],
)
def test_a_bad_file_is_one_clear_error(text, reason, tmp_path):
    """Whatever is wrong, the error is a FileError that names the file and the reason."""
    with pytest.raises(FileError) as error:
        read(text, tmp_path)
    assert "model.xml" in str(error.value)
    assert reason.lower() in str(error.value).lower()


def test_missing_and_large_files_are_refused(tmp_path, monkeypatch):
    """A file that is not there, a folder, or one that is too large is not given to MuJoCo."""
    for path in (tmp_path / "none.xml", tmp_path, "\0"):
        with pytest.raises(FileError):
            read_mjcf(path)
    monkeypatch.setattr(disk, "LARGEST_FILE", 10)
    with pytest.raises(FileError, match="the most is 10"):
        read(world(""), tmp_path)


def test_without_mujoco_the_error_says_what_to_install(tmp_path, monkeypatch):
    """The extra is named when it is missing."""
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(FileError, match=r"pip install 'korba\[mujoco\]'"):
        read(world(""), tmp_path)


ITSELF = '<mujoco><asset><model name="a" file="model.xml"/></asset></mujoco>'
ENDLESS = world('<replicate count="4990" offset="1 0 0"><geom size="1"/></replicate>')
ROW = '<replicate count="{}" offset="1 0 0">{}</replicate>'
GREEDY = (
    '<mujoco><asset><hfield name="h" nrow="60000" ncol="60000" size="1 1 1 1"/></asset>'
    '<worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>'
)


def test_an_endless_file_is_stopped(tmp_path, monkeypatch):
    """A file that MuJoCo does not get through in time is a FileError that says so."""
    monkeypatch.setattr(mjcf_model, "MOST_SECONDS", 0.05)
    with pytest.raises(FileError, match=r"took longer than 0\.05 s"):
        read(ENDLESS, tmp_path)


@pytest.mark.parametrize(
    "inside",
    [
        ROW.format(2_000_000, '<geom size="1"/>'),
        ROW.format(200, ROW.format(300, '<body><geom size="1"/></body>')),
        '<body name="b"><flexcomp name="f" type="grid" count="60 60 60" spacing="1 1 1"/></body>',
    ],
)
def test_crowds_are_refused_at_once(inside, tmp_path):
    """What would take MuJoCo hours is refused with count and bound, here and in includes."""
    with pytest.raises(FileError, match=r"makes by count to \d+ or more, the most is 10000"):
        read(world(inside), tmp_path)
    (tmp_path / "part.xml").write_text(f"<mujoco><worldbody>{inside}</worldbody></mujoco>")
    with pytest.raises(FileError, match="the most is 10000"):
        read(world("", '<include file="part.xml"/>'), tmp_path)


def test_rows_of_some_copies_are_read(tmp_path):
    """Counts in comments, and those that MuJoCo gets through, are no crowd."""
    few = ROW.format(3, '<body><joint/><geom size=".1"/></body>')
    assert len(read(world(f"<!-- {ROW.format(10**9, '')} -->{few}"), tmp_path).joints) == 4


def test_a_file_that_ends_mujoco_does_not_end_korba(tmp_path):
    """A file that names itself as an asset kills MuJoCo; here it is a FileError."""
    with pytest.raises(FileError, match=r"was killed by signal \d+ \(SIG\w+\)|ended with status"):
        read(ITSELF, tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize("name", ["m.stl", "more.xml", "parts/m.stl"])
def test_a_pipe_that_a_file_names_is_refused_at_once(name, tmp_path, monkeypatch):
    """Nobody waits for a mesh, or a part of the file, that is a pipe."""
    monkeypatch.setattr(mjcf_model, "MOST_SECONDS", 30.0)
    (tmp_path / "parts").mkdir()
    os.mkfifo(tmp_path / name)
    file = name.rpartition("/")[2]
    mesh = f'<asset><mesh name="m" file="{file}"/></asset>'
    part = f'<include file="{file}"/>' if name.endswith("xml") else mesh
    with pytest.raises(FileError, match=f"'{file}' that it names is no plain file"):
        read(f'<mujoco><compiler meshdir="parts"/>{part}</mujoco>', tmp_path)
    outer = tmp_path / "outer"
    outer.mkdir()
    with pytest.raises(FileError, match="no plain file"):
        read('<mujoco><include file="../model.xml"/></mujoco>', outer)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of memory")
def test_a_file_that_asks_for_too_much_memory_is_refused(tmp_path):
    """Memory beyond the limit is not given, and the message names the limit."""
    with pytest.raises(FileError, match="more than 4 GB of memory"):
        read(GREEDY, tmp_path)


def asset(*files):
    """Elements of an asset section, of the kinds that the endings say."""
    kinds = {
        "stl": '<mesh name="{0}" file="{0}"/>',
        "hf": '<hfield name="{0}" file="{0}" size="1 1 1 1"/>',
        "png": '<texture name="{0}" type="2d" file="{0}"/><material name="m{0}" texture="{0}"/>',
    }
    return "".join(kinds[file.rpartition(".")[2]].format(file) for file in files)


def test_meshes_that_are_not_there_are_left_out(tmp_path):
    """With <inertial> the mechanism is that of the file without meshes; a note names them."""
    inertial = '<inertial mass="2" pos="0 0 .1" diaginertia="1 2 3"/>'
    files = ["a.stl", "b.stl", "skin.png", "hill.hf"]
    text = (
        '<mujoco><compiler meshdir="parts"/><asset>{}</asset><worldbody>{}'
        f'<body name="b">{inertial}<joint name="j"/>{{}}<geom size=".1"/></body>'
        "</worldbody></mujoco>"
    )
    geoms = (
        '<geom type="mesh" mesh="a.stl"/><geom type="mesh" mesh="b.stl" material="mskin.png"/>'
        '<geom type="mesh" mesh="a.stl" pos="1 0 0"/>'
    )
    m = read(text.format(asset(*files), '<geom type="hfield" hfield="hill.hf"/>', geoms), tmp_path)
    plain = read(text.format("", "", ""), tmp_path)
    assert (m.bodies, m.joints) == (plain.bodies, plain.joints)
    (note,) = set(m.notes) - set(plain.notes)
    assert note.startswith("files that are not there")
    assert all(file in note for file in files)


@pytest.mark.parametrize(
    ("geom", "inertial", "kept"),
    [
        ("", "", False),
        ('mass="1"', "", False),
        ('mass="0"', "", True),
        ('density="0"', "", True),
        ("", '<inertial mass="2" pos="0 0 0" diaginertia="1 2 3"/>', True),
    ],
)
def test_a_mass_that_is_not_known_is_not_guessed(geom, inertial, kept, tmp_path):
    """A body whose mass comes from a mesh that is not there is refused; any other is as it was."""
    body = f'<body name="b">{inertial}<joint/><geom type="mesh" mesh="a.stl" {geom}/>{{}}</body>'
    sphere = '<geom size=".1" mass="3"/>'
    text = f"<mujoco><asset>{asset('a.stl')}</asset><worldbody>{body}</worldbody></mujoco>"
    if kept:
        assert read(text.format(sphere), tmp_path).body("b").mass == (2.0 if inertial else 3.0)
    else:
        with pytest.raises(FileError, match=r"'a.stl' is not there, and body 'b' has its mass"):
            read(text.format(sphere), tmp_path)
