"""The glossary: verbs that there are, terms in alphabetical order, and pages that exist."""

import re

from sources import ROOT

import korba as kb

PAGE = (ROOT / "docs" / "glossary.md").read_text("utf-8")
POLISH = "aąbcćdeęfghijklłmnńoóprsśtuwyzźż"
RUSSIAN = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"


def terms(heading):
    """First cells of the table under a heading, without letters of formulas."""
    table = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [
        line.split(" | ")[0].removeprefix("| ") for line in table.splitlines() if "`kb." in line
    ]
    return [re.sub(r"\$.*\$|\*\*.*\*\*", "", row).strip().lower() for row in rows]


def test_every_answer_is_a_public_name():
    """What a term is answered by can be called."""
    named = re.findall(r"`(kb\.[\w.]+)`", PAGE)
    assert len(named) > 100
    for name in named:
        found = kb
        for part in name.split(".")[1:]:
            assert hasattr(found, part), name
            found = getattr(found, part)


def test_terms_are_sorted():
    """Terms stand in the order of their alphabet, letter by letter."""
    for heading, alphabet, least in (("Polish terms", POLISH, 70), ("Russian terms", RUSSIAN, 15)):
        words = terms(heading)
        assert len(words) >= least
        keys = [[alphabet.index(c) for c in word if c in alphabet] for word in words]
        assert keys == sorted(keys), [
            w for w, a, b in zip(words, keys, sorted(keys), strict=True) if a != b
        ]


def test_every_source_has_its_title_and_its_pages():
    """A row for the book and for each paper, with a link to a page that is there."""
    table = PAGE.partition("## Titles\n")[2].partition("\n## ")[0]
    links = re.findall(r"\]\(([\w/-]+\.md)\)", table)
    assert len(links) == 5
    assert all((ROOT / "docs" / link).is_file() for link in links)
