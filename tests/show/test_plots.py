"""Plots: every column is drawn, with its unit, where its values are, and texts can be read."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from label_boxes import SVG

import korba as kb
from korba.show.plots.curves import ends
from korba.show.plots.panels import Line, Panel, Plot
from korba.show.schemes.labels import WIDE
from korba.trajectory.trajectory import Trajectory


def chain(count):
    """Bodies in a row, the last one sliding."""
    bodies = [kb.Body(f"link {k}", 1.0, inertia=0.1) for k in range(count)]
    names = ["ground", *(body.name for body in bodies)]
    joints = [kb.Revolute(f"J{k}", names[k], names[k + 1], at=(k, 0)) for k in range(count - 1)]
    joints.append(kb.Prismatic("slide", names[-2], names[-1], at=(count, 0), axis=(1, 0)))
    return kb.Mechanism("chain", bodies, joints, plane="xy")


def waving(count=3, times=40, scale=1.0):
    """A motion of the chain in sines, without solving anything."""
    t = np.linspace(0.0, 2.0, times)
    w = 1.0 + 0.1 * np.arange(count)
    phase = t[:, None] * w
    state = scale * np.sin(phase), scale * w * np.cos(phase), -scale * w**2 * np.sin(phase)
    return Trajectory(chain(count), t, *state)


def text_boxes(picture):
    """Text and box (left, top, right, bottom) of all that is written."""
    for element in ET.fromstring(picture).iter(f"{SVG}text"):
        text, size = element.text or "", float(element.get("font-size"))
        x, y = float(element.get("x")), float(element.get("y"))
        long, high = WIDE * size * len(text), 0.8 * size
        start = {"middle": long / 2, "end": long}.get(element.get("text-anchor"), 0.0)
        if "rotate(-90" in element.get("transform", ""):
            yield text, (x - high, y - long + start, x, y + start)
        else:
            yield text, (x - start, y - high, x - start + long, y)


def check_texts(picture):
    """All on the page, none over another."""
    root = ET.fromstring(picture)
    width, height = float(root.get("width")), float(root.get("height"))
    boxes = list(text_boxes(picture))
    for text, (left, top, right, bottom) in boxes:
        assert left >= 0 and top >= 0 and right <= width and bottom <= height, text
    for (one, a), (two, b) in combinations(boxes, 2):
        apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        assert apart, f"{one!r} over {two!r}"


def curves(picture):
    """Points of all curves, in pixels."""
    for way in re.findall(r"class='curve' d='M([^'h]*)", picture):
        yield np.array([pair.split(",") for pair in way.split()], dtype=float)


def test_one_panel_for_each_unit_and_no_column_is_dropped():
    """Coordinates, velocities and accelerations of 41 joints, in panels of at most 16 lines."""
    motion = waving(41)
    plot = motion.plot()
    assert len(plot) == 3 * 41 == len({line.name for p in plot.panels for line in p.lines})
    assert max(len(panel.lines) for panel in plot.panels) <= 16
    units = dict.fromkeys(panel.y.rpartition(", ")[2] for panel in plot.panels)
    assert list(units) == ["deg", "m", "rad/s", "m/s", "rad/s²", "m/s²"]
    assert len(list(curves(plot.svg()))) == 3 * 41
    check_texts(plot.svg())


def test_curves_stand_where_their_values_are():
    """Between the ticks of the axes pixels are values."""
    motion = waving()
    picture = motion.plot("slide").svg()
    ticks = [(t.replace("−", "-"), b) for t, b in text_boxes(picture) if re.match(r"[−\d]", t)]
    bottom = max(box[3] for _, box in ticks)
    along = np.array([(float(t), (b[0] + b[2]) / 2) for t, b in ticks if b[3] == bottom])
    upward = np.array([(float(t), b[3] - 4) for t, b in ticks if b[3] < bottom])
    x, y = (np.polyfit(axis[:, 1], axis[:, 0], 1) for axis in (along, upward))
    (points,) = curves(picture)
    expected = np.sin(1.2 * np.polyval(x, points[:, 0]))
    np.testing.assert_allclose(np.polyval(y, points[:, 1]), expected, atol=3e-3)


def test_curves_are_smooth_between_few_times():
    """From 12 times of a pendulum its coordinate and velocity between them."""
    rod = kb.Body("rod", 1.0, com=(0.5, 0), inertia=0.1)
    m = kb.Mechanism("pendulum", [rod], [kb.Revolute("A", "ground", "rod", at=(0, 0))], plane="xy")
    few = kb.simulate(m, until=1.0, times=12)
    many = kb.simulate(m, until=1.0, times=11 * 55 + 1)
    for name, tolerance in (("A", 1e-6), ("v_A", 1e-3), ("a_A", 2e-2)):
        (line,) = few.plot(name, degrees=False).panels[0].lines
        assert len(line.x) == len(many.t)
        np.testing.assert_allclose(line.y, many[name], atol=tolerance * np.ptp(many[name]))
    assert [panel.y for panel in few.plot().panels][-1] == "energy, J"


def test_impacts_stay_sharp():
    """A pendulum that bounces off a stop is not drawn beyond it, and its velocity jumps there."""
    rod = kb.Body("rod", 1.0, com=(0.5, 0), inertia=0.1)
    joint = kb.Revolute("A", "ground", "rod", at=(0, 0), lower=-2.0)
    m = kb.Mechanism("bouncing", [rod], [joint], plane="xy")
    for times in (None, 40):
        bounced = kb.simulate(m, until=2.0, events=kb.Stops(0.7), times=times)
        A, v = (bounced.plot(name, degrees=False).panels[0].lines[0] for name in ("A", "v_A"))
        assert -2.0 - 1e-3 < A.y.min() < -1.98
        many = kb.simulate(m, until=2.0, events=kb.Stops(0.7), times=2001)
        np.testing.assert_allclose(np.interp(A.x, many.t, many["A"]), A.y, atol=0.01)
        fastest = np.abs(np.diff(v.y)).max()
        assert fastest > 5.0


def test_degrees_and_other_columns_along_x():
    """Angles and their rates in degrees on both axes, over a crank's angle."""
    motion = waving(times=700)
    plot = motion.plot("J0", "v_J1", "slide", over="J1", degrees=True, theme="dark")
    assert [(p.x, p.y) for p in plot.panels] == [
        ("J1, deg", "J0, deg"),
        ("J1, deg", "v_J1, deg/s"),
        ("J1, deg", "slide, m"),
    ]
    np.testing.assert_array_equal(plot.panels[1].lines[0].x, np.degrees(motion["J1"]))
    np.testing.assert_array_equal(plot.panels[1].lines[0].y, np.degrees(motion["v_J1"]))
    assert "#111827" in plot.svg()
    check_texts(plot.svg())
    assert len(kb.plot(motion, columns="v_*")) == 3
    assert "J1" not in {line.name for p in motion.plot(over="J1").panels for line in p.lines}


