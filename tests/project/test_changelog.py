"""Changelog fragments are named <slug>.<kind>.md and hold one sentence; one is a table of names."""

import inspect
import re
from dataclasses import fields, is_dataclass
from functools import reduce

import pytest
from sources import ROOT, found_in

import korba

FOLDER = ROOT / "changelog.d"
NAMES = FOLDER / "names.md"
FRAGMENTS = sorted(p for p in FOLDER.iterdir() if p.name not in {"README.md", NAMES.name})

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\.(?:added|changed|fixed|removed)\.md")
CODE = re.compile(r"`[^`]*`")
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|et al)\.(?=.)")


def is_one_sentence(text: str) -> bool:
    """Begins with a capital or code, ends with a full stop, and has no other end of a sentence."""
    plain = ABBREVIATION.sub("", CODE.sub("C", text.strip()))
    ends = re.findall(r"[.!?](?:\s|$)", plain)
    return plain[:1].isupper() and plain.endswith(".") and len(ends) == 1 and "\n\n" not in plain


def test_the_folder_explains_itself():
    """changelog.d has a README beside the fragments."""
    assert (FOLDER / "README.md").is_file()


def wrong(path):
    """What is to be mended in a fragment, or nothing."""
    if not NAME.fullmatch(path.name):
        return "name it <slug>.<added|changed|fixed|removed>.md"
    text = path.read_text("utf-8")
    good = is_one_sentence(text)
    return "" if good else f"write one sentence, from the user's side; found: {text!r}"


def test_fragments():
    """A fragment has the right name and one sentence."""
    assert not found_in(FRAGMENTS, wrong)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`kb.load` reads TOML files, e.g. `arm.toml`.\n", True),
        ("Loops stay closed to 1e-10\nover 0.5 hours.", True),
        ("One thing. Another thing.", False),
        ("no capital.", False),
        ("No full stop", False),
        ("", False),
    ],
)
def test_sentences_are_recognised(text, expected):
    """The check of a sentence accepts code, numbers and line breaks."""
    assert is_one_sentence(text) is expected


def is_there(name):
    """Whether `kb.verb`, `kb.verb(argument=)` or `kb.Class.field` is a name of today."""
    path, _, argument = name.removeprefix("kb.").rstrip("=)").partition("(")
    *rooms, last = path.split(".")
    try:
        home = reduce(getattr, rooms, korba)
    except AttributeError:
        return False
    if not hasattr(home, last):
        return is_dataclass(home) and last in {field.name for field in fields(home)}
    return not argument or argument in inspect.signature(getattr(home, last)).parameters


def test_names_that_were_changed():
    """In the table of changed names the old ones are gone and the new ones are there."""
    rows = re.findall(r"^\| `(kb\.[^`]*)` \| (.*) \|$", NAMES.read_text("utf-8"), re.M)
    assert rows
    assert not [old for old, _ in rows if is_there(old)]
    new = [name for _, names in rows for name in re.findall(r"`(kb\.[^`]*)`", names)]
    assert not [name for name in new if not is_there(name)]


def test_names_on_the_page_are_there():
    """What the first version says that there is can be imported."""
    page = (ROOT / "CHANGELOG.md").read_text("utf-8")
    names = re.findall(r"`(kb\.\w+)", page)
    assert len(names) > 60
    assert not [name for name in names if not hasattr(korba, name.removeprefix("kb."))]
