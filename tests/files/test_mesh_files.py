"""Files of meshes are found from where a mechanism was read, and from where it is written."""

import pytest

import korba as kb
from korba.files.mesh_files import mesh_path

STL = b"solid none\nendsolid\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "robot" / "urdf").mkdir(parents=True)
    (tmp_path / "robot" / "meshes").mkdir()
    (tmp_path / "robot" / "meshes" / "a.stl").write_bytes(STL)
    return tmp_path


def robot(folder, mesh):
    link = f'<visual><geometry><mesh filename="{mesh}"/></geometry></visual>'
    text = f'<robot name="r"><link name="a"/><link name="b">{link}</link>'
    text += '<joint name="J" type="fixed"><parent link="a"/><child link="b"/></joint></robot>'
    file = folder / "robot" / "urdf" / "r.urdf"
    file.write_text(text)
    return kb.read_urdf(file)


def found(m):
    (shape,) = m.body("b").shapes
    return mesh_path(shape.file, m.folder)


@pytest.mark.parametrize(
    "name", ["../meshes/a.stl", "package://robot/meshes/a.stl", "package:///robot/meshes/a.stl"]
)
def test_files_are_found_and_stay_found_when_saved(folder, name):
    """Beside the file, or by a package; a TOML file in another folder finds them too."""
    m = robot(folder, name)
    assert found(m).samefile(folder / "robot" / "meshes" / "a.stl")
    (folder / "mine").mkdir()
    file = folder / "mine" / "m.toml"
    kb.save(m, file)
    again = kb.load(file)
    assert found(again).samefile(found(m))
    assert again.joints == m.joints and [body.name for body in again.bodies] == ["a", "b"]
    kb.write_urdf(m, folder / "robot" / "urdf" / "m.urdf")
    assert kb.read_urdf(folder / "robot" / "urdf" / "m.urdf").bodies == m.bodies


def test_packages_of_the_environment(folder, monkeypatch, tmp_path_factory):
    """Folders that ROS_PACKAGE_PATH names are looked into."""
    away = tmp_path_factory.mktemp("away")
    (away / "robot" / "urdf").mkdir(parents=True)
    m = robot(away, "package://robot/meshes/a.stl")
    assert found(m) is None
    assert m.notes == (
        "files of meshes that are not there; their bodies are drawn as bars (1: a.stl)",
    )
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(folder))
    assert found(m).name == "a.stl"


def test_the_note_is_of_the_place_and_not_of_the_file(folder, tmp_path):
    """A file saved while a mesh is missing says nothing of it; it is told at each reading."""
    m = robot(folder, "b.stl")
    file = folder / "robot" / "m.toml"
    kb.save(m, file)
    assert "not there" not in file.read_text()
    assert len(kb.load(file).notes) == 1
    (folder / "robot" / "b.stl").write_bytes(STL)
    assert kb.load(file).notes == ()


def test_geoms_for_contacts_are_no_shapes(tmp_path):
    """Of an MJCF file what MuJoCo's viewer shows is kept: groups 0 to 2, meshes with their file."""
    pytest.importorskip("mujoco")
    corners = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"]
    faces = ["1 3 2", "1 2 4", "1 4 3", "2 3 4"]
    (tmp_path / "parts").mkdir()
    lines = [*(f"v {p}" for p in corners), *(f"f {f}" for f in faces)]
    (tmp_path / "parts" / "wedge.obj").write_text("\n".join(lines))
    geoms = '<geom type="mesh" mesh="wedge" group="2"/><geom size=".5" group="3"/>'
    (tmp_path / "m.xml").write_text(
        '<mujoco><compiler meshdir="parts"/><asset><mesh file="wedge.obj"/></asset><worldbody>'
        f'<body name="b"><joint/>{geoms}</body></worldbody></mujoco>'
    )
    m = kb.read_mjcf(tmp_path / "m.xml")
    (shape,) = m.body("b").shapes
    assert shape.kind == "mesh" and found(m).samefile(tmp_path / "parts" / "wedge.obj")
    assert "class='grid'" in kb.draw(m) and "<desc>" not in kb.draw(m)
