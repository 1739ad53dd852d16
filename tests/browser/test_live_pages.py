"""Living mechanisms in a browser: dragged and stretched, they stand where kb.assemble says."""

import math

import numpy as np
import pytest

import korba as kb

FOUR = kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)
GRIP = """
(points => korba.data.grip.map((i) => points[i]))(
  korba.at(+korba.input.value, korba.sizes.map((each) => +each.value)))
"""
MECHANISMS = {
    "four_bar": FOUR,
    "slider_crank": kb.linkages.slider_crank(0.1, 0.4),
    "jansen": kb.linkages.jansen(),
}


def controls(shown):
    """The input's name and value, and the sizes by name, as the page has them."""
    names = shown.frame.evaluate(
        "[korba.input, ...korba.sizes].map((e) => [e.dataset.input || e.dataset.size, +e.value])"
    )
    (lead, value), *sizes = names
    return lead, value, dict(sizes)


def pins(m, lead, value, sizes):
    """Places of the joints of a redimensioned mechanism, (joints, 2)."""
    at = kb.assemble(kb.redimension(m, **sizes), {lead: value})
    named = [(body.name, name) for body in m.bodies for name, _ in body.points]
    return np.array([at.point(*each)[:2] for each in named])


def assert_shown_where_it_is(shown, m):
    """Every named point of the mechanism is drawn where kb.assemble places it."""
    places = shown.places()
    for pin in pins(m, *controls(shown)):
        assert np.linalg.norm(places - pin, axis=1).min() < 1e-9


@pytest.mark.parametrize("m", MECHANISMS.values(), ids=MECHANISMS)
def test_input_and_sizes_move_it(opened, m):
    """As drawn, after the input's slider and after one of a size."""
    shown = opened(kb.live(m))
    assert_shown_where_it_is(shown, m)
    _, value, sizes = controls(shown)
    shown.slide("[data-input]", value + 0.3)
    assert_shown_where_it_is(shown, m)
    name = min(sizes)
    shown.slide(f"[data-size='{name}']", 1.03 * sizes[name])
    assert controls(shown)[2][name] == pytest.approx(1.03 * sizes[name], abs=1e-12)
    assert_shown_where_it_is(shown, m)
    assert shown.ink("svg") > 0.005


def test_the_crank_follows_the_mouse(opened):
    """Dragged a quarter turn round its bearing, the input is the angle under the mouse."""
    shown = opened(kb.live(FOUR))
    box = shown.page.locator("svg").first.bounding_box()
    bearing, tip = shown.frame.evaluate(GRIP)
    mouse = shown.page.mouse
    mouse.move(box["x"] + tip[0], box["y"] + tip[1])
    mouse.down()
    reach = math.dist(bearing, tip)
    for k in range(1, 7):
        angle = math.pi * k / 12
        mouse.move(
            box["x"] + bearing[0] + reach * math.cos(angle),
            box["y"] + bearing[1] - reach * math.sin(angle),
        )
    mouse.up()
    assert controls(shown)[1] == pytest.approx(math.pi / 2, abs=0.02)
    assert_shown_where_it_is(shown, FOUR)


def test_what_does_not_close_is_said(opened):
    """Coupler and rocker too short to meet: the page says so, and moves again when they do."""
    shown = opened(kb.live(FOUR))
    said = shown.page.locator(".said")
    shown.slide("[data-size=b]", 0.22)
    shown.slide("[data-size=c]", 0.2)
    assert "not close" in said.inner_text()
    shown.slide("[data-size=b]", 0.6)
    assert not said.inner_text()
    assert_shown_where_it_is(shown, FOUR)


def test_it_plays(opened):
    """By its button; a second press stops it."""
    shown = opened(kb.live(FOUR))
    before = controls(shown)[1]
    shown.page.click("button")
    shown.page.wait_for_function(f"Math.abs(+korba.input.value - {before}) > 0.05")
    shown.page.click("button")
    assert_shown_where_it_is(shown, FOUR)
