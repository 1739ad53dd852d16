"""What is laid over pictures: vectors to one scale, sizes that are told, texts to be read."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from engine_by_numpy import by_numpy
from label_boxes import SVG, check_labels, label_boxes

import korba as kb
from korba.linkages.ready import ready
from korba.show.drawings.draw import scene
from korba.show.overlays.catalogue import OVERLAYS, overlaid
from korba.trajectory.trajectory import Trajectory

STRUCTURE = Path(__file__).parents[2] / "examples" / "structure"
PLANE = {name: make for name, (_, make) in ready().items() if make().plane}


@pytest.fixture(autouse=True)
def nothing_compiled():
    """The engine's programs are evaluated by NumPy."""
    with by_numpy():
        yield


def four_bar():
    return kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")


def rssr():
    return kb.linkages.rssr("40 mm", "160 mm", "100 mm", "120 mm")


def moving(m=None):
    return kb.motion(m or four_bar(), [0.0, 0.1, 0.2])


def said(picture):
    return {text for text, _ in label_boxes(picture)}


def arrows(shown, kind):
    """Start and vector of every arrow, by its text."""
    marks = [mark for mark in shown.over if mark.kind == kind and mark.text]
    ends = [shown.places(mark) for mark in marks]
    return {mark.text: (p[0], p[-1] - p[0]) for mark, p in zip(marks, ends, strict=True)}


@pytest.mark.parametrize("make", PLANE.values(), ids=PLANE)
def test_texts_of_overlays_can_be_read(make):
    """None outside the picture or over another, with sizes, velocities, turns and centres."""
    motion = kb.motion(make(), [0.0, 0.05])
    check_labels(kb.draw(motion, 1, dimensions=True))
    check_labels(kb.draw(motion, 1, velocities=True, angular_velocities=True, names="all"))
    if len(motion.mechanism.bodies) in (3, 5):  # six- and eight-bars: test_plan_drawing
        check_labels(kb.draw(motion, 1, centres=True, theme="dark"))


@pytest.mark.parametrize("overlay", ["velocities", "accelerations"])
def test_vectors_of_points_keep_one_scale(overlay):
    """Arrows are the vectors of motion.point times one number, from where the points are."""
    motion = moving()
    shown = overlaid(scene(motion, 2), motion.mechanism, {overlay: True}, motion, 2)
    own = arrows(shown, "velocity" if overlay == "velocities" else "acceleration")
    letter = overlay[0]
    scales = []
    for name, body in (("B", "crank"), ("C", "rocker")):
        point = motion.point(body, name)
        start, arrow = own[f"{letter}_{name}"]
        vector = (point.velocity if letter == "v" else point.acceleration)[2]
        np.testing.assert_allclose(start, point.position[2], atol=1e-9)
        scales.append(np.linalg.norm(arrow) / np.linalg.norm(vector))
        np.testing.assert_allclose(np.cross(arrow, vector), 0.0, atol=1e-9)
        assert arrow @ vector > 0
    np.testing.assert_allclose(*scales, rtol=1e-9)
    note = next(note for note in shown.notes if note.length)
    assert " mm/s" in note.text, "lengths are told in millimetres"
    value = 1e-3 * float(re.search(r"[\d.]+", note.text)[0])
    np.testing.assert_allclose(note.length, value * scales[0], rtol=1e-9)


def test_forces_on_a_body_hold_its_motion():
    """Reactions and weight of the coupler, drawn to one scale, sum up to its inertia force."""
    motion = moving()
    m = motion.mechanism
    asked = {"reactions": "coupler", "gravity": "coupler"}
    shown = overlaid(scene(motion, 1), m, asked, motion, 1)
    forces = {**arrows(shown, "reaction"), **arrows(shown, "weight")}
    assert set(forces) == {"F_B", "F_C", "G_coupler"}
    weight = m.body("coupler").mass * 9.81
    scale = np.linalg.norm(forces["G_coupler"][1]) / weight
    total = sum(vector for _, vector in forces.values()) / scale
    a = motion.point("coupler", m.body("coupler").com).acceleration[1]
    np.testing.assert_allclose(total, m.body("coupler").mass * a, atol=1e-9)
    same = kb.draw(motion, 1, reactions=kb.reactions(m, motion))
    assert {"F_A", "F_B", "F_C", "F_D"} <= {text.replace("F", "F_", 1) for text in said(same)}


