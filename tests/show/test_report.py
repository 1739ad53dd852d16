"""Pages about mechanisms: every section has its answer, or the sentence of its refusal."""

import re
from html import unescape

import pytest

import korba as kb

TITLES = (
    "Mechanism",
    "Alive",
    "Mobility",
    "Equations",
    "Motion",
    "Forces",
    "Reduced inertia",
    "Cross-check",
)


def sections(page):
    """Contents by title."""
    parts = re.split(r"<h2 id='[^']*'>([^<]*)</h2>", page)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_a_four_bar_has_everything(tmp_path):
    """Numbers of the verbs stand on the page, which is written and loads nothing."""
    m = kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7)
    page = kb.report(m, tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text("utf-8") == page
    own = sections(page)
    assert tuple(own) == TITLES
    assert "class='said'" not in page
    assert str(kb.mobility(m)) in unescape(own["Mobility"])
    assert str(kb.reduce(m, "A")) in unescape(own["Reduced inertia"])
    assert "all answers agree" in own["Cross-check"]
    assert "data-size" in unescape(own["Alive"])
    assert not re.findall(r"(?:src|href)=['\"](?!#)", unescape(page))
    assert len(page) < 1_500_000


def test_what_is_refused_is_said():
    """An arm without drives: no cycle, no reduced inertia, and each section says so."""
    m = kb.loads("""
    name = "arm"
    body = [{name = "link", mass = 1, com = [0.5, 0, 0], inertia = [0.1, 0.1, 0.1]}]
    joint = [{name = "S", type = "spherical", parent = "ground", child = "link", at = [0, 0, 0]}]
    """)
    own = sections(kb.report(m, theme="dark"))
    assert tuple(own) == TITLES
    assert "class='said'" in own["Motion"]
    assert "<math" in own["Equations"]


def test_wrong_requests_are_said():
    """Themes and mechanisms that are none."""
    with pytest.raises(kb.StructureError, match="no theme"):
        kb.report(kb.linkages.four_bar(0.2, 0.6, 0.5, 0.7), theme="blue")
    with pytest.raises(kb.StructureError, match="expected a mechanism"):
        kb.report("four-bar")
