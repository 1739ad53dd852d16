"""The page on files lists the functions that expressions may use, all of them and no other."""

import re
from pathlib import Path

from korba.expr.functions import FUNCTION_OF_TEXT
from korba.expr.parse import parse
from korba.expr.rises import NAMES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "files.md"
PLAIN = {"pi", "a", "x", "y"}
"""Words of the table that are no functions."""


def _table():
    text = PAGE.read_text("utf-8")
    return text[text.index("| operations | meaning |") :].split("\n\n")[0]


def test_every_function_is_on_the_page():
    """A function that the parser knows stands in the table."""
    told = set(re.findall(r"[a-z]\w*", " ".join(re.findall(r"`([^`]+)`", _table()))))
    assert told >= FUNCTION_OF_TEXT.keys() | set(NAMES)


def test_every_function_of_the_page_is_known():
    """What the table writes as a call is read by the parser."""
    for name in set(re.findall(r"`(\w+)(?:\(.*?\))?`", _table())) - PLAIN:
        assert name in FUNCTION_OF_TEXT or name in NAMES, name
    assert str(parse("sin(2*pi*t)").value)
