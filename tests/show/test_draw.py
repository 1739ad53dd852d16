"""Pictures of mechanisms: every joint is there, names cover nothing and stay on the page."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from label_boxes import SVG, check_labels, label_boxes
from rod_on_spring import rod_on_spring
from typer.testing import CliRunner

import korba as kb
from korba.linkages.ready import ready
from korba.show.drawings.draw import scene

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "examples" / "structure").glob("*.toml"))
READY = {name: make for name, (_, make) in ready().items()}


def drawn_names(picture):
    return {name for text, _ in label_boxes(picture) for name in text.split(", ")}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_mechanisms_of_the_textbook(path):
    """Names of all pairs that have a symbol, each where it can be read."""
    m = kb.load(path)
    picture = kb.draw(m)
    check_labels(picture)
    drives = {drive.name for drive in m.drives}
    assert drawn_names(picture) - drives == {j.name for j in m.joints if 0 < j.nv < 6}


@pytest.mark.parametrize("make", READY.values(), ids=READY)
def test_ready_mechanisms(make):
    """Drawn, with masses and on dark paper too."""
    m = make()
    check_labels(kb.draw(m, masses=True))
    assert "korba-dark" in kb.draw(m, theme="dark")


def test_pins_stand_where_the_bodies_are():
    """Places of the scene are those of kb.assemble, and pixels are a plain scale of them."""
    m = kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)
    at = kb.assemble(m, {"A": "60 deg"})
    shown = scene(m, {"A": "60 deg"})
    pins = {mark.name: shown.places(mark)[0] for mark in shown.marks if mark.kind == "pin"}
    np.testing.assert_allclose(pins["B"], at.point("crank", "B"), atol=1e-12)
    np.testing.assert_allclose(pins["C"], at.point("rocker", "C"), atol=1e-12)
    rings = re.findall(r"class='pin' cx='([\d.]+)' cy='([\d.]+)'", at.draw())
    pixels = np.array(rings, dtype=float)
    world = np.array([pins[name] for name in "ADBC"])
    apart = [np.linalg.norm(p[0] - p[1]) for p in (pixels, world)]
    for i in range(4):
        for j in range(i):
            expected = apart[0] / apart[1] * np.linalg.norm(world[i] - world[j])
            assert abs(np.linalg.norm(pixels[i] - pixels[j]) - expected) < 0.3


def test_loads_curves_and_ghosts_are_shown():
    """Springs with their bases, ghosts and paths of a motion."""
    m = rod_on_spring()
    kinds = [mark.kind for mark in scene(m).marks]
    assert kinds.count("spring") == 1 and kinds.count("base") == 2
    motion = kb.motion(m, np.linspace(0, 1, 11))
    picture = motion.draw(3, ghosts=5, paths=["rod"])
    assert picture.count("class='ghost'") == 5 and picture.count("class='way b1'") == 1
    dotted = kb.Mechanism(
        "arm",
        [kb.Body("arm.1", points={"P": (0.3, 0.0)})],
        [kb.Revolute("A", "ground", "arm.1", at=(0, 0))],
        plane="xy",
        drives=[kb.JointDrive("motor", "A", "1 rad/s*t")],
    )
    turned = kb.motion(dotted, [0.0, 1.0])
    ((_, way),) = scene(turned, paths=["arm.1.P"]).paths
    np.testing.assert_allclose(way[1], [0.3 * np.cos(1), 0.3 * np.sin(1), 0], atol=1e-12)


@pytest.mark.parametrize("name, keeper", [("planetary", "C"), ("cam", "B")])
def test_contacts_are_named_where_curves_touch(name, keeper):
    """Near the nearest points of both curves, all the time, and on a body that keeps it there."""
    m = READY[name]()
    motion = kb.motion(m, np.linspace(0.0, 1.0, 13))
    shown = scene(motion, ghosts=12)
    contacts = [joint for joint in m.joints if joint.outlines()]
    assert [joint.name for joint in contacts] == [name for name, _ in shown.contacts]
    (kept,) = (j for j in m.joints if j.name == keeper)
    for joint, (_, point) in zip(contacts, shown.contacts, strict=True):
        curves = [mark for mark in shown.marks if mark.name == joint.name]
        assert len(curves) == 2 and point.body in (kept.parent, kept.child)
        radius = min(np.ptp(shown.places(curve), axis=0).max() for curve in curves) / 2
        for k in range(len(shown.poses)):
            for curve in curves:
                apart = np.linalg.norm(shown.places(curve, k) - shown.place(point, k), axis=1)
                assert apart.min() < (0.04 if name == "planetary" else 0.7) * radius
    assert {joint.name for joint in contacts} <= drawn_names(kb.draw(motion, 3))


def test_a_block_stands_where_its_joint_is():
    """Of a rack between two rods in the middle; a piston, which has one pin, is there."""
    rods = [kb.Body(name) for name in ("left", "right")]
    ends = {"left": (-0.3, 0.05), "right": (0.3, 0.05)}
    joints = [kb.Prismatic("S", "ground", "rack", at=(0.1, 0.0), axis=(1, 0))]
    joints += [kb.Revolute(f"pin {name}", "rack", name, at=at) for name, at in ends.items()]
    for bodies, count, x in ((rods, 3, 0.1), (rods[1:], 2, 0.3)):
        held = [joint for joint in joints if joint.child in ("rack", *(b.name for b in bodies))]
        shown = scene(kb.Mechanism("rack", [kb.Body("rack"), *bodies], held, plane="xy"))
        (block,) = (mark for mark in shown.marks if mark.kind == "block")
        np.testing.assert_allclose(shown.places(block)[0], [x, 0.0, 0.0], atol=1e-12)
        (link,) = (mark for mark in shown.marks if mark.name == "rack" and mark.body == "rack")
        assert len(link.points) == count


def test_what_cannot_be_drawn_is_said():
    """Themes, positions and sources that are not there."""
    m = kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)
    with pytest.raises(kb.StructureError, match="light"):
        kb.draw(m, theme="blue")
    with pytest.raises(kb.StructureError, match="no position 99"):
        kb.draw(kb.motion(m, [0.0, 0.1]), 99)
    with pytest.raises(kb.StructureError, match="draw a motion"):
        kb.draw(m, paths=["coupler"])
    with pytest.raises(kb.StructureError, match="expected a mechanism"):
        kb.draw("four-bar")


def test_the_command_draws(tmp_path, monkeypatch):
    """A file beside the mechanism, not overwritten unless asked."""
    from korba.cli import draw_command, motion_command  # noqa: F401  (add commands)
    from korba.cli.commands import app

    monkeypatch.chdir(tmp_path)
    kb.save(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7), "four.toml")
    run = CliRunner().invoke
    assert run(app, ["draw", "four.toml", "--at", "A=60 deg"]).exit_code == 0
    assert ET.parse("four.svg").getroot().tag == f"{SVG}svg"
    laid = ["--show", "dimensions", "--show", "velocities=B,C", "--time", "0.1", "--names", "all"]
    assert run(app, ["draw", "four.toml", *laid, "-o", "laid.svg"]).exit_code == 0
    assert {"vB", "200", "crank"} <= drawn_names(Path("laid.svg").read_text("utf-8"))
    again = run(app, ["draw", "four.toml"])
    assert again.exit_code == 1 and "--force" in again.output
    assert run(app, ["live", "four.toml"]).exit_code == 0
    assert "const places" in Path("four-live.html").read_text("utf-8")
    played = run(app, ["motion", "four.toml", "--cycle", "12", "--animate", "moving.html"])
    assert played.exit_code == 0 and "frameAt" in Path("moving.html").read_text("utf-8")


@pytest.mark.usefixtures("optimised")  # digit by digit
def test_pictures_of_the_page_are_those_of_its_script():
    """docs/pictures/schemes is made by the script in it."""
    folder = ROOT / "docs" / "pictures" / "schemes"
    space: dict = {"__file__": str(folder / "make_schemes.py")}
    exec((folder / "make_schemes.py").read_text("utf-8"), space)  # noqa: S102  (our own file)
    for name, picture in space["pictures"]():
        assert (folder / f"{name}.svg").read_text("utf-8") == picture
