"""Every joint, drive and force has its page: a picture, places and signs, a file of six lines."""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import korba as kb
from korba.files.schema import SECTIONS
from korba.model.fields import doc_of, specs_of

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "_ext"))
element_pages = pytest.importorskip("element_pages")

EVERY = [
    pytest.param(section, kind, id=f"{section.key}-{kind}")
    for section in SECTIONS
    if section.key in element_pages.KINDS
    for kind in section.types
]


@pytest.mark.parametrize(("section", "kind"), EVERY)
def test_every_kind_has_its_page(section, kind):
    """The page names every field with its text, shows its picture, and quotes its file."""
    page = element_pages.page(section, kind)
    cls = section.types[kind]
    assert f"({section.key}-{kind}.svg)" in page
    assert element_pages.example(section, kind) in page
    assert all(f"| `{key}` | {doc_of(cls, key)}" in page for key in specs_of(cls))
    picture = ElementTree.fromstring(str(element_pages.picture(section, kind)))
    assert len(list(picture.iter())) > 5
    names = getattr(cls, "coordinate_names", ())
    assert all(f"| `{name}` |" in page for name in names)


@pytest.mark.parametrize("kind", [kind.values[1] for kind in EVERY if kind.id.startswith("drive")])
def test_the_page_of_a_drive_has_the_sign_of_its_effort(kind):
    """Which way a drive pushes where its effort is positive stands on its page."""
    section = next(section for section in SECTIONS if section.key == "drive")
    assert "positive" in element_pages.page(section, kind).split("![")[0]


def test_tables_inside_an_element_are_explained():
    """Fields of friction, rotor and elastic stand on the page with their texts, and where."""
    section = next(section for section in SECTIONS if section.key == "joint")
    page = element_pages.page(section, "revolute")
    for key, cls in (("friction", kb.Friction), ("rotor", kb.Rotor), ("elastic", kb.Elastic)):
        rows = page.partition(f"\n`{key}`: a table, in Python `kb.{cls.__name__}`")[2]
        assert all(f"| `{own}` | {doc_of(cls, own)}" in rows for own in specs_of(cls))
    assert all(hasattr(kb, cls.__name__) for cls in element_pages.parts_of(kb.Revolute))


@pytest.mark.parametrize(("section", "kind"), EVERY)
def test_the_file_of_a_page_loads(section, kind):
    """Six lines, and one element of the kind in the mechanism that they give."""
    assert len(element_pages.example(section, kind).splitlines()) == 6
    m = element_pages.loaded(section, kind)
    assert isinstance(getattr(m, section.attribute)[0], section.types[kind])


def test_pages_are_written_for_all(tmp_path):
    """The index has a row for each, with its symbol and freedoms; pages and pictures are there."""
    element_pages.write_pages(tmp_path)
    index = (tmp_path / "index.md").read_text("utf-8")
    for section, kind in (p.values for p in EVERY):
        assert f"\n{section.key}-{kind}\n" in index
        row = next(line for line in index.splitlines() if f"]({section.key}-{kind}.md)" in line)
        shown = re.findall(r"\((\S+-symbol\.svg)\)", row)
        drawn = [(tmp_path / each).read_text("utf-8") for each in shown]
        assert all(len(list(ElementTree.fromstring(each).iter())) > 4 for each in drawn)
        assert shown or kind in ("fixed", "free")
        own = getattr(section.types[kind], "velocity_names", ())
        assert f"| {len(own)}: " in row or not own
        assert (tmp_path / f"{section.key}-{kind}.md").exists()


def test_the_symbol_of_the_revolute_is_that_of_drawings():
    """A small circle on a bearing of the base, and no wheel."""
    section = next(section for section in SECTIONS if section.key == "joint")
    text = str(element_pages.symbol(section, "revolute", element_pages.sample(section, "revolute")))
    drawn = str(kb.draw(kb.linkages.four_bar("40 mm", "120 mm", "80 mm", "100 mm")))
    pin, bearing = "<circle class='pin'", "<path class='bearing'"
    assert text.count(pin) == text.count(bearing) == 1 and pin in drawn and bearing in drawn
    assert "class='cam" not in text and "class='link" not in text


def test_sentences_of_the_reference_keep_code():
    """Outside code the signs of Markdown are escaped; inside, nothing is."""
    reference = pytest.importorskip("grouped_reference")

    def law():
        """The `law_names` of all_loads."""

    assert reference.sentence(law) == "The `law_names` of all\\_loads."