def test_a_circle_in_space_is_seen_whatever_its_plane():
    """Paths of points in space are seen along all three axes: one of them shows the circle."""
    for axis in np.eye(3):
        body = kb.Body("arm", 1.0, points={"tip": np.roll(0.2 * axis, 1)})
        joint = kb.Revolute("A", "ground", "arm", at=(0, 0, 0), axis=axis)
        drive = kb.JointDrive("motor", "A", "1 rev/s*t")
        m = kb.Mechanism("arm", [body], [joint], drives=[drive])
        plot = kb.motion(m, np.linspace(0, 1, 31)).plot(paths=["arm.tip"])
        radii = [np.hypot(line.x, line.y) for panel in plot.panels for line in panel.lines]
        assert len(radii) == 3
        assert sum(np.allclose(each, 0.2, atol=1e-6) for each in radii) == 1


def test_phase_portraits_paths_and_hodographs():
    """Velocity over coordinate; place and velocity of a crank's pin go round circles."""
    m = kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)
    motion = kb.motion(m, np.linspace(0.0, 1.0, 25))
    plot = motion.plot(phase=["C"], paths=["crank.B"], hodographs=["crank.B", "rocker"])
    portrait, path, hodograph = plot.panels
    assert (portrait.x, portrait.y) == ("C, deg", "v_C, rpm")
    assert path.equal and hodograph.equal and hodograph.origin
    for panel, radius in ((path, 0.2), (hodograph, 0.2 * 2 * np.pi)):
        line = panel.lines[0]
        np.testing.assert_allclose(np.hypot(line.x, line.y), radius, rtol=2e-5)
    check_texts(plot.svg())
    round_ = list(curves(plot.svg()))[1]
    wide, high = np.ptp(round_, axis=0)
    assert wide == pytest.approx(high, abs=0.3)
    forces = kb.reactions(m, motion)
    (panel,) = kb.plot(forces, hodographs="B").panels
    np.testing.assert_array_equal(panel.lines[0].x[::25], forces["B"].force[:, 0])
    every = kb.plot(forces, along=motion, over="A", degrees=True)
    assert [panel.y for panel in every.panels] == [
        "F_y, N",
        "force, N",
        "moment, N m",
        "moment, N m",
    ]
    check_texts(every.svg())


