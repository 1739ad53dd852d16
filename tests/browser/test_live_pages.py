"""Living mechanisms in a browser: dragged and stretched, they stand where kb.assemble says."""

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import korba as kb

FOUR = kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)
FIVE = kb.linkages.five_bar(0.2, 0.3, 0.3, 0.2, 0.3)
MECHANISMS = {
    "four_bar": FOUR,
    "slider_crank": kb.linkages.slider_crank(0.1, 0.4),
    "jansen": kb.linkages.jansen(),
}
ORDER = ("figure", "inputs", "panels", "more")
"""Parts of a narrow page, from above."""
ON_SCREEN = """
([x, y]) => {
  const svg = document.querySelector(".figure svg"), { scale, shift } = korba.data;
  const at = new DOMPoint(shift[0] + scale * x, shift[1] - scale * y);
  const seen = at.matrixTransform(svg.getScreenCTM());
  return [seen.x, seen.y];
}
"""


def state(shown):
    """What the page shows, in full precision."""
    return shown.frame.evaluate("korba.state")


def placed(shown, m):
    """The mechanism that the page shows now, assembled by Korba."""
    now = state(shown)
    return kb.assemble(kb.redimension(m, **now["sizes"]), now["inputs"])


def assert_shown_where_it_is(shown, m):
    """Every named point of the mechanism is drawn where kb.assemble places it."""
    at, places = placed(shown, m), shown.places()
    for body in m.bodies:
        for name, _ in body.points:
            place = at.point(body.name, name)[:2]
            assert np.linalg.norm(places - place, axis=1).min() < 1e-9


def drag(shown, places):
    """The mouse pressed at the first place, in metres, and moved to the others."""
    mouse = shown.page.mouse
    for k, place in enumerate(places):
        mouse.move(*shown.frame.evaluate(ON_SCREEN, [float(x) for x in place]))
        if not k:
            mouse.down()
    mouse.up()


@pytest.mark.parametrize("m", MECHANISMS.values(), ids=MECHANISMS)
def test_input_and_sizes_move_it(opened, m):
    """As drawn, after the input's slider and after one of a size, with curves that follow."""
    shown = opened(kb.live(m))
    assert_shown_where_it_is(shown, m)
    before = state(shown)
    (lead, value), *_ = before["inputs"].items()
    shown.slide("[data-input]", value + 0.3)
    assert_shown_where_it_is(shown, m)
    name = next(each["name"] for each in data(shown)["sizes"] if each["shown"])
    wanted = 1.03 * before["sizes"][name]
    shown.slide(f"[data-size='{name}']", wanted)
    now = state(shown)
    assert now["inputs"][lead] == pytest.approx(value + 0.3, abs=1e-9)
    assert now["sizes"][name] == pytest.approx(wanted, abs=1e-12)
    assert_shown_where_it_is(shown, m)
    assert shown.ink(".figure svg") > 0.005
    assert len(now["curves"]) > 48
    shown.frame.wait_for_function(
        "(before) => korba.state.curves[7].row.some((x, i) => x !== before[i])",
        arg=before["curves"][7]["row"],
    )
    assert shown.page.locator(".panels svg").count() == len(data(shown)["others"]) + 3
    assert shown.ink(".panels svg") > 0.01


def data(shown):
    """What the page was given."""
    return shown.frame.evaluate("korba.data")


def test_the_crank_follows_the_mouse(opened):
    """Dragged to a right angle round its bearing, the input is the angle under the mouse."""
    shown = opened(kb.live(FOUR))
    angles = [state(shown)["inputs"]["A"], *np.linspace(0.6, math.pi / 2, 6)]
    drag(shown, [(0.2 * math.cos(x), 0.2 * math.sin(x)) for x in angles])
    assert state(shown)["inputs"]["A"] == pytest.approx(math.pi / 2, abs=0.02)
    assert_shown_where_it_is(shown, FOUR)