def test_sizes_are_told_by_value_and_by_name():
    """Lengths in mm, the crank's angle; parameters by their names where lengths follow them."""
    told = said(kb.draw(four_bar(), {"A": "60 deg"}, dimensions=True, names=False))
    assert {"40", "120", "80", "100", "60°"} == told
    assert {"a", "b", "c", "d"} <= said(kb.draw(four_bar(), dimensions="names", names=False))
    one = said(kb.draw(four_bar(), dimensions="coupler", names=False))
    assert "120" in one and "80" not in one
    wheels = kb.linkages.planetary("30 mm", "20 mm")
    assert {"R 30", "R 20", "R 70"} <= said(kb.draw(wheels, dimensions=True))


def test_values_leave_the_heads_of_short_lines_free():
    """A value that is longer than its dimension line stands beside it."""
    m = kb.linkages.four_bar("60 mm", "80 mm", "90 mm", "6.1253 mm")
    picture = kb.draw(m, {"A": "60 deg"}, dimensions=True)
    heads = re.findall(r"class='head dimension' d='M([-\d.]+),([-\d.]+)", picture)
    tips = np.array(heads, dtype=float)
    assert len(tips) == 9, "two for each length, one for the angle"
    boxes = dict(label_boxes(picture))
    left, top, right, bottom = boxes["6.1253"]
    assert not ((tips > [left, top]) & (tips < [right, bottom])).all(axis=1).any()


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1.0, 1e4])
def test_pictures_do_not_depend_on_the_size(size):
    """The same mechanism, tiny or huge, has the same picture but for its numbers."""
    m = kb.linkages.four_bar(*(size * x for x in (0.2, 0.6, 0.5, 0.7)))
    other = kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)
    assert kb.draw(m, dimensions="names") == kb.draw(other, dimensions="names").replace(
        "lengths in mm",
        {1e-6: "lengths in µm", 1e-3: "lengths in µm", 1e4: "lengths in km"}.get(
            size, "lengths in mm"
        ),
    )


def test_names_of_joints_bodies_and_numbers():
    """What `names` says, and nothing else."""
    m = four_bar()
    joints, bodies = {"A", "B", "C", "D"}, {"crank", "coupler", "rocker"}
    shown = {names: said(kb.draw(m, names=names)) for names in ("joints", "bodies", "all")}
    assert shown == {"joints": joints, "bodies": bodies, "all": joints | bodies}
    assert said(kb.draw(m, names="numbers")) == joints | {"1", "2", "3"}
    assert not said(kb.draw(m, names=False))
    with pytest.raises(kb.StructureError, match="bodies"):
        kb.draw(m, names="body")


def test_the_force_of_a_guide_is_on_the_rim_of_its_cone():
    """The line with friction is at that angle to the one without, on a ray of the cone."""
    m = kb.linkages.slider_crank("40 mm", "120 mm")
    m = replace(m, forces=(kb.PointForce("gas", "slider", (-300, 0)),))
    rough = kb.Friction(coefficient=0.25)
    m = replace(
        m, joints=tuple(j if j.turns_only else replace(j, friction=rough) for j in m.joints)
    )
    motion = kb.motion(m, np.linspace(0.0, 1.0, 25))
    for k in (3, 9, 16):
        shown = overlaid(scene(motion, k), m, {"friction": True}, motion, k)

        def ways(kind, shown=shown):
            places = (shown.places(mark) for mark in shown.over if mark.kind == kind)
            return [(p[1] - p[0]) / np.linalg.norm(p[1] - p[0]) for p in places]

        (smooth,), (action,), rays = ways("smooth action"), ways("action"), ways("cone")
        assert len(rays) == 2
        assert float(smooth @ action) == pytest.approx(np.cos(np.arctan(0.25)), abs=1e-6)
        assert max(float(ray @ action) for ray in rays) == pytest.approx(1.0, abs=1e-6)
    check_labels(kb.draw(motion, 3, friction=True))
    assert "φ = 14" in kb.draw(motion, 3, friction=True)


