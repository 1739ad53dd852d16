"""The check of built pages: it finds each kind of fault, and nothing in pages that are well."""

import sys
from pathlib import Path

import pytest
from pages import end_without_browser

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))
import check_pages
from check_pages import NoBrowserError, opening_faults, reading_faults

DRAWN = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9' width='90' height='90'>{}</svg>"
PAGES = {
    "good.html": "<p id='here'>text</p><a href='good.html#here'>self</a><img src='drawn.svg'>"
    "<iframe srcdoc='<p>inside</p>'></iframe>",
    "links.html": "<a href='gone.html'>x</a><a href='good.html#there'>y</a>",
    "loads.html": "<script src='https://example.org/x.js'></script>",
    "style.html": "<style>@import 'https://example.org/x.css';</style>",
    "logs.html": "<script>console.error('oh')</script>",
    "throws.html": "<script>throw new Error('no')</script>",
    "asks.html": "<script>fetch('http://example.org/')</script>",
    "missing.html": "<img src='gone.svg' width='50' height='50'>",
    "blank.html": "<img src='blank.svg'>",
    "frame.html": "<iframe srcdoc='<p></p>'></iframe>",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Pages, most of them with one fault."""
    root = tmp_path_factory.mktemp("html")
    for name, text in PAGES.items():
        (root / name).write_text(f"<!doctype html><title>x</title>{text}", "utf-8")
    (root / "drawn.svg").write_text(DRAWN.format("<circle cx='4' cy='4' r='3'/>"), "utf-8")
    (root / "blank.svg").write_text(DRAWN.format(""), "utf-8")
    return root


def test_reading_finds_links_and_loads(folder):
    """Links to nowhere, and what would come from elsewhere."""
    told = list(reading_faults(folder))
    assert {fault.partition(":")[0] for fault in told} == {
        "links.html",
        "loads.html",
        "style.html",
        "missing.html",
    }
    assert sum(fault.startswith("links.html") for fault in told) == 2


def test_opening_finds_what_is_seen(folder, chromium):
    """Errors, requests, and pictures and frames that are missing or blank."""
    told = {}
    for fault in opening_faults(chromium, folder):
        told.setdefault(fault.partition(":")[0], []).append(fault)
    assert set(told) == set(PAGES) - {"good.html", "links.html"}
    assert "logs oh" in told["logs.html"][0]
    assert "throws" in told["throws.html"][0]
    assert any("outside the folder" in fault for fault in told["asks.html"])
    assert any("is missing" in fault for fault in told["missing.html"])
    assert "img blank.svg is blank" in told["blank.html"][0]
    assert "iframe" in told["frame.html"][0] and "is blank" in told["frame.html"][0]


@pytest.mark.parametrize(("ci", "status"), [("", 0), ("false", 0), ("true", 1), ("1", 1)])
def test_a_missing_browser_is_a_fault_in_ci(tmp_path, monkeypatch, capsys, ci, status):
    """Elsewhere pages are only read; in CI that is told and fails, as do the tests of pages."""

    def none():
        raise NoBrowserError("this machine has no Chromium")

    (tmp_path / "good.html").write_text("<!doctype html><title>x</title><p>text</p>", "utf-8")
    monkeypatch.setattr(check_pages, "browser", none)
    monkeypatch.setenv("CI", ci)
    assert check_pages.main(tmp_path) == status
    assert "this machine has no Chromium" in capsys.readouterr().out
    with pytest.raises((pytest.fail if status else pytest.skip).Exception, match="no Chromium"):
        end_without_browser(NoBrowserError("this machine has no Chromium"))


def test_the_script_of_the_handbook_gives_what_the_theme_leaves_out(opened):
    """Headings of the contents have levels, and what scrolls takes the keyboard."""
    script = (Path(check_pages.__file__).parent / "_static" / "reached.js").read_text("utf-8")
    text = (
        "<!doctype html><html lang='en'><title>x</title><main><aside class='sidebar-drawer'>"
        "<p role='heading'>Start</p></aside><pre style='overflow: auto'>" + "wide " * 300 + "</pre>"
        f"<pre>narrow</pre></main><script>{script}</script>"
    )
    shown = opened(text, size=(390, 844)).page
    shown.wait_for_function("document.querySelector('[role=heading]').ariaLevel === '2'")
    keys = shown.locator("pre").evaluate_all("(all) => all.map((e) => e.getAttribute('tabindex'))")
    assert keys == ["0", None]
    assert shown.locator("aside").get_attribute("aria-label") == "Handbook"
