"""korba/__init__.py lists the public names once; everything else is private."""

import dataclasses
import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import korba
from korba.cli.commands import HOMES, loaded

PUBLIC = list(getattr(korba, "__all__", []))
SUBMODULES = {module.name for module in pkgutil.iter_modules(korba.__path__)}


def own_docstring(thing: object) -> str:
    """What its author wrote: not inherited, and not the signature a dataclass puts there."""
    text = (thing.__doc__ or "").strip()
    if dataclasses.is_dataclass(thing) and text.startswith(f"{thing.__name__}("):
        return ""
    return text


def sorting_key(name: str) -> tuple[int, str]:
    """Constants come first, then classes, then functions (ruff's RUF022)."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2), name


def test_korba_says_what_it_is():
    """The package has a docstring."""
    assert korba.__doc__


def test_public_names_are_sorted_and_listed_once():
    """__all__ has constants, classes, then the rest, each in alphabetical order, as ruff sorts."""
    assert sorted(set(PUBLIC), key=sorting_key) == PUBLIC


REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "_ext" / "grouped_reference.py"


@pytest.mark.parametrize("room", ["korba.course", "korba.papers", "korba.results"])
def test_names_of_the_course_and_the_papers_are_in_the_reference(room):
    """The reference lists what a room shows and what has a docstring: here that is every name.

    Where the pages are built, docs/conf.py looks for each name in what came out.
    """
    assert f'"{room.removeprefix("korba.")}": ' in REFERENCE.read_text("utf-8")
    home = import_module(room)
    assert sorted(set(home.__all__), key=sorting_key) == home.__all__
    bare = [name for name in home.__all__ if not own_docstring(getattr(home, name))]
    assert not bare, f"{bare} of {room} have no docstring"


def test_public_names_are_documented():
    """Every name in __all__ is importable and has a docstring, a room a list of what it shows."""
    things = {name: getattr(korba, name) for name in PUBLIC}
    rooms = [name for name, thing in things.items() if isinstance(thing, ModuleType)]
    assert rooms and all(things[name].__all__ for name in rooms)
    told = [x for x, thing in things.items() if inspect.isclass(thing) or inspect.isroutine(thing)]
    assert not [name for name in told if not own_docstring(things[name])]


def test_nothing_else_is_public():
    """A name outside __all__ is private (an underscore) or one of the rooms."""
    others = {name for name in vars(korba) if not name.startswith("_")} - set(PUBLIC)
    stray = sorted(
        name
        for name in others
        if name not in SUBMODULES or not isinstance(getattr(korba, name), ModuleType)
    )
    assert not stray, f"add {stray} to __all__ or begin them with an underscore"


OWN_DOOR = {"compile", "derivative", "operations", "from_dh"}
"""Functions that know more about their arguments than annotations say."""


def test_public_functions_are_checked_at_the_door():
    """Every public function is @public, a verb, or says itself what it takes."""
    rooms = (korba, korba.course, korba.linkages, korba.papers, korba.solids)
    functions = [
        (name, value)
        for room in rooms
        for name in room.__all__
        if inspect.isfunction(value := getattr(room, name))
    ]
    bare = [name for name, value in functions if not hasattr(value, "__wrapped__")]
    assert set(bare) <= OWN_DOOR, bare


NEWER = {"cam_profile", "mechanical_advantage", "reachable", "robots"} | {
    "BallOnPlane",
    "Controller",
    "CurvedSlot",
    "Geneva",
    "KnifeEdge",
    "OmniWheel",
    "PID",
    "Bushing",
    "Rod",
    "Rope",
    "SeriesSpring",
    "Ratchet",
    "RollingBall",
    "RollingWheel",
    "Sensor",
    "WheelOnPlane",
}
"""Names of what came after the front was counted."""
MOST_NAMES, MOST_ARGUMENTS = 150, 12


def test_the_front_is_small():
    """`kb` shows at most 150 names, and those of what came later, each of which is named here."""
    assert set(PUBLIC) >= NEWER
    assert len(set(PUBLIC) - NEWER) <= MOST_NAMES


def asked():
    """Every public function, method of a public class, and command, with its parameters."""
    rooms = (korba, korba.course, korba.linkages, korba.papers, korba.solids, korba.results)
    for name, thing in ((n, getattr(room, n)) for room in rooms for n in room.__all__):
        own = {
            f"{name}.{x}": getattr(each, "__func__", each)
            for kind in (thing.__mro__ if inspect.isclass(thing) else ())
            if kind.__module__.startswith("korba")
            for x, each in vars(kind).items()
            if x[0] != "_"
        }
        for where, each in {name: thing, **own}.items():
            if callable(each) and not inspect.isclass(each):
                yield where, inspect.signature(each).parameters
    for name in HOMES:
        command = inspect.unwrap(loaded(name).callback)
        yield f"korba {name}", inspect.signature(command).parameters


def test_no_question_has_more_than_twelve_arguments():
    """What belongs to a method, its rows or its events is a value that composes."""
    counted = {name: len(parameters) for name, parameters in asked()}
    assert len(counted) > 300 and counted["simulate"] == 12 > counted["korba simulate"] > 5
    assert not {name: n for name, n in counted.items() if n > MOST_ARGUMENTS}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("instant_centres", "it is kb.course.instant_centres"),
        ("Wrench", "it is kb.results.Wrench"),
        ("mobilty", "did you mean kb.mobility?"),
        ("four_barr", "did you mean kb.course.four_bar?"),
    ],
)
def test_an_unknown_name_is_looked_for_in_the_rooms(name, said):
    """The error says where it is, or the one most like it."""
    with pytest.raises(AttributeError, match=re.escape(said)):
        getattr(korba, name)
    assert not hasattr(korba, name)
