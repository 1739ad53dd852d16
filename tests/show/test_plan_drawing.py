"""Plans and centres as pictures."""

import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import korba as kb

sys.path.append(str(Path(__file__).parents[1] / "book"))

import plane_models as models
from engine_by_numpy import by_numpy
from label_boxes import check_labels

from korba.show.drawings.plane import CLEAR
from korba.show.schemes.svg_sheet import DOT

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def nothing_compiled():
    """The engine's programs are evaluated by NumPy."""
    with by_numpy():
        yield


def texts(root):
    return {"".join(element.itertext()) for element in root.iter(f"{SVG}text")}


@pytest.mark.parametrize("quantity", ["velocity", "acceleration"])
def test_every_vector_is_an_arrow_of_its_length(quantity):
    """Arrows keep the directions of the vectors and one scale; image points and kinds are named."""
    motion = kb.motion(models.yoke("10*t + 5*t^2"), [0.0])
    plan = getattr(kb.course, f"{quantity}_plan")(motion)
    root = ET.fromstring(kb.draw(plan))
    arrows = {}
    dots = np.array([[float(c.get("cx")), float(c.get("cy"))] for c in root.iter(f"{SVG}circle")])
    for group in root.iter(f"{SVG}g"):
        tip = np.array(group.find(f"{SVG}polygon").get("points").split()[0].split(","), dtype=float)
        line = group.find(f"{SVG}line")
        start = np.array([float(line.get("x1")), float(line.get("y1"))])
        if min(np.linalg.norm(dots - tip, axis=1)) < 1.2 * CLEAR:  # it ends at the rim of a dot
            tip = tip + CLEAR * (tip - start) / np.linalg.norm(tip - start)
        for name in group.find(f"{SVG}title").text.split(" = "):
            arrows[name] = tip - start
    assert set(arrows) == {v.name for v in plan.vectors if np.linalg.norm(v.vector) > 1e-6}
    scales = []
    for name, arrow in arrows.items():
        vector = plan[name] * (1, -1)
        if np.linalg.norm(arrow) > 20:
            scales.append(np.linalg.norm(arrow) / np.linalg.norm(vector))
            assert abs(np.cross([*arrow, 0], [*vector, 0])[2]) < 0.2 * np.linalg.norm(vector)
    assert np.ptp(scales) < 0.01 * np.mean(scales)
    assert {"o", "b", "b(rocker)"} <= texts(root)
    assert any(text.endswith("m/s" if quantity == "velocity" else "m/s²") for text in texts(root))


@pytest.mark.parametrize("quantity", ["velocity", "acceleration"])
@pytest.mark.parametrize("make", ["slider_crank", "quick_return", "watt"])
def test_heads_are_clear_of_dots(make, quantity):
    """No arrowhead covers the dot that it points at, and none ends short of where it belongs."""
    sizes = {"slider_crank": (0.1, 0.4), "quick_return": (0.1, 0.25, 0.5, 0.2)}
    m = getattr(kb.linkages, make)(*sizes.get(make, (0.1, 0.3, 0.25, 0.3, 0.2, 0.25, 0.2, 0.25)))
    root = ET.fromstring(
        kb.draw(getattr(kb.course, f"{quantity}_plan")(kb.motion(m, [0.0, 0.1]), 1))
    )
    dots = np.array([[float(c.get("cx")), float(c.get("cy"))] for c in root.iter(f"{SVG}circle")])
    beside = 0
    for polygon in root.iter(f"{SVG}polygon"):
        if len(polygon.get("points").split()) == 3 and polygon.find(f"{SVG}title") is None:
            tip = np.array(polygon.get("points").split()[0].split(","), dtype=float)
            apart = float(np.linalg.norm(dots - tip, axis=1).min())
            assert apart > DOT
            beside += apart < 1.2 * CLEAR
    assert beside >= 3


