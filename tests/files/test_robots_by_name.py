"""Robots by their names, from the packages of robots that are installed."""

import json
import sys
from types import ModuleType

import pytest
from robot_files import ROBOTS
from typer.testing import CliRunner

import korba as kb
from korba.cli.commands import app
from korba.files import robots as own

URDF = """<robot name="tiny"><link name="base"/><link name="rod"/>
<joint name="A" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


@pytest.fixture
def described(monkeypatch, tmp_path):
    """A package robot_descriptions with one robot that is there and one that cannot be had."""
    (tmp_path / "tiny.urdf").write_text(URDF)
    (tmp_path / "robot_descriptions").mkdir()
    folder = tmp_path / "robot_descriptions"
    names = ("tiny_description", "tiny_mj_description", "far_mj_description")
    (folder / "__init__.py").write_text("")
    (folder / "_descriptions.py").write_text(f"DESCRIPTIONS = dict.fromkeys({names!r})\n")
    path = str(tmp_path / "tiny.urdf")
    (folder / "tiny_description.py").write_text(f"URDF_PATH = {path!r}\n")
    (folder / "far_mj_description.py").write_text("raise RuntimeError('no network')\n")
    for name in [name for name in sys.modules if name.startswith("robot_descriptions")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    own._described.cache_clear()
    yield
    own._described.cache_clear()
    for name in [name for name in sys.modules if name.startswith("robot_descriptions")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("name", "file"),
    [("panda", "panda"), ("UR5", "ur5_robot"), ("solo-12", "solo12"), ("simple humanoid", "")],
)
def test_a_name_finds_its_file(name, file):
    """However it is written, with the family's name too: the robot is that of its file."""
    files = {path.stem: path for path in ROBOTS.rglob("*.urdf")}
    if name == "solo-12":
        with pytest.raises(kb.FileError, match="did you mean 'solo12'"):
            kb.robots(name)
        return
    robot = kb.robots(name)
    assert robot.nv == kb.read_urdf(files[file or "simple_humanoid"]).nv
    assert kb.robots(name, floating=True).nv == robot.nv + 6


def test_all_names_are_robots():
    """The list is sorted, and a name of it is found again."""
    if not ROBOTS.exists():
        return
    names = kb.robots()
    assert list(names) == sorted(set(names))
    assert {"panda", "ur5_robot", "talos_reduced"} <= set(names)


def test_robot_descriptions_is_asked_for_what_is_not_here(described):
    """Its file is read; what it cannot fetch is said with its reason."""
    assert kb.robots("tiny").nv == 1
    assert {"tiny", "far"} <= set(kb.robots())
    with pytest.raises(kb.KorbaError, match="robot_descriptions could not fetch 'far': no network"):
        kb.robots("far")


def test_without_a_package_the_line_that_gets_one_is_said(monkeypatch):
    """And the name is no file, either."""
    monkeypatch.setattr(own, "_with_files", dict)
    monkeypatch.setattr(own, "_described", dict)
    with pytest.raises(kb.KorbaError, match=r"pip install 'korba\[robots\]'"):
        kb.robots("panda")
    assert kb.robots() == ()


def test_commands_take_a_robot_by_its_name(described, tmp_path, monkeypatch):
    """A word that is no file is a robot's name; one with an ending is a file that is missing."""
    monkeypatch.chdir(tmp_path)
    ran = CliRunner().invoke(app, ["mobility", "tiny", "--json"])
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["ok"]
    ran = CliRunner().invoke(app, ["mobility", "tinny"])
    assert (ran.exit_code, "did you mean 'tiny'?" in ran.output) == (1, True)
    ran = CliRunner().invoke(app, ["mobility", "tiny.toml"])
    assert (ran.exit_code, "does not exist" in ran.output) == (2, True)
    assert isinstance(sys.modules["robot_descriptions"], ModuleType)