def test_a_point_with_two_freedoms_follows_the_mouse(opened):
    """The tip of a five-bar goes where it is dragged."""
    shown = opened(kb.live(FIVE))
    joint = FIVE.joint("C")
    tip = placed(shown, FIVE).point(joint.child, "C")[:2]
    aim = tip + np.array([0.04, 0.03])
    drag(shown, [tip, (tip + aim) / 2, aim])
    assert placed(shown, FIVE).point(joint.child, "C")[:2] == pytest.approx(aim, abs=2e-3)
    assert_shown_where_it_is(shown, FIVE)


def test_a_curve_moves_the_crank(opened):
    """A press in the middle of a panel puts the input into the middle of its range."""
    shown = opened(kb.live(FOUR))
    box = shown.page.locator(".panels svg").first.bounding_box()
    shown.page.mouse.click(
        box["x"] + box["width"] * (58 + 352 / 2) / 420, box["y"] + box["height"] / 2
    )
    low = data(shown)["inputs"][0]["low"]
    assert state(shown)["inputs"]["A"] == pytest.approx(low + math.pi, abs=0.05)
    assert_shown_where_it_is(shown, FOUR)


def test_the_force_in_a_joint_is_chosen(opened):
    """It has a panel of its own, whose curve follows a size; without a joint there is none."""
    shown = opened(kb.live(FOUR))
    panels, choice = shown.page.locator(".panels svg"), shown.page.locator(".force")
    count = panels.count()
    choice.select_option("C")
    assert panels.count() == count + 1
    assert panels.last.get_attribute("aria-label").startswith("force in C: ")
    curve = panels.last.locator(".curve")
    before = curve.get_attribute("d")
    shown.slide("[data-size=b]", 0.62)
    state(shown)  # drawn in the next frame, or when it is asked for
    assert curve.get_attribute("d") != before
    choice.select_option("no joint")
    assert panels.count() == count


def test_what_does_not_close_is_said(opened):
    """Coupler and rocker too short to meet: the page says so, and moves again when they do."""
    shown = opened(kb.live(FOUR))
    said = shown.page.locator(".said")
    shown.slide("[data-size=b]", 0.22)
    shown.slide("[data-size=c]", 0.2)
    assert "not close" in said.inner_text()
    assert_shown_where_it_is(shown, FOUR)
    shown.slide("[data-size=b]", 0.6)
    assert not said.inner_text()
    assert_shown_where_it_is(shown, FOUR)


def test_numbers_are_typed_copied_and_reset(opened):
    """A size with a unit; the sizes as a table of a mechanism file; and all as it was drawn."""
    shown = opened(kb.live(FOUR))
    number = shown.page.get_by_label("b as a number")
    number.fill("0.55 m")
    number.press("Enter")
    assert state(shown)["sizes"]["b"] == pytest.approx(0.55)
    assert "b = 0.55\n" in shown.frame.evaluate("korba.toml()")
    number.fill("5 kg")
    number.press("Enter")
    assert "expected a number such as 600 mm" in shown.page.locator(".said").inner_text()
    shown.page.click(".reset")
    assert state(shown)["sizes"]["b"] == 0.6
    assert_shown_where_it_is(shown, FOUR)


def test_it_plays(opened):
    """By its button; a second press stops it, and arrows go on by steps."""
    shown = opened(kb.live(FOUR, theme="dark"))
    before = state(shown)["inputs"]["A"]
    shown.page.click("button")
    shown.page.wait_for_function(f"Math.abs(korba.state.inputs.A - {before}) > 0.05")
    shown.page.click("button")
    assert not state(shown)["running"]
    shown.page.focus("#live")
    stopped = state(shown)["inputs"]["A"]
    shown.page.keyboard.press("ArrowRight")
    assert state(shown)["inputs"]["A"] == pytest.approx(stopped + 2 * math.pi / 120)
    assert_shown_where_it_is(shown, FOUR)


RSSR = kb.linkages.rssr(0.1, 0.4, 0.3, 0.35)