def test_forces_that_are_zero_share_a_line_that_names_them():
    """Those of armature, whose rotors have no weight; no joint is without its name."""
    m = kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)
    m = replace(m, joints=tuple(replace(joint, armature=0.01) for joint in m.joints))
    motion = kb.motion(m, np.linspace(0.0, 1.0, 9))
    forces = kb.reactions(m, motion)
    assert {"A.armature", "D.armature"} <= {*forces.joints}
    for panel in kb.plot(forces, along=motion).panels[:2]:
        *lines, last = panel.lines
        assert {line.name for line in lines} == {*"ABCD"}
        assert re.fullmatch(r"0: \w.armature, \w.armature, 2 more", last.name) and not last.y.any()
    text = kb.dumps(m).replace('"A"', '"motor hinge"').replace('"D"', '"rocker hinge"')
    long = kb.loads(text)
    forces = kb.reactions(long, kb.motion(long, np.linspace(0.0, 1.0, 9)))
    assert kb.plot(forces).panels[0].lines[-1].name == "0: motor hinge.armature, 3 more"


@pytest.mark.parametrize("scale", [0.0, 1e-7, 1e-3, 1.0, 3e4, 2e9])
def test_axes_of_all_sizes_can_be_read(scale):
    """Ticks are short, powers of ten stand with the unit, constants have a range."""
    picture = waving(scale=scale, times=8).plot().svg()
    check_texts(picture)
    assert max(len(text) for text, _ in text_boxes(picture) if re.match(r"[−\d]", text)) <= 6
    assert ends(np.full(3, 5.0)) == (4.5, 5.5)


def test_gaps_and_single_times():
    """nan interrupts a curve; a motion of one time is a dot."""
    y = np.array([0.0, 1.0, np.nan, 2.0, 0.5, np.nan])
    panel = Panel("t, s", "A, rad", (Line("A", np.arange(6.0), y),))
    way = re.search(r"class='curve' d='([^']*)'", Plot("gaps", (panel,)).svg()).group(1)
    assert way.count("M") == 2
    assert waving(times=1).plot("J0").svg().count("<circle class='curve'") == 1


