"""One colour means one link, in pictures and plots; red is for faults only."""

import colorsys
import re
from pathlib import Path

import numpy as np
import pytest

import korba as kb
from korba.show.plots.curves import look
from korba.show.plots.hues import in_colours, link_hues
from korba.show.plots.panels import Line
from korba.show.schemes.over_symbols import LOOKS
from korba.show.schemes.paper import BRIGHT, HUES
from korba.show.schemes.space import HUES as SOLID
from korba.show.schemes.themes import DARK, LIGHT

M = kb.linkages.slider_crank("100 mm", "400 mm")
MOTION = kb.motion(M, np.linspace(0, 1, 37))


def red(colour):
    """Whether a colour would be called red: a hue within 18 degrees of it, strong."""
    r, g, b = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    hue, light, strength = colorsys.rgb_to_hls(r, g, b)
    return min(hue, 1 - hue) * 360 < 18 and strength > 0.4 and 0.2 < light < 0.9


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_that_is_told_of_a_joint_has_the_colour_of_its_link(theme):
    """Coordinate, velocity, acceleration and force of a joint: the colour of the link it moves."""
    palette = BRIGHT if theme == "dark" else HUES
    number = {body.name: k for k, body in enumerate(M.bodies)}
    drawn = kb.draw(M, theme=theme)
    panels = [
        *kb.plot(MOTION, over="A").panels,
        *kb.plot(kb.reactions(M, MOTION), along=MOTION).panels,
    ]
    told = 0
    for panel in panels:
        looks = [look(k, line, theme) for k, line in enumerate(panel.lines)]
        assert len(set(looks)) == len(looks), "lines of one panel can be told apart"
        for line, (colour, _) in zip(panel.lines, looks, strict=True):
            joint = next(
                (j for j in M.joints if line.name in (j.name, f"v_{j.name}", f"a_{j.name}")), None
            )
            if joint is not None:
                told += 1
                assert colour == palette[number[joint.child]]
                assert f".b{number[joint.child] + 1} {{stroke: {colour}" in drawn
    assert told > 12


def test_a_crowd_about_one_link_keeps_its_colours():
    """Seven coordinates of one body cannot be told apart by dashes: each has a colour."""
    lines = [Line(f"q{k}", np.zeros(2), np.zeros(2)) for k in range(7)]
    assert in_colours(lines, {line.name: 0 for line in lines}) == lines
    assert {line.hue for line in in_colours(lines[:3], {"q0": 4, "q1": 4})} == {4, -1}


def test_drives_are_about_what_they_drive():
    """The motor of a crank has the crank's colour."""
    hues = link_hues(M)
    (drive,) = M.drives
    assert hues[drive.name] == hues[drive.coordinate] == 0


@pytest.mark.parametrize(
    "colours", [HUES, BRIGHT, SOLID, *(x.colours for x in LOOKS.values() if x.colours)]
)
def test_no_link_and_no_mark_is_red(colours):
    """Red is kept for faults."""
    assert not any(map(red, colours))


def test_pictures_of_motions_have_no_red():
    """Curves of points are in the colour of their link; forces and speeds are not red either."""
    picture = kb.draw(MOTION, 3, paths=["rod"], reactions=True, velocities=True, accelerations=True)
    assert "class='way b2'" in picture
    named = set(re.findall(r"#[0-9a-f]{6}", picture))
    assert red("#be123c") and red("#dc2626")
    assert not {c for c in named if red(c)}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("ask", [kb.course.velocity_plan, kb.course.acceleration_plan])
def test_vectors_of_a_plan_have_the_colours_of_their_links(ask, theme):
    """Relative vectors of a link, and its image, are drawn as the link is in its picture."""
    palette = BRIGHT if theme == "dark" else HUES
    m = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
    plan = ask(m, {"A": "70 deg"}, points={"P": ("coupler", (0.06, 0.03))})
    text = str(plan.draw(theme=theme))
    assert {v.link for v in plan.vectors if v.kind != "absolute"} <= {b.name for b in m.bodies}
    shown = 0
    for k, body in enumerate(m.bodies):
        for v in plan.vectors:
            group = re.search(rf"<g><title>{re.escape(v.name)}</title>.*?</g>", text)
            if v.link == body.name and group:
                assert f"stroke='{palette[k]}'" in group[0]
                shown += 1
    assert shown >= 2
    assert re.search(rf"fill='{palette[1]}' fill-opacity[^>]*><title>image of coupler", text)


def test_nothing_but_faults_is_red():
    """Of all colours that pages, pictures and plots are written with, only that of faults is."""
    folder = Path(kb.__file__).parent / "show"
    files = [p for p in folder.rglob("*") if p.suffix in (".py", ".js", ".html")]
    assert len(files) > 60
    found = {c for p in files for c in re.findall(r"#[0-9a-fA-F]{6}\b", p.read_text("utf-8"))}
    assert {c for c in found if red(c)} == {LIGHT["fault"], DARK["fault"]}
    words = {
        w
        for p in files
        for w in re.findall(r"[:'\"]\s*(red|crimson|tomato)\b", p.read_text("utf-8"))
    }
    assert not words


@pytest.mark.parametrize("ask", [kb.course.velocity_plan, kb.course.acceleration_plan])
def test_every_vector_of_a_plan_is_named(ask):
    """Absolute vectors too: each arrow has a text with the name of its first vector."""
    plan = ask(kb.linkages.slider_crank("40 mm", "120 mm", "10 mm"), {"A": "70 deg"})
    text = str(plan.draw())
    words = re.findall(r"<text[^>]*>(.*?)</text>", text, flags=re.S)
    told = {re.sub(r"<[^>]*>", "", word) for word in words}
    arrows = re.findall(r"<g><title>(.*?)</title>", text)
    assert len(arrows) >= 3
    for names in arrows:
        plain = names.split(" = ")[0].replace("_", "").replace("^", "")
        assert plain in told, (plain, told)


def test_solids_have_the_hues_of_plots():
    """Of every link the solid, the bar in the plane and the curve have one hue, light and dark."""

    def hue(colour):
        return 360 * colorsys.rgb_to_hls(*(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)))[0]

    for solid, light, dark in zip(SOLID, HUES, BRIGHT, strict=True):
        assert abs(hue(solid) - hue(light)) < 12 and abs(hue(solid) - hue(dark)) < 12


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("ask", [kb.course.force_plan, kb.course.lever])
def test_forces_have_the_colours_of_the_links_that_they_act_on(ask, theme):
    """In polygons and on levers, as the link is in its picture; the legend names links."""
    palette = BRIGHT if theme == "dark" else HUES
    m = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
    answer = ask(m, {"A": "70 deg"})
    text = str(answer.draw(theme=theme))
    number = {body.name: k for k, body in enumerate(m.bodies)}
    told = (
        [v for polygon in answer.polygons for v in (*polygon.vectors, *polygon.inner)]
        if ask is kb.course.force_plan
        else [each for each in answer.forces if np.any(each.force)]
    )
    shown = 0
    for force in told:
        assert force.link in number
        group = re.search(rf"<g><title>{re.escape(force.name)}</title>.*?</g>", text)
        if group and force.name.rpartition("_")[2] in number:
            assert f"stroke='{palette[number[force.link]]}'" in group[0]
            shown += 1
    assert shown >= 3
    assert all(f">{body.name}</text>" in text for body in m.bodies)