@pytest.mark.parametrize("m", [FOUR, RSSR], ids=["plane", "space"])
def test_the_page_is_as_dark_as_its_reader(opened, m):
    """By itself as the reader's system is, when that changes too; or light or dark for all."""
    shown = opened(kb.live(m), color_scheme="dark")
    for scheme, paper in (("dark", [17, 24, 39]), ("light", [255, 255, 255])):
        shown.page.emulate_media(color_scheme=scheme)
        for part in ("#live", ".figure svg" if m.plane else "canvas"):
            assert shown.picture(part)[3, 3].tolist() == paper
    other = opened(kb.live(m, theme="dark"), color_scheme="light")
    assert other.picture("#live")[3, 3].tolist() == [17, 24, 39]


def test_a_spatial_mechanism_lives(opened):
    """Solids by WebGL stand where kb.assemble places their points, at other inputs and sizes."""
    m = RSSR
    shown = opened(kb.live(m))
    shown.slide("[data-input]", 1.2)
    shown.slide("[data-size=b]", 0.42)
    at, places = placed(shown, m), np.array(state(shown)["points"])
    assert state(shown)["sizes"]["b"] == 0.42
    for body in m.bodies:
        for name, _ in body.points:
            assert np.linalg.norm(places - at.point(body.name, name), axis=1).min() < 1e-9
    assert shown.ink("canvas") > 0.01
    assert shown.ink(".panels svg") > 0.01


def test_on_a_telephone_sliders_stand_below_the_drawing(opened):
    """In a narrow page: drawing, sliders, curves, one below the other and none beyond its edge."""
    shown = opened(kb.live(FOUR), size=(390, 800))
    places = [shown.frame.locator(f".live .{each}").bounding_box() for each in ORDER]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in places)
    for above, below in pairwise(places):
        assert above["y"] + above["height"] <= below["y"]


BAR = kb.linkages.four_bar("200 mm", "600 mm", "500 mm", "700 mm")
SCREENS = [(1400, 900), (390, 844)]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SCREENS)
def test_picture_crank_and_curves_are_on_one_screen(opened, size, theme):
    """Nothing is beyond the edge, and figure, input and two curves at least are in sight.

    A title and a hint stand above, in parts that readers of a screen know.
    """
    shown = opened(kb.live(BAR), size=size, color_scheme=theme)
    page, (width, height) = shown.page, size
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    boxes = [page.locator(".figure"), page.locator("[data-input=A]")]
    boxes += [page.locator(".panels svg").nth(k) for k in range(4 if width > 1000 else 2)]
    for box in (each.bounding_box() for each in boxes):
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        assert box["y"] >= 0 and box["y"] + box["height"] <= height
    assert page.locator("main h1").inner_text() == "four-bar"
    assert "Drag" in page.locator("main .hint").inner_text()


def test_picture_and_crank_stay_in_sight_on_a_telephone(opened):
    """Where curves are scrolled, figure and input stay where they are."""
    shown = opened(kb.live(BAR), size=(390, 700))
    shown.page.evaluate("scrollTo(0, 400)")
    for part in (".figure", "[data-input=A]"):
        box = shown.page.locator(part).bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 400


def test_what_has_the_keyboard_is_seen(opened):
    """Whatever the tabulator reaches has an outline."""
    shown = opened(kb.live(BAR))
    seen = set()
    for _ in range(8):
        shown.page.keyboard.press("Tab")
        style = "e => [e.className || e.tagName, getComputedStyle(e).outlineStyle]"
        seen.add(tuple(shown.page.evaluate(f"({style})(document.activeElement)")))
    assert len(seen) > 2
    assert all(outline != "none" for name, outline in seen if name not in ("live", "BODY"))


def test_units_and_copied_sizes_are_those_of_the_mechanism(opened):
    """Millimetres and turns a minute in numbers, curves and the text for a file; no red word."""
    shown = opened(kb.live(BAR))
    page = shown.page
    assert page.get_by_label("b as a number", exact=True).input_value() == "600 mm"
    assert page.locator(".speed").input_value() == "60 rpm"
    titles = page.locator(".panels .title").all_text_contents()
    assert any(title.endswith((", mm/s", ", rpm")) for title in titles)
    number = page.get_by_label("b as a number", exact=True)
    number.fill("148.34862231509762 mm")
    number.press("Enter")
    number.fill("598.34862231509762 mm")
    number.press("Enter")
    page.get_by_text("copy sizes", exact=True).click()
    page.wait_for_function("document.querySelector('.said').textContent !== ''")
    assert 'b = "598.3486223 mm"' in page.locator(".toml").input_value()
    said = page.locator(".said")
    assert "fault" not in said.get_attribute("class")
    ink = "e => getComputedStyle(e).color"
    assert said.evaluate(ink) == page.locator("h1").evaluate(ink)


