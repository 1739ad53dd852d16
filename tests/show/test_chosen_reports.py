"""Reports for others: some sections, a logo, and two designs side by side."""

import re

import pytest

import korba as kb

FOUR = kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")
SVG = "http://www.w3.org/2000/svg"
LOGO = f"<svg xmlns='{SVG}' width='40' height='20'><rect width='40' height='20'/></svg>"


def headings(page):
    """Titles of the sections of a page."""
    return re.findall(r"<h2[^>]*>(.*?)</h2>", page)


def test_some_sections_in_the_order_of_the_report():
    """Titles in any order and case; one word for the page that others want."""
    assert headings(kb.report(FOUR, sections=["mobility", "Mechanism"])) == [
        "Mechanism",
        "Mobility",
    ]
    assert headings(kb.report(FOUR, sections="short")) == ["Mechanism", "Motion", "Forces"]
    with pytest.raises(kb.StructureError, match=r"no section 'motoin'; did you mean 'motion'\?"):
        kb.report(FOUR, sections=["motoin"])


def test_a_logo_is_in_the_page(tmp_path):
    """Its bytes stand in the page, which needs no file; what is no picture is refused."""
    path = tmp_path / "logo.svg"
    path.write_text(LOGO, "utf-8")
    page = kb.report(FOUR, sections="Mobility", logo=path)
    assert "<img class='logo' src='data:image/svg+xml;base64," in page
    with pytest.raises(kb.StructureError, match="logo: the ending must be one of"):
        kb.report(FOUR, logo=tmp_path / "logo.txt")
    with pytest.raises(kb.FileError):
        kb.report(FOUR, logo=tmp_path / "no.png")


def test_two_designs_stand_side_by_side():
    """What one asks first of both, the sizes that differ and no other, and their pictures."""
    other = kb.redimension(FOUR, b="140 mm")
    page = kb.report(FOUR, sections="Mobility", beside=other)
    assert headings(page) == ["Two designs", "Mobility"]
    section = page[page.index("two-designs") : page.index("id='mobility'")]
    assert re.search(r"<td>b</td><td>120 mm</td><td>140 mm</td>", section)
    assert "<td>c</td>" not in section and section.count("<figure") >= 4
    assert "All sizes are the same." in kb.report(FOUR, sections="Mobility", beside=FOUR)


def test_the_count_is_explained_where_it_stands():
    """A mechanism whose geometry repeats says why it moves though the count is less."""
    page = kb.report(kb.linkages.bennett("200 mm", "300 mm"), sections="Mobility")
    told = "1 freedom; 3 more than links and pairs count (-2): the geometry repeats"
    assert f"<dd>{told}</dd>" in page
    assert "<dd>1 freedom, as counted</dd>" in kb.report(FOUR, sections="Mobility")


def test_the_command_chooses_too(tmp_path, monkeypatch):
    """`korba report --section short --logo FILE --beside FILE`."""
    from typer.testing import CliRunner

    from korba.cli.commands import app

    monkeypatch.chdir(tmp_path)
    kb.save(FOUR, "one.toml")
    kb.save(kb.redimension(FOUR, b="140 mm"), "two.toml")
    (tmp_path / "logo.svg").write_text(LOGO, "utf-8")
    asked = ["report", "one.toml", "--section", "Mobility", "--section", "Range"]
    asked += ["--logo", "logo.svg", "--beside", "two.toml"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    page = (tmp_path / "one.html").read_text("utf-8")
    assert headings(page) == ["Two designs", "Mobility", "Range"] and "class='logo'" in page