def test_files_or_the_extra(tmp_path):
    """An .svg needs nothing; .png and .html are written, or the extra is named."""
    plot = kb.plot(waving(), tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text("utf-8") == plot.svg() == plot._repr_svg_()
    for ending, library, make in (
        ("png", "matplotlib", plot.matplotlib),
        ("html", "plotly", plot.plotly),
    ):
        if find_spec(library):
            plot.save(tmp_path / f"a.{ending}")
            assert (tmp_path / f"a.{ending}").stat().st_size > 10_000
            figure = make()
            lines = [len(axis.lines) for axis in figure.axes] if ending == "png" else [*figure.data]
            assert (sum(lines) if ending == "png" else len(lines)) == len(plot)
        else:
            with pytest.raises(kb.KorbaError, match=r"pip install 'korba\[plot\]'"):
                plot.save(tmp_path / f"a.{ending}")


def test_what_cannot_be_drawn_is_said():
    """Unknown columns, batches, and options of other results."""
    motion = waving()
    with pytest.raises(kb.KorbaError, match="did you mean 'slide'"):
        motion.plot("slida")
    with pytest.raises(kb.KorbaError, match="there is no theme"):
        motion.plot(theme="pink")
    batch = Trajectory(
        motion.mechanism, motion.t, *(x[None] for x in (motion.q, motion.v, motion.a))
    )
    for options in ({}, {"paths": "link 0"}):
        with pytest.raises(kb.KorbaError, match="batch of motions"):
            kb.plot(batch, **options)
    with pytest.raises(kb.KorbaError, match="along: not an option"):
        kb.plot(motion, along=motion)


def test_plots_of_the_page_are_those_of_its_script():
    """docs/pictures/plots is made by the script in it."""
    folder = Path(__file__).parents[2] / "docs" / "pictures" / "plots"
    space: dict = {"__file__": str(folder / "make_plots.py")}
    exec((folder / "make_plots.py").read_text("utf-8"), space)  # noqa: S102  (our own file)
    for name, picture in space["pictures"]():
        kept = (folder / f"{name}.svg").read_text("utf-8")
        assert [t for t, _ in text_boxes(kept)] == [t for t, _ in text_boxes(picture)]
        for one, two in zip(curves(kept), curves(picture), strict=True):
            np.testing.assert_allclose(np.ptp(one, axis=0), np.ptp(two, axis=0), atol=0.3)
        check_texts(picture)


def test_what_does_not_move_is_flat():
    """Rates of teeth whose wheels keep their distance are 0 in a plot, and no rounding."""
    motion = kb.motion(kb.linkages.planetary("30 mm", "20 mm", 1), np.linspace(0.0, 1.0, 40))
    parting = [name for name in motion.names if "parting" in name]
    assert len(parting) == 4 and any(np.any(motion[name]) for name in parting)
    (v, a) = motion.plot(*parting).panels
    for line in (*v.lines, *a.lines):
        assert not np.any(line.y), line.name


def test_a_curve_without_extent_is_a_dot():
    """The hodograph of a constant force is seen, where it is."""
    still = Line("A", np.full(9, 3.0), np.full(9, 4.0))
    wide = Line("B", np.linspace(0.0, 6.0, 9), np.linspace(0.0, 8.0, 9))
    picture = Plot("", (Panel("F_x, N", "F_y, N", (still, wide), equal=True, origin=True),)).svg()
    ((x, y),) = re.findall(r"<circle class='curve' cx='([\d.]+)' cy='([\d.]+)'", picture)
    (points,) = curves(picture)
    np.testing.assert_allclose([float(x), float(y)], points.mean(axis=0), atol=0.2)


def test_dead_centres_that_are_far_away_leave_the_scale_alone():
    """The axis of a reduced mass is cut where it has no bound, and not along a motion off there."""
    m = replace(kb.linkages.slider_crank("40 mm", "120 mm"), drives=())
    r = kb.reduce(m, "slide")
    whole, *_ = kb.plot(r).panels
    assert whole.limits is not None
    middle = kb.assemble(m, {"A": "80 deg"})["slide"]
    driven = replace(m, drives=(kb.JointDrive("jack", "slide", f"{middle} + sin(t)/1000"),))
    at = kb.motion(driven, np.linspace(0.0, 6.0, 30))
    near, *_ = kb.plot(r, along=at).panels
    assert near.limits is None
