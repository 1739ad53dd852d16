"""The tables of operations in the documentation are what is counted now."""

import importlib
import re
import sys
from pathlib import Path

import pytest

import korba as kb

ROOT = Path(__file__).resolve().parents[2]
SMALL = ("planar 2R", "Stanford arm", "Puma 560")


@pytest.fixture(scope="module")
def counts():
    """The script that writes the tables."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        yield importlib.import_module("counts")
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))


def written(verb):
    """The rows of a table on the page: names of formulations, and a cell for each mechanism."""
    page = (ROOT / "docs" / "counts.md").read_text("utf-8")
    part = page.partition(f"**{verb.replace('_', ' ').capitalize()}**")[2]
    part = part.partition("\n\n**")[0].partition("<!--")[0]
    table = [line for line in part.splitlines() if line.startswith("|")]
    return [tuple(cell.strip() for cell in line.strip("| ").split(" | ")) for line in table]


@pytest.mark.parametrize("verb", ["inverse_dynamics", "forward_dynamics"])
def test_the_page_has_what_is_counted(verb, counts):
    """Of three mechanisms by every formulation; `benchmarks/counts.py --write` makes it anew."""
    heads, _, *rows = written(verb)
    places = [heads.index(name) for name in SMALL]
    known = {name: row for row in rows for name in row[0].split(", ")}
    assert set(known) == set(kb.formulations()[verb])
    for row in counts.rows(verb, SMALL):
        for name in row[0].split(", "):
            assert tuple(known[name][i] for i in places) == row[1:]


def test_what_stands_beside_published_counts_is_in_the_tables():
    """mul / add and the name of a formulation, quoted again below."""
    rows = [row for verb in ("inverse_dynamics", "forward_dynamics") for row in written(verb)]
    page = (ROOT / "docs" / "counts.md").read_text("utf-8").partition("## Beside")[2]
    quoted = re.findall(r"(\d+ / \d+), `([a-z-]+)`", page)
    assert len(quoted) == 6
    for count, name in quoted:
        own = [cell for row in rows if name in row[0].split(", ") for cell in row[1:]]
        assert any(cell.startswith(f"{count} / ") for cell in own), (count, name)
