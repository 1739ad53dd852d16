"""Players in a browser: what they show at a time is the motion at that time."""

import numpy as np
import pytest

import korba as kb


@pytest.fixture(scope="module")
def turned():
    """A four-bar over a turn of its crank."""
    m = kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)
    return kb.motion(m, np.linspace(0.0, 1.0, 61))


@pytest.fixture(scope="module")
def page(turned):
    return kb.animate(turned, paths=["coupler.C"], autoplay=False)


def state(shown):
    """Time and whether it runs."""
    return shown.frame.evaluate("[korba.time, korba.running]")


@pytest.fixture(scope="module")
def named(turned):
    """Places of all named points over the motion, (points, positions, 2)."""
    names = [(body.name, name) for body in turned.mechanism.bodies for name, _ in body.points]
    return np.array([turned.point(*name).position[:, :2] for name in names])


def assert_shown_as_moved(shown, named, k):
    """Every named point is drawn where it is at the k-th position of the motion."""
    places = shown.places()
    for pin in named[:, k]:
        assert np.linalg.norm(places - pin, axis=1).min() < 1e-9


def test_positions_are_those_of_the_motion(opened, page, turned, named):
    """At the start, after scrubbing, stepping by keys, and at the end."""
    shown = opened(page)
    assert shown.ink("svg") > 0.005
    assert_shown_as_moved(shown, named, 0)
    shown.slide("[aria-label=time]", 0.5)
    assert_shown_as_moved(shown, named, 30)
    for key, k in (
        ("ArrowRight", 31),
        ("ArrowLeft", 30),
        ("PageDown", 40),
        ("End", 60),
        ("Home", 0),
    ):
        shown.page.keyboard.press(key)
        assert_shown_as_moved(shown, named, k)
    shown.slide("[aria-label=time]", 0.25)
    told = shown.page.locator(".clock").inner_text()
    assert told == f"0.250 s, A = {np.degrees(turned['A'][15]):.1f}°"


def test_it_plays_and_pauses(opened, page):
    """By its button, the space bar and a click on the drawing; at the speed chosen."""
    shown = opened(page)
    assert state(shown) == [0.0, False]
    presses = {
        "space bar": lambda: shown.page.keyboard.press("Space"),
        "drawing": shown.page.locator("svg").first.click,
        "button": lambda: shown.page.click(".play"),
    }
    for press in presses.values():
        before = state(shown)[0]
        press()
        shown.page.wait_for_function(f"korba.running && korba.time !== {before}")
        press()
        assert not state(shown)[1]
    shown.page.select_option("[aria-label=speed]", "0.05")
    shown.slide("[aria-label=time]", 0.0)
    began = shown.page.evaluate("performance.now()")
    shown.page.click(".play")
    shown.page.wait_for_function("korba.time > 0.005")
    time, now = shown.page.evaluate("[korba.time, performance.now()]")
    assert time <= 0.05 * (now - began) / 1000


def test_it_repeats_or_stops_at_the_end(opened, page):
    """Repeating it begins anew; else it stops at its last position, and starts from the first."""
    shown = opened(page)
    shown.page.select_option("[aria-label=speed]", "10")
    shown.page.uncheck(".again")
    shown.slide("[aria-label=time]", 0.9)
    shown.page.click(".play")
    shown.page.wait_for_function("!korba.running")
    assert state(shown) == [1.0, False]
    shown.page.check(".again")
    shown.page.select_option("[aria-label=speed]", "0.1")
    shown.page.click(".play")
    shown.page.wait_for_function("korba.running && korba.time < 0.5")


def test_trails_are_chosen(opened, page, turned):
    """That of C is that of the motion up to now; another joint's comes and goes with its box."""
    shown = opened(page)
    shown.slide("[aria-label=time]", 0.5)
    trail = "[...document.querySelectorAll('[data-trail]')].map((e) => e.getAttribute('points'))"
    ways = shown.page.evaluate(trail)
    assert ways[0] and not any(ways[1:])
    scale, shift = shown.page.evaluate("[korba.data.scale, korba.data.shift]")
    drawn = np.array([point.split(",") for point in ways[0].split()], dtype=float)
    metres = (drawn - shift) / scale * [1, -1]
    way = turned.point("coupler", "C").position[:31, :2]
    np.testing.assert_allclose(metres[:31], way, atol=0.01 / scale)
    shown.page.click("summary")
    shown.page.check("[data-way='1']")
    assert shown.page.evaluate(trail)[1]
    shown.page.uncheck("[data-way='1']")
    assert not shown.page.evaluate(trail)[1]


def test_it_is_drawn_sideways_through_time(opened, page):
    """The mouse, pressed on the drawing, scrubs; on a narrow screen all fits in."""
    shown = opened(page, size=(400, 700), has_touch=True)
    box = shown.page.locator("svg").first.bounding_box()
    assert box["x"] + box["width"] <= 400
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 400
    mouse = shown.page.mouse
    mouse.move(box["x"] + 50, box["y"] + 50)
    mouse.down()
    mouse.move(box["x"] + 50 + box["width"] / 4, box["y"] + 60, steps=5)
    mouse.up()
    assert state(shown) == [pytest.approx(0.25, abs=0.02), False]
    shown.page.touchscreen.tap(box["x"] + 60, box["y"] + 60)
    assert state(shown)[1]


def test_it_plays_by_itself_unless_motion_is_unwelcome(opened, turned):
    """People who asked their system for less motion start it themselves."""
    page = kb.animate(turned)
    assert state(opened(page))[1]
    assert not state(opened(page, reduced_motion="reduce"))[1]


def test_players_in_one_notebook_are_apart(opened, page, turned):
    """Two in one page: keys reach the one that has the focus."""
    both = f"<!doctype html><title>two</title>{page._repr_html_()}{page._repr_html_()}"
    shown = opened(both)
    one, two = (frame for frame in shown.page.frames if frame != shown.page.main_frame)
    one.click("svg >> nth=0")
    one.wait_for_function("korba.time > 0")
    assert two.evaluate("[korba.time, korba.running]") == [0.0, False]
    shown.page.keyboard.press("Space")
    assert one.evaluate("korba.running") is False


def test_frames_are_as_high_as_their_pages(opened, page):
    """In a notebook nothing has to be scrolled, whether the boxes of trails are open or not."""
    shown = opened(f"<!doctype html><title>one</title>{page._repr_html_()}", within="iframe")
    fits = "Math.abs(frameElement.clientHeight - document.documentElement.scrollHeight) < 2"
    shown.frame.wait_for_function(fits)
    before = shown.page.locator("iframe").bounding_box()["height"]
    shown.frame.click("summary")
    shown.frame.wait_for_function(f"frameElement.clientHeight > {before} && {fits}")
