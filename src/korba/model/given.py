"""What the user gave for an element, where the mechanism has made something else of it.

A joint may name points of bodies, and a drawing may be a sketch. The mechanism then holds elements
in which points are frames and coordinates are those of the closed drawing, so that nobody else has
to know. What was given stays beside it: files are written from it, and a mechanism with some other
value (`replace`) is made from it again, starting where the last one was.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import TypeVar

from .fields import Element

T = TypeVar("T", bound=Element)


def made(element: T, **changes: object) -> T:
    """The element with other values in some fields; what was given there is kept."""
    new = copy(element)
    made_in(new, changes)
    return new


def made_in(element: Element, changes: Mapping[str, object]) -> None:
    """The same in the element itself, while it is being made."""
    kept = {key: (given, own) for key, given, own in element.written}
    for key, value in changes.items():
        given = kept[key][0] if key in kept else getattr(element, key)
        kept[key] = (given, value)
        object.__setattr__(element, key, value)
    object.__setattr__(element, "written", tuple((key, *pair) for key, pair in kept.items()))


def as_given(element: T) -> T:
    """The element as the user gave it; a field that was replaced since keeps its new value."""
    if not element.written:
        return element
    new = copy(element)
    for key, given, own in element.written:
        if getattr(element, key) == own:
            object.__setattr__(new, key, given)
    object.__setattr__(new, "written", ())
    return new


def as_drawn(element: T, *keep: str, **changes: object) -> T:
    """The element with what was made of it, and more, as if it had been given so.

    It stays where it is drawn, whatever becomes of the rest. What was given in the fields `keep`
    is remembered.
    """
    new = copy(element)
    for key, value in changes.items():
        object.__setattr__(new, key, value)
    object.__setattr__(new, "written", tuple(entry for entry in new.written if entry[0] in keep))
    return new


def made_of(element: Element, key: str) -> object:
    """What the mechanism has made of a field, where that still stands; else None."""
    for name, _, own in element.written:
        if name == key and getattr(element, key) == own:
            return own
    return None