def test_curves_have_the_colours_of_their_links(opened):
    """A coordinate is drawn in the colour of the link that it turns."""
    shown = opened(kb.live(BAR))
    page = shown.page
    page.locator(".output").select_option("D")
    stroke = "e => getComputedStyle(e).stroke"
    curve = page.locator(".panels .curve").first.evaluate(stroke)
    number = [body.name for body in BAR.bodies].index(BAR.joint("D").child) + 1
    link = page.locator(f".figure .b{number}").first.evaluate(stroke)
    assert curve == link
    way = page.locator(".figure .way")
    assert way.evaluate(stroke) in {
        page.locator(f".figure .link.b{k}, .figure .plate.b{k}").first.evaluate(stroke)
        for k in (1, 2, 3)
    }


def test_reset_brings_back_the_ends_of_sliders(opened):
    """A size far off makes room for itself; as it was drawn, its slider is as it was."""
    shown = opened(kb.live(FOUR))
    slider = shown.page.locator("[data-size=a]")
    before = slider.get_attribute("min")
    number = shown.page.get_by_label("a as a number", exact=True)
    for text in ("0.01 m", "1e9 m"):
        number.fill(text)
        number.press("Enter")
    assert "a stays at 10 mm" in shown.page.locator(".said").inner_text()
    assert slider.get_attribute("min") != before
    shown.page.get_by_text("reset", exact=True).click()
    assert slider.get_attribute("min") == before


def test_a_drag_selects_no_names(opened):
    """Names over which the mouse passes are not marked as text."""
    shown = opened(kb.live(FOUR))
    drag(shown, [(0.17, 0.1), (0.0, 0.3), (-0.3, -0.1), (0.7, 0.0), (0.2, 0.0)])
    assert shown.frame.evaluate("getSelection().toString()") == ""


RACK = Path(__file__).parents[2] / "docs" / "gallery" / "rack.toml"
CAM = kb.linkages.cam("40 mm", "20 mm", "8 mm")


def test_a_cam_is_turned_by_its_disc(opened):
    """Its points stand still or dwell: the place of the disc under the mouse follows the mouse."""
    shown = opened(kb.live(CAM))
    before = state(shown)["inputs"]["A"]
    drag(shown, [(0.03 * math.cos(x), -0.03 * math.sin(x)) for x in np.linspace(0.4, -0.8, 9)])
    assert state(shown)["inputs"]["A"] == pytest.approx(before + 1.2, abs=0.02)


def test_a_drawing_is_no_smaller_than_it_must_be(opened):
    """Of a rack and its wheel: their curves are far from the origins of their bodies."""
    shown = opened(kb.live(kb.load(RACK)))
    wide = shown.frame.evaluate("document.querySelector('.figure svg').viewBox.baseVal.width")
    assert wide < 1.25 * data(shown)["box"][0]


def test_curves_of_bodies_have_room(opened):
    """The disc of a larger cam is inside the picture, wherever it turns."""
    shown = opened(kb.live(CAM))
    shown.slide("[data-size=base]", 0.1)
    for turn in (1.6, 3.0, 5.0):
        shown.slide("[data-input]", turn)
        inside = shown.frame.evaluate(
            """() => {
              const box = document.querySelector(".figure svg").getBoundingClientRect();
              const all = [...document.querySelectorAll(".figure [data-part]")];
              return all.every((each) => {
                const own = each.getBoundingClientRect();
                return own.left > box.left - 2 && own.right < box.right + 2
                  && own.top > box.top - 2 && own.bottom < box.bottom + 2;
              });
            }"""
        )
        assert inside
