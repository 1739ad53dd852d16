"""Reports in a browser: every picture is there, the mechanism in them lives, themes change."""

import numpy as np
import pytest
from pages import ink_of, photograph_all

import korba as kb
from korba.show.schemes.themes import THEMES

BOXES = """(figures) => figures.filter((each) => each.getClientRects().length).map((each) => {
  const box = each.getBoundingClientRect();
  return [box.x + scrollX, box.y + scrollY, box.width, box.height];
})"""


CURSORS = """() => {
  const every = [...document.querySelectorAll("rect[data-axis]")];
  const lines = [...document.querySelectorAll("path.cursor")];
  return every.filter((e) => e.dataset.axis === "A, deg").map((frame) => {
    const way = lines[every.indexOf(frame)].getAttribute("d");
    const number = (name) => +frame.getAttribute(name), low = number("data-low");
    const share = (+way.slice(1).split(",")[0] - number("x")) / number("width");
    return low + share * (number("data-high") - low);
  });
}"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The file of a four-bar's report."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    kb.report(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7), path)
    return path


def commonest(pixels):
    """The colour that most pixels have, as #rrggbb."""
    codes = pixels.reshape(-1, 3).astype(np.int64) @ [65536, 256, 1]
    values, counts = np.unique(codes, return_counts=True)
    return f"#{values[counts.argmax()]:06x}"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_report_shows_and_lives(opened, report, theme):
    """In the theme of the reader's system: no figure is blank, and the frame's mechanism moves."""
    shown = opened(report, within="iframe", color_scheme=theme)
    figures = shown.page.locator("figure svg").evaluate_all(BOXES)
    assert len(figures) >= 7
    whole = photograph_all(shown.page)
    for x, y, width, height in np.round(figures).astype(int):
        pixels = whole[y : y + height, x : x + width]
        assert ink_of(pixels) > 0.005
        assert commonest(pixels) == THEMES[theme]["paper"]
    assert shown.ink("svg") > 0.005
    assert commonest(shown.picture("svg")) == THEMES[theme]["paper"]
    before = shown.places()
    shown.slide("[data-input]", 1.0)
    assert abs(shown.places() - before).max() > 0.01


def test_a_button_changes_the_theme_and_print_is_light(opened, report):
    """Of the page and of the page in its frame; equations are typeset, links lead to sections."""
    shown = opened(report, within="iframe", color_scheme="light")
    shown.page.locator("#theme").click()
    frame = shown.page.frame_locator("iframe")
    frame.locator("svg").first.wait_for()
    colour = "(e) => getComputedStyle(e).backgroundColor"
    for body in (shown.page.locator("body"), frame.locator("body")):
        assert body.evaluate(colour) == "rgb(17, 24, 39)"
    shown.page.emulate_media(media="print")
    assert shown.page.locator("body").evaluate(colour) == "rgb(255, 255, 255)"
    assert not shown.page.locator("iframe").is_visible()
    shown.page.emulate_media(media="screen")
    assert shown.page.locator("math mfrac").first.bounding_box()["height"] > 15
    for link in shown.page.locator("nav a").all():
        assert shown.page.locator(link.get_attribute("href")).count() == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_report_on_a_telephone_scrolls_down_only(opened, report, theme):
    """Nothing is wider than the page, and the living figure is no higher than its picture."""
    shown = opened(report, within="iframe", size=(390, 844), color_scheme=theme)
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert shown.frame.locator("h1").is_hidden(), "the report has said the name"
    assert shown.frame.locator(".figure").bounding_box()["height"] <= 480


def test_contents_show_where_one_reads(opened, report):
    """One link is the present one: that of the section that was scrolled to."""
    shown = opened(report, size=(1400, 900))
    links = shown.page.locator("nav a")
    for k in (2, 6, 9):
        links.nth(k).click()
        current = (
            f"() => [...document.querySelectorAll('nav a')].findIndex((e) => e.ariaCurrent) === {k}"
        )
        shown.page.wait_for_function(current)
        assert shown.page.locator("nav a[aria-current]").count() == 1


def test_figures_can_be_read_on_a_telephone(opened, report):
    """Words of plots are at least 8 pixels high on 390, and the page does not scroll sideways."""
    shown = opened(report, size=(390, 844))
    sizes = shown.page.locator("figure:not(.long) svg").evaluate_all(
        """(all) => all.flatMap((svg) => [...svg.querySelectorAll("text")].map((text) =>
          parseFloat(getComputedStyle(text).fontSize) * svg.getScreenCTM().a))"""
    )
    assert np.percentile(sizes, 5) >= 8.0
    wide = shown.page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= 390


def test_plots_below_each_other_share_axis_and_cursor(opened, report):
    """Texts of one size on all plots, ticks below the last panel, one line through all panels."""
    shown = opened(report, size=(1400, 900))
    scales = shown.page.locator("figure .broad svg.korba-plot").evaluate_all(
        "(all) => all.map((e) => e.getBoundingClientRect().width / e.viewBox.baseVal.width)"
    )
    assert len(scales) >= 4 and np.allclose(scales, 1.0, atol=0.01)
    frames = shown.page.locator(".broad rect.frame[data-axis='A, deg']")
    frames.nth(2).scroll_into_view_if_needed()
    box = frames.nth(2).bounding_box()
    shown.page.mouse.move(box["x"] + box["width"] / 4, box["y"] + 40)
    lines = shown.page.evaluate(CURSORS)
    assert len(lines) > 8 and np.ptp(lines) < 2.0
    shown.page.mouse.move(2, 2)
    left = shown.page.locator("path.cursor").evaluate_all(
        "(all) => all.map((e) => e.getAttribute('d'))"
    )
    assert not any(left)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_report_on_a_phone_needs_no_scrolling_sideways(opened, report, theme):
    """No figure is wider than the page, and texts of plots are as large as on a wide page."""
    shown = opened(report, size=(390, 844), color_scheme=theme)
    wide = shown.page.locator("figure").evaluate_all(
        "(all) => all.map((e) => [e.scrollWidth - e.clientWidth, e.textContent.slice(0, 60)])"
    )
    assert [each for each in wide if each[0] > 1] == []
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 390
    sizes = shown.page.locator("figure .narrow text:not(.cursor-value)").evaluate_all(
        "(all) => all.map((e) => e.getBoundingClientRect().height)"
    )
    assert len(sizes) > 40 and min(sizes) > 9.5
    drawn = shown.page.locator("figure > svg text").evaluate_all(
        "(all) => all.map((e) => e.getBoundingClientRect().height)"
    )
    assert len(drawn) > 4 and min(drawn) > 8.5
