"""Pages that play motions: what they show is what the motion says."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from node_program import data_of, in_node
from rod_on_spring import rod_on_spring
from sample_mechanisms import turning_four_bar

import korba as kb


@pytest.fixture(scope="module")
def four_bar():
    return turning_four_bar()


def test_points_are_shown_where_they_are(four_bar):
    """C, by the page's own script at a frame, is that of the motion; the symbols stand there."""
    page = kb.animate(four_bar, paths=["coupler.C"])
    data = data_of(page)
    code = "const points = pointsInPlane(data, data.t[7]);"
    code += "console.log(JSON.stringify([points, data.parts.map((p) => moved(p, points))]));"
    points, moved = in_node(page, code)
    C = (np.array(points[data["trails"][0]]) - data["shift"]) / data["scale"] * [1, -1]
    np.testing.assert_allclose(C, four_bar.point("coupler", "C").position[7, :2], atol=1e-10)
    pins = [i for i, part in enumerate(data["parts"]) if part["kind"] == "stamp"]
    x, y = points[data["parts"][pins[0]]["points"][0]]
    shown = re.match(r"translate\((\S+) (\S+)\)", moved[pins[0]][1]).groups()
    assert [float(number) for number in shown] == [x, y]


def test_between_frames_it_interpolates(four_bar):
    """Half way between two frames every number is half way; before and after it stays."""
    page = kb.animate(four_bar)
    data = data_of(page)
    t = (data["t"][3] + data["t"][4]) / 2
    code = f"console.log(JSON.stringify([{t}, -1, 99].map((t) => frameAt(data, t))));"
    middle, first, last = in_node(page, code)
    frames = np.array(data["frames"])
    np.testing.assert_allclose(middle, (frames[3] + frames[4]) / 2, atol=1e-9)
    np.testing.assert_allclose(first, frames[0])
    np.testing.assert_allclose(last, frames[-1])


def test_trails_can_be_chosen(four_bar):
    """Those asked for are ticked; others are joints and named points that move, each once."""
    page = kb.animate(four_bar, paths=["coupler.C"])
    boxes = re.findall(r"data-way='\d'( checked)?> ([^<]*)<", page)
    assert boxes == [(" checked", "coupler.C"), ("", "B")]
    jansen = kb.animate(kb.motion(kb.linkages.jansen(), [0.0, 0.1]))
    names = re.findall(r"data-way='\d'> ([^<]*)<", jansen)
    assert "foot.F" in names and "O" not in names


def test_plates_are_round_their_points():
    """The page's own hull of points, in any order, some of them inside."""
    page = kb.animate(kb.motion(kb.linkages.jansen(), [0.0, 0.1]))
    points = [[0, 0], [4, 0], [1, 1], [4, 4], [0, 4], [2, 3]]
    corners = in_node(page, f"console.log(JSON.stringify(hull({points})));")
    assert sorted(corners) == [[0, 0], [0, 4], [4, 0], [4, 4]]


def test_springs_stretch_and_themes_are_there():
    """A tie has both its ends; the drawing is XML; nothing is loaded from elsewhere."""
    m = rod_on_spring()
    page = kb.motion(m, np.linspace(0, 1, 11)).animate(theme="dark", masses=True)
    (tie,) = (part for part in data_of(page)["parts"] if part["kind"] == "tie")
    assert len(tie["points"]) == 2 and tie["length"] > 50
    drawing = re.search(r"<svg.*?</svg>", page, re.S).group(0)
    ET.fromstring(drawing)
    assert "korba-dark" in drawing
    assert not re.findall(r"(?:src|href)=", page)


def test_solids_of_a_space_are_where_the_bodies_are():
    """Middles of the page's own balls are those of the motion; the coupler's bar is on its line."""
    motion = kb.motion(kb.linkages.rssr(0.1, 0.4, 0.3, 0.35), np.linspace(0.0, 1.0, 13))
    page = kb.animate(motion, names=False)
    code = "[0, 5].map((k) => solidsAt(data, frameAt(data, data.t[k])))"
    shown = in_node(page, f"console.log(JSON.stringify({code}));")
    for k, solids in zip((0, 5), shown, strict=True):
        balls = [X[12:15] for form, X, *_ in solids if form == "ball"]
        pipes = [X for form, X, *_ in solids if form == "cylinder"]
        B, C = (motion.point("coupler", name).position[k] for name in "BC")
        for place in (B, C):
            assert min(np.linalg.norm(np.subtract(ball, place)) for ball in balls) < 1e-7
        ways = [[B, X[12:15], np.add(X[12:15], X[8:11]), C] for X in pipes]
        over = [np.linalg.norm(np.diff(way, axis=0), axis=1).sum() - 0.4 for way in ways]
        assert min(map(abs, over)) < 1e-6
    assert data_of(page)["names"] == []


