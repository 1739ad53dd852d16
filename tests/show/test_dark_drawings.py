"""Plans, polygons, graphs and sweeps on dark paper: the same drawings in other colours."""

import re
import xml.etree.ElementTree as ET
from functools import cache

import numpy as np
import pytest
from engine_by_numpy import by_numpy
from label_boxes import SVG

import korba as kb
from korba.show.drawings.draw import scene
from korba.show.drawings.sweeps import CONTOUR
from korba.show.schemes.over_symbols import rules as over_rules
from korba.show.schemes.scheme import style
from korba.show.schemes.themes import THEMES, on_dark

COLOUR = re.compile(r"(?<==')(white|#[0-9a-f]{6})(?=')")


@cache
def moved():
    with by_numpy():
        return kb.motion(kb.linkages.watt(0.1, 0.3, 0.25, 0.3, 0.2, 0.25, 0.2, 0.25), [0.0, 0.05])


@cache
def swept():
    m = kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)
    return kb.sweep(m, {"b": [0.6, 0.62], "c": [0.5, 0.52]}, "transmission angle")


DRAWINGS = {
    "velocities": lambda **o: kb.draw(kb.course.velocity_plan(moved()), **o),
    "accelerations": lambda **o: kb.draw(kb.course.acceleration_plan(moved()), **o),
    "forces": lambda **o: kb.draw(kb.course.force_plan(moved(), 1), **o),
    "structure": lambda **o: kb.draw(moved().mechanism, **o, graph=True),
    "designs": lambda **o: kb.draw(swept(), "transmission angle", **o),
    "contours": lambda **o: swept().draw("transmission angle", over=("b", "c"), **o),
}


@pytest.mark.parametrize("make", DRAWINGS.values(), ids=DRAWINGS)
def test_dark_drawings_differ_in_their_colours_alone(make):
    """Every colour but those of a ramp is known on dark paper, and what is written can be read."""
    light, dark = make(), make(theme="dark")
    assert COLOUR.sub("", light.replace("-light", "")) == COLOUR.sub("", dark.replace("-dark", ""))
    for one, two in zip(COLOUR.findall(light), COLOUR.findall(dark), strict=True):
        assert two == on_dark().get(one, one)
        assert one in on_dark() or one == CONTOUR or "best" in light
    for picture in (light, dark):
        root = ET.fromstring(picture)
        paper = luminance(root.find(f"{SVG}rect").get("fill"))
        for text in root.iter(f"{SVG}text"):
            if text.get("fill"):  # else its rim
                low, high = sorted([paper, luminance(text.get("fill"))])
                assert (high + 0.05) / (low + 0.05) > 4.5, text.text
    with pytest.raises(kb.StructureError, match="there is no theme 'blue'"):
        make(theme="blue")


def luminance(colour):
    """How bright a colour is, as contrast is measured (WCAG 2)."""
    text = {"white": "#ffffff"}.get(colour, colour)
    parts = np.array([int(text[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_what_is_below_an_overlay_is_seen():
    """Every link keeps at least the contrast on dark paper that the faintest has on light paper."""
    faintest = {}
    for theme, colours in THEMES.items():
        rules = style(theme, over_rules(theme, scene(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7))))
        paper = luminance(colours["paper"])
        (faded,) = re.findall(r"\.under {opacity: ([.\d]+)}", rules)
        contrasts = []
        for hue in re.findall(r"\.b[1-9] {stroke: (#\w+)", rules):
            mixed = [
                round(float(faded) * int(hue[i : i + 2], 16) + (1 - float(faded)) * below)
                for i, below in ((i, int(colours["paper"][i : i + 2], 16)) for i in (1, 3, 5))
            ]
            low, high = sorted([paper, luminance("#" + bytes(mixed).hex())])
            contrasts.append((high + 0.05) / (low + 0.05))
        assert len(contrasts) == 8
        faintest[theme] = min(contrasts)
    assert faintest["dark"] > 1.5 * faintest["light"] > 2.0


def test_results_refuse_options_that_their_picture_lacks():
    """A plan has no ghosts and a sweep is drawn by names: what does not fit is said."""
    plan = kb.course.velocity_plan(moved())
    with pytest.raises(kb.StructureError, match="no option 'ghosts' of a picture of Plan"):
        plan.draw(ghosts=3)
    with pytest.raises(kb.StructureError, match="over: expected the names of two sizes, got 'b'"):
        swept().draw(over="b")
    with pytest.raises(kb.StructureError, match="expected the name of an answer, got 3"):
        kb.draw(swept(), 3)
    assert swept().draw() == kb.draw(swept(), "transmission angle")


def test_schemes_with_centres_and_friction_take_a_theme():
    """They are those of kb.draw."""
    centres = kb.course.instant_centres(moved(), 1)
    assert "class='korba-dark'" in kb.draw(centres, theme="dark")
    assert "class='korba-dark'" in kb.draw(moved(), friction=True, theme="dark")
