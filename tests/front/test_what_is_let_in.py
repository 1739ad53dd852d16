"""The door: what an annotation says is let in, everything else is named and refused."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import korba as kb
from korba import door

HINTS = {
    float: (1, 2.5, np.float64(3), -0.0),
    int: (3, np.int64(4)),
    bool: (True, np.False_),
    str: ("text", ""),
    None | float: (None, 2.0),
    Sequence[float]: ([1, 2], (0.5,), np.array([1.0, 2.0])),
    Mapping[str, float]: ({}, {"a": 1.0}),
    tuple[float, str]: ((1.0, "a"),),
    np.ndarray: ([1.0], (1,), np.zeros(2)),
}
"""What each annotation lets in. What it does not is all that no other one shares with it."""
WRONG = {
    float: (True, "1", None, float("nan"), float("inf"), [1.0], 1j),
    int: (1.0, True, "1"),
    bool: (1, "yes", None),
    str: (1, b"text", None, ["text"]),
    None | float: ("", [None]),
    Sequence[float]: ("12", 1.0, ["a"], [None], {"a": 1.0}),
    Mapping[str, float]: ([("a", 1.0)], {1: 1.0}, {"a": "b"}),
    tuple[float, str]: ((1.0,), ("a", 1.0), (1.0, "a", "b")),
    np.ndarray: (1.0, "array", None),
}


@pytest.mark.parametrize("hint", HINTS, ids=str)
def test_values_fit_or_are_refused_in_a_sentence(hint):
    """A refusal names the place, says in words what was expected, and shows what was found."""
    for value in HINTS[hint]:
        assert door.fits(hint, value)
        door.refuse_unfit("f: x", hint, value)
    for value in WRONG[hint]:
        assert not door.fits(hint, value)
        with pytest.raises(kb.StructureError, match=r"^f: x: expected .+, got .+"):
            door.refuse_unfit("f: x", hint, value)


def test_anything_is_left_to_the_function():
    """`Any` lets in what it is given, and a class its own instances."""
    assert all(door.fits(Any, value) for value in (None, 1, "a", object()))
    assert door.fits(Callable, len) and not door.fits(Callable, 1)
    assert door.fits(kb.Body, kb.Body("a")) and not door.fits(kb.Body, "a")


def test_a_public_function_asks_at_its_door():
    """Arguments by place, by name, starred and more are checked; inside it is called with those."""

    @door.public
    def asked(a: int, /, b: str = "b", *more: float, c: bool = False, **rest: str) -> Any:
        return a, b, more, c, rest

    assert asked(1, "x", 2.0, 3, c=True, d="y", a="z") == (
        *(1, "x", (2.0, 3), True),
        {"d": "y", "a": "z"},
    )
    for args, options, name in (
        ((1.5,), {}, "a"),
        ((1, 2), {}, "b"),
        ((1, "x", "y"), {}, "more"),
        ((1,), {"c": 1}, "c"),
        ((1,), {"d": 1}, "d"),
    ):
        with pytest.raises(kb.StructureError, match=rf"^asked: {name}: expected "):
            asked(*args, **options)


@pytest.mark.parametrize("given", [[1, "a"], "12", [[1, 2], [3]], [1j], None, [True]])
def test_arrays_are_of_finite_real_numbers(given):
    """What is not is refused, with what was wanted; what is comes back as a new array."""
    own = np.array([1, 2])
    found = door.real_array("x", own)
    assert found.dtype == float and found is not own
    with pytest.raises(kb.StructureError, match=r"^x: expected two numbers, got "):
        door.real_array("x", given, "two numbers")
    with pytest.raises(kb.StructureError, match=r"got nan among them"):
        door.real_array("x", [1.0, np.nan])


def test_long_values_are_shown_shortly():
    """An error is read in one glance, whatever was given."""
    assert door.shown(np.zeros((3, 4))) == "an array of shape (3, 4)"
    assert len(door.shown("x" * 1000)) == 60
    assert door.shown([1]) == "[1]"