def test_friction_circles_touch_their_lines():
    """The line of a force with friction is at most one radius beside the middle of its pin."""
    rough = kb.Friction(coefficient=0.2, radius="10 mm")
    m = four_bar()
    m = replace(m, joints=tuple(replace(joint, friction=rough) for joint in m.joints))
    motion = moving(m)
    shown = overlaid(scene(motion, 1), m, {"friction": True}, motion, 1)
    circles = [shown.places(mark) for mark in shown.over if mark.kind == "friction circle"]
    lines = [shown.places(mark) for mark in shown.over if mark.kind == "action"]
    assert len(circles) == len(lines) == 4
    for ring, (a, b) in zip(circles, lines, strict=True):
        middle = ring[:-1].mean(axis=0)
        h = np.linalg.norm(ring[0] - middle)
        u = (b - a) / np.linalg.norm(b - a)
        np.testing.assert_allclose(np.linalg.norm(np.cross(middle - a, u)), h, rtol=1e-6)
    check_labels(kb.draw(motion, 1, friction=True))


def test_every_overlay_has_its_colour_and_its_words():
    """All on one picture: its classes are in the style, its notes inside the page."""
    m = kb.linkages.slider_crank("40 mm", "120 mm", offset="10 mm")
    loads = (kb.PointForce("P", "slider", (-100, 0)), kb.Moment("M", "rod", (0, 0, 2)))
    m = replace(m, forces=loads)
    motion = moving(m)
    picture = kb.draw(motion, 1, **{name: True for name in OVERLAYS if name != "friction"})
    root = ET.fromstring(picture)
    style = root.find(f"{SVG}style").text
    for element in root.iter(f"{SVG}path"):
        for name in (element.get("class") or "").split():
            assert re.search(rf"\.{name}[ ,]", style), name
    for text in root.iter(f"{SVG}text"):
        if text.get("class") == "note":
            end = float(text.get("x")) + 6.0 * len(text.text)
            assert end <= float(root.get("width")) and float(text.get("y")) <= float(
                root.get("height")
            )
    assert {"P", "2 N m"} <= said(picture)
    assert "no " not in "".join(root.itertext())


def test_what_cannot_be_laid_over_is_said():
    """Overlays that are not there, need a motion, or name nothing."""
    m = four_bar()
    with pytest.raises(kb.StructureError, match="velocities"):
        kb.draw(m, velocity=True)
    with pytest.raises(kb.StructureError, match="of a motion"):
        kb.draw(m, velocities=True)
    with pytest.raises(kb.StructureError, match="there is no 'E'"):
        kb.draw(moving(), velocities=["E"])
    ways = {"dimensions": "kb.live shows", "centres": "take velocities", "friction": "=True and"}
    for overlay, way in ways.items():
        with pytest.raises(kb.StructureError, match=f"is spatial; .*{way}"):
            kb.draw(moving(rssr()), **{overlay: True})


@pytest.mark.parametrize("overlay", [name for name, each in OVERLAYS.items() if each.nothing])
def test_an_overlay_with_nothing_to_show_says_so(overlay):
    """One sentence below the picture that names it; none of what was not asked for."""
    bar = kb.Body("bar", points={"P": (0.0, 0.0)})
    m = kb.Mechanism("bar", [bar], [kb.Revolute("A", "ground", "bar", at=(0, 0))], plane="xy")
    rest = Trajectory(m, [0.0], *np.zeros((3, 1, 1)))
    shown = overlaid(scene(rest), m, {overlay: True}, rest)
    assert not shown.over
    (note,) = shown.notes
    assert note.text == OVERLAYS[overlay].nothing and note.text.startswith("no ")
    assert note.text in kb.draw(rest, **{overlay: True}).replace("&amp;", "&")
    assert not overlaid(scene(rest), m, {overlay: False}, rest).notes