def test_poses_in_a_page_are_those_of_the_motion():
    """Points of bodies at the page's frames to 1e-9; half way between, bodies stay rigid."""
    motion = kb.motion(kb.linkages.rssr(0.1, 0.4, 0.3, 0.35), np.linspace(0.0, 1.0, 13))
    page = kb.animate(motion, paths=["coupler.B"])
    names = ["ground", *(body.name for body in motion.mechanism.bodies)]
    at = [0.1, -0.2, 0.3]
    code = (
        "console.log(JSON.stringify([...data.t, (data.t[3] + data.t[4]) / 2].map((t) => "
        f"frameAt(data, t).map((_, b, poses) => [{at}, [0, 0, 0]].map((p) => "
        "placedInSpace(poses, b, p))))));"
    )
    shown = np.array(in_node(page, code))
    for b, name in enumerate(names[1:], 1):
        np.testing.assert_allclose(
            shown[:-1, b, 0], motion.point(name, at).position, rtol=0, atol=1e-9
        )
    apart = np.linalg.norm(shown[:, :, 0] - shown[:, :, 1], axis=-1)
    np.testing.assert_allclose(apart, np.linalg.norm(at), rtol=0, atol=1e-9)


def test_springs_in_space_end_at_their_points():
    """A tie of the page begins at the one body's point and ends at the other's."""
    page = kb.animate(kb.simulate(kb.loads(HUNG), 0.2))
    code = (
        "const poses = frameAt(data, 0.1), [, ends] = data.ties[0];"
        "const [[, X]] = solidsAt(data, poses).slice(-1);"
        "console.log(JSON.stringify([X, ...ends.map(([b, ...p]) => placedInSpace(poses, b, p))]));"
    )
    X, start, end = in_node(page, code)
    np.testing.assert_allclose(X[12:15], start, atol=1e-12)
    np.testing.assert_allclose(np.add(X[12:15], X[8:11]), end, atol=1e-12)


HUNG = """
body = [{name = "rod", mass = 1, com = [0.3, 0, 0], inertia = [0.01, 0.01, 0.01]}]
[[joint]]
name = "U"
type = "universal"
parent = "ground"
child = "rod"
at = [0, 0, 0]
axis = [0, 0, 1]
[[force]]
name = "s"
type = "spring"
body_a = "ground"
at_a = [0.6, 0.1, 0.8]
body_b = "rod"
at_b = [0.6, 0, 0]
stiffness = 10
"""


def test_overlays_are_those_of_every_frame(four_bar):
    """Arrows begin at B and are its velocities to one scale; between frames nothing is shown."""
    page = kb.animate(four_bar, velocities=["coupler.B"])
    data = data_of(page)
    B, v = (getattr(four_bar.point("coupler", "B"), n)[:, :2] for n in ("position", "velocity"))
    arrows = []
    for svg in data["over"]:
        (shaft,) = re.findall(r"class='shaft velocity' d='M(\S+) L", svg)
        (tip,) = re.findall(r"class='head velocity' d='M(\S+) L", svg)
        arrows.append([[float(x) for x in p.split(",")] for p in (shaft, tip)])
    start, tip = np.moveaxis((np.array(arrows) - data["shift"]) / data["scale"] * [1, -1], 1, 0)
    pixel = 0.11 / data["scale"]
    np.testing.assert_allclose(start, B, atol=pixel)
    scale = np.linalg.norm(tip - start) / np.linalg.norm(v)
    np.testing.assert_allclose(tip - start, scale * v, atol=2 * pixel)
    t = 0.7 * data["t"][3] + 0.3 * data["t"][4]
    code = f"console.log(JSON.stringify([frameAt(data, {t}), shownFrame(data, {t})]));"
    poses, k = in_node(page, code)
    assert k == 3 and poses == data["frames"][3]


def test_arrows_in_space_are_to_one_scale():
    """Of the velocity of a ball: a rod and a head of the page, from the ball along it."""
    motion = kb.motion(kb.linkages.rssr(0.1, 0.4, 0.3, 0.35), np.linspace(0.0, 1.0, 12))
    page = kb.animate(motion, velocities=["coupler.C"], theme="dark")
    code = "data.over.map(([mark]) => arrowOf(mark, data.wide).map(([form, X]) => [form, X]))"
    shown = in_node(page, f"console.log(JSON.stringify({code}));")
    C, v = (getattr(motion.point("coupler", "C"), n) for n in ("position", "velocity"))
    ways = []
    for k, solids in enumerate(shown):
        assert [form for form, _ in solids] == ["cylinder", "head"]
        (_, rod), (_, head) = solids
        np.testing.assert_allclose(rod[12:15], C[k], atol=1e-5)
        ways.append(np.add(head[12:15], head[8:11]) - C[k])
    scale = np.linalg.norm(ways) / np.linalg.norm(v)
    np.testing.assert_allclose(ways, scale * v, atol=3e-5)
    (told,) = re.findall(r"velocity (\S+) m/s is (\S+) m long", page)
    assert float(told[1]) / float(told[0]) == pytest.approx(scale, rel=1e-2)


def test_what_cannot_be_played_is_said(four_bar):
    """No motion, a theme that is not there."""
    with pytest.raises(kb.StructureError, match="expected a motion"):
        kb.animate(four_bar.mechanism)
    with pytest.raises(kb.StructureError, match="no theme"):
        kb.animate(four_bar, theme="blue")
    with pytest.raises(kb.StructureError, match="animate: there is no overlay 'speeds'"):
        kb.animate(four_bar, speeds=True)
