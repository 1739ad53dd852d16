"""Every page of Korba in light and dark, wide and narrow: axe-core finds nothing serious.

And nothing is owed by rules of our own after it (accessible.py), which run where axe-core is not
installed. It comes from PyPI with axe-playwright-python, of which only its script is taken.
"""

from importlib.resources import files
from importlib.util import find_spec

import numpy as np
import pytest
from accessible import faults_of
from chromium import needed

import korba as kb

FOUR = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
ARM = kb.linkages.robot_arm("400 mm", "350 mm", "300 mm")
TIMES = np.linspace(0, 1, 25)
PAGES = {
    "living": lambda theme: kb.live(FOUR, theme=theme),
    "living in space": lambda theme: kb.live(ARM, theme=theme),
    "player": lambda theme: kb.animate(kb.motion(FOUR, TIMES), theme=theme),
    "player in space": lambda theme: kb.animate(
        kb.motion(kb.linkages.rssr("40 mm", "160 mm", "100 mm", "120 mm"), TIMES), theme=theme
    ),
}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report with all its sections."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    kb.report(FOUR, path)
    return path


@pytest.mark.parametrize("size", [(1400, 900), (390, 844)])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_pages_owe_nothing_to_their_readers(opened, page, theme, size):
    """Names, landmarks, headings and contrast are as axe-core wants them."""
    shown = opened(PAGES[page](theme), size=size)
    assert faults_of(shown.page) == []


@pytest.mark.parametrize("size", [(1400, 900), (390, 844)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_reports_owe_nothing_to_their_readers(opened, report, scheme, size):
    """The same of a report, and of the living mechanism in it."""
    shown = opened(report, within="iframe", size=size, color_scheme=scheme)
    assert faults_of(shown.page) == []


def test_faults_are_found(opened):
    """A page that breaks every rule is told so: the check can fail."""
    bad = (
        "<!doctype html><html><body><h2>A</h2><h4 style='color:#bbb;background:#fff'>pale</h4>"
        "<button></button><input><img src='data:image/gif;base64,R0lGODlhAQABAAAAACw=' width=9 "
        "height=9><svg role='img' width='9' height='9'></svg><p id='a'>x</p><p id='a'>y</p>"
    )
    rules = {fault.partition(":")[0] for fault in faults_of(opened(bad).page)}
    assert rules == {
        *("html-has-lang", "document-title", "button-name", "label", "image-alt", "svg-img-alt"),
        *("landmark-one-main", "page-has-heading-one", "heading-order", "duplicate-id"),
        "color-contrast",
    }


AXE = "axe_playwright_python"
SERIOUS = """async () => (await axe.run({iframes: false})).violations
  .filter((each) => ["serious", "critical"].includes(each.impact))
  .map((each) => `${each.id}: ${each.nodes.slice(0, 4).map((e) => e.html.slice(0, 120))}`)"""


@pytest.fixture(scope="module")
def axe():
    """The text of axe-core's script; without it tests say so, in CI they fail."""
    if find_spec(AXE) is None:
        (pytest.fail if needed() else pytest.skip)("no axe-core: pip install axe-playwright-python")
    return (files(AXE) / "axe.min.js").read_text("utf-8")


def serious(shown, axe):
    """What axe-core calls serious or critical in a page and its frames."""
    found = []
    for frame in shown.page.frames:
        frame.evaluate(axe)
        found += frame.evaluate(SERIOUS)
    return found


@pytest.mark.parametrize("size", [(1400, 900), (390, 844)])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing_serious_in_pages(opened, axe, page, theme, size):
    """The living page, of a mechanism and of a robot, and the player."""
    assert serious(opened(PAGES[page](theme), size=size), axe) == []


@pytest.mark.parametrize("size", [(1400, 900), (390, 844)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_reports(opened, report, axe, scheme, size):
    """Nor in a report, all of it unfolded, with the living mechanism in it."""
    shown = opened(report, within="iframe", size=size, color_scheme=scheme)
    shown.page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    shown.page.wait_for_timeout(100)
    assert serious(shown, axe) == []
