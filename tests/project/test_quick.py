"""`make quick` meets every room: some quick test names something of each."""

import inspect
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest
from selection import QUICK
from sources import ROOT
from test_rooms import ROOMS, room_of

import korba as kb

FRONTS = (kb, kb.course, kb.linkages, kb.papers, kb.results, kb.solids)
"""Packages whose names a test takes with a dot."""


def words(code: CodeType) -> set[str]:
    """Names and attributes in a function, and in functions inside it."""
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return set(code.co_names).union(*map(words, inner))


def homes(thing: object) -> list[str]:
    """The module of korba where something was defined, if it was there."""
    name = thing.__name__ if isinstance(thing, ModuleType) else ""
    found = name or getattr(inspect.unwrap(thing), "__module__", None) or type(thing).__module__
    return [found] if found.startswith("korba") else []


def modules_of(function: FunctionType, known: set[FunctionType]) -> set[str]:
    """Modules of korba that a function of the tests names, by itself or by what it calls."""
    if function in known:
        return set()
    known.add(function)
    said = words(function.__code__)
    named = [function.__globals__[word] for word in said if word in function.__globals__]
    fronts = [front for front in FRONTS if any(each is front for each in named)]
    fronts += [
        getattr(kb, word) for word in said & {"course", "linkages", "papers", "results", "solids"}
    ]
    named += [getattr(front, word) for front in fronts for word in said & set(front.__all__)]
    found = {home for thing in named for home in homes(thing)}
    called = [f for f in map(inspect.unwrap, named) if isinstance(f, FunctionType)]
    return found.union(*(modules_of(f, known) for f in called if not homes(f)))


@pytest.fixture
def quick(request):
    """The tests that `make quick` runs, where all tests are collected."""
    if [Path(each).resolve() for each in request.config.args] != [ROOT / "tests"]:
        pytest.skip("only a run of all tests knows those of make quick")
    return request.config.stash[QUICK]


def test_every_room_has_quick_tests(quick):
    """A change in any room is seen by `make quick`."""
    functions = {inspect.unwrap(item.function) for item in quick}
    for item in quick:
        made = item._fixtureinfo.name2fixturedefs.values()
        functions |= {definition.func for definitions in made for definition in definitions}
    known: set[FunctionType] = set()
    found = {tuple(name.split(".")) for f in functions for name in modules_of(f, known)}
    met = {*map(room_of, found)}
    missed = [room for room in ROOMS if room not in met]
    assert not missed, f"no quick test names anything of {missed}"