def test_vectors_in_space():
    """Velocities and forces of a spatial mechanism."""
    motion = kb.motion(rssr(), [0.0, 0.05])
    picture = kb.draw(motion, 1, velocities=True, reactions=["B"])
    check_labels(picture)
    assert {"vB", "vC", "FB"} <= said(picture)


def test_driven_joints_and_actuators_carry_arrows():
    """In the sense of the drive: of a jack that grows longer from its first end to its second."""
    m = kb.Mechanism(
        "tipper",
        [kb.Body("bed")],
        [kb.Revolute("A", "ground", "bed", at=(0, 0, 0))],
        plane="xy",
        drives=[
            kb.LengthDrive("jack", "ground", (1, -1, 0), "bed", (2, 0, 0), "1.5 m + 0.1 m/s*t")
        ],
    )
    shown = overlaid(scene(m), m, {})
    a, b = next(shown.places(mark) for mark in shown.marks if mark.kind == "actuator")
    _, arrow = arrows(shown, "drive")["jack"]
    assert np.linalg.norm(np.cross(arrow, b - a)) < 1e-9 and arrow @ (b - a) > 0
    assert not overlaid(scene(m), m, {"drives": False}).over
    for m in (four_bar(), rssr()):
        shown = overlaid(scene(m), m, {})
        (turned,) = shown.over
        ring = shown.places(turned)
        pin = next(shown.places(each) for each in shown.marks if each.kind == "pin")
        axis, ways = pin[1] - pin[0], ring - pin[0]
        assert turned.kind == "drive" and np.cross(ways[0], ways[1]) @ axis > 0
        np.testing.assert_allclose(ways @ axis, 0.0, atol=1e-9)


def test_what_drives_and_loads_do_is_shown_wherever_it_acts():
    """In a slide along its axis; loads by their names, and none by a part of one."""
    m = kb.linkages.slider_crank("40 mm", "120 mm")
    m = replace(
        m, forces=(kb.JointForce("P", "slide", law="-100 N"), kb.PointForce("P2", "rod", (0, -5)))
    )
    motion = moving(m)
    shown = overlaid(scene(motion, 1), m, {"loads": "P"}, motion, 1)
    ((text, (_, arrow)),) = arrows(shown, "load").items()
    assert text == "P -100 N" and arrow[0] < 0 and abs(arrow[1]) < 1e-12
    with pytest.raises(kb.StructureError, match="there is no 'P3'"):
        kb.draw(motion, 1, loads=["P3"])


def test_followers_are_rods_in_guides():
    """The rod of a cam's follower goes away from the cam, along its way, through its guide."""
    m = kb.load(STRUCTURE / "fig_1_16b_cam_and_roller.toml")
    shown = scene(m)
    guide = next(shown.places(mark) for mark in shown.marks if mark.kind == "guide")
    rod = next(shown.places(m) for m in shown.marks if m.kind == "bar" and m.name == "follower")
    along = (guide[1] - guide[0]) / np.linalg.norm(guide[1] - guide[0])
    np.testing.assert_allclose(np.cross(rod[1] - rod[0], along), 0.0, atol=1e-9)
    away = [abs((guide[0] - p) @ along) for p in rod]
    assert sum(away) <= np.linalg.norm(rod[1] - rod[0]) + 1e-9
    assert not [mark for mark in shown.marks if mark.kind == "ground rail"]


def test_a_mechanism_at_rest_has_no_velocities():
    """Where a drive turns back rates are rounding, and are not scaled up to arrows."""
    m = replace(four_bar(), drives=(kb.JointDrive("motor", "A", "1 + sin(2*pi*t)/4"),))
    motion = kb.motion(m, [0.0, 0.25, 0.5])
    assert 0.0 < np.abs(motion.v[1]).max() < 1e-12
    at_rest = kb.draw(motion, 1, velocities=True)
    assert "it rests here" in at_rest and "velocity 1e" not in at_rest
    assert "v_B" in arrows(
        overlaid(scene(motion, 0), m, {"velocities": True}, motion, 0), "velocity"
    )