def test_slots_have_the_names_of_the_book():
    """The pin of a slot is the point B of the crank, B(lever) the point of the lever below it."""
    m = kb.linkages.quick_return(0.1, 0.25, 0.5, 0.2)
    plan = kb.course.velocity_plan(kb.motion(m, [0.0, 0.1]), 1)
    names = {v.name for v in plan.vectors}
    assert {"v_B", "v_B(lever)", "v_B,B(lever)"} <= names
    assert not any(" on " in name for name in names)
    assert {"b", "b(lever)"} <= texts(ET.fromstring(kb.draw(plan)))


def test_dimensions_are_thin_lines():
    """At most half as thick as the thinnest line of a link, and lines aside are thinner still."""
    m = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
    text = str(kb.draw(m, dimensions=True))
    wide = {
        name: float(re.search(rf"\.{name}\b[^}}]*stroke-width: ([\d.]+)", text)[1])
        for name in ("thin", "aside", "block", "pin", "ground")
    }
    assert wide["thin"] <= 0.6 * wide["block"] <= 0.6 * wide["pin"]
    assert wide["aside"] < wide["thin"] < wide["ground"]
    assert "class='thin aside dimension'" in text


def test_names_are_escaped():
    """A body called `<b>` and one with an ampersand do not break the picture."""
    m = models.crank_slider()
    m = kb.Mechanism(
        "a < b & c",
        [kb.Body("<b>"), *m.bodies[1:]],
        [_renamed(j) for j in m.joints],
        plane="xy",
        drives=m.drives,
    )
    motion = kb.motion(m, [0.0])
    ET.fromstring(kb.draw(kb.course.velocity_plan(motion)))
    root = ET.fromstring(kb.draw(kb.course.instant_centres(motion)))
    assert "0 ground, 1 <b>, 2 coupler, 3 slider" in texts(root)


def _renamed(joint):
    from dataclasses import replace

    names = {"crank": "<b>"}
    return replace(
        joint,
        parent=names.get(joint.parent, joint.parent),
        child=names.get(joint.child, joint.child),
    )


def test_centres_are_numbered_as_in_the_book():
    """Six labels on the four-bar; those at infinity are told in words."""
    root = ET.fromstring(kb.draw(kb.course.instant_centres(models.four_bar())))
    assert {"S10", "S20", "S30", "S12", "S13", "S23"} <= texts(root)
    root = ET.fromstring(kb.draw(kb.course.instant_centres(models.yoke())))
    assert any("at infinity" in text for text in texts(root))


BARS = {
    "watt": lambda: kb.linkages.watt(0.1, 0.3, 0.25, 0.3, 0.2, 0.25, 0.2, 0.25),
    "klann": kb.linkages.klann,
    "jansen": kb.linkages.jansen,
}


@pytest.mark.parametrize("make", BARS.values(), ids=BARS)
def test_names_in_plans_of_six_and_eight_bars_can_be_read(make):
    """None outside the picture or over another, in both plans and among the centres."""
    motion = kb.motion(make(), [0.0, 0.05])
    check_labels(kb.draw(kb.course.velocity_plan(motion)))
    check_labels(kb.draw(kb.course.acceleration_plan(motion)))
    check_labels(kb.draw(kb.course.instant_centres(motion)))


def test_centres_follow_a_crank_that_is_named():
    """`{"A": "60 deg"}` stands for the closed position of `kb.assemble`, as in every verb."""
    m = kb.linkages.four_bar("200 mm", "600 mm", "500 mm", "700 mm")
    named, closed = (
        kb.course.instant_centres(m, at)
        for at in ({"A": "60 deg"}, kb.assemble(m, {"A": "60 deg"}))
    )
    assert str(named) == str(closed) and len(named.centres) == 6
    assert kb.draw(named) == kb.draw(closed)
    with pytest.raises(kb.KorbaError, match="Z"):
        kb.course.instant_centres(m, {"Z": "60 deg"})
