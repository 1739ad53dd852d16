"""What can be seen of the handbook's pages by reading them."""

import inspect
import re

from sources import ROOT, found_in

import korba as kb
from korba.expr.functions import FUNCTIONS

DOCS = ROOT / "docs"
WRITTEN = {"elements", "reference", "_build"}
"""Folders that the build writes."""
PAGES = [path for path in sorted(DOCS.rglob("*.md")) if not WRITTEN & set(path.parts)]
FENCE = re.compile(r"^(`{3,})([^`\n]*)\n(.*?)^\1 *$", flags=re.MULTILINE | re.DOTALL)
TEXT = ("{code-cell}", "python", "toml", "text", "sh", "console", "c", "xml", "json", "")
COLUMNS = 78


def code_of(page):
    """The lines of all blocks of code on a page."""
    for _, kind, body in FENCE.findall(page.read_text("utf-8")):
        if kind.split(" ")[0].strip() in TEXT:
            yield from body.splitlines()


def test_there_are_pages():
    """The search finds the front page and those in folders."""
    assert DOCS / "index.md" in PAGES
    assert len(PAGES) > 40


def test_code_has_78_columns_at_most():
    """No code on a page has to be scrolled sideways."""
    assert not found_in(PAGES, lambda page: [x for x in code_of(page) if len(x) > COLUMNS])


def test_pages_ask_nobody():
    """No page takes a script, a style or a picture from elsewhere: it reads without network."""
    asked = re.compile(r"(?:src=|!\[[^\]]*\]\(|\{image\} |@import )\W*https?://")
    assert not found_in(PAGES, lambda page: asked.findall(page.read_text("utf-8")))


def test_every_tutorial_shows_a_picture_and_checks_a_number():
    """A tutorial draws or plays something, checks a number and gives something to try."""
    pages = sorted((DOCS / "tutorials").glob("*.md"))
    assert len(pages) >= 10
    for page in pages:
        text = page.read_text("utf-8")
        assert re.search(r"kb\.(draw|animate|live)\(", text), f"{page.name} shows nothing"
        assert "assert " in text, f"{page.name} checks nothing"
        assert "## To try" in text, f"{page.name} leaves nothing to try"


def test_every_block_is_closed():
    """No fence opens or ends a block alone, which would make code of the text behind it."""
    assert not found_in(PAGES, lambda page: "```" in FENCE.sub("", page.read_text("utf-8")))


def test_ready_mechanisms_stand_with_their_signatures():
    """Every one has a row with what it is called with, and what its docstring begins with."""
    rows = (DOCS / "linkages.md").read_text("utf-8").splitlines()
    for name in kb.linkages.__all__:
        made = getattr(kb.linkages, name)
        plain = inspect.signature(made).replace(return_annotation=inspect.Signature.empty)
        taken = [p.replace(annotation=p.empty) for p in plain.parameters.values()]
        own = [p for p in taken if p.kind is not p.VAR_KEYWORD]
        said = " ".join(inspect.getdoc(made).partition("\n\n")[0].split())
        assert f"| `{name}{plain.replace(parameters=own)}` | {said} |" in rows


def test_all_functions_of_expressions_are_listed():
    """Each stands in the table of the page on files."""
    page = (DOCS / "files.md").read_text("utf-8")
    table = page[page.index("| operations |") : page.index("A unit stands directly")]
    known = [function.text for function in FUNCTIONS.values() if function.text]
    assert len(known) > 15
    assert not [name for name in known if not re.search(rf"`{name}[`(]", table)]


def test_the_first_twenty_files_are_there():
    """The page for newcomers names twenty files, none of which is long."""
    page = (ROOT / "docs" / "first_twenty.md").read_text("utf-8")
    files = re.findall(r"^\| \d+ \| `([^`]+)` \|", page, re.M)
    lengths = [len((ROOT / "src" / "korba" / x).read_text("utf-8").splitlines()) for x in files]
    assert len(files) == 20
    assert max(lengths) <= 520
