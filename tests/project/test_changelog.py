"""Changelog fragments are named <slug>.<kind>.md and hold one sentence."""

import re

import pytest
from sources import ROOT, found_in

FOLDER = ROOT / "changelog.d"
FRAGMENTS = sorted(p for p in FOLDER.iterdir() if p.name != "README.md")

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
