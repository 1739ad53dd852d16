"""Which tests are quick and which are laws: the marks that `make quick` and `make laws` go by.

Quick is the first case of every test, unless slow.txt knows it as slow or it opens a browser. That
list is measured, not kept by hand: `make slow` writes it anew, and a test that is not in it counts
as quick. A law is what is tried on random cases: all of tests/laws, every test with a `seed`, and
files that ask law_counts.py how many cases to try.
"""

import os
import sys
from pathlib import Path

import pytest

SLOW = Path(__file__).with_name("slow.txt")
LIMIT = 0.25
"""Seconds of the processor above which the first case of a test is slow."""
BROWSER = {"chromium", "opened"}
"""Fixtures that start one."""
COUNTS = {"ASKED", "seeds", "some"}
"""Names that a file takes from law_counts."""
QUICK = pytest.StashKey[list[pytest.Item]]()
"""All tests that are quick, of those that were collected."""
TIMES = os.environ.get("KORBA_TIMES", "")
"""A folder: where it is named only first cases are run, and each process writes what they took."""


def test_of(case):
    """The name of a test, without the values of its case."""
    return case.partition("[")[0]


def first_cases(items):
    """Of each test the case that comes first."""
    return list({test_of(item.nodeid): item for item in reversed(items)}.values())[::-1]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Marks, before pytest selects by them."""
    slow, first = set(SLOW.read_text("utf-8").split("\n")), first_cases(items)
    quick = [item for item in first if not BROWSER & set(item.fixturenames)]
    config.stash[QUICK] = [item for item in quick if test_of(item.nodeid) not in slow]
    for item in config.stash[QUICK]:
        item.add_marker("quick")
    for item in items:
        random = "seed" in getattr(getattr(item, "callspec", None), "params", ())
        if random or item.path.parent.name == "laws" or COUNTS & vars(item.module).keys():
            item.add_marker("law")
    if TIMES:
        items[:] = first


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """What a case takes of the processor, here and in processes that have ended."""
    begin = sum(os.times()[:4])
    result = yield
    if TIMES:
        with (Path(TIMES) / f"{os.getpid()}.txt").open("a", encoding="utf-8") as stream:
            stream.write(f"{sum(os.times()[:4]) - begin:.2f} {test_of(item.nodeid)}\n")
    return result


def slow_tests(folder):
    """Tests that took long, by what the processes of a run have written."""
    texts = [file.read_text("utf-8") for file in Path(folder).glob("*.txt")]
    times = [line.split(" ", 1) for text in texts for line in text.splitlines()]
    return sorted(test for took, test in times if float(took) > LIMIT)


if __name__ == "__main__":
    SLOW.write_text("".join(f"{test}\n" for test in slow_tests(*sys.argv[1:])), "utf-8")
